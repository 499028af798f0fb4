#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recipes.py PLUGINS GODOT_PROJECT [--write]

Runs the commands of README.md, CONTRIBUTING.md and doc/*.md, except those of NOT_RUN, and compares their output with
the page.

A command is a line of a code block, or code of several words in a sentence, that begins with one of PROGRAMS or with a
file of the repository. It must end without an error. If it begins with "$ ", the next lines are its output:
- between ``` all of it, which --write updates. The decoration of tables is omitted. After "| head -n N", the first N
lines.
- in an indented block a selection: each line is a part of a line of the output, in the same order. "…" at the end of a
line is its rest, "…" alone is any number of lines. The number of blanks between words does not matter.
Commands run as a user who is not root, in a folder with copies of the files that they name, and with those of
PLACEHOLDERS.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from nobody import NOBODY, as_nobody, copy_readable, open_folder

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "doc").glob("*.md"))]
BLOCK = re.compile(r"^```\n\$ (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
INDENTED = re.compile(r"^( {4,})\$ (.*)\n((?:\1(?!\$ ).*\n)*)", re.MULTILINE)
HEAD = re.compile(r" \| head -n (\d+)$")
CODE = re.compile(r"^ {4,}(\S.*)$|(?<!`)`([^`]+)`(?!`)", re.MULTILINE)

PROGRAMS = {"apt", "bash", "cd", "chromium", "cmake", "ctest", "dumpcap", "editcap", "firefox", "gdb", "git", "godot", "godot-project",
            "grep", "psql", "set", "sh", "sharkd", "ssh", "sudo", "tshark", "ulimit", "unshare", "wireshark"}
OWN_PROGRAM = re.compile(r"(scripts|tests|captures|build[\w-]*)/[\w./-]+$")
VARIABLE = re.compile(r"[A-Z_]+=")
# Names of a reader's files in the pages, and the files that the test uses instead.
PLACEHOLDERS = {"game.pcapng": "tests/projects/arena.pcapng", "capture.pcapng": "tests/projects/arena.pcapng",
                "with_keys.pcapng": "captures/mp_wss_godot4.6.pcapng", "keys.txt": "tests/data/keys.txt",
                "log.txt": "tests/data/chromium_sctp.log", "FOLDER": "tests/projects/arena"}

# Prefixes of commands that the test does not run, and the reason.
NOT_RUN = {
    "sudo ": "changes the system",
    "ssh server ": "needs another computer",
    "git tag ": "publishes a release",
    "sh uninstall.command": "needs macOS",
    "set SSLKEYLOGFILE": "needs Windows",
    "SSLKEYLOGFILE=": "opens a browser, or runs Debian's Godot 4",
    "chromium ": "opens a browser",
    "wireshark -C Godot": "opens a window: tests/window.py does so",
    "gdb ": "waits for input",
    "dumpcap -i lo": "records until it is stopped",
    "cd exported && psql": "needs a database: tests/export_database.py has one",
    "cmake --": "builds or installs for minutes",
    "ctest ": "runs tests, of which this is one",
    "unshare ": "runs all tests, of which this is one",
    "build-dev/tests/": "runs tests for minutes",
    "GODOT_RECORD=1 ": "runs tests for minutes",
    "scripts/sizes.py": "needs cloc and the documents",
    "build/tests/": "runs tests for minutes",
    "build-test/tests/": "runs for minutes",
    "scripts/test.sh": "runs all tests, of which this is one",
    "scripts/demo.sh": "builds the plugin for minutes: tests/demo.py runs it in a clean checkout",
    "scripts/write_reference.sh": "the test plugin.reference runs it",
    "tests/degraded_captures.py": "the test plugin.degraded_captures runs it",
    "scripts/window.py": "the test plugin.window runs it",
    "scripts/record_output.sh": "prints all captures, which takes minutes",
    "scripts/releases.sh": "builds and tests in chroots for an hour",
    "scripts/packages.sh": "builds in a chroot for minutes",
    "scripts/windows_": "builds in a chroot for minutes",
    "scripts/fuzz.sh": "takes an hour",
    "scripts/coverage.sh": "takes minutes",
    "scripts/valgrind.py": "takes an hour",
    "scripts/wrong_internals.py": "builds the plugin 25 times",
    "scripts/attack/": "takes an hour: the tests attack.* are short runs",
    "scripts/growth/": "takes an hour: the test attack.growth is a short run",
    "scripts/benchmark/": "takes minutes, and measures",
    "GODOT=godot scripts/benchmark/": "takes minutes, and needs an engine",
    "scripts/measure_": "takes half an hour",
    "scripts/variants/": "needs an engine, or recordings that it has made",
    "scripts/play/": "needs an engine and a game",
    "scripts/proof.py": "takes minutes",
    "captures/record.sh": "needs an engine",
    "scripts/version.sh X.Y.Z": "needs the version of a release",
    "ulimit ": "needs a capture that is not in the repository",
}
# Mentions of a program with an option. They are not complete commands.
MENTIONED = {"tshark -Y", "tshark -T pdml", "tshark -z expert", "tshark -M", "tshark -nV", "tshark -q -z", "editcap -r",
             "tshark -2 -q -z godot,problems"}


def without_decoration(text):
    """Returns the header and the rows of a table. For other output, returns all lines that are not empty."""
    lines = [line.rstrip() for line in text.splitlines()]
    title = next((line[:-1] for line in lines if line.endswith(":") and "|" not in line), None)
    dropped = {"", title, f"{title}:"}
    return [line for line in lines if line not in dropped and not line.startswith(("=====", "Filter for statistics:"))]


def program_of(command):
    """Returns the program that a command runs, without assignments of variables before it; empty if there is no
    program."""
    return next((word for word in command.split() if not VARIABLE.match(word)), "")


def commands_without_output(text):
    """Returns the commands of a page that show no output. Removes the comments after them."""
    text = INDENTED.sub("", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for line, span in CODE.findall(text):
        command = re.sub(r"\s+# .*", "", " ".join((line or span).split()))
        program = program_of(command)
        if (program in PROGRAMS or OWN_PROGRAM.match(program)) and (line or " " in command):
            yield command


class Programs:
    def __init__(self, folder, plugins, godot_project):
        self.folder = folder
        self.printed = {}
        self.unused = set(NOT_RUN)
        open_folder(folder)
        copy_readable(plugins, folder / "plugins")
        for build in ("build", "build-dev"):
            (folder / build).mkdir()
            (folder / build / "plugins").symlink_to(folder / "plugins")
        (folder / "bin").mkdir()
        copy_readable(godot_project, folder / "bin/godot-project")
        self.environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                            "WIRESHARK_PLUGIN_DIR": str(folder / "plugins"), "PATH": f"{folder}/bin:{os.environ['PATH']}"}

    def bring(self, command):
        """Copies the files and folders that a command names: files of the repository, and placeholders."""
        for path in set(re.findall(r"[\w./-]+", command)) - {".", "..", "build", "doc"}:
            source = REPOSITORY / PLACEHOLDERS.get(path, path)
            target = self.folder / path
            if path in PLACEHOLDERS and target.is_file():
                target.unlink()  # an earlier command may have written it
            if path.startswith("/") or target.exists() or not source.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_readable(source, target)
            if path in PLACEHOLDERS and os.geteuid() == 0:
                os.chown(target, NOBODY, NOBODY)
        if "scripts/" in command and not (self.folder / "scripts/common.sh").exists():
            subprocess.run(["cp", "-r", REPOSITORY / "scripts", self.folder], check=True)

    def run(self, command):
        """Returns the output of a command. Ends the test if it fails, or if it writes to standard error."""
        if command not in self.printed:
            self.bring(command)
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=self.environment, capture_output=True, text=True,
                                  check=False, timeout=300, **as_nobody(self.folder))
            if done.returncode != 0 or done.stderr:
                sys.exit(f"{command}\nends with {done.returncode}:\n{done.stderr}")
            self.printed[command] = done.stdout
        return self.printed[command]

    def lines(self, command):
        text = self.run(HEAD.sub("", command))
        lines = text.splitlines() if "follow," in command else without_decoration(text)
        head = HEAD.search(command)
        return lines[: int(head[1])] if head else lines

    def run_or_skip(self, command):
        """@returns what is wrong with a command that shows no output"""
        if command in MENTIONED:
            return []
        beginning = next((each for each in NOT_RUN if command.startswith(each)), None)
        if beginning is None:
            self.run(command)
            return []
        self.unused.discard(beginning)
        program = program_of(command)
        is_missing = program.startswith(("scripts/", "tests/", "captures/")) and not (REPOSITORY / program).exists()
        return [f"{program} does not exist"] if is_missing else []


def missing(shown, printed):
    """Returns the first expected line that is not in the output after the match of the previous line; null if all
    lines match."""
    printed = iter([" ".join(line.split()) for line in printed])
    for line in shown:
        part = " ".join(line.split())
        is_cut = part.endswith("…")
        part = part[:-1].rstrip() if is_cut else part
        if part and not any(part in each for each in printed):
            return line
    return None


def check_page(programs, page, is_written):
    """Returns the number of commands, and a list of what is wrong."""
    text = page.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda block: f"```\n$ {block[1]}\n" + "".join(f"{line}\n" for line in programs.lines(block[1])) + "```",
                    text)
    wrong = [line for line in new.splitlines() if line not in text.splitlines()] if new != text else []
    if is_written:
        page.write_text(new, encoding="utf-8")
    for _, command, shown in INDENTED.findall(text):
        line = missing(shown.splitlines(), programs.lines(command))
        wrong += [f"$ {command}\ndoes not print (or not there): {line}"] if line else []
    silent = list(commands_without_output(text))
    wrong += [problem for command in silent for problem in programs.run_or_skip(command)]
    return len(BLOCK.findall(text)) + len(INDENTED.findall(text)) + len(silent), wrong


def check_itself():
    page = "Run `tshark -G\nplugins` or `scripts/no.sh`.\n\n    $ tshark -r a\n    tshark b\n\n    X=1 scripts/a.py  # c\n    call tshark\n"
    found = list(commands_without_output(page))
    if found != ["tshark -G plugins", "X=1 scripts/a.py"]:
        sys.exit(f"recipes.py: self-test: found the commands {found}")


def main():
    check_itself()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(pathlib.Path(folder), pathlib.Path(sys.argv[1]), sys.argv[2])
        results = {page.relative_to(REPOSITORY): check_page(programs, page, "--write" in sys.argv) for page in PAGES}
    wrong = [f"{page}: {each}" for page, (_, problems) in results.items() for each in problems]
    if wrong and "--write" not in sys.argv:
        sys.exit("\n".join([*wrong, "see tests/recipes.py --help"]))
    if programs.unused:
        sys.exit(f"NOT_RUN has prefixes that no command has: {programs.unused}")
    count = sum(commands for commands, _ in results.values())
    if count < 100:
        sys.exit(f"only {count} commands were found")
    print(f"{count} commands: {len(programs.printed)} were run, and print what the pages show")


if __name__ == "__main__":
    main()
