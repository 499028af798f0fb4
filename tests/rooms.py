#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms.py ROOT

Reads the includes between the source folders. Fails if they form a cycle, or if the codec includes the plugin, so that
each folder can be understood with only the folders that it includes.
"""
import pathlib
import re
import sys
import tempfile

# An include directive: the top folder of the tree, and the rest of the path.
_INCLUDE = re.compile(r'^\s*#\s*include\s+"(godot-codec|plugin)/([^"]+)"', re.MULTILINE)
_FOLDERS = {"godot-codec": "codec/godot-codec", "plugin": "plugin"}


def included_rooms(root):
    """Returns, for each folder, the folders that it includes, each with the first file that does so."""
    rooms = {}
    for tree, folder in _FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp") or path.parent == root / folder:
                continue
            room = f"{tree}/{path.parent.relative_to(root / folder).parts[0]}"
            for other_tree, other_path in _INCLUDE.findall(path.read_text(encoding="utf-8")):
                other = f"{other_tree}/{pathlib.PurePath(other_path).parts[0]}"
                if other != room:
                    rooms.setdefault(room, {}).setdefault(other, path.relative_to(root))
    return rooms


def find_circle(rooms):
    """Returns folders of which each includes the next, and the last is the first again; empty if there is no cycle."""
    done = set()

    def visit(room, way):
        if room in way:
            return way[way.index(room):] + [room]
        if room in done:
            return []
        for other in rooms.get(room, {}):
            if circle := visit(other, way + [room]):
                return circle
        done.add(room)
        return []

    for room in sorted(rooms):
        if circle := visit(room, []):
            return circle
    return []


def complaints(root):
    rooms = included_rooms(root)
    found = [f"{path}: the codec includes the plugin" for room, others in rooms.items() if room.startswith("godot-codec")
             for other, path in others.items() if other.startswith("plugin")]
    circle = find_circle(rooms)
    if circle:
        found.append("a circle: " + ", ".join(f"{room} includes {other} ({rooms[room][other]})"
                                              for room, other in zip(circle, circle[1:])))
    return found


def check_itself():
    """Tests this script: an artificial cycle of three folders and a codec that includes the plugin are found; a tree
    without either passes."""
    files = {"plugin/a/x.h": "plugin/b/x.h", "plugin/b/x.h": "plugin/c/x.h", "plugin/c/x.cpp": "godot-codec/core/x.h"}
    for planted, wanted in (({}, 0), ({"plugin/c/y.h": "plugin/a/x.h"}, 1), ({"codec/godot-codec/core/x.h": "plugin/a/x.h"}, 2)):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, other in (files | planted).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(f'#include "{other}"\n', encoding="utf-8")
            found = complaints(root)
            if len(found) != wanted:
                sys.exit(f"rooms.py: {len(found)} errors in the self-test instead of {wanted}: {found}")


if __name__ == "__main__":
    check_itself()
    problems = complaints(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
