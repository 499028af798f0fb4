#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares one pass of tshark with two, on mutated captures.

    two_passes.py --build build --files 300 [--seed N] [--only NUMBER]
    two_passes.py --build build --replay captures/*.pcapng    # captures as they are

Two passes must show every item of the plugin's protocols that one pass shows, in the same place and with the same text.
They may add what only later packets show: links to later packets, and messages that are detected because of later
packets.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import xml.parsers.expat

from cases import Captures, make_case
from sharkd import Fault, Folder, as_nobody, repo

PROTOCOLS = ("godot", "godot_mp", "godot_debug", "enet")

# Items that the second pass may add to a message that the first pass has dissected.
LINKS_FORWARD = {
    "godot.length.big_endian.differs",
    "godot.length.big_endian.unanswered",
    "godot.release",
    "godot.release.evidence",
    "enet.acked_after",
    "enet.acked_in",
    "enet.after_peer_gone",
    "enet.connect_repeated",
    "enet.end",
    "enet.peer_timeout",
    "enet.longest_silence",
    "enet.lost_fragments",
    "enet.no_channel",
    "enet.peer_gone",
    "enet.slow_message",
    "enet.too_large",
    "enet.head_of_line_delay",
    "enet.head_of_line_blocking",
    "enet.reassembled.in",
    "enet.unacknowledged",
    "enet.unanswered_connect",
    "godot.problem",
    "godot.problem.rule",
    "godot.problem.severity",
    "godot_mp.authentication",
    "godot_mp.calls_lost",
    "godot_mp.checksum_failed",
    "godot_mp.delivery",
    "godot_mp.no_sync",
    "godot_mp.node",
    "godot_mp.path",
    "godot_mp.path.confirmed",
    "godot_mp.path.defined_in",
    "godot_mp.property",
    "godot_mp.property_path",
    "godot_mp.property_source",
    "godot_mp.property_with_value",
    "godot_mp.receiver",
    "godot_mp.sender",
    "godot_mp.spawn.spawner",
    "godot_mp.unconfirmed_path",
    "godot_mp.unsynchronized",
}
# Items with texts that later packets may extend: when a node's spawn or path arrived, how a connect continued, the name
# for an id that is announced later, what the receiver lacks, the possible releases of a game, why a command was
# retransmitted.
SAYS_MORE = {
    "enet.retransmitted",
    "enet.unanswered_connect",
    "godot.release",
    "godot_mp",
    "godot_mp.checksum_failed",
    "godot_mp.delivery",
    "godot_mp.object",
    "godot_mp.summary",
    "godot_mp.unannounced_path",
    "godot_mp.unknown_node",
} | {name for name in LINKS_FORWARD if name.startswith("godot_mp.property")}
# Items that later packets may refute or confirm.
REFUTED = {"godot.problem", "godot.problem.rule", "godot.problem.severity", "godot_mp.unconfirmed_path", "godot_mp.unknown_path"}
# The plugin reports this item once per conversation, at the first dissected packet. If the second pass dissects earlier
# packets, the item moves to one of them.
MOVES = {"godot.padding_nonzero"}
# Items that wrap an expert item.
_EXPERT = ("_ws.expert", "_ws.expert.message", "_ws.expert.severity", "_ws.expert.group")


class _Items:
    """The items of the plugin's protocols in each packet: (protocol, name, text, position, size), and the number of
    packets."""

    def __init__(self):
        self.packets = []
        self.protocols = []  # protocol names of each packet, in the order of its layers
        self.handed_on = []  # for each packet: its TCP sequence number, and the message that WebSocket has reassembled
        self.has_continuation = []  # for each packet: whether it has a WebSocket continuation frame
        self.streams = []  # for each packet: the innermost UDP or TCP stream
        self.connections = []  # for each packet: the ENet connection
        self.is_behind_gap = []  # for each packet: whether TCP lacks a segment before it
        self.is_part = []  # for each packet: whether TCP shows its bytes in a later packet
        self.protocol = None

    def start(self, tag, attributes):
        name = attributes.get("name", "")
        if tag == "packet":
            self.packets.append(collections.Counter())
            self.protocols.append([])
            self.handed_on.append([])
            self.has_continuation.append(False)
            self.streams.append(None)
            self.connections.append(None)
            self.is_behind_gap.append(False)
            self.is_part.append(False)
        elif tag == "proto":
            self.protocol = name
            self.protocols[-1].append(name)
        elif name in ("udp.stream", "tcp.stream"):
            self.streams[-1] = (name, attributes.get("show"))
        elif name == "enet.stream":
            self.connections[-1] = attributes.get("show")
        elif name == "tcp.analysis.lost_segment":
            self.is_behind_gap[-1] = True
        elif name == "tcp.reassembled_in":
            self.is_part[-1] = True
        elif name in ("tcp.seq", "websocket.reassembled.length"):
            self.handed_on[-1].append(attributes.get("show"))
        elif name == "websocket.opcode" and attributes.get("show") == "0":
            self.has_continuation[-1] = True
        if tag in ("proto", "field") and self.protocol in PROTOCOLS:
            text = attributes.get("showname") or attributes.get("show", "")
            place = (int(attributes.get("pos", 0)), int(attributes.get("size", 0)))
            if name not in _EXPERT:
                self.packets[-1][(self.protocol, name, text, *place)] += 1


def items(folder, path, *options, has_plugin=True):
    command = ["tshark", "-n", "-r", str(path), "-T", "pdml", *options]
    environment = folder.environment("strict", has_plugin)
    done = subprocess.run(command, capture_output=True, env=environment, **as_nobody(folder.path))
    if done.returncode != 0:
        raise Fault(f"{' '.join(command)}: {done.returncode} {done.stderr[-500:]}")
    handler = _Items()
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = handler.start
    try:
        parser.Parse(done.stdout, True)
    except xml.parsers.expat.ExpatError as error:
        raise Fault(f"{' '.join(command)}: {error}") from error
    return handler


def is_allowed(item, protocols_before, protocols_after):
    """Returns whether the first pass may lack an item that the second pass shows."""
    protocol, name, _text, _at, _size = item
    if name in LINKS_FORWARD | MOVES | REFUTED:
        return True
    # If a message is detected only later, the second pass shows more layers of the plugin's protocol, or fewer layers
    # of undissected data.
    is_new = protocols_after.count(protocol) > protocols_before.count(protocol)
    return is_new or protocols_before.count("data") > protocols_after.count("data")


def _without_text(item):
    protocol, name, _text, *place = item
    return (protocol, name, *place)


def _is_number(item):
    """Returns whether a path begins with a node's id, which a later packet may replace by its name."""
    protocol, name, text, *_place = item
    return protocol == "godot_mp" and name in ("godot.path", "godot.path_with_value") and ": /#" in text


def _forget_texts(one, other):
    """Returns the items, except those of SAYS_MORE that the other pass shows with a different text."""
    others = {_without_text(item) for item in other}
    numbers = {_without_text(item) for item in [*one, *other] if _is_number(item)}

    def may_say_more(item):
        return item[1] in SAYS_MORE or _without_text(item) in numbers

    return [item for item in one if not may_say_more(item) or _without_text(item) not in others]


def taken_back(one, two):
    """Returns the streams in which the second pass shows no item of the plugin: later packets of mutated traffic may
    show that it is not Godot's."""
    ours = {stream for stream, items in zip(one.streams, one.packets) if items and stream is not None}
    return ours - {stream for stream, items in zip(two.streams, two.packets) if items}


def read_otherwise(folder, path):
    """Returns the packets that Wireshark, even without the plugin, passes to other protocols with two passes than
    with one."""
    one, two = items(folder, path, has_plugin=False), items(folder, path, "-2", has_plugin=False)
    return {number for number, pair in enumerate(zip(one.protocols, two.protocols), 1) if pair[0] != pair[1]}


def mixed(one, two):
    """Returns the ENet connections that contain messages of two games. Two passes dissect such a connection, from
    its beginning, as the game that is detected later. One pass shows the game detected first."""

    def ours(protocols):
        return [name for name in protocols if name in PROTOCOLS and name != "enet"]

    shown = [collections.defaultdict(set), collections.defaultdict(set)]
    of_two_games = set()
    for connection, before, after in zip(one.connections, map(ours, one.protocols), map(ours, two.protocols)):
        if connection is None:
            continue
        shown[0][connection].update(before)
        shown[1][connection].update(after)
        if before and after and before != after:
            of_two_games.add(connection)
    return of_two_games | {connection for connection in shown[0] if shown[0][connection] - shown[1][connection]}


def compare(folder, path, is_mutated=True):
    """Returns a line for each difference that is a fault."""
    try:
        one, two = items(folder, path), items(folder, path, "-2")
    except Fault as fault:
        return [str(fault)]
    wrong = []
    left_out = taken_back(one, two) if is_mutated else set()
    of_two_games = mixed(one, two) if is_mutated else set()
    for number, (before, after) in enumerate(zip(one.packets, two.packets), 1):
        if one.streams[number - 1] in left_out or one.connections[number - 1] in of_two_games:
            continue
        # TCP: see attack.number_in_stream(). WebSocket stores continued messages per connection, not per packet. If
        # several fragmented messages end in one packet, a later pass gets only the last message.
        if one.handed_on[number - 1] != two.handed_on[number - 1] or one.has_continuation[number - 1]:
            continue
        # A late segment may extend a reassembled message. The message then includes data that the first pass showed
        # separately, after a gap.
        is_taken_in = two.is_part[number - 1] and not one.is_part[number - 1]
        if is_mutated and is_taken_in and one.is_behind_gap[number - 1]:
            continue
        gone, come = (before - after).keys(), (after - before).keys()
        # Later packets may show that this one was not ENet.
        if any(item[1] == "enet.not_enet" for item in come):
            continue
        for item in _forget_texts(gone, come):
            if item[1] in REFUTED | MOVES:
                continue
            wrong.append((number, f"packet {number}: the second pass lacks {item}"))
        protocols = one.protocols[number - 1], two.protocols[number - 1]
        for item in _forget_texts(come, gone):
            if not is_allowed(item, *protocols):
                wrong.append((number, f"packet {number}: the second pass adds {item}"))
    others = read_otherwise(folder, path) if wrong and is_mutated else set()
    return [line for number, line in wrong if number not in others]


def replay(build, files):
    folder, failed = Folder(build), 0
    for file in files:
        path = folder.path / "replayed.pcapng"
        shutil.copyfile(file, path)
        wrong = compare(folder, path, is_mutated=False)
        failed += 1 if wrong else 0
        if wrong:
            print(f"{file}:", *wrong[:8], f"{len(wrong)} differences", sep="\n  ", flush=True)
    folder.remove()
    print(f"{len(files)} files, {failed} that differ")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="Compares one pass of tshark with two, on mutated captures.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this file alone")
    parser.add_argument("--captures", type=pathlib.Path, default=repo / "captures")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("attack-found"))
    parser.add_argument("--replay", type=pathlib.Path, nargs="+", metavar="FILE", help="reads files as they are")
    options = parser.parse_args()
    if options.replay:
        sys.exit(replay(options.build, options.replay))
    folder, captures = Folder(options.build), Captures(options.captures)
    path = folder.path / "mutated.pcapng"
    failed = 0
    print(f"seed {options.seed}, {folder.library}")
    for number in [options.only] if options.only is not None else range(options.files):
        case = make_case(options.seed, number, captures)
        case.write(path)
        wrong = compare(folder, path)
        if wrong:
            failed += 1
            options.out.mkdir(parents=True, exist_ok=True)
            kept = options.out / f"passes-seed{options.seed}-{number}.pcapng"
            case.write(kept)
            print(f"{kept} ({' '.join(case.story)}):", *wrong[:8], f"{len(wrong)} differences", sep="\n  ", flush=True)
        if number % 50 == 49:
            print(f"{number + 1} files", flush=True)
    folder.remove()
    print(f"{options.files if options.only is None else 1} files, {failed} that differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
