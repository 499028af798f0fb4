#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_database.py PLUGINS CAPTURES

Loads the output of scripts/export.py into a temporary PostgreSQL server, and checks that the view `calls` has the same
numbers as tshark's statistic. Exits with 77 if there is no PostgreSQL.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from nobody import as_nobody, copy_readable
from tshark import Tshark, minor_release

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# One capture contains its keys, another has two link types.
CASES = ("mp_rpc_godot4.6", "mp_ws_godot4.6", "mp_wss_godot4.6", "trouble_godot4.6", "enet_twice_godot3.6")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?|-?inf|nan")


def as_user(folder, *command, **options):
    """PostgreSQL refuses to run as root."""
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options,
                          **as_nobody(folder))


class Database:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        as_user(folder, programs / "initdb", "-D", folder / "data", "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync")
        # The server listens on a socket in the folder, so it needs no TCP port.
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        as_user(folder, programs / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-o", options, "start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        as_user(self.folder, self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def psql(self, *options, folder=None):
        return as_user(folder or self.folder, self.programs / "psql", "-h", self.folder, "-U", "test", "-d", "postgres",
                       "-v", "ON_ERROR_STOP=1", "-qAtF", "|", *options).stdout


def by_method(calls):
    """A row of the statistic may combine several nodes. Therefore both sides are summed by method."""
    methods = {}
    for name, (count, size, largest) in calls:
        method = name.rsplit(".", 1)[1]
        before = methods.get(method, (0, 0, 0))
        methods[method] = (before[0] + count, before[1] + size, max(before[2], largest))
    return methods


def calls_of_statistic(tshark, capture):
    for line in tshark.run(capture, "-q", "-z", "godot_mp,calls").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) >= 9 and cells[0] != "Rank" and not cells[1].startswith("send_"):
            yield cells[1], (int(cells[4]), int(float(cells[5])), int(float(cells[8])))


def unique(pairs):
    """Returns the object; each key occurs once, as Elasticsearch requires."""
    assert len({key for key, _ in pairs}) == len(pairs), [key for key, _ in pairs]
    return dict(pairs)


def check_bulk(tshark, capture, folder):
    """Checks that each frame is an action and a document, that its time is the capture's, and that the values have the
    types of the mapping."""
    lines = (folder / "bulk.ndjson").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["index"].keys() == {"_index"} for line in lines[::2])
    documents = [json.loads(line, object_pairs_hook=unique) for line in lines[1::2]]
    epochs = tshark.run(capture, "-Y", "udp || tcp", "-T", "fields", "-e", "frame.time_epoch").split()
    assert sorted(each["timestamp"] for each in documents) == sorted(str(int(float(epoch) * 1000)) for epoch in epochs), capture
    properties = json.loads((folder / "mapping.json").read_text())["mappings"]["properties"]["layers"]["properties"]
    assert properties["godot_mp_summary"]["type"] == "keyword" and properties["godot_mp_stream"]["type"] == "long"
    for document in documents:
        for name, values in document["layers"].items():
            is_number = properties[name]["type"] in ("long", "double")
            assert not is_number or all(NUMBER.fullmatch(value) for value in values), (capture, name, values)
    said = [text for each in documents for text in each["layers"].get("godot_mp_summary", [])]
    shown = tshark.run(capture, "-Y", "godot_mp", "-T", "fields", "-E", "aggregator=\x1f", "-e", "godot_mp.summary")
    if minor_release() >= 4:  # which doubles backslashes since 4.4
        shown = shown.replace("\\\\", "\\")
    assert sorted(said) == sorted(text for line in shown.splitlines() for text in line.split("\x1f")), capture


def check(database, tshark, capture, folder):
    script = copy_readable(REPOSITORY / "scripts" / "export.py", tshark.folder / "export.py")
    # The other user may not be permitted to run the interpreter of this test.
    environment = {**tshark.environment, "PATH": os.defpath}
    as_user(tshark.folder, script, tshark.folder / "plugins", capture, folder, env=environment)
    database.psql("-f", "load.sql", folder=folder)
    loaded = database.psql("-c", "SELECT call, count, bytes, largest FROM calls")
    calls = [(name, tuple(map(int, numbers))) for name, *numbers in (line.split("|") for line in loaded.splitlines())]
    expected = list(calls_of_statistic(tshark, capture))
    assert by_method(calls) == by_method(expected), f"{capture}:\n{sorted(calls)}\n{sorted(expected)}"
    # A row has the name of its first node.
    assert {name for name, _ in expected} <= {name for name, _ in calls}, capture
    check_bulk(tshark, capture, folder)


def main():
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not programs:
        print("There is no PostgreSQL here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tshark = Tshark(folder, sys.argv[1])
        with Database(programs[-1].parent, folder) as database:
            for name in CASES:
                check(database, tshark, tshark.copy(pathlib.Path(sys.argv[2]) / (name + ".pcapng")), folder / name)
    print(f"{len(CASES)} captures")


if __name__ == "__main__":
    main()
