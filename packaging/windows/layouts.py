#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layouts.py FILE

Compares how clang lays out each struct of FILE, C that was preprocessed for Windows, by the rules of MSVC, which compiles
Wireshark, and by those of MinGW, which compiles the plugin. What has a long double is left out: it has 8 bytes there and
16 here, and nothing of Wireshark's has one. Prints how many structs it compared; fails where one differs.
"""
import re
import subprocess
import sys

TARGETS = ("x86_64-pc-windows-msvc", "x86_64-w64-windows-gnu")
FEWEST = 200  # structs of epan's headers: with fewer, nothing was compared


def layouts(target):
    # MSVC's clang knows two functions that MinGW's headers define, and says so: what is read here is the layouts.
    text = subprocess.run(
        ["clang", "-target", target, "-x", "c", "-w", "-fsyntax-only", "-Xclang", "-fdump-record-layouts",
         "-Xclang", "-fdump-record-layouts-complete", sys.argv[1]],
        capture_output=True, check=False, text=True).stdout
    found = {}
    for block in text.split("*** Dumping AST Record Layout")[1:]:
        lines = [line.rstrip() for line in block.split("Layout: <")[0].splitlines() if line.strip()]
        # One of the two tells of more sizes than the other: what counts is the size and the alignment.
        body = "\n".join(re.sub(r"\[sizeof=(\d+),.*?\balign=(\d+).*", r"[sizeof=\1 align=\2]", line) for line in lines)
        if "long double" not in body:
            found[lines[0].split("|")[1].strip()] = body
    return found


msvc, mingw = map(layouts, TARGETS)
different = sorted(name for name in msvc.keys() | mingw.keys() if msvc.get(name) != mingw.get(name))
for name in different:
    print(f"{name}\n{TARGETS[0]}:\n{msvc.get(name)}\n{TARGETS[1]}:\n{mingw.get(name)}")
print(f"{len(msvc)} structs, {len(different)} with another layout")
sys.exit(bool(different) or len(msvc) < FEWEST)
