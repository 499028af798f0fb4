# SPDX-License-Identifier: MIT
"""Changes captures as users' captures differ: begun late, truncated, with frames missing, duplicated or reordered, with
other headers.

Each function takes the packets of a capture (capture.read()) and returns those of a worse capture.
"""
import collections
import random
import struct

from capture import ICMP, NANOSECONDS, TCP, UDP, Packet, ipv4

MILLISECOND = NANOSECONDS // 1000


def begun_late(packets):
    return packets[len(packets) // 3 :]


def cut(length):
    return lambda packets: [packet.copy(snap=min(length, packet.snap or length)) for packet in packets]


def without_each(number, offset=0):
    return lambda packets: [packet for at, packet in enumerate(packets, 1) if at % number != offset]


def twice(packets):
    """Captures each packet twice, on two interfaces that it passes."""
    return [copy for packet in packets for copy in (packet, packet.copy(time=packet.time + 2000))]


def merged(packets):
    """Merges the captures of both sides, although their clocks differ by a few milliseconds."""
    first = min((packet.source for packet in packets if packet.raw is None), default=None)
    late = [packet.copy(time=packet.time + 3 * MILLISECOND * (packet.source == first)) for packet in packets]
    return sorted(late, key=lambda packet: packet.time)


def _in_segments(packets, size, retransmitted, swapped):
    """@param retransmitted, swapped one in how many segments is retransmitted, or arrives after the next segment; 0:
    no segment"""
    chance, made = random.Random(1), []
    for packet in packets:
        parts = [packet.copy(seq=packet.seq + at, payload=packet.payload[at : at + size])
                 for at in range(0, len(packet.payload), size)] if packet.protocol == TCP else []
        if retransmitted:
            parts = [again for part in parts for again in [part] * (1 + (chance.randrange(retransmitted) == 0))]
        for at in range(1, len(parts) if swapped else 0):
            if chance.randrange(swapped) == 0:
                parts[at - 1], parts[at] = parts[at], parts[at - 1]
        made += parts or [packet]
        if parts and chance.randrange(9) == 0:  # a keep-alive
            made.append(packet.copy(seq=packet.seq + len(packet.payload) - 1, payload=b"\0"))
    return [packet.copy(time=packet.time + 1000 * at) for at, packet in enumerate(made)]


def small_segments(packets):
    """Returns TCP with a maximum segment size of 100 bytes. One segment in five is retransmitted; keep-alives are
    added."""
    return _in_segments(packets, 100, 5, 0)


def out_of_order(packets):
    """Returns TCP in which one segment in seven arrives after the next segment."""
    return _in_segments(packets, 536, 0, 7)


def behind_one_address(packets):
    """Gives all clients the address of one router, which assigns a port to each client. The server sees clients
    behind such a router in this way. The server's port is the most frequent port."""
    ports = collections.Counter(port for packet in packets if packet.raw is None
                                for port in {packet.source[1], packet.destination[1]})
    server = max(ports, key=ports.get)
    mapped = {}

    def seen(end):
        if end[1] == server:
            return b"\xc0\0\2\1", server
        return b"\xcb\0\x71\7", mapped.setdefault(end, 1024 + len(mapped))

    return [packet if packet.raw is not None else
            packet.copy(source=seen(packet.source), destination=seen(packet.destination)) for packet in packets]


# --- Headers around a packet

_IP6_NETWORK = b"\xfd" + bytes(11)


def _ip6(protocol, source, destination, transport, checksum_at):
    """Returns the same packet over IPv6. The addresses are fd00::/96 followed by the IPv4 address."""
    ends = _IP6_NETWORK + source + _IP6_NETWORK + destination
    total = ends + struct.pack(">II", len(transport), protocol) + transport + bytes(len(transport) % 2)
    total = sum(struct.unpack(f">{len(total) // 2}H", total))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    checksum = struct.pack(">H", ~total & 0xFFFF or 0xFFFF)
    transport = transport[:checksum_at] + checksum + transport[checksum_at + 2 :]
    return struct.pack(">IHBB", 6 << 28, len(transport), protocol, 64) + ends + transport


def _icmp6(frame):
    """Returns ICMP's "port unreachable", which quotes a datagram, as ICMPv6."""
    header = 14 + 20 + 8
    quoted = frame[header:]
    inner = struct.pack(">IHBB", 6 << 28, struct.unpack_from(">H", quoted, 2)[0] - 20, quoted[9], 64)
    inner += _IP6_NETWORK + quoted[12:16] + _IP6_NETWORK + quoted[16:20] + quoted[20:]
    return _ip6(58, frame[26:30], frame[30:34], b"\x01\x04" + bytes(6) + inner, 2)


def over_ip6(packets):
    def change(packet):
        if packet.raw is None:
            ends = packet.source[0], packet.destination[0]
            network = _ip6(packet.protocol, *ends, packet.transport(), 6 if packet.protocol == UDP else 16)
        elif packet.raw[12:15] == b"\x08\x00\x45" and packet.raw[23] == ICMP and packet.raw[34:36] == b"\x03\x03":
            network = _icmp6(packet.raw)
        else:
            return packet
        return packet.copy(raw=bytes(12) + b"\x86\xdd" + network)

    return [change(packet) for packet in packets]


def _datagram(payload, port):
    carrier = Packet(source=(b"\x0a\0\0\1", 40000), destination=(b"\x0a\0\0\2", port), payload=payload)
    return ipv4(UDP, carrier.source[0], carrier.destination[0], carrier.transport())


def _ethernet_type(frame):
    return frame[12:14]


_ETHERNET_OF_IP = bytes(12) + b"\x08\x00"

# For each header: the link type, and the function that converts an Ethernet frame.
HEADERS = {
    "VLAN": (1, lambda frame: frame[:12] + b"\x81\x00\x00\x07" + frame[12:]),
    "PPPoE": (1, lambda frame: bytes(12) + b"\x88\x64\x11\x00\x00\x01" + struct.pack(">H", len(frame) - 12)
              + (b"\x00\x57" if _ethernet_type(frame) == b"\x86\xdd" else b"\x00\x21") + frame[14:]),
    "VXLAN": (1, lambda frame: _ETHERNET_OF_IP + _datagram(b"\x08" + bytes(7) + frame, 4789)),
    "GRE": (1, lambda frame: _ETHERNET_OF_IP
            + ipv4(47, b"\x0a\0\0\1", b"\x0a\0\0\2", bytes(2) + _ethernet_type(frame) + frame[14:])),
    "radiotap": (127, lambda frame: b"\0\0\x08\0\0\0\0\0" + b"\x08\x02" + bytes(22) + b"\xaa\xaa\x03\0\0\0" + frame[12:]),
    "Linux cooked": (113, lambda frame: b"\0\0\0\1\0\6" + bytes(8) + frame[12:]),
    "Linux cooked, version 2": (276, lambda frame: frame[12:14] + bytes(18) + frame[14:]),
    "BSD loopback": (0, lambda frame: struct.pack("<I", 30 if _ethernet_type(frame) == b"\x86\xdd" else 2) + frame[14:]),
    "raw IP": (101, lambda frame: frame[14:]),
}

DEGRADATIONS = {
    "begun late": begun_late,
    "cut to 120 bytes": cut(120),
    "each 50th frame missing": without_each(50),
    "each 20th frame missing": without_each(20),
    "each frame twice": twice,
    "merged by clocks 3 ms apart": merged,
    "TCP in small segments, retransmitted": small_segments,
    "TCP out of order": out_of_order,
    "over IPv6": over_ip6,
    "clients behind one address": behind_one_address,
}


def write_framed(path, packets, header):
    """Writes a pcap file of the packets. @param header a key of HEADERS"""
    linktype, frame_of = HEADERS[header]
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, linktype))
        for packet in packets:
            frame = frame_of(packet.frame())
            captured = frame if packet.snap is None else frame[: packet.snap]
            file.write(struct.pack("<IIII", *divmod(packet.time, NANOSECONDS), len(captured), len(frame)) + captured)
