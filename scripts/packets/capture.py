# SPDX-License-Identifier: MIT
"""Ethernet captures as lists of packets that a script can change: reads and writes pcapng.

A Packet is either parsed UDP or TCP over IPv4, or another frame, which stays as it is. Headers are generated when a
file is written, so that a change of the payload needs no change of lengths or checksums.
"""
import dataclasses
import struct

UDP = 17
TCP = 6
ICMP = 1

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16

NANOSECONDS = 10**9
_ETHERNET = bytes(12) + b"\x08\x00"
_LARGEST_IP_PAYLOAD = 0xFFFF - 20


@dataclasses.dataclass
class Packet:
    """One packet of a capture. If it is neither UDP nor TCP, only `raw` is set."""

    time: int = 0  # nanoseconds since 1970; may be negative or larger than 64 bits
    protocol: int = UDP
    source: tuple = (b"\x7f\0\0\1", 1)  # address and port
    destination: tuple = (b"\x7f\0\0\1", 2)
    payload: bytes = b""
    seq: int = 0  # of TCP
    ack: int = 0
    flags: int = PSH | ACK
    snap: int | None = None  # number of bytes that were captured; None: all
    raw: bytes | None = None

    def copy(self, **changes):
        return dataclasses.replace(self, **changes)

    @property
    def flow(self):
        """Identifies one direction of a conversation."""
        return (self.protocol, self.source, self.destination)

    @property
    def conversation(self):
        return (self.protocol, *sorted((self.source, self.destination)))

    def frame(self):
        """Returns the bytes on the wire."""
        if self.raw is not None:
            return self.raw
        return _ETHERNET + ipv4(self.protocol, self.source[0], self.destination[0], self.transport())

    def transport(self):
        """Returns the UDP or TCP header followed by the payload."""
        room = _LARGEST_IP_PAYLOAD - (8 if self.protocol == UDP else 20)
        payload = self.payload[:room]
        ports = struct.pack(">HH", self.source[1], self.destination[1])
        if self.protocol == UDP:
            return ports + struct.pack(">HH", 8 + len(payload), 0) + payload
        header = struct.pack(">IIBBHHH", self.seq % 2**32, self.ack % 2**32, 0x50, self.flags, 0xFFFF, 0, 0)
        return ports + header + payload


def ipv4(protocol, source, destination, payload):
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0x4000, 64, protocol, 0, source, destination)
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return header[:10] + struct.pack(">H", checksum) + header[12:] + payload


def icmp_unreachable(packet):
    """Returns the ICMP error of a host on which no program uses the port. The error quotes the packet."""
    quoted = ipv4(packet.protocol, packet.source[0], packet.destination[0], packet.transport())
    body = b"\x03\x03" + bytes(6) + quoted[:548]
    raw = _ETHERNET + ipv4(ICMP, packet.destination[0], packet.source[0], body)
    return Packet(time=packet.time, protocol=ICMP, raw=raw)


def _parse_frame(time, frame):
    whole = Packet(time=time, protocol=0, raw=frame)
    if len(frame) < 34 or frame[12:14] != b"\x08\x00" or frame[14] != 0x45:
        return whole
    length, fragment = struct.unpack_from(">H", frame, 16)[0], struct.unpack_from(">H", frame, 20)[0]
    protocol = frame[23]
    at, end = 34, 14 + length
    if fragment & 0x3FFF or end > len(frame) or end < at + (8 if protocol == UDP else 20):
        return whole
    ports = struct.unpack_from(">HH", frame, at)
    packet = Packet(time=time, protocol=protocol, source=(frame[26:30], ports[0]), destination=(frame[30:34], ports[1]))
    if protocol == UDP:
        packet.payload = frame[at + 8 : end]
        return packet
    if protocol != TCP:
        return whole
    packet.seq, packet.ack, offset, packet.flags = struct.unpack_from(">IIBB", frame, at + 4)
    packet.payload = frame[at + (offset >> 4) * 4 : end]
    return packet


def _options(block, at, end):
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", block, at)
        if code == 0:
            return
        yield code, block[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def _ticks_per_second(block):
    for code, value in _options(block, 16, len(block) - 4):
        if code == 9:  # if_tsresol
            return 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
    return 10**6


def read(path):
    """Returns the packets of a little-endian pcapng file of Ethernet; raises ValueError for any other file."""
    with open(path, "rb") as file:
        content = file.read()
    packets, resolutions, at = [], [], 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        block = content[at : at + length]
        if kind == 0x0A0D0D0A and block[8:12] != b"\x4d\x3c\x2b\x1a":
            raise ValueError(f"{path}: not a little-endian pcapng file")
        if kind == 1:
            resolutions.append(_ticks_per_second(block))
        if kind == 6:
            interface, high, low, captured, original = struct.unpack_from("<5I", block, 8)
            time = (high << 32 | low) * NANOSECONDS // resolutions[interface]
            # Replaces the bytes that were not captured by zeros. When the packet is written, they are removed again.
            packet = _parse_frame(time, block[28 : 28 + captured].ljust(original, b"\0"))
            packet.snap = captured if captured < original else None
            packets.append(packet)
        at += length
    return packets


def read_secrets(path):
    """Returns the TLS and DTLS keys of a file: its decryption secrets blocks, unchanged."""
    with open(path, "rb") as file:
        content = file.read()
    found, at = [], 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if kind == 10:
            found.append(content[at : at + length])
        at += length
    return found


def _block(kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _interface(digits):
    return _block(1, struct.pack("<HHIHHB3xI", 1, 0, 0, 9, 1, digits, 0))


def _stamp(time):
    """Returns the interface and the timestamp in its unit. Nanoseconds of 64 bits end in 2554, so later times, and
    times before 1970, use an interface that counts seconds."""
    if 0 <= time < 2**63:
        return 0, time
    return 1, time // NANOSECONDS % 2**64


def write(path, packets, secrets=()):
    """@param secrets as read_secrets() returns them"""
    with open(path, "wb") as file:
        file.write(_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + _interface(9) + _interface(0))
        file.write(b"".join(secrets))
        for packet in packets:
            frame = packet.frame()
            captured = frame if packet.snap is None else frame[: packet.snap]
            interface, ticks = _stamp(packet.time)
            head = struct.pack("<5I", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(captured), len(frame))
            file.write(_block(6, head + captured))
