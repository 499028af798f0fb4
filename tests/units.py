# SPDX-License-Identifier: MIT
"""Combines sources into larger units, because parsing their headers, which takes most of the time, is then done once.
"""
import json
import re
import subprocess

# GCC's errors about a name that is defined twice; its other errors are consequences.
_ERROR = re.compile(r"^(.+?):\d+:\d+: error: ", re.MULTILINE)
_CLASH = re.compile(r"^(.+?):\d+:\d+: error: .*(?:redefinition|multiple definition|conflicting declaration|redeclared|ambiguous)", re.MULTILINE)


def compile_commands(build, sources):
    """Returns the sources by folder and compile command: the arguments before the names of output and source."""
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    by_command = {}
    for source in sources:
        command = entries[source]["command"].partition(" -o ")[0]
        by_command.setdefault((entries[source]["directory"], command), []).append(source)
    return by_command


def units(folder, directory, command, sources, flags="-w"):
    """Returns the paths of units in the folder, each of which includes some of the sources. If two sources define the
    same name, so that they cannot be combined, the second is in a later unit. A unit of several sources compiles with the
    flags."""
    number = 0
    while sources:
        unit = folder / f"unit_{number}.cpp"
        sources = _write(unit, directory, f"{command} {flags}", sources)
        yield unit
        number += 1


def _write(unit, directory, command, sources):
    """Writes a unit of the sources that can be combined. @returns the others"""
    one, others = list(sources), []
    while True:
        unit.write_text("".join(f'#include "{each}"  // NOLINT(bugprone-suspicious-include)\n' for each in one))
        check = subprocess.run(f"{command} -fsyntax-only {unit}", shell=True, cwd=directory, capture_output=True)
        if check.returncode == 0 or len(one) == 1:
            return others
        # If a name refers to another source's definition, the error is where the name is used. The later of the two
        # sources is seldom the last one.
        said = check.stderr.decode()
        culprits = _among(one[1:], _CLASH.findall(said)) or _among(one[1:], _ERROR.findall(said)) or one[-1:]
        one = [each for each in one if each not in culprits]
        others += culprits


def _among(sources, places):
    return [each for each in sources if each in places]
