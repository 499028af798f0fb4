#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""internals.py ROOT: checks that only plugin/epan/internals.* uses internals of epan and of other dissectors, and that
no function that epan calls lets an exception out"""
import pathlib
import re
import sys

_HOME = "internals."
# These names are only forbidden if they are written to; every dissector may read them.
_INTERNALS = re.compile(
    r"\b(PTREE_\w+|PNODE_\w+|PITEM_FINFO|nxtpdu|static_flags|base_seq|saved_can_desegment|conversation_completeness"
    r"|prefs_get_bool_value)\b"
    r"|prefs-int\.h|pinfo->layers|->elements\b|num_elements *[-+]?= |--\w+->num_elements"
    r"|\b(in_error_pkt|pinfo->(src|dst|net_src|net_dst|srcport|destport|ptype|match_uint|fd|curr_layer_num)) = ")


# Callbacks of epan that may throw.
_UNGUARDED = re.compile(
    r"\b(register_(init|cleanup)_routine\(|register_dissector\(\"[^\"]+\", |create_dissector_handle\(|heur_dissector_add\(\"\w+\", )"
    r"(?!guarded<)\w")


def lines_of(root):
    for path in sorted((root / "plugin").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield path, f"{path.relative_to(root)}:{number}", line.split("//")[0]


def complaints(root):
    return [f"{place}: {match.group().strip()} belongs in plugin/epan/internals" for path, place, line in lines_of(root)
            if not path.name.startswith(_HOME) and (match := _INTERNALS.search(line))
            ] + [f"{place}: a function for epan to call is given as guarded<function>" for _, place, line in lines_of(root)
                 if _UNGUARDED.search(line)]


def check_itself():
    planted = ("pinfo->srcport = port;", "g_free(table->elements[0]);", '#include <epan/prefs-int.h>')
    left_alone = ("port == pinfo->srcport;", "if (pinfo->flags.in_error_pkt == 0)", "row = table->num_elements;")
    wrong = [line for line in planted if not _INTERNALS.search(line)] + [line for line in left_alone if _INTERNALS.search(line)]
    wrong += [] if _UNGUARDED.search("  register_init_routine(begin);") else ["register_init_routine(begin)"]
    wrong += ["guarded"] if _UNGUARDED.search("register_dissector(\"enet\", guarded<dissect>, proto)") else []
    if wrong:
        sys.exit(f"internals.py: self-test fails for {wrong}")


if __name__ == "__main__":
    check_itself()
    problems = complaints(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
