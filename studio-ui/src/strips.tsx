// The two strips: what is selected, and the command of what is shown.
import { useState } from "preact/hooks";
import { ask, download, save } from "./api";
import { command, fail, log, news, select, selection, table } from "./state";
import { said, useAnswer } from "./ui";

export function SelectionStrip() {
  const chosen = selection.value;
  const found = useAnswer(chosen && table.value ? { table: table.value, selection: chosen.rows, among: chosen.among ?? null } : null, (asked) => ask("profile", asked));
  // How many is known at once; what sets them apart takes its time where there are many rows.
  const counted = useAnswer(chosen && table.value ? { table: table.value, selection: chosen.rows, count: 1 } : null, (asked) => ask("rows", asked));
  const [kept, keep] = useState<typeof chosen>(null);
  if (!chosen || !table.value)
    return (
      <section class="strip faint" aria-label="Selection">
        Nothing is selected: cells of a confusion, nodes, rules, groups and items select their rows.
      </section>
    );
  const asCsv = () => ask("csv", { table: table.value, selection: chosen.rows }).then(save).catch(fail);
  return (
    <section class="strip chosen" aria-label="Selection">
      <strong>{counted.value && !counted.busy ? said(counted.value.total, "row") : counted.said ? "?" : "…"}</strong>
      <span>{chosen.said}</span>
      <button type="button" onClick={() => select({ said: `not (${chosen.said})`, rows: { not: chosen.rows } })}>
        Invert
      </button>
      {kept && kept.said !== chosen.said ? (
        <button type="button" onClick={() => select({ said: `${kept.said}, and ${chosen.said}`, rows: { and: [kept.rows, chosen.rows] } })}>
          And “{kept.said}”
        </button>
      ) : (
        <button type="button" onClick={() => keep(chosen)} aria-pressed={kept?.said === chosen.said}>
          And …
        </button>
      )}
      <button type="button" onClick={asCsv}>
        As CSV
      </button>
      <button type="button" onClick={() => select(null)} aria-label="Select nothing">
        ×
      </button>
      {found.said ? <span class="trouble">{found.said}</span> : null}
      {found.value?.traits?.length && !found.busy ? (
        <details>
          <summary>
            What sets them apart{chosen.amongSaid ? ` from other rows that are ${chosen.amongSaid}` : ""}
          </summary>
          <ul>
            {found.value.traits.map((trait: any) => (
              <li key={trait.text}>{trait.text}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

export function CommandStrip() {
  const [form, setForm] = useState<"cli" | "python">("cli");
  const [open, setOpen] = useState(false);
  const shown = command.value?.[form] ?? "";
  const copy = (text: string) => navigator.clipboard.writeText(text).then(() => (news.value = "Copied."), fail);
  const dropped = [...new Set(log.value.map((each) => each.dropped).filter(Boolean))];
  const about = ["What was shown, in order; run it in the folder of the tables.", ...dropped.map((name) => `${JSON.stringify(name)} was dropped on the page: copy it there first.`)].map((line) => `# ${line}\n`).join("");
  const script = (which: "cli" | "python") =>
    which === "cli" ? `#!/bin/sh\n${about}set -e\n${log.value.map((each) => each.cli).join("\n")}\n` : `${about}${log.value.map((each) => each.python).join("\n")}`;
  return (
    <footer class="strip command" aria-label="Command">
      <div role="group" aria-label="Form of the command">
        <button type="button" aria-pressed={form === "cli"} onClick={() => setForm("cli")}>
          Command line
        </button>
        <button type="button" aria-pressed={form === "python"} onClick={() => setForm("python")}>
          Python
        </button>
      </div>
      <pre tabIndex={0} aria-label="The command of what is shown">
        {shown || "The command for what you see appears here."}
      </pre>
      <button type="button" disabled={!shown} onClick={() => copy(shown)}>
        Copy
      </button>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        History ({log.value.length})
      </button>
      {open ? (
        <div class="history">
          <p>
            <button type="button" onClick={() => download("session.sh", "text/x-shellscript", script("cli"))}>
              Download as a script
            </button>{" "}
            <button type="button" onClick={() => download("session.py", "text/x-python", script("python"))}>
              Download as Python
            </button>{" "}
            <button type="button" onClick={() => (log.value = [])}>
              Empty
            </button>
          </p>
          <ol>
            {log.value.map((each, at) => (
              <li key={at}>
                <code>{each[form]}</code>
              </li>
            ))}
          </ol>
        </div>
      ) : null}
    </footer>
  );
}
