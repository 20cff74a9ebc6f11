// What a learner answers over two columns of numbers: the same learner, learned from these two alone.
import { useEffect, useState } from "preact/hooks";
import { job, type Json } from "../api";
import { go, param, show } from "../state";
import { Drawing, Trouble } from "../ui";

function axes(columns: string[]): [string, string] {
  const [across, up] = [param("across"), param("up")];
  return across && up && across !== up && columns.includes(across) && columns.includes(up) ? [across, up] : [columns[0]!, columns[1]!];
}

export function Plane({ columns, asked, open: first }: { columns: string[]; asked: Json; open: boolean }) {
  // The two columns are in the address once a person has chosen them.
  const [x, y] = axes(columns);
  const setAxes = ([across, up]: [string, string]) => go("model", { across, up }, { replace: true });
  const [open, setOpen] = useState(first || param("across") !== null);
  const [machine, setMachine] = useState(0);
  const [found, setFound] = useState<Json | null>(null);
  const [trouble, say] = useState("");
  useEffect(() => {
    if (!open) return;
    say("");
    let current = true;
    const running = job("plane", { model: asked, x, y, machine });
    running.done.then(
      (made) => {
        if (!current) return;
        setFound(made);
        if (!first) show(made.command);
      },
      (error) => current && say(error.message),
    );
    return () => {
      current = false;
      void running.stop();
    };
  }, [open, x, y, machine]);
  const axis = (label: string, value: string, other: string, put: (name: string) => void) => (
    <label>
      {label}{" "}
      <select value={value} onChange={(event: Event) => put((event.target as HTMLSelectElement).value)}>
        {columns
          .filter((each) => each !== other)
          .map((each) => (
            <option key={each} value={each} selected={each === value}>
              {each}
            </option>
          ))}
      </select>
    </label>
  );
  return (
    <details open={open} onToggle={(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>Over two columns</summary>
      <p class="faint">The same learner, learned from these two columns alone: which class it says where.</p>
      <div class="tools">
        {axis("Across", x, y, (name) => setAxes([name, y]))}
        {axis("Up", y, x, (name) => setAxes([x, name]))}
        {found?.machines > 1 ? (
          <label>
            Machine{" "}
            <select value={machine} onChange={(event: Event) => setMachine(Number((event.target as HTMLSelectElement).value))}>
              {Array.from({ length: found!.machines }, (_, at) => (
                <option key={at} value={at} selected={at === machine}>
                  {at + 1}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      <Trouble said={trouble} />
      {found ? <Drawing tree={found.svg} /> : open && !trouble ? <p role="status">Learning from two columns …</p> : null}
    </details>
  );
}
