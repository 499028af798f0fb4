#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""capture_state.py ROOT: checks that all state of a capture is reset with the capture: each variable of the plugin that
outlives a function is a CaptureState or a ConversationState (plugin/epan), or is in one of the lists below."""
import pathlib
import re
import sys

_RESET = r"CaptureState<|ConversationState<"
# Types and names of what is set when the plugin is loaded, or by the user.
_SET_ONCE = (r"int \w+ = -1|dissector_|(const )?heur_|[\w:<>]*(Fields|FieldTable|Subtrees|Experts|ExpertItems)\b|ExpertItem |Subtree "
             r"|stat_tap_ui |DatagramTransport |StreamDissectors |WebSocketPortPreference |[ce]t_dissector_info_t "
             r"|[\w *]+ \*?pref_|(Connections|\w+Table) ")
_SET_ONCE_NAMES = ("enet_command_names append_game_summary note_experts protocols transports all build_values values columns "
                   "tables byte_category_names newest checks_by_command slot_count "
                   "first_registration end_of_registrations packet_slot_count").split()
_KEPT = {
    "table table_size is_table_due": "the user's table of names",
    "names folder folder_counts is_folder_due state": "the project folder, which is read again if it has changed",
    "warned": "a warning about ports, which is shown again if the ports have changed",
    "empty_row_texts": "the text of a table that is displayed",
    "file_name match problems is_collecting": "the match page that is being made",
    "arena": "memory for a value",
}
_VARIABLE = re.compile(r"(?P<indent> *)(?P<static>(?:(?:inline|static) )*)"
                       r"(?P<definition>(?P<type>(?!using |return |extern |namespace |struct |class )[A-Za-z_][\w:<>,* ]*[ *])"
                       r"(?P<name>\w+)(\[[^]]*\])?( = [^;]*|\{[^;]*)?;?)$")


def complaint_of(line):
    """Returns the name of a variable that is defined in a line and outlives the capture; else None."""
    line = line.split("//")[0].rstrip()
    match = _VARIABLE.match(line) if line.endswith((";", "{", "=")) and not line.endswith(") {") else None
    if not match or (match["indent"] and "static" not in match["static"]):
        return None
    is_constant = match["type"].startswith("constexpr") or re.search(r"\*const $|^const [^*]*$", match["type"])
    is_listed = match["name"] in _SET_ONCE_NAMES or any(match["name"] in names.split() for names in _KEPT)
    return None if is_constant or is_listed or re.match(f"{_RESET}|{_SET_ONCE}", match["definition"]) else match["name"]


def complaints(root):
    for path in sorted(each for each in (root / "plugin").rglob("*") if each.suffix in (".h", ".cpp")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if name := complaint_of(line):
                yield f"{path.relative_to(root)}:{number}: {name} outlives the capture, so make it a CaptureState"


def check_itself():
    planted = ("wmem_map_t *ports;", "bool is_any;", "inline int last = 0;", "std::deque<Link> links;", "  static unsigned count = 0;")
    left_alone = ("CaptureState<bool> is_any;", "int proto_mp = -1;", "  static auto *const ports = find();", "  bool is_any = true;")
    wrong = [line for line in planted if not complaint_of(line)] + [line for line in left_alone if complaint_of(line)]
    if wrong:
        sys.exit(f"capture_state.py: self-test fails for {wrong}")


if __name__ == "__main__":
    check_itself()
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
