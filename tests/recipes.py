#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recipes.py PLUGINS [--write]

Runs the commands of doc/recipes.md and compares what they print with what stands there; or writes it there. Of tables, what
only decorates them is left out; behind "| head -n N" stand the first N lines of the others.
"""

import pathlib
import re
import shlex
import sys
import tempfile

from tshark import Tshark

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = REPOSITORY / "doc" / "recipes.md"
BLOCK = re.compile(r"^```\n\$ tshark (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
HEAD = re.compile(r" \| head -n (\d+)$")


def without_decoration(text):
    """The header of a table and its rows; all of what is none, but empty lines."""
    lines = [line.rstrip() for line in text.splitlines()]
    title = next((line[:-1] for line in lines if line.endswith(":") and "|" not in line), None)
    dropped = {"", title, f"{title}:"}
    return [line for line in lines if line not in dropped and not line.startswith(("=====", "Filter for statistics:"))]


def printed(tshark, command):
    head = HEAD.search(command)
    options = shlex.split(HEAD.sub("", command))
    capture = next(option for option in options if option.endswith(".pcapng"))
    name = tshark.copy(REPOSITORY / capture)
    lines = without_decoration(tshark.run_options([name if option == capture else option for option in options]))
    return "".join(line + "\n" for line in (lines[: int(head[1])] if head else lines))


def main():
    plugins = pathlib.Path(sys.argv[1])
    text = DOCUMENT.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), plugins)
        new = BLOCK.sub(lambda block: f"```\n$ tshark {block[1]}\n{printed(tshark, block[1])}```", text)
    count = len(BLOCK.findall(text))
    if "--write" in sys.argv:
        DOCUMENT.write_text(new, encoding="utf-8")
    elif new != text:
        wrong = [line for line in new.splitlines() if line not in text.splitlines()]
        sys.exit("doc/recipes.md is not what tshark prints: tests/recipes.py PLUGINS --write\n" + "\n".join(wrong))
    if count < 6:
        sys.exit(f"only {count} commands were found")
    print(f"{count} commands print what doc/recipes.md says")


if __name__ == "__main__":
    main()
