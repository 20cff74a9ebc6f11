// Builds the page into the package: one script, one style sheet, the page and its icon; the same bytes each time.
import { build } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";

const out = new URL("../src/acumen/studio/static/", import.meta.url).pathname;
const target = process.argv[2] ?? out;
mkdirSync(target, { recursive: true });
await build({
  entryPoints: ["src/main.tsx"],
  outfile: `${target}/studio.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "ascii",
});
await build({ entryPoints: ["src/studio.css"], outfile: `${target}/studio.css`, minify: true, charset: "ascii" });
for (const name of ["index.html", "icon.svg", "LICENSES.txt"]) copyFileSync(`public/${name}`, `${target}/${name}`);
