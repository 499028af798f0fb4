# SPDX-License-Identifier: MIT
"""Sources put together, as if they were one: what they include, which takes most of the time, is then looked at once."""
import json
import re
import subprocess

# What GCC says where a name is given twice; all else that it then says follows from that.
_ERROR = re.compile(r"^(.+?):\d+:\d+: error: ", re.MULTILINE)
_CLASH = re.compile(r"^(.+?):\d+:\d+: error: .*(?:redefinition|multiple definition|conflicting declaration|redeclared|ambiguous)", re.MULTILINE)


def compile_commands(build, sources):
    """The sources, by the folder and the command that compile them: its words before the output's name and the source's."""
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    by_command = {}
    for source in sources:
        command = entries[source]["command"].partition(" -o ")[0]
        by_command.setdefault((entries[source]["directory"], command), []).append(source)
    return by_command


def units(folder, directory, command, sources):
    """Paths in the folder, each of a unit that includes some of the sources. Where two of them cannot be one, as each
    has something of its own by the same name, the second is in a later unit."""
    number = 0
    while sources:
        unit = folder / f"unit_{number}.cpp"
        sources = _write(unit, directory, command, sources)
        yield unit
        number += 1


def _write(unit, directory, command, sources):
    """Writes the unit, of those that can be one. @returns the others"""
    one, others = list(sources), []
    while True:
        unit.write_text("".join(f'#include "{each}"  // NOLINT(bugprone-suspicious-include)\n' for each in one))
        check = subprocess.run(f"{command} -w -fsyntax-only {unit}", shell=True, cwd=directory, capture_output=True)
        if check.returncode == 0 or len(one) == 1:
            return others
        # A name that means another source's is an error where it is used: the second of the two is seldom the last one.
        said = check.stderr.decode()
        culprits = _among(one[1:], _CLASH.findall(said)) or _among(one[1:], _ERROR.findall(said)) or one[-1:]
        one = [each for each in one if each not in culprits]
        others += culprits


def _among(sources, places):
    return [each for each in sources if each in places]
