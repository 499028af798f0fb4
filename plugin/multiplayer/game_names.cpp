// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/game_names.h"

#include <epan/uat.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "godot-codec/project/decompressor.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/labels.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

using godot_codec::MpGameNames;
using godot_codec::project::Function;
using godot_codec::project::RpcMethod;

// ---- the table

struct NameRow {
  char *list;
  char *name;
  guint id;
};

NameRow *table;
guint table_size;

void *copy_row(void *to, const void *from, std::size_t /*size*/) {
  const auto *source = static_cast<const NameRow *>(from);
  *static_cast<NameRow *>(to) = {g_strdup(source->list), g_strdup(source->name), source->id};
  return to;
}

void free_row(void *row) {
  g_free(static_cast<NameRow *>(row)->list);
  g_free(static_cast<NameRow *>(row)->name);
}

std::string_view text_or_empty(const char *text) { return text == nullptr ? "" : text; }

// The boolean type depends on the Wireshark release.
template <typename Answer>
Answer check_row(void *row, char **error) {
  const auto *checked = static_cast<const NameRow *>(row);
  const char *problem = nullptr;
  if (text_or_empty(checked->list).empty()) problem = "The MD5 or node path is missing";
  if (text_or_empty(checked->name).empty()) problem = "The name is missing";
  if (checked->id > std::numeric_limits<std::uint16_t>::max()) problem = "The number of a method is 65535 at most";
  *error = g_strdup(problem);
  return static_cast<Answer>(problem == nullptr);
}

// NOLINTBEGIN: macros of epan
UAT_CSTRING_CB_DEF(names, list, NameRow)
UAT_DEC_CB_DEF(names, id, NameRow)
UAT_CSTRING_CB_DEF(names, name, NameRow)
// NOLINTEND

// ---- the names

const char *pref_project = "";
const char *pref_layouts = "";

MpGameNames names;
std::string folder;                       // the project folder that was read last
bool is_folder_due = true;                // true if the folder must be checked for changes
bool is_table_due = true;                 // true after the table was edited: read the table again
CaptureState<std::uint32_t> reported_in;  // frame that reports the contents of the project folder; 0: no frame yet

void read_layouts() { read_game_layouts(text_or_empty(pref_layouts), text_or_empty(pref_project)); }

void on_table_edited() { is_table_due = true; }

// Returns the contents of the project folder as text, for example "4 scripts, 2 scenes, 9 RPC methods".
std::string describe_counts() {
  const godot_codec::project::Project &project = names.project();
  std::size_t scripts = 0;
  std::size_t methods = 0;
  for (const godot_codec::project::Script &script : project.scripts()) {
    if (script.path.find("::") == std::string_view::npos) ++scripts;
    methods += static_cast<std::size_t>(std::ranges::count_if(script.functions, [](const Function &each) {
      return each.callers != godot_codec::project::RemoteCallers::none;
    }));
    if (script.lists.empty()) continue;
    methods += static_cast<std::size_t>(std::ranges::count(script.lists.front().methods, &script, &RpcMethod::source));
  }
  // Do not count scenes without a file: these stand for nodes that a script creates.
  const auto scenes = std::ranges::count_if(
      project.scenes(), [](const godot_codec::project::Scene &each) { return each.path.ends_with("scn"); });
  return count_text(scripts, "script") + ", " + count_text(static_cast<std::uint64_t>(scenes), "scene") + ", " +
         count_text(methods, "RPC method");
}

// Sets the project folder that the Problems table shows.
void update_compared_project() {
  const bool is_read = !folder.empty() && names.project().message().empty();
  set_compared_project(is_read ? folder + " (" + describe_counts() + ")" : "");
}

void read_folder() {
  is_folder_due = false;
  if (text_or_empty(pref_project).empty()) {
    folder.clear();
    names.clear();
  } else if (folder != pref_project || names.project().has_changed() || !names.project().message().empty()) {
    folder = pref_project;
    names.read(folder, &godot_codec::project::library_decompressor);
  }
  update_compared_project();
}

void read_table() {
  is_table_due = false;
  std::vector<godot_codec::MpNameTableRow> rows;
  for (guint i = 0; i < table_size; ++i) {
    rows.push_back({table[i].list, static_cast<std::uint16_t>(table[i].id), table[i].name});
  }
  names.set_name_table(rows);
}

void register_table(module_t *module) {
  static std::array<uat_field_t, 4> columns = {
      {UAT_FLD_CSTRING(names, list, "MD5 or node", "MD5 of the RPC methods of the node, or its path"),
       UAT_FLD_DEC(names, id, "Method", "Number of the method in calls"),
       UAT_FLD_CSTRING(names, name, "Name", "Name of the method"), UAT_END_FIELDS}};
  uat_t *uat =
      uat_new("Godot method names", sizeof(NameRow), "godot_mp_names", true, &table, &table_size,
              UAT_AFFECTS_DISSECTION, nullptr, copy_row, check_row, free_row, on_table_edited, nullptr, columns.data());
  prefs_register_uat_preference(
      module, "names", "Method names",
      "Names for captures of a game whose project is not available, by the MD5 of the methods or the path of the node. godot-project --names writes this table.",
      uat);
}

}  // namespace

const godot_codec::MpGameNames *game_names() {
  try {
    if (is_folder_due) read_folder();
    if (is_table_due) read_table();
  } catch (const std::exception &) {
    return nullptr;  // out of memory
  }
  return folder.empty() && !names.has_name_table() ? nullptr : &names;
}

bool must_report_project(const packet_info *pinfo) {
  if (folder.empty() || (*reported_in != 0 && *reported_in != pinfo->num)) return false;
  *reported_in = pinfo->num;
  return true;
}

std::string_view project_problem() { return names.project().message(); }

std::span<const std::string_view> project_notes() { return names.project().notes(); }

const char *describe_project(wmem_allocator_t *pool) {
  if (folder.empty()) return "No project folder is set (Edit > Preferences > Protocols > GodotMP > Project folder)";
  const godot_codec::project::Project &project = names.project();
  if (!project.message().empty()) {
    return wmem_strdup_printf(pool, "No names were read: %s", printable(pool, project.message()));
  }
  return wmem_strdup(pool, describe_counts().c_str());
}

void update_game_names() {
  is_folder_due = true;
  read_layouts();
}

void register_game_names(module_t *module) {
  prefs_register_filename_preference(
      module, "project", "Project folder",
      "Source of the names of methods and properties, which Godot 4 does not send: project.godot, the folder that contains it, or an exported game (.pck, .zip, .exe, .apk). Statistics, Godot names shows what was read.",
      &pref_project, false);
  prefs_set_preference_effect_fields(module, "project");
}

void register_advanced_game_names(module_t *module) {
  prefs_register_filename_preference(
      module, "layouts", "Custom formats",
      "Text file with the formats of custom payloads. Set it if the packet list shows Raw bytes. Default: layouts.txt in the project folder.",
      &pref_layouts, false);
  prefs_set_preference_effect_fields(module, "layouts");
  register_table(module);
}

}  // namespace godot_plugin
