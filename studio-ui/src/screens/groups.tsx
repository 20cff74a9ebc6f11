// Screen 6: groups of rows, how many there are, what is typical of each; and, below, what occurs together.
import { ask, type Json } from "../api";
import { go, param, select, selection, table } from "../state";
import { Drawing, Title, Trouble, number, said, useAnswer } from "../ui";
import { Baskets } from "./baskets";
import { AtWork, useJob } from "./jobs";

export function Groups() {
  return (
    <>
      <Title>Groups and baskets</Title>
      <Clusters />
      <Baskets />
    </>
  );
}

function Clusters() {
  const learner = param("groups");
  const k = param("k");
  const suited = useAnswer(table.value ? { table: table.value } : null, (asked) => ask("groupers", asked));
  const known: Json[] = suited.value?.learners ?? [];
  const cluster: Json | null = learner && table.value ? { table: table.value, learner, ...(k ? { k } : {}) } : null;
  const found = useJob("cluster", cluster ? { cluster } : null);
  const made = found.busy ? null : found.value;
  const value = made?.value;
  const group = (selection.value?.rows as Json)?.group?.group ?? null;
  const choose = (at: number) => select({ said: at < 0 ? "in no cluster" : `in cluster ${at} (${value.groups[at]?.name ?? ""})`, rows: { group: { cluster, group: at } } });
  const taken = known.find((each) => each.kind === (learner ?? "k-means"));
  return (
    <section aria-label="Groups of rows">
      <h2>Groups of rows</h2>
      <form
        class="tools"
        onSubmit={(event: Event) => {
          event.preventDefault();
          const form = new FormData(event.target as HTMLFormElement);
          const chosen = form.get("learner") as string;
          const told = known.find((each) => each.kind === chosen)?.told_k !== false;
          go("groups", { groups: chosen, k: told ? (form.get("k") as string) : null, sel: null });
        }}
      >
        <label>
          Find them by{" "}
          <select name="learner" key={`${learner} ${known.length}`}>
            {(known.length ? known : [{ kind: learner ?? "k-means" }]).map((each) => (
              <option key={each.kind} selected={each.kind === (learner ?? "k-means")}>
                {each.kind}
              </option>
            ))}
          </select>
        </label>
        <label>
          How many <input name="k" key={k ?? ""} size={6} defaultValue={k ?? ""} placeholder="auto" />
        </label>
        <button type="submit">Find groups</button>
      </form>
      {taken ? <p class="faint">{taken.kind}: {taken.summary}</p> : null}
      {suited.value?.left_out.length ? (
        <details>
          <summary>{said(suited.value.left_out.length, "way")} that do not suit this table</summary>
          <dl>
            {suited.value.left_out.map((each: Json) => (
              <>
                <dt key={each.kind}>{each.kind}</dt>
                <dd>{each.why}</dd>
              </>
            ))}
          </dl>
        </details>
      ) : null}
      <Trouble said={found.said || suited.said} />
      <AtWork of={found} first="Looking for groups …" />
      {value ? (
        <>
          <p class="answer">
            {value.choice ? value.choice.sentence : `${said(value.n_groups, "group")}.`}
            {value.choice && value.choice.k === null ? ` ${said(value.n_groups, "group")} taken.` : ""}
            {value.in_no_group ? ` ${said(value.in_no_group, "row")} in none.` : ""}
          </p>
          {made.said
            .filter((line: string) => !value.choice || !line.startsWith(value.choice.sentence))
            .map((line: string) => (
              <p class="faint" key={line}>
                {line}
              </p>
            ))}
          <ul class="cards">
            {value.groups.map((each: Json) => (
              <li key={each.group}>
                <button type="button" aria-pressed={group === each.group} onClick={() => choose(each.group)}>
                  Group {each.group}: {said(each.rows, "row")}
                </button>
                <span>{each.name}</span>
                <details>
                  <summary>What is typical</summary>
                  <ul>
                    {each.traits.slice(0, 8).map((trait: Json, at: number) => (
                      <li key={at}>
                        {trait.condition}: {number(trait.inside, 3)}, elsewhere {number(trait.outside, 3)} (effect {number(trait.effect, 2)})
                      </li>
                    ))}
                  </ul>
                </details>
              </li>
            ))}
            {value.in_no_group ? (
              <li>
                <button type="button" aria-pressed={group === -1} onClick={() => choose(-1)}>
                  In no group: {said(value.in_no_group, "row")}
                </button>
              </li>
            ) : null}
          </ul>
          <div class="columns">
            {made.chosen ? (
              <section aria-label="How many groups">
                <h3>How many groups</h3>
                <p class="faint">Choose another number by its column.</p>
                <Drawing tree={made.chosen} hook="data-k" chosen={made.k} node={(at) => go("groups", { k: at, sel: null })} named={(at) => `${at} groups`} />
              </section>
            ) : null}
            {made.plane ? (
              <section aria-label="Groups in the plane">
                <h3>In the plane in which they differ most</h3>
                <Drawing tree={made.plane} hook="data-group" chosen={group} node={choose} named={(at) => `Group ${at}`} />
              </section>
            ) : null}
            {made.profile ? (
              <section aria-label="Profiles">
                <h3>What is typical of each</h3>
                <Drawing tree={made.profile} />
              </section>
            ) : null}
            {made.own ? (
              <section aria-label="How they were found">
                <h3>How they were found</h3>
                <Drawing tree={made.own} />
              </section>
            ) : null}
          </div>
          {made.rules ? (
            <details>
              <summary>As rules</summary>
              <pre class="description">{made.rules}</pre>
            </details>
          ) : null}
          {k && !value.choice ? (
            <p>
              <button type="button" onClick={() => go("groups", { k: null, sel: null })}>
                How many are there?
              </button>
            </p>
          ) : null}
        </>
      ) : null}
    </section>
  );
}
