// Screen 4: the confusion as buttons, and one threshold that moves on every curve at once, without asking the server.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask, job, type Json, type Own } from "../api";
import { atRest, command, errorsRun, go, learner, param, select, selection, show } from "../state";
import { Drawing, Title, Trouble, Waiting, Working, number, percent, said, useAnswer } from "../ui";
import { Curves } from "./curves";
import { LearnerChoice, useSuited } from "./choice";
import { Nobody } from "./model";
import { atThreshold, cheapest, type Steps } from "../steps";

async function judged(asked: Json, own: Own): Promise<Json> {
  const made = await own(job("compare", { run: asked.run }));
  if (!made.complete) throw new Error("Stopped before every row was judged.");
  const names = Object.entries(made.texts as Record<string, string>);
  const name = names.find(([, text]) => text === asked.run.learners[0])?.[0];
  const other = names.find(([, text]) => text === asked.run.learners[1])?.[0] ?? null;
  if (!name) throw new Error(made.comparison.unjudged.map((each: Json) => `${each.learner}: ${each.why}`).join("; ") || "The learner could not be judged.");
  const answer = await ask("errors", { run: asked.run, learner: name, positive: asked.positive });
  const apart = other ? await ask("disagree", { run: asked.run, a: name, b: other }) : null;
  return { ...answer, name, other, apart };
}

export function Errors() {
  const suited = useSuited();
  const probabilistic = suited.value?.learners.find((each: Json) => each.text === learner.value)?.probabilistic ?? !suited.value?.measures.includes("rmse");
  const run = suited.value ? errorsRun(probabilistic) : null;
  const found = useAnswer(run && { run, positive: param("positive") }, judged);
  const answer = found.value;
  useEffect(() => {
    // Where there is a threshold, the command is that of the one that is shown.
    if (answer && !answer.calling) show(answer.command);
  }, [answer]);
  return (
    <>
      <Title>Errors{answer ? ` of ${answer.name}` : ""}</Title>
      <div class="tools">
        <LearnerChoice screen="errors" />
        {learner.value ? <LearnerChoice screen="errors" name="b" label="Compare with" none="none" /> : null}
      </div>
      {!learner.value ? <Nobody what="see where it errs" /> : !answer ? found.said ? <Trouble said={found.said} /> : !run ? suited.said ? null : <Waiting>Seeing which learners suit …</Waiting> : <Working stop={found.stop}>Judging on rows it has not learned from …</Working> : answer.classes ? <Classes answer={answer} run={run} busy={found.busy} /> : <Numbers answer={answer} />}
    </>
  );
}

function Numbers({ answer }: { answer: Json }) {
  return (
    <>
      <p class="answer">
        {Object.entries(answer.means as Record<string, number>)
          .filter(([name]) => !name.endsWith("_time") && name !== "size")
          .map(([name, value]) => `${name} ${number(value)}`)
          .join(", ")}
      </p>
      <div class="columns">
        <Drawing tree={answer.fit} />
        <Drawing tree={answer.residuals} />
      </div>
    </>
  );
}

function Classes({ answer, run, busy }: { answer: Json; run: Json; busy: boolean }) {
  const steps: Steps | null = answer.steps;
  const [costs, setCosts] = useState({ missed: told("missed"), alarm: told("alarm") });
  const two = answer.classes.length === 2;
  const usual = steps ? place(steps, 0.5) : 0;
  const [at, setAt] = useState<number | null>(steps && keptAt(steps));
  useEffect(() => setAt(steps && keptAt(steps)), [answer]);
  const now = at ?? usual;
  const threshold = steps?.thresholds[now] ?? null;
  const moved = at !== null && at !== usual && steps !== null;
  const point = useMemo(() => (steps ? atThreshold(steps, now, costs) : null), [steps, now, costs]);

  // The strip says the threshold that is shown; history keeps where the slider came to rest.
  useEffect(() => {
    const parts = answer.calling;
    if (!parts) return;
    if (!moved || threshold === null) return show(answer.command);
    const made = { cli: parts.cli.join(String(threshold)), python: parts.python.join(String(threshold)) };
    command.value = made;
    const rest = setTimeout(() => show(made), 600);
    return () => clearTimeout(rest);
  }, [answer, moved, threshold]);

  const kept = { threshold: at === null ? null : (threshold ?? "none"), missed: costs.missed === 1 ? null : costs.missed, alarm: costs.alarm === 1 ? null : costs.alarm };
  useEffect(() => (steps ? atRest("errors", kept) : undefined), [JSON.stringify(kept)]);

  function cost(name: "missed" | "alarm", value: number) {
    if (!(value >= 0) || !steps) return;
    const made = { ...costs, [name]: value };
    setCosts(made);
    setAt(cheapest(steps, made));
  }

  function choose(truth: string | null, predicted: string | null) {
    const cell: Json = { run, learner: answer.name };
    if (truth !== null) cell.truth = truth;
    if (predicted !== null) cell.predicted = predicted;
    let words = [predicted === null ? "" : `predicted ${predicted}`, truth === null ? "" : `actual ${truth}`].filter(Boolean).join(", ");
    if (moved && threshold !== null) {
      Object.assign(cell, { threshold, positive: steps!.positive });
      words += `, from ${number(threshold, 3)} on`;
    }
    const among = truth === null || predicted === null ? undefined : { cell: { run, learner: answer.name, truth } };
    select({ said: `${words}, by ${answer.name}`, rows: { cell }, among, amongSaid: among ? `actual ${truth}` : undefined });
  }

  const matrix: number[][] = moved && two && point ? shifted(answer, steps!, point) : answer.matrix;
  return (
    <>
      <p class="answer">
        Wrong on {percent(answer.error)}
        {answer.interval ? ` (95 % from ${percent(answer.interval[0])} to ${percent(answer.interval[1])})` : ""} of rows it had not learned from; kappa {number(answer.measures.kappa, 3)}, balanced accuracy {number(answer.measures.balanced_accuracy, 3)}. {busy ? <small role="status">judging …</small> : null}
      </p>
      <div class="columns">
        <Confusion classes={answer.classes} matrix={matrix} choose={choose} moved={moved && two} />
        {steps && point ? (
          <section aria-label="Threshold and costs">
            <h2>Calling {steps.positive}</h2>
            {answer.classes.length > 1 ? (
              <label>
                Class that is called{" "}
                <select onChange={(event: Event) => go("errors", { positive: (event.target as HTMLSelectElement).value, threshold: null }, { replace: true })}>
                  {answer.classes.map((name: string) => (
                    <option key={name} selected={name === steps.positive}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            ) : null}
            <div class="slider">
              <span>
                <label for="threshold">Called from a probability of</label> <output for="threshold">{threshold === null ? "more than all" : number(threshold, 3)}</output>
              </span>
              <input
                id="threshold"
                type="range"
                min={0}
                max={steps.thresholds.length - 1}
                value={steps.thresholds.length - 1 - now}
                aria-valuetext={`threshold ${threshold === null ? "above all" : number(threshold, 3)}: ${number(point.missed)} missed, ${number(point.alarms)} false alarms`}
                onInput={(event: Event) => setAt(steps.thresholds.length - 1 - Number((event.target as HTMLInputElement).value))}
              />
            </div>
            <p aria-live="off">
              {said(Math.round(point.found), "row")} found of {number(point.positives)}, {number(point.missed)} missed, {number(point.alarms)} false alarms; precision {percent(point.precision)}, recall {percent(point.recall)}.
            </p>
            <fieldset class="costs">
              <legend>What errors cost</legend>
              <label>
                A missed {steps.positive} <input type="number" min={0} step="any" value={costs.missed} onInput={(event: Event) => cost("missed", (event.target as HTMLInputElement).valueAsNumber)} />
              </label>
              <label>
                A false alarm <input type="number" min={0} step="any" value={costs.alarm} onInput={(event: Event) => cost("alarm", (event.target as HTMLInputElement).valueAsNumber)} />
              </label>
              <output data-cost>
                {number(point.cost, 4)} for 1,000 rows (95 % from {number(point.low, 4)} to {number(point.high, 4)})
              </output>
              <button type="button" onClick={() => setAt(cheapest(steps, costs))}>
                Cheapest threshold
              </button>
              <button type="button" onClick={() => setAt(null)}>
                Back to 0.5
              </button>
            </fieldset>
            {moved && threshold !== null && answer.calling ? (
              <p class="faint">
                A threshold chosen by these rows looks cheaper on them than it is; to find it on other rows, with what it then costs: <code>{answer.calling.decide.join(`missed=${costs.missed},alarm=${costs.alarm}`)}</code>
              </p>
            ) : null}
          </section>
        ) : (
          <p class="faint">This learner gives no probabilities, so there is no threshold to move.</p>
        )}
      </div>
      {steps && point ? <Curves steps={steps} at={now} point={point} costs={costs} /> : null}
      {steps?.calibration ? (
        <details>
          <summary>Are the probabilities right? (calibration)</summary>
          <Drawing tree={steps.calibration} />
        </details>
      ) : null}
      {answer.apart ? <Apart answer={answer} run={run} /> : null}
    </>
  );
}

// What an error costs, and where the threshold was, as the address says it.
function told(name: "missed" | "alarm"): number {
  const value = Number(param(name) ?? 1);
  return value >= 0 ? value : 1;
}

function keptAt(steps: Steps): number | null {
  const text = param("threshold");
  if (text === "none") return 0;
  const value = text === null ? NaN : Number(text);
  return Number.isNaN(value) ? null : place(steps, value);
}

// The step whose threshold is nearest to a probability, from above.
function place(steps: Steps, threshold: number): number {
  let found = 0;
  steps.thresholds.forEach((each, at) => {
    if (each !== null && each >= threshold) found = at;
  });
  return found;
}

// The confusion of two classes at a moved threshold: what is found and called for nothing says all of it.
function shifted(answer: Json, steps: Steps, point: { found: number; alarms: number; positives: number; negatives: number }): number[][] {
  const positive = answer.classes.indexOf(steps.positive);
  const made = [[0, 0], [0, 0]];
  made[positive]![positive] = point.found;
  made[positive]![1 - positive] = point.positives - point.found;
  made[1 - positive]![positive] = point.alarms;
  made[1 - positive]![1 - positive] = point.negatives - point.alarms;
  return made;
}

function Confusion({ classes, matrix, choose, moved }: { classes: string[]; matrix: number[][]; choose: (truth: string | null, predicted: string | null) => void; moved: boolean }) {
  const cell = (selection.value?.rows as Json)?.cell;
  const most = Math.max(...matrix.flat(), 1);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Confusion">
      <table class="confusion">
        <caption>Each cell selects its rows{moved ? "; at the moved threshold" : ""}</caption>
        <thead>
          <tr>
            <th scope="col">actual \ predicted</th>
            {classes.map((name) => (
              <th key={name} scope="col">
                <button type="button" class="plain" onClick={() => choose(null, name)}>
                  {name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {classes.map((truth, row) => (
            <tr key={truth}>
              <th scope="row">
                <button type="button" class="plain" onClick={() => choose(truth, null)}>
                  {truth}
                </button>
              </th>
              {classes.map((predicted, column) => {
                const count = matrix[row]![column]!;
                return (
                  <td key={predicted} class={row === column ? "right" : count > 0 ? "wrong" : ""}>
                    <button
                      type="button"
                      data-cell={`${truth},${predicted}`}
                      class={`shade${Math.ceil((4 * count) / most)}`}
                      aria-pressed={cell?.truth === truth && cell?.predicted === predicted}
                      aria-label={`${number(count)} rows with actual ${truth}, predicted ${predicted}`}
                      onClick={() => choose(truth, predicted)}
                    >
                      {number(count)}
                      <span aria-hidden="true">{row === column ? " ✓" : count > 0 ? " ✗" : ""}</span>
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Apart({ answer, run }: { answer: Json; run: Json }) {
  const { a, b } = answer.apart;
  const cells = [
    ["both_right", `both right`],
    ["only_a", `only ${a} right`],
    ["only_b", `only ${b} right`],
    ["both_wrong", `both wrong`],
  ] as const;
  const button = ([cell, words]: readonly [string, string]) => (
    <button type="button" data-apart={cell} aria-pressed={(selection.value?.rows as Json)?.apart?.cell === cell} onClick={() => select({ said: words, rows: { apart: { run, a, b, cell } } })}>
      <strong>{number(answer.apart[cell])}</strong> {words}
    </button>
  );
  return (
    <section aria-label="Two learners">
      <h2>
        {a} and {b}
      </h2>
      <p>{answer.apart.text}</p>
      <table class="confusion">
        <caption>Where each is right; a cell selects its rows</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{b} right</th>
            <th scope="col">{b} wrong</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{a} right</th>
            <td>{button(cells[0])}</td>
            <td>{button(cells[1])}</td>
          </tr>
          <tr>
            <th scope="row">{a} wrong</th>
            <td>{button(cells[2])}</td>
            <td>{button(cells[3])}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}
