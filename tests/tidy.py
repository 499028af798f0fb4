#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tidy.py CLANG_TIDY BUILD SOURCE ...

Lints sources as if they were one: what they include, which takes most of the time, is then looked at once. Where two of
them cannot be one, as each has something of its own by the same name, the second is linted after the others.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What GCC says where a name is given twice; all else that it then says follows from that.
CLASH = re.compile(r"^(.+?):\d+:\d+: error: .*(?:redefinition|conflicting declaration|redeclared|ambiguous)", re.MULTILINE)

REPO = pathlib.Path(__file__).resolve().parent.parent


def compile_commands(build, sources):
    """The sources, by the command that compiles them: its words before the output's name and the source's."""
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    by_command = {}
    for source in sources:
        command = entries[source]["command"].partition(" -o ")[0]
        by_command.setdefault((entries[source]["directory"], command), []).append(source)
    return by_command


def split(directory, command, unit, sources):
    """Writes the unit, of those that can be one. @returns the others"""
    one, others = list(sources), []
    while True:
        unit.write_text("".join(f'#include "{each}"  // NOLINT(bugprone-suspicious-include)\n' for each in one))
        check = subprocess.run(f"{command} -w -fsyntax-only {unit}", shell=True, cwd=directory, capture_output=True)
        if check.returncode == 0 or len(one) == 1:
            return others
        places = CLASH.findall(check.stderr.decode())
        culprits = [each for each in one[1:] if each in places] or one[-1:]
        one = [each for each in one if each not in culprits]
        others += culprits


def lint(clang_tidy, folder, directory, command, sources):
    """Whether clang-tidy finds nothing."""
    unit = folder / "unit.cpp"
    is_clean = True
    while sources:
        sources = split(directory, command, unit, sources)
        entry = {"directory": directory, "command": f"{command} {unit}", "file": str(unit)}
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        options = ["--quiet", f"--config-file={REPO / '.clang-tidy'}", "-p", folder]
        is_clean &= subprocess.run([clang_tidy, *options, unit]).returncode == 0
    return is_clean


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    clang_tidy, build, sources = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        results = [
            lint(clang_tidy, pathlib.Path(folder), directory, command, each)
            for (directory, command), each in compile_commands(build, sources).items()
        ]
    sys.exit(0 if all(results) else 1)


main()
