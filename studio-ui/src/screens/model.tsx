// Screen 3: a model in words, drawn by the package, as rules; a tree pruned by a slider, rules changed by hand.
import { useEffect, useState } from "preact/hooks";
import { ask, job, type Json, type Own } from "../api";
import { atRest, chosenOf, go, isModelFile, learner, model, param, select, selection, show, sourceName, table } from "../state";
import { Drawing, Link, Title, Trouble, Working, number, said, useAnswer } from "../ui";
import { LearnerChoice } from "./choice";
import { Plane } from "./plane";
import { Rules } from "./rules";
import { Shapes } from "./shapes";

// Learn it (or find it learned), then ask.
export async function learned(own: Own, asked: Json, question: string, more: Json = {}): Promise<Json> {
  await own(job("learn", { model: asked }));
  return ask(question, { model: asked, ...more });
}

export function Model() {
  const plain = param("plain") !== null;
  const setPlain = (on: boolean) => go("model", { plain: on }, { replace: true });
  const asked = model.value;
  const found = useAnswer(asked && { asked, plain }, async (each, own) => ({ ...(await learned(own, each.asked, "model", { plain: each.plain })), asked: each.asked }));
  const answer = found.value;
  useEffect(() => {
    if (answer) show(answer.command);
  }, [answer]);
  const name = isModelFile.value ? sourceName.value : learner.value;
  return (
    <>
      <Title>{name ? `Model: ${name}` : "Model"}</Title>
      {isModelFile.value ? null : <LearnerChoice screen="model" />}
      {!asked ? <Nobody what="see what it has learned" /> : !answer ? found.said ? <Trouble said={found.said} /> : <Working stop={found.stop}>Learning from all rows …</Working> : <Shown answer={answer} asked={answer.asked} plain={plain} setPlain={setPlain} busy={found.busy} said={found.said} />}
    </>
  );
}

// Where no learner was chosen yet.
export function Nobody({ what }: { what: string }) {
  return table.value ? (
    <p>
      Choose a learner to {what}, or <Link to="compare">compare learners</Link> first.
    </p>
  ) : null;
}

function Shown({ answer, asked, plain, setPlain, busy, said: trouble }: { answer: Json; asked: Json; plain: boolean; setPlain: (on: boolean) => void; busy: boolean; said: string }) {
  const chosen = chosenOf("node", asked)?.node ?? null;
  // Of rows that are selected by whatever it is, how many come to each node.
  const chosenRows = selection.value?.rows ?? null;
  const marks = useAnswer(answer.is_tree && table.value && chosenRows && chosen === null ? { asked, table: table.value, rows: chosenRows } : null, (each, own) => learned(own, each.asked, "nodes", { table: each.table, selection: each.rows }));
  const selectNode = (node: number) => select({ said: `at node ${node} of the tree`, rows: { node: { model: asked, table: table.value, node } } });
  const first = answer.description.split("\n")[0];
  return (
    <>
      <p class="answer">
        {first} {busy ? <small role="status">learning …</small> : null}
      </p>
      <Trouble said={trouble} />
      <p class="faint">
        Learned from {said(answer.rows, "row")}, {said(answer.attributes.length, "attribute")}.
      </p>
      {answer.warned.map((sentence: string) => (
        <p key={sentence}>
          <span class="badge">!</span> {sentence}
        </p>
      ))}
      {answer.prunes ? (
        <Pruning asked={asked} start={answer.svg} plain={plain} onPlain={() => setPlain(!plain)} node={table.value ? selectNode : undefined} chosen={chosen} marks={marks.value} />
      ) : answer.svg ? (
        <Drawing tree={answer.svg} node={answer.is_tree && table.value ? selectNode : undefined} chosen={chosen} marks={marks.value?.counts} />
      ) : answer.tables.length || answer.drawings.length || answer.machines.length ? null : (
        answer.plane.length ? null : <p class="faint">This kind of model has no drawing; its words say it.</p>
      )}
      {answer.machines.length ? <Machines machines={answer.machines} asked={asked} /> : null}
      {answer.tables.length ? <Tables tables={answer.tables} /> : null}
      {answer.drawings.map((each: Json, at: number) => (
        <Drawing key={at} tree={each} />
      ))}
      {answer.plane.length ? <Plane key={JSON.stringify(asked)} columns={answer.plane} asked={asked} open={!answer.svg && !answer.tables.length} /> : null}
      {answer.shapes ? <Shapes answer={answer} asked={asked} /> : null}
      {answer.rules ? <Rules answer={answer} asked={asked} /> : null}
      <details open={!answer.svg && !answer.tables.length && !answer.drawings.length && !answer.plane.length}>
        <summary>In words</summary>
        <pre class="description" tabIndex={0}>
          {answer.description}
        </pre>
      </details>
    </>
  );
}

// What a support vector machine rests on: rows, which can be selected.
function Machines({ machines, asked }: { machines: Json[]; asked: Json }) {
  const at = chosenOf("support", asked)?.machine ?? null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Machines">
      <table>
        <caption>Machines of two sides, and the rows that each rests on</caption>
        <thead>
          <tr>
            <th scope="col">Sides (+ / -)</th>
            <th scope="col">Support vectors</th>
            <th scope="col" class="num">
              Margin
            </th>
            {Object.keys(machines[0].types).map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machines.map((machine, place) => (
            <tr key={place}>
              <th scope="row">{machine.name}</th>
              <td>
                <button type="button" aria-pressed={at === place} disabled={!table.value} onClick={() => select({ said: `support vectors of ${machine.name}`, rows: { support: { model: asked, machine: place } } })}>
                  {number(machine.support)} of {said(machine.rows, "row")}
                </button>
              </td>
              <td class="num">{number(machine.width)}</td>
              {Object.entries(machine.types as Record<string, number>).map(([name, count]) => (
                <td key={name} class="num">
                  {number(count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Shares, means and weights.
function Tables({ tables }: { tables: Json[] }) {
  return (
    <section class="tables" aria-label="What was learned">
      {tables.map((each, at) => (
        <div key={at} class="scroll" tabIndex={0} role="region" aria-label={each.caption || `Table ${at + 1}`}>
          <table>
            {each.caption ? <caption>{each.caption}</caption> : null}
            <thead>
              <tr>
                {each.headings.map((heading: string, place: number) =>
                  heading ? (
                    <th key={place} scope="col" class={each.sides[place] === "right" ? "num" : ""}>
                      {heading}
                    </th>
                  ) : (
                    <td key={place} />
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {each.rows.map((row: string[], line: number) => (
                <tr key={line}>
                  {row.map((cell, place) =>
                    place === 0 ? (
                      <th key={place} scope="row">
                        {cell}
                      </th>
                    ) : (
                      <td key={place} class={each.sides[place] === "right" ? "num" : ""}>
                        {cell}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
          {each.more ? <p class="faint">{said(each.more, "more line")} in words below.</p> : null}
        </div>
      ))}
    </section>
  );
}

function Pruning({ asked, start, plain, onPlain, node, chosen, marks }: { asked: Json; start: Json; plain: boolean; onPlain: () => void; node?: (node: number) => void; chosen: number | null; marks: Json | null }) {
  // How far it is pruned is in the address once the slider has come to rest.
  const [place, setPlace] = useState(Math.max(0, Math.trunc(Number(param("prune"))) || 0));
  useEffect(() => atRest("model", { prune: place || null }), [place]);
  const found = useAnswer({ asked, place, plain }, (each, own) => learned(own, each.asked, "pruned", { place: each.place, plain: each.plain }));
  const answer = found.value;
  useEffect(() => {
    if (answer && place > 0) show(answer.command);
  }, [answer]);
  const of = JSON.stringify(asked);
  const [first, setFirst] = useState(of);
  useEffect(() => {
    if (of !== first) (setFirst(of), setPlace(0));
  }, [of]);
  const alphas: number[] = answer?.alphas ?? [0];
  const told = answer ? `${said(answer.leaves[answer.place], "leaf").replace("leafs", "leaves")}, error on the rows learned from ${number(answer.errors[answer.place], 3)}, alpha ${number(alphas[answer.place], 3)}` : "";
  return (
    <>
      <div class="tools">
        {alphas.length > 1 ? (
          <label class="slider">
            Prune
            <input type="range" min={0} max={alphas.length - 1} value={Math.min(place, alphas.length - 1)} aria-valuetext={told} onInput={(event: Event) => setPlace(Number((event.target as HTMLInputElement).value))} />
          </label>
        ) : null}
        <output>{told}</output>
        <button type="button" aria-pressed={plain} onClick={onPlain}>
          Hide details
        </button>
      </div>
      <Trouble said={found.said} />
      {marks && place === 0 ? <p class="faint">Marked nodes have some of the {said(marks.total, "selected row")}.</p> : null}
      <Drawing tree={place === 0 ? start : (answer?.svg ?? start)} node={place === 0 ? node : undefined} chosen={chosen} marks={place === 0 ? marks?.counts : null} />
    </>
  );
}
