#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py PLUGINS CAPTURES

Exports captures with tshark (-T json, ek, fields), loads the output with a JSON parser, and compares each value with
the values that the engine recorded (.expected).
"""

import json
import pathlib
import sys
import tempfile

from tshark import Tshark, minor_release

FIELD = "godot.path_with_value"
WHOLE = "godot.value"  # field of a packet without paths: its value, as GDScript writes it
QUOTED = {"String", "StringName", "NodePath"}  # quoted differently; tested in a Dictionary
CASES = ("game_godot4.6", "game_godot3.6", "udp_types_godot4.6", "udp_types_godot3.2.3")


class DuplicateKey(Exception):
    pass


def without_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise DuplicateKey(sorted({key for key, _ in pairs if [k for k, _ in pairs].count(key) > 1}))
    return result


def load(text):
    return json.loads(text, object_pairs_hook=without_duplicates)


def as_list(value):
    return value if isinstance(value, list) else [value]


def values_of(node, key):
    """Returns all values of that key at any depth, in the order of the document."""
    if isinstance(node, list):
        return [value for each in node for value in values_of(each, key)]
    if not isinstance(node, dict):
        return []
    found = []
    for name, value in node.items():
        found += as_list(value) if name == key else values_of(value, key)
    return found


def expected(path):
    """Returns the expected values of each packet that is a Variant: a list of path:value, or the single value; None if
    the packet is not compared."""
    packets = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0] == "packet":
            packets.append([])
        elif cells[0] == "value":
            if cells[1]:
                packets[-1].append(cells[1] + ":" + cells[3])
            else:
                packets[-1] = None if cells[2] in QUOTED else [cells[3]]
    return packets


def by_packet_json(tshark, capture):
    """Returns the values of the whole tree."""
    packets = load(tshark.run(capture, "-Y", "godot", "-T", "json", "--no-duplicate-keys"))
    return [values_of(packet, FIELD) or values_of(packet, WHOLE)[:1] for packet in packets]


def by_packet_ek(tshark, capture):
    """Returns the values of named fields, because the whole tree repeats keys, whatever the protocol."""
    lines = tshark.run(capture, "-Y", "godot", "-T", "ek", "-e", FIELD, "-e", WHOLE).splitlines()
    packets = [load(line) for line in lines if '"index"' not in line[:12]]
    paths, whole = FIELD.replace(".", "_"), WHOLE.replace(".", "_")
    return [values_of(packet, paths) or values_of(packet, whole)[:1] for packet in packets]


def by_packet_fields(tshark, capture):
    text = tshark.run(capture, "-Y", "godot", "-T", "fields", "-E", "aggregator=\x1f", "-e", FIELD, "-e", WHOLE)
    if minor_release() >= 4:  # which doubles backslashes since 4.4
        text = text.replace("\\\\", "\\")
    packets = [[cell.split("\x1f") for cell in line.split("\t")] for line in text.split("\n")[:-1]]
    return [paths if paths != [""] else [value for value in whole[:1] if value] for paths, whole in packets]


def compare(name, kind, found, wanted):
    for index, (ours, theirs) in enumerate(zip(found, wanted)):
        if theirs is not None and ours != theirs:
            print(f"{name} as {kind}, packet {index}:\n  exported {ours}\n  sent     {theirs}")
            return False
    if len(found) != len(wanted):
        print(f"{name} as {kind}: {len(found)} packets, {len(wanted)} were sent")
        return False
    return True


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    captures = pathlib.Path(sys.argv[2])
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), sys.argv[1])
        for name in CASES:
            capture = tshark.copy(captures / (name + ".pcapng"))
            wanted = expected(captures / (name + ".expected"))
            for kind, read in (("json", by_packet_json), ("ek", by_packet_ek), ("fields", by_packet_fields)):
                is_right = compare(name, kind, read(tshark, capture), wanted) and is_right
    sys.exit(0 if is_right else 1)


main()
