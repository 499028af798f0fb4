#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sizes.py [--check] [ROOT]

Prints the sizes of codec/ and plugin/: lines of code (the column "code" of cloc, which must be installed), files of 40
lines or fewer, functions of more than 40 lines, and the longest function.
--check: fails if doc/architecture.md does not name a file of 40 lines or fewer.
"""
import pathlib
import re
import subprocess
import sys

SHORT = 40
SUFFIXES = (".cpp", ".h", ".inc", ".def")
# Statements and declarations, other than functions, that open a block with a brace at the end of a line.
NO_FUNCTION = re.compile(r"(if|else|for|while|switch|do|namespace|struct|class|enum|union|extern|case|default)\b|template <.*> (struct|class)\b")


def count_code(root):
    """The number of lines of code, as cloc counts them."""
    extra = ["--force-lang=C++,inc", "--force-lang=C++,def"]
    command = ["cloc", "--csv", "--quiet", *extra, str(root / "codec"), str(root / "plugin")]
    rows = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return sum(int(row.split(",")[4]) for row in rows if "C++" in row)


def functions(text):
    """The first line and the number of lines of each function, as clang-format lays functions out."""
    lines = text.splitlines()
    end = -1
    for opening, line in enumerate(lines):
        if opening <= end or not line.endswith("{") or line.lstrip().startswith("//"):
            continue
        start = opening
        while start > 0 and lines[start - 1] and not re.search(r"[;{}]$|^\s*(//|#|(public|private|protected):)", lines[start - 1]):
            start -= 1
        head = " ".join(each.strip() for each in lines[start : opening + 1])
        if "(" not in head or NO_FUNCTION.match(head) or re.search(r"= \{$", head):
            continue
        indent = re.match(" *", lines[start])[0]
        end = next((each for each in range(opening + 1, len(lines)) if lines[each].startswith(indent + "}")), opening)
        yield start + 1, end - start + 1


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    files = [path for folder in ("codec", "plugin") for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES]
    texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in files}
    short = [path for path, text in texts.items() if len(text.splitlines()) <= SHORT]
    found = [(count, f"{path}:{line}") for path, text in texts.items() for line, count in functions(text)]
    long = sorted((each for each in found if each[0] > SHORT), reverse=True)
    if "--check" in sys.argv:
        page = (root / "doc/architecture.md").read_text(encoding="utf-8")
        unnamed = [str(path) for path in short if path.name not in page]
        if unnamed:
            sys.exit("doc/architecture.md does not name these files of 40 lines or fewer: " + ", ".join(unnamed))
        return
    print(f"lines of code: {count_code(root):,}")
    print(f"files: {len(files)}, with {SHORT} lines or fewer: {len(short)}")
    print(f"functions with more than {SHORT} lines: {len(long)} of {len(found)}")
    for count, place in long[:5]:
        print(f"  {count} lines: {place}")


if __name__ == "__main__":
    main()
