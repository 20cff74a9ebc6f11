// What a change by hand does: on rows that are there, then on rows left out in turn, beside the model as learned.
import { useEffect, useState } from "preact/hooks";
import { job, save, type Json, type Running } from "../api";
import { fail, go, isModelFile, param, rowsOf, show, start, table } from "../state";
import { Trouble, number, percent, said } from "../ui";

const FOLDS = 10;

// What the changes do: first on the rows that are there, then on folds, which takes as long as learning ten times.
export function Change({ asked }: { asked: Json }) {
  const on = rowsOf.value;
  const [found, setFound] = useState<{ of: string; value: Json } | null>(null);
  const [trouble, say] = useState("");
  const text = JSON.stringify([asked, on]);
  useEffect(() => {
    say("");
    const running: Running[] = [];
    let current = true;
    const begin = (folds: number | null) => {
      const made = job("edit", { model: asked, folds, on: on?.table ?? null });
      running.push(made);
      return made.done.then((value) => {
        if (!current) return;
        setFound({ of: text, value });
        show(value.command);
      });
    };
    job("learn", { model: asked })
      .done.then(() => (current ? begin(null) : undefined))
      .then(() => (current && (table.value || on) ? begin(FOLDS) : undefined))
      .catch((error) => current && say(error.message));
    return () => {
      current = false;
      for (const each of running) void each.stop();
    };
  }, [text]);
  const value = found?.of === text ? found.value : null;
  const effect = value?.value.effect;
  const held = value?.value.held_out;
  return (
    <section class="answer" aria-label="The change">
      {isModelFile.value ? <RowsChoice /> : null}
      <Trouble said={trouble} />
      {!value ? <p role="status">Seeing what the change does …</p> : null}
      {effect ? (
        <p>
          On the {on ? `rows of ${on.name}` : "rows that it was learned from"} {said(effect.changed.length, "row")} of {number(effect.rows)} {effect.changed.length === 1 ? "is" : "are"} answered otherwise; {said(effect.old_errors, "error")} before, {number(effect.new_errors)} now ({number(effect.mended)} mended, {number(effect.broken)} broken; McNemar's p {number(effect.p, 2)}).
        </p>
      ) : null}
      {held ? <HeldOut held={held} /> : (effect || on) && value && !trouble ? <p role="status">On rows left out in turn: judging …</p> : null}
      {value ? (
        <p>
          <button type="button" onClick={() => void save(value).catch(fail)}>
            Keep the changed model
          </button>{" "}
          <small>It says in its file that it was edited by hand, and how.</small>
        </p>
      ) : null}
    </section>
  );
}

// A model file has no rows; those of a table tell what a change does to it.
function RowsChoice() {
  const among = [
    ...start.value.tables.map((each: Json) => ["file", each.name]),
    ...start.value.uploads.filter((each: Json) => !each.name.toLowerCase().endsWith(".acm")).map((each: Json) => ["upload", each.name]),
    ...start.value.datasets.map((each: Json) => ["dataset", each.name]),
  ];
  return (
    <p>
      <label>
        See what it does to the rows of{" "}
        <select value={param("on") ?? ""} onChange={(event: Event) => go("model", { on: (event.target as HTMLSelectElement).value }, { replace: true })}>
          <option value="">– no table –</option>
          {among.map(([kind, name]) => (
            <option key={`${kind}:${name}`} value={`${kind}:${name}`} selected={param("on") === `${kind}:${name}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}

const TITLES: Record<string, string> = { retrained: "The learner, retrained on each fold", before: "As learned", after: "As edited" };

export function HeldOut({ held }: { held: Json }) {
  const shown = (value: number | null) => (held.measure === "error" ? percent(value) : number(value));
  return (
    <>
      <table>
        <caption>
          On {held.folds} folds, each row judged once, by {held.measure}
        </caption>
        <tbody>
          {Object.entries(held.judged as Record<string, Json>).map(([name, one]) => (
            <tr key={name}>
              <th scope="row">{TITLES[name] ?? name}</th>
              <td class="num">{shown(one.mean)}</td>
              <td>{one.low === null ? "" : `95 % from ${shown(one.low)} to ${shown(one.high)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {held.fixed === null
          ? held.difference === null
            ? ""
            : `The change adds ${number(held.difference, 3)} (95 % from ${number(held.low, 3)} to ${number(held.high, 3)}; p ${number(held.p, 2)}).`
          : `The change fixes ${said(held.fixed, "row")} and breaks ${number(held.broken)} (McNemar's p ${number(held.mcnemar, 2)}).`}
        {held.given ? ` The rules are the same in every fold. They were learned from these rows, and edited after looking at them, so their error here is too low${held.judged.retrained ? "; the retrained learner shows by how much" : ""}.` : ""}
      </p>
    </>
  );
}
