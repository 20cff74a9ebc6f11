// Screen 1: one question, the findings beside it, the columns and why they were read as they were, the rows.
import { useEffect } from "preact/hooks";
import { ask, type Json } from "../api";
import { go, param, params, selection, show, table } from "../state";
import { Columns, merge, reread, useUndo, where } from "./columns";
import { Reading } from "./reading";
import { Link, Title, Trouble, Waiting, number, percent, said, useAnswer } from "../ui";

export function TableScreen() {
  useUndo();
  // What is known once the table is read comes first; the figures of a large table take their time.
  const read = useAnswer(table.value ? { table: table.value } : null, (asked) => ask("columns", asked));
  const known = read.value;
  const guessed = known?.guess?.name;
  const target = known?.target ?? null;
  const guessing = !target && !!guessed;
  useEffect(() => {
    // The guess is taken at once: what leaks shows only beside a target.
    if (known && !read.busy && guessing) go("table", { target: guessed }, { replace: true });
    else if (known && !read.busy) show(known.command);
  }, [known, read.busy]);
  const found = useAnswer(known && !read.busy && !guessing ? { table: table.value } : null, (asked) => ask("card", asked));
  const answer = found.busy || read.busy ? null : found.value;
  if (!known) return read.said ? <Unread said={read.said} /> : <Waiting>Reading the table …</Waiting>;
  const columns: Json[] = answer?.columns ?? known.columns;
  const choices = columns.filter((column: Json) => column.role !== "ignored" && column.role !== "weight" && column.kind !== "text");
  const asked = target ?? guessed;
  const classes = answer?.card.target?.classes ?? [];
  return (
    <>
      <Title>
        {known.source} <small>{said(known.rows, "row")}, {said(columns.length, "column")}</small>
      </Title>
      <Trouble said={read.said || found.said} />
      <div class="columns">
        <form
          class="question"
          onSubmit={(event: Event) => {
            event.preventDefault();
            go("compare", { target: new FormData(event.target as HTMLFormElement).get("target") as string, sel: null });
          }}
        >
          <label>
            <strong>Which column do you want to predict?</strong>
            <select name="target" key={asked ?? ""} defaultValue={asked ?? ""} onChange={(event: Event) => reread({ target: (event.target as HTMLSelectElement).value })}>
              {asked ? null : <option value="">– choose –</option>}
              {choices.map((column: Json) => (
                <option key={column.name} value={column.name} selected={column.name === asked}>
                  {column.name} ({column.kind})
                </option>
              ))}
            </select>
          </label>
          {known.guess?.name === asked ? (
            <p class="faint">
              Suggested: {known.guess.name}, since {known.guess.why}.
            </p>
          ) : null}
          <button type="submit" class="main" disabled={!asked}>
            Compare learners
          </button>
          {classes.length ? <p class="faint">Classes: {classes.slice(0, 8).map((each: Json) => `${each.level} ${percent(each.share)}`).join(", ")}</p> : null}
        </form>
        {answer ? <Findings card={answer.card} columns={columns} placeholders={answer.placeholders} /> : found.said ? null : <Waiting>Looking it over …</Waiting>}
      </div>
      <Reading />
      <Columns columns={columns} idle={known.idle} busy={read.busy} />
      <Rows columns={columns} />
    </>
  );
}

function Unread({ said }: { said: string }) {
  return (
    <>
      <Title>The table could not be read</Title>
      <Trouble said={said} />
      <Reading open />
      <p>
        <Link to="" fresh>
          Open another
        </Link>
      </p>
    </>
  );
}

function Findings({ card, columns, placeholders }: { card: Json; columns: Json[]; placeholders: Record<string, string> }) {
  const alike = new Set<string>();
  const every = [...card.findings, ...card.notes].filter((each: Json) => each.level === "warning");
  const notes = [...card.findings, ...card.notes].filter((each: Json) => each.level !== "warning");
  return (
    <section class="findings" aria-label="Findings">
      <h2>{every.length ? said(every.length, "finding") : "Nothing odd was found"}</h2>
      <ul>
        {every.map((each: Json, at: number) => (
          <li key={at}>
            <span class="badge">!</span> {each.text} {where(each)}{" "}
            {each.code === "alike-levels" && !alike.has(each.column)
              ? (alike.add(each.column), columns.find((column) => column.name === each.column)?.alike ?? []).map((group: string[]) => (
                  <button key={group[0]} type="button" onClick={() => merge(each.column, group)}>
                    Read {group.slice(1).join(", ")} as {group[0]}
                  </button>
                ))
              : null}
            {each.code === "placeholder" && placeholders[each.column] ? (
              <button type="button" onClick={() => reread({ missing: [...new Set([...params("missing"), placeholders[each.column]!])] })}>
                Read {placeholders[each.column]} as missing
              </button>
            ) : null}{" "}
            {each.code === "alike-levels" ? null : each.column && each.column !== card.target?.name && !params("ignore").includes(each.column) ? (
              <button type="button" onClick={() => reread({ ignore: [...params("ignore"), each.column] })}>
                Ignore {each.column}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {notes.length ? (
        <details>
          <summary>{said(notes.length, "note")} on how it was read</summary>
          <ul>
            {notes.map((each: Json, at: number) => (
              <li key={at}>
                {each.text} <small>{where(each)}</small>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

const PAGE = 50;

function Rows({ columns }: { columns: Json[] }) {
  const page = Number(param("page") ?? 0);
  const sort = param("sort");
  const down = param("down") !== null;
  const asked = table.value && { table: table.value, offset: page * PAGE, count: PAGE, sort, down, selection: selection.value?.rows ?? null };
  const found = useAnswer(asked, (each) => ask("rows", each));
  const answer = found.value;
  const numeric = new Set(columns.filter((column) => column.kind === "numeric").map((column) => column.name));
  if (!answer) return found.said ? <Trouble said={found.said} /> : <Waiting>Looking up rows …</Waiting>;
  const pages = Math.max(Math.ceil(answer.total / PAGE), 1);
  return (
    <section aria-label="Rows">
      <h2>
        {selection.value ? `${said(answer.total, "selected row")} of ${number(answer.of)}` : said(answer.of, "row")}
      </h2>
      <Trouble said={found.said} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of rows">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col" class="num">row</th>
              {answer.columns.map((name: string) => (
                <th key={name} scope="col" aria-sort={sort === name ? (down ? "descending" : "ascending") : "none"}>
                  <button type="button" class="plain" onClick={() => go("table", { sort: name, down: sort === name && !down, page: null })}>
                    {name}
                    {sort === name ? (down ? " ▼" : " ▲") : ""}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row: Json[], at: number) => (
              <tr key={answer.positions[at]}>
                <th scope="row" class="num">
                  <Link to="row" patch={{ row: answer.positions[at], changed: null }}>
                    {answer.positions[at] + 1}
                  </Link>
                </th>
                {row.map((cell, place) => (
                  <td key={place} class={numeric.has(answer.columns[place]) ? "num" : ""}>
                    {cell === null ? <span class="faint">?</span> : typeof cell === "number" ? number(cell, 8) : String(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {answer.more_columns ? <p class="faint">{said(answer.more_columns, "more column")} not shown.</p> : null}
      <nav class="tools" aria-label="Pages of rows">
        <button type="button" disabled={page === 0} onClick={() => go("table", { page: page - 1 || null })}>
          Earlier
        </button>
        <span>
          Page {number(page + 1)} of {number(pages)}
        </span>
        <button type="button" disabled={page + 1 >= pages} onClick={() => go("table", { page: page + 1 })}>
          Later
        </button>
      </nav>
    </section>
  );
}
