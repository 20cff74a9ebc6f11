// The state of the page is its address: back, reload and a link to oneself give the same again.
import { computed, effect, signal } from "@preact/signals";
import type { Command, Json } from "./api";

export const SCREENS = ["table", "compare", "model", "errors", "row", "groups", "keep"] as const;
export type Screen = "" | (typeof SCREENS)[number];

type Route = { screen: Screen; params: URLSearchParams };

function here(): Route {
  return { screen: location.pathname.slice(1) as Screen, params: new URLSearchParams(location.search) };
}

export const route = signal<Route>(here());
addEventListener("popstate", () => (route.value = here()));

type Patch = Record<string, string | string[] | number | boolean | null | undefined>;

export function address(screen: Screen, patch: Patch = {}, from: URLSearchParams = route.value.params): string {
  const params = new URLSearchParams(from);
  for (const [name, value] of Object.entries(patch)) {
    params.delete(name);
    if (value === null || value === undefined || value === "" || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
  }
  const text = params.toString();
  return `/${screen}${text ? `?${text}` : ""}`;
}

export function go(screen: Screen, patch: Patch = {}, { replace = false, fresh = false } = {}): void {
  const to = address(screen, patch, fresh ? new URLSearchParams() : route.value.params);
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  const moved = route.value.screen !== screen;
  route.value = here();
  if (moved) {
    scrollTo(0, 0);
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main h1")?.focus());
  }
}

// What moves with a slider goes into the address once it has come to rest: browsers bear few changes of it a second.
export function atRest(screen: Screen, patch: Patch): () => void {
  const rest = setTimeout(() => {
    const said = Object.entries(patch).some(([name, value]) => (param(name) ?? "") !== String(value ?? ""));
    if (said && route.value.screen === screen) go(screen, patch, { replace: true });
  }, 300);
  return () => clearTimeout(rest);
}

// -- what there is --------------------------------------------------------------------------------

export const start = signal<Json>(null);

export const param = (name: string): string | null => route.value.params.get(name);
export const params = (name: string): string[] => route.value.params.getAll(name);

export const sourceName = computed(() => param("dataset") ?? param("file") ?? param("uploadName") ?? param("databaseName") ?? "");

// Where the table is, as the server knows it: by number, never by a path.
export const source = computed<Json | null>(() => {
  const dataset = param("dataset");
  if (dataset) return { dataset };
  if (!start.value) return null;
  // Numbers are of one start of the studio: an address kept from another names nothing here.
  const upload = Number(param("upload") ?? NaN);
  if (start.value.uploads.some((file: Json) => file.number === upload)) return { upload };
  const database = Number(param("database") ?? NaN);
  if (start.value.databases?.some((each: Json) => each.number === database)) return { database };
  const name = param("file");
  if (!name) return null;
  const found = [...start.value.tables, ...start.value.models].find((file: Json) => file.name === name);
  return found ? { file: found.number } : null;
});

export const isModelFile = computed(() => (param("file") ?? param("uploadName") ?? "").toLowerCase().endsWith(".acm"));

export const kinds = computed<Record<string, string>>(() => {
  const made: Record<string, string> = {};
  for (const text of params("kind")) {
    const at = text.lastIndexOf(":");
    if (at > 0) made[text.slice(0, at)] = text.slice(at + 1);
  }
  return made;
});

// Levels in an order that was given, by column; each entry of the address is [name, [level, ...]].
export const levels = computed<Record<string, string[]>>(() => {
  const made: Record<string, string[]> = {};
  for (const text of params("levels")) {
    try {
      const [name, order] = JSON.parse(text);
      if (typeof name === "string" && Array.isArray(order)) made[name] = order.map(String);
    } catch {
      // An address that was cut off: as if it had not been said.
    }
  }
  return made;
});

// Levels that are one, called as the first is; each entry of the address is [name, [level, ...]], and a name may come again.
export const merges = computed<[string, string[]][]>(() => {
  const made: [string, string[]][] = [];
  for (const text of params("merge")) {
    try {
      const [name, group] = JSON.parse(text);
      if (typeof name === "string" && Array.isArray(group) && group.length > 1) made.push([name, group.map(String)]);
    } catch {
      // An address that was cut off: as if it had not been said.
    }
  }
  return made;
});

// How the file is written down, where a person has said it: by the names that commands have for it.
export const WRITTEN = ["delimiter", "decimal", "quote", "comment", "header", "encoding", "format", "widths", "skip", "sheet", "ragged", "date_order"] as const;
// All that says how a table is read.
export const READING = ["target", "kind", "levels", "ignore", "weight", "missing", "known", "merge", "date_parts", ...WRITTEN] as const;

// "nothing" stands for an empty text, which an address cannot keep.
const WORDS: Record<string, Json> = { header: { yes: true, no: false }, quote: { nothing: "" }, comment: { nothing: "" } };

const written = computed<Json | null>(() => {
  const made: Json = {};
  for (const name of WRITTEN) {
    const text = param(name);
    if (!text) continue;
    made[name] = name === "skip" ? Number(text) : name === "widths" ? text.split(",").map(Number) : (WORDS[name]?.[text] ?? text);
  }
  return Object.keys(made).length ? made : null;
});

export const leveled = (made: Record<string, string[]>): string[] => Object.entries(made).map((each) => JSON.stringify(each));

// The table as it is asked for; null while nobody knows where it is.
export const table = computed<Json | null>(() => {
  if (!source.value || isModelFile.value) return null;
  const made: Json = { source: source.value };
  if (param("target")) made.target = param("target");
  if (Object.keys(kinds.value).length) made.kinds = kinds.value;
  if (Object.keys(levels.value).length) made.levels = levels.value;
  if (params("ignore").length) made.ignore = params("ignore");
  if (params("missing").length) made.missing = params("missing");
  for (const name of ["known", "date_parts"]) if (params(name).length) made[name] = params(name);
  if (merges.value.length) made.merge = merges.value;
  if (written.value) made.written = written.value;
  for (const name of ["weight", "query"]) if (param(name)) made[name] = param(name);
  return made;
});

const whole = (name: string): number | undefined => (param(name) ? Number(param(name)) : undefined);

// The comparison that the address asks for.
export const run = computed<Json | null>(() => {
  if (!table.value) return null;
  const made: Json = { table: table.value };
  if (params("learners").length) made.learners = params("learners");
  else made.suite = param("suite") ?? "usual";
  for (const name of ["folds", "repeats", "seed"]) if (whole(name) !== undefined) made[name] = whole(name);
  for (const name of ["measure", "time"]) if (param(name)) made[name] = param(name);
  return made;
});

export const learner = computed(() => param("learner"));

// Rules as a person wants them: numbers of rules as learned, a number with another text, or a text more. They are of one
// model, and fall away where the address comes to say another.
export type Item = number | string | [number, string];
type RuleEdits = { of: number; items: Item[] };

export const modelSaid = computed(() =>
  JSON.stringify([sourceName.value, learner.value, ...READING.map((name) => params(name))]),
);

export const ruleEdits = computed<RuleEdits | null>(() => {
  try {
    const found = JSON.parse(param("rules") ?? "null");
    return found && found.model === modelSaid.value ? { of: found.of, items: found.items } : null;
  } catch {
    return null;
  }
});

export function setRuleEdits(made: RuleEdits | null): void {
  go("model", { rules: made ? JSON.stringify({ model: modelSaid.value, ...made }) : null, sel: null });
}

// What is done to the shapes of a model file, by attribute; of a learner that is learned here it is a parameter.
export const shapeEdits = computed<Record<string, Json> | null>(() => {
  try {
    const found = JSON.parse(param("shapes") ?? "null");
    return found && found.model === modelSaid.value ? found.changes : null;
  } catch {
    return null;
  }
});

export function setShapeEdits(changes: Record<string, Json>): void {
  go("model", { shapes: Object.keys(changes).length ? JSON.stringify({ model: modelSaid.value, changes }) : null });
}

// The rows that a model file is looked at with: a file, a built-in table, one that was dropped; by name, as in the address.
export const rowsOf = computed<{ name: string; table: Json } | null>(() => {
  const found = /^(file|dataset|upload):(.*)$/s.exec(param("on") ?? "");
  if (!found || !start.value || !isModelFile.value) return null;
  const [, kind, name] = found as unknown as [string, string, string];
  if (kind === "dataset") return { name, table: { source: { dataset: name } } };
  const among: Json[] = kind === "file" ? start.value.tables : start.value.uploads;
  const one = among.find((each) => each.name === name);
  return one ? { name, table: { source: { [kind]: one.number } } } : null;
});

export const model = computed<Json | null>(() => {
  const rules = ruleEdits.value ? { rules: ruleEdits.value } : shapeEdits.value ? { shapes: shapeEdits.value } : {};
  if (isModelFile.value) return source.value ? { source: source.value, model_file: true, ...rules } : null;
  return table.value && learner.value ? { table: table.value, learner: learner.value, ...rules } : null;
});

// What is judged on the screen of errors: one learner, or two, each row tested once.
export function errorsRun(probabilistic: boolean): Json | null {
  if (!table.value || !learner.value) return null;
  const learners = [learner.value, ...(param("b") ? [param("b")] : [])];
  const made: Json = { table: table.value, learners, folds: whole("folds") ?? 10, repeats: 1 };
  if (whole("seed") !== undefined) made.seed = whole("seed");
  if (probabilistic) made.measure = "brier";
  return made;
}

// -- selection ------------------------------------------------------------------------------------

export type Selection = { said: string; rows: Json; among?: Json; amongSaid?: string };

export const selection = computed<Selection | null>(() => {
  const text = param("sel");
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
});

// What of a model is selected: a node, a rule, a machine; nothing where the selection is of another model.
export function chosenOf(kind: "node" | "rule" | "support", of: Json): Json | null {
  const found = (selection.value?.rows as Json)?.[kind];
  return found && JSON.stringify(found.model) === JSON.stringify(of) ? found : null;
}

export function select(made: Selection | null): void {
  go(route.value.screen, { sel: made ? JSON.stringify(made) : null, page: null });
}

// -- commands -------------------------------------------------------------------------------------

export const command = signal<Command | null>(null);

const LOG = "acumen-history";
export const log = signal<(Command & { dropped?: string | null })[]>(JSON.parse(sessionStorage.getItem(LOG) ?? "[]"));

export function show(made: Command | null | undefined): void {
  command.value = made ?? null;
  if (!made || log.value.some((each) => each.cli === made.cli && each.python === made.python)) return;
  log.value = [...log.value, { ...made, dropped: param("uploadName") }].slice(-200);
}

effect(() => sessionStorage.setItem(LOG, JSON.stringify(log.value)));

// -- saying things --------------------------------------------------------------------------------

export const news = signal("");
export const trouble = signal("");

export function fail(error: unknown): void {
  trouble.value = error instanceof Error ? error.message : String(error);
}
