#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wireshark_checks.py TOOLS ROOT

Runs the checks of Wireshark's own tree on the plugin: checkAPIs.pl, checkhf.pl and check_typed_item_calls.py, which
scripts/wireshark_tools.sh downloads into the folder TOOLS. Exits with 77 if they are missing.

They read C, and find fields by names that begin with hf_. Therefore they get a translation: the whole plugin as one
file, where the field `x` of the struct `enet_fields` is the variable hf_enet_fields_x.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

_DISSECTOR = pathlib.Path("epan/dissectors/packet-godot.c")
_STRING = re.compile(r'("(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')')


def _arguments(text):
    """Returns the arguments of a call, split at the commas that are outside of brackets and strings."""
    found, depth = [""], 0
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|.', text, re.DOTALL):
        depth += (part in "({[") - (part in ")}]")
        if part == "," and depth == 0:
            found.append("")
        else:
            found[-1] += part
    return [" ".join(each.split()) for each in found]


def _row(name, text):
    """Returns a field's registration as epan expects it. `text` has the arguments of HeaderField; see
    plugin/epan/field_registration.h."""
    kind, abbreviation, title, description, *options = _arguments(text)
    display, mask, strings = "BASE_DEC" if re.match(r"FT_U?INT", kind) else "BASE_NONE", "0", "NULL"
    if options:
        maker, values = re.fullmatch(r"(\w+)\((.*)\)", options[0]).groups()
        order = {"with_mask": ["mask"], "as_flag": ["display", "mask"], "with_display": ["display"],
                 "with_value_names": ["strings", "display", "mask"]}[maker]
        given = dict(zip(order, _arguments(values)))
        mask, strings = given.get("mask", mask), given.get("strings", strings)
        if given.get("display", "FieldOptions::display_by_type") != "FieldOptions::display_by_type":
            display = given["display"]
    return f"{{ &{name}, {{ {title}, {abbreviation}, {kind}, {display}, {strings}, {mask}, {description}, HFILL }} }},"


def _field_structs(sources):
    """Returns the members of each struct of fields and their initializers, by the name of the struct's variable."""
    found = {}
    for text in sources.values():
        for kind, variable in re.findall(r"^(?:extern|inline) (\w*Fields) (\w+);", text, re.MULTILINE):
            body = next(re.search(r"struct %s \{(.*?)\n\};" % kind, each, re.DOTALL) for each in sources.values()
                        if f"struct {kind} {{" in each)
            found[variable] = re.findall(r"^\s*HeaderField (\w+)\{(.*?)\};", body[1], re.MULTILINE | re.DOTALL)
    return found


def translate(sources):
    """Returns all sources as one C text, as far as the checks need it."""
    structs = _field_structs(sources)
    fields = [(f"hf_{variable}_{member}", made_of) for variable, members in structs.items() for member, made_of in members]
    lines = [f"static int {name} = -1;" for name, _ in fields]
    lines += ["static hf_register_info hf[] = {", *(_row(*field) for field in fields), "};"]
    names = "|".join(sorted(structs, key=len, reverse=True))
    for path, text in sources.items():
        parts = _STRING.split(re.sub(r"//[^\n]*", "", text))
        for i in range(0, len(parts), 2):
            part = re.sub(r"\b(%s)\.(\w+)" % names, r"hf_\1_\2", parts[i])
            part = part.replace("nullptr", "NULL").replace("->", "_")
            parts[i] = re.sub(r"(?<=[A-Za-z0-9_])\.(?=[A-Za-z_])", "_", part)
        lines.append(f"/* {path} */\n" + "".join(parts))
    return "\n".join(lines), structs


def _run(command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    return (result.stdout + result.stderr).splitlines()


def complaints(tools, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / _DISSECTOR
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        found = [line for line in _run(["perl", tools / "checkAPIs.pl", _DISSECTOR], folder) if line.startswith("Error")]
        found += [line for line in _run(["perl", tools / "checkhf.pl", _DISSECTOR], folder) if "hf_" in line]
        typed = _run([sys.executable, tools / "check_typed_item_calls.py", "--file", _DISSECTOR.name], folder)
        return found + [line for line in typed if line.startswith(("Error", "Warning"))]


def main():
    tools, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    if not (tools / "checkAPIs.pl").exists():
        print("Wireshark's tools are not there: see scripts/wireshark_tools.sh")
        sys.exit(77)
    paths = sorted((root / "plugin").rglob("*.h")) + sorted((root / "plugin").rglob("*.cpp"))
    text, structs = translate({path.relative_to(root): path.read_text(encoding="utf-8") for path in paths})
    if sum(map(len, structs.values())) < 50:
        sys.exit("the structs of fields were not found")
    found = complaints(tools, text)
    print("\n".join(found))
    # Tests this script: a number added as a string, an unregistered field and a forbidden call are found.
    planted = {
        "proto_tree_add_string(tree, hf_enet_fields_peer_id, tvb, 0, 0, NULL);": "hf_enet_fields_peer_id",
        "static int hf_of_nobody = -1;": "hf_of_nobody",
        "strcpy(a, b);": "strcpy",
    }
    for line, wanted in planted.items():
        if not any(wanted in each for each in complaints(tools, f"{text}\nstatic void planted(void)\n{{\n  {line}\n}}\n")
                   if each not in found):
            sys.exit(f"a planted fault was not found: {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
