#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""internals.py ROOT: what epan and other dissectors keep for themselves is used in plugin/epan/internals.* alone"""
import pathlib
import re
import sys

_HOME = "internals."
# Writing is meant where a name is epan's to give: reading it is every dissector's right.
_INTERNALS = re.compile(
    r"\b(PTREE_\w+|PNODE_\w+|PITEM_FINFO|nxtpdu|static_flags|base_seq|saved_can_desegment|conversation_completeness"
    r"|prefs_get_bool_value)\b"
    r"|prefs-int\.h|pinfo->layers|->elements\b|num_elements *[-+]?= |--\w+->num_elements"
    r"|\b(in_error_pkt|pinfo->(src|dst|net_src|net_dst|srcport|destport|ptype|match_uint|fd|curr_layer_num)) = ")


def complaints(root):
    return [f"{path.relative_to(root)}:{number}: {match.group().strip()} belongs in plugin/epan/internals"
            for path in sorted((root / "plugin").rglob("*"))
            if path.suffix in (".h", ".cpp") and not path.name.startswith(_HOME)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if (match := _INTERNALS.search(line.split("//")[0]))]


def check_itself():
    planted = ("pinfo->srcport = port;", "g_free(table->elements[0]);", '#include <epan/prefs-int.h>')
    left_alone = ("port == pinfo->srcport;", "if (pinfo->flags.in_error_pkt == 0)", "row = table->num_elements;")
    wrong = [line for line in planted if not _INTERNALS.search(line)] + [line for line in left_alone if _INTERNALS.search(line)]
    if wrong:
        sys.exit(f"internals.py: judges {wrong} wrongly")


if __name__ == "__main__":
    check_itself()
    problems = complaints(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
