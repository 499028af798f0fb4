#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compile_commands.py COMPILE_COMMANDS FOLDER ...

Prints the compile commands of the sources in folders (each given as the end or a part of a path), one shell command per
line.
"""
import json
import os
import shlex
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    entries = json.load(file)
for entry in entries:
    if not any(f"/{folder}/" in entry["file"] for folder in sys.argv[2:]):
        continue
    words = shlex.split(entry["command"])
    folder = os.path.dirname(words[words.index("-o") + 1])
    print(f"cd {shlex.quote(entry['directory'])} && mkdir -p {shlex.quote(folder)} && {entry['command']}")
