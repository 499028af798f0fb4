#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""file.py PLUGINS CAPTURES WINDOW_MENU

Tests the file of the match page without a browser: its content, its content security policy, and when the file is
written.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

import games
from pages import Maker, columns_of, data_of
from nobody import as_nobody, copy_readable, open_folder

SAMPLE = "mp_spawn_godot4.6.pcapng"


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def complaint_of(maker, capture, *options, **environment):
    """Returns the messages that tshark prints in addition to its output."""
    done = subprocess.run(["tshark", "-2", "-r", maker.readable(capture), *options], env={**maker.tshark.environment, **environment},
                          capture_output=True, text=True, check=False, **as_nobody(maker.folder))
    return done.stderr


def policy_allows_the_pages_own_script_and_style_alone(maker, captures):
    text = maker.page(captures / SAMPLE).read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert parts == {"default-src": "'none'", "script-src": hash_of(script[0]), "style-src": hash_of(style[0]),
                     "base-uri": "'none'", "form-action": "'none'"}, parts
    assert len(script) == len(style) == 1
    # The page contains the library's licence.
    assert "dygraph" in script[0] and "Dan Vanderkam" in text and "WITHOUT WARRANTY OF ANY KIND" in text
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script>")


def no_text_of_the_network_is_outside_of_base64(maker, captures):
    page = maker.page(games.write(maker.folder / "hostile.pcapng", games.hostile()))
    assert re.fullmatch(r"([a-z0-9.]+ \+?[a-z0-9]+ \d+ [A-Za-z0-9+/=]*\n?)+", data_of(page))
    columns = columns_of(page)
    texts = bytes(columns["text.bytes"]).decode("utf-8")
    for name in ("<!--<script>", "<img src=x", "__proto__", "\\u2028", "\\xff\\xfe broken \\xc3", "@DATA@ @CSP@"):
        assert name in texts, name
    lengths = [end - start for start, end in zip([0, *columns["text.ends"]], columns["text.ends"])]
    # One of the messages has a million bytes on the wire.
    assert 1000 < max(lengths) <= 1024 + len("…".encode())
    without = page.read_text(encoding="utf-8").replace(data_of(page), "")
    empty = maker.page(captures / "ws_godot4.6.pcapng")
    policy = re.compile(r'content="default-src[^"]*"')
    assert policy.sub("", without) == policy.sub("", empty.read_text(encoding="utf-8").replace(data_of(empty), ""))


def a_page_is_replaced_when_the_new_one_is_whole(maker, captures):
    page = maker.page(captures / SAMPLE)
    first = page.read_bytes()
    maker.page(captures / "mp_rpc_godot4.6.pcapng", name=page.stem)
    assert page.read_bytes() != first
    assert list(maker.folder.glob(f"{page.name}*")) == [page]
    # The folder is not writable: the old page stays, and the error is reported.
    closed = maker.folder / "closed"
    closed.mkdir()
    kept = closed / "page.html"
    kept.write_text("kept")
    closed.chmod(0o555)
    complaint = complaint_of(maker, captures / SAMPLE, "-q", "-z", f"godot,page,{kept}")
    assert kept.read_text() == "kept"
    assert "The match page was not written" in complaint and "Permission denied" in complaint, complaint


def a_page_without_a_name_is_refused(maker, captures):
    complaint = complaint_of(maker, captures / SAMPLE, "-q", "-z", "godot,page")
    assert "the name of the file is missing" in complaint, complaint


def a_page_of_the_window_is_made_whole_or_not_at_all(maker, captures):
    capture = captures / SAMPLE
    folder = maker.folder / "window"
    folder.mkdir()
    open_folder(folder)
    from_window = {"LD_PRELOAD": str(maker.window_menu), "TMPDIR": str(folder)}
    # Stop the export before the first packet, in the middle, and before the last packet.
    count = len(maker.tshark.run(maker.readable(capture)).splitlines())
    for last in (0, count // 2, count - 1):
        assert complaint_of(maker, capture, STOP_AFTER=str(last), **from_window) == ""
        assert list(folder.iterdir()) == [], last
    opened = complaint_of(maker, capture, **from_window).removeprefix("opened ").removesuffix("\n")
    assert [str(file) for file in folder.iterdir()] == [opened]
    ours, theirs = columns_of(pathlib.Path(opened)), columns_of(maker.page(capture))
    assert ours["head"].pop("file") == pathlib.Path(opened).name
    assert theirs["head"].pop("file")
    assert ours == theirs, [name for name in ours if ours[name] != theirs[name]]


def the_head_tells_the_game(maker, captures):
    page = maker.page(captures / SAMPLE)
    head = columns_of(page)["head"]
    assert head["file"] == page.name
    assert not head["onePass"] and head["leftOut"] == 0
    assert [peer["id"] for peer in head["peers"] if peer["endpoint"]].count("1") == 1
    assert head["connections"] and all(each["began"] <= each["last"] for each in head["connections"])


def carriers_are_named(maker, captures):
    data = captures.parent / "tests" / "data"
    for capture, carriers in [(captures / SAMPLE, ["UDP, ENet"]), (captures / "mp_wss_godot4.6.pcapng", ["TCP, TLS, WebSocket"]),
                              (captures / "mp_ws_godot4.6.pcapng", ["TCP, WebSocket"]), (data / "dtls_enet.pcapng", ["UDP, DTLS, ENet"]),
                              (data / "dtls_webrtc.pcapng", ["SCTP (WebRTC), DTLS"])]:
        head = columns_of(maker.page(capture))["head"]
        assert [carrier for carrier, _ in head["carriers"]] == carriers, (capture.name, head["carriers"])


def an_array_with_an_integer_that_a_double_cannot_hold_is_a_text(maker, captures):
    arrays = [[1, 2**53, -(2**53)], [1, 2**53 + 1], [-(2**53) - 1]]
    columns = columns_of(maker.page(games.write(maker.folder / "integers.pcapng", games.packed_integers(arrays))))
    texts = bytes(columns["text.bytes"])
    ends = [0, *columns["text.ends"]]
    assert [texts[ends[text] : ends[text + 1]] for text in columns["value.text"]] == [b"[1, 9007199254740993]", b"[-9007199254740993]"]
    assert [*columns["value.f32"], *columns["value.f64"]] == arrays[0]


def main():
    plugins, captures, window_menu = map(pathlib.Path, sys.argv[1:])
    tests = [policy_allows_the_pages_own_script_and_style_alone, no_text_of_the_network_is_outside_of_base64,
             a_page_is_replaced_when_the_new_one_is_whole, a_page_without_a_name_is_refused,
             a_page_of_the_window_is_made_whole_or_not_at_all, the_head_tells_the_game,
             carriers_are_named, an_array_with_an_integer_that_a_double_cannot_hold_is_a_text]
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(pathlib.Path(folder), plugins)
        maker.window_menu = copy_readable(window_menu, maker.folder / window_menu.name)
        for test in tests:
            test(maker, captures)
            print(f"{test.__name__}: passed")


if __name__ == "__main__":
    main()
