#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inputs.py FOLDER: writes what is read on Linux and on Windows besides the recorded captures

    mutated_N.pcapng   files of scripts/attack/attack.py, seed 1: changed captures and stories
    mutated_N.options  the preferences that each is read with, a line each; PROJECTS stands for the folder of games
    nested.pcapng      Arrays in one another, 1,023 and 5,000 deep: Windows gives a program 1 MB of stack
    big.pcapng         100,000 states of a game over UDP
"""
import importlib.util
import pathlib
import sys

scripts = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(scripts / name) for name in ("packets", "attack", "growth")]

import attack  # noqa: E402
import capture  # noqa: E402
import wire  # noqa: E402

MUTATED = 100
PACKETS = 100_000

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

captures = attack.Captures(scripts.parent / "captures")
for number in range(MUTATED):
    case = attack.make_case(1, number, captures)
    case.write(folder / f"mutated_{number}.pcapng")
    preferences = {name: value.replace(attack.PROJECT, "PROJECTSarena") for name, value in case.preferences.items()}
    lines = "".join(f"{name}:{value}\n" for name, value in preferences.items())
    (folder / f"mutated_{number}.options").write_text(lines, encoding="utf-8")


def nested(depth):
    value = wire.integer(7)
    for _ in range(depth):
        value = wire.array([value])
    return value


capture.write(folder / "nested.pcapng", [
    capture.Packet(time=number, source=(b"\x7f\0\0\1", 5009), destination=(b"\x7f\0\0\1", 40000), payload=nested(depth))
    for number, depth in enumerate((3, 1023, 5000))
])

specification = importlib.util.spec_from_file_location("benchmark", scripts / "benchmark" / "tshark.py")
benchmark = importlib.util.module_from_spec(specification)
specification.loader.exec_module(benchmark)
capture.write(folder / "big.pcapng", benchmark.as_variant(PACKETS))
