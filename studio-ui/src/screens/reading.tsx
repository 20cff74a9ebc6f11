// How the file is written down, where it was not found out as meant: the options that every command has for DATA.
import { useState } from "preact/hooks";
import { param, params, start, WRITTEN } from "../state";
import { reread } from "./columns";

type Choices = Record<string, [string, string][]>;

const CHOICES: Choices = {
  encoding: [["utf-8", "UTF-8"], ["cp1252", "Windows, Western (cp1252)"], ["iso-8859-1", "Latin-1"], ["iso-8859-15", "Latin-9, with €"], ["cp1250", "Windows, Central European (cp1250)"], ["cp1251", "Windows, Cyrillic (cp1251)"], ["utf-16", "UTF-16"], ["shift_jis", "Japanese (Shift JIS)"], ["gb18030", "Chinese (GB 18030)"], ["mac_roman", "Mac Roman"]],
  delimiter: [[",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar |"], [" ", "blanks"]],
  decimal: [[".", "point"], [",", "comma"]],
  header: [["yes", "yes"], ["no", "no"]],
  ragged: [["fill", "fill with missing values"], ["drop", "leave them out"]],
  date_order: [["dmy", "day, month, year"], ["mdy", "month, day, year"], ["ymd", "year, month, day"]],
  quote: [["'", "single quotation marks"], ["nothing", "nothing"]],
};

const LABELS: Record<string, string> = {
  encoding: "Encoding",
  delimiter: "Between fields",
  decimal: "Decimal mark",
  header: "The first line holds the names",
  ragged: "Rows too short or too long",
  date_order: "Dates are",
  quote: "Around fields",
  comment: "Comments begin with",
  skip: "Lines above the table",
  sheet: "Sheet of a workbook",
  widths: "Widths of columns (8,10,3)",
  format: "What the file is",
};

const UNSAID: Record<string, string> = { ragged: "refuse them", quote: "double quotation marks, if any" };

export function Reading({ open = false }: { open?: boolean }) {
  // Another state of the address, as Undo makes it, is another form.
  return (
    <details open={open}>
      <summary>How the file is read</summary>
      <Form key={JSON.stringify([...WRITTEN.map(param), params("known")])} />
    </details>
  );
}

function Form() {
  const now = () => Object.fromEntries(WRITTEN.map((name) => [name, param(name) ?? ""]));
  const [made, put] = useState<Record<string, string>>(now);
  const choices: Choices = { ...CHOICES, format: start.value.formats.map((each: string) => [each, each]) };
  const [known, setKnown] = useState(params("known").join(", "));
  const words = known.split(",").map((each) => each.trim()).filter(Boolean);
  const changed = WRITTEN.some((name) => made[name] !== (param(name) ?? "")) || words.join("\n") !== params("known").join("\n");
  const set = (name: string, event: Event) => put({ ...made, [name]: (event.target as HTMLInputElement).value });
  return (
    <form
      class="reading"
      onSubmit={(event: Event) => {
        event.preventDefault();
        reread({ ...made, known: words });
      }}
    >
      {WRITTEN.map((name) => (
        <label key={name}>
          {LABELS[name]}{" "}
          {choices[name] ? (
            <select value={made[name]} onChange={(event: Event) => set(name, event)}>
              <option value="">{UNSAID[name] ?? "as found out"}</option>
              {choices[name]!.map(([value, said]) => (
                <option key={value} value={value} selected={made[name] === value}>
                  {said}
                </option>
              ))}
            </select>
          ) : name === "skip" ? (
            <input type="number" min={0} value={made[name]} onInput={(event: Event) => set(name, event)} />
          ) : (
            <input size={12} maxLength={name === "comment" ? 1 : 200} value={made[name]} onInput={(event: Event) => set(name, event)} />
          )}
        </label>
      ))}
      <label>
        Values although they look missing <input size={16} placeholder="NA, None" value={known} onInput={(event: Event) => setKnown((event.target as HTMLInputElement).value)} />
      </label>
      <button type="submit" disabled={!changed}>
        Read it so
      </button>
    </form>
  );
}
