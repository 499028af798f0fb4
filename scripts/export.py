#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py PLUGINS CAPTURE FOLDER

For captures too large for one tshark: splits one by its UDP and TCP connections, lets a tshark with the plugin below PLUGINS
(such as build/plugins; - is an installed one) read each, as many at once as there are processors, and writes into FOLDER

    messages.tsv   one row for each message of the multiplayer
    load.sql       makes a table of them in PostgreSQL, and the view calls:  cd FOLDER && psql -f load.sql
    bulk.ndjson    all frames, for Elasticsearch:  curl -H 'Content-Type: application/x-ndjson' --data-binary @bulk.ndjson …/_bulk
    mapping.json   the index's mapping

Frames that are of no connection are left out: so are all but the last fragment of an IP packet.
"""

import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SEPARATOR = "\x1f"  # between values of a field; the plugin escapes it in texts
FIELDS = ("frame.time_epoch", "udp.stream", "tcp.stream", "enet.duplicate_of", "godot_mp.sender", "godot_mp.receiver",
          "godot_mp.length", "godot_mp.summary")
CALL = re.compile(r"(To (?:all but )?\S+: |From \S+: )?(?:RPC (.*?)\(|Set (.*?) = )")
RELAY_SIZE = 6  # of what stands before a relayed command in Godot 4: two bytes, and the peer
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
    """Of each frame: such as "udp 3", or nothing."""
    lines = tshark(environment, "-nr", capture, "-T", "fields", "-E", "occurrence=l", "-e", "udp.stream", "-e", "tcp.stream")
    for line in lines.decode().splitlines():
        udp, tcp = line.split("\t")
        yield f"udp {udp}" if udp else f"tcp {tcp}" if tcp else None


def records_of(path):
    """The header of a pcap file, then each of its records."""
    with open(path, "rb") as file:
        header = file.read(24)
        order = "<" if header[:1] in (b"\xd4", b"\x4d") else ">"
        yield header
        while head := file.read(16):
            yield head + file.read(struct.unpack(order + "IIII", head)[2])


def split(environment, capture, folder):
    """One file for each connection, by its name."""
    plain = folder / "all.pcap"
    subprocess.run(["editcap", "-F", "nsecpcap", capture, plain], check=True, capture_output=True)
    records = records_of(plain)
    header, parts = next(records), {}
    for stream, record in zip(streams_of(environment, capture), records):
        if stream is None:
            continue
        path = folder / (stream.replace(" ", "-") + ".pcap")
        # Opened anew each time: there may be more connections than files may be open.
        with open(path, "ab") as part:
            part.write(record if stream in parts else header + record)
        parts[stream] = path
    plain.unlink()
    return parts


def escaped(text):
    return text.replace("\\", "\\\\")


def rows_of(connection, fields):
    """A row for each message, as PostgreSQL reads it."""
    for line in fields.decode().split("\n")[:-1]:
        time, _, _, duplicate_of, *values = line.split("\t")
        if duplicate_of:
            continue
        for sender, receiver, length, summary in zip(*(value.split(SEPARATOR) for value in values)):
            call = CALL.match(summary)
            name = (call[2] or call[3]) if call else None
            size = int(length) - (RELAY_SIZE if call and call[1] else 0)
            yield "\t".join((time, connection, sender, receiver, escaped(name) if name else r"\N", str(size),
                             escaped(summary))) + "\n"


def read(environment, connection, path):
    options = ["-E", "aggregator=" + SEPARATOR, *(word for field in FIELDS for word in ("-e", field))]
    fields = tshark(environment, "-nr", path, "-Y", "godot_mp", "-T", "fields", *options)
    return "".join(rows_of(connection, fields)), tshark(environment, "-nr", path, "-T", "ek")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    plugins, capture, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    environment = environment_of(plugins)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "load.sql").write_text(SQL)
    mapping = ["-G", "elastic-mapping", "--elastic-mapping-filter", "frame,ip,udp,tcp,enet,godot,godot_mp,godot_debug"]
    (folder / "mapping.json").write_bytes(tshark(environment, *mapping))
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        parts = split(environment, capture, pathlib.Path(work))
        results = workers.map(lambda part: read(environment, *part), parts.items())
        with open(folder / "messages.tsv", "w", encoding="utf-8") as rows, open(folder / "bulk.ndjson", "wb") as bulk:
            for messages, documents in results:
                rows.write(messages)
                bulk.write(documents)
    print(f"{len(parts)} connections")


if __name__ == "__main__":
    main()
