#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the plugin's cost in tshark, compared with the cost of Wireshark's JSON dissector for the same content.

    tshark.py --build build                  # processor time of whole runs, alternating, medians
    tshark.py --build build --instructions   # counted by callgrind: slow, but independent of the machine's load
    tshark.py --build build --only list      # rows whose name contains this
    tshark.py --build build --memory         # peak memory per packet, from 100,000 to 1,000,000 packets
    tshark.py --build build --growth FILE    # the list at 10,000, 100,000 and 1,000,000 packets, and a plot (SVG)

State messages of about 330 bytes are sent over UDP, as Variants and as JSON. "Added" is the difference to a run that
shows the same packets as data. The game of 200 clients is a recorded game of Godot 4.6, repeated for 200 clients; its
cost is compared with that of a tshark without the plugin.
"""
import argparse
import json
import math
import pathlib
import statistics
import struct
import sys

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(repo / "scripts" / name) for name in ("packets", "attack", "growth")]

import capture  # noqa: E402
import inputs  # noqa: E402
import wire  # noqa: E402
from growth import Meter  # noqa: E402
from sharkd import Folder  # noqa: E402

PORT = 5009
GAME = repo / "captures" / "mp_spawn_godot4.6.pcapng"
CLIENTS = 200


# --- The game's messages


def _float(value):
    return struct.pack("<If", 3, value)


def _vector3(values):
    return struct.pack("<I3f", 9, *values)


def state(number):
    """Returns a player's state: names and values of several types."""
    moved = number % 1000 / 8
    return {
        "id": number % 16,
        "name": f"player_{number % 16}",
        "position": (moved, 1.5, -moved),
        "velocity": (4.25, 0.0, -0.5),
        "rotation": 0.25 * (number % 25),
        "health": number % 100,
        "animation": "run" if number % 3 else "jump",
        "items": ["sword", "potion", "key"],
        "tick": number,
        "team": "blue" if number % 2 else "red",
    }


def variant(value):
    if isinstance(value, int):
        return wire.integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return wire.string(value.encode())
    if isinstance(value, tuple):
        return _vector3(value)
    if isinstance(value, list):
        return wire.array([variant(each) for each in value])
    return wire.dictionary([(variant(key), variant(each)) for key, each in value.items()])


def states(count, write):
    line = inputs.Line()
    return (line.packet(inputs.client(0), (inputs.SERVER[0], PORT), write(state(n))) for n in range(count))


def as_variant(count):
    return states(count, variant)


def as_json(count):
    return states(count, lambda value: json.dumps(value).encode())


def game_of_many(clients):
    """Returns the packets of a recorded game, repeated once for each client."""
    packets = [packet for packet in capture.read(GAME) if packet.raw is None]
    server = min(packets[0].source, packets[0].destination, key=lambda end: end[1])
    for packet in packets:
        for number in range(clients):
            address = struct.pack(">BBBB", 10, 2, number >> 8, number & 0xFF)
            ends = {"source": packet.source, "destination": packet.destination}
            side = "destination" if packet.source == server else "source"
            ends[side] = (address, ends[side][1])
            yield packet.copy(time=packet.time + number * 1000, **ends)


# --- Measurements


def _as(protocol):
    return ("-d", f"udp.port=={PORT},{protocol}")


def _columns(*fields):
    written = ",".join(f'"{field}","%Cus:{field}:0:R"' for field in fields)
    return ("-o", f'gui.column.format:"No.","%m","Info","%i",{written}', "--color")


GODOT_COLUMNS = _columns("godot.key", "godot.path_with_value", "godot.string")
JSON_COLUMNS = _columns("json.key", "json.path_with_value", "json.value.string")
COLOURS = {
    "godot": [f'godot.string == "player_{n}"' for n in range(20, 25)] + ["godot"],
    "json": [f'json.value.string == "player_{n}"' for n in range(20, 25)] + ["json"],
    "none": [],
}

# Name, options for Variants, options for JSON, colour rules.
VIEWS = (
    ("list", (), _as("json"), False),
    (
        "filter on a value",
        (*_as("godot"), "-Y", 'godot.string == "player_3"'),
        (*_as("json"), "-Y", 'json.value.string == "player_3"'),
        False,
    ),
    ("-V", ("-V",), (*_as("json"), "-V"), False),
    ("three columns, six colours", GODOT_COLUMNS, (*_as("json"), *JSON_COLUMNS), True),
)


class Bench:
    def __init__(self, options):
        self.folder = Folder(options.build)
        self.meter = Meter(self.folder, options.instructions)
        self.options = options
        self.unit = "10⁹ instr." if options.instructions else "s"
        self.made = {}

    def use(self, make, count):
        """Selects a file with these packets for the next measurement. Writes the file if it does not exist. @returns
        the number of packets"""
        path = self.folder.path / f"{make.__name__}-{count}.pcapng"
        if path not in self.made:
            written = 0

            def counted():
                nonlocal written
                for packet in make(count):
                    written += 1
                    yield packet

            capture.write(path, counted())
            self.made[path] = written
        self.meter.path = path
        return self.made[path]

    def colour(self, rules):
        settings = self.folder.path / ".config" / "wireshark"
        settings.mkdir(parents=True, exist_ok=True)
        lines = [f"@{n}@{rule}@[0,0,0][65535,65535,65535]\n" for n, rule in enumerate(COLOURS[rules])]
        (settings / "colorfilters").write_text("".join(lines))

    def medians(self, commands):
        """Measures commands. Each is (function that makes the packets, number of packets, colour rules, options,
        whether to load the plugin). Returns the amounts and the memory."""
        turns = 1 if self.options.instructions else self.options.runs
        costs = [[] for _ in commands]
        for _ in range(turns):
            for cost, (make, count, rules, options, has_plugin) in zip(costs, commands):
                self.use(make, count)
                self.colour(rules)
                cost.append(self.meter.cost(options, has_plugin))
        return [tuple(map(statistics.median, zip(*cost))) for cost in costs]

    def against_json(self, name, godot, other, has_colours):
        count = self.options.packets
        data = _as("data")
        # The display filter is on a field of the plugin, so it never matches plain data.
        plain = (*data, "-V") if "-V" in godot else data
        if has_colours:
            plain = (*data, *_columns("data.data", "data.len", "data.text"))
        rules = ("godot", "json") if has_colours else ("none", "none")
        runs = self.medians(
            [
                (as_variant, count, rules[0], godot, True),
                (as_variant, count, "none", plain, True),
                (as_json, count, rules[1], other, True),
                (as_json, count, "none", plain, True),
            ]
        )
        added = runs[0][0] - runs[1][0]
        added_json = runs[2][0] - runs[3][0]
        memory = (runs[0][1] - runs[1][1]) / count
        per_packet = added / count * 1e9 if self.options.instructions else added / count * 1e6
        what = f"{per_packet:,.0f} instructions" if self.options.instructions else f"{per_packet:.2f} µs"
        print(
            f"| {name}, against JSON | {added:.2f} {self.unit} | {added_json:.2f} {self.unit} | "
            f"{added / added_json:.2f} | {what} | {memory:,.0f} bytes |",
            flush=True,
        )

    def against_nothing(self):
        runs = self.medians(
            [(game_of_many, CLIENTS, "none", (), True), (game_of_many, CLIENTS, "none", (), False)]
        )
        count = self.use(game_of_many, CLIENTS)
        memory = (runs[0][1] - runs[1][1]) / count
        print(
            f"| game of {CLIENTS} clients, against no plugin | {runs[0][0]:.2f} {self.unit} | "
            f"{runs[1][0]:.2f} {self.unit} | {runs[0][0] / runs[1][0]:.2f} | {count:,} packets | {memory:,.0f} bytes |",
            flush=True,
        )

    def memory(self):
        """Prints the peak memory for two capture sizes, with and without the plugin, and the memory per additional
        packet."""
        few, many = 100_000, 1_000_000
        print("| packets | with the plugin | without | a packet |\n|---|--:|--:|--:|")
        for name, make in (("Variants over UDP", as_variant), ("ENet, reliable commands", inputs.enet_unacknowledged)):
            runs = self.medians([(make, count, "none", (), plugin) for plugin in (True, False) for count in (few, many)])
            grown = [runs[i + 1][1] - runs[i][1] for i in (0, 2)]
            mib = " | ".join(f"{each / 2**20:.1f} MiB" for each in grown)
            print(f"| {name} | {mib} | {(grown[0] - grown[1]) / (many - few):.0f} bytes |", flush=True)

    def growth(self, plot):
        print(f"| packets | list, {self.unit} | as data, {self.unit} | memory more than as data |\n|--:|--:|--:|--:|")
        amounts = []
        for count in (10_000, 100_000, 1_000_000):
            runs = self.medians(
                [
                    (as_variant, count, "none", (), True),
                    (as_variant, count, "none", _as("data"), True),
                ]
            )
            more = (runs[0][1] - runs[1][1]) / 2**20
            print(f"| {count:,} | {runs[0][0]:.2f} | {runs[1][0]:.2f} | {more:.1f} MiB |", flush=True)
            amounts.append((count, runs[0][0], runs[1][0]))
        plot.write_text(drawn(amounts, f"processor time, {self.unit}"))


def drawn(amounts, unit):
    """Returns a plot of (packets, list, as data) with logarithmic axes. If the cost grows linearly, the line has
    slope 1."""
    width, height, left, bottom, decade = 560, 380, 70, 330, 140
    most = max(amount for row in amounts for amount in row[1:])
    top = math.ceil(math.log10(most))
    down = (bottom - 30) / (top - math.floor(math.log10(min(amount for row in amounts for amount in row[1:]))))

    def at(count, amount):
        return left + 30 + (math.log10(count) - 4) * decade, 30 + (top - math.log10(amount)) * down

    parts = [f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(4, 7):
        x, _ = at(10**power, most)
        parts.append(f'<path d="M{x} 30V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">{10**power:,}</text>')
    for power in range(top, math.floor(top - (bottom - 30) / down) - 1, -1):
        _, y = at(10_000, 10.0**power)
        parts.append(f'<path d="M{left} {y:.0f}H420" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g}</text>')
    # One name is above the end of its line, the other below, because the ends may coincide.
    for column, colour, name, place in ((1, "#478cbf", "list", -4), (2, "#888", "as data", 14)):
        points = [at(row[0], row[column]) for row in amounts]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="{points[-1][0] + 10:.0f}" y="{points[-1][1] + place:.0f}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{left}" y="18">{unit}</text>')
    parts.append(f'<text x="{left + 30 + decade}" y="{bottom + 42}" text-anchor="middle">packets</text>')
    style = 'font-family="sans-serif" font-size="13"'
    size = f'width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description="Measures what the plugin costs tshark.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("--instructions", action="store_true", help="count them with callgrind")
    parser.add_argument("--memory", action="store_true", help="what a packet adds to the peak")
    parser.add_argument("--growth", type=pathlib.Path, metavar="FILE", help="10,000 to 1,000,000 packets, as a plot")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this")
    parser.add_argument("--packets", type=int, default=0, help="how many (100,000; 10,000 with --instructions)")
    parser.add_argument("--runs", type=int, default=5, help="of each, in turns (default %(default)s)")
    options = parser.parse_args()
    options.packets = options.packets or (10_000 if options.instructions else 100_000)
    bench = Bench(options)
    try:
        if options.memory:
            return bench.memory()
        if options.growth:
            return bench.growth(options.growth)
        print("| what | plugin | other | ratio | a packet | memory a packet |\n|---|--:|--:|--:|--:|--:|", flush=True)
        for view in VIEWS:
            if options.only in view[0]:
                bench.against_json(*view)
        if options.only in f"game of {CLIENTS} clients":
            bench.against_nothing()
    finally:
        bench.folder.remove()


if __name__ == "__main__":
    main()
