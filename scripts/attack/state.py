#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads files one after another in one process, as Wireshark's window does, to find state that survives a file.

    state.py --build build [--captures FOLDER] [--every N] [--rounds N]

A process reads each capture of the folder (--every N: each Nth) after other captures, most of them of games on the same
ports; then a second time directly after itself; then with other preferences, and once more with the first. Every packet
must be dissected as in a new process: the columns, and the trees of the plugin's protocols.

Then a process reads one capture, merged from several, --rounds times. Its memory may grow between the fifth and the
last round only by a little more than without the plugin: sharkd itself keeps 11 MB of each file.
"""
import argparse
import json
import pathlib
import sys

import attack
import capture
from sharkd import Fault, Folder, Sharkd

# Preferences that change the state that the plugin builds for a file. Each takes effect at the next load.
OTHERS = {
    "enet.checksum": "TRUE",
    "enet.compression": "none",
    "godot.dialect": "docs",
    "godot.real": "double",
    "godot_mp.generation": "3",
}
DEFAULTS = {name: attack.PREFERENCES[name][0] for name in OTHERS}

# One capture for each kind of session: an ENet game of Godot 3 and of Godot 4, lost packets, a debugger, streams,
# WebSockets, WebRTC.
GROWING = ("mp_spawn_godot4.6", "mp_rpc_godot3.6", "enet_loss_godot4.6", "debug_script_godot4.6", "tcp_types_godot4.6",
           "mp_ws_godot4.6", "sctp_by_hand")
MOST_PATHS = 20  # number of captures that one process reads, five times each; limited because sharkd's own memory grows
SETTLED = 5  # number of rounds after which a process has allocated its caches
MOST_GROWTH = 1 << 20  # limit in bytes, compared with a process without the plugin


def prefer(sharkd, preferences):
    for answer in sharkd.ask([("setconf", {"name": name, "value": value}) for name, value in preferences.items()]):
        if b'"OK"' not in answer:
            raise Fault(f"a preference was not set: {answer}")


def read(sharkd, path):
    """Returns the plugin's items of each packet, by packet number."""
    loaded, rows = sharkd.ask([("load", {"file": str(path)}), ("frames", None)])
    if b'"OK"' not in loaded:
        raise Fault(f"not loaded: {loaded[:200]}")
    rows = json.loads(rows)["result"]
    looks = {}
    for batch in attack.batches([row["num"] for row in rows]):
        requests = [("frame", {"frame": number, "proto": True, "columns": True}) for number in batch]
        for number, answer in zip(batch, sharkd.ask(requests)):
            looks[number] = attack.part_of_plugin(attack.result_of(answer))
    sharkd.check()
    return [json.dumps(row["c"]) for row in rows], looks


def compare(name, when, found, wanted):
    """Returns whether the two results are equal; prints the first difference."""
    for number, (row, wanted_row) in enumerate(zip(found[0], wanted[0]), 1):
        if row != wanted_row:
            print(f"{name} {when}, packet {number}:\n  {row}\n  in a new process\n  {wanted_row}")
            return False
    for number, look in found[1].items():
        if look != wanted[1].get(number):
            print(f"{name} {when}, packet {number}{attack.difference(wanted[1].get(number, ''), look)}")
            return False
    if len(found[0]) != len(wanted[0]):
        print(f"{name} {when}: {len(found[0])} packets instead of {len(wanted[0])}")
        return False
    return True


def fresh(folder, path):
    sharkd = Sharkd(folder, "strict")
    try:
        return read(sharkd, path)
    finally:
        sharkd.close()


def one_after_another(folder, paths):
    """Reads a capture after others in one process, and compares with a new process. @returns the number of compared
    packets, and whether all were equal"""
    sharkd = Sharkd(folder, "strict")
    packets, is_same = 0, True
    for path in paths:
        wanted = fresh(folder, path)
        is_same &= compare(path.name, "after another", read(sharkd, path), wanted)
        is_same &= compare(path.name, "after itself", read(sharkd, path), wanted)
        prefer(sharkd, OTHERS)
        read(sharkd, path)
        prefer(sharkd, DEFAULTS)
        is_same &= compare(path.name, "after other preferences", read(sharkd, path), wanted)
        packets += 3 * len(wanted[0])
    sharkd.close()
    return packets, is_same


def growth(folder, path, rounds, has_plugin):
    """Returns how many bytes a process has allocated between the round SETTLED and the last."""
    sharkd = Sharkd(folder, "simple", has_plugin)
    for number in range(1, rounds + 1):
        sharkd.ask([("load", {"file": str(path)}), ("frames", None)])
        if number == SETTLED:
            settled = sharkd.memory()
    taken = sharkd.memory() - settled
    sharkd.close()
    return taken


def main():
    parser = argparse.ArgumentParser(description="Files opened one after another in one process.")
    parser.add_argument("--build", type=pathlib.Path, default=attack.repo / "build")
    parser.add_argument("--captures", type=pathlib.Path, default=attack.repo / "captures")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    folder = Folder(options.build)
    try:
        for path in options.captures.glob("*.pcapng"):
            (folder.path / path.name).write_bytes(path.read_bytes())
        paths = sorted(folder.path.glob("*.pcapng"))[:: options.every]
        is_right, packets = True, 0
        for first in range(0, len(paths), MOST_PATHS):
            compared, is_same = one_after_another(folder, paths[first : first + MOST_PATHS])
            packets, is_right = packets + compared, is_right and is_same
        print(f"{len(paths)} captures, {packets} packets compared")
        growing = folder.path / "growing.pcapng"
        capture.write(growing, [each for name in GROWING for each in capture.read(options.captures / f"{name}.pcapng")])
        with_plugin, without = (growth(folder, growing, options.rounds, has_plugin) for has_plugin in (True, False))
        print(f"growth from load {SETTLED} to {options.rounds}: {with_plugin >> 10} KiB, "
              f"without the plugin {without >> 10} KiB")
        is_right &= with_plugin <= without + MOST_GROWTH
    finally:
        folder.remove()
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
