#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inputs.py FOLDER: writes what is read on Linux and on Windows besides the recorded captures

    mutated_N.pcapng   files of scripts/attack/attack.py, seed 1
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

MUTATED = 12
PACKETS = 100_000

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

captures = attack.Captures(scripts.parent / "captures")
for number in range(MUTATED):
    capture.write(folder / f"mutated_{number}.pcapng", attack.make_case(1, number, captures).packets)


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
