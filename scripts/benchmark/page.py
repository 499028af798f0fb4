#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page.py PLUGINS [MESSAGES [FOLDER]]

Measures the match page of a large game (default: 1,000,000 messages of 64 peers): processor time and memory of tshark
-2 with the page and without it, and the file's size; in headless Chromium, the time to open, to zoom and hover, and to
show the state at a time. Prints the machine's load as well, because other programs may use it. FOLDER keeps the capture
for the next run. Fails if the page takes more than 1.3 times the processor time of `-2` without it, 150 MB more, or
more than 30 MB of file per million messages.
"""
import os
import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "page"))
import browsers  # noqa: E402
import games  # noqa: E402
from pages import Maker  # noqa: E402

OPENED = """
  const {view, timeline, tabs} = matchPage;
  const taken = (work) => {
    const start = performance.now();
    work();
    return Math.round(performance.now() - start);
  };
  const zooms = Array.from({length: 20}, (unused, i) => taken(() => {
    view.zoom(i < 10 ? 0.6 : 1.7, (view.from + view.to) / 2);
    view.tell();
    timeline.hover(300 + 40 * i, 60 + 10 * i);
  })).sort((one, two) => one - two);
  const first = taken(() => { tabs.open(2); });
  const next = taken(() => { view.put((view.from + view.to) / 3); view.tell(); });
  return [zooms[10], zooms[19], first, next];
"""


def cost_of(maker, capture, *options):
    """Returns the processor time in seconds, and the peak memory in MB."""
    command = ["tshark", "-2", "-r", capture, *options]
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvpe(command[0], command, maker.tshark.environment)
    _, status, used = os.wait4(child, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main():
    plugins = pathlib.Path(sys.argv[1])
    messages = int((sys.argv + ["", ""])[2] or 1_000_000)
    with tempfile.TemporaryDirectory() as work:
        maker = Maker(pathlib.Path(work), plugins)
        kept = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else work) / f"large_{messages}.pcapng"
        if not kept.exists():
            games.write(kept, games.large(messages, 64))
        page = maker.folder / "page.html"
        print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {messages} messages, {kept.stat().st_size / 1e6:.0f} MB")
        costs = {}
        for name, *options in [("list",), ("list and page", "-z", f"godot,page,{page}"), ("problems", "-q", "-z", "godot,problems"),
                               ("page", "-q", "-z", f"godot,page,{page}")]:
            seconds, memory = costs[name] = cost_of(maker, maker.readable(kept), *options)
            print(f"{name}: {seconds:.1f} s of processor time, {memory:.0f} MB", flush=True)
        size = page.stat().st_size / 1e6
        times = costs["page"][0] / costs["list"][0]
        more = costs["page"][1] - costs["list"][1]
        print(f"file: {size:.1f} MB; {times:.2f} times the time of -2, {more:.0f} MB more")
        with browsers.opened(browsers.Chromium, maker.folder / "chromium") as browser:
            seconds = browsers.open_page(browser, page)
            middle, most, first, after = browser.run(OPENED)
            print(f"opened in {seconds:.1f} s; zoom and hover {middle} ms, at most {most} ms; state {first} ms, then {after} ms")
            print(f"load: {os.getloadavg()[0]:.1f}")
        assert size <= 30 * max(1, messages / 1e6) and times <= 1.3 and more <= 150


if __name__ == "__main__":
    main()
