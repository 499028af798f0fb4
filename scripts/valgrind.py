#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads captures under valgrind's memcheck, one after another in one process of sharkd, and lists its findings.

    valgrind.py --build build [CAPTURE ...]    # default: all of captures/

Every packet is dissected as in Wireshark's window: the list, then each packet's tree and columns. Reports errors with
the plugin among their callers, and leaks of memory that the plugin has requested. Ignores errors that Wireshark causes
itself, memory that dissectors keep that the plugin only calls, and what sharkd keeps of each file. The exit code is 1
if there are findings.
"""
import argparse
import pathlib
import sys
import xml.etree.ElementTree

repo = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(repo / "scripts" / "attack"))

import state  # noqa: E402
from sharkd import Folder, Sharkd  # noqa: E402

# valgrind keeps the symbols of a library that is unloaded at the end. It continues the log although the process forks.
OPTIONS = ("--tool=memcheck", "--leak-check=full", "--show-leak-kinds=definite,indirect", "--keep-debuginfo=yes",
           "--num-callers=40", "--child-silent-after-fork=yes", "--xml=yes")


def frames_of(stack):
    for frame in stack.iter("frame"):
        place = frame.findtext("file") and f"{frame.findtext('file')}:{frame.findtext('line')}"
        yield frame.findtext("obj", ""), f"{frame.findtext('fn', '?')} ({place or frame.findtext('obj', '?')})"


def is_of_plugin(object_):
    return object_.endswith("/godot.so")


def asks_itself(stack):
    """Returns whether the plugin has requested the memory. If a dissector that the plugin called has requested it, a
    function without a name is between the plugin and the allocator."""
    for object_, text in stack:
        if is_of_plugin(object_):
            return True
        if "libwireshark" in object_ and text.startswith("? "):
            return False
    return False


def is_plugins(error, stacks):
    if error.findtext("kind").startswith("Leak_"):
        return asks_itself(stacks[0])
    return any(is_of_plugin(object_) for stack in stacks for object_, _ in stack)


def is_reordered(error):
    """Returns whether GCC reads the value of an optional before it checks that there is a value. The value then has
    no effect."""
    frame = error.find("stack/frame")
    return error.findtext("kind") == "UninitCondition" and frame is not None and frame.findtext("file") == "optional"


def errors_of(log):
    """Returns the kind, description and callers of each error that has the plugin among its callers, and the number
    of other errors."""
    found, others = [], 0
    for error in xml.etree.ElementTree.parse(log).getroot().iter("error"):
        stacks = [list(frames_of(stack)) for stack in error.iter("stack")]
        if not is_reordered(error) and is_plugins(error, stacks):
            what = error.findtext("what") or error.findtext("xwhat/text")
            found.append((error.findtext("kind"), what, [text for stack in stacks for _, text in stack]))
        else:
            others += 1
    return found, others


def main():
    parser = argparse.ArgumentParser(description="Reads captures under valgrind's memcheck.")
    parser.add_argument("--build", type=pathlib.Path, default=repo / "build")
    parser.add_argument("captures", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    captures = options.captures or sorted((repo / "captures").glob("*.pcapng"))
    folder = Folder(options.build)
    try:
        log = folder.path / "valgrind.xml"
        sharkd = Sharkd(folder, "simple", wrapper=("valgrind", *OPTIONS, f"--xml-file={log}"))
        for path in captures:
            copy = folder.path / path.name
            copy.write_bytes(path.read_bytes())
            packets = len(state.read(sharkd, copy)[0])
            print(f"{path.name}: {packets} packets", flush=True)
        sharkd.end()
        found, others = errors_of(log)
    finally:
        folder.remove()
    for kind, what, callers in found:
        print(f"{kind}: {what}", *callers, sep="\n    ")
    print(f"{len(captures)} captures, {len(found)} errors of the plugin, {others} of others")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
