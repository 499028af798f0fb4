#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plain_words.py ROOT

Lists the comments of the sources that begin with a word that makes a sentence a riddle (Of, What, Whose, ...): a comment
says who does what, and why. Fails if there are more than MOST of them.
"""
import pathlib
import re
import sys

MOST = 0

_RIDDLE = re.compile(r"\s*(Of|What|Whose|Whom|Whether|Likewise|As|The same)\b", re.IGNORECASE)
_COMMENT = re.compile(r"(?P<code>.*?)(?P<mark>///<|///|//)(?P<text>.*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'')


def beginnings(text):
    """For each comment, the number and the text of its first line."""
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        match = _COMMENT.match(_STRING.sub(lambda string: "_" * len(string[0]), line))
        if not match:
            is_inside = False
            continue
        said = line[match.start("text"):]
        is_whole_line = not match["code"].strip()
        if not (is_inside and is_whole_line):
            yield number, said
        is_inside = is_whole_line and said.strip() not in ("", "@file")  # the file's description begins behind it


def complaints(path, text):
    return [f"{path}:{number}: begins with \"{match[1]}\": {said.strip()}" for number, said in beginnings(text)
            if (match := _RIDDLE.match(said))]


def check_itself():
    text = ("// Whose it is.\n// What follows is not its beginning.\n\nint a;  // of the first\nint b = f(\"// what\");\n"
            "/// Reads it.\n/// @returns whether so\n// As it was.\n//\n// The same as before\n"
            "/// @file\n/// Whose file it is.\n/// What goes on is fine.\n")
    found = [int(each.split(":")[1]) for each in complaints("x", text)]
    if found != [1, 4, 10, 12]:
        sys.exit(f"plain_words.py: complains of the lines {found} of what is planted")


if __name__ == "__main__":
    check_itself()
    root = pathlib.Path(sys.argv[1])
    problems = [each for folder in ("codec", "plugin", "tests", "scripts") for path in sorted((root / folder).rglob("*"))
                if path.suffix in (".h", ".cpp") for each in complaints(path.relative_to(root), path.read_text(encoding="utf-8"))]
    print("\n".join(problems))
    sys.exit(1 if len(problems) > MOST else 0)
