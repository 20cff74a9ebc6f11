// Screen 2: which learners, their intervals while folds finish, what follows.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, job, type Json, type Running } from "../api";
import { fail, go, learner, news, param, params, route, run, show, table } from "../state";
import { Drawing, Link, Title, Trouble, Waiting, number, useAnswer } from "../ui";
import { Tune } from "./tune";

type Live = Record<string, { done: number; mean: number | null; low: number | null; high: number | null }>;

// Finished comparisons of this page, so that going back and forth costs nothing, and two can stand side by side.
const finished = new Map<string, Json>();

export function Compare() {
  const suited = useAnswer(table.value && param("target") !== "" ? { table: table.value } : null, (asked) => ask("suited", asked));
  const [live, setLive] = useState<Live>({});
  const [at, setAt] = useState("");
  const [running, setRunning] = useState<Running | null>(null);
  const [said, say] = useState("");
  const [before, setBefore] = useState<Json | null>(null);
  const current = useRef<Running | null>(null);
  const asked = run.value;
  const text = JSON.stringify(asked);
  const [result, setResult] = useState<{ of: string; value: Json } | null>(null);
  const value = result?.of === text ? result.value : (finished.get(text) ?? null);

  useEffect(() => show(value?.command), [value]);
  useEffect(() => {
    if (param("go") !== null && suited.value && !running && !value) void begin();
  }, [suited.value, text]);
  useEffect(() => () => void current.current?.stop(), []);

  async function begin() {
    const last = [...finished.values()].at(-1) ?? null;
    if (!asked) return;
    go("compare", { go: 1 }, { replace: true });
    say("");
    setLive({});
    const begun = job("compare", { run: asked }, (event) => {
      if (event.stands) setLive((old) => ({ ...old, [event.stands]: event }));
      else if (event.at) setAt(`${event.at}${event.seconds === null ? "" : `, about ${Math.max(1, Math.round(event.seconds))} s left`}`);
      else if (event.doing) setAt(event.doing);
      else if (event.waiting) setAt(`${event.waiting} before it`);
    });
    current.current = begun;
    setRunning(begun);
    try {
      const made = await begun.done;
      finished.delete(text);
      finished.set(text, made);
      setBefore(last);
      setResult({ of: text, value: made });
      news.value = made.answer;
      // The other screens are about the recommended one until a person chooses another.
      const best = made.texts[made.comparison.answer.recommended];
      if (best && !learner.value && route.value.screen === "compare") go("compare", { learner: best }, { replace: true });
    } catch (error) {
      say((error as Error).message);
    } finally {
      setRunning(null);
      current.current = null;
    }
  }

  if (!table.value) return null;
  return (
    <>
      <Title>Compare learners</Title>
      {suited.said ? <NoTarget said={suited.said} /> : null}
      {suited.value ? <Choice suited={suited.value} disabled={running !== null} /> : suited.said ? null : <Waiting>Seeing which learners suit …</Waiting>}
      {suited.value ? (
        <p class="tools">
          {running ? (
            <>
              <button type="button" class="main" onClick={() => void running.stop()}>
                Stop
              </button>
              <span role="status">{at}</span>
              <span class="faint">What is finished is kept.</span>
            </>
          ) : (
            <button type="button" class="main" onClick={() => void begin()}>
              {value ? "Compare again" : "Compare"}
            </button>
          )}
        </p>
      ) : null}
      <Trouble said={said} />
      {running ? <LiveTable live={live} /> : null}
      {value && !running ? <Found value={value} before={before && before !== value ? before : null} /> : null}
      {suited.value ? <Tune learners={suited.value.learners} /> : null}
    </>
  );
}

function NoTarget({ said }: { said: string }) {
  return (
    <p class="trouble" role="alert">
      {said} <Link to="table">Choose what to predict</Link>.
    </p>
  );
}

function Choice({ suited, disabled }: { suited: Json; disabled: boolean }) {
  const chosen = params("learners");
  const usual = suited.learners.filter((each: Json) => each.ticked).map((each: Json) => each.text);
  const ticked = chosen.length ? chosen : usual;
  const others = chosen.filter((text) => !suited.learners.some((each: Json) => each.text === text));
  function set(text: string, on: boolean) {
    const made = on ? [...ticked, text] : ticked.filter((each: string) => each !== text);
    const same = made.length === usual.length && usual.every((each: string) => made.includes(each));
    go("compare", { learners: same ? null : made, go: null }, { replace: true });
  }
  const box = (text: string, label: string, summary: string) => (
    <label key={text} class="tick">
      <input type="checkbox" disabled={disabled} checked={ticked.includes(text)} onChange={(event: Event) => set(text, (event.target as HTMLInputElement).checked)} />
      <span>
        <strong>{label}</strong> <small>{summary}</small>
      </span>
    </label>
  );
  return (
    <fieldset>
      <legend>Learners</legend>
      <div class="ticks">
        {suited.learners.filter((each: Json) => each.ticked).map((each: Json) => box(each.text, each.label, each.summary))}
        {others.map((text) => box(text, text, "as chosen"))}
      </div>
      <details>
        <summary>More learners, settings, and why others are left out</summary>
        <div class="ticks">{suited.learners.filter((each: Json) => !each.ticked).map((each: Json) => box(each.text, each.label, each.summary))}</div>
        <form
          class="tools"
          onSubmit={(event: Event) => {
            event.preventDefault();
            const form = new FormData(event.target as HTMLFormElement);
            const own = String(form.get("own") ?? "").trim();
            go("compare", {
              learners: own ? [...new Set([...ticked, own])] : params("learners"),
              folds: form.get("folds") as string,
              repeats: form.get("repeats") as string,
              measure: form.get("measure") as string,
              time: form.get("time") as string,
              seed: form.get("seed") as string,
              go: null,
            });
          }}
        >
          <label>
            Folds <input name="folds" type="number" min={2} max={1000} defaultValue={param("folds") ?? ""} placeholder="10" />
          </label>
          <label>
            Repeats <input name="repeats" type="number" min={1} max={1000} defaultValue={param("repeats") ?? ""} placeholder="10" />
          </label>
          <label>
            Measure{" "}
            <select name="measure">
              <option value="">usual</option>
              {suited.measures.map((name: string) => (
                <option key={name} selected={param("measure") === name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Time <input name="time" size={6} defaultValue={param("time") ?? ""} placeholder="60s" />
          </label>
          <label>
            Seed <input name="seed" type="number" min={0} defaultValue={param("seed") ?? ""} placeholder="0" />
          </label>
          <label>
            A learner with settings <input name="own" size={24} placeholder="svm(C=10)" />
          </label>
          <button type="submit">Take these</button>
        </form>
        {suited.left_out.length ? (
          <ul class="faint">
            {suited.left_out.map((each: Json) => (
              <li key={each.kind}>
                {each.kind}: {each.why}
              </li>
            ))}
          </ul>
        ) : null}
      </details>
    </fieldset>
  );
}

// -- intervals, drawn here since they move -----------------------------------------------------------

const WIDE = 260;

function Bar({ low, mean, high, from, to }: { low: number | null; mean: number | null; high: number | null; from: number; to: number }) {
  if (mean === null) return <span class="faint">no finite value</span>;
  const place = (value: number) => 4 + ((WIDE - 8) * (Math.min(Math.max(value, from), to) - from)) / (to - from || 1);
  return (
    <svg class="bar" viewBox={`0 0 ${WIDE} 18`} width={WIDE} height={18} aria-hidden="true">
      <line x1={0} x2={WIDE} y1={9} y2={9} class="axis" />
      {low !== null && high !== null ? <line x1={place(low)} x2={place(high)} y1={9} y2={9} class="interval" /> : null}
      <circle cx={place(mean)} cy={9} r={4.5} class="mean" />
    </svg>
  );
}

function range(rows: { low: number | null; mean: number | null; high: number | null }[]): [number, number] {
  const every = rows.flatMap((row) => [row.low, row.mean, row.high]).filter((value): value is number => value !== null && Number.isFinite(value));
  return every.length ? [Math.min(...every, 0), Math.max(...every)] : [0, 1];
}

function LiveTable({ live }: { live: Live }) {
  const rows = Object.entries(live).sort((a, b) => (a[1].mean ?? Infinity) - (b[1].mean ?? Infinity));
  const [from, to] = range(rows.map(([, row]) => row));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="So far">
      <table>
        <caption>So far; verdicts are made of whole repeats</caption>
        <thead>
          <tr>
            <th scope="col">Learner</th>
            <th scope="col" class="num">Splits</th>
            <th scope="col" class="num">So far</th>
            <th scope="col">95 % interval</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, row]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="num">{row.done}</td>
              <td class="num">{number(row.mean)}</td>
              <td>
                <Bar {...row} from={from} to={to} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const VERDICTS: Record<string, string> = { better: "▲ better", worse: "▼ worse", "practically equal": "≈ practically equal" };

function Ranking({ value, label = "Ranking" }: { value: Json; label?: string }) {
  const { comparison, texts } = value;
  const rows = comparison.table.map((row: Json) => ({ ...row, mean: row[comparison.measure] }));
  const [from, to] = range(rows);
  return (
    <div class="scroll whole" tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption>
          By {comparison.measure}, {comparison.method}
        </caption>
        <thead>
          <tr>
            <th scope="col">Learner</th>
            <th scope="col" class="num">{comparison.measure}</th>
            <th scope="col">95 % interval</th>
            <th scope="col">{comparison.baseline ? `Versus ${comparison.baseline}` : "Versus the best"}</th>
            <th scope="col">Look at</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row: Json) => (
            <tr key={row.learner} class={comparison.answer.best.includes(row.learner) ? "best" : ""}>
              <th scope="row">
                {row.learner}
                {row.learner === comparison.answer.recommended ? <span class="badge good">recommended</span> : null}
              </th>
              <td class="num">{number(row.mean)}</td>
              <td>
                <Bar low={row.low} mean={row.mean} high={row.high} from={from} to={to} />
                <small>
                  {number(row.low, 3)} to {number(row.high, 3)}
                </small>
              </td>
              <td>{VERDICTS[row.verdict] ?? row.verdict}</td>
              <td class="links">
                {texts[row.learner] ? (
                  <>
                    <Link to="model" patch={{ learner: texts[row.learner], sel: null }}>
                      model
                    </Link>{" "}
                    <Link to="errors" patch={{ learner: texts[row.learner], b: null, sel: null }}>
                      errors
                    </Link>
                  </>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Found({ value, before }: { value: Json; before: Json | null }) {
  const { comparison } = value;
  const [beside, setBeside] = useState(false);
  return (
    <section aria-label="What was found">
      <p class="answer">{value.answer}</p>
      {value.complete ? null : <p class="trouble">Stopped: what was finished is shown.</p>}
      {before ? (
        <p>
          <label>
            <input type="checkbox" checked={beside} onChange={() => setBeside(!beside)} /> Compare with the previous comparison
          </label>
        </p>
      ) : null}
      <div class={beside && before ? "columns" : ""}>
        <Ranking value={value} />
        {beside && before ? (
          <div>
            <p class="faint">Before: {before.command.cli}</p>
            <Ranking value={before} label="Ranking before" />
          </div>
        ) : null}
      </div>
      {[...comparison.unjudged.map((each: Json) => `${each.learner}: ${each.why}`), ...comparison.left_out.map((each: Json) => `column ${each.column} left out: ${each.why}`), ...comparison.notes].map((text: string) => (
        <p class="faint" key={text}>
          {text}
        </p>
      ))}
      <details>
        <summary>Verdicts, pair by pair</summary>
        <ul>
          {value.sentences.map((text: string) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
      <details>
        <summary>As a figure</summary>
        <Drawing tree={value.svg} />
      </details>
      <p class="tools">
        <button
          type="button"
          onClick={() => {
            const text = value.texts[comparison.answer.recommended];
            if (text) go("model", { learner: text, sel: null });
            else fail("The recommended learner is the yardstick itself; nothing beats it.");
          }}
        >
          Look at {comparison.answer.recommended}
        </button>
        <Link to="keep">Keep the report</Link>
      </p>
    </section>
  );
}
