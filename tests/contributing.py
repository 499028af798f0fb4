#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contributing.py ROOT

Checks that the documents and the tree agree. Fails for
- a file or name in CONTRIBUTING.md that is not in the tree: `plugin/enet/summary.cpp`, `count_in()`, `FrameRecord`,
- a link of a page, or a doc/….md named in the sources, that does not exist,
- a licence file of the root that differs from the text in LICENSES/ after its heading.
"""
import pathlib
import re
import sys

_FOLDERS = ("codec", "plugin", "page", "tests", "scripts", "profile", "doc", "captures")
_FILE = re.compile(r"^[\w./*-]+(?:\.(?:h|cpp|md|sh|py|js|gd)|/)$")
_NAME = re.compile(r"^\.?(\w+(?:::\w+)*)(?:\(\))?$")
_LICENCES = {"LICENSE": "GPL-2.0-or-later.txt", "LICENSE-MIT": "MIT.txt"}
_FIELD = re.compile(r"^(godot\w*|enet)(\.\w+)+$")


def missing(root, text, files, words):
    """Returns the names in backquotes that are neither the end of a file's path nor a word in the sources."""
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


def anchors(text):
    """Returns the anchors that hosting sites derive from a page's headings."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def dead_links(root, listed):
    """Returns links of the pages, and pages named in the sources, that do not exist."""
    for page in (*root.glob("*.md"), *(root / "doc").glob("*.md")):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            is_dead = not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8")))
            if not link.startswith("http") and is_dead:
                yield f"{page.relative_to(root)} links to {link}"
    for path in listed:
        if path.suffix in (".h", ".cpp", ".py", ".js", ".sh"):
            for name in re.findall(r"\bdoc/\w+\.md", path.read_text(encoding="utf-8", errors="replace")):
                if not (root / name).exists():
                    yield f"{path.relative_to(root)} names {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    listed = [path for folder in _FOLDERS for path in (root / folder).rglob("*") if path.is_file()]
    files = [str(path.relative_to(root)) for path in listed] + ["CMakePresets.json"]
    words = {word for path in listed if path.suffix in (".h", ".cpp", ".txt", ".py", ".js", ".gd")
             for word in re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace"))}
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    absent = "no_such_" + "name()"  # split, because this file is one of the sources that are searched
    planted = f"`plugin/enet/nowhere.cpp` `plugin/enet/summary.cpp` `{absent}` `GODOT_MP_COMMANDS`"
    if list(missing(root, planted, files, words)) != ["plugin/enet/nowhere.cpp", absent]:
        sys.exit("contributing.py: fails its self-test")
    if "## Recipes" not in text:
        sys.exit("contributing.py: no recipes were found")
    found = list(missing(root, text, files, words))
    print("\n".join(f"CONTRIBUTING.md: `{each}` is not in the tree" for each in found))
    other = [name for name, source in _LICENCES.items()
             if (root / name).read_text().split("-" * 78 + "\n\n")[-1] != (root / "LICENSES" / source).read_text()]
    print("\n".join(f"{name} is not the text of LICENSES/{_LICENCES[name]}" for name in other))
    dead = [f"{each}, which does not exist" for each in dead_links(root, listed)]
    print("\n".join(dead))
    sys.exit(1 if found or other or dead else 0)


if __name__ == "__main__":
    main()
