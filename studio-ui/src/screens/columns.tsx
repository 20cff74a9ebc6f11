// The columns of a table: what each was read as and why, several changed at once, levels put in order, and all undone.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Json } from "../api";
import { go, kinds, leveled, levels, merges, param, params, READING, source } from "../state";
import { number, said } from "../ui";

// How the table was read before each change, so that Undo takes back the last change and nothing else.
let of = "";
const earlier = signal<Record<string, string[]>[]>([]);

export function reread(patch: Record<string, string | string[] | null | undefined>) {
  earlier.value = [...earlier.value, Object.fromEntries(READING.map((name) => [name, params(name)]))];
  go("table", { ...patch, ...ANEW });
}

// What the address says of a table as it was read before.
const ANEW = { sel: null, page: null, threshold: null, prune: null };

export function useUndo() {
  const where = JSON.stringify(source.value);
  useEffect(() => {
    // Another table has nothing to undo yet.
    if (of !== where) earlier.value = [];
    of = where;
  }, [where]);
}

function undo() {
  const last = earlier.value.at(-1);
  if (!last) return;
  earlier.value = earlier.value.slice(0, -1);
  go("table", { ...last, ...ANEW });
}

// Levels that are one, called as the first; an order that names the others is none any more.
export function merge(name: string, group: string[]) {
  const { [name]: _, ...ordered } = levels.value;
  reread({ merge: [...merges.value, [name, group]].map((each) => JSON.stringify(each)), levels: leveled(ordered) });
}

const KINDS = ["numeric", "nominal", "ordinal", "text", "ignored"];

const MOST = 400;

export function Columns({ columns, idle, busy }: { columns: Json[]; idle: Record<string, string>; busy: boolean }) {
  const [ticked, tick] = useState<string[]>([]);
  const [last, setLast] = useState<number | null>(null);
  const [filter, setFilter] = useState("");
  const matching = columns.filter((column) => column.name.toLowerCase().includes(filter.toLowerCase()));
  const shown = matching.slice(0, MOST);
  const changed = READING.some((name) => name !== "target" && params(name).length > 0);

  function set(kind: string) {
    const told = { ...kinds.value };
    let ignore = params("ignore").filter((name) => !ticked.includes(name));
    if (kind === "ignored") ignore = [...ignore, ...ticked];
    const ordered = { ...levels.value };
    for (const name of ticked) {
      if (kind === "ignored") delete told[name];
      else told[name] = kind;
      if (kind !== "nominal" && kind !== "ordinal") delete ordered[name];
    }
    reread({ kind: Object.entries(told).map(([name, each]) => `${name}:${each}`), levels: leveled(ordered), ignore });
    // The one column that has just got an order stays chosen: its levels are put in order next.
    if (kind !== "ordinal" || ticked.length > 1) tick([]);
  }

  const one = ticked.length === 1 ? columns.find((column) => column.name === ticked[0]) : undefined;

  function toggle(at: number, event: MouseEvent) {
    const name = shown[at]!.name;
    const on = !ticked.includes(name);
    let names = [name];
    if (event.shiftKey && last !== null) names = shown.slice(Math.min(at, last), Math.max(at, last) + 1).map((column) => column.name);
    tick(on ? [...new Set([...ticked, ...names])] : ticked.filter((each) => !names.includes(each)));
    setLast(at);
  }

  return (
    <section aria-label="Columns">
      <h2>Columns {busy ? <small role="status">reading again …</small> : null}</h2>
      <div class="tools">
        {columns.length > 12 ? (
          <label>
            Find <input type="search" value={filter} onInput={(event: Event) => setFilter((event.target as HTMLInputElement).value)} />
          </label>
        ) : null}
        <span>{ticked.length ? `${said(ticked.length, "column")} chosen; read as` : "Choose columns (shift: all between) to read them otherwise:"}</span>
        {KINDS.map((kind) => (
          <button key={kind} type="button" disabled={!ticked.length} onClick={() => set(kind)}>
            {kind}
          </button>
        ))}
        <button type="button" disabled={ticked.length !== 1} onClick={() => (reread({ weight: ticked[0], target: param("target") === ticked[0] ? null : param("target") }), tick([]))}>
          weights
        </button>
        <button type="button" disabled={ticked.length !== 1} onClick={() => (reread({ target: ticked[0], weight: param("weight") === ticked[0] ? null : param("weight"), ignore: params("ignore").filter((name) => name !== ticked[0]) }), tick([]))}>
          target
        </button>
        {columns.some((column) => column.moment) ? (
          <button type="button" disabled={!ticked.length || !ticked.every((name) => columns.find((column) => column.name === name)?.moment)} onClick={() => (reread({ date_parts: [...new Set([...params("date_parts"), ...ticked])] }), tick([]))}>
            year, month, weekday too
          </button>
        ) : null}
        <button type="button" disabled={!earlier.value.length} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={!changed} onClick={() => reread(Object.fromEntries(READING.filter((name) => name !== "target").map((name) => [name, null])))}>
          As first read
        </button>
      </div>
      <Missing key={params("missing").join()} />
      {one?.order.length > 1 ? <Levels key={`${one!.name} ${one!.kind} ${one!.order.join()}`} column={one!} /> : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of columns">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Choose</span>
              </th>
              <th scope="col">Column</th>
              <th scope="col">Kind</th>
              <th scope="col">Role</th>
              <th scope="col" class="num">Missing</th>
              <th scope="col" class="num">Different</th>
              <th scope="col">Values</th>
              <th scope="col" class="num">
                <abbr title="How much the column says about the target, from 0 to 1">Strength</abbr>
              </th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((column, at) => (
              <tr key={column.name} class={column.role}>
                <td>
                  <input type="checkbox" aria-label={`Choose ${column.name}`} checked={ticked.includes(column.name)} onClick={(event: MouseEvent) => toggle(at, event)} />
                </td>
                <th scope="row">{column.name}</th>
                <td>{column.kind}</td>
                <td>{idle[column.name] ? "left out" : column.role}</td>
                <td class="num">{number(column.missing)}</td>
                <td class="num">{number(column.distinct)}</td>
                <td class="values">{values(column)}</td>
                <td class="num">{column.association?.strength == null ? "" : column.association.strength.toFixed(2)}</td>
                <td class="why">
                  {column.decided}
                  {idle[column.name] ? `; ${idle[column.name]}` : ""}
                  {column.why.map((note: Json, place: number) => (
                    <span key={place}>
                      . {note.text} {where(note)}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {matching.length > shown.length ? <p class="faint">The first {MOST} of {said(matching.length, "column")}; find others by name.</p> : null}
    </section>
  );
}

// Where in the file, unless the sentence says so itself.
export function where(note: Json): string {
  const lines: number[] = note.lines ?? [];
  if (!lines.length || /\bline/.test(note.text)) return "";
  return `(line${lines.length > 1 ? "s" : ""} ${lines.slice(0, 5).join(", ")}${(note.count ?? lines.length) > Math.min(lines.length, 5) ? " …" : ""})`;
}

// What else stands for a value that is not known.
function Missing() {
  const [text, setText] = useState(params("missing").join(", "));
  const words = text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
  return (
    <form
      class="tools"
      onSubmit={(event: Event) => {
        event.preventDefault();
        reread({ missing: words });
      }}
    >
      <label>
        Also missing: <input size={16} value={text} placeholder="x, -99" onInput={(event: Event) => setText((event.target as HTMLInputElement).value)} />
      </label>
      <button type="submit" disabled={words.join("\n") === params("missing").join("\n")}>
        Read so
      </button>
    </form>
  );
}

// The levels of one column: their order, and which of them count.
function Levels({ column }: { column: Json }) {
  const [order, put] = useState<string[]>(column.order);
  const [out, setOut] = useState<string[]>([]);
  const [meant, setMeant] = useState<boolean>(column.kind === "ordinal");
  const [same, setSame] = useState<string[]>([]);
  const kept = order.filter((level) => !out.includes(level));
  const changed = kept.join("\n") !== column.order.join("\n") || meant !== (column.kind === "ordinal");

  function move(at: number, by: number) {
    const made = [...order];
    [made[at], made[at + by]] = [made[at + by]!, made[at]!];
    put(made);
    setMeant(true);
  }

  function use() {
    const told = { ...kinds.value, [column.name]: meant ? "ordinal" : "nominal" };
    reread({ kind: Object.entries(told).map(([name, each]) => `${name}:${each}`), levels: leveled({ ...levels.value, [column.name]: kept }) });
  }

  return (
    <fieldset class="levels">
      <legend>Levels of {column.name}</legend>
      <ol>
        {order.map((level, at) => (
          <li key={level} class={out.includes(level) ? "out" : ""}>
            <button type="button" class="small" disabled={at === 0} aria-label={`${level} earlier`} onClick={() => move(at, -1)}>
              ↑
            </button>
            <button type="button" class="small" disabled={at === order.length - 1} aria-label={`${level} later`} onClick={() => move(at, 1)}>
              ↓
            </button>
            <label class="tick">
              <input type="checkbox" aria-label={`Choose the level ${level}`} checked={same.includes(level)} onChange={() => setSame(same.includes(level) ? same.filter((each) => each !== level) : [...same, level])} /> {level}
            </label>
            <button type="button" class="small" aria-label={`${out.includes(level) ? "Keep" : "Leave out"} ${level}`} onClick={() => setOut(out.includes(level) ? out.filter((each) => each !== level) : [...out, level])}>
              {out.includes(level) ? "keep" : "leave out"}
            </button>
          </li>
        ))}
      </ol>
      <label class="tick">
        <input type="checkbox" checked={meant} onChange={() => setMeant(!meant)} /> From low to high: the order means something (ordinal)
      </label>
      {out.length ? <p class="faint">Values left out count as unknown.</p> : null}
      <div class="tools">
        <button type="button" disabled={!changed || kept.length < 2} onClick={use}>
          Use these levels
        </button>
        <button type="button" disabled={same.length < 2} onClick={() => merge(column.name, same)}>
          {same.length < 2 ? "The chosen levels are one" : `The ${same.length} chosen levels are one: ${same[0]}`}
        </button>
      </div>
    </fieldset>
  );
}

function values(column: Json): string {
  const dates = column.numeric?.shown;
  if (dates?.min) return `${dates.min} to ${dates.max}, median ${dates.median ?? "–"}`;
  if (column.numeric) return `${number(column.numeric.min)} to ${number(column.numeric.max)}, median ${number(column.numeric.median)}`;
  if (!column.levels.length) return "";
  const shown = column.levels.slice(0, 6).map((each: Json) => `${each.level} (${number(each.count)})`);
  return shown.join(", ") + (column.n_levels > shown.length ? ` and ${column.n_levels - shown.length} more` : "");
}

