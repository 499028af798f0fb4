#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py [--check | --lower] [ROOT]

Counts words of the private dialect in which the sources and documents were first written: uses per 1,000 lines of comments
in codec/, plugin/, page/, scripts/ and tests/, and uses in README.md, CONTRIBUTING.md, CHANGELOG.md and doc/*.md.
scripts/words.txt has the numbers of commit f7349fa, when the counting began, and the present limits.
--check: fails if a number is above its limit. --lower: lowers the limits to the present numbers, where these are smaller.

A comment is what follows // or #, and a docstring of Python. `telling_`, a prefix of identifiers, is counted in code, too.
"""
import pathlib
import re
import sys

_WORDS = ["told", "telling_", "behind", "nobody", "somebody", "whose", "whoever", "is none", "of its own", "garbled", "needless"]
_FOLDERS = ["codec", "plugin", "page", "scripts", "tests"]
_SLASHES = (".h", ".cpp", ".js", ".gd")
_HASHES = (".py", ".sh", ".txt", ".cmake")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
_TABLE = "scripts/words.txt"


def uses(word, text):
    """The number of times that a word is used in a text, in any case and across line breaks."""
    end = "" if word.endswith("_") else r"\b"
    return len(re.findall(r"\b" + re.escape(word).replace(r"\ ", r"\s+") + end, text, re.IGNORECASE))


def comment_lines(path, text):
    """Returns the comments of a source file, line by line, without their markers."""
    marks = re.compile(r"///?<?(.*)" if path.suffix in _SLASHES else r"(?:^|\s)#(?!!)(.*)")
    if path.suffix == ".py":
        for docstring in re.findall(r'^\s*"""(.*?)"""', text, re.MULTILINE | re.DOTALL):
            yield from docstring.splitlines()
    for line in text.splitlines():
        code = _STRING.sub(lambda string: "_" * len(string[0]), line)
        if match := marks.search(code):
            yield line[match.start(1):]


def count(root):
    """For each word: uses in comments, uses per 1,000 lines of comments, and uses in the documents."""
    sources = [path for folder in _FOLDERS for path in sorted((root / folder).rglob("*"))
               if path.suffix in (*_SLASHES, *_HASHES) and path.is_file() and path.name not in ("words.py", "words.txt")]
    texts = [(path, path.read_text(encoding="utf-8", errors="replace")) for path in sources]
    lines = [line for path, text in texts for line in comment_lines(path, text)]
    comments = "\n".join(lines)
    code = "\n".join(text for _, text in texts)
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((root / "doc").glob("*.md"))
    documents = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = {word: uses(word, code if word.endswith("_") else comments) for word in _WORDS}
    return {word: (found[word], 1000 * found[word] / len(lines), uses(word, documents)) for word in _WORDS}


def read_table(root):
    """The rows of words.txt: comments, per 1,000 lines and documents of f7349fa, limits of comments and documents."""
    rows = [line.split("|") for line in (root / _TABLE).read_text(encoding="utf-8").splitlines() if line.count("|") == 5]
    return {row[0].strip(): (int(row[1]), float(row[2]), *(int(number) for number in row[3:])) for row in rows[1:]}


def table_text(rows):
    head = f"{'word':<10} | f7349fa: comments | per 1,000 lines | documents | limit: comments | documents"
    return "\n".join([head, *(f"{word:<10} | {row[0]:17} | {row[1]:15.1f} | {row[2]:9} | {row[3]:15} | {row[4]:9}"
                              for word, row in rows.items())]) + "\n"


def check_itself():
    source = ('// Told to nobody, whose "told" it is.\nf("// told");  ///< is\nint telling_size;\n', "told", 1)
    script = ('"""Behind it."""\nx = "# behind"  # behind\n', "behind", 2)
    for name, (text, word, wanted) in {"a.h": source, "a.py": script}.items():
        found = sum(uses(word, line) for line in comment_lines(pathlib.Path(name), text))
        if name == "a.h":
            found -= 1  # the word in quotes is a part of the comment
        if found != wanted:
            sys.exit(f"words.py: counts {found} uses of {word} in the self-test {name}")
    if uses("is none", "is\nnone, is nonempty") != 1 or uses("telling_", "telling_size, retelling_") != 1:
        sys.exit("words.py: fails its self-test")


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    if "--help" in sys.argv:
        sys.exit(__doc__)
    check_itself()
    table, found = read_table(root), count(root)
    if "--lower" in sys.argv:
        table = {word: (*row[:3], min(row[3], found[word][0]), min(row[4], found[word][2])) for word, row in table.items()}
        (root / _TABLE).write_text(table_text(table), encoding="utf-8")
    lines = table_text(table).splitlines()
    print(f"{lines[0]} | now: comments | per 1,000 lines | documents")
    for line, (comments, rate, documents) in zip(lines[1:], found.values()):
        print(f"{line} | {comments:13} | {rate:15.1f} | {documents:9}")
    above = [word for word, (comments, _, documents) in found.items() if comments > table[word][3] or documents > table[word][4]]
    if "--check" in sys.argv and above:
        sys.exit(f"used more often than before: {', '.join(above)}. Use a plainer word, as in the rest of the sources.")


if __name__ == "__main__":
    main()
