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


def with_headers(command, folder):
    other, replaced = OWN.subn(str(folder / "wireshark"), command)
    if replaced != 1:
        sys.exit(f"not one folder of Wireshark's headers: {command}")
    return other


def compiles(directory, command, unit):
    return subprocess.run(f"{command} -fsyntax-only {unit}", shell=True, cwd=directory).returncode == 0


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
            # Sources that can be combined have been compiled with the headers of the first folder.
            first = with_headers(command, folders[0])
            for unit in units(pathlib.Path(scratch), directory, first, others, ""):
                is_compiled = len(unit.read_text().splitlines()) > 1
                alone += [] if is_compiled else [unit]
                checked = folders[1:] if is_compiled else []
                failed |= {each for each in checked if not compiles(directory, with_headers(command, each), unit)}
            for source in alone:
                failed |= {each for each in folders if not compiles(directory, with_headers(command, each), source)}
    for each in folders:
        print(f"Wireshark {release_of(each / 'wireshark')}: {'FAILED' if each in failed else 'compiles'}")
    sys.exit(1 if failed - set(options.moving) else 0)


main()
