#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies ctest's output, and lists the skipped tests with their reasons before its summary.

    ctest --output-junit FILE ... | list_skipped.py FILE [--also TEXT ...]

TEXT: a test that was disabled when the build was configured, with the reason.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def skipped_tests(report):
    """Yields the name and the reason of each skipped test: the last line that it has printed."""
    if not report.is_file():
        return
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.get("status") not in ("notrun", "disabled"):
            continue
        lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
        why = case.find("skipped")
        default = "disabled" if why is None else why.get("message")
        yield case.get("name"), lines[-1] if lines else default


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--also", nargs="*", default=[])
    arguments = parser.parse_args()
    summary = []
    for line in sys.stdin:
        # The report is complete only after ctest has ended, so the reasons are listed before ctest's summary.
        if summary or re.match(r"\d+% tests passed", line):
            summary.append(line)
        else:
            print(line, end="", flush=True)
    skipped = [f"{name}: {reason}" for name, reason in skipped_tests(arguments.report)] + arguments.also
    if summary and skipped:
        print("Skipped:\n" + "".join(f"  {line}\n" for line in skipped))
    print("".join(summary), end="")


if __name__ == "__main__":
    main()
