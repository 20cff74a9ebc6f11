// What occurs together: sets of items and rules between them; what is asked for is in the address, and lines select rows.
import { useState } from "preact/hooks";
import type { Json } from "../api";
import { go, param, params, select, selection, table } from "../state";
import { Drawing, Trouble, number, said } from "../ui";
import { AtWork, useJob } from "./jobs";

const CUTS = ["equal-frequency", "equal-width"];
const SETS = ["all", "closed", "maximal"];

function wanted(): Json | null {
  const mine = param("mine");
  if (!mine || !table.value) return null;
  const made: Json = { table: table.value, rules: mine === "rules" };
  for (const [name, key] of [["support", "min_support"], ["confidence", "min_confidence"], ["most", "max_size"], ["top", "top"]] as const)
    if (param(name) && (name !== "confidence" || made.rules)) made[key] = Number(param(name));
  if (!made.rules && param("sets")) made.sets = param("sets");
  for (const [name, key] of [["with", "contains"], ["without", "excludes"], ["head", "heads"]] as const) if (params(name).length && (name !== "head" || made.rules)) made[key] = params(name);
  if (param("cut")) made.discretise = param("cut");
  return made;
}

// Names with commas in them stand in double quotes, as in CSV.
function listed(text: string): string[] {
  const found = text.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];
  return found.map((each) => each.trim().replace(/^"([\s\S]*)"$/, (_, inner: string) => inner.replaceAll('""', '"'))).filter(Boolean);
}
const unlisted = (names: string[]): string => names.map((each) => (/[",]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each)).join(", ");

export function Baskets() {
  const mined = wanted();
  const rules = (param("mine") ?? "rules") === "rules";
  const [asRules, setAsRules] = useState(rules);
  const found = useJob("mine", mined ? { mined } : null);
  const made = found.busy ? null : found.value;

  function submit(event: Event) {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => (form.get(name) as string | null) ?? null;
    const list = (name: string) => listed(text(name) ?? "");
    go("groups", {
      mine: text("mine"), support: text("support"), confidence: text("confidence"), most: text("most"), top: text("top"), sets: text("sets"),
      head: list("head"), with: list("with"), without: list("without"), cut: text("cut"), sel: null,
    });
  }
  const field = (name: string, label: string, usual: string, more: Json) => (
    <label>
      {label} <input key={param(name) ?? ""} name={name} type="number" defaultValue={param(name) ?? usual} {...more} />
    </label>
  );
  const items = (name: string, label: string) => (
    <label>
      {label} <input key={params(name).join()} name={name} size={16} list="items" defaultValue={unlisted(params(name))} placeholder="item, item or a=*" />
    </label>
  );
  const pick = (name: string, label: string, every: string[], none: string) => (
    <label>
      {label}{" "}
      <select name={name}>
        {none ? <option value="">{none}</option> : null}
        {every.map((each) => (
          <option key={each} selected={each === param(name)}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section aria-label="What occurs together">
      <h2>What occurs together</h2>
      <form class="tools" onSubmit={submit}>
        <label>
          Find{" "}
          <select name="mine" onChange={(event: Event) => setAsRules((event.target as HTMLSelectElement).value === "rules")}>
            <option value="rules" selected={rules}>
              rules
            </option>
            <option value="sets" selected={!rules}>
              sets of items
            </option>
          </select>
        </label>
        {field("support", "Support at least", "0.1", { min: 0, max: 1, step: "any" })}
        {asRules ? field("confidence", "Confidence at least", "0.5", { min: 0, max: 1, step: "any" }) : pick("sets", "Which", SETS, "")}
        {field("most", "Items at most", "", { min: 1, max: 100, step: 1 })}
        {field("top", "How many at most", "200", { min: 1, max: 2000, step: 1 })}
        {items("with", "With")}
        {items("without", "Without")}
        {asRules ? items("head", "Then") : null}
        {pick("cut", "Numbers cut by", CUTS, "–")}
        <datalist id="items">
          {(made?.items ?? []).map((each: string) => (
            <option key={each} value={/[",]/.test(each) ? unlisted([each]) : each} />
          ))}
        </datalist>
        <button type="submit">Find</button>
      </form>
      <Trouble said={found.said} />
      <AtWork of={found} first="Mining …" />
      {made?.lists ? (
        <p class="answer">
          The file holds lists of items, which the other screens read as columns.{" "}
          <button type="button" onClick={() => go("groups", { format: "basket", sel: null })}>
            Read it as baskets everywhere
          </button>
        </p>
      ) : null}
      {made ? <Found key={found.value.command.cli} made={made} mined={mined!} /> : null}
    </section>
  );
}

type Line = { at: number; row: Json; body: string[]; head: string[]; words: string };

function Found({ made, mined }: { made: Json; mined: Json }) {
  const ofRules: Json[] | undefined = made.value.rules;
  const [by, setBy] = useState<{ name: string; down: boolean } | null>(null);
  const [text, setText] = useState("");
  const [least, setLeast] = useState(0);
  const lines: Line[] = (ofRules ?? made.value.itemsets).map((row: Json, at: number) => {
    const body: string[] = row.body ?? row.items;
    const head: string[] = row.head ?? [];
    return { at, row, body, head, words: [...body, ...head].join(", ").toLowerCase() };
  });
  const kept = lines.filter((line) => line.words.includes(text.toLowerCase()) && (!ofRules || line.row.lift >= least));
  if (by) kept.sort((a, b) => (by.down ? -1 : 1) * ((a.row[by.name] ?? Infinity) - (b.row[by.name] ?? Infinity)) || a.at - b.at);
  const measures = ofRules ? ["count", "support", "confidence", "lift", "leverage", "adjusted"] : ["count", "support"];
  const chosen = (selection.value?.rows as Json)?.items;
  const same = (items: string[], without: string[]) => JSON.stringify([chosen?.items, chosen?.without ?? []]) === JSON.stringify([items, without]);
  const rows = (items: string[], without: string[], words: string) =>
    select({ said: words, rows: { items: { table: mined.table, ...(mined.discretise ? { discretise: mined.discretise } : {}), items, ...(without.length ? { without } : {}) } } });
  const ruleRows = (line: Line) => rows([...line.body, ...line.head], [], line.head.length ? `with ${line.body.join(", ")}, and ${line.head.join(", ")}` : `with ${line.body.join(", ")}`);
  const place = lines.findIndex((line) => same([...line.body, ...line.head], []));
  return (
    <>
      <div class="tools">
        <label>
          Show those with <input type="search" value={text} onInput={(event: Event) => setText((event.target as HTMLInputElement).value)} />
        </label>
        {ofRules ? (
          <label>
            Lift at least <input type="number" min={0} step="any" value={least} onInput={(event: Event) => setLeast(Number((event.target as HTMLInputElement).value) || 0)} />
          </label>
        ) : null}
        <span role="status">
          {number(kept.length)} of {said(lines.length, ofRules ? "rule" : "set")} in {said(made.value.baskets, "basket")}
          {made.value.complete ? "" : "; the search was ended early"}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Found">
        <table>
          <thead>
            <tr>
              <th scope="col">{ofRules ? "If" : "Items"}</th>
              {ofRules ? <th scope="col">then</th> : null}
              {measures.map((name) => (
                <th key={name} scope="col" class="num" aria-sort={by?.name === name ? (by.down ? "descending" : "ascending") : "none"}>
                  <button type="button" class="plain" onClick={() => setBy({ name, down: by?.name === name ? !by.down : name !== "adjusted" })}>
                    {name === "adjusted" ? "chance" : name}
                    {by?.name === name ? (by.down ? " ▼" : " ▲") : ""}
                  </button>
                </th>
              ))}
              <th scope="col">Rows</th>
            </tr>
          </thead>
          <tbody>
            {kept.slice(0, 500).map((line) => (
              <tr key={line.at} class={line.at === place ? "best" : ""}>
                <th scope="row">{line.body.join(", ")}</th>
                {ofRules ? <td>{line.head.join(", ")}</td> : null}
                {measures.map((name) => (
                  <td key={name} class="num">
                    {number(line.row[name], 3)}
                  </td>
                ))}
                <td class="links">
                  <button type="button" class="small" disabled={made.lists} aria-pressed={same([...line.body, ...line.head], [])} aria-label={`${ofRules ? "right" : "rows"}: with ${line.body.concat(line.head).join(", ")}`} onClick={() => ruleRows(line)}>
                    {ofRules ? "right" : "rows"}
                  </button>{" "}
                  {ofRules ? (
                    <button type="button" class="small" disabled={made.lists} aria-pressed={same(line.body, line.head)} aria-label={`wrong: with ${line.body.join(", ")} but not ${line.head.join(", ")}`} onClick={() => rows(line.body, line.head, `with ${line.body.join(", ")}, but not ${line.head.join(", ")}`)}>
                      wrong
                    </button>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {kept.length > 500 ? <p class="faint">The first 500 of them; write above what they must hold.</p> : null}
      <div class="columns">
        {made.scatter ? <Drawing tree={made.scatter} hook="data-rule" chosen={place < 0 ? null : place} node={(at) => !made.lists && lines[at] && ruleRows(lines[at]!)} named={(at) => (lines[at] ? `${lines[at]!.body.join(", ")} → ${lines[at]!.head.join(", ")}` : "")} /> : null}
        {made.graph ? <Drawing tree={made.graph} /> : null}
      </div>
    </>
  );
}
