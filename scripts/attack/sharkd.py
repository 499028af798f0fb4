# SPDX-License-Identifier: MIT
"""Runs sharkd with the plugin of a build folder, and sends it JSON requests."""
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(repo / "tests"))
from nobody import as_nobody, copy_readable, open_folder  # noqa: E402

# Maximum processor time for one answer, in seconds. A normal answer takes less than a hundredth of it. On a loaded
# machine, elapsed time means little. A process that waits forever uses no processor time.
MOST_CPU_SECONDS = 60
MOST_IDLE_SECONDS = 300
MOST_MEMORY = 3 << 30

# Text that Wireshark, GLib and the sanitizers write to the log or into an answer if the code is wrong. The plugin
# checks the packet length itself, so an exception of epan in a protocol of the plugin is a fault, too.
_FAULT_IN_ANSWER = re.compile(
    rb"Dissector bug|(?:Malformed Packet|Packet size limited during capture): (?:ENet|Godot)[^\"\]]{0,80}"
)
_FAULT_IN_LOG = re.compile(
    rb"Dissector bug|AddressSanitizer|runtime error:|Assertion failed|assertion failed|not reached|"
    rb"(?:CRITICAL|WARNING|ERROR) \*\*:|\*\* \([^\n]{0,100} (?:WARNING|CRITICAL|ERROR)\]"
)


class Fault(Exception):
    """The plugin has failed; the text describes the fault."""


# Limits for the text after a fault. They are large because template names make a sanitizer's stack frames long, and the
# plugin's frames come late.
MOST_OF_LOG = 100_000
MOST_OF_ANSWER = 3000


def find_fault(text, pattern, most):
    found = pattern.search(text)
    if found is None:
        return None
    context = text[max(0, found.start() - 300) : found.end() + most]
    return found.group().decode("utf-8", "replace") + "\n" + context.decode("utf-8", "replace")


class Folder:
    """A folder for files that sharkd reads. If this process is root, sharkd runs as nobody, because Wireshark loads no
    plugin as root."""

    def __init__(self, build):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="godot-attack-"))
        open_folder(self.path)
        self.plugins = copy_readable(pathlib.Path(build) / "plugins", self.path / "plugins")
        self.project = copy_readable(repo / "tests" / "projects" / "arena", self.path / "project")
        self.library = next(self.plugins.glob("*/epan/godot.so"))
        self.preload = self._preload(pathlib.Path(build))

    def _preload(self, build):
        """Returns the libraries of the sanitizers with which the plugin was built, and options that make them detect
        more.
        """
        listed = subprocess.run(["ldd", self.library], capture_output=True, text=True, check=True).stdout
        runtimes = re.findall(r"=> (\S*lib(?:a|ub)san\S*)", listed)
        if not runtimes:
            return []
        exact = copy_readable(build / "exact_tvb.so", self.path / "exact_tvb.so")
        return [*runtimes, str(exact)]

    @property
    def is_sanitized(self):
        return bool(self.preload)

    def environment(self, allocator, has_plugin=True):
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
        kept |= {
            "HOME": str(self.path),
            "LC_ALL": "C.UTF-8",
            "WIRESHARK_PLUGIN_DIR": str(self.plugins if has_plugin else self.path / "none"),
            "WIRESHARK_ABORT_ON_DISSECTOR_BUG": "1",
            "WIRESHARK_DEBUG_WMEM_OVERRIDE": allocator,
            "G_SLICE": "always-malloc",
            "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:abort_on_error=1:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        if self.preload:
            kept["LD_PRELOAD"] = ":".join(self.preload)
        return kept

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Sharkd:
    def __init__(self, folder, allocator, has_plugin=True, wrapper=()):
        """@param wrapper a command that runs sharkd under a tool, such as valgrind; the time limit is then higher"""
        self.folder, self.has_plugin = folder, has_plugin
        self.most_cpu_seconds = MOST_CPU_SECONDS * (100 if wrapper else 5 if folder.is_sanitized else 1)
        self.log_path = folder.path / "sharkd.log"
        self.log = open(self.log_path, "w+b")
        self.log_read = 0
        self.process = subprocess.Popen(
            [*wrapper, "sharkd", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=folder.environment(allocator, has_plugin),
            preexec_fn=_no_core if folder.is_sanitized or wrapper else _limit,
            **as_nobody(folder.path),
        )
        self.buffer = b""
        self.number = 0

    def ask(self, requests):
        """Returns the answers to a list of (method, parameters), as bytes. Raises Fault."""
        lines = []
        for method, parameters in requests:
            self.number += 1
            request = {"jsonrpc": "2.0", "id": self.number, "method": method}
            lines.append(json.dumps(request | ({"params": parameters} if parameters else {})) + "\n")
        try:
            self.process.stdin.write("".join(lines).encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            self._gone("before " + lines[0].strip())
        return [self._answer(line) for line in lines]

    def _answer(self, line):
        limit, idle = self._cpu() + self.most_cpu_seconds, 0
        while b"\n" not in self.buffer:
            if select.select([self.process.stdout], [], [], 10)[0]:
                chunk = os.read(self.process.stdout.fileno(), 1 << 20)
                if not chunk:
                    self._gone("at " + line.strip())
                self.buffer += chunk
                continue
            idle += 10
            if self._cpu() > limit or idle > MOST_IDLE_SECONDS * 10:
                raise Fault(f"hangs at {line.strip()}")
        answer, _, self.buffer = self.buffer.partition(b"\n")
        fault = find_fault(answer, _FAULT_IN_ANSWER, MOST_OF_ANSWER)
        if fault:
            raise Fault(f"{fault}\nin the answer to {line.strip()}")
        return answer

    def check(self):
        """Raises Fault for faults that the log reports since the last check, or for too much memory."""
        self.log.seek(self.log_read)
        text = self.log.read()
        self.log_read += len(text)
        fault = find_fault(text, _FAULT_IN_LOG, MOST_OF_LOG)
        if fault:
            raise Fault(fault)
        if self.memory() > MOST_MEMORY:
            raise Fault(f"{self.memory() >> 20} MiB of memory")

    def _gone(self, when):
        code = self.process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        self.log.seek(self.log_read)
        text = self.log.read()
        raise Fault(f"{how}\n{when}\n{find_fault(text, _FAULT_IN_LOG, MOST_OF_LOG) or text[-1500:].decode('utf-8', 'replace')}")

    def _cpu(self):
        try:
            with open(f"/proc/{self.process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self):
        """Closes sharkd's input, so that sharkd exits normally."""
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()


def _no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit():
    _no_core()
    resource.setrlimit(resource.RLIMIT_AS, (2 * MOST_MEMORY, 2 * MOST_MEMORY))
