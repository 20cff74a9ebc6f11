// Worked examples that were opened are ticked in the indexes, and the chapter's first pages say how many there were.
// What was opened stays in this browser.
(() => {
  const key = "acumen-examples";
  const idOf = (path) => (path.match(/W\d{3}-\d\d(?=(\.html|\/|$))/) || [])[0];
  let seen;
  try {
    seen = new Set(JSON.parse(localStorage.getItem(key) || "[]"));
    const here = idOf(location.pathname);
    if (here) localStorage.setItem(key, JSON.stringify([...seen.add(here)]));
  } catch {
    return;  // no storage, or not ours: no ticks
  }
  for (const link of document.querySelectorAll("article a[href]")) {
    if (seen.has(idOf(new URL(link.href).pathname))) link.after(" ✓");
  }
  const said = document.getElementById("examples-progress");
  if (said) {
    const among = said.dataset.ids.split(" ");
    said.textContent = `${among.filter((id) => seen.has(id)).length} of ${among.length} read so far.`;
  }
})();
