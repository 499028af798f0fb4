#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""include_cycles.py ROOT

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


def included_folders(root):
    """Returns, for each folder, the folders that it includes, each with the first file that does so."""
    folders = {}
    for tree, top in _FOLDERS.items():
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp") or path.parent == root / top:
                continue
            folder = f"{tree}/{path.parent.relative_to(root / top).parts[0]}"
            for other_tree, other_path in _INCLUDE.findall(path.read_text(encoding="utf-8")):
                other = f"{other_tree}/{pathlib.PurePath(other_path).parts[0]}"
                if other != folder:
                    folders.setdefault(folder, {}).setdefault(other, path.relative_to(root))
    return folders


def find_cycle(folders):
    """Returns folders of which each includes the next, and the last is the first again; empty if there is no cycle."""
    done = set()

    def visit(folder, path_so_far):
        if folder in path_so_far:
            return path_so_far[path_so_far.index(folder):] + [folder]
        if folder in done:
            return []
        for other in folders.get(folder, {}):
            if cycle := visit(other, path_so_far + [folder]):
                return cycle
        done.add(folder)
        return []

    for folder in sorted(folders):
        if cycle := visit(folder, []):
            return cycle
    return []


def complaints(root):
    folders = included_folders(root)
    found = [f"{path}: the codec includes the plugin" for folder, others in folders.items()
             if folder.startswith("godot-codec") for other, path in others.items() if other.startswith("plugin")]
    cycle = find_cycle(folders)
    if cycle:
        found.append("a cycle: " + ", ".join(f"{folder} includes {other} ({folders[folder][other]})"
                                              for folder, other in zip(cycle, cycle[1:])))
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
                sys.exit(f"include_cycles.py: {len(found)} errors in the self-test instead of {wanted}: {found}")


if __name__ == "__main__":
    check_itself()
    problems = complaints(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
