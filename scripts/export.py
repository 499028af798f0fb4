#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py PLUGINS CAPTURE FOLDER

For captures that are too large for one tshark: splits the capture by UDP and TCP connections, and reads each connection
with a tshark that uses the plugin in PLUGINS (such as build/plugins; - uses the installed plugin). Runs as many at once
as there are processors. Writes into FOLDER

    messages.tsv   one row for each message of the multiplayer
    load.sql       makes a table of them in PostgreSQL, and the view calls:  cd FOLDER && psql -f load.sql
    bulk.ndjson    all frames with the plugin's fields, for Elasticsearch:  curl -H 'Content-Type: application/x-ndjson' --data-binary @bulk.ndjson …/_bulk
    mapping.json   the index's mapping

Omits frames that belong to no connection, which include all but the last fragment of an IP packet.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SEPARATOR = "\x1f"  # separates the values of a field; the plugin escapes this character in texts
FIELDS = ("frame.time_epoch", "udp.stream", "tcp.stream", "enet.duplicate_of", "godot_mp.sender", "godot_mp.receiver",
          "godot_mp.length", "godot_mp.summary")
CALL = re.compile(r"(To (?:all but )?\S+: |From \S+: )?(?:RPC (.*?)\(|Set (.*?) = )")
# Block types of pcapng.
SECTION, BYTE_ORDER, PACKETS, STATISTICS = b"\x0a\x0d\x0d\x0a", 0x1A2B3C4D, (2, 3, 6), 5
# Fields that Elasticsearch gets in addition to all fields of the plugin's protocols. NUMBERS has its types for epan's
# types.
COMMON_FIELDS = ("frame.number", "frame.time_epoch", "frame.len", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
                 "udp.srcport", "udp.dstport", "udp.stream", "tcp.srcport", "tcp.dstport", "tcp.stream",
                 "_ws.expert.message")
OUR_FIELDS = ("godot.", "godot_mp.", "godot_debug.", "enet.")
# FT_BOOLEAN is missing, because its value is 1 in Wireshark 4.0 but True in later releases.
NUMBERS = {"FT_FLOAT": "double", "FT_DOUBLE": "double", "FT_RELATIVE_TIME": "double", "FT_ABSOLUTE_TIME": "double",
           "FT_FRAMENUM": "long", "FT_IPv4": "ip", "FT_IPv6": "ip"}
RELAY_SIZE = 6  # size of the header before a relayed command in Godot 4: two bytes and the peer id
SQL = r"""DROP VIEW IF EXISTS calls;
DROP TABLE IF EXISTS messages;
CREATE TABLE messages (time double precision, connection text, sender bigint, receiver bigint, call text, size integer,
                       summary text);
\copy messages FROM 'messages.tsv'
CREATE VIEW calls AS
  SELECT call, count(*) AS count, sum(size) AS bytes, max(size) AS largest
  FROM messages WHERE call IS NOT NULL GROUP BY call;
"""


def environment_of(plugins):
    return {**os.environ, "LC_ALL": "C.UTF-8", **({} if plugins == "-" else {"WIRESHARK_PLUGIN_DIR": plugins})}


def tshark(environment, *options):
    return subprocess.run(["tshark", *map(str, options)], env=environment, check=True, capture_output=True).stdout


def streams_of(environment, capture):
    """Yields the stream of each frame, such as "udp 3"; empty if there is none."""
    lines = tshark(environment, "-nr", capture, "-T", "fields", "-E", "occurrence=l", "-e", "udp.stream", "-e", "tcp.stream")
    for line in lines.decode().splitlines():
        udp, tcp = line.split("\t")
        yield f"udp {udp}" if udp else f"tcp {tcp}" if tcp else None


def blocks_of(path):
    """Yields the blocks of a pcapng file, each with its type."""
    order = "<"
    with open(path, "rb") as file:
        while head := file.read(12):
            kind, size, magic = head[:4], *struct.unpack(order + "II", head[4:])
            if kind == SECTION and magic != BYTE_ORDER:
                order = ">" if order == "<" else "<"
                size = struct.unpack(order + "I", head[4:8])[0]
            yield struct.unpack(order + "I", kind)[0], head + file.read(size - len(head))


def as_pcapng(capture, folder):
    """Returns a pcapng file: the capture itself if it is pcapng, because editcap cannot copy its keys; otherwise a
    converted copy."""
    with open(capture, "rb") as file:
        if file.read(4) == SECTION:
            return capture
    subprocess.run(["editcap", "-F", "pcapng", capture, folder / "all.pcapng"], check=True, capture_output=True)
    return folder / "all.pcapng"


def split(environment, capture, folder):
    """Writes one file per connection, named after it. The file has the connection's packets, and the blocks that
    apply to all connections: interfaces, names, keys."""
    streams, common, parts = streams_of(environment, capture), b"", {}

    def append(path, content):
        # Opens the file again for each block, because there may be more connections than a process can have open files.
        with open(path, "ab") as part:
            part.write(content)

    for kind, block in blocks_of(as_pcapng(capture, folder)):
        if kind not in PACKETS:
            if kind != STATISTICS:
                common += block
                for path in parts.values():
                    append(path, block)
            continue
        stream = next(streams)
        if stream is None:
            continue
        path = folder / (stream.replace(" ", "-") + ".pcapng")
        append(path, block if stream in parts else common + block)
        parts[stream] = path
    return parts


def escaped(text):
    return text.replace("\\", "\\\\")


def rows_of(connection, fields, has_escapes):
    """Yields a row for each message, in PostgreSQL's format."""
    text = fields.decode()
    for line in (text.replace("\\\\", "\\") if has_escapes else text).split("\n")[:-1]:
        time, _, _, duplicate_of, *values = line.split("\t")
        if duplicate_of:
            continue
        for sender, receiver, length, summary in zip(*(value.split(SEPARATOR) for value in values)):
            call = CALL.match(summary)
            name = (call[2] or call[3]) if call else None
            size = int(length) - (RELAY_SIZE if call and call[1] else 0)
            yield "\t".join((time, connection, sender, receiver, escaped(name) if name else r"\N", str(size),
                             escaped(summary))) + "\n"


def named(fields):
    return [word for field in fields for word in ("-e", field)]


def types_of_fields(environment):
    """Returns the Elasticsearch type of each field, by name."""
    types = {}
    for line in tshark(environment, "-G", "fields").decode().splitlines():
        kind, _, name, type_, _, base, *_ = line.split("\t") + [""] * 6
        if kind != "F" or not (name in COMMON_FIELDS or name.startswith(OUR_FIELDS)) or type_ == "FT_NONE":
            continue
        is_decimal = type_.startswith(("FT_INT", "FT_UINT")) and "HEX" not in base
        types[name] = "long" if is_decimal else NUMBERS.get(type_, "keyword")
    return types


def mapping_of(types):
    """Returns the index's mapping. It stores values that cannot be indexed: a real may be infinite, and a text may
    be longer than a term of the index."""
    properties = {
        name.replace(".", "_"): {"type": type_, **({"ignore_above": 8191} if type_ == "keyword" else {"ignore_malformed": True})}
        for name, type_ in types.items()
    }
    layers = {"dynamic": False, "properties": properties}
    return {"mappings": {"dynamic": False, "properties": {"timestamp": {"type": "date"}, "layers": layers}}}


def bulk_of(documents):
    """Returns the output of `-T ek` without the document type, which Elasticsearch refuses since version 8."""
    return b"".join(line.replace(b',"_type":"doc"', b"") for line in documents.splitlines(keepends=True))


def has_escapes(environment):
    """Returns True if `-T fields` doubles backslashes. Wireshark 4.4 and later do."""
    return b" 4.0." not in tshark(environment, "--version").splitlines()[0]


def read(environment, types, connection, path):
    options = ["-E", "aggregator=" + SEPARATOR, *named(FIELDS)]
    fields = tshark(environment, "-nr", path, "-Y", "godot_mp", "-T", "fields", *options)
    # If the command names the fields, tshark prints each field only once.
    return "".join(rows_of(connection, fields, has_escapes(environment))), bulk_of(tshark(environment, "-nr", path, "-T", "ek", *named(types)))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    plugins, capture, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    environment = environment_of(plugins)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "load.sql").write_text(SQL)
    types = types_of_fields(environment)
    (folder / "mapping.json").write_text(json.dumps(mapping_of(types), indent=1))
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        parts = split(environment, capture, pathlib.Path(work))
        results = workers.map(lambda part: read(environment, types, *part), parts.items())
        with open(folder / "messages.tsv", "w", encoding="utf-8") as rows, open(folder / "bulk.ndjson", "wb") as bulk:
            for messages, documents in results:
                rows.write(messages)
                bulk.write(documents)
    print(f"{len(parts)} connections")


if __name__ == "__main__":
    main()
