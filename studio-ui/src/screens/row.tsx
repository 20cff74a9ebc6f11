// Screen 5: one row; each value can be changed, and what is said of it follows.
import { useEffect } from "preact/hooks";
import type { Json } from "../api";
import { go, model, param, show } from "../state";
import { Drawing, Link, Title, Trouble, Working, number, percent, useAnswer } from "../ui";
import { LearnerChoice } from "./choice";
import { Nobody, learned } from "./model";
import { MOMENTS, daysOf, writtenDays } from "./moments";

export function Row() {
  const position = Number(param("row") ?? 0);
  let changed: Record<string, Json> = {};
  try {
    changed = JSON.parse(param("changed") ?? "{}");
  } catch {
    // as if nothing were changed
  }
  const found = useAnswer(model.value && { model: model.value, position, changed }, (asked, own) => learned(own, asked.model, "row", { position: asked.position, changed: asked.changed }));
  const answer = found.value;
  useEffect(() => {
    if (answer) show(answer.command);
  }, [answer]);

  function set(name: string, value: Json, was: Json) {
    const made = { ...changed };
    if (value === was || (value === "" && was === null)) delete made[name];
    else made[name] = value;
    go("row", { changed: Object.keys(made).length ? JSON.stringify(made) : null }, { replace: true });
  }

  return (
    <>
      <Title>Row {number(position + 1)}</Title>
      <div class="tools">
        <LearnerChoice screen="row" label="What does it say" />
        <label>
          Row{" "}
          <input
            type="number"
            min={1}
            value={position + 1}
            onChange={(event: Event) => {
              const value = (event.target as HTMLInputElement).valueAsNumber;
              if (value >= 1) go("row", { row: value - 1, changed: null });
            }}
          />
        </label>
        {Object.keys(changed).length ? (
          <button type="button" onClick={() => go("row", { changed: null })}>
            As it was
          </button>
        ) : null}
      </div>
      <Trouble said={found.said} />
      {!model.value ? <Nobody what="see what it says of the row" /> : !answer ? found.said ? null : <Working stop={found.stop}>Learning from all rows …</Working> : (
        <div class="columns">
          <Fields fields={answer.fields} set={set} />
          <Said answer={answer} />
        </div>
      )}
      {answer?.svg ? <Drawing tree={answer.svg} /> : null}
    </>
  );
}

function Fields({ fields, set }: { fields: Json[]; set: (name: string, value: Json, was: Json) => void }) {
  return (
    <section aria-label="Values">
      <h2>What if</h2>
      <div class="fields">
        {fields.map((field) => (
          <div key={field.name} class={field.now === field.was ? "" : "changed"}>
            {field.kind === "numeric" ? (
              <>
                <label>
                  {field.name}
                  {field.moment ? (
                    <input type={MOMENTS[field.moment]!} step={1} value={writtenDays(field.moment, field.now)} onChange={(event: Event) => set(field.name, day_of(event), field.was)} />
                  ) : (
                    <input type="number" step="any" value={field.now ?? ""} onChange={(event: Event) => set(field.name, number_of(event), field.was)} />
                  )}
                </label>
                {field.low !== null && field.high > field.low ? (
                  <input type="range" aria-label={`${field.name}, slider`} min={field.low} max={field.high} step={field.whole ? 1 : (field.high - field.low) / 100} value={field.now ?? field.low} onInput={(event: Event) => set(field.name, number_of(event), field.was)} />
                ) : null}
              </>
            ) : field.levels ? (
              <label>
                {field.name}
                <select onChange={(event: Event) => set(field.name, (event.target as HTMLSelectElement).value, field.was === null ? null : String(field.was))}>
                  <option value="" selected={field.now === null}>
                    ? (missing)
                  </option>
                  {field.levels.map((level: string) => (
                    <option key={level} selected={String(field.now) === level}>
                      {level}
                    </option>
                  ))}
                </select>
              </label>
            ) : (
              <label>
                {field.name}
                <input value={field.now ?? ""} onChange={(event: Event) => set(field.name, (event.target as HTMLInputElement).value, field.was)} />
              </label>
            )}
            {field.now === field.was ? null : <small>was {field.was === null ? "missing" : (field.said ?? number(field.was, 6))}</small>}
          </div>
        ))}
      </div>
    </section>
  );
}

function day_of(event: Event): number | "" {
  const value = daysOf(event.target as HTMLInputElement);
  return Number.isNaN(value) ? "" : value;
}

function number_of(event: Event): number | "" {
  const value = (event.target as HTMLInputElement).valueAsNumber;
  return Number.isNaN(value) ? "" : value;
}

const WIDE = 150;

function Said({ answer }: { answer: Json }) {
  const { explanation } = answer;
  const evidence: Json[] = (explanation.evidence ?? explanation.contributions ?? []).slice(0, 12);
  const size = (each: Json) => (typeof each.contribution === "number" ? each.contribution : each.contribution === "inf" ? 5 : each.contribution === "-inf" ? -5 : 0);
  const most = Math.max(...evidence.map((each) => Math.abs(size(each))), 1e-9);
  return (
    <section aria-label="What is said" aria-live="polite">
      <h2>
        {explanation.label === undefined ? `Predicted ${number(explanation.value)}` : `Predicted ${explanation.label}`} {answer.truth === null ? null : <small>(truly {number(answer.truth)})</small>}
      </h2>
      {explanation.probabilities ? (
        <table class="bars">
          <caption>Probability of each class</caption>
          <tbody>
            {explanation.probabilities.slice(0, 12).map(([name, value]: [string, number]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="num">{percent(value)}</td>
                <td>
                  <svg viewBox={`0 0 ${WIDE} 12`} width={WIDE} height={12} aria-hidden="true">
                    <rect width={WIDE} height={12} class="panel" />
                    <rect width={Math.max(WIDE * (value ?? 0), 0.5)} height={12} class="f0 solid" />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {evidence.length ? (
        <table class="bars">
          <caption>{explanation.rival ? `Why, rather than ${explanation.rival}` : "Why"}</caption>
          <tbody>
            {evidence.map((each, at) => (
              <tr key={at}>
                <th scope="row">{each.condition}</th>
                <td class="num">{each.contribution === null ? "" : typeof each.contribution === "number" ? `${each.contribution > 0 ? "+" : ""}${number(each.contribution, 3)}` : each.contribution}</td>
                <td>
                  <svg viewBox={`0 0 ${WIDE} 12`} width={WIDE} height={12} aria-hidden="true">
                    <line x1={WIDE / 2} x2={WIDE / 2} y1={0} y2={12} class="axis" />
                    <rect x={WIDE / 2 + Math.min((size(each) / most) * (WIDE / 2), 0)} width={(Math.abs(size(each)) / most) * (WIDE / 2)} y={1} height={10} class={size(each) >= 0 ? "f0 solid" : "f1 solid"} />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {answer.path ? (
        <details open>
          <summary>Its way through the tree</summary>
          <pre tabIndex={0}>{answer.path}</pre>
        </details>
      ) : null}
      {answer.fired.length ? (
        <>
          <h3>{answer.fired.length === 1 ? "The rule that answers" : "Rules that answer"}</h3>
          <ul>
            {answer.fired.map((text: string) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          {answer.without === null ? null : <p class="faint">Without it: {answer.without}.</p>}
        </>
      ) : null}
      {answer.near.length ? (
        <>
          <h3>Near misses</h3>
          <ul>
            {answer.near.map((text: string) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      ) : null}
      {answer.neighbours.length ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Rows it was compared with">
          <table>
            <caption>Rows it was compared with, the nearest first</caption>
            <thead>
              <tr>
                <th scope="col">Row</th>
                <th scope="col">Is</th>
                <th scope="col" class="num">
                  Distance
                </th>
                <th scope="col" class="num">
                  Weight
                </th>
              </tr>
            </thead>
            <tbody>
              {answer.neighbours.map((each: Json, at: number) => (
                <tr key={at}>
                  <th scope="row">
                    {each.position === null ? (
                      each.text
                    ) : (
                      <Link to="row" patch={{ row: each.position, changed: null }}>
                        row {number(each.position + 1)}
                      </Link>
                    )}
                  </th>
                  <td>{each.answer ?? ""}</td>
                  <td class="num">{number(each.distance)}</td>
                  <td class="num">{number(each.weight)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {answer.nearest ? (
        <p>
          The nearest row of another class is{" "}
          <Link to="row" patch={{ row: answer.nearest.position, changed: null }}>
            row {number(answer.nearest.position + 1)}
          </Link>
          , {answer.nearest.label}: {answer.nearest.differs.slice(0, 5).map((each: Json) => `${each.name} ${number(each.there)} instead of ${number(each.here)}`).join(", ")}
          {answer.nearest.differs.length > 5 ? " …" : "."}
        </p>
      ) : null}
      <details>
        <summary>In words</summary>
        <pre tabIndex={0}>{answer.text}</pre>
      </details>
    </section>
  );
}
