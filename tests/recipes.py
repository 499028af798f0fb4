#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recipes.py PLUGINS GODOT_PROJECT [--write]

Runs the commands of the pages, and compares what they print with what stands there.

Blocks between ``` are all that is printed; --write writes it there. Of tables, what only decorates them is left out; behind
"| head -n N" stand the first N lines of the others. Indented blocks are a choice of what is printed: each line is a part of a
line, in order; … at its end stands for the line's rest, … alone for lines. Blanks between words do not count there.
GODOT_PROJECT is the program of that name.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from tshark import Tshark

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "doc").glob("*.md"))]
BLOCK = re.compile(r"^```\n\$ (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
INDENTED = re.compile(r"^( {4,})\$ (.*)\n((?:\1(?!\$ ).*\n)*)", re.MULTILINE)
HEAD = re.compile(r" \| head -n (\d+)$")


def without_decoration(text):
    """The header of a table and its rows; all of what is none, but empty lines."""
    lines = [line.rstrip() for line in text.splitlines()]
    title = next((line[:-1] for line in lines if line.endswith(":") and "|" not in line), None)
    dropped = {"", title, f"{title}:"}
    return [line for line in lines if line not in dropped and not line.startswith(("=====", "Filter for statistics:"))]


class Programs:
    def __init__(self, folder, plugins, godot_project):
        self.tshark = Tshark(folder, plugins)
        self.godot_project = godot_project
        self.copies = {}

    def readable(self, option):
        """An option with the files and folders of the repository that it names as copies."""
        start, colon, path = option.rpartition(":")
        if not path or not (REPOSITORY / path).exists():
            return option
        if path not in self.copies:
            self.copies[path] = self.tshark.copy(REPOSITORY / path)
        return f"{start}{colon}{self.copies[path]}"

    def lines(self, command):
        words = shlex.split(HEAD.sub("", command), comments=True)
        if words[0] == "godot-project":
            text = subprocess.run([self.godot_project, *words[1:]], check=True, capture_output=True, text=True,
                                  cwd=REPOSITORY).stdout
        elif words[0] == "tshark":
            text = self.tshark.run_options([self.readable(word) for word in words[1:]])
        else:
            sys.exit(f"no command for a page: {command}")
        is_follower = any(word.startswith("follow,") for word in words)
        lines = text.splitlines() if is_follower else without_decoration(text)
        head = HEAD.search(command)
        return lines[: int(head[1])] if head else lines


def missing(shown, printed):
    """The first line that is no part of what is printed behind the line before it; None where all are."""
    printed = iter([" ".join(line.split()) for line in printed])
    for line in shown:
        part = " ".join(line.split())
        is_cut = part.endswith("…")
        part = part[:-1].rstrip() if is_cut else part
        if part and not any(part in each for each in printed):
            return line
    return None


def check_page(programs, page, is_written):
    """How many commands it has, and what is wrong."""
    text = page.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda block: f"```\n$ {block[1]}\n" + "".join(f"{line}\n" for line in programs.lines(block[1])) + "```",
                    text)
    wrong = [line for line in new.splitlines() if line not in text.splitlines()] if new != text else []
    if is_written:
        page.write_text(new, encoding="utf-8")
    for _, command, shown in INDENTED.findall(text):
        line = missing(shown.splitlines(), programs.lines(command))
        wrong += [f"$ {command}\nprints no (or not there): {line}"] if line else []
    return len(BLOCK.findall(text)) + len(INDENTED.findall(text)), wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(pathlib.Path(folder), pathlib.Path(sys.argv[1]), sys.argv[2])
        results = {page.relative_to(REPOSITORY): check_page(programs, page, "--write" in sys.argv) for page in PAGES}
    wrong = [f"{page}: {each}" for page, (_, problems) in results.items() for each in problems]
    if wrong and "--write" not in sys.argv:
        sys.exit("\n".join([*wrong, "see tests/recipes.py --help"]))
    count = sum(commands for commands, _ in results.values())
    if count < 20:
        sys.exit(f"only {count} commands were found")
    print(f"{count} commands print what the pages say")


if __name__ == "__main__":
    main()
