# SPDX-License-Identifier: MIT
"""Makes pages of captures, and reads their content without a browser."""
import base64
import hashlib
import itertools
import json
import pathlib
import re
import subprocess
import sys
import zlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
from nobody import copy_readable  # noqa: E402
from tshark import Tshark  # noqa: E402

_DATA = re.compile(r'<script type="text/plain" id="data">([^<]*)</script>')
_TYPES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "f64": "d"}


class Maker:
    """@param folder where tshark's user may read and write"""

    def __init__(self, folder, plugins):
        self.folder = folder
        self.tshark = Tshark(folder, plugins)

    def page(self, capture, *options, name=None):
        copied = self.readable(capture)
        page = self.folder / f"{name or capture.stem}.html"
        self.tshark.run(copied, "-2", "-q", "-z", f"godot,page,{page}", *options)
        return page

    @staticmethod
    def source(path):
        return (REPOSITORY / path).read_text(encoding="utf-8")

    def readable(self, capture):
        return capture if capture.parent == self.folder else self.tshark.copy(capture)

    def copy_game(self, project):
        """Copies a project folder to where tshark may read it."""
        copied = self.folder / project.name
        return copied if copied.exists() else copy_readable(project, copied)

    def tables(self, capture, names, *options):
        """Returns the tables of -z in the order in which tshark prints them; each row is a dict by column title."""
        asked = [part for name in names for part in ("-z", name)]
        printed = self.tshark.run(self.readable(capture), "-2", "-q", *asked, *options)
        tables = []
        for part in re.split(r"^=+\n", printed, flags=re.MULTILINE):
            lines = [[cell.strip() for cell in line.split("|")] for line in part.splitlines() if line.count("|") > 2]
            if lines:
                tables.append((set(lines[0]), [dict(zip(lines[0], line)) for line in lines[1:]]))
        return tables


def data_of(page):
    """Returns the text of the page's only data block."""
    found = _DATA.findall(page.read_text(encoding="utf-8"))
    assert len(found) == 1, f"{len(found)} blocks"
    return found[0]


def columns_of(page):
    """Returns the columns by name: lists of numbers, bytes, and the head, which is JSON."""
    columns = {}
    for line in data_of(page).split("\n"):
        name, kind, count, packed = line.split(" ")
        unpacked = zlib.decompress(base64.b64decode(packed))
        if kind == "json":
            columns[name] = json.loads(unpacked)
            continue
        columns[name] = memoryview(unpacked).cast(_TYPES[kind.removeprefix("+")])
        if kind.startswith("+"):
            columns[name] = list(itertools.accumulate(columns[name], lambda one, two: (one + two) % 2**32))
        assert len(columns[name]) == int(count), name
    return columns


def without_library(page, folder):
    """Makes the page of a plugin that was built without the library: the same data in the template that CMake makes
    then."""
    made = folder / "without"
    subprocess.run(["cmake", f"-DSOURCE={REPOSITORY / 'page'}", f"-DOUTPUT={made}", "-P", REPOSITORY / "page" / "assemble.cmake"],
                   check=True)
    html = pathlib.Path(f"{made}.html").read_text(encoding="utf-8").replace("@DATA@", data_of(page))

    def hash_of(tag):
        text = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    policy = f"default-src 'none'; script-src {hash_of('script')}; style-src {hash_of('style')}"
    target = folder / f"{page.stem}_without.html"
    target.write_text(html.replace("@CSP@", policy), encoding="utf-8")
    return target
