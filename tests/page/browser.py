#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser.py PLUGINS CAPTURES [--messages N] [--only TEST]

Tests the match page in Chromium and Firefox: compares numbers with the tables of tshark, and states with the values
that engines printed; uses malicious names, mouse and keyboard, and many messages. Exits with 77 if a browser or its
driver is missing.
"""
import argparse
import json
import pathlib
import random
import re
import sys
import tempfile
import time

import browsers
import games
from pages import REPOSITORY, Maker, without_library

# Tables of tshark that the page shows, too: the tshark option, and the column titles in tshark and in the page.
NUMBERS = {"Count": "Count", "Bytes": "Bytes", "Share (%)": "Share %", "Mean": "Mean B", "Largest": "Largest B",
           "Bytes/s": "Bytes/s"}
TABLES = {
    "Calls": ("godot_mp,calls", ["Call"], {**NUMBERS, "Saved": "Saved B", "Nodes": "Nodes"}),
    "Nodes": ("godot_mp,objects", ["Object", "Message"], {**NUMBERS, "Saved": "Saved B", "Nodes": "Nodes"}),
    "Synchronizers": ("godot_mp,syncs", ["Synchronizer", "From", "To"],
                      {"Count": "Count", "Sender interval (ms)": "Sender interval ms", "mean (ms)": "Mean ms", "max (ms)": "Max ms",
                       "Jitter (ms)": "Jitter ms", "Lost": "Lost", "Lost (%)": "Lost %", "Late": "Late"}),
    "Variants": ("godot,variants", ["Message"], {**NUMBERS, "Saved": "Saved B", "Ways": "Ways"}),
    "Debugger": ("godot_debug,messages", ["Message"], NUMBERS),
    "Peers": ("godot_mp,peers", ["From", "To"], NUMBERS),
    "Overhead": ("godot,overhead", ["Bytes of"], NUMBERS),
}
READ_TABLE = """
  const chooser = document.querySelector('.panel.tables select');
  if (!chooser) return [];  // there is no game in it
  chooser.value = %s;
  chooser.dispatchEvent(new Event('change'));
  const texts = (row) => [...row.children].map((cell) => cell.textContent.replace(/ [▾▴]$/, ''));
  return [...document.querySelectorAll('.panel.tables tr')].map(texts);
"""


# Returns the bytes by category.
KINDS_OF_BYTES = """
  const {match} = matchPage;
  const bytes = match.categoryBytes();
  return Array.from({length: 9}, (unused, kind) => bytes.filter((each, i) => i % 9 === kind).reduce((sum, each) => sum + each, 0));
"""


def shown_table(browser, name):
    """Returns the rows that the page shows. Each row is a dict with the column titles as keys."""
    lines = browser.run(READ_TABLE % json.dumps(name))
    return [dict(zip(lines[0], line)) for line in lines[1:]] if lines else []


def number(text):
    return float(text.replace(",", ""))


def is_near(one, two):
    """Returns whether two numbers are equal, except for rounding: both are sums, but added in a different order."""
    return abs(one - two) <= 0.0011 * max(1, abs(one)) or abs(one - two) <= 0.11


def numbers_equal_the_tables(browser, maker, captures):
    compared = 0
    for capture in captures:
        browsers.open_page(browser, maker.page(capture))
        assert min(browser.run(KINDS_OF_BYTES)) > -1, f"{capture.name}: {browser.run(KINDS_OF_BYTES)}"
        printed = maker.tables(capture, [option for option, *_ in TABLES.values()])
        for name, (_, names, titles) in TABLES.items():
            columns = {*names, *titles}
            found = [rows for header, rows in printed if header - {"Rank", "Display filter", ""} == columns]
            assert len(found) == 1, f"{name}: {[header for header, _ in printed]}"
            rows = [row for row in found[0] if row["Count"] != "0"]
            shown = shown_table(browser, name)
            assert len(rows) == len(shown), f"{capture.name}, {name}: {len(rows)} rows, shown {len(shown)}"
            # Rows of two connections may have the same names.
            theirs = sorted((*(row[title] for title in names), *(number(row[title]) for title in titles)) for row in rows)
            ours = sorted((*(row[title] for title in names), *(number(row[title]) for title in titles.values())) for row in shown)
            for one, two in zip(theirs, ours):
                same = one[: len(names)] == two[: len(names)] and all(map(is_near, one[len(names):], two[len(names):]))
                assert same, f"{capture.name}, {name}: {one}, shown {two}"
                compared += len(titles)
    assert compared > 100
    return f"{compared} numbers of {len(captures)} captures"


STATE = """
  const {match, stateAt} = window.matchPage;
  const peer = match.peers.find((each) => each.id === %s && each.endpoint);
  const state = stateAt(match, peer.number, %r - match.head.start / 1e9);
  return Object.fromEntries([...state].map(([path, properties]) =>
    [path, Object.fromEntries([...properties].map(([name, {text}]) => [name, text]))]));
"""


def written(value):
    """Returns a value in the format of the page."""
    if isinstance(value, list):
        return "(" + ", ".join(written(each).removesuffix(".0") for each in value) + ")"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def states_are_what_the_engine_printed(browser, maker, seed=7):
    compared = 0
    for truth in sorted((REPOSITORY / "tests" / "page" / "states").glob("*.json")):
        page = maker.page(truth.with_suffix(".pcapng"), "-o", f"godot_mp.project:{maker.game}")
        browsers.open_page(browser, page)
        lines = json.loads(truth.read_text())
        # Skips a side that has only values from before the capture, or only its own values, because the page shows
        # nothing for it.
        lines = [line for line in lines if any(node["owner"] != line["id"] for node in line["nodes"].values())]
        for line in random.Random(seed).sample(lines, 10):
            state = browser.run(STATE % (json.dumps(str(line["id"])), float(line["time"])))
            spawned = {path for path in line["nodes"] if "/Players/" in path}
            assert {path for path in state if "/Players/" in path} == spawned, f"{truth.stem} at {line['time']}: {state}"
            for path, node in line["nodes"].items():
                if node["owner"] == line["id"]:
                    continue
                for name, value in node.items():
                    shown = state.get(path, {}).get(name)
                    # The page shows nothing for a value that was never sent, because it is the scene's default.
                    if name == "owner" or shown is None:
                        continue
                    assert shown == written(value), f"{truth.stem} at {line['time']}: {path}:{name} {shown}, printed {written(value)}"
                    compared += 1
    return f"{compared} values"


def names_stay_text(browser, maker):
    page = maker.page(games.write(maker.folder / "hostile.pcapng", games.hostile()))
    browsers.open_page(browser, page)
    for tab in (1, 2, 0):
        browser.run(f"matchPage.tabs.open({tab}); matchPage.timeline.draw();")
    shown = browser.run("return document.body.textContent")
    for name in ("<img src=x onerror=\"document.title='taken'\">", "<!--<script>", "\\u2028separator"):
        assert name in shown, name
    assert "taken" not in browser.run("return document.title")
    assert browser.run("return document.querySelectorAll('img, iframe, object, embed, link').length") == 0
    assert browser.run("return document.scripts.length") == 2 or browser.run("return document.scripts.length") == 0
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    # The content security policy prevents inserted scripts from running.
    browser.run("const s = document.createElement('script'); s.textContent = 'document.title = \"taken\"'; document.body.append(s);"
                "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">');")
    assert "taken" not in browser.run("return document.title")
    return f"{len(games.NAMES)} names"


def no_policy_is_violated(browser, maker, capture):
    browser.complaints()  # messages of the test before
    browsers.open_page(browser, maker.page(capture))
    for tab in (1, 2, 0):
        browser.run(f"matchPage.tabs.open({tab})")
    complaints = browser.complaints()
    assert complaints == [], complaints
    return "nothing in the console"


def a_page_without_the_library_says_what_is_missing(browser, maker, capture):
    browser.complaints()
    browsers.open_page(browser, without_library(maker.page(capture), maker.folder))
    for tab in (1, 2, 0):
        browser.run(f"matchPage.tabs.open({tab}); matchPage.view.select(0.5, 1); matchPage.view.tell()")
    browser.click(".panel.tables tbody tr")
    for place in (".bandwidth-plot", ".row-drawing"):
        told = browser.run(f"return document.querySelector('{place}').textContent")
        assert told == "No plots: this plugin was built without dygraphs (Debian: libjs-dygraphs, npm: dygraphs).", (place, told)
    assert browser.run("return document.querySelectorAll('.panel.tables tbody tr').length") > 3
    assert browser.complaints() == []
    return "lanes and tables are there"


WINDOW = "return [matchPage.view.from, matchPage.view.to]"
CANVAS = ".lanes canvas"


# Moves the cursor to the first call. @returns its position in the timeline
PLACE = """
  const {timeline, view, match} = matchPage;
  const lane = timeline.lanes.find(({node}) => node?.calls.length);
  const [message] = lane.node.calls;
  view.put(match.axisOf(message), message);
  view.look(view.cursor - 0.001, view.cursor + 0.001);
  view.tell();
  timeline.scroller.scrollTop = lane.top;
  return [timeline.x(view.cursor), lane.top - timeline.scroller.scrollTop + 22 + lane.height / 2];
"""


def width(window):
    return window[1] - window[0]


def hands_work(browser, maker, capture):
    """Tests wheel, drag, click and keys with input events like those of hardware."""
    browsers.open_page(browser, maker.page(capture))
    everything = browser.run(WINDOW)
    browser.wheel(CANVAS, 700, 120, -400)
    near = browser.run(WINDOW)
    assert width(near) < 0.6 * width(everything), (everything, near)
    browser.click("h1")
    browser.keys("+")
    assert width(browser.run(WINDOW)) < width(near)
    browser.keys("0")
    assert browser.run(WINDOW) == everything
    browser.drag(".bandwidth", (500, 60), (800, 60))
    above = browser.run("return matchPage.view.span")
    browser.drag(CANVAS, (500, 150), (800, 150))
    span = browser.run("return matchPage.view.span")
    assert 0 < width(span) < width(everything), span
    assert all(abs(one - two) < 0.01 * width(span) for one, two in zip(span, above)), "one axis"
    right = browser.run("return document.querySelector('.bandwidth-plot').getBoundingClientRect().right -"
                        "document.querySelector('.lanes canvas').getBoundingClientRect().right")
    assert abs(right) < 1, right
    browser.run("matchPage.tabs.shown(0).count()")  # otherwise waits for a pause in the changes
    assert "in the selected span" in browser.run("return document.querySelector('.panel.tables .bar').textContent")
    browser.keys("z")
    assert all(abs(one - two) < 1e-9 for one, two in zip(browser.run(WINDOW), span))
    browser.keys("0")
    browser.keys("\ue00c")  # Escape
    assert browser.run("return matchPage.view.span") is None
    browser.keys(".")
    assert browser.run("return matchPage.view.message") is not None
    first = browser.run("return document.querySelector('.status').textContent")
    # The list's text replaces the short text as soon as the texts are unpacked.
    while not isinstance(browser.run("return matchPage.match.sentences"), dict):
        time.sleep(0.01)
    told = browser.run("const {match, view} = matchPage; return [match.sentence(view.message), match.shortSentence(view.message)]")
    assert told[0] != told[1] and browser.run("return document.querySelector('.status').textContent").startswith(told[0]), told
    browser.hover(CANVAS, *browser.run(PLACE))
    tip = browser.run("return [...document.querySelectorAll('.tip div')].map((line) => line.textContent)")
    assert tip == browser.run("return document.querySelector('.status').textContent").split("   ·   "), tip
    assert tip[0] == browser.run("return matchPage.match.sentence(matchPage.view.message)") and re.fullmatch(r"frame \d+, \d+\.\d{6} s", tip[2]), tip
    browser.keys("0.")
    assert browser.run("return document.querySelector('.status').textContent") not in (first, tip)
    browser.keys("/")
    browser.keys("zzzz")
    assert "No name matches" in browser.run("return document.querySelector('.panel.tables').textContent")
    browser.keys("\ue00c")
    browser.keys("3")
    assert browser.run("return !document.querySelector('.panel.state').hidden")
    browser.keys("d")
    assert browser.run("return document.documentElement.dataset.theme") in ("dark", "light")
    return "wheel, drag, keys, search"


def a_filter_is_copied(browser, maker, capture):
    browsers.open_page(browser, maker.page(capture))
    browser.run("window.copied = []; document.addEventListener('copy', () => copied.push(document.activeElement.value));"
                "if (navigator.clipboard) navigator.clipboard.writeText = (text) => { copied.push(text); return Promise.resolve(); };")
    browser.click(".problem .copy")
    wanted = browser.run("return matchPage.match.head.problems[0].filter")
    assert browser.run("return copied") == [wanted]
    browser.click(".problem")
    assert len(browser.run("return matchPage.view.marks")) == len(set(browser.run("return matchPage.match.head.problems[0].frames")))
    return wanted


def choose_value(browser, name):
    browser.keys("2")
    browser.run("const search = document.querySelector('.panel.values input'); search.value = '';")
    browser.keys("/")
    browser.keys(name)
    browser.click(".names button")
    browser.keys("\ue00c")  # Escape: the page handles keys again
    return browser.run("return document.querySelector('.names .chosen span').textContent")


PLOTTED = """
  const {plot} = matchPage.tabs.shown(1);
  const rows = Array.from({length: plot.numRows()}, (unused, row) => plot.getLabels().map((label, i) => plot.getValue(row, i)));
  return rows.filter((row) => row[1] !== null);
"""


def values_are_those_of_the_list(browser, maker, capture, project):
    """Compares the plots of values with the list: over time by component, in the plane, and the times between
    updates. Includes values in Dictionaries and values of a debugger's monitors."""
    options = ["-o", f"godot_mp.project:{maker.copy_game(project)}"]
    browsers.open_page(browser, maker.page(capture, *options))
    path = "Main/Players/P2124112936:position"
    assert choose_value(browser, path) == path
    printed = maker.tshark.run(maker.readable(capture), "-2", "-T", "fields", "-E", "aggregator=;", "-e", "frame.time_relative",
                               "-e", "godot_mp.property_path", "-e", "godot_mp.property_with_value", *options)
    sent = []
    for line in printed.splitlines():
        time, paths, values = (line + "\t\t").split("\t")[:3]
        sent += [(float(time), *map(float, re.findall(r"-?[\d.]+", value.split("=Vector2")[1])))
                 for one, value in zip(paths.split(";"), values.split(";")) if one == path.removeprefix("Main/Players/")]
    assert len(sent) > 200
    shown = [row[:3] for row in browser.run(PLOTTED)]
    assert len(shown) == len(sent)
    assert all(abs(one - two) < 1e-5 for each, other in zip(sorted(sent), sorted(shown)) for one, two in zip(each, other))
    assert browser.run("return [...document.querySelectorAll('.value-legend span')].map((key) => key.textContent)") == ["x", "y", ""]
    # Sorted by arrival time at the peer. All of the values arrived.
    times = sorted(time for time, *_ in sent)
    between = sorted(1000 * (two - one) for one, two in zip(times, times[1:]))
    told = browser.run("return document.querySelector('.histogram').getAttribute('aria-label')")
    assert told == (f"Between updates, ms: median {between[len(between) // 2]:.1f}, "
                    f"95 % {between[int(0.95 * len(between))]:.1f}, most {between[-1]:.0f}"), told
    browser.click("#plane")
    xs, ys = [x for _, x, _ in sent], [y for *_, y in sent]
    told = browser.run("return document.querySelector('.plane').getAttribute('aria-label')")
    assert told == f"x →, y ↓ as in 2D; {min(xs):.1f} to {max(xs):.1f}, {min(ys):.1f} to {max(ys):.1f}", told
    return f"{len(sent)} positions"


def values_have_gaps_where_syncs_are_lost(browser, maker):
    page = maker.page(REPOSITORY / "tests" / "page" / "states" / "lossy_client.pcapng", "-o", f"godot_mp.project:{maker.game}")
    browsers.open_page(browser, page)
    # ENet's sequence numbers show that nine syncs after the first were lost: eight contained only the position, one the
    # clock's seconds.
    for name, gaps in [("P735101021:position", "8 gaps: lost"), ("Main:seconds", "1 gap: lost"), ("P735101021:hp", "received")]:
        choose_value(browser, name)
        told = browser.run("return document.querySelector('.panel.values .faint:not(.number)').textContent")
        assert told.endswith(gaps), (name, told)
    return "8 and 1"


def monitors_are_values(browser, maker, capture):
    browsers.open_page(browser, maker.page(capture))
    name = "performance:profile_frame Objects"
    found = choose_value(browser, name)
    assert found.startswith("performance:profile_frame "), found
    assert len(browser.run(PLOTTED)) > 1
    return found


def a_capture_without_a_game_says_why_it_is_empty(browser, maker, captures):
    for capture, words in [(captures / "other" / "dns.pcapng", "No Godot or ENet traffic was detected"),
                           (REPOSITORY / "tests" / "data" / "dtls_chacha20.pcapng", "The problem on the left explains why")]:
        browsers.open_page(browser, maker.page(capture))
        text = browser.run("return document.body.textContent")
        assert words in text, text
        assert "1970" not in text + browser.run("return document.title")
    return "two"


def many_messages(browser, maker, messages):
    capture = games.write(maker.folder / "large.pcapng", games.large(messages, 64))
    page = maker.page(capture)
    seconds = browsers.open_page(browser, page)
    count = browser.run("return matchPage.match.messageCount")
    assert count > 0.97 * messages, count
    longest = browser.run("""
      const {view, timeline, bandwidth} = matchPage;
      const times = [];
      for (let i = 0; i < 20; ++i) {
        const start = performance.now();
        view.zoom(i < 10 ? 0.6 : 1.7, (view.from + view.to) / 2);
        view.tell();
        timeline.hover(300 + 40 * i, 60 + 10 * i);
        times.push(performance.now() - start);
      }
      return times.sort((one, two) => one - two);""")
    size = page.stat().st_size
    assert size <= 30e6 * max(1, messages / 1e6), size
    return f"{count} messages: {size / 1e6:.1f} MB, opened in {seconds:.1f} s, zoom and hover {longest[10]:.0f} ms, at most {longest[-1]:.0f} ms"


def games_in(captures):
    return sorted(path for path in captures.glob("*.pcapng"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plugins", type=pathlib.Path)
    parser.add_argument("captures", type=pathlib.Path)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    if browsers.missing():
        print("missing: " + " ".join(browsers.missing()))
        sys.exit(77)
    captures = arguments.captures
    projects = REPOSITORY / "tests" / "projects"
    trouble = captures / "trouble_godot4.6.pcapng"
    party = projects / "party.pcapng"
    # A message from a browser can have more bytes than the packet in which it ends.
    every = [*games_in(captures), *sorted(projects.glob("*.pcapng")), REPOSITORY / "tests" / "data" / "web_star.pcapng"]
    chromium = [
        (numbers_equal_the_tables, every), (states_are_what_the_engine_printed,), (names_stay_text,),
        (values_are_those_of_the_list, projects / "arena.pcapng", projects / "arena"),
        (values_have_gaps_where_syncs_are_lost,), (monitors_are_values, captures / "debug_editor_godot4.6.pcapng"),
        (a_capture_without_a_game_says_why_it_is_empty, captures), (no_policy_is_violated, party),
        (a_page_without_the_library_says_what_is_missing, party), (hands_work, party), (a_filter_is_copied, trouble), (many_messages, arguments.messages),
    ]
    firefox = [(numbers_equal_the_tables, [party, trouble, captures / "enet_zlib_godot4.6.pcapng"]),
               (states_are_what_the_engine_printed,), (names_stay_text,), (hands_work, party), (a_filter_is_copied, trouble),
               (values_are_those_of_the_list, projects / "arena.pcapng", projects / "arena")]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        maker = Maker(folder, arguments.plugins)
        maker.game = maker.copy_game(REPOSITORY / "tests" / "page" / "game")
        for kind, tests in ((browsers.Chromium, chromium), (browsers.Firefox, firefox)):
            with browsers.opened(kind, folder / kind.__name__) as browser:
                for test, *more in tests:
                    if arguments.only in test.__name__:
                        print(f"{kind.__name__}, {test.__name__}: {test(browser, maker, *more)}", flush=True)


if __name__ == "__main__":
    main()
