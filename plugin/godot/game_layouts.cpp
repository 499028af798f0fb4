// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/game_layouts.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "godot-codec/project/project_folder.h"
#include "godot-codec/project/regular_file.h"
#include "plugin/epan/capture_state.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

int proto_game = -1;

namespace {

namespace fs = std::filesystem;
using godot_codec::LayoutField;
using godot_codec::LayoutFieldKind;
using godot_codec::LayoutFile;

// A display filter field from the description file.
struct RegisteredField {
  LayoutField field;
  hf_register_info *info;  // epan owns this after deregistration
  int *id;
};

// The state of the description file when it was last read.
struct LayoutFileState {
  fs::path file;
  godot_codec::project::ProjectFolder watched;  // watches the file
  std::string problem;                          // reason why the file could not be read
  LayoutFile layouts;
  std::map<std::string, RegisteredField> fields;  // by path
  std::vector<int> ids;                           // by index in layouts.fields()
};

LayoutFileState state;
CaptureState<std::uint32_t> reported_in;  // frame that has the expert items about errors in the file

// ---- Fields

// By LayoutFieldKind.
constexpr std::array<ftenum, 8> epan_types = {FT_NONE,   FT_BOOLEAN, FT_UINT64, FT_INT64,
                                              FT_DOUBLE, FT_STRING,  FT_BYTES,  FT_NONE};

int epan_display(const LayoutField &field) {
  const bool is_number = field.kind == LayoutFieldKind::unsigned_number || field.kind == LayoutFieldKind::signed_number;
  if (!is_number) return BASE_NONE;
  return field.names.empty() ? BASE_DEC : BASE_DEC | static_cast<int>(BASE_VAL64_STRING);
}

// Returns the names of the field's values. epan frees them together with the field.
const val64_string *make_value_names(const LayoutField &field) {
  if (field.names.empty()) return nullptr;
  auto *names = g_new0(val64_string, field.names.size() + 1);
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    names[i].value = static_cast<std::uint64_t>(field.names[i].number);
    char *printed = g_utf8_make_valid(field.names[i].name.c_str(), -1);
    names[i].strptr = printed;
  }
  return names;
}

RegisteredField add_field(const LayoutField &field) {
  const std::string_view path = field.path;
  const std::string name(path.substr(path.rfind('.') + 1));
  RegisteredField added{field, g_new0(hf_register_info, 1), g_new0(int, 1)};
  *added.id = -1;
  added.info->p_id = added.id;
  added.info->hfinfo = {g_strdup(name.c_str()),
                        g_strdup(("game." + field.path).c_str()),
                        epan_types[static_cast<std::size_t>(field.kind)],
                        epan_display(field),
                        make_value_names(field),
                        0,
                        g_strdup("Decoded with a custom format"),
                        HFILL};
  proto_register_field_array(proto_game, added.info, 1);
  return added;
}

void remove_field(const RegisteredField &field) {
  proto_deregister_field(proto_game, *field.id);
  proto_add_deregistered_data(field.info);
  g_free(field.id);
}

// Registers the fields of the new file. Keeps unchanged fields, so that their columns and filters still work.
void replace_fields() {
  std::map<std::string, RegisteredField> old = std::move(state.fields);
  state.fields.clear();
  state.ids.clear();
  for (const LayoutField &field : state.layouts.fields()) {
    auto known = old.extract(field.path);
    if (!known.empty() && known.mapped().field != field) {
      remove_field(known.mapped());
      known = {};
    }
    const RegisteredField added = known.empty() ? add_field(field) : known.mapped();
    state.ids.push_back(*added.id);
    state.fields.emplace(field.path, added);
  }
  for (const auto &[path, left] : old) remove_field(left);
}

// ---- File

constexpr const char *name_in_project = "layouts.txt";

fs::path find_layout_file(std::string_view file, std::string_view project) {
  if (!file.empty()) return godot_codec::project::to_path(file);
  if (project.empty()) return {};
  std::error_code error;
  const fs::path game = godot_codec::project::to_path(project);
  const fs::path in_project = (fs::is_directory(game, error) ? game : game.parent_path()) / name_in_project;
  return fs::is_regular_file(in_project, error) ? in_project : fs::path();
}

void read_file(const fs::path &file) {
  godot_codec::project::RegularFile source(file);
  std::string text;
  if (source.size() > LayoutFile::max_file_size) {
    state.problem = "The file of custom formats is too large";
  } else if (!source.read(0, source.size(), text)) {
    state.problem = "The file of custom formats cannot be read";
  }
  state.layouts = LayoutFile::parse(text);
}

void read_file_if_changed(const fs::path &file) {
  if (file == state.file && !state.watched.has_changed() && state.problem.empty()) return;
  state.file = file;
  state.watched = {};
  state.watched.watch(file);
  state.problem.clear();
  state.layouts = {};
  if (!file.empty()) read_file(file);
  replace_fields();
}

}  // namespace

const LayoutFile *game_layouts() { return state.layouts.layouts().empty() ? nullptr : &state.layouts; }

int registered_layout_field(std::uint32_t field) { return state.ids[field]; }

void read_game_layouts(std::string_view file, std::string_view project) {
  try {
    read_file_if_changed(find_layout_file(file, project));
  } catch (const std::exception &) {
    state.problem = "The file of custom formats cannot be read";  // out of memory, or an invalid path
    state.layouts = {};
  }
}

void report_layout_errors(packet_info *pinfo, proto_item *item) {
  const auto errors = state.layouts.errors();
  if ((errors.empty() && state.problem.empty()) || (*reported_in != 0 && *reported_in != pinfo->num)) return;
  *reported_in = pinfo->num;
  if (!state.problem.empty()) add_expert(pinfo, item, &experts.layout_error, "%s", state.problem.c_str());
  constexpr std::size_t max_reported = 20;
  for (const godot_codec::LayoutError &error : errors.first(std::min(errors.size(), max_reported))) {
    add_expert(pinfo, item, &experts.layout_error, "The file of custom formats has an error in line %u: %s", error.line,
               printable(pinfo->pool, error.message));
  }
}

void register_layouts() { proto_game = proto_register_protocol("Godot Custom Format", "Game", "game"); }

}  // namespace godot_plugin
