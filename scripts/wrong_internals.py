#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that tests fail clearly if a release of epan, TCP or UDP keeps its state differently from what
plugin/epan/internals.* expect.

    wrong_internals.py --build build [--only NAME ...]

Each row of WRONG changes one access of internals.* to what it would do in such a release: it reads another number, or
ignores a value. The plugin is built with the change, in place of the real plugin, and the row's tests run. They must
fail. Prints each row with the tests that failed; the exit code is 1 if a row's tests passed.
"""
import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

repo = pathlib.Path(__file__).resolve().parents[1]
HEADER, SOURCE = "plugin/epan/internals.h", "plugin/epan/internals.cpp"

# Tests by the state that they need.
STREAMS = "CustomStreams.*:VariantStream.*:StreamSegments.*:RegisteredTcp*:SegmentsOnRegisteredPorts.*:RevokedDetection.*:CaptureOfARunningGame.*:DebugStream.*:Wss.*"
TABLES = "StatisticsTables.*:ProblemRows.*:ProblemFields.*:ProblemMarks.*:CallsTable.*:CustomPayload.*"
WEB = "WebRtc*:*Browser*:*WebGame*:Dtls.*"

# Name, file, original line, replacement, and the tests.
WRONG = (
    ("ports are not looked at", HEADER,
     "    set(type, source, destination);\n  }\n  void", "  }\n  void", "RegisteredTcpPorts.*"),
    ("ends are not looked at", SOURCE, "  pinfo->src = ends.source;\n", "  return before;\n", WEB),
    ("taps ask something else than in_error_pkt", SOURCE,
     "  pinfo->flags.in_error_pkt = false;\n", "", "IcmpQuotedEnet.*"),
    ("layers are kept elsewhere", SOURCE, "  wmem_list_remove_frame(pinfo->layers, last);\n", "", "OtherProtocols.*"),
    ("saved_can_desegment is not set", SOURCE, "pinfo->can_desegment = pinfo->saved_can_desegment;", "", STREAMS),
    ("no tree is visible", SOURCE, "tree != nullptr && PTREE_DATA(tree)->visible", "false && tree", "VariantTree.*"),
    ("items are not counted", SOURCE, "PTREE_DATA(tree)->count + left_out", "left_out", "VariantLimit.*"),
    ("a preference of TCP has another name", SOURCE, '"relative_sequence_numbers"', '"relative"', STREAMS),
    ("a preference of TCP has another name, too", SOURCE, '"analyze_sequence_numbers"', '"analyze"', STREAMS),
    ("base_seq is of the stream's first byte", SOURCE,
     "return flow == nullptr ? 0 : flow->base_seq;", "return flow == nullptr ? 0 : flow->base_seq + 1;", STREAMS),
    ("base_seq is of the stream's first byte, too", SOURCE,
     "return tcp->fwd->base_seq + 1;", "return tcp->fwd->base_seq;", STREAMS),
    ("bits of completeness: SYN", SOURCE, "has_syn = 0x01", "has_syn = 0x02", TABLES),
    ("bits of completeness: ACK", SOURCE, "has_ack = 0x04", "has_ack = 0x08", TABLES),
    ("bits of completeness: reset", SOURCE, "has_reset = 0x20", "has_reset = 0x40", TABLES),
    ("the bit of a lost segment is another one", SOURCE, "lost_packet = 0x02", "lost_packet = 0x04", STREAMS),
    ("server_port is the client's", SOURCE,
     "tcp->server_port == pinfo->srcport", "tcp->server_port != pinfo->srcport", TABLES),
    ("messages that TCP waits for are kept elsewhere", SOURCE,
     "is_seq_before(shown, message->nxtpdu);", "is_seq_before(message->nxtpdu, shown);", STREAMS),
    ("UDP keeps its ports elsewhere", SOURCE, "if (source == 0) continue;", "continue;", WEB),
    ("UDP keeps its ports by another layer", SOURCE,
     "layer = pinfo->curr_layer_num; layer > 0", "layer = 1; layer > 0", WEB),
    ("rows: all", SOURCE, "  while (table->num_elements > 0) {\n", "  return;\n  while (table->num_elements > 0) {\n", TABLES),
    ("columns have another format", SOURCE,
     "col_fmt = COL_INFO;", "col_fmt = COL_NUMBER;", "CustomPayload.*"),
    ("columns keep their text", SOURCE, "    column.col_buf[0] = '\\0';\n", "", "CustomPayload.*"),
    ("columns keep their fence", SOURCE, "    column.col_fence = 0;\n", "", "CustomPayload.*"),
)


class Build:
    def __init__(self, folder):
        self.folder = folder.resolve()
        self.plugin = next(self.folder.glob("plugins/*/epan/godot.*"))
        target = self.plugin.relative_to(self.folder)
        commands = subprocess.run(["ninja", "-t", "commands", target], cwd=self.folder, check=True, text=True,
                                  capture_output=True).stdout.splitlines()
        self.compile = {match[1]: line for line in commands if (match := re.search(r" -c \S*?/(plugin/\S+\.cpp)$", line))}
        self.link = next(line for line in commands if f" -o {target} " in line)

    def make_wrong(self, file, was, wrong):
        """Builds the plugin with one file changed, in place of the real plugin."""
        text = (repo / file).read_text(encoding="utf-8")
        if text.count(was) != 1:
            sys.exit(f"wrong_internals.py: {file} has {text.count(was)} times: {was}")
        with tempfile.TemporaryDirectory() as overlay:
            place = pathlib.Path(overlay, file)
            place.parent.mkdir(parents=True)
            place.write_text(text.replace(was, wrong), encoding="utf-8")
            link = self.link
            for source in users_of(file):
                object_ = f"{overlay}/{source.replace('/', '_')}.o"
                command = self.compile[source]
                own = re.search(r" -o (\S+)", command)[1]
                path = place if source == file else repo / source
                command = re.sub(r" -(MF|MT) \S+", "", command.replace(" -MD", "")).replace(" -Werror", "")
                command = re.sub(r" -o \S+ -c \S+$", f" -o {object_} -c {path}", command)
                run(command.replace(" -I", f" -I{overlay} -I", 1), self.folder)
                link = link.replace(f" {own} ", f" {object_} ")
            run(link, self.folder)

    def failed_test(self, tests):
        """Returns the first test that fails, or None."""
        command = [self.folder / "tests" / "plugin_tests", "--gtest_fail_fast", f"--gtest_filter={tests}"]
        result = subprocess.run(command, cwd=self.folder / "tests", text=True, capture_output=True, check=False)
        if result.returncode == 0:
            return None
        # After a failure, a test may read rows that do not exist, and crash. Then the last test that started is the
        # failed test.
        return (re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", result.stdout, re.MULTILINE) or
                re.findall(r"^\[ RUN      \] (\S+)", result.stdout, re.MULTILINE)[-1:])[0]


def users_of(file):
    """Returns the sources to build again: those that use the header's inline functions."""
    if file == SOURCE:
        return [file]
    return [str(path.relative_to(repo)) for path in sorted((repo / "plugin").rglob("*.cpp"))
            if "BorrowedPorts" in path.read_text(encoding="utf-8")]


def run(command, folder):
    result = subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{shlex.quote(command)}\n{result.stdout}{result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", help="the names of rows")
    options = parser.parse_args()
    build = Build(options.build)
    unseen = 0
    with tempfile.TemporaryDirectory() as kept:
        real = shutil.copy2(build.plugin, kept)
        try:
            for name, file, was, wrong, tests in WRONG:
                if options.only and name not in options.only:
                    continue
                build.make_wrong(file, was, wrong)
                failed = build.failed_test(tests)
                unseen += failed is None
                print(f"{name}: {failed or 'NO TEST FAILED'}", flush=True)
        finally:
            shutil.copy2(real, build.plugin)
    return unseen > 0


if __name__ == "__main__":
    sys.exit(main())
