// What the page asks the server. The key comes behind the # of the printed address, which no server ever sees; it is kept
// for this tab alone and sent in a header.
import { signal } from "@preact/signals";

export type Json = any; // eslint-disable-line
export type Command = { cli: string; python: string };

const KEPT = "acumen-key";

function firstKey(): string | null {
  const found = /^#key=([\w-]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEPT, found[1]!);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT);
}

export const key = signal<string | null>(firstKey());

export function useKey(text: string): boolean {
  const found = /(?:#key=)?([\w-]{20,})\s*$/.exec(text.trim());
  if (!found) return false;
  sessionStorage.setItem(KEPT, found[1]!);
  key.value = found[1]!;
  return true;
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

export class Refused extends Error {
  // `needs` names the job that makes what was asked about.
  constructor(message: string, readonly status: number, readonly needs: string | null = null) {
    super(message);
  }
}

async function send(method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  for (let tries = 0; ; tries++) {
    let answer: Response;
    try {
      answer = await fetch(path, { method, body, headers: { ...headers, Authorization: `Bearer ${key.value ?? ""}` }, cache: "no-store" });
    } catch {
      if (tries < 2 && method !== "PUT") {
        await wait(400);
        continue;
      }
      throw new Refused("The studio does not answer. Is `acumen studio` still running?", 0);
    }
    if (answer.ok) return answer;
    if (answer.status === 503 && tries < 3) {
      await wait(300);
      continue;
    }
    if (answer.status === 401) key.value = null;
    let said: Json = {};
    try {
      said = await answer.json();
    } catch {
      // no sentence came with it
    }
    throw new Refused(said.error ?? `The studio answered ${answer.status}.`, answer.status, said.needs ?? null);
  }
}

const AS_JSON = { "Content-Type": "application/json" };

export async function get(path: string): Promise<Json> {
  return (await send("GET", path)).json();
}

export async function ask(question: string, asked: Json): Promise<Json> {
  const text = JSON.stringify(asked);
  for (let tries = 0; ; tries++) {
    try {
      return await (await send("POST", `/api/ask/${question}`, text, AS_JSON)).json();
    } catch (error) {
      // What a link speaks of may have been made before the studio was started again, or long ago: it is made anew.
      if (!(error instanceof Refused) || !error.needs || tries > 2) throw error;
      const specs = parts(asked, MADE_OF[error.needs] ?? "");
      if (!specs.length) throw error;
      for (const spec of specs) await job(error.needs, { [MADE_OF[error.needs]!]: spec }).done;
    }
  }
}

const MADE_OF: Record<string, string> = { compare: "run", learn: "model", cluster: "cluster" };

// Everything of a name within what is asked, each once.
function parts(value: Json, name: string, found: Map<string, Json> = new Map()): Json[] {
  if (value && typeof value === "object")
    for (const [key, each] of Object.entries(value)) {
      if (key === name && each && typeof each === "object") found.set(JSON.stringify(each), each);
      else parts(each, name, found);
    }
  return [...found.values()];
}

export async function database(address: string): Promise<Json> {
  return (await send("POST", "/api/databases", JSON.stringify({ address }), AS_JSON)).json();
}

// A file that was made, to be saved.
export async function save(file: { made: number; name: string }): Promise<void> {
  download(file.name, "application/octet-stream", await (await send("GET", `/api/made/${file.made}`)).blob());
}

// A report in a tab of its own, at an address that is good for one look and can do nothing.
export async function view(file: { made: number }): Promise<void> {
  const { address } = await (await send("POST", `/api/made/${file.made}`, "{}", AS_JSON)).json();
  window.open(address, "_blank", "noopener");
}

export function upload(file: File, progress: (share: number) => void): Promise<Json> {
  // XMLHttpRequest, since fetch does not tell how far an upload has come.
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("PUT", "/api/upload");
    request.setRequestHeader("Authorization", `Bearer ${key.value ?? ""}`);
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => failed(new Refused("The file could not be sent.", 0));
    request.onload = () => {
      let said: Json = {};
      try {
        said = JSON.parse(request.responseText);
      } catch {
        // no sentence came with it
      }
      if (request.status === 200) done(said);
      else failed(new Refused(said.error ?? `The studio answered ${request.status}.`, request.status));
    };
    request.send(file);
  });
}

export type Running = { done: Promise<Json>; stop: () => Promise<void> };
// Takes a job into one's keeping: it is stopped when nobody waits for it any more.
export type Own = (begun: Running) => Promise<Json>;

export function job(name: string, asked: Json, told: (event: Json) => void = () => {}): Running {
  let number: number | null = null;
  let stopped = false;
  let over = false;
  const stop = async () => {
    stopped = true;
    if (number !== null && !over) await send("DELETE", `/api/jobs/${number}`).catch(() => {});
  };
  const done = (async () => {
    number = (await (await send("POST", "/api/jobs", JSON.stringify({ job: name, ...asked }), AS_JSON)).json()).number;
    if (stopped) await stop();
    let after = 0;
    for (let tries = 0; tries < 6; tries++) {
      try {
        for await (const event of lines(await send("GET", `/api/jobs/${number}?after=${after}`))) {
          if (event.beat) continue;
          after = event.id + 1;
          tries = 0;
          if ("result" in event) return event.result;
          if ("failed" in event) throw new Refused(event.failed, 422);
          if ("stopped" in event) throw new Refused(event.stopped, 499);
          told(event);
        }
      } catch (error) {
        if (error instanceof Refused) throw error;
        await wait(300); // the stream broke: go on where it did
      }
    }
    throw new Refused("The job's news stopped coming. Is `acumen studio` still running?", 0);
  })().finally(() => (over = true));
  return { done, stop };
}

async function* lines(answer: Response): AsyncGenerator<Json> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n");
    rest = parts.pop()!;
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}

export function download(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
