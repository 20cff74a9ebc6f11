// The page: two strips that stay, and the screen that the address names.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, key, useKey } from "./api";
import { CommandStrip, SelectionStrip } from "./strips";
import { fail, isModelFile, news, param, route, SCREENS, source, sourceName, start, trouble, type Screen } from "./state";
import { Link, Title, Trouble, Waiting } from "./ui";
import { Compare } from "./screens/compare";
import { Errors } from "./screens/errors";
import { Groups } from "./screens/groups";
import { Keep } from "./screens/keep";
import { Model } from "./screens/model";
import { Row } from "./screens/row";
import { Start } from "./screens/start";
import { TableScreen } from "./screens/table";

const NAMES: Record<Screen, string> = {
  "": "Open",
  table: "Table",
  compare: "Compare",
  model: "Model",
  errors: "Errors",
  row: "Row",
  groups: "Groups",
  keep: "Keep",
};

function Page() {
  useEffect(() => {
    if (key.value) get("/api/start").then((found) => (start.value = found), fail);
  }, [key.value]);
  const { screen } = route.value;
  useEffect(() => {
    document.title = `${NAMES[screen]}${sourceName.value ? ` · ${sourceName.value}` : ""} · acumen studio`;
    trouble.value = "";
  }, [screen, sourceName.value]);
  if (!key.value) return <Locked />;
  const open = sourceName.value !== "";
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Link to="" fresh>
          <span class="brand">acumen studio</span>
        </Link>
        {open ? (
          <nav aria-label="Screens">
            {SCREENS.filter((each) => !isModelFile.value || each === "model" || each === "keep").map((each) => (
              <Link key={each} to={each} current={each === screen}>
                {NAMES[each]}
              </Link>
            ))}
          </nav>
        ) : null}
        <button type="button" class="plain" aria-pressed={large()} onClick={() => setLarge(!large())}>
          Larger text
        </button>
      </header>
      {open && !isModelFile.value ? <SelectionStrip /> : null}
      <main id="main">
        <Trouble said={trouble.value} />
        {!start.value ? <Waiting>Looking at the folder …</Waiting> : open && !source.value ? <Gone /> : <Shown />}
      </main>
      <p class="unseen" role="status" aria-live="polite">
        {news.value}
      </p>
      <CommandStrip />
    </>
  );
}

function Shown() {
  switch (route.value.screen) {
    case "table":
      return <TableScreen />;
    case "compare":
      return <Compare />;
    case "model":
      return <Model />;
    case "errors":
      return <Errors />;
    case "row":
      return <Row />;
    case "groups":
      return <Groups />;
    case "keep":
      return <Keep />;
    default:
      return <Start />;
  }
}

function Gone() {
  return (
    <>
      <Title>{sourceName.value} is not here</Title>
      <p>
        {param("upload")
          ? "A file that was dropped on the page is gone when the studio ends; drop it again."
          : param("database")
            ? "The addresses of databases are forgotten when the studio ends; give it again."
            : "The start folder has no such file now."}{" "}
        <Link to="" fresh>
          Open another
        </Link>
        .
      </p>
    </>
  );
}

// What the page shows without a key: after a restart, or by a link from elsewhere. What the address says stays.
function Locked() {
  const [wrong, setWrong] = useState(false);
  return (
    <main id="main" class="locked">
      <Title>This page needs its key</Title>
      <p>
        Each start of <code>acumen studio</code> has a key of its own. Open the address that it has printed, or paste it here; what this page shows stays as it is.
      </p>
      <form
        onSubmit={(event: Event) => {
          event.preventDefault();
          setWrong(!useKey(new FormData(event.target as HTMLFormElement).get("key") as string));
        }}
      >
        <label>
          Address or key <input name="key" autocomplete="off" size={60} />
        </label>{" "}
        <button type="submit">Open</button>
      </form>
      {wrong ? <Trouble said="That holds no key; copy the whole line that acumen studio printed." /> : null}
    </main>
  );
}

const large = () => document.documentElement.classList.contains("large");
function setLarge(on: boolean): void {
  document.documentElement.classList.toggle("large", on);
  localStorage.setItem("acumen-large", on ? "1" : "");
  route.value = { ...route.value };
}
if (localStorage.getItem("acumen-large")) document.documentElement.classList.add("large");

// A file that is dropped beside the place for it would take the page's place.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());

const root = document.getElementById("studio")!;
root.replaceChildren(); // what stood there while the page was fetched
render(<Page />, root);
