#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""window.py [--size WIDTHxHEIGHT] [--text] PLUGINS FOLDER [CAPTURE]

Opens a capture in Wireshark's window on a virtual screen, with the plugin in the folder PLUGINS and the profile Godot.
Opens each of the plugin's entries of the menu Statistics, the graphs, and the plugin's pages of the preferences. Makes
the match page, for which a stand-in for the browser only records the file's name. Writes the content of each window
into FOLDER: as text, as a screen reader gets it (window.json), and as a picture; --text: without pictures.

Without CAPTURE: five captures, on a screen of 1366x768 and on one of 1920x1080, each in a separate folder in FOLDER.

Needs Debian's packages wireshark, xvfb, at-spi2-core, gir1.2-atspi-2.0, python3-gi, dbus, xdotool and imagemagick;
exits with 77 if one is missing. tests/window.py compares the text.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CAPTURES = ("trouble_godot4.6", "mp_spawn_godot4.6", "mp_ws_godot4.6", "debug_script_godot4.6", "mp_rpc_godot3.6")
SIZES = ("1366x768", "1920x1080")
PYTHON = "/usr/bin/python3"  # the interpreter that Debian's Python packages are installed for
PROGRAMS = ("wireshark", "Xvfb", "dbus-run-session", "xdotool", "import")
PAGES = ("ENet", "Godot", "GodotDebug", "GodotMP")
MATCH_PAGE = "Match page"
PLUGINS_MENU = ["Down"] * 6 + ["Right"]  # keys for the plugin's entries in a packet's menu, in Wireshark 4.4 and later
NOT_YET = 3  # the exit code
PATIENCE = 60  # timeout in seconds that suffices on a loaded machine; each wait ends as soon as possible


def if_there(answer):
    """Returns the answer. Returns None if the object disappears meanwhile (GLib.GError), which happens while
    Wireshark still builds a window."""
    try:
        return answer()
    except RuntimeError:
        return None


def eventually(what, answer, patience=PATIENCE):
    """Returns the first answer that is not empty."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = if_there(answer)
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError(what)


# --- The window, as a screen reader sees it


class Window:
    def __init__(self, folder, is_text):
        import gi

        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi

        self.atspi, self.folder, self.is_text = Atspi, folder, is_text
        Atspi.set_timeout(60_000, 60_000)  # milliseconds
        self.desktop = Atspi.get_desktop(0)

    def children(self, of):
        return [child for child in map(of.get_child_at_index, range(of.get_child_count())) if child]

    def every(self, of, role, depth=12):
        """Yields the objects with the role. Does not search below such an object, nor in the rows of trees."""
        if of.get_role_name() == role:
            yield of
        elif depth > 0 and of.get_role_name() != "tree":
            for child in self.children(of):
                yield from self.every(child, role, depth - 1)

    def dialogs(self):
        self.desktop.clear_cache()
        applications = [each for each in self.children(self.desktop) if each.get_name() == "Wireshark"]
        return [each for application in applications for each in self.children(application)]

    def dialog(self, name):
        return next((each for each in self.dialogs() if name in (each.get_name() or "")), None)

    def press(self, item, action="Press"):
        actions = [self.atspi.Action.get_action_name(item, i) for i in range(self.atspi.Action.get_n_actions(item))]
        self.atspi.Action.do_action(item, actions.index(action))

    def menu(self, main, *path):
        """Returns the entries below a path of the menu."""
        menus = list(self.every(main, "menu bar"))
        for name in path:
            items = [item for menu in menus for item in self.children(menu)]
            menus = [child for item in items if item.get_name() == name for child in self.children(item)]
        return [item for menu in menus for item in self.children(menu)]

    def names(self, main, *path):
        return [item.get_name() for item in self.menu(main, *path)]

    def entries(self, main):
        """Returns the plugin's entries of the menu Statistics."""
        flat = [item for item in self.menu(main, "Statistics") if item.get_name().startswith("Godot ")]
        return flat + self.menu(main, "Statistics", "Godot")

    def table(self, of, has_title=""):
        """Returns the column titles and the first rows of the first table. If a title is given, uses the first table
        that has this column."""
        for tree in self.every(of, "tree"):
            cells = [tree.get_child_at_index(i) for i in range(min(tree.get_child_count(), 100))]
            titles = [cell.get_name() for cell in cells if cell.get_role_name() == "table column header"]
            rows = [cell.get_name() for cell in cells[len(titles) :]]
            if titles and (has_title in titles or not has_title):
                width = len(titles)
                return {"titles": titles, "rows": [rows[i : i + width] for i in range(0, len(rows), width)][:3]}
        return None

    def settled_table(self, of):
        """Returns the table after Wireshark has filled it; None while it is being filled."""
        before = self.table(of)
        time.sleep(0.2)
        return before if before == self.table(of) else None

    def is_showing(self, item):
        return item.get_state_set().contains(self.atspi.StateType.SHOWING)

    def open(self, entry, is_new):
        """Opens the dialog of an entry. Tries again, because the window ignores the entry while it is busy with the
        previous dialog."""
        for _ in range(5):
            self.press(entry)
            try:
                return eventually(entry.get_name(), lambda: next(filter(is_new, self.dialogs()), None), PATIENCE / 10)
            except TimeoutError:
                pass
        raise TimeoutError(entry.get_name())

    def picture(self, name):
        if self.is_text:
            return
        time.sleep(1)  # until it is painted
        file = self.folder / (re.sub(r"\W+", "_", name).strip("_") + ".png")
        subprocess.run(["import", "-window", "root", file], check=True)

    def close(self, dialog):
        """Closes the dialog, like Escape."""
        for button in self.every(dialog, "push button"):
            if button.get_name() in ("Close", "Cancel"):
                return self.press(button)


def look_at_tables(window, main):
    tables = {}
    for entry in window.entries(main):
        name = entry.get_name()
        if name.endswith(MATCH_PAGE):
            continue
        dialog = window.open(entry, lambda each, name=name: name in (each.get_name() or ""))
        tables[name] = eventually(f"rows of {name}", lambda dialog=dialog: window.settled_table(dialog))
        window.picture(name)
        window.close(dialog)
    return tables


def has_packet_menu():
    version = subprocess.run(["wireshark", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", version).groups())) >= (4, 4)


def look_at_packet_menu(window, main):
    """@returns the filters that the plugin's first two entries in a call's context menu set; empty if no row shows a
    call. Screen readers cannot read that menu."""
    bar = next(item for tool_bar in window.every(main, "tool bar") for item in window.every(tool_bar, "text")
               if item.get_description().startswith("Apply a display filter"))

    def first_call():
        cells = (cell for tree in window.every(main, "tree") for cell in window.children(tree))
        return next((cell for cell in cells if cell.get_name().startswith("RPC ") and window.is_showing(cell)), None)

    def press(*keys):
        subprocess.run(["xdotool", "key", *keys, "sleep", "1"], check=True)

    def filter_of(entry):
        box = first_call().get_extents(window.atspi.CoordType.SCREEN)
        subprocess.run(["xdotool", "mousemove", str(box.x + 20), str(box.y + box.height // 2), "click", "3", "sleep", "1"], check=True)
        press(*PLUGINS_MENU)
        window.picture("Packet menu")
        press(*["Down"] * entry, "Return")
        text = window.atspi.Text.get_text(bar, 0, -1)
        press("ctrl+slash", "ctrl+a", "Delete", "Return")
        return text

    return [filter_of(0), filter_of(1)] if first_call() else []


def make_page(window, main):
    """@returns the text of the page that the plugin opened in the browser"""
    window.press(next(entry for entry in window.entries(main) if entry.get_name().endswith(MATCH_PAGE)))
    opened = window.folder / "opened"
    url = eventually("the page", lambda: opened.exists() and opened.read_text().strip())
    return pathlib.Path(url.removeprefix("file://")).read_text(encoding="utf-8")


def look_at_graphs(window, main):
    for entry in window.menu(main, "Statistics"):
        if entry.get_name() not in ("I/O Graphs", "Plots", "Flow Graph"):
            continue
        before = window.dialogs()
        dialog = window.open(entry, lambda each, before=before: each not in before)
        time.sleep(2)
        window.picture(entry.get_name())
        window.close(dialog)


def look_at_preferences(window, main):
    """@returns the content of each of the plugin's pages"""
    entry = next(item for item in window.menu(main, "Edit") if item.get_name().startswith("Preferences"))
    dialog = window.open(entry, lambda each: "Preferences" in (each.get_name() or ""))

    def go_to(page, *keys):
        subprocess.run(["xdotool", "sleep", "1", "type", "--delay", "20", page], check=True)
        subprocess.run(["xdotool", "sleep", "1", *keys], check=True)  # after a pause, typed text selects by a new name

    time.sleep(1)  # waits until the tree of pages has the focus
    go_to("Protocols", "key", "Right")
    told = {}
    for page in PAGES:
        go_to(page)
        told[page] = [item.get_name().rstrip(":") for role in ("label", "check box") for item in window.every(dialog, role)
                      if window.is_showing(item) and item.get_name()]
        window.picture(f"Preferences {page}")
    window.close(dialog)
    return told


def look(folder, capture, is_text):
    window = Window(folder, is_text)
    main = if_there(lambda: window.dialog(capture))
    if main is None or not if_there(lambda: window.menu(main, "Statistics")):
        sys.exit(NOT_YET)
    told = {
        "list": eventually("the list", lambda: window.table(main, "Info")),
        "statistics": [entry.get_name() for entry in window.entries(main)],
        "follow": window.names(main, "Analyze", "Follow"),
    }
    window.picture("Main")
    told["packet menu"] = look_at_packet_menu(window, main) if has_packet_menu() else []
    told["tables"] = look_at_tables(window, main)
    if not is_text:
        look_at_graphs(window, main)
    page = make_page(window, main)
    told["page"] = page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    told["preferences"] = look_at_preferences(window, main)
    (folder / "window.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


# --- Sessions


def session(folder, capture, options):
    """Runs in a D-Bus session, as a user who is not root."""
    from gi.repository import Gio, GLib

    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    status = GLib.Variant("(ssv)", ("org.a11y.Status", "IsEnabled", GLib.Variant("b", True)))
    bus.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties", "Set", status, None, 0, -1, None)
    environment = {**os.environ, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    # The first look starts the accessibility registry, and a window that opens earlier is missing in the registry. A
    # process that sees an incomplete window never sees the rest, so each look is a new process.
    looker = [sys.executable, "-W", "ignore", __file__, "--look", *options, folder, capture]
    subprocess.run(looker, check=False)
    with open(folder / "wireshark.log", "w", encoding="utf-8") as log:
        # A window that opens while the registry starts may be missing, too. Then another window is opened.
        for _ in range(2):
            wireshark = subprocess.Popen(["wireshark", "-C", "Godot", "-r", folder / capture], env=environment, stdout=log,
                                         stderr=log)
            try:
                codes = (subprocess.run(looker, check=False).returncode for _ in range(PATIENCE))
                code = next((code for code in codes if code != NOT_YET or time.sleep(1)), NOT_YET)
                has_ended = wireshark.poll() is not None
            finally:
                wireshark.kill()
                wireshark.wait()
            if has_ended:
                sys.exit("Wireshark has ended by itself")
            if code != NOT_YET:
                sys.exit(code)
    sys.exit("Wireshark's window does not show the capture")


def prepare(folder, plugins, capture, size):
    """Makes a home folder for a user."""
    profile = folder / ".config/wireshark/profiles/Godot"
    shutil.copytree(REPOSITORY / "profile/Godot", profile)
    with open(profile / "preferences", "a", encoding="utf-8") as preferences:
        preferences.write("gui.update.enabled: FALSE\n")
    width, height = size.split("x")
    (folder / ".config/wireshark/recent_common").write_text(
        f"gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: {width}\ngui.geometry_main_height: {height}\n")
    shutil.copytree(plugins, folder / "plugins")
    shutil.copy(capture, folder)
    shutil.copy(__file__, folder)
    (folder / "run").mkdir(mode=0o700)
    (folder / "bin").mkdir()
    (folder / "tmp").mkdir()
    browser = folder / "bin" / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" >{folder}/opened\n')
    browser.chmod(0o755)


def run_session(folder, capture, size, options):
    environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / "run"), "LC_ALL": "C.UTF-8",
                   "PATH": f"{folder}/bin:{os.environ['PATH']}", "TMPDIR": str(folder / "tmp"),
                   "WIRESHARK_PLUGIN_DIR": str(folder / "plugins")}
    prefix = []
    if os.getuid() == 0:  # as root, Wireshark loads only the system's plugins
        subprocess.run(["chown", "-R", "65534:65534", folder], check=True)
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with open(folder / "session.log", "w", encoding="utf-8") as log:
        screen = subprocess.Popen([*prefix, "Xvfb", "-displayfd", "1", "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
                                  env=environment, stdout=subprocess.PIPE, stderr=log)
        try:
            environment["DISPLAY"] = ":" + screen.stdout.readline().decode().strip()
            inner = ["dbus-run-session", "--", PYTHON, folder / "window.py", "--session", *options, folder, capture]
            # Wireshark looks for a file IOR.txt in its working directory. If it cannot read the file, it asks the user
            # what to do.
            return subprocess.run([*prefix, *inner], env=environment, cwd=folder, stdout=log, stderr=log, check=False).returncode
        finally:
            screen.terminate()
            screen.wait()


def look_at(plugins, folder, capture, size, options):
    """@returns whether the run succeeded; the results so far are in the folder"""
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        work = pathlib.Path(work)
        prepare(work, plugins, capture, size)
        code = run_session(work, capture.name, size, options)
        folder.mkdir(parents=True, exist_ok=True)
        for file in [*work.glob("*.png"), *work.glob("*.json")]:
            shutil.copy(file, folder)
        if code != 0:
            print(f"{capture.name}: {(work / 'session.log').read_text()}", file=sys.stderr)
        return code == 0


def missing_programs():
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    try_it = [PYTHON, "-c", "import gi; gi.require_version('Atspi', '2.0')"]
    if not os.path.exists(PYTHON) or subprocess.run(try_it, capture_output=True, check=False).returncode != 0:
        missing.append("gir1.2-atspi-2.0")
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default=SIZES[0])
    parser.add_argument("--text", action="store_true")
    for inner in ("--session", "--look"):  # the script runs itself with these options
        parser.add_argument(inner, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("words", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    words = [pathlib.Path(word) for word in arguments.words]
    options = ["--text"] if arguments.text else []
    if arguments.session:
        return session(words[0], arguments.words[1], options)
    if arguments.look:
        return look(words[0], arguments.words[1], arguments.text)
    missing = missing_programs()
    if missing:
        print("missing: " + ", ".join(missing))
        sys.exit(77)
    plugins, folder, *captures = words
    if captures:
        sys.exit(not look_at(plugins, folder, captures[0], arguments.size, options))
    done = [look_at(plugins, folder / f"{capture}_{size}", REPOSITORY / f"captures/{capture}.pcapng", size, options)
            for capture in CAPTURES for size in SIZES]
    sys.exit(not all(done))


if __name__ == "__main__":
    main()
