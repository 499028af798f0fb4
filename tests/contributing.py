#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contributing.py ROOT

Fails for each file and name in CONTRIBUTING.md's recipes that is not in the tree (any longer): `plugin/enet/words.cpp`,
`count_in()`, `FrameRecord`. Fails, too, if a licence file of the root is not the text of LICENSES/ below its heading.
"""
import pathlib
import re
import sys

_FOLDERS = ("codec", "plugin", "page", "tests", "scripts", "profile", "doc", "captures")
_FILE = re.compile(r"^[\w./*-]+(?:\.(?:h|cpp|md|sh|py|js|gd)|/)$")
_NAME = re.compile(r"^(\w+(?:::\w+)*)(?:\(\))?$")
_LICENCES = {"LICENSE": "GPL-2.0-or-later.txt", "LICENSE-MIT": "MIT.txt"}
_FIELD = re.compile(r"^(godot|godot_mp|godot_debug|enet)(\.\w+)+$")


def missing(root, text, files, words):
    """The names in backquotes that are neither a file (by the end of its path) nor a word of the sources."""
    for quoted in re.findall(r"`([^`\n]+)`", text):
        name = quoted.split()[0]
        if _FILE.match(name):
            wanted = name.replace("*", "[^/]*").strip("/")
            if not any(re.search(f"(^|/){wanted}(/|$)", path) for path in files):
                yield quoted
        elif match := _NAME.match(quoted):
            if not set(match[1].split("::")) <= words:
                yield quoted
        elif _FIELD.match(quoted) and quoted.split(".")[-1] not in words:
            yield quoted


def main():
    root = pathlib.Path(sys.argv[1])
    listed = [path for folder in _FOLDERS for path in (root / folder).rglob("*") if path.is_file()]
    files = [str(path.relative_to(root)) for path in listed] + ["CMakePresets.json"]
    words = {word for path in listed if path.suffix in (".h", ".cpp", ".txt", ".py", ".js", ".gd")
             for word in re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace"))}
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    absent = "no_such_" + "name()"  # apart, as this file is among the sources
    planted = f"`plugin/enet/nowhere.cpp` `plugin/enet/words.cpp` `{absent}` `GODOT_MP_COMMANDS`"
    if list(missing(root, planted, files, words)) != ["plugin/enet/nowhere.cpp", absent]:
        sys.exit("contributing.py: judges what is planted wrongly")
    if "## Recipes" not in text:
        sys.exit("contributing.py: no recipes were found")
    found = list(missing(root, text, files, words))
    print("\n".join(f"CONTRIBUTING.md: `{each}` is not in the tree" for each in found))
    other = [name for name, source in _LICENCES.items()
             if (root / name).read_text().split("-" * 78 + "\n\n")[-1] != (root / "LICENSES" / source).read_text()]
    print("\n".join(f"{name} is not the text of LICENSES/{_LICENCES[name]}" for name in other))
    sys.exit(1 if found or other else 0)


if __name__ == "__main__":
    main()
