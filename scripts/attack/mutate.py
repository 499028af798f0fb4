# SPDX-License-Identifier: MIT
"""Mutations of captures that know their structure.

Each takes a random.Random, the packets and a function that returns another capture's packets, and returns packets. The
result depends only on the random numbers.
"""
import dataclasses
import struct
import zlib

import capture
import stories
import wire
from capture import NANOSECONDS, TCP, UDP

MOST_PACKETS = 3000  # of a mutated capture


# --- Helpers


def with_payload(packets, protocol=None):
    """Returns the indexes of packets with a payload."""
    return [i for i, each in enumerate(packets) if each.payload and protocol in (None, each.protocol)]


def some(rng, places, most=8):
    """Chooses some of the indexes."""
    return sorted(rng.sample(places, min(len(places), rng.randint(1, most))))


def replace_payload(packets, index, payload):
    """Replaces the payload. Moves the later TCP sequence numbers of the flow by the change in length."""
    packet = packets[index]
    moved = len(payload) - len(packet.payload)
    packets[index] = packet.copy(payload=payload)
    if packet.protocol != TCP or moved == 0:
        return
    for i in range(index + 1, len(packets)):
        if packets[i].flow == packet.flow:
            packets[i] = packets[i].copy(seq=packets[i].seq + moved)


def strange_number(rng, value, size, room):
    """Replaces a number by a number that a reader may not expect. `room` is the number of bytes that remain in the
    payload."""
    bits = 8 * size
    candidates = [
        0, 1, 2, 3, 4, 8, 15, 16, 31, 32, 33, 127, 255, 256, 4095,
        value + 1, value - 1, value + 4, value - 4, value * 2, value // 2, value + 256, -value,
        room, room + 1, room - 1, room // 4, room // 4 + 1, room // 8, room * 4,
        2 ** (bits - 1), 2 ** (bits - 1) - 1, 2**bits - 1, 2**bits - 2, 2**bits - 4, 2 ** (bits - 2), 2 ** (bits // 2),
        value ^ 1 << rng.randrange(bits), value | 2 ** (bits - 1), rng.randrange(2**bits), rng.randrange(40),
        rng.randrange(1 << 20), 1 << rng.randrange(bits),
    ]  # fmt: skip
    return rng.choice(candidates)


def marks_of(packet):
    if packet.protocol == UDP and wire.read_datagram(packet.payload):
        return wire.enet_marks(packet.payload)
    return wire.payload_marks(packet.payload)


# --- Numbers in payloads


def change_numbers(rng, packets, _other):
    """Changes counts, lengths and type ids."""
    for index in some(rng, with_payload(packets)):
        payload = packets[index].payload
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            mark = rng.choice(marks_of(packets[index]) or [None])
            if mark is None or mark.offset + mark.size > len(payload):
                continue
            room = len(payload) - mark.offset - mark.size
            payload = mark.write(payload, strange_number(rng, mark.read(payload), mark.size, room))
        replace_payload(packets, index, payload)
    return packets


def change_bytes(rng, packets, _other):
    """Changes, removes or inserts any bytes, or truncates the payload."""
    for index in some(rng, with_payload(packets)):
        payload = bytearray(packets[index].payload)
        at = rng.randrange(len(payload))
        length = rng.choice((1, 1, 2, 4, 8, 16))
        kind = rng.randrange(5)
        if kind == 0:
            payload[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            payload[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            del payload[at : at + length]
        elif kind == 3:
            payload[at:at] = rng.randbytes(length)
        else:
            del payload[rng.choice((at, min(len(payload), rng.randrange(12)))) :]
        replace_payload(packets, index, bytes(payload))
    return packets


def nest_values(rng, packets, _other):
    """Replaces a value by another: deeply nested, or with very many elements."""
    for index in some(rng, with_payload(packets), 2):
        depth = rng.choice((99, 101, 129, 600, 1025, 4097, 5000))
        kind = rng.randrange(4)
        if kind == 0:
            value = struct.pack("<II", 28, 1) * depth + wire.integer(1)
        elif kind == 1:
            value = struct.pack("<III", 27, 1, 0) * depth + wire.integer(1)
        elif kind == 2:
            value = wire.array([wire.integer(rng.randrange(99))] * rng.choice((1000, 5000)))
        else:
            value = wire.dictionary([(wire.string(rng.randbytes(3)), wire.integer(i)) for i in range(700)])
        replace_payload(packets, index, _wrapped(packets[index], value))
    return packets


def _wrapped(packet, value):
    """Encodes a value for the packet's transport."""
    datagram = wire.read_datagram(packet.payload) if packet.protocol == UDP else None
    if datagram is None:
        return value if packet.protocol == UDP else wire.prefixed(value)
    places = [i for i, each in enumerate(datagram.commands) if each.has_data]
    if places:
        datagram.commands[places[0]] = datagram.commands[places[0]].with_data(value)
    return datagram.pack()


# --- ENet


def _datagrams(packets):
    return [i for i in with_payload(packets, UDP) if wire.read_datagram(packets[i].payload)]


def change_commands(rng, packets, _other):
    """Swaps, repeats, drops or truncates commands; turns commands into fragments; changes their channel or sequence
    number."""
    places = _datagrams(packets)
    for index in some(rng, places):
        datagram = wire.read_datagram(packets[index].payload)
        for _ in range(rng.choice((1, 1, 2))):
            _change_command(rng, datagram, packets, places)
        replace_payload(packets, index, datagram.pack())
    return packets


def _change_command(rng, datagram, packets, places):
    commands = datagram.commands
    if not commands:
        return
    at = rng.randrange(len(commands))
    command = commands[at]
    kind = rng.randrange(9)
    if kind == 0:
        rng.shuffle(commands)
    elif kind == 1:
        step = rng.choice((0, 1))  # 0: the same sequence number again; 1: the next number each time
        count = rng.choice((1, 2, 40, 200, 600))
        commands[at:at] = [dataclasses.replace(command, seq=command.seq + step * i) for i in range(count)]
    elif kind == 2:
        del commands[at]
    elif kind == 3:
        commands[at] = dataclasses.replace(command, data=command.data[: rng.randrange(len(command.data) + 1)])
    elif kind == 4 and command.data:
        size = rng.choice((1, 7, len(command.data), max(1, len(command.data) // 3)))
        number = rng.choice((wire.FRAGMENT, wire.UNRELIABLE_FRAGMENT))
        parts = wire.fragments(command.seq, command.data, size, command.channel, number)[:300]
        rng.choice((parts.reverse, lambda: rng.shuffle(parts), lambda: None))()
        commands[at : at + 1] = parts
    elif kind == 5:
        donor = wire.read_datagram(packets[rng.choice(places)].payload)
        commands.insert(at, rng.choice(donor.commands) if donor and donor.commands else command)
    elif kind == 6:
        commands[at] = dataclasses.replace(command, channel=rng.choice((0, 1, 254, 255, rng.randrange(256))))
    elif kind == 7:
        commands[at] = dataclasses.replace(command, seq=rng.choice((0, 65535, command.seq + 1, rng.randrange(65536))))
    else:
        commands[at] = dataclasses.replace(command, flags=rng.choice((0, 0x40, 0x80, 0xC0, 0x70)))


def _compress(rng, body):
    kind = rng.randrange(4)
    packed = (zlib.compress(body), wire.fastlz_store(body), wire.zstd_store(body), rng.randbytes(len(body)))[kind]
    if rng.random() < 0.3:
        at = rng.randrange(len(packed))
        packed = rng.choice((packed[:at], packed[:at] + rng.randbytes(1) + packed[at + 1 :]))
    return packed


def change_headers(rng, packets, _other):
    """Compresses datagrams, adds a checksum or only the checksum flag, removes the sent time, or changes the session
    or peer id."""
    is_one_way = rng.random() < 0.5
    compression = rng.randrange(2**32)
    places = _datagrams(packets)
    for index in places if rng.random() < 0.3 else some(rng, places):
        datagram = wire.read_datagram(packets[index].payload)
        kind = rng.randrange(6) if not is_one_way else compression % 6
        payload = None
        if kind in (0, 1):
            payload = datagram.compressed(lambda body: _compress(rng, body))
        elif kind == 2:
            datagram.checksum = rng.choice((0, datagram.right_checksum(0), rng.randrange(2**32)))
        elif kind == 3:
            datagram.word ^= rng.choice((wire.COMPRESSED, wire.SENT_TIME, 0x1000, 0x2000, 1 << rng.randrange(16)))
        elif kind == 4:
            datagram.checksum = None
        else:
            datagram.sent_time = rng.randrange(65536)
        replace_payload(packets, index, payload or datagram.pack())
    return packets


def shorten_datagrams(rng, packets, _other):
    """Truncates datagrams to a few bytes or to zero bytes."""
    for index in some(rng, with_payload(packets, UDP)):
        replace_payload(packets, index, packets[index].payload[: rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 11))])
    return packets


# --- TCP


def _segments(packets, at):
    """Returns the indexes of all segments with payload in the same flow."""
    return [i for i in with_payload(packets, TCP) if packets[i].flow == packets[at].flow]


def resegment(rng, packets, _other):
    """Splits the bytes of a direction differently: at every byte, anywhere, merged."""
    places = with_payload(packets, TCP)
    if not places:
        return packets
    chosen = _segments(packets, rng.choice(places))
    first = packets[chosen[0]]
    # A gap in a flow would move all later data, so the bytes are joined in packet order.
    data = b"".join(packets[i].payload for i in chosen)
    sizes = {"each": (1,), "few": (1, 2, 3, 5), "any": (1, 7, 50, 300, 1400), "merged": (16000, 60000)}
    cut = sizes[rng.choice(sorted(sizes))]
    start = rng.randrange(len(chosen)) if rng.random() < 0.5 else 0
    at = sum(len(packets[i].payload) for i in chosen[:start])
    pieces, seq = [], packets[chosen[start]].seq
    while at < len(data):
        size = rng.choice(cut) if len(pieces) < 200 else 60000
        pieces.append(first.copy(seq=seq, payload=data[at : at + size], time=packets[chosen[start]].time + len(pieces)))
        at, seq = at + size, seq + min(size, len(data) - at)
    gone = set(chosen[start:])
    out = [each for i, each in enumerate(packets) if i not in gone or i == chosen[start]]
    place = next(i for i, each in enumerate(out) if each is packets[chosen[start]])
    out[place : place + 1] = pieces
    return out


def overlap_segments(rng, packets, _other):
    """Retransmits segments with other content. Some of the copies also overlap data before or after the segment."""
    for index in reversed(some(rng, with_payload(packets, TCP))):
        packet = packets[index]
        moved = rng.choice((0, 1, -1, -3, 4, len(packet.payload), rng.randrange(-40, 40)))
        length = rng.choice((1, len(packet.payload), len(packet.payload) + 8, rng.randrange(1, 80)))
        content = (packet.payload * 2)[:length] if rng.random() < 0.5 else rng.randbytes(length)
        place = min(len(packets), index + rng.choice((0, 1, 1, 2, 5)))
        packets.insert(place, packet.copy(seq=packet.seq + moved, payload=content))
    return packets


def change_flags(rng, packets, _other):
    """Restarts, closes or resets connections in the middle; uses distant sequence numbers."""
    for index in some(rng, [i for i, each in enumerate(packets) if each.protocol == TCP], 3):
        packet = packets[index]
        flags = rng.choice((capture.SYN, capture.FIN | capture.ACK, capture.RST, capture.SYN | capture.ACK, 0, 255))
        seq = packet.seq + rng.choice((0, 0, 1, 2**31, -(2**31), 2**32 - 1, rng.randrange(2**32)))
        packets[index] = packet.copy(flags=flags, seq=seq)
    return packets


def change_websocket(rng, packets, _other):
    """Encodes the frames of a WebSocket direction again: fragmented, many per segment, masked or not, with changed
    content."""
    starts = [i for i in with_payload(packets, TCP) if packets[i].payload.startswith((b"GET ", b"HTTP/1.1 101"))]
    if not starts:
        return packets
    chosen = _segments(packets, rng.choice(starts))
    data = b"".join(packets[i].payload for i in chosen)
    head, _, rest = data.partition(b"\r\n\r\n")
    frames, _ = wire.websocket_frames(rest)
    out = [head + b"\r\n\r\n"]
    for opcode, _is_final, mask, payload in frames * rng.choice((1, 1, 1, 4)):
        if rng.random() < 0.2 and payload:
            mark = rng.choice(wire.payload_marks(payload))
            payload = mark.write(payload, strange_number(rng, mark.read(payload), mark.size, len(payload)))
        if rng.random() < 0.05:
            opcode = rng.randrange(16)
        if rng.random() < 0.1:
            mask = None if mask else rng.randbytes(4)
        if rng.random() < 0.1 and len(payload) > 1:
            at = rng.randrange(len(payload))
            out.append(wire.websocket_frame(payload[:at], opcode, False, mask))
            opcode, payload = 0, payload[at:]
        out.append(wire.websocket_frame(payload, opcode, rng.random() > 0.02, mask))
    merged = rng.choice((1, 2, 20, 300))
    pieces = [out[0]] + [b"".join(out[at : at + merged]) for at in range(1, len(out), merged)]
    return _with_pieces(packets, chosen, pieces)


def _with_pieces(packets, chosen, pieces):
    """Replaces the segments of a flow one by one, and appends the remaining segments to the flow."""
    flow, seq = packets[chosen[0]], packets[chosen[0]].seq
    out = list(packets)
    for i, piece in enumerate(pieces):
        place = chosen[i] if i < len(chosen) else None
        segment = (out[place] if place is not None else flow).copy(payload=piece, seq=seq)
        seq += len(piece)
        if place is not None:
            out[place] = segment
        else:
            out.append(segment.copy(time=packets[-1].time + i))
    gone = set(chosen[len(pieces) :])
    return [each for i, each in enumerate(out) if i not in gone]


# --- Whole packets


def lose(rng, packets, _other):
    share = rng.choice((0.02, 0.1, 0.3))
    return [each for each in packets if rng.random() > share] or packets


def double(rng, packets, _other):
    """Duplicates packets, as if captured on two interfaces: immediately or a little later, with the same or a later
    timestamp."""
    out = []
    for each in packets:
        out.append(each)
        if rng.random() < 0.1:
            place = len(out) if rng.random() < 0.7 else rng.randrange(len(out))
            out.insert(place, each.copy(time=each.time + rng.choice((0, 0, 1000))))
    return out


def reorder(rng, packets, _other):
    for _ in range(rng.choice((1, 4, 20))):
        at = rng.randrange(len(packets))
        packets.insert(min(len(packets), at + rng.randrange(12)), packets.pop(at))
    return packets


def drop_start(rng, packets, _other):
    return packets[rng.randrange(len(packets)) :]


def cut_by_snap(rng, packets, _other):
    """Truncates packets: all at one length, as captures with a snapshot length are; or each one anywhere, near its
    end, or in a length or count field."""
    limit = rng.choice((42, 43, 44, 46, 48, 50, 54, 55, 60, 64, 68, 96, 128, 256, rng.randrange(42, 300)))
    kind = rng.choice((0, 1, 2, 3, 3))
    share = rng.choice((0.1, 0.5, 1))  # for truncation at different lengths

    def length(packet):
        if kind == 0:
            return limit
        if rng.random() > share:
            return packet.snap
        if kind == 1:
            return rng.randrange(34, 300)
        if kind == 2 or not packet.payload:
            return max(34, len(packet.frame()) - rng.randrange(1, 60))
        marks = [mark for mark in marks_of(packet) if mark.kind in (wire.LENGTH, wire.COUNT)]
        mark = rng.choice(marks or marks_of(packet))
        counted = min(mark.read(packet.payload), 200)
        return len(packet.frame()) - len(packet.payload) + mark.offset + mark.size + rng.randrange(-1, counted + 8)

    return [each.copy(snap=length(each)) for each in packets]


def cut_inside(rng, packets, _other):
    """Truncates each packet at a different byte of the innermost layer's payload."""
    share = rng.choice((0.2, 1))

    def cut(packet):
        is_cut = packet.payload and rng.random() < share
        return packet.copy(snap=len(packet.frame()) - rng.randrange(len(packet.payload))) if is_cut else packet

    return [cut(each) for each in packets]


def change_times(rng, packets, _other):
    """Changes times: far in the future, before 1970, backwards, all equal."""
    far = rng.choice((2**40, 2**40 - 1, 2**41, 2**33, 2**62 // NANOSECONDS, 2**63 // NANOSECONDS - 1, 2**62, 2**63 - 1))
    kind = rng.randrange(6)
    if kind == 0:
        return [each.copy(time=each.time + far * NANOSECONDS) for each in packets]
    if kind == 1:
        return [each.copy(time=each.time - far * NANOSECONDS) for each in packets]
    if kind == 2:
        last = packets[-1].time
        return [each.copy(time=last - each.time) for each in packets]
    if kind == 3:
        return [each.copy(time=rng.choice((0, -1, far)) * NANOSECONDS) for each in packets]
    if kind == 4:
        return [each.copy(time=each.time + (far * NANOSECONDS if rng.random() < 0.1 else 0)) for each in packets]
    return [each.copy(time=each.time + rng.randrange(-(10**10), 10**10)) for each in packets]


def splice(rng, packets, other):
    """Adds the packets of another capture to this capture's conversation, after its packets or interleaved with
    them."""
    more = other()[: rng.choice((20, 100))]
    if rng.random() < 0.8:
        mine = rng.choice(packets)
        theirs = rng.choice(more)
        names = {theirs.source: mine.source, theirs.destination: mine.destination}
        more = [
            each.copy(source=names.get(each.source, each.source), destination=names.get(end, end))
            for each in more
            for end in (each.destination,)
        ]
    if rng.random() < 0.5:
        at = rng.randrange(len(packets) + 1)
        return packets[:at] + more + packets[at:]
    out = list(packets)
    for each in more:
        out.insert(rng.randrange(len(out) + 1), each)
    return out


def swap_messages(rng, packets, other):
    """Sends the messages of another capture over this capture's transport."""
    messages = [each.payload for each in other() if each.payload]
    if not messages:
        return packets
    for index in some(rng, with_payload(packets), 20):
        message = rng.choice(messages)
        datagram = wire.read_datagram(message)
        data = [command.data for command in datagram.commands if command.data] if datagram else []
        replace_payload(packets, index, _wrapped(packets[index], rng.choice(data) if data else message))
    return packets


def change_ends(rng, packets, _other):
    """Changes ports or addresses: the same port on both sides, ports of other protocols, or ports of another game."""
    ports = rng.choice(((5009, 5009), (7000, 3000), (6007, 6007), (0, 0), (53, 40000), (5030, 5031), (5040, 5009)))
    names = {}
    for each in packets:
        for end in (each.source, each.destination):
            if end not in names:
                address = rng.choice((end[0], end[0], b"\xff" * 4, b"\xe0\0\0\1"))
                names[end] = (address, ports[len(names) % 2])
    return [each.copy(source=names[each.source], destination=names[each.destination]) for each in packets]


def quote_in_icmp(rng, packets, _other):
    """Adds ICMP errors that quote a packet, complete or truncated."""
    for index in reversed(some(rng, with_payload(packets))):
        packets.insert(index + rng.randrange(2), capture.icmp_unreachable(packets[index]))
    return packets


MUTATIONS = (
    change_numbers, change_numbers, change_numbers, change_bytes, nest_values, nest_values,
    change_commands, change_commands, change_headers, change_headers, shorten_datagrams, shorten_datagrams,
    resegment, resegment, overlap_segments, change_flags, change_websocket,
    lose, double, reorder, drop_start, cut_by_snap, cut_by_snap, cut_inside, cut_inside, change_times,
    splice, swap_messages, change_ends, quote_in_icmp,
)  # fmt: skip


def mutate(rng, read_any):
    """Makes a mutated capture or a story. Returns its packets and the names of the mutations. `read_any` returns the
    name and the packets of any capture."""

    def other():
        return [each for each in read_any()[1]] or [capture.Packet()]

    if rng.random() < 0.35:
        packets, done = stories.tell(rng, read_any)
        count = rng.choice((0, 0, 0, 1, 1, 2))  # a story already has unusual content
    else:
        name, packets = read_any()
        most = rng.choice((40, 100, 200))
        start = 0 if rng.random() < 0.7 else rng.randrange(max(1, len(packets) - most))
        packets, done = list(packets[start : start + most]), [name]
        count = rng.choice((1, 2, 2, 3, 4, 6))
    for _ in range(count):
        mutation = rng.choice(MUTATIONS)
        done.append(mutation.__name__)
        packets = mutation(rng, packets, other)[:MOST_PACKETS]
        if not packets:
            packets = [capture.Packet()]
    return packets, done
