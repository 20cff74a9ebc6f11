// Keep: what was found as files, each with the command that makes it.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, job, save, upload, view, type Json, type Running } from "../api";
import { isModelFile, learner, model, param, run, show, start, table } from "../state";
import { Title, Trouble, Working, number } from "../ui";
import { LearnerChoice } from "./choice";

export function Keep() {
  const [made, setMade] = useState<Json[]>([]);
  const [said, say] = useState("");
  const [busy, setBusy] = useState("");
  const named = model.value !== null;
  const cluster: Json | null = param("groups") && table.value ? { table: table.value, learner: param("groups"), ...(param("k") ? { k: param("k") } : {}) } : null;

  const running = useRef<Running | null>(null);
  useEffect(() => () => void running.current?.stop(), []);
  const work = (name: string, asked: Json) => (running.current = job(name, asked)).done;

  async function keep(what: string, asked: Json, first?: [string, Json]) {
    setBusy(what);
    say("");
    try {
      if (first) await work(first[0], first[1]);
      const file = await work("keep", { what, ...asked });
      show(file.command);
      setMade((old) => [file, ...old]);
      await save(file);
    } catch (error) {
      say((error as Error).message);
    } finally {
      setBusy("");
    }
  }
  const ofModel = (what: string) => void keep(what, { model: model.value }, ["learn", { model: model.value }]);
  const button = (what: string, words: string, begin: () => void, off = false) => (
    <button key={what} type="button" disabled={busy !== "" || off} onClick={begin}>
      {busy === what ? "Making …" : words}
    </button>
  );
  const again = (then: () => Promise<void>) => () => void then().catch((error) => say((error as Error).message));
  return (
    <>
      <Title>Keep</Title>
      <Trouble said={said} />
      {busy ? <Working stop={() => void running.current?.stop()}>Making it …</Working> : null}
      {table.value ? (
        <section aria-label="Of the table">
          <h2>Of the table</h2>
          <p class="tools">
            {button("card", "Data card (HTML)", () => void keep("card", { table: table.value }))}
            {button("report", "Report of the comparison (HTML)", () => void keep("report", { run: run.value }, ["compare", { run: run.value }]))}
            {cluster ? button("groups", "Model of the groups", () => void keep("groups", { cluster }, ["cluster", { cluster }])) : null}
            {cluster ? button("groups-report", "Report of the groups (HTML)", () => void keep("groups-report", { cluster }, ["cluster", { cluster }])) : null}
          </p>
          <p class="faint">The report is of the comparison as it is set up now; one that is not in memory is made again, which takes its time.</p>
        </section>
      ) : null}
      <section aria-label="Of a model">
        <h2>Of a model</h2>
        {isModelFile.value ? <p>{param("file") ?? param("uploadName")}</p> : <LearnerChoice screen="keep" />}
        <p class="tools">
          {button("model", "Model file", () => ofModel("model"), !named || isModelFile.value)}
          {button("rules", "Rules", () => ofModel("rules"), !named)}
          {button("sql", "SQL", () => ofModel("sql"), !named)}
          {button("python", "Python module", () => ofModel("python"), !named)}
          {button("onnx", "ONNX", () => ofModel("onnx"), !named)}
          {button("pmml", "PMML", () => ofModel("pmml"), !named)}
          {button("svg", "Drawing (SVG)", () => ofModel("svg"), !named)}
        </p>
        <Others busy={busy !== ""} say={say} predict={(rows) => void keep("predictions", { model: model.value, table: rows }, ["learn", { model: model.value }])} making={busy === "predictions"} off={!named} />
        {learner.value || isModelFile.value ? null : <p class="faint">Choose a learner; it is learned from all rows.</p>}
      </section>
      {made.length ? (
        <section aria-live="polite" aria-label="Made">
          <h2>Made</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="Files that were made">
            <table>
              <thead>
                <tr>
                  <th scope="col">File</th>
                  <th scope="col" class="num">Bytes</th>
                  <th scope="col">SHA-256</th>
                  <th scope="col">Command</th>
                </tr>
              </thead>
              <tbody>
                {made.map((file) => (
                  <tr key={file.made}>
                    <th scope="row">
                      {file.name}{" "}
                      <button type="button" class="small" onClick={again(() => save(file))} aria-label={`Save again ${file.name}`}>
                        Save again
                      </button>{" "}
                      {file.page ? (
                        <button type="button" class="small" onClick={again(() => view(file))} aria-label={`Open ${file.name}`}>
                          Open
                        </button>
                      ) : null}
                    </th>
                    <td class="num">{number(file.bytes)}</td>
                    <td>
                      <code class="hash">{file.sha256}</code>
                    </td>
                    <td>
                      <code>{file.command.cli}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="faint">acumen {start.value.version}. Reports and cards need no network; opened, they can neither run nor fetch anything.</p>
        </section>
      ) : null}
    </>
  );
}

// Rows to be predicted: of this table, of a file of the start folder, or of one that is given here.
function Others({ predict, busy, making, off, say }: { predict: (rows: Json) => void; busy: boolean; making: boolean; off: boolean; say: (sentence: string) => void }) {
  const [other, setOther] = useState("");
  const [sent, setSent] = useState<number | null>(null);
  const [kind, text] = other.split(":");
  const rows = other === "" ? table.value : { source: { [kind!]: Number(text) } };
  async function take(file: File | undefined) {
    if (!file) return;
    say("");
    setSent(0);
    try {
      const kept = await upload(file, setSent);
      start.value = await get("/api/start");
      setOther(`upload:${kept.number}`);
    } catch (error) {
      say((error as Error).message);
    } finally {
      setSent(null);
    }
  }
  const choice = (each: Json, of: string) => (
    <option key={`${of}:${each.number}`} value={`${of}:${each.number}`} selected={other === `${of}:${each.number}`}>
      {each.name}
      {of === "upload" ? " (dropped)" : ""}
    </option>
  );
  return (
    <p class="tools">
      <label>
        Predict the rows of{" "}
        <select value={other} onChange={(event: Event) => setOther((event.target as HTMLSelectElement).value)}>
          <option value="">{table.value ? "this table" : "– choose –"}</option>
          {start.value.uploads.filter((each: Json) => !each.name.toLowerCase().endsWith(".acm")).map((each: Json) => choice(each, "upload"))}
          {start.value.tables.map((each: Json) => choice(each, "file"))}
        </select>
      </label>
      <label>
        or of a file <input type="file" onChange={(event: Event) => void take((event.target as HTMLInputElement).files?.[0])} />
      </label>
      {sent !== null ? <progress max={1} value={sent} aria-label="Sent" /> : null}
      <button type="button" disabled={busy || off || !rows || sent !== null} onClick={() => predict(rows)}>
        {making ? "Making …" : "Predictions (CSV)"}
      </button>
    </p>
  );
}
