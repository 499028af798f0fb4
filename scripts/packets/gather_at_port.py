#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gather_at_port.py PORT FILE CAPTURE ...

Writes all UDP packets of captures to FILE, as if each game's server had been on that port. Each capture gets its own
addresses: 10.0.N.1 and 10.0.N.2 for the N-th, from 1. The port with the most packets is the server's.
"""
import collections
import sys

import capture


def move(packets, number, port):
    packets = [packet for packet in packets if packet.raw is None and packet.protocol == capture.UDP]
    ports = collections.Counter(end[1] for packet in packets for end in (packet.source, packet.destination))
    server = ports.most_common(1)[0][0]
    ends = {is_server: bytes((10, 0, number, 2 if is_server else 1)) for is_server in (True, False)}

    def moved(end):
        is_server = end[1] == server
        return ends[is_server], port if is_server else end[1]

    return [packet.copy(source=moved(packet.source), destination=moved(packet.destination)) for packet in packets]


def main():
    port, path, *paths = sys.argv[1:]
    captures = (move(capture.read(name), number, int(port)) for number, name in enumerate(paths, 1))
    capture.write(path, [packet for packets in captures for packet in packets])


main()
