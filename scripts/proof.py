#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""proof.py [--godot COMMAND] BUILD FOLDER

Measures how well the plugin reads the games in FOLDER, each a folder with a project.godot. Downloads nothing and
changes nothing there.

With --godot, an editor build of Godot 4.4 or later, the engine prints each game's scripts and scenes
(tests/projects/truth.gd), and exports the game as a pack; BUILD's program project_lines reads the folder and the pack,
and both outputs are compared with the engine's. Captures (*.pcap, *.pcapng) next to a project.godot, and captures next
to the project folder or one folder above whose names begin with its name, are read by tshark with BUILD's plugin and
the game's project folder: how many synchronized values and calls have names, and which problems are reported. Prints a
row for each game, then the captures with values or calls that belong to no folder. --verbose prints the differences;
with --captures, only captures are read.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests"))
from nobody import copy_readable  # noqa: E402
from tshark import Tshark  # noqa: E402

PRESET = """[preset.0]
name="proof"
platform="Linux"
runnable=true
export_filter="all_resources"
export_path=""
encrypt_pck=false
encrypt_directory=false
script_export_mode=2
[preset.0.options]
"""
# Problems of a game that does not work. In a capture of a working game, they are false alarms.
ALARMS = ("godot_mp.not_allowed", "godot_mp.refused", "godot_mp.property_mismatch", "godot_mp.unknown_methods",
          "godot_mp.signature_mismatch", "godot_mp.unreadable_argument")


def lines_of(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **options)
    return [line for line in done.stdout.splitlines() if line.count("\t") >= 2]


def comparable(lines):
    """Removes the modes that rpc_config() sets, because a variable may hold them; also removes the types of
    properties."""
    kept = collections.Counter()
    for line in lines:
        cells = line.split("\t")
        if cells[0] == "configured":
            cells[4] = "|".join(method.split(":")[0] for method in cells[4].split("|"))
        if cells[0] != "types":
            kept["\t".join(cells)] += 1
    return kept


def compare(what, expected, found, verbose):
    """Returns the number of lines, and how many of these lines only one side has."""
    expected, found = comparable(expected), comparable(found)
    missing, extra = expected - found, found - expected
    if verbose:
        for sign, lines in (("-", missing), ("+", extra)):
            for line in lines:
                print(f"    {what} {sign} {line}")
    return f"{sum(expected.values())}, {sum(missing.values()) + sum(extra.values())} differ"


def exported(godot, copy):
    (copy / "export_presets.cfg").write_text(PRESET)
    pack = copy.parent / "game.pck"
    subprocess.run([godot, "--headless", "--path", copy, "--export-pack", "proof", pack], capture_output=True, timeout=600)
    return pack if pack.exists() else None


def check_project(arguments, game):
    program = arguments.build / "tests" / "project_lines"
    read = lines_of(program, game)
    row = [f"{len(read)} lines"]
    if not arguments.godot:
        return row
    truth = lines_of(REPOSITORY / "tests" / "projects" / "record_truth.sh", arguments.godot, game)
    row.append("engine: " + (compare("engine", truth, read, arguments.verbose) if truth else "says nothing"))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "game"
        shutil.copytree(game, copy)
        pack = exported(arguments.godot, copy)
        row.append("export: " + (compare("export", read, lines_of(program, pack), arguments.verbose) if pack else "fails"))
    return row


def captures_in(folder):
    return [path for path in sorted(folder.iterdir()) if path.suffix in (".pcap", ".pcapng")]


def captures_of(game, root):
    beside = [folder for folder in (game.parent, game.parent.parent) if folder.is_relative_to(root) and game != root]
    named = [path for folder in beside for path in captures_in(folder) if re.split(r"[.]|_(?=versions)", path.name)[0] == game.name]
    return captures_in(game) + named


def share(named, count):
    return f"{named} of {count}" + (f" ({100 * named / count:.2f} %)" if count else "")


def check_capture(tshark, capture, game, total):
    options = ["-2", "-o", f"godot_mp.project:{game}"]
    fields = ["godot_mp.property", "godot_mp.rpc.method_id", "godot_mp.rpc.method_source"]
    table = tshark.run(tshark.copy(capture), *options, "-Y", "godot_mp", "-T", "fields", "-E", "aggregator=\x1f",
                       *[word for field in fields for word in ("-e", field)])
    values, unnamed, calls, named_calls = 0, 0, 0, 0
    for line in table.splitlines():
        properties, methods, sources = (cell.split("\x1f") if cell else [] for cell in (line + "\t\t").split("\t")[:3])
        values += len(properties)
        unnamed += sum(name.startswith(("sync#", "delta#", "spawn#")) for name in properties)
        calls += max(len(methods), len(sources))  # Godot 3 sends the names
        named_calls += len(sources)
    total.update({"values": values, "named values": values - unnamed, "calls": calls, "named calls": named_calls})
    alarms = [f"{name} {count}" for name in ALARMS
              if (count := tshark.run(tshark.copy(capture), *options, "-Y", name).count("\n"))]
    return [f"{capture.name}: values {share(values - unnamed, values)}", f"calls {share(named_calls, calls)}", *alarms]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--godot")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--captures", action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), arguments.build / "plugins")
        read = set()
        total = collections.Counter()
        for settings in sorted(arguments.folder.rglob("project.godot")):
            game = settings.parent
            rows = [] if arguments.captures else [check_project(arguments, game)]
            captures = captures_of(game, arguments.folder)
            if captures:
                copy = copy_readable(game, tshark.folder / "game")
                rows += [check_capture(tshark, capture, copy, total) for capture in captures]
                shutil.rmtree(copy)
            read.update(captures)
            for row in rows:
                print(f"{game.relative_to(arguments.folder)}: {'; '.join(row)}", flush=True)
        print(f"all: values {share(total['named values'], total['values'])}; calls {share(total['named calls'], total['calls'])}")
        for capture in sorted(set(arguments.folder.rglob("*.pcap*")) - read):
            row = check_capture(tshark, capture, "", collections.Counter())
            if not row[0].endswith(" 0 of 0") or row[1] != "calls 0 of 0":
                print(f"without a folder: {'; '.join(row[:2])}", flush=True)


if __name__ == "__main__":
    main()
