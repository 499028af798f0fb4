#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the plugin's cost for other programs' traffic: instructions of tshark with the plugin and without it.

    foreign_traffic.py --build build                # generated traffic, 10,000 packets each, and captures/other
    foreign_traffic.py --build build --packets 1000
    foreign_traffic.py --build build --only dns     # rows whose name contains this

valgrind counts instructions, so that the machine's load does not matter. The cost of an empty file is subtracted on
both sides. The generated traffic consists of conversations of 100 packets, or of one long conversation if a row says
so; a capture is repeated, with other hosts each time, until it has about as many packets.
"""
import argparse
import pathlib
import random
import struct
import sys

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(repo / "scripts" / name) for name in ("packets", "attack", "growth")]

import capture  # noqa: E402
from growth import Meter  # noqa: E402
from sharkd import Folder  # noqa: E402

SERVER = b"\x0a\0\0\1"
A_CONVERSATION = 100  # packets


# --- Generated traffic: functions that return the payload of a packet, by its index in the conversation


def _openvpn(noise, number):
    return struct.pack(">B", 6 << 3) + struct.pack(">I", number) + noise.randbytes(120)


def _turn(noise, number):
    content = noise.randbytes(noise.randrange(40, 160) // 4 * 4)
    return struct.pack(">HH", 0x4000 + number % 16, len(content)) + content


def _esp(noise, number):
    return struct.pack(">II", 0xC0FFEE01, number + 1) + noise.randbytes(132)


def _sip(noise, number):
    lines = ["OPTIONS sip:a@example.org SIP/2.0", "Via: SIP/2.0/UDP 10.0.0.2;branch=z9hG4bK%08x" % noise.getrandbits(32),
             "From: <sip:b@example.org>;tag=1", "To: <sip:a@example.org>", f"Call-ID: {number}@example.org",
             f"CSeq: {number} OPTIONS", "Content-Length: 0", "", ""]
    return "\r\n".join(lines).encode()


def _ssdp(noise, number):
    lines = ["NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900", "CACHE-CONTROL: max-age=1800", "NT: upnp:rootdevice",
             "NTS: ssdp:alive", f"USN: uuid:{noise.getrandbits(64):016x}-{number}", "", ""]
    return "\r\n".join(lines).encode()


def _dns(noise, number):
    name = b"\3www" + bytes([8]) + f"{noise.getrandbits(32):08x}".encode() + b"\3org\0"
    return struct.pack(">HHHHHH", noise.getrandbits(16), 0x0100, 1, 0, 0, 0) + name + struct.pack(">HH", 1, 1)


def _rtp(noise, number):
    return struct.pack(">BBHII", 0x80, 0, number % 65536, 160 * number, 0x1234) + noise.randbytes(160)


def _quic(noise, number):
    return bytes([0x40 | noise.getrandbits(6)]) + noise.randbytes(600)


def _tls(noise, number):
    content = noise.randbytes(200)
    return struct.pack(">BHH", 23, 0x0303, len(content)) + content


# Name, transport, server port, function that makes the payloads, packets per conversation.
GENERATED = [
    ("openvpn", capture.UDP, 1194, _openvpn, None),
    ("turn", capture.UDP, 3478, _turn, None),
    ("esp", capture.UDP, 4500, _esp, None),
    ("sip", capture.UDP, 5060, _sip, None),
    ("ssdp", capture.UDP, 1900, _ssdp, A_CONVERSATION),
    ("dns", capture.UDP, 53, _dns, A_CONVERSATION),
    ("rtp", capture.UDP, 40000, _rtp, None),
    ("quic", capture.UDP, 443, _quic, None),
    ("tls", capture.TCP, 443, _tls, A_CONVERSATION),
]


def generated(row, count):
    _, transport, port, make, length = row
    noise = random.Random(1)
    length = length or count
    sequence = 0
    for number in range(count):
        conversation, place = divmod(number, length)
        sequence = 1 if place == 0 else sequence
        client = (b"\x0a\1" + struct.pack(">H", conversation), 50001)
        payload = make(noise, place)
        yield capture.Packet(number * 10**6, transport, client, (SERVER, port), payload, seq=sequence, ack=1)
        sequence += len(payload)


# --- Measuring


def measure(meter):
    """Returns by how many percent the plugin increases the instruction count for reading the file."""
    with_plugin, without = (meter.cost([], has)[0] - meter.empty((), has) for has in (True, False))
    return 100 * (with_plugin / without - 1), without


def repeated(source, count):
    """Repeats a capture, each time with other hosts, so that TCP does not take a repetition for retransmissions."""
    packets = capture.read(source)
    span = packets[-1].time - packets[0].time + 1
    for repetition in range(max(1, count // len(packets))):
        network = bytes((10, repetition >> 8, repetition & 255))
        for packet in packets:
            ends = {} if packet.raw is not None else {
                "source": (network + packet.source[0][3:], packet.source[1]),
                "destination": (network + packet.destination[0][3:], packet.destination[1])}  # fmt: skip
            yield packet.copy(time=packet.time + repetition * span, **ends)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("--packets", type=int, default=10000)
    parser.add_argument("--only", default="", metavar="TEXT")
    arguments = parser.parse_args()
    folder = Folder(arguments.build)
    try:
        meter = Meter(folder, counts_instructions=True)
        for has_plugin in (True, False):
            meter.empty((), has_plugin)  # before the file has content
        for row in GENERATED:
            if arguments.only not in row[0]:
                continue
            capture.write(meter.path, generated(row, arguments.packets))
            more, without = measure(meter)
            print(f"generated {row[0]:20} {more:+8.2f} %  of {without:.3f}e9", flush=True)
        for source in sorted((repo / "captures" / "other").glob("*.pcapng")):
            if arguments.only not in source.stem:
                continue
            capture.write(meter.path, repeated(source, arguments.packets))
            more, without = measure(meter)
            print(f"real      {source.stem:20} {more:+8.2f} %  of {without:.3f}e9", flush=True)
    finally:
        folder.remove()


if __name__ == "__main__":
    main()
