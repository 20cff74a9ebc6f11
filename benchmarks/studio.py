"""The studio in Chromium: how long a move of the threshold takes, and a click on a cell of the confusion.

    python benchmarks/studio.py [rows]

A table of customers (100,000 unless given), naive Bayes judged on three folds. The slider is moved as a person moves
it, by events of its input; a move is over when all that depends on it is in the page: the confusion, three curves'
markers, counts and costs. Script, style and layout are told apart as Chromium's counters have them, by the processor
of the page's main thread, which other work on the machine does not change. A click is over when the strip says how many
rows are selected, which the server counts.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from studio_served import Served, write_customers

MOVES = 200
CLICKS = 20

MOVE = """async (n) => {
  const slider = document.querySelector('#threshold'), times = [], all = +slider.max;
  const dots = () => [...document.querySelectorAll('[data-marker]')].map(d => d.outerHTML).join();
  const turn = () => new Promise(r => {
    const channel = new MessageChannel();
    channel.port1.onmessage = r;
    channel.port2.postMessage(0);
  });
  for (let i = 0; i < n; i++) {
    const before = dots(), start = performance.now();
    slider.value = Math.round(all * (0.1 + 0.8 * ((i * 0.618034) % 1)));
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    while (dots() === before && performance.now() - start < 1000) await turn();
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise(r => requestAnimationFrame(r));
  }
  return times;
}"""

CLICK = """async (cell) => {
  const said = () => document.querySelector('section[aria-label=Selection] strong')?.textContent ?? '';
  const start = performance.now();
  document.querySelector(`[data-cell='${cell}']`).click();
  const wanted = document.querySelector(`[data-cell='${cell}']`).textContent.replace(/[^0-9]/g, '');
  while (said().replace(/[^0-9]/g, '') !== wanted && performance.now() - start < 20000)
    await new Promise(r => setTimeout(r, 1));
  return performance.now() - start;
}"""


def counters(session: Any) -> dict[str, float]:
    """Chromium's own: seconds of the page's main thread."""
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return {
        name: found[name]
        for name in ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    }


def used(pid: int) -> float:
    """Seconds of the processor that a process and those it has begun have taken."""
    total, everyone = 0.0, {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            everyone[int(each.name)] = (
                int(fields[1]),
                (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            )
    family = {pid}
    while more := {child for child, (parent, _) in everyone.items() if parent in family} - family:
        family |= more
    for one in family:
        total += everyone.get(one, (0, 0.0))[1]
    return total


def main(rows: int) -> None:
    """Print what was measured."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        folder = Path(place) / "tables"
        folder.mkdir()
        write_customers(folder / "many.csv", rows)
        served = Served(folder)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless=new", "--no-sandbox", "--disable-gpu"]
        )
        try:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(600_000)
            page.goto(
                f"{served.base}/errors?file=many.csv&target=churned&learner=naive-bayes&positive=leaves&folds=3"
                f"#key={served.key}"
            )
            page.locator("[data-cell='leaves,stays']").wait_for()
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.evaluate(MOVE, 20)
            before, asked = counters(session), []
            page.on("request", lambda request: asked.append(request.url))
            took = sorted(page.evaluate(MOVE, MOVES))
            after = counters(session)
            each = {name: 1000 * (after[name] - before[name]) / MOVES for name in before}
            print(f"{rows:,} rows, {len(asked)} requests in {MOVES} moves of the slider")
            print(
                f"  a move, wall: median {statistics.median(took):.1f} ms, 95 % below {took[int(0.95 * MOVES)]:.1f} ms"
            )
            print(
                f"  a move, by the page's thread: {each['TaskDuration']:.2f} ms, of it script "
                f"{each['ScriptDuration']:.2f}, style {each['RecalcStyleDuration']:.2f}, "
                f"layout {each['LayoutDuration']:.2f}"
            )
            page.get_by_role("button", name="Back to 0.5").click()
            cells = ("leaves,stays", "stays,leaves")
            for cell in cells:
                page.evaluate(CLICK, cell)
            page.wait_for_timeout(2000)
            server, thread = used(served.process.pid), counters(session)
            times = []
            for i in range(CLICKS):
                times.append(page.evaluate(CLICK, cells[i % 2]))
                page.wait_for_timeout(300)
            page.wait_for_timeout(2000)
            server = 1000 * (used(served.process.pid) - server) / CLICKS
            own = 1000 * (counters(session)["TaskDuration"] - thread["TaskDuration"]) / CLICKS
            print(
                f"  a cell until its rows are counted, wall: median {statistics.median(times):.0f} ms, "
                f"best {min(times):.0f} ms"
            )
            print(
                f"  a cell, by the processor: {server:.0f} ms of the server, with what sets the rows apart; "
                f"{own:.0f} ms of the page's thread"
            )
            heap = session.send("Runtime.getHeapUsage")["usedSize"] / 2**20
            print(f"  the page's heap: {heap:.1f} MiB")
        finally:
            browser.close()
            served.end()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
