#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how the plugin's cost grows: ten times the input may cost twelve times as much, and bounded memory.

    growth.py --build build                  # all inputs, processor time
    growth.py --build build --instructions   # counted by callgrind: slow, and the same on a loaded machine
    growth.py --build build --only enet      # those whose name has this
    growth.py --build build --divide 100     # inputs of a hundredth of the size: whether they are read at all

Each input is read by tshark at two sizes, the larger ten times the smaller. From the cost of each that of an empty
capture is taken off. Processor time tells little where the larger run takes less than five seconds: such a ratio is
shown with a ~, and judged from one second on. Memory is the largest resident size; what a row says per packet is the
difference to a run in which the plugin is not loaded. Prints a table; the exit code is 1 where a ratio is above the
limit, --limit, or memory above MOST_MEMORY.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(repo / "scripts" / "packets"), str(repo / "scripts" / "attack")]

import capture  # noqa: E402
import inputs  # noqa: E402
from sharkd import Folder  # noqa: E402

SHORT_SECONDS = 5.0  # a run below this says little about growth
MOST_MEMORY = 2 << 30


@dataclasses.dataclass(frozen=True)
class Input:
    name: str
    make: object  # of inputs.py
    small: int  # the larger one has ten times as much
    options: tuple = ()  # of tshark


INPUTS = (
    Input("ENet: clients that connect and join", inputs.enet_connects, 1000),
    Input("ENet: fragments of one message", inputs.enet_fragments, 2000),
    Input("ENet: unacknowledged reliable commands", inputs.enet_unacknowledged, 10_000),
    Input("ENet: 255 channels with gaps", inputs.enet_gaps, 10_000),
    Input("ENet: datagrams of 1,350 bytes", inputs.enet_long_datagrams, 10_000),
    Input("multiplayer: path numbers", inputs.multiplayer_paths, 100_000),
    Input("debugger of Godot 3: segments of one message", inputs.debugger_segments, 400),
    Input("TCP: packets of 8 bytes in a segment", inputs.short_packets_in_segment, 818),
    Input("TCP: keys of a Dictionary, -V", inputs.dictionary_keys, 10_000, ("-V",)),
    Input("TCP: KiB of a String, -V", inputs.long_string, 800, ("-V",)),
    # More than 490 of them, read by whomever, are a bug of Wireshark's own.
    Input("WebSocket: messages in a segment", inputs.websocket_in_segment, 45),
    Input("WebSocket: KiB of a message", inputs.websocket_message, 6400),
    Input("UDP: packets of a settled conversation", inputs.settled_conversation, 100_000),
    Input("bombs, zlib", inputs.zlib_bombs, 1000),
    Input("bombs, Zstandard", inputs.zstd_bombs, 1000),
    Input("bombs, FastLZ", inputs.fastlz_bombs, 1000),
    Input("bombs, range coder", inputs.range_coder_bombs, 1000),
)


@dataclasses.dataclass(frozen=True)
class Cost:
    amount: float  # seconds, or billions of instructions
    memory: int  # bytes
    seen: int  # packets that the plugin has read


class Meter:
    def __init__(self, folder, counts_instructions):
        self.folder, self.counts_instructions = folder, counts_instructions
        self.path = folder.path / "growth.pcapng"

    def run(self, options, has_plugin=True):
        """Reads the file; amount, memory and the rows that tshark prints."""
        command = ["tshark", "-n", "-r", str(self.path), *options]
        if self.counts_instructions and has_plugin:
            command[:0] = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        environment = self.folder.environment("block")
        for name in ("WIRESHARK_DEBUG_WMEM_OVERRIDE", "G_SLICE"):
            del environment[name]  # as it is used
        if not has_plugin:
            environment["WIRESHARK_PLUGIN_DIR"] = str(self.folder.path)
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=log, env=environment, **self.folder.run_as()
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            said = log.read().decode("utf-8", "replace")
        if process.returncode != 0 or "Dissector bug" in said:
            raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{said[-2000:]}")
        counted = re.search(r"Collected : (\d+)", said)
        amount = int(counted.group(1)) / 1e9 if counted else usage.ru_utime + usage.ru_stime
        return amount, usage.ru_maxrss * 1024

    def cost(self, each, size):
        count = 0

        def counted():
            nonlocal count
            for packet in each.make(size):
                count += 1
                yield packet

        capture.write(self.path, counted())
        amount, memory = self.run(each.options)
        _, without = self.run(each.options, has_plugin=False)
        return Cost(amount, memory, count), without

    def empty(self, options):
        capture.write(self.path, [])
        return self.run(options)[0]


def measure(meter, each, size):
    empty = meter.empty(each.options)
    small, _ = meter.cost(each, size)
    large, without = meter.cost(each, 10 * size)
    ratio = (large.amount - empty) / max(small.amount - empty, 1e-3)
    per_packet = (large.memory - without) / max(1, large.seen)
    return small.amount - empty, large.amount - empty, ratio, large.memory, per_packet


def main():
    parser = argparse.ArgumentParser(description="Measures how the plugin's cost grows with its input.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("--instructions", action="store_true", help="count them with callgrind")
    parser.add_argument("--only", default="", metavar="TEXT", help="inputs whose name has this")
    parser.add_argument("--divide", type=int, default=1, metavar="NUMBER", help="all sizes by this")
    parser.add_argument("--limit", type=float, default=12.0, help="largest ratio (default %(default)s)")
    options = parser.parse_args()
    if options.instructions and shutil.which("valgrind") is None:
        sys.exit("growth.py: --instructions needs valgrind")
    meter = Meter(Folder(options.build), options.instructions)
    unit = "10⁹ instr." if options.instructions else "s"
    print(f"| input | n | n, {unit} | 10 n, {unit} | ratio | peak memory | plugin's, per packet |")
    print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    above = []
    try:
        for each in INPUTS:
            if options.only not in each.name:
                continue
            size = max(1, each.small // options.divide)
            small, large, ratio, memory, per_packet = measure(meter, each, size)
            is_sure = options.instructions or large >= SHORT_SECONDS
            is_steep = ratio > options.limit and (is_sure or large > 1)
            if is_steep or memory > MOST_MEMORY:
                above.append(each.name)
            print(
                f"| {each.name} | {size:,} | {small:.2f} | {large:.2f} | {'' if is_sure else '~'}{ratio:.1f} | "
                f"{memory >> 20:,} MiB | {per_packet:,.0f} bytes |",
                flush=True,
            )
    finally:
        meter.folder.remove()
    if above:
        sys.exit(f"above the limits: {', '.join(above)}")


if __name__ == "__main__":
    main()
