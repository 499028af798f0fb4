#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""interface_words.py PLUGINS

Checks the names and texts of the interface: fields, expert items, preferences and tables contain no word of the old wording,
no field has a name from before the first release, and the pages name only fields and preferences that exist.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from nobody import as_nobody
from tshark import Tshark

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# Ends of the names of dissector tables, tables and files.
NO_FIELD = re.compile(r"\.(port|raw|call|names|so|dll|c|gd)$")
CAPTURE = REPOSITORY / "captures/trouble_godot4.6.pcapng"
OUR_PROTOCOL = re.compile(r"godot|enet$")
WORDS = ("told", "untold", "inside", "trouble", "mistake", "stood", "hitch", "mute", "unread", "garbled", "left_out", "waits")
# Names of fields, expert items and preferences before the first release.
OLD_NAMES = """
godot.trouble godot.inside godot.inside.prefix godot.packed godot.stray_length godot.no_length godot.layout.mistake
godot.layout.unfit godot.layout.rest godot_mp.untold_path godot_mp.left_out enet.left_out godot_mp.project_left_out
godot_mp.other_properties godot_mp.two_senders godot_mp.values_end godot_mp.nobody_sends godot_mp.short_lives godot_mp.flood
godot_mp.stood_still enet.hitch enet.stood_still enet.stood_still_since godot_mp.mute godot_mp.text_alone godot_mp.made_up_name
godot_mp.arguments_lost godot_mp.received enet.waited enet.waits enet.missing enet.missing.total enet.gap enet.first_sent
enet.resent enet.given_up enet.unread godot_webrtc.unread godot_websocket.unread godot_websocket.garbled
""".split()


def words_in(text):
    """Returns the words and the parts of names: "left" and "out" of `enet.left_out`, and `left_out` itself."""
    parts = re.findall(r"[a-z_]+", text.lower())
    return {word for part in parts for word in (part, *part.split("_"))}


def fields(tshark):
    """Returns the name and the texts of each field and expert item."""
    for line in tshark.run_options(["-G", "fields"]).splitlines():
        cells = line.split("\t")
        if cells[0] == "P" and OUR_PROTOCOL.match(cells[2]):
            yield cells[2], cells[1]
        if cells[0] == "F" and OUR_PROTOCOL.match(cells[4]):
            yield cells[2], f"{cells[1]} {cells[7] if len(cells) > 7 else ''}"


def preferences(tshark):
    """Returns the name and the description of each preference."""
    text = ""
    for line in tshark.run_options(["-G", "defaultprefs"]).splitlines():
        setting = re.match(r"#?((\w+)\.[\w.]+):", line)
        if line.startswith("# "):
            text += " " + line[2:]
        elif setting and OUR_PROTOCOL.match(setting[2]):
            yield setting[1], text
            text = ""
        else:
            text = ""


def tables(tshark):
    """Returns the title and the columns of each table: the lines before the first row."""
    # tshark prints the help as an error.
    listed = subprocess.run(["tshark", "-z", "help"], env=tshark.environment, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **as_nobody(tshark.folder)).stdout.decode()
    capture = tshark.copy(CAPTURE)
    for option in sorted(set(re.findall(r"^\s*((?:godot|enet)\w*,\w+)", listed, re.MULTILINE)) - {"godot,page"}):
        lines = tshark.run(capture, "-q", "-z", option).splitlines()
        rows = [number for number, line in enumerate(lines) if "|" in line]
        yield option, " ".join(lines[: rows[0] + 2]) if rows else " ".join(lines)


def main():
    wrong, count, known = [], 0, set()
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), pathlib.Path(sys.argv[1]))
        for kind, each in (("field", fields), ("preference", preferences), ("table", tables)):
            found = list(each(tshark))
            if len(found) < 5:
                sys.exit(f"only {len(found)} of kind {kind} were found: {found}")
            count += len(found)
            known |= {name for name, _ in found}
            for name, text in found:
                wrong += [f"{kind} {name}: the word {word} in: {text}" for word in WORDS if word in words_in(f"{name} {text}")]
                if name in OLD_NAMES:
                    wrong.append(f"{kind} {name}: this name was replaced before the first release")
    for page in (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("*/*.md")):
        names = set(re.findall(r"`((?:enet|godot(?:_\w+)?)\.[a-z_.]*[a-z])`", page.read_text(encoding="utf-8")))
        wrong += [f"{page.name}: {name} does not exist" for name in sorted(names - known) if not NO_FIELD.search(name)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{count} fields, preferences and tables have none of the old words")


if __name__ == "__main__":
    main()
