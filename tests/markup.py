#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""markup.py PLUGINS CAPTURES

Parses PDML and JSON of every capture. Parses also a copy in which all lowercase letters are replaced by letters of
three bytes, because a text that is truncated inside of a letter then becomes invalid.
"""

import json
import pathlib
import re
import struct
import sys
import tempfile
import xml.parsers.expat

from tshark import Tshark

OURS = "godot godot_mp godot_debug enet _ws.expert _ws.malformed"
SECTION, INTERFACE, PACKET, SECRETS = 0x0A0D0D0A, 1, 6, 10
IP_OFFSETS = {1: 14, 101: 0, 113: 16}
THREE_LETTERS = re.compile(rb"[a-z_ ]{3}")
FILES = 6


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def wide(frame):
    """Replaces letters by other letters of three bytes each, except in the HTTP upgrade of a WebSocket."""
    return frame if b"HTTP/1.1" in frame else THREE_LETTERS.sub("\u3042".encode(), frame)


def moved(frame, ip, number):
    """Gives each capture its own addresses, so that no conversation is shared by two captures."""
    frame = bytearray(frame)
    addresses = (ip + 20, ip + 36) if frame[ip] >> 4 == 6 else (ip + 13, ip + 17)
    for address in addresses:
        frame[address] ^= number >> 8
        frame[address + 1] ^= number & 0xFF
    return bytes(frame)


class Joined:
    """Merges captures into one."""

    def __init__(self):
        self.head = block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        self.packets = b""
        self.interfaces = []
        self.number = 0

    def add(self, text, change):
        self.number += 1
        first = len(self.interfaces)
        at = 0
        while at < len(text):
            kind, size = struct.unpack_from("<II", text, at)
            body = text[at + 8 : at + size - 4]
            at += size
            if kind == INTERFACE:
                self.interfaces.append(IP_OFFSETS[struct.unpack_from("<H", body)[0]])
            if kind in (INTERFACE, SECRETS):
                self.head += block(kind, body)
            if kind == PACKET:
                interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
                interface += first
                frame = change(moved(body[20 : 20 + captured], self.interfaces[interface], self.number))
                self.packets += block(PACKET, struct.pack("<IIIII", interface, high, low, captured, length) + frame)

    def write(self, path):
        path.write_bytes(self.head + self.packets)


def check(tshark, name):
    """@returns the number of packets, which both parsers agree on"""
    counts = []
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = lambda tag, _: counts.append(tag) if tag == "packet" else None
    parser.Parse(tshark.run(name, "-T", "pdml", "-J", OURS), True)
    packets = json.loads(tshark.run(name, "-T", "json", "-J", OURS))
    assert len(packets) == len(counts), (len(packets), len(counts))
    return len(packets)


def main():
    plugins, folder = map(pathlib.Path, sys.argv[1:])
    captures = sorted(folder.glob("*.pcapng"))
    assert len(captures) > 50
    files = [Joined() for _ in range(FILES)]
    for number, capture in enumerate(captures):
        text = capture.read_bytes()
        files[number % FILES].add(text, lambda frame: frame)
        files[number % FILES].add(text, wide)
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        tshark = Tshark(made, plugins)
        checked = 0
        for number, file in enumerate(files):
            file.write(made / f"{number}.pcapng")
            checked += check(tshark, str(made / f"{number}.pcapng"))
        # Calls whose arguments consist of such letters, up to the maximum length of labels and of the Info column.
        data = pathlib.Path(__file__).resolve().parent / "data"
        long_texts = check(tshark, tshark.copy(data / "wide_letters.pcap"))
    print(f"{checked} packets of {len(captures)} captures, and {long_texts} with long texts")
    assert checked > 2 * 14_000 and long_texts == 7


main()
