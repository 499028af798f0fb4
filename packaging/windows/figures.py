#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""figures.py NAME CAPTURE FILE TSHARK [ARGUMENT ...]: writes what a tshark takes for a capture into FILE, the list and the
trees: processor time, the most memory, and how many bytes it printed."""
import resource
import subprocess
import sys

name, capture, file, *tshark = sys.argv[1:]
with open(file, "w", encoding="utf-8") as figures:
    for title, options in (("version", None), ("list", []), ("trees", ["-V"])):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = tshark + (["--version"] if options is None else ["-n", "-r", capture, *options])
        printed = 0
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
            while block := run.stdout.read(1 << 20):
                printed += len(block) - block.count(b"\r")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        # The most of all children so far: each of these takes more than the one before it.
        figures.write(f"{name}, {title}: {seconds:.1f} s, {after.ru_maxrss // 1024} MB, {printed} bytes, "
                      f"ended with {run.returncode}\n")
