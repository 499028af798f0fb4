#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plain_words.py ROOT

Lists the comments of the sources that begin with a word that makes a sentence a riddle (Of, What, Whose, ...), or in which
a later sentence or clause begins with one: a comment says who does what, and why. Fails if there are more than MOST.
"""
import pathlib
import re
import sys

MOST = 0

_RIDDLE = re.compile(r"\s*(Of|What|Whose|Whom|Whether|Likewise|As|The same)\b", re.IGNORECASE)
# Behind the first words, "what" may well begin a list; these begin what belongs to another sentence.
_LATER_RIDDLE = re.compile(r"[.;:] ((?:Of|Likewise)\b[^.;:]*)|[,;:] (likewise)[.;]?$", re.IGNORECASE)
_COMMENT = re.compile(r"(?P<code>.*?)(?P<mark>///<|///|//)(?P<text>.*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'')


def comments(text):
    """The number of each comment's first line, that line, and all of it."""
    lines, number = [], 0
    for current, line in enumerate([*text.splitlines(), ""], 1):
        match = _COMMENT.match(_STRING.sub(lambda string: "_" * len(string[0]), line))
        said = line[match.start("text"):] if match else ""
        is_more = bool(match) and bool(lines) and not match["code"].strip() and is_inside
        if lines and not is_more:
            yield number, lines[0], " ".join(each.strip() for each in lines)
            lines = []
        if not match:
            continue
        if not lines:
            number = current
        lines.append(said)
        # A blank line ends a paragraph, and the file's description begins behind it.
        is_inside = said.strip() not in ("", "@file") and not (len(lines) == 1 and match["code"].strip())


def complaints(path, text):
    for number, first, whole in comments(text):
        if match := _RIDDLE.match(first):
            yield f"{path}:{number}: begins with \"{match[1]}\": {first.strip()}"
        for match in _LATER_RIDDLE.finditer(whole):
            yield f"{path}:{number}: goes on with \"{(match[1] or match[2]).strip()}\": {whole.strip()}"


def check_itself():
    text = ("// Whose it is.\n// What follows is not its beginning.\n\nint a;  // of the first\nint b = f(\"// what\");\n"
            "/// Reads it.\n/// @returns whether so\n// As it was.\n//\n// The same as before\n"
            "/// @file\n/// Whose file it is.\n/// What goes on is fine.\n\n"
            "// Its bytes; of a text without the zero.\nint c;  // the newest of them; likewise\n// Kept as it was.\n"
            "// Cut off. Of\n// deltas, nothing is kept.\n")
    found = [int(each.split(":")[1]) for each in complaints("x", text)]
    if found != [1, 4, 10, 12, 15, 16, 17]:
        sys.exit(f"plain_words.py: complains of the lines {found} of what is planted")


if __name__ == "__main__":
    check_itself()
    root = pathlib.Path(sys.argv[1])
    problems = [each for folder in ("codec", "plugin", "tests", "scripts") for path in sorted((root / folder).rglob("*"))
                if path.suffix in (".h", ".cpp") for each in complaints(path.relative_to(root), path.read_text(encoding="utf-8"))]
    print("\n".join(problems))
    sys.exit(1 if len(problems) > MOST else 0)
