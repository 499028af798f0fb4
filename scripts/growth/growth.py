#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how the plugin's cost grows: for ten times the input, the limits are twelve times the time, and bounded
memory.

    growth.py --build build                  # all inputs, processor time
    growth.py --build build --instructions   # counted by cachegrind: slow, but independent of the machine's load
    growth.py --build build --only enet      # inputs whose name contains this
    growth.py --build build --divide 100     # inputs of a hundredth of the size: only checks that they can be read

tshark reads each input at two sizes, the larger ten times the smaller. The cost of an empty capture is subtracted.
Processor time is imprecise if the larger run takes less than five seconds: such a ratio is marked with ~, and only
compared with the limit if the run takes at least a second. The same is measured without the plugin: if Wireshark's own
ratio exceeds the limit, its column shows it. Memory is the largest resident size. Memory per packet is the growth from
the smaller run to the larger, minus the growth without the plugin, whether it is kept or needed for one packet only.
Prints a table. The exit code is 1 if a ratio exceeds --limit and Wireshark's own ratio does not, if memory exceeds
MOST_MEMORY, or if more memory is kept than the budget for a capture of this size.
"""
import argparse
import dataclasses
import functools
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
from sharkd import Folder, as_nobody  # noqa: E402

SHORT_SECONDS = 5.0  # if a run takes less time, its growth is imprecise
MOST_MEMORY = 2 << 30
# Budget of the memory that the plugin keeps: a constant number of bytes, and a number of bytes per byte of the capture.
# Two sessions have such a budget (codec/godot-codec/core/memory_budget.h), and one of them allocates in blocks.
FREE_MEMORY, MOST_KEPT = 48 << 20, 96


@dataclasses.dataclass(frozen=True)
class Input:
    name: str
    make: object  # of inputs.py
    small: int  # size of the smaller input; the size of the larger input is ten times this
    options: tuple = ()  # of tshark


INPUTS = (
    Input("ENet: clients that connect and join", inputs.enet_connects, 5000),
    Input("ENet: fragments of one message", inputs.enet_fragments, 60_000),
    Input("ENet: unacknowledged reliable commands", inputs.enet_unacknowledged, 50_000),
    Input("ENet: 255 channels with gaps", inputs.enet_gaps, 50_000),
    Input("ENet: datagrams of 1,350 bytes", inputs.enet_long_datagrams, 50_000),
    Input("ENet: unreliable commands", inputs.enet_unreliable, 50_000),
    Input("ENet: one datagram, captured again", inputs.enet_again, 50_000),
    Input("multiplayer: path numbers", inputs.multiplayer_paths, 100_000),
    Input("debugger of Godot 3: segments of one message", inputs.debugger_segments, 20_000),
    Input("TCP: packets of 8 bytes in a segment", inputs.short_packets_in_segment, 818),
    Input("TCP: keys of a Dictionary, -V", inputs.dictionary_keys, 10_000, ("-V",)),
    Input("TCP: KiB of a String, -V", inputs.long_string, 800, ("-V",)),
    # With more than 490 messages, Wireshark itself has a bug that occurs with any dissector.
    Input("WebSocket: messages in a segment", inputs.websocket_in_segment, 45),
    Input("WebSocket: KiB of a message", inputs.websocket_message, 1600),
    Input("WebRTC: fragments of messages without an end", inputs.webrtc_fragments, 2000),
    Input("WebRTC: channels that are opened", inputs.webrtc_channels, 2000),
    Input("WebRTC: associations", inputs.webrtc_associations, 20_000),
    Input("WebRTC: checks of ICE", inputs.webrtc_checks, 5000),
    Input("UDP: packets of a settled conversation", inputs.settled_conversation, 100_000),
    Input("bombs, zlib", inputs.zlib_bombs, 1500),
    Input("bombs, Zstandard", inputs.zstd_bombs, 40_000),
    Input("bombs, FastLZ", inputs.fastlz_bombs, 5000),
    Input("bombs, range coder", inputs.range_coder_bombs, 8000),
    Input("bombs of 1,024 pings", inputs.ping_bombs, 2000),
    Input("bombs of a path of 4 KB", inputs.path_bombs, 2000),
)


@dataclasses.dataclass(frozen=True)
class Cost:
    amount: float  # seconds, or billions of instructions, without the amount for an empty capture
    memory: int  # bytes


@dataclasses.dataclass(frozen=True)
class Reading:
    """The measurements of one input at one size."""

    plugin: Cost
    alone: Cost  # of Wireshark without the plugin
    packets: int
    size: int  # of the file


def one_seed(folder):
    """Builds a library for LD_PRELOAD that returns a constant seed. Wireshark's hash tables use a random seed, which
    changes the cost by up to a twentieth."""
    library = folder.path / "one_seed.so"
    code = "unsigned g_random_int(void) { return 0x9e3779b1; }"
    compiler = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(compiler, input=code, text=True, check=True)
    return library


class Meter:
    def __init__(self, folder, counts_instructions):
        self.folder, self.counts_instructions = folder, counts_instructions
        self.path = folder.path / "growth.pcapng"
        if counts_instructions:
            folder.preload.append(str(one_seed(folder)))
        self.empty = functools.cache(self._empty)

    def cost(self, options, has_plugin):
        """Returns the cost of reading the file: the amount, which includes the amount for an empty file, and the
        memory."""
        seconds, memory, _ = self.run([], options, has_plugin)
        if not self.counts_instructions:
            return seconds, memory
        counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        said = self.run(counter, options, has_plugin)[2]
        return int(re.search(r"I +refs: +([\d,]+)", said).group(1).replace(",", "")) / 1e9, memory

    def run(self, wrapper, options, has_plugin):
        """Runs tshark on the file. Returns the seconds, the memory and tshark's output."""
        command = [*wrapper, "tshark", "-n", "-r", str(self.path), *options]
        environment = self.folder.environment("block")
        for name in ("WIRESHARK_DEBUG_WMEM_OVERRIDE", "G_SLICE"):
            del environment[name]  # as in normal use
        if not has_plugin:
            environment["WIRESHARK_PLUGIN_DIR"] = str(self.folder.path)
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=log, env=environment, **as_nobody(self.folder.path)
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            said = log.read().decode("utf-8", "replace")
        if process.returncode != 0 or "Dissector bug" in said:
            raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{said[-2000:]}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, said

    def _empty(self, options, has_plugin):
        capture.write(self.path, [])
        return self.cost(options, has_plugin)[0]

    def read(self, each, size):
        empty = [self.empty(each.options, has_plugin) for has_plugin in (True, False)]
        count = 0

        def counted():
            nonlocal count
            for packet in each.make(size):
                count += 1
                yield packet

        capture.write(self.path, counted())
        costs = []
        for has_plugin in (True, False):
            amount, memory = self.cost(each.options, has_plugin)
            costs.append(Cost(amount - empty[len(costs)], memory))
        return Reading(*costs, count, self.path.stat().st_size)


def ratio(small, large):
    return large.amount / max(small.amount, 1e-3)


def kept(small, large):
    """Returns the memory in bytes that the plugin adds per packet: the growth from the small run to the large run,
    minus the same growth without the plugin."""
    plugin, alone = (large.plugin.memory - small.plugin.memory, large.alone.memory - small.alone.memory)
    return (plugin - alone) / max(1, large.packets - small.packets)


def keeps_too_much(reading):
    return reading.plugin.memory - reading.alone.memory > FREE_MEMORY + MOST_KEPT * reading.size


def main():
    parser = argparse.ArgumentParser(description="Measures how the plugin's cost grows with its input.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("--instructions", action="store_true", help="count them with cachegrind")
    parser.add_argument("--only", default="", metavar="TEXT", help="inputs whose name has this")
    parser.add_argument("--divide", type=int, default=1, metavar="NUMBER", help="all sizes by this")
    parser.add_argument("--limit", type=float, default=12.0, help="largest ratio (default %(default)s)")
    options = parser.parse_args()
    if options.instructions and shutil.which("valgrind") is None:
        sys.exit("growth.py: --instructions needs valgrind")
    meter = Meter(Folder(options.build), options.instructions)
    unit = "10⁹ instr." if options.instructions else "s"
    print(f"| input | n | n, {unit} | 10 n, {unit} | ratio | without the plugin | peak memory | plugin's, per packet |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    above = []
    try:
        for each in INPUTS:
            if options.only not in each.name:
                continue
            size = max(1, each.small // options.divide)
            small, large = meter.read(each, size), meter.read(each, 10 * size)
            steep, steep_alone = ratio(small.plugin, large.plugin), ratio(small.alone, large.alone)
            is_sure = options.instructions or large.plugin.amount >= SHORT_SECONDS
            is_judged = is_sure or large.plugin.amount > 1
            is_alone = steep_alone > options.limit and large.alone.amount > max(1, large.plugin.amount / 2)
            is_too_large = large.plugin.memory > MOST_MEMORY or keeps_too_much(large)
            if (is_judged and steep > options.limit and not is_alone) or is_too_large:
                above.append(each.name)
            alone = f"{large.alone.amount:.2f}" + (f", ratio {steep_alone:.1f}" if is_alone else "")
            print(
                f"| {each.name} | {size:,} | {small.plugin.amount:.2f} | {large.plugin.amount:.2f} | "
                f"{'' if is_sure else '~'}{steep:.1f} | {alone} | {large.plugin.memory >> 20:,} MiB | "
                f"{kept(small, large):,.0f} bytes |",
                flush=True,
            )
    finally:
        meter.folder.remove()
    if above:
        sys.exit(f"above the limits: {', '.join(above)}")


if __name__ == "__main__":
    main()
