// Rules changed by hand: moved, rewritten, left out, added; what that does on all rows, and on rows left out in turn.
import { useState } from "preact/hooks";
import { job, type Json } from "../api";
import { chosenOf, type Item, modelSaid, news, ruleEdits, select, setRuleEdits, table } from "../state";
import { Trouble, number, said } from "../ui";
import { Change } from "./change";

// What was wanted before, by the model that it is of: Undo goes back through it.
const before = new Map<string, (Item[] | null)[]>();

export function Rules({ answer, asked }: { answer: Json; asked: Json }) {
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState<number | null>(null);
  const [trouble, say] = useState("");
  const edited = ruleEdits.value;
  const past = before.get(modelSaid.value) ?? before.set(modelSaid.value, []).get(modelSaid.value)!;
  const n: number = edited?.of ?? answer.n_rules;
  const items: Item[] = edited?.items ?? answer.rules.map((_: Json, place: number) => place + 1);
  const at = chosenOf("rule", asked)?.rule ?? null;
  const { rules: _, ...base } = asked;
  const more = answer.n_rules - answer.rules.length;

  async function change(made: Item[], words: string) {
    say("");
    const same = made.length === Math.min(n, answer.rules.length + more) && made.every((item, place) => item === place + 1);
    const next = same ? null : { of: n, items: made };
    setBusy(true);
    try {
      if (next) await job("learn", { model: { ...base, rules: next } }).done; // or it is said what is wrong with it
      past.push(edited?.items ?? null);
      setOpen(null);
      setRuleEdits(next);
      news.value = words;
    } catch (error) {
      say((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  function undo() {
    const last = past.pop();
    setRuleEdits(last ? { of: n, items: last } : null);
    news.value = "The last change is taken back.";
  }

  const moved = (from: number, to: number) => {
    const made = [...items];
    made.splice(to, 0, ...made.splice(from, 1));
    return made;
  };
  const rewritten = (place: number, text: string): Item[] => {
    const old = items[place]!;
    const first = typeof old === "number" ? old : Array.isArray(old) ? old[0] : null;
    return items.map((item, where) => (where === place ? (first === null ? text : [first, text]) : item));
  };
  const mark = (item: Item): string => (typeof item === "number" ? "" : Array.isArray(item) ? "rewritten" : "added");
  return (
    <section aria-label="Rules">
      <h2>
        {said(answer.n_rules, "rule")} {edited ? <span class="badge">edited by hand</span> : null}
      </h2>
      <p class="faint">
        {answer.ordered ? "The first that holds answers" : "All that hold vote"}; where none does: {answer.otherwise}.
        {more > 0 ? ` ${number(more)} more are not shown.` : ""}
      </p>
      {answer.edits.length ? (
        <ul class="faint">
          {answer.edits.map((text: string, place: number) => (
            <li key={place}>{text}</li>
          ))}
        </ul>
      ) : null}
      <ol class="rules">
        {answer.rules.map((rule: Json, place: number) => (
          <li key={place} class={mark(items[place] ?? 0) ? "touched" : ""}>
            <button type="button" class="plain" aria-pressed={at === place} disabled={!table.value} onClick={() => select({ said: `answered by rule ${place + 1}`, rows: { rule: { model: asked, table: table.value, rule: place } } })}>
              {rule.text}
            </button>{" "}
            {mark(items[place] ?? 0) ? <small>({mark(items[place]!)})</small> : null}
            {answer.changeable && items.length === answer.rules.length ? (
              <span class="acts">
                {answer.ordered ? (
                  <>
                    <button type="button" class="small" disabled={busy || place === 0} aria-label={`Move rule ${place + 1} up`} onClick={() => void change(moved(place, place - 1), `Rule ${place + 1} is now rule ${place}.`)}>
                      ↑
                    </button>
                    <button type="button" class="small" disabled={busy || place === answer.rules.length - 1} aria-label={`Move rule ${place + 1} down`} onClick={() => void change(moved(place, place + 1), `Rule ${place + 1} is now rule ${place + 2}.`)}>
                      ↓
                    </button>
                  </>
                ) : null}
                <button type="button" class="small" disabled={busy} aria-expanded={open === place} aria-label={`Rewrite rule ${place + 1}`} onClick={() => setOpen(open === place ? null : place)}>
                  rewrite
                </button>
                <button type="button" class="small" disabled={busy || answer.rules.length < 2} aria-label={`Leave out rule ${place + 1}`} onClick={() => void change(items.filter((_, where) => where !== place), `Rule ${place + 1} is left out.`)}>
                  leave out
                </button>
              </span>
            ) : null}
            {open === place ? <Text label={`Rule ${place + 1}`} start={rule.bare} busy={busy} done={(text) => void change(rewritten(place, text), `Rule ${place + 1} is rewritten.`)} /> : null}
          </li>
        ))}
      </ol>
      <p class="tools">
        {answer.changeable && items.length === answer.rules.length ? (
          <button type="button" disabled={busy} aria-expanded={open === -1} onClick={() => setOpen(open === -1 ? null : -1)}>
            Add a rule
          </button>
        ) : null}
        {edited ? (
          <>
            <button type="button" disabled={busy || past.length === 0} onClick={undo}>
              Undo
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() => {
                past.push(edited.items);
                setRuleEdits(null);
              }}
            >
              As learned
            </button>
          </>
        ) : null}
        {busy ? <span role="status">changing …</span> : null}
      </p>
      {open === -1 ? <Text label="A rule more, which comes first" start="if  then " busy={busy} done={(text) => void change([text, ...items], "A rule is added.")} /> : null}
      <Trouble said={trouble} />
      {edited ? <Change asked={asked} /> : null}
    </section>
  );
}

function Text({ label, start, busy, done }: { label: string; start: string; busy: boolean; done: (text: string) => void }) {
  return (
    <form
      class="tools"
      onSubmit={(event: Event) => {
        event.preventDefault();
        const text = String(new FormData(event.target as HTMLFormElement).get("rule") ?? "").trim();
        if (text) done(text);
      }}
    >
      <label class="wide">
        {label} <input name="rule" defaultValue={start} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" disabled={busy}>
        Use it
      </button>
    </form>
  );
}
