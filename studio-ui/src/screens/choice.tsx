// Which learner a screen is about.
import { ask, type Json } from "../api";
import { go, learner, param, params, table, type Screen } from "../state";
import { Link, Trouble, useAnswer } from "../ui";

// What the address says of one learner, and of no other.
const OF_ONE = { threshold: null, prune: null };

export function useSuited(): { value: Json | null; said: string; busy: boolean } {
  return useAnswer(table.value ? { table: table.value } : null, (asked) => ask("suited", asked));
}

export function LearnerChoice({ screen, name = "learner", label = "Learner", none }: { screen: Screen; name?: string; label?: string; none?: string }) {
  const suited = useSuited();
  if (suited.said)
    return (
      <p class="trouble" role="alert">
        {suited.said} <Link to="table">Choose what to predict</Link>.
      </p>
    );
  const now = name === "learner" ? learner.value : param(name);
  const known: string[] = (suited.value?.learners ?? []).map((each: Json) => each.text);
  const every = [...new Set([...known, ...params("learners"), ...(now ? [now] : [])])];
  return (
    <p class="tools">
      <label>
        {label}{" "}
        <select value={now ?? ""} onChange={(event: Event) => go(screen, { [name]: (event.target as HTMLSelectElement).value, ...(name === "learner" ? OF_ONE : {}) })}>
          <option value="">{none ?? "– choose –"}</option>
          {every.map((text) => (
            <option key={text} value={text} selected={text === now}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {suited.busy ? <span class="faint">…</span> : null}
      <Trouble said="" />
    </p>
  );
}
