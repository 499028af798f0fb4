// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include "godot-codec/debugger/message.h"

namespace godot_codec {
namespace {

// Labels of a message's arguments. The character after a group in parentheses is how often the group repeats:
// - `*`: until the arguments end,
// - `#`: the value of the argument before the group,
// - `%`: until the repetitions have taken as many arguments as the value of the argument before the group,
// - `&`: the value of the second argument before the group.
struct MessageLabels {
  std::string_view name;
  std::string_view labels;
  // If a message has fewer arguments, the next layout with the same name is tried.
  std::uint32_t min_count = 0;
};

constexpr std::string_view profile_labels =
    "frame,frame time,process time,physics time,physics frame time,script time,servers,"
    "(server,values,(function,time)%)#,script values,(function id,calls,self time,total time,internal time)%";
// Godot up to version 4.2 sends no internal time.
constexpr std::string_view short_profile_labels =
    "frame,frame time,process time,physics time,physics frame time,script time,servers,"
    "(server,values,(function,time)%)#,script values,(function id,calls,self time,total time)%";
constexpr std::string_view profile_labels3 =
    "frame,frame time,process time,physics time,physics frame time,script time,servers,functions,(server,times)&,"
    "(function id,calls,total time,self time)*";
constexpr std::uint32_t servers_in_profile = 6;  // index of the argument with the number of servers

constexpr std::string_view monitors_name = "performance:profile_frame";

// New versions have only appended monitors to the engine's list. So the first 24 monitors are the same in all versions.
constexpr std::string_view monitor_labels =
    "fps,process time,physics process time,navigation process time,static memory,static memory max,"
    "message buffer max,objects,resources,nodes,orphan nodes,objects in frame,primitives in frame,"
    "draw calls in frame,video memory,texture memory,buffer memory,2D active objects,2D collision pairs,2D islands,"
    "3D active objects,3D collision pairs,3D islands,audio output latency,navigation maps,navigation regions,"
    "navigation agents,navigation links,navigation polygons,navigation edges,navigation edges merged,"
    "navigation edges connected,navigation edges free,navigation obstacles,canvas pipelines,mesh pipelines,"
    "surface pipelines,draw pipelines,specialized pipelines,2D navigation maps,2D navigation regions,"
    "2D navigation agents,2D navigation links,2D navigation polygons,2D navigation edges,2D navigation edges merged,"
    "2D navigation edges connected,2D navigation edges free,2D navigation obstacles,3D navigation maps,"
    "3D navigation regions,3D navigation agents,3D navigation links,3D navigation polygons,3D navigation edges,"
    "3D navigation edges merged,3D navigation edges connected,3D navigation edges free,3D navigation obstacles";

// Number of monitors in Godot 4.5, 4.4 and 4.2.
constexpr std::uint32_t monitor_counts[] = {59, 39, 33};
constexpr std::uint32_t least_monitors = 24;

constexpr MessageLabels godot4_layouts[] = {
    // Sent by the game.
    {"set_pid", "pid"},
    {"output", "texts,kinds"},
    {"error",
     "hour,minute,second,millisecond,source file,source function,source line,error,description,is warning,stack size,"
     "(file,function,line)*"},
    {"debug_enter", "can continue,reason,has stack dump,thread id"},
    {"stack_dump", "stack size,(file,line,function)*"},
    {"stack_frame_vars", "variables"},
    // Godot 4.2 and later also send the type.
    {"stack_frame_var", "name,kind,type,value", 4},
    {"stack_frame_var", "name,kind,value"},
    {"evaluation_return", "name,kind,type,value", 4},
    {"evaluation_return", "name,kind,value"},
    {"request_quit", ""},
    {"remote_objects_selected", "(object)*"},
    {"remote_nothing_selected", ""},
    {"remote_selection_invalidated", "ids"},
    {"show_selection_limit_warning", ""},
    {"performance:profile_names", "names,types"},
    {monitors_name, monitor_labels},
    {"scene:scene_tree", "(children,name,class,id,scene file,view flags)*"},
    {"scene:inspect_objects", "(object)*"},
    {"scene:click_ctrl", "path,class"},
    {"servers:function_signature", "name,id"},
    {"servers:profile_frame", profile_labels},
    {"servers:profile_total", profile_labels},
    {"servers:memory_usage", "values,(path,format,type,video memory)%"},
    {"servers:drawn", ""},
    {"visual:profile_frame", "frame,values,(area,cpu time,gpu time)%"},
    {"visual:hardware_info", "cpu,gpu"},
    {"multiplayer:bandwidth", "incoming,outgoing"},
    {"multiplayer:rpc", "values,(node,path,incoming calls,incoming bytes,outgoing calls,outgoing bytes)%"},
    {"multiplayer:syncs",
     "values,(synchronizer,config,root node,incoming syncs,incoming bytes,outgoing syncs,outgoing bytes)%"},
    {"multiplayer:cache", "(id,type,path)*"},
    {"window:title", "title"},
    {"filesystem:update_file", "file"},
    // Sent by the editor.
    {"evaluate", "expression,frame"},
    {"set_ignore_error_breaks", "ignore"},
    {"out", ""},
    {"reload_scripts", "files"},
    {"reload_all_scripts", ""},
    {"scene:request_scene_tree", ""},
    {"scene:inspect_object", "id,class,properties"},
    {"scene:runtime_node_select_setup", "settings"},
    {"scene:runtime_node_select_set_type", "type"},
    {"scene:runtime_node_select_set_visible", "is visible"},
    {"scene:runtime_node_select_set_mode", "mode"},
    {"scene:runtime_node_select_set_avoid_locked", "avoid locked"},
    {"scene:runtime_node_select_set_prefer_group", "prefer group"},
    {"scene:setup_embedded_shortcuts", "shortcuts"},
    {"scene:save_node", "id,file"},
    {"scene:set_object_property", "id,property,value"},
    {"scene:set_object_property_field", "id,property,value,field"},
    {"scene:suspend_changed", "is suspended"},
    {"scene:speed_changed", "time scale"},
    {"scene:debug_mute_audio", "mute"},
    {"scene:override_cameras", "enable,from editor"},
    {"scene:transform_camera_2d", "transform"},
    {"scene:transform_camera_3d", "transform,is perspective,size or field of view,near,far"},
    {"scene:live_instantiate_node", "parent,scene file,name"},
};

constexpr MessageLabels godot3_layouts[] = {
    // Sent by the game.
    {"output", "(text and kind)*"},
    {"error", "error,stack size,(file,function,line)*"},
    {"debug_enter", "can continue,reason"},
    {"kill_me", ""},
    {"stack_dump", "(frame)*"},
    {"stack_frame_vars", "locals,(name,value)#,members,(name,value)#,globals,(name,value)#"},
    {"performance", "monitors"},
    {"profile_sig", "name,id"},
    {"profile_frame", profile_labels3},
    {"profile_total", profile_labels3},
    {"network_bandwidth", "incoming,outgoing"},
    {"network_profile", "(node,path,incoming calls,incoming sets,outgoing calls,outgoing sets)*"},
    {"message:scene_tree", "(children,name,class,id)*"},
    {"message:inspect_object", "id,class,properties"},
    {"message:click_ctrl", "path,class"},
    {"message:video_mem", "(path,type,format,video memory)*"},
    // Sent by the editor.
    {"reload_scripts", ""},
    {"request_scene_tree", ""},
    {"request_video_mem", ""},
    {"inspect_object", "id"},
    {"set_object_property", "id,property,value"},
    {"start_profiling", "functions shown"},
    {"stop_profiling", ""},
    {"start_network_profiling", ""},
    {"stop_network_profiling", ""},
    {"override_camera_2D:set", "enable"},
    {"override_camera_2D:transform", "transform"},
    {"override_camera_3D:set", "enable"},
    {"override_camera_3D:transform", "transform,is perspective,size or field of view,near,far"},
    {"live_instance_node", "parent,scene file,name"},
};

// Messages of both Godot 3 and 4. In Godot 4, the names of live editing have the prefix `scene:`.
constexpr MessageLabels common_layouts[] = {
    {"debug_exit", ""},
    {"break", ""},
    {"continue", ""},
    {"next", ""},
    {"step", ""},
    {"get_stack_dump", ""},
    {"get_stack_frame_vars", "frame"},
    {"breakpoint", "file,line,is set"},
    {"set_skip_breakpoints", "skip"},
    {"live_set_root", "path,scene file"},
    {"live_node_path", "path,id"},
    {"live_res_path", "file,id"},
    {"live_node_prop", "id,property,value"},
    {"live_node_prop_res", "id,property,file"},
    {"live_res_prop", "id,property,value"},
    {"live_res_prop_res", "id,property,file"},
    {"live_node_call", "id,method,(argument)*"},
    {"live_res_call", "id,method,(argument)*"},
    {"live_create_node", "parent,type,name"},
    {"live_remove_node", "path"},
    {"live_remove_and_keep_node", "path,kept id"},
    {"live_restore_node", "kept id,path,position"},
    {"live_duplicate_node", "path,name"},
    {"live_reparent_node", "path,new parent,new name,position"},
};

// The prefixes of the engine's own messages (EngineDebugger::register_message_capture).
constexpr std::string_view prefixes[] = {"core:",     "filesystem:", "message:", "multiplayer:", "performance:",
                                         "profiler:", "scene:",      "servers:", "visual:",      "window:"};

// Other labels for a message, if the argument at `index` has a certain type.
struct TypedMessageLabels {
  std::string_view name;
  Dialect dialect;
  std::uint32_t count;  // total number of arguments; 0: any number
  std::uint32_t index;
  Type type;
  std::string_view labels;
};

constexpr TypedMessageLabels typed_layouts[] = {
    // Both sides send a message with this name. The editor's message contains the IDs, and whether to select the
    // objects.
    {"scene:inspect_objects", Dialect::godot4, 2, 1, Type::boolean, "ids,update selection"},
    // Godot 4.2 to 4.4 send the name of the thread, not its number.
    {"debug_enter", Dialect::godot4, 4, 3, Type::string, "can continue,reason,has stack dump,thread"},
    // Up to Godot 4.5, each argument is a name, and the types are not sent.
    {"performance:profile_names", Dialect::godot4, 0, 0, Type::string, "(name)*"},
    {"performance:profile_names", Dialect::godot4, 0, 0, Type::string_name, "(name)*"},
    // Godot 3.0 and 3.1 send only the texts, without their kinds.
    {"output", Dialect::godot3, 0, 0, Type::string, "(text)*"},
};

// Returns the labels of the first TypedMessageLabels that matches the message; empty if none matches.
std::string_view find_typed_labels(Bytes bytes, const DebugMessage &message) {
  for (const TypedMessageLabels &layout : typed_layouts) {
    const bool is_counted = layout.count == 0 || layout.count == message.argument_count;
    if (layout.name != message.name.text || layout.dialect != message.dialect || !is_counted) continue;
    DebugArgumentReader arguments(bytes, message);
    DebugValue value;
    std::uint32_t read = 0;
    while (read <= layout.index && arguments.next(value)) ++read;
    if (read > layout.index && value.type == layout.type) return layout.labels;
  }
  return {};
}

// True if a profile has four values per function instead of five. The fifth value of a function is a time. In a short
// profile it is missing, or it is an int: the ID of the next function.
bool is_short_profile(Bytes bytes, const DebugMessage &message) {
  constexpr std::int64_t long_function = 5;
  DebugArgumentReader arguments(bytes, message);
  DebugValue value;
  const auto take = [&](std::int64_t count) {
    while (count > 0 && arguments.next(value)) --count;
    return count <= 0;
  };
  if (!take(servers_in_profile + 1)) return false;
  for (std::int64_t servers = value.integer; servers > 0; --servers) {
    if (!take(2) || !take(value.integer)) return false;
  }
  if (!take(1)) return false;
  if (value.integer < long_function) return value.integer == long_function - 1;
  return take(long_function) && value.type == Type::integer;
}

std::string_view find_labels(std::string_view name, Dialect dialect, std::uint32_t count) {
  const auto find = [&](const auto &layouts) -> std::string_view {
    const auto layout = std::ranges::find_if(
        layouts, [&](const MessageLabels &each) { return each.name == name && count >= each.min_count; });
    return layout == std::end(layouts) ? std::string_view{} : layout->labels;
  };
  const bool is_3 = dialect == Dialect::godot3;
  // Games may add profilers, so any name may follow the prefix.
  if (!is_3 && name.starts_with("profiler:")) return "enable,options";
  const std::string_view labels = is_3 ? find(godot3_layouts) : find(godot4_layouts);
  if (!labels.empty()) return labels;
  constexpr std::string_view scene = "scene:";
  if (!is_3 && name.starts_with("scene:live_")) name.remove_prefix(scene.size());
  return find(common_layouts);
}

}  // namespace

// Up to Godot 4.5, the arguments are the names. In later versions, the first argument is an Array of the names, and the
// second is an Array of their types.
std::optional<std::uint32_t> count_custom_monitors(Bytes bytes, const DebugMessage &message) {
  if (message.form != DebugMessageForm::godot4 || message.name.text != "performance:profile_names") return std::nullopt;
  if (message.argument_count == 0) return 0;
  DebugArgumentReader arguments(bytes, message);
  DebugValue first;
  if (!arguments.next(first)) return std::nullopt;
  if (first.type == Type::array) return first.count;
  const bool is_name = first.type == Type::string || first.type == Type::string_name;
  return is_name ? std::optional(message.argument_count) : std::nullopt;
}

DebugArgumentLabels::DebugArgumentLabels(Bytes bytes, const DebugMessage &message,
                                         std::optional<std::uint32_t> custom_monitors)
    : layout_(find_typed_labels(bytes, message)) {
  if (layout_.empty()) layout_ = find_labels(message.name.text, message.dialect, message.argument_count);
  if (layout_.data() == profile_labels.data() && is_short_profile(bytes, message)) layout_ = short_profile_labels;
  if (layout_.data() == monitor_labels.data()) find_custom_monitors(message.argument_count, custom_monitors);
}

// Sets the number of monitors with a label of the engine. The game's custom monitors follow the engine's monitors. If
// no version has this number of engine monitors, only the first monitors have a known label.
void DebugArgumentLabels::find_custom_monitors(std::uint32_t count, std::optional<std::uint32_t> own) {
  const std::uint32_t fixed = own && *own <= count ? count - *own : std::min(count, monitor_counts[0]);
  const bool is_known = std::ranges::find(monitor_counts, fixed) != std::end(monitor_counts);
  remaining_named_ = is_known ? fixed : least_monitors;
  rest_label_ = is_known ? "custom monitor" : "monitor";
}

// Handles a '(': enters the group, or skips it if it repeats zero times.
void DebugArgumentLabels::enter_group() {
  std::size_t end = layout_offset_ + 1;
  std::int64_t labels = 1;
  for (int open = 1; end < layout_.size(); ++end) {
    if (layout_[end] == ',' && open == 1) ++labels;
    if (layout_[end] == '(') ++open;
    if (layout_[end] == ')' && --open == 0) break;
  }
  const char kind = layout_[end + 1];
  const std::int64_t count = kind == '*'   ? INT64_MAX
                             : kind == '&' ? previous_number_
                             : kind == '%' ? last_number_ / labels
                                           : last_number_;
  if (count <= 0 || group_depth_ == std::size(groups_)) {
    layout_offset_ = end + 2;
    return;
  }
  groups_[group_depth_++] = {++layout_offset_, count};
}

// Handles a ')': returns to the group's beginning. After the last repetition, continues after the group.
void DebugArgumentLabels::leave_group() {
  RepeatedGroup &loop = groups_[group_depth_ - 1];
  if (--loop.remaining_repeats > 0) {
    layout_offset_ = loop.start;
  } else {
    --group_depth_;
    layout_offset_ += 2;
  }
}

std::string_view DebugArgumentLabels::next() {
  if (remaining_named_ == 0) return rest_label_;
  --remaining_named_;
  while (layout_offset_ < layout_.size()) {
    if (layout_[layout_offset_] == '(') {
      enter_group();
    } else if (layout_[layout_offset_] == ')') {
      leave_group();
    } else if (layout_[layout_offset_] == ',') {
      ++layout_offset_;
    } else {
      const std::size_t end = std::min(layout_.find_first_of(",()", layout_offset_), layout_.size());
      const std::string_view label = layout_.substr(layout_offset_, end - layout_offset_);
      layout_offset_ = end;
      return label;
    }
  }
  return {};
}

void DebugArgumentLabels::record_argument(const DebugValue &value) {
  previous_number_ = last_number_;
  last_number_ = value.type == Type::integer ? value.integer : 0;
}

bool is_debug_message_name(std::string_view name) {
  const auto is_of = [&](const auto &layouts) {
    return std::ranges::any_of(layouts, [&](const MessageLabels &each) { return each.name == name; });
  };
  const bool has_prefix =
      std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
  return has_prefix || is_of(godot4_layouts) || is_of(godot3_layouts) || is_of(common_layouts);
}

}  // namespace godot_codec
