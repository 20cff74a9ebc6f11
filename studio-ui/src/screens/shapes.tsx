// Shapes changed by hand: dropped, or flattened where nobody believes them. Both are a parameter of a learner that is
// learned here, so the model is fitted again in every fold that it is judged on; a model file is changed by its command.
import { useEffect, useState } from "preact/hooks";
import { ask, job, type Json } from "../api";
import { go, isModelFile, learner, model, news, setShapeEdits, shapeEdits, show, sourceName, table } from "../state";
import { Trouble, number } from "../ui";
import { MOMENTS, daysOf, writtenDays } from "./moments";
import { Change as Effect, HeldOut } from "./change";

// What there was before, by the model as learned: Undo goes back through it.
const before = new Map<string, (() => void)[]>();

type Changes = Record<string, Json>;

// The learner's words with changes; quotation marks within names are written so that commas in them divide nothing.
export function withChanges(base: string, changes: Changes): string {
  if (!Object.keys(changes).length) return base;
  const text = JSON.stringify(changes).replace(/\\(.)/g, (pair, sign) => (sign === '"' ? "\\u0022" : pair));
  return base.endsWith(")") ? `${base.slice(0, -1)}, edits=${text})` : `${base}(edits=${text})`;
}

export function Shapes({ answer, asked }: { answer: Json; asked: Json }) {
  const changes: Changes = isModelFile.value ? (shapeEdits.value ?? {}) : answer.changes;
  const [name, setName] = useState<string>("");
  const of = JSON.stringify([table.value ?? sourceName.value, answer.base]);
  const past = before.get(of) ?? before.set(of, []).get(of)!;
  const shape = answer.shapes.find((each: Json) => each.name === name) ?? answer.shapes[0];
  if (!shape || (!isModelFile.value && (!table.value || !answer.base))) return null;
  const any = Object.keys(changes).length > 0;

  function change(made: Changes, words: string) {
    const was = learner.value;
    past.push(isModelFile.value ? () => setShapeEdits(changes) : () => go("model", { learner: was, sel: null }));
    if (isModelFile.value) setShapeEdits(made);
    else go("model", { learner: withChanges(answer.base, made), sel: null });
    news.value = words;
  }
  function flatten(what: Json) {
    const flat = changes[shape.name];
    const pieces = shape.numeric && Array.isArray(flat) ? (Array.isArray(flat[0]) ? flat : [flat]) : [];
    const made = shape.numeric ? (pieces.length ? [...pieces, what] : what) : what;
    change({ ...changes, [shape.name]: made }, `${shape.name} is flattened.`);
  }
  return (
    <section aria-label="Shapes by hand">
      <h2>
        Implausible shapes {any ? <span class="badge">edited by hand</span> : null}
      </h2>
      {any ? (
        <ul>
          {Object.entries(changes).map(([each, what]) => (
            <li key={each}>
              {each}: {what === "drop" ? "dropped" : `flattened (${told(answer.shapes.find((one: Json) => one.name === each), what)})`}{" "}
              <button
                type="button"
                class="small"
                aria-label={`${each} as learned`}
                onClick={() => {
                  const { [each]: _, ...others } = changes;
                  change(others, `${each} is as learned.`);
                }}
              >
                as learned
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div class="tools">
        <label>
          Shape{" "}
          <select value={shape.name} onChange={(event: Event) => setName((event.target as HTMLSelectElement).value)}>
            {answer.shapes.map((each: Json) => (
              <option key={each.name} value={each.name} selected={each.name === shape.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={changes[shape.name] === "drop"} onClick={() => change({ ...changes, [shape.name]: "drop" }, `${shape.name} is dropped.`)}>
          Drop it
        </button>
        {past.length ? (
          <button
            type="button"
            onClick={() => {
              past.pop()!();
              news.value = "The last change is taken back.";
            }}
          >
            Undo
          </button>
        ) : null}
      </div>
      {changes[shape.name] === "drop" ? null : shape.numeric ? <Range key={shape.name} shape={shape} done={flatten} /> : <Levels key={shape.name} shape={shape} now={changes[shape.name] ?? []} done={flatten} />}
      {!any ? null : isModelFile.value ? <Effect asked={asked} /> : <Change base={answer.base} />}
    </section>
  );
}

const shown = (shape: Json, value: number) => (shape?.moment ? writtenDays(shape.moment, value) : number(value, 6));

function told(shape: Json, what: Json): string {
  if (!shape?.numeric) return what.map(String).join(", ");
  const pieces: [number, number][] = Array.isArray(what[0]) ? what : [what];
  return pieces.map(([low, high]) => `${shown(shape, low)} to ${shown(shape, high)}`).join(", ");
}

function Range({ shape, done }: { shape: Json; done: (what: Json) => void }) {
  const [trouble, say] = useState("");
  const type = shape.moment ? MOMENTS[shape.moment]! : "number";
  const start = (value: number) => (shape.moment ? writtenDays(shape.moment, value) : String(value));
  return (
    <form
      class="tools"
      onSubmit={(event: Event) => {
        event.preventDefault();
        const [low, high] = ["low", "high"].map((each) => {
          const input = (event.target as HTMLFormElement).elements.namedItem(each) as HTMLInputElement;
          return shape.moment ? daysOf(input) : input.valueAsNumber;
        }) as [number, number];
        if (low <= high) done([low, high]);
        else say("Give two numbers, the smaller first.");
      }}
    >
      <label>
        From <input name="low" type={type} step={shape.moment ? 1 : "any"} defaultValue={start(shape.low)} />
      </label>
      <label>
        to <input name="high" type={type} step={shape.moment ? 1 : "any"} defaultValue={start(shape.high)} />
      </label>
      <button type="submit">Flatten between them</button>
      <Trouble said={trouble} />
    </form>
  );
}

function Levels({ shape, now, done }: { shape: Json; now: Json[]; done: (what: Json) => void }) {
  const [chosen, setChosen] = useState<Json[]>(now);
  return (
    <fieldset>
      <legend>Levels that are to have one value</legend>
      <div class="ticks">
        {shape.levels.map((level: Json) => (
          <label key={String(level)} class="tick">
            <input type="checkbox" checked={chosen.includes(level)} onChange={() => setChosen(chosen.includes(level) ? chosen.filter((each) => each !== level) : [...chosen, level])} /> {String(level)}
          </label>
        ))}
      </div>
      <button type="button" disabled={chosen.length < 2} onClick={() => done(chosen)}>
        Flatten these
      </button>
    </fieldset>
  );
}

// The learner without and with the changes, compared on the same folds.
function Change({ base }: { base: string }) {
  const [held, setHeld] = useState<Json | null>(null);
  const [trouble, say] = useState("");
  const edited = model.value?.learner as string;
  useEffect(() => {
    say("");
    setHeld(null);
    let current = true;
    const run = { table: table.value, learners: [base, edited], folds: 10, repeats: 1 };
    const running = job("compare", { run });
    running.done
      .then(async (made) => {
        if (!current) return;
        const name = (text: string) => Object.entries(made.texts as Record<string, string>).find(([, each]) => each === text)?.[0];
        const [before, after] = [name(base), name(edited)];
        const { measure } = made.comparison;
        const row = (each: string | undefined) => made.comparison.table.find((one: Json) => one.learner === each);
        if (!row(before) || !row(after)) throw new Error("One of the two could not be judged.");
        const judged = (each: string | undefined) => ({ mean: row(each)[measure], low: row(each).low, high: row(each).high });
        const classes = made.comparison.task !== "regression" && measure !== "rmse";
        const apart = classes ? await ask("disagree", { run, a: before, b: after }) : null;
        const pair = made.comparison.pairs.find((one: Json) => [one.a, one.b].includes(before) && [one.a, one.b].includes(after));
        const sign = pair?.a === after ? 1 : -1;
        const ends = pair ? [sign * pair.low, sign * pair.high].sort((a, b) => a - b) : [null, null];
        if (!current) return;
        setHeld({
          measure,
          folds: 10,
          given: false,
          judged: { before: judged(before), after: judged(after) },
          fixed: apart ? apart.only_b : null,
          broken: apart ? apart.only_a : null,
          mcnemar: apart ? apart.p : null,
          difference: pair ? sign * pair.difference : null,
          low: ends[0],
          high: ends[1],
          p: pair?.p ?? null,
        });
        show(apart?.command ?? made.command);
      })
      .catch((error) => current && say(error.message));
    return () => {
      current = false;
      void running.stop();
    };
  }, [edited, JSON.stringify(table.value)]);
  return (
    <section class="answer" aria-label="The change">
      <Trouble said={trouble} />
      {held ? <HeldOut held={held} /> : trouble ? null : <p role="status">On rows left out in turn: judging with and without the change …</p>}
      <p>
        <small>Both are fitted again on each fold, one of them with the change. The changed model is under Keep; it says that it was edited by hand.</small>
      </p>
    </section>
  );
}
