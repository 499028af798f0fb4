#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tidy.py CLANG_TIDY BUILD SOURCE ...

Lints sources, combined into larger units where possible.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from units import compile_commands, units

REPO = pathlib.Path(__file__).resolve().parent.parent


def lint(clang_tidy, folder, directory, command, sources):
    """Returns whether clang-tidy finds nothing."""
    is_clean = True
    for unit in units(folder, directory, command, sources):
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
