#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spread_over_ports.py IN OUT UDP_PORTS TCP_PORTS: moves the conversations of a capture to these ports in turn.

The server's port, which is moved, is the one of a conversation's two ports that occurs in more conversations. Ports are
separated by commas.
"""
import collections
import sys

import capture


def main(source, target, udp_ports, tcp_ports):
    ports = {capture.UDP: [int(p) for p in udp_ports.split(",")], capture.TCP: [int(p) for p in tcp_ports.split(",")]}
    packets = capture.read(source)
    moving = [p for p in packets if p.protocol in ports and p.raw is None]
    conversations = {p.conversation for p in moving}
    count = collections.Counter((c[0], end[1]) for c in conversations for end in c[1:])
    moved = {}
    for packet in moving:
        conversation = packet.conversation
        if conversation not in moved:
            choice = ports[packet.protocol]
            server = max((end[1] for end in conversation[1:]), key=lambda port: count[packet.protocol, port])
            moved[conversation] = server, choice[len(moved) % len(choice)]
        server, port = moved[conversation]
        if packet.source[1] == server:
            packet.source = packet.source[0], port
        else:
            packet.destination = packet.destination[0], port
    capture.write(target, packets)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
