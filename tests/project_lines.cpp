// SPDX-License-Identifier: MIT
// Prints a project or an exported game in the format of projects/truth.gd, for scripts/proof.py.
#include <cstdio>
#include <string>

#include "godot-codec/project/decompressor.h"
#include "godot-codec/project/project.h"
#include "projects/lines.h"

int main(int count, char **arguments) {
  using namespace godot_codec;
  project::Project project;
  if (count != 2 || !project.read(arguments[1], {}, &project::library_decompressor)) {
    std::fprintf(stderr, "project_lines: %s\n", count == 2 ? std::string(project.message()).c_str() : "GAME");
    return 1;
  }
  for (const std::string &line : test::script_lines(project)) std::printf("%s\n", line.c_str());
  for (const std::string &line : test::node_lines(project)) std::printf("%s\n", line.c_str());
  return 0;
}
