// The first screen: a place to drop a file, the files that are here, the built-in tables.
import { useState } from "preact/hooks";
import { database, get, upload, type Json } from "../api";
import { go, show, start } from "../state";
import { Link, Title, Trouble, number } from "../ui";

export function Start() {
  const { tables, models, datasets, uploads, folder, databases, most_upload } = start.value;
  const [over, setOver] = useState(false);
  const [sent, setSent] = useState<number | null>(null);
  const [said, say] = useState("");
  show(null);

  async function take(file: File | undefined) {
    if (!file) return;
    say("");
    if (file.size > most_upload) return say(`${file.name} is larger than the ${number(most_upload)} bytes that may be dropped here; start the studio in its folder instead.`);
    setSent(0);
    try {
      const kept = await upload(file, setSent);
      start.value = await get("/api/start");
      go(kept.name.toLowerCase().endsWith(".acm") ? "model" : "table", { upload: kept.number, uploadName: kept.name }, { fresh: true });
    } catch (error) {
      say((error as Error).message);
    } finally {
      setSent(null);
    }
  }

  return (
    <>
      <Title>Open a table</Title>
      <label
        class={`drop ${over ? "over" : ""}`}
        onDragOver={(event: DragEvent) => (event.preventDefault(), setOver(true))}
        onDragLeave={() => setOver(false)}
        onDrop={(event: DragEvent) => (event.preventDefault(), setOver(false), void take(event.dataTransfer?.files[0]))}
      >
        <span>
          <strong>Drop a file here</strong>, or choose one: CSV, ARFF, Parquet, Excel, JSON lines …, or a model (.acm).
        </span>
        <input type="file" onChange={(event: Event) => void take((event.target as HTMLInputElement).files?.[0])} />
        {sent !== null ? <progress max={1} value={sent} aria-label="Sent" /> : null}
      </label>
      <Trouble said={said} />
      <div class="columns">
        <section>
          <h2>Files in {folder || "/"}</h2>
          {tables.length + uploads.length ? (
            <ul class="files">
              {uploads.map((file: Json) => (
                <li key={`u${file.number}`}>
                  <Link to={file.name.toLowerCase().endsWith(".acm") ? "model" : "table"} fresh patch={{ upload: file.number, uploadName: file.name }}>
                    {file.name}
                  </Link>{" "}
                  <small>dropped, {size(file.bytes)}</small>
                </li>
              ))}
              {tables.map((file: Json) => (
                <li key={file.number}>
                  <Link to="table" fresh patch={{ file: file.name }}>
                    {file.name}
                  </Link>{" "}
                  <small>{size(file.bytes)}</small>
                </li>
              ))}
            </ul>
          ) : (
            <p>No table is in the folder that the studio was started in.</p>
          )}
          {models.length ? (
            <>
              <h2>Models</h2>
              <ul class="files">
                {models.map((file: Json) => (
                  <li key={file.number}>
                    <Link to="model" fresh patch={{ file: file.name }}>
                      {file.name}
                    </Link>{" "}
                    <small>{size(file.bytes)}</small>
                  </li>
                ))}
              </ul>
            </>
          ) : null}
          {databases ? <Database known={databases} say={say} /> : null}
        </section>
        <section>
          <h2>Built-in tables</h2>
          <ul class="cards">
            {datasets.map((each: Json) => (
              <li key={each.name}>
                <Link to="table" fresh patch={{ dataset: each.name }}>
                  <strong>{each.name}</strong>
                </Link>
                <span>{each.title}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

function Database({ known, say }: { known: Json[]; say: (sentence: string) => void }) {
  async function open(event: Event) {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    say("");
    try {
      // Its address may hold a password, and that of the page is kept by the browser: it gets the number.
      const found = await database(String(form.get("address")));
      start.value = await get("/api/start");
      go("table", { database: found.number, databaseName: found.name, query: form.get("query") as string }, { fresh: true });
    } catch (error) {
      say((error as Error).message);
    }
  }
  return (
    <form onSubmit={(event: Event) => void open(event)}>
      <h2>A database</h2>
      {known.length ? (
        <ul class="files">
          {known.map((each) => (
            <li key={each.number}>
              <Link to="table" fresh patch={{ database: each.number, databaseName: each.name }}>
                {each.name}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      <p class="tools">
        <label>
          Address <input name="address" size={40} autocomplete="off" placeholder="sqlite:///customers.db" required />
        </label>
        <label>
          Query <input name="query" size={30} placeholder="select * from customers" />
        </label>
        <button type="submit">Open</button>
      </p>
    </form>
  );
}

function size(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  return `${Number((bytes / 10 ** (3 * power)).toPrecision(3))} ${["", "kB", "MB", "GB"][power]}`;
}
