#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""by_hand.py: makes sctp_by_hand and sctp_udp_by_hand, with their .expected, from mp_ws_godot4.6.

Debian's Godot has no WebRTC. What its WebRTCMultiplayerPeer would send are the same commands as over a WebSocket,
each a message of a data channel: SCTP with payload protocol 53 (51 for text), stream 1 for what is reliable, 2 for
what is ordered, 3 for what is unreliable, from 4 on the channels of the game. So the commands here, and what the peers
say of them, are a real game's; SCTP around them is made by hand, without DTLS: over IP, and over UDP port 9899.
"""
import dataclasses
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts" / "packets"))
import capture  # noqa: E402
from sctp import BINARY, CHANNEL_OPENING, DATA, FIRST, LAST, PROTOCOL, TEXT, UNORDERED, chunk  # noqa: E402
from sctp import packet as sctp_packet  # noqa: E402

GAME = HERE / "mp_ws_godot4.6"
TUNNEL_PORT = 9899
RAW = 4  # the command of send_bytes()
SERVER = b"\x0a\0\0\1"
LONGEST = 200  # bytes in a chunk


@dataclasses.dataclass
class Message:
    time: int
    is_from_client: bool
    content: bytes


def frames_of(stream):
    """Returns the messages in one direction of a WebSocket, after HTTP: where each ends, whether it is binary, and
    its bytes."""
    at = stream.index(b"\r\n\r\n") + 4
    while at + 2 <= len(stream):
        opcode, length = stream[at] & 15, stream[at + 1] & 127
        is_masked = stream[at + 1] & 128
        at += 2
        if length == 126:
            length, at = struct.unpack_from(">H", stream, at)[0], at + 2
        mask = stream[at : at + 4] if is_masked else bytes(4)
        at += 4 if is_masked else 0
        content = bytes(byte ^ mask[i % 4] for i, byte in enumerate(stream[at : at + length]))
        at += length
        yield at, opcode == 2, content


def games(path):
    """Returns all messages of each client in capture order, except the first message of the server, which WebRTC
    lacks."""
    server = 5040
    streams, times = {}, {}
    for packet in capture.read(path):
        if packet.protocol != capture.TCP or not packet.payload:
            continue
        key = (packet.source[1], packet.destination[1])
        streams[key] = streams.get(key, b"") + packet.payload
        times.setdefault(key, []).append((len(streams[key]), packet.time))
    clients = sorted({port for key in streams for port in key} - {server})
    for client in clients:
        messages = []
        for key in ((client, server), (server, client)):
            is_greeting = key[0] == server
            for end, is_binary, content in frames_of(streams[key]):
                if not is_binary:
                    continue
                if not is_greeting:
                    time = next(time for length, time in times[key] if length >= end)
                    messages.append(Message(time, key[0] == client, content))
                is_greeting = False
        yield sorted(messages, key=lambda message: message.time)


class Association:
    """One client's association with the server."""

    def __init__(self, number, is_tunneled):
        self.is_tunneled = is_tunneled
        # Over UDP, all peers are on one machine.
        self.addresses = (SERVER, SERVER if is_tunneled else SERVER[:3] + bytes([1 + number]))
        self.udp_ports = (TUNNEL_PORT, 50000 + number)
        self.tags = (0x5E000000 + number, 0xC1000000 + number)  # tags of packets to the server, to the client
        self.tsns = [1000, 2000]
        self.orders = [{}, {}]

    def packet(self, time, is_from_client, chunks, tag=None):
        sender, receiver = (1, 0) if is_from_client else (0, 1)
        tag = self.tags[receiver] if tag is None else tag
        content = sctp_packet(tag, chunks)
        if self.is_tunneled:
            ends = [(self.addresses[i], self.udp_ports[i]) for i in (sender, receiver)]
            return capture.Packet(time, capture.UDP, *ends, payload=content)
        header = capture.ipv4(PROTOCOL, self.addresses[sender], self.addresses[receiver], content)
        return capture.Packet(time, PROTOCOL, raw=bytes(12) + b"\x08\0" + header)

    def handshake(self, time):
        def init(kind, side, parameters=b""):
            fixed = struct.pack(">IIHHI", self.tags[side], 131072, 16, 16, self.tsns[side])
            return chunk(kind, 0, fixed + parameters)

        cookie = struct.pack(">HH", 7, 12) + b"cookies!"
        return [
            self.packet(time, True, init(1, 1), tag=0),
            self.packet(time + 1000, False, init(2, 0, cookie)),
            self.packet(time + 2000, True, chunk(10, 0, cookie[4:])),
            self.packet(time + 3000, False, chunk(11, 0, b"")),
        ]

    def data(self, is_from_client, stream, payload, content, flags):
        side = 1 if is_from_client else 0
        if flags & FIRST:
            self.orders[side][stream] = self.orders[side].get(stream, -1) + 1
        self.tsns[side] += 1
        head = struct.pack(">IHHI", self.tsns[side] - 1, stream, self.orders[side][stream], payload)
        return chunk(DATA, flags, head + content)

    def chunks(self, message, number):
        """Returns the chunks of a message. A long message consists of fragments."""
        stream = 4 if message.content[0] & 7 == RAW else 1 + number % 3
        payload = TEXT if number == 5 else BINARY
        pieces = [message.content[at : at + LONGEST] for at in range(0, len(message.content), LONGEST)]
        for i, piece in enumerate(pieces):
            flags = (FIRST if i == 0 else 0) | (LAST if i + 1 == len(pieces) else 0)
            flags |= UNORDERED if stream == 3 and len(pieces) == 1 else 0
            yield self.data(message.is_from_client, stream, payload, piece, flags)

    def play(self, messages):
        packets = self.handshake(messages[0].time - 10000)
        # A channel that the game has opened under a name. Its open message is not a message of Godot.
        opening = bytes([3, 0]) + struct.pack(">HIHH", 0, 0, 4, 0) + b"chat"
        packets.append(
            self.packet(messages[0].time - 1000, True, self.data(True, 6, CHANNEL_OPENING, opening, FIRST | LAST))
        )
        waiting = []
        for number, message in enumerate(messages):
            is_last = number + 1 == len(messages) or messages[number + 1].is_from_client != message.is_from_client
            waiting += self.chunks(message, number)
            # Two messages of one peer share a packet.
            if not is_last and number % 2 == 0 and len(waiting) < 3:
                continue
            packets.append(self.packet(message.time, message.is_from_client, b"".join(waiting)))
            waiting = []
            if number == 3:  # once more
                packets.append(packets[-1].copy(time=message.time + 500))
        return packets


def main():
    for name, is_tunneled in (("sctp_by_hand", False), ("sctp_udp_by_hand", True)):
        packets = []
        for number, messages in enumerate(games(GAME.with_name(GAME.name + ".pcapng")), 1):
            packets += Association(number, is_tunneled).play(messages)
        capture.write(HERE / f"{name}.pcapng", sorted(packets, key=lambda packet: packet.time))
        (HERE / f"{name}.expected").write_bytes(GAME.with_name(GAME.name + ".expected").read_bytes())


if __name__ == "__main__":
    main()
