#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""other_releases.py [--moving FOLDER]... BUILD [FOLDER ...] --sources SOURCE ...

Compiles the plugin's sources, without linking, with the headers of other releases of Wireshark. FOLDER contains
wireshark/, as made by scripts/headers.sh. Errors with the headers of a development branch (--moving) are printed but do
not fail the test. Exits with 77 if there are no such headers.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from units import compile_commands, units

OWN = re.compile(r"(?<=-isystem )\S*/wireshark(?= )")


def release_of(headers):
    text = (headers / "ws_version.h").read_text()
    return ".".join(re.search(rf"WIRESHARK_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "MICRO"))


def compiles(directory, command, headers, unit):
    other, replaced = OWN.subn(str(headers), command)
    if replaced != 1:
        sys.exit(f"not one folder of Wireshark's headers: {command}")
    return subprocess.run(f"{other} -fsyntax-only {unit}", shell=True, cwd=directory).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moving", type=pathlib.Path, action="append", default=[])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--sources", nargs="+", required=True)
    options = parser.parse_args()
    folders = [each for each in options.folders + options.moving if (each / "wireshark/ws_version.h").exists()]
    if not folders:
        print("no headers of other releases: run scripts/headers.sh")
        sys.exit(77)
    failed = set()
    with tempfile.TemporaryDirectory() as scratch:
        for (directory, command), sources in compile_commands(options.build, options.sources).items():
            # A source with code for single releases is compiled separately: in a combined unit, other sources' includes
            # would hide that it lacks an include.
            alone = [each for each in sources if "WIRESHARK_VERSION" in pathlib.Path(each).read_text()]
            others = [each for each in sources if each not in alone]
            for unit in [*units(pathlib.Path(scratch), directory, command, others), *alone]:
                failed |= {each for each in folders if not compiles(directory, command, each / "wireshark", unit)}
    for each in folders:
        print(f"Wireshark {release_of(each / 'wireshark')}: {'FAILED' if each in failed else 'compiles'}")
    sys.exit(1 if failed - set(options.moving) else 0)


main()
