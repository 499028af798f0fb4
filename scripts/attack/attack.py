#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks the plugin with mutated captures.

    attack.py --build build                          # 100,000 packets, seed 1
    attack.py --build build-asan --packets 3000      # under the sanitizers (cmake --preset asan)
    attack.py --build build --seed 7 --only 123      # one file of one seed again
    attack.py --build build --replay FOUND.pcapng    # a file that was kept

The content of each file depends only on the seed and the file's number: a mutated capture, or a story (stories.py). One
sharkd process reads them all, as Wireshark's window does: all packets once, then the list, then each packet's tree and
columns, some of them again, all statistics and streams. At intervals tshark reads the file as well, with one pass and
with two, and its output is parsed as XML.

A fault is a crash, a hang, unbounded memory, a message of Wireshark's or a sanitizer's about a bug in the code, or a
packet whose dissection changes when it is dissected again. The file is then kept, complete and reduced to as few
packets as still show the fault, and the exit code is 1. Faults that Wireshark shows without the plugin, too, are
counted but do not fail the run.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import sys

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(repo / "scripts" / "packets"))

import capture  # noqa: E402
import two_passes  # noqa: E402
from cases import PREFERENCES, PROJECT, Case, Captures, make_case  # noqa: E402
from sharkd import Fault, Folder, Sharkd  # noqa: E402

PROTOCOL_COLUMN = 4  # index of this column among Wireshark's default columns
BATCH = 100  # requests that fit into sharkd's input pipe while its answers are not read
MOST_TRIES = 150  # limit of the runs that search for fewer packets
FILES_OF_ONE_SHARKD = 50  # because sharkd keeps 15 MB of each file, with or without the plugin

# The tree contains this text if another protocol has read past its packet; then the fault is not the plugin's. For the
# plugin's protocols, sharkd.py reports such a fault in any answer.
MALFORMED_BY = "Malformed Packet: "

PROTOCOLS = ("godot", "enet")  # prefixes of the plugin's protocol names

# --- One file


def batches(requests):
    for at in range(0, len(requests), BATCH):
        yield requests[at : at + BATCH]


def look_at(sharkd, path, case):
    """Reads a file as Wireshark's window does. Raises Fault."""
    values = {name: values[0] for name, values in PREFERENCES.items()} | case.preferences
    if values["godot_mp.project"]:
        values["godot_mp.project"] = str(sharkd.folder.project)
    names = [name for name in values if sharkd.has_plugin or not name.startswith(PROTOCOLS)]
    for answer in sharkd.ask([("setconf", {"name": name, "value": values[name]}) for name in names]):
        if b'"OK"' not in answer:
            raise Fault(f"a preference was not set: {answer}")
    loaded, rows = sharkd.ask([("load", {"file": str(path)}), ("frames", None)])
    if b'"OK"' not in loaded:
        raise Fault(f"not loaded: {loaded[:200]}")
    rows = json.loads(rows)["result"]
    order = [row["num"] for row in rows]
    details = {"proto": True, "columns": True, "bytes": True, "hidden": True}
    seen = {}
    for batch in batches(order):
        answers = sharkd.ask([("frame", {"frame": number, **details}) for number in batch])
        seen.update(zip(batch, map(result_of, answers)))
    for row in rows:
        columns = json.loads(seen[row["num"]])["col"]
        is_ours = columns[PROTOCOL_COLUMN].startswith(("Godot", "ENet")) and MALFORMED_BY not in seen[row["num"]]
        if "[Malformed Packet" in str(columns) and is_ours:
            raise Fault(f"an exception of epan's\npacket {row['num']}: {columns}")
        if columns != row["c"] and row["c"][PROTOCOL_COLUMN].startswith(("Godot", "ENet")):
            raise Fault(f"the columns differ without the tree\npacket {row['num']}: {row['c']}, with it {columns}")
    again = random.Random(len(order)).sample(order, min(8, len(order)))
    for number, answer in zip(again, sharkd.ask([("frame", {"frame": number, **details}) for number in again])):
        once_more = result_of(answer)
        before, after = part_of_plugin(seen[number]), part_of_plugin(once_more)
        if before != after and number_in_stream(seen[number]) == number_in_stream(once_more):
            raise Fault(f"is dissected differently when it is dissected again\npacket {number}{difference(before, after)}")
    followed = {"UDP": "udp", "TCP": "tcp", "ENet": "enet", "GodotMP": "godot_mp"}
    if not sharkd.has_plugin:
        followed = {"UDP": "udp", "TCP": "tcp"}
    sharkd.ask(
        [("tap", {f"tap{i}": table for i, table in enumerate(tables(sharkd))})]
        + [("follow", {"follow": kind, "filter": f"{name}.stream == 0"}) for kind, name in followed.items()]
        + [("frames", {"filter": "godot || godot_mp || godot_debug || enet", "column0": "godot.path_with_value:1"})]
    )
    sharkd.check()


def tables(sharkd):
    """Returns all statistics of the plugin, and those of Wireshark that iterate over all packets."""
    if not hasattr(sharkd, "tables"):
        known = json.loads(sharkd.ask([("info", None)])[0])["result"]
        listed = [each["tap"] for kind in ("nstat", "stats", "convs") for each in known[kind]]
        own = [tap for tap in listed if re.search(r":(?:enet|godot)", tap, re.IGNORECASE)]
        sharkd.tables = own + ["conv:UDP", "conv:TCP", "expert"]
    return sharkd.tables


def result_of(answer):
    """Returns an answer without the request's id. Raises Fault if it is not UTF-8."""
    try:
        text = answer.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"not UTF-8: {error} in {answer[max(0, error.start - 200) : error.end + 20]}") from error
    return text.partition('"result":')[2].removesuffix("}")


def part_of_plugin(result):
    """Returns the trees of the plugin's protocols, and the columns if there are any."""
    result = json.loads(result)
    parts, open_nodes = [], list(result["tree"])
    while open_nodes:
        node = open_nodes.pop()
        if node.get("t") == "proto" and node.get("f", "").startswith(PROTOCOLS):
            parts.append(node)
        else:
            open_nodes += node.get("n", [])
    return json.dumps([result["col"] if parts else [], parts])


def number_in_stream(result):
    """Returns the packet's TCP sequence number; None for other packets. Wireshark counts from the SYN that it
    dissected last, and reassembles by this number. If the number differs in another pass, TCP passes on other bytes."""
    found = re.search(r'"f":"tcp\.seq == (\d+)"', result)
    return found and found.group(1)


def difference(before, after):
    at = next((i for i, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), min(len(before), len(after)))
    return f":\n  {before[max(0, at - 150) : at + 150]}\n  {after[max(0, at - 150) : at + 150]}"


# --- The run


class Attack:
    def __init__(self, build, allocator, out, most_kept, passes_every=0):
        self.passes_every = passes_every
        self.folder = Folder(build)
        # "strict" fills freed memory and checks it; "simple" leaves each allocation to the sanitizer.
        self.allocator = allocator or ("simple" if self.folder.is_sanitized else "strict")
        self.out, self.most_kept = out, most_kept
        self.sharkd = None
        self.files = self.packets = 0
        self.faults = {}  # number of occurrences of each fault, by its first line
        self.others = 0  # faults of Wireshark itself

    def stop(self):
        if self.sharkd:
            self.sharkd.close()
            self.sharkd = None

    def close(self):
        self.stop()
        self.folder.remove()

    def fault_of(self, case, is_alone=False, has_plugin=True):
        """Returns the fault of a case; None if there is none."""
        if is_alone:
            self.stop()
        if self.sharkd is None:
            self.sharkd = Sharkd(self.folder, self.allocator, has_plugin)
        path = self.folder.path / "mutated.pcapng"
        case.write(path)
        try:
            look_at(self.sharkd, path, case)
        except Fault as fault:
            self.stop()
            return str(fault)
        return None

    def fault_of_passes(self, case):
        """Like fault_of(), but for tshark. Its output must be XML, and equal with one pass and with two."""
        path = self.folder.path / "mutated.pcapng"
        case.write(path)
        wrong = two_passes.compare(self.folder, path)
        if not wrong:
            return None
        if wrong[0].startswith("tshark"):
            try:
                two_passes.items(self.folder, path, has_plugin=False)
            except Fault:  # Wireshark cannot read this file without the plugin, either
                self.others += 1
                return None
        return f"passes: {re.sub('[0-9]+', 'N', wrong[0])[:100]}\n" + "\n".join(wrong[:20])

    def run(self, name, case):
        fault = self.fault_of(case)
        self.files += 1
        if fault is None and self.passes_every and self.files % self.passes_every == 0:
            fault = self.fault_of_passes(case)
            if fault:
                self.faults["passes"] = self.faults.get("passes", 0) + 1
                print(f"FAULT {name}: {fault.splitlines()[0]}", flush=True)
                self.out.mkdir(parents=True, exist_ok=True)
                case.write((self.out / name).with_suffix(".pcapng"))
                report = f"{' '.join(case.story)}\n{fault}\n"
                (self.out / name).with_suffix(".txt").write_text(report, encoding="utf-8")
                fault = None
        self.packets += len(case.packets)
        if self.files % FILES_OF_ONE_SHARKD == 0:
            self.stop()
        if fault is None:
            return
        kind = kind_of(fault)
        alone = self.fault_of(case, is_alone=True, has_plugin=False)
        self.stop()
        if alone and (kind_of(alone) == kind or (is_wiresharks_crash(fault) and is_crash(alone))):
            self.others += 1
            print(f"without the plugin, too: {name}: {kind}", flush=True)
            return
        self.faults[kind] = self.faults.get(kind, 0) + 1
        print(f"FAULT {name}: {kind}", flush=True)
        if self.faults[kind] <= self.most_kept:
            self.keep(name, case, fault)

    def keep(self, name, case, fault):
        self.out.mkdir(parents=True, exist_ok=True)
        stem = self.out / name
        case.write(stem.with_suffix(".pcapng"))
        alone = self.fault_of(case, is_alone=True)
        if alone is not None:
            case.packets = self.fewer_packets(case, kind_of(alone))
            case.write(self.out / f"{name}.small.pcapng")
        with open(stem.with_suffix(".txt"), "w", encoding="utf-8") as report:
            report.write(f"{' '.join(case.story)}\npreferences: {case.preferences}\n")
            report.write(f"alone: {'yes' if alone else 'no, only after the files before it'}\n")
            report.write(f"packets that suffice: {len(case.packets)}\n\n{alone or fault}\n")
        print(f"  kept as {stem}.*", flush=True)

    def fewer_packets(self, case, kind):
        """Removes packets (halves, then quarters, …) as long as the fault remains."""
        packets, tries, size = case.packets, 0, max(1, len(case.packets) // 2)
        while tries < MOST_TRIES:
            at, is_less = 0, False
            while at < len(packets) and tries < MOST_TRIES and len(packets) > 1:
                rest = packets[:at] + packets[at + size :]
                tries += 1
                fault = self.fault_of(Case(rest, case.preferences, [], case.secrets), is_alone=True) if rest else None
                if fault and kind_of(fault) == kind:
                    packets, is_less = rest, True
                else:
                    at += size
            if size == 1 and not is_less:
                break
            size = max(1, size // 2)
        return packets


def is_crash(fault):
    return fault.startswith("SIG")


def is_wiresharks_crash(fault):
    """Returns whether a crash happened in Wireshark's own code. The innermost frame decides: if the plugin called
    the dissector that crashed, the plugin is on the stack, too."""
    if not is_crash(fault):
        return False
    frames = [line.partition(" in ")[2] for line in fault.splitlines() if line.lstrip().startswith("#")]
    frames = [frame for frame in frames if not re.search(r"lib(?:asan|ubsan|c)\.so", frame)]
    return not frames or "/libw" in frames[0]


def kind_of(fault):
    """Returns the text by which equal faults are recognized: the first location in the plugin's code; without one,
    the first line."""
    for line in fault.splitlines():
        _, _, place = line.partition(" in ")
        if ("/codec/" in place or "/plugin/" in place) and line.lstrip().startswith("#"):
            return re.sub(r"\S*/((?:codec|plugin)/)", r"\1", place.strip())
    return fault.splitlines()[0][:120]


def arguments():
    parser = argparse.ArgumentParser(description="Attacks the plugin with mutated captures.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build", help="build folder with plugins/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packets", type=int, default=100_000, help="stop after so many (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="begin with this file")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this file alone")
    parser.add_argument("--stop", nargs="?", const="", metavar="TEXT", help="stop at the first fault (that says this)")
    parser.add_argument("--allocator", choices=("strict", "simple", "block"), help="Wireshark's, while it runs")
    parser.add_argument("--captures", type=pathlib.Path, default=repo / "captures", help="what is mutated")
    parser.add_argument("--replay", type=pathlib.Path, metavar="FILE", help="reads a pcapng file as it is")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("attack-found"), help="for what is found")
    parser.add_argument("--passes-every", type=int, default=20, metavar="NUMBER", help="files; 0: never (%(default)s)")
    parser.add_argument("--keep", type=int, default=3, metavar="NUMBER", help="files of one fault (%(default)s)")
    return parser.parse_args()


def replayed(path):
    return Case(capture.read(path), {}, [str(path)], capture.read_secrets(path))


def numbers(options):
    return [options.only] if options.only is not None else range(options.first, sys.maxsize)


def main():
    options = arguments()
    if shutil.which("sharkd") is None:
        sys.exit("attack.py: needs sharkd (Debian: wireshark-common)")
    attack = Attack(options.build, options.allocator, options.out, options.keep, options.passes_every)
    captures = Captures(options.captures)
    print(f"seed {options.seed}, {attack.folder.library}, {attack.allocator} allocator", flush=True)
    try:
        if options.replay:
            attack.run(options.replay.stem, replayed(options.replay))
        else:
            for number in numbers(options):
                is_stopped = options.stop is not None and any(options.stop in kind for kind in attack.faults)
                if attack.packets >= options.packets or is_stopped:
                    break
                attack.run(f"seed{options.seed}-{number}", make_case(options.seed, number, captures))
                if attack.files % 100 == 0:
                    print(f"{attack.files} files, {attack.packets} packets", flush=True)
    finally:
        attack.close()
    others = f", {attack.others} with one of Wireshark's own" if attack.others else ""
    print(f"{attack.files} files, {attack.packets} packets, {sum(attack.faults.values())} with a fault{others}")
    for kind, count in sorted(attack.faults.items(), key=lambda item: -item[1]):
        print(f"{count:6} {kind}")
    sys.exit(1 if attack.faults else 0)


if __name__ == "__main__":
    main()
