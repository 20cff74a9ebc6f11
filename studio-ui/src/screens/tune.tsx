// Parameters of a learner tried, as `acumen tune` tries them.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, job, type Json, type Running } from "../api";
import { go, params, show, table } from "../state";
import { Trouble, number, useAnswer } from "../ui";

export function Tune({ learners }: { learners: Json[] }) {
  const [kind, setKind] = useState("");
  const about = useAnswer(kind ? { learner: kind } : null, (asked) => ask("learner", asked));
  const [found, setFound] = useState<Json | null>(null);
  const [said, say] = useState("");
  const [busy, setBusy] = useState(false);
  const running = useRef<Running | null>(null);
  useEffect(() => () => void running.current?.stop(), []);

  async function begin(event: Event) {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const grid = String(form.get("grid") ?? "").trim();
    if (!grid) return say("Enter the values to try, such as confidence_factor=0.1,0.25,0.5.");
    say("");
    setBusy(true);
    try {
      running.current = job("tune", { table: table.value, learner: kind, grids: grid.split(/\s+/), folds: 10 });
      const made = await running.current.done;
      setFound(made);
      show(made.command);
    } catch (error) {
      say((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <details class="tune">
      <summary>Tune one learner</summary>
      <form class="tools" onSubmit={(event: Event) => void begin(event)}>
        <label>
          Learner{" "}
          <select value={kind} onChange={(event: Event) => (setKind((event.target as HTMLSelectElement).value), setFound(null))}>
            <option value="">– choose –</option>
            {[...new Set(learners.map((each) => each.kind))].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Values <input name="grid" size={36} placeholder="confidence_factor=0.1,0.25,0.5 min_samples_leaf=2,5" />
        </label>
        <button type="submit" disabled={!kind || busy}>
          {busy ? "Trying …" : "Try all"}
        </button>
        {busy ? (
          <button type="button" onClick={() => void running.current?.stop()}>
            Stop
          </button>
        ) : null}
      </form>
      <Trouble said={said} />
      {about.value ? (
        <details>
          <summary>Parameters of {about.value.name}</summary>
          <dl>
            {about.value.parameters.map((each: Json) => [
              <dt key={each.name}>
                {each.name} = {String(each.default)}
              </dt>,
              <dd key={`${each.name}!`}>
                {each.may_be}. {each.meaning}
              </dd>,
            ])}
          </dl>
        </details>
      ) : null}
      {found ? (
        <>
          <table>
            <caption>
              {found.value.measure} by {found.value.method}
            </caption>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col" class="num">{found.value.measure}</th>
                <th scope="col" class="num">± s.e.</th>
              </tr>
            </thead>
            <tbody>
              {found.value.settings.map((each: Json, at: number) => (
                <tr key={at} class={at === found.value.chosen ? "best" : ""}>
                  <th scope="row">
                    {words(each.parameters)} {at === found.value.chosen ? <span class="badge good">taken</span> : null}
                  </th>
                  <td class="num">{number(each.mean)}</td>
                  <td class="num">{number(each.standard_error, 2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            <button
              type="button"
              onClick={() => {
                const text = `${found.value.learner}(${Object.entries(found.value.parameters).map(([name, value]) => `${name}=${value}`).join(", ")})`;
                const usual = learners.filter((each) => each.ticked).map((each) => each.text);
                go("compare", { learners: [...new Set([...(params("learners").length ? params("learners") : usual), text])], go: null });
              }}
            >
              Compare it with the others
            </button>{" "}
            <span class="faint">Its score is optimistic because it was used to choose it.</span>
          </p>
        </>
      ) : null}
    </details>
  );
}

function words(settings: Record<string, unknown>): string {
  return Object.entries(settings).map(([name, value]) => `${name} = ${value}`).join(", ") || "as usual";
}
