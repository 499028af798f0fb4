// SPDX-License-Identifier: MIT
#include "debugger.h"

#include <algorithm>
#include <array>

#include "stream.h"

namespace godot {
namespace {

// What the arguments of a message are: labels, and groups of them in parentheses, which come again: `*` as long as
// there are arguments, `#` as often as the argument before the group says, `%` as long as it says, counted in
// arguments, `&` as often as the one before that says.
struct Layout {
  std::string_view name;
  std::string_view labels;
  std::uint32_t least_count = 0;  // for messages with fewer arguments the next layout of the name is right
};

constexpr Layout godot4_layouts[] = {
    // From the game.
    {"set_pid", "pid"},
    {"output", "texts,kinds"},
    {"error",
     "hour,minute,second,millisecond,source file,source function,source line,error,description,is warning,stack size,"
     "(file,function,line)*"},
    {"debug_enter", "can continue,reason,has stack dump,thread id"},
    {"debug_exit", ""},
    {"stack_dump", "stack size,(file,line,function)*"},
    {"stack_frame_vars", "variables"},
    {"stack_frame_var", "name,kind,type,value"},
    {"evaluation_return", "name,kind,type,value"},
    {"request_quit", ""},
    {"remote_objects_selected", "(object)*"},
    {"remote_nothing_selected", ""},
    {"remote_selection_invalidated", "ids"},
    {"show_selection_limit_warning", ""},
    {"performance:profile_names", "names,types"},
    // The engine's list has grown; the first 24 never changed.
    {"performance:profile_frame",
     "fps,process time,physics process time,navigation process time,static memory,static memory max,"
     "message buffer max,objects,resources,nodes,orphan nodes,objects in frame,primitives in frame,draw calls in frame,"
     "video memory,texture memory,buffer memory,2D active objects,2D collision pairs,2D islands,3D active objects,"
     "3D collision pairs,3D islands,audio output latency,navigation maps,navigation regions,navigation agents,"
     "navigation links,navigation polygons,navigation edges,navigation edges merged,navigation edges connected,"
     "navigation edges free,navigation obstacles,canvas pipelines,mesh pipelines,surface pipelines,draw pipelines,"
     "specialized pipelines,2D navigation maps,2D navigation regions,2D navigation agents,2D navigation links,"
     "2D navigation polygons,2D navigation edges,2D navigation edges merged,2D navigation edges connected,"
     "2D navigation edges free,2D navigation obstacles,3D navigation maps,3D navigation regions,3D navigation agents,"
     "3D navigation links,3D navigation polygons,3D navigation edges,3D navigation edges merged,"
     "3D navigation edges connected,3D navigation edges free,3D navigation obstacles,(custom monitor)*",
     59},
    {"performance:profile_frame",
     "fps,process time,physics process time,navigation process time,static memory,static memory max,"
     "message buffer max,objects,resources,nodes,orphan nodes,objects in frame,primitives in frame,draw calls in frame,"
     "video memory,texture memory,buffer memory,2D active objects,2D collision pairs,2D islands,3D active objects,"
     "3D collision pairs,3D islands,audio output latency,(monitor)*"},
    {"scene:scene_tree", "(children,name,class,id,scene file,view flags)*"},
    {"scene:inspect_objects", "(object)*"},
    {"scene:click_ctrl", "path,class"},
    {"servers:function_signature", "name,id"},
    {"servers:profile_frame",
     "frame,frame time,process time,physics time,physics frame time,script time,servers,"
     "(server,values,(function,time)%)#,script values,(function id,calls,self time,total time,internal time)%"},
    {"servers:profile_total",
     "frame,frame time,process time,physics time,physics frame time,script time,servers,"
     "(server,values,(function,time)%)#,script values,(function id,calls,self time,total time,internal time)%"},
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
    // From the editor.
    {"get_stack_dump", ""},
    {"get_stack_frame_vars", "frame"},
    {"evaluate", "expression,frame"},
    {"breakpoint", "file,line,is set"},
    {"set_skip_breakpoints", "skip"},
    {"set_ignore_error_breaks", "ignore"},
    {"break", ""},
    {"continue", ""},
    {"next", ""},
    {"step", ""},
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
    {"scene:live_set_root", "path,scene file"},
    {"scene:live_node_path", "path,id"},
    {"scene:live_res_path", "file,id"},
    {"scene:live_node_prop", "id,property,value"},
    {"scene:live_node_prop_res", "id,property,file"},
    {"scene:live_res_prop", "id,property,value"},
    {"scene:live_res_prop_res", "id,property,file"},
    {"scene:live_node_call", "id,method,(argument)*"},
    {"scene:live_res_call", "id,method,(argument)*"},
    {"scene:live_create_node", "parent,type,name"},
    {"scene:live_instantiate_node", "parent,scene file,name"},
    {"scene:live_remove_node", "path"},
    {"scene:live_remove_and_keep_node", "path,kept id"},
    {"scene:live_restore_node", "kept id,path,position"},
    {"scene:live_duplicate_node", "path,name"},
    {"scene:live_reparent_node", "path,new parent,new name,position"},
};

constexpr Layout godot3_layouts[] = {
    // From the game.
    {"output", "(text and kind)*"},
    {"error", "error,stack size,(file,function,line)*"},
    {"debug_enter", "can continue,reason"},
    {"debug_exit", ""},
    {"kill_me", ""},
    {"stack_dump", "(frame)*"},
    {"stack_frame_vars", "locals,(name,value)#,members,(name,value)#,globals,(name,value)#"},
    {"performance", "monitors"},
    {"profile_sig", "name,id"},
    {"profile_frame",
     "frame,frame time,process time,physics time,physics frame time,script time,servers,functions,(server,times)&,"
     "(function id,calls,total time,self time)*"},
    {"profile_total",
     "frame,frame time,process time,physics time,physics frame time,script time,servers,functions,(server,times)&,"
     "(function id,calls,total time,self time)*"},
    {"network_bandwidth", "incoming,outgoing"},
    {"network_profile", "(node,path,incoming calls,incoming sets,outgoing calls,outgoing sets)*"},
    {"message:scene_tree", "(children,name,class,id)*"},
    {"message:inspect_object", "id,class,properties"},
    {"message:click_ctrl", "path,class"},
    {"message:video_mem", "(path,type,format,video memory)*"},
    // From the editor.
    {"break", ""},
    {"continue", ""},
    {"next", ""},
    {"step", ""},
    {"get_stack_dump", ""},
    {"get_stack_frame_vars", "frame"},
    {"breakpoint", "file,line,is set"},
    {"set_skip_breakpoints", "skip"},
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
    {"live_instance_node", "parent,scene file,name"},
    {"live_remove_node", "path"},
    {"live_remove_and_keep_node", "path,kept id"},
    {"live_restore_node", "kept id,path,position"},
    {"live_duplicate_node", "path,name"},
    {"live_reparent_node", "path,new parent,new name,position"},
};

// What the engine's own messages begin with (EngineDebugger::register_message_capture).
constexpr std::string_view prefixes[] = {"core:",     "filesystem:", "message:", "multiplayer:", "performance:",
                                         "profiler:", "scene:",      "servers:", "visual:",      "window:"};

// Both sides have a message of this name: the editor's has the ids, and whether to select the objects.
constexpr std::string_view ambiguous_name = "scene:inspect_objects";
constexpr std::string_view ambiguous_labels = "ids,update selection";

std::string_view find_labels(std::string_view name, Dialect dialect, std::uint32_t count) {
  const auto find = [&](const auto &layouts) -> std::string_view {
    const auto layout = std::find_if(std::begin(layouts), std::end(layouts), [&](const Layout &each) {
      return each.name == name && count >= each.least_count;
    });
    return layout == std::end(layouts) ? std::string_view{} : layout->labels;
  };
  if (dialect == Dialect::godot3) return find(godot3_layouts);
  // The names of profilers are the game's, too.
  if (name.starts_with("profiler:")) return "enable,options";
  return find(godot4_layouts);
}

// ---- reading

// Notes what the Variant at the root is.
class ValueSink final : public VariantSink {
 public:
  // @param wants_elements if not, the walk ends behind the count
  ValueSink(DebugValue &value, bool wants_elements) : value_(value), wants_elements_(wants_elements) {}

  Verdict on_event(const Event &event) override {
    if (event.depth > 0) return event.kind == Event::Kind::begin_value ? Verdict::skip : Verdict::proceed;
    if (event.kind == Event::Kind::begin_value) value_.type = event.type;
    if (event.kind != Event::Kind::field) return Verdict::proceed;
    take_field(event);
    return event.field == Field::count && !wants_elements_ ? Verdict::stop : Verdict::proceed;
  }

 private:
  void take_field(const Event &event) {
    switch (event.field) {
      case Field::boolean:
      case Field::integer:
        value_.integer = event.integer;
        break;
      case Field::real:
        value_.real = event.real;
        break;
      case Field::string:
      case Field::string_name:
        value_.text = event.text;
        value_.text_range = event.range;
        break;
      case Field::count:
        value_.count = static_cast<std::uint32_t>(event.integer);
        value_.elements = event.range.end();
        break;
      default:
        break;
    }
  }

  DebugValue &value_;
  bool wants_elements_;
};

DebugValue read_value(Bytes bytes, std::size_t offset, Dialect dialect, bool wants_elements = true) {
  DebugValue value;
  ValueSink sink(value, wants_elements);
  WalkOptions options;
  options.dialect = dialect;
  const WalkResult result = walk_variant(bytes, offset, options, sink);
  value.outcome = result.outcome;
  value.range = {offset, result.offset - std::min(offset, result.offset)};
  return value;
}

std::uint8_t type_number(Bytes bytes, std::size_t offset) {
  Cursor cursor(bytes, offset);
  return static_cast<std::uint8_t>(cursor.read<std::uint32_t>());
}

// The number of a type in a dialect.
std::uint8_t number_of(Dialect dialect, Type type) {
  const auto types = dialect_table(dialect).types;
  const auto row = std::find_if(types.begin(), types.end(), [&](const TypeRow &each) { return each.type == type; });
  return static_cast<std::uint8_t>(row - types.begin());
}

bool is_text(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::string; }
bool is_int(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::integer; }

// The Variant of the packet whose length stands at an offset.
DebugValue read_packet(Bytes bytes, std::size_t offset, Dialect dialect) {
  Cursor cursor(bytes, offset);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok()) {
    DebugValue missing;
    missing.outcome = cursor.outcome();
    missing.range = {offset, 0};
    return missing;
  }
  return read_value(bytes.slice({0, cursor.offset() + length}), cursor.offset(), dialect);
}

// An Array's count: of elements that cannot be read, those before them can.
DebugValue read_array_start(Bytes bytes, std::size_t offset, Dialect dialect) {
  return read_value(bytes, offset, dialect, false);
}

bool is_array(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::array; }

// A message in Arrays. Its elements stand one behind the other, with no length.
void read_array(Bytes bytes, DebugMessage &message) {
  const DebugValue root = read_array_start(bytes, stream_prefix_size, message.dialect);
  if (!is_array(root) || root.count == 0) return;
  message.name = read_value(bytes, root.elements, message.dialect);
  if (!is_text(message.name)) return;
  if (message.dialect == Dialect::godot3) {
    message.form = DebugForm::command;
    message.list = {stream_prefix_size, root.elements - stream_prefix_size};
    message.argument_count = root.count - 1;
    message.arguments = message.name.range.end();
    return;
  }
  constexpr std::uint32_t count_without_thread = 2;
  constexpr std::uint32_t count_with_thread = 3;
  std::size_t offset = message.name.range.end();
  if (root.count == count_with_thread) {
    message.thread = read_value(bytes, offset, message.dialect);
    offset = message.thread.range.end();
  }
  const DebugValue list = read_array_start(bytes, offset, message.dialect);
  const bool is_message =
      (root.count == count_without_thread || (root.count == count_with_thread && is_int(message.thread))) &&
      is_array(list);
  if (!is_message) return;
  message.form = DebugForm::godot4;
  message.has_thread = root.count == count_with_thread;
  message.list = {offset, list.elements - offset};
  message.argument_count = list.count;
  message.arguments = list.elements;
}

// A message in packets of its own: name, number of arguments, arguments.
void read_parts(Bytes bytes, DebugMessage &message) {
  message.dialect = Dialect::godot3;
  message.name = read_packet(bytes, 0, message.dialect);
  const DebugValue count = read_packet(bytes, message.name.range.end(), message.dialect);
  if (!is_text(message.name) || !is_int(count)) return;
  message.form = DebugForm::parts;
  message.list = {message.name.range.end(), count.range.end() - message.name.range.end()};
  message.argument_count = static_cast<std::uint32_t>(std::max<std::int64_t>(count.integer, 0));
  message.arguments = count.range.end();
}

// ---- the extent

// A message of more arguments is none: the bytes are something else.
constexpr std::int64_t max_parts = 1 << 20;

class Measure {
 public:
  Measure(Bytes data, std::size_t offset, std::uint32_t max_length)
      : data_(data), start_(offset), at_(offset), max_length_(max_length) {}

  // Goes behind the next packet. @returns whether all of it is there
  bool pass_packet() {
    packet_ = at_;
    Cursor cursor(data_, at_);
    const auto length = cursor.read<std::uint32_t>();
    has_length_ = cursor.ok();
    if (!has_length_) {
      at_ += stream_prefix_size;
      return false;
    }
    is_valid_ = is_valid_ && length > 0 && length <= max_length_;
    at_ = cursor.offset() + length;
    return is_valid_ && at_ <= data_.reported;
  }

  [[nodiscard]] std::size_t packet() const { return packet_; }
  // @param is_last the packet passed last is the message's last one
  [[nodiscard]] DebugExtent extent(bool is_complete, bool is_last) const {
    return {at_ - start_, is_complete, is_valid_ && has_length_ && is_last, is_valid_};
  }

 private:
  Bytes data_;
  std::size_t start_;
  std::size_t at_;
  std::size_t packet_ = 0;
  std::uint32_t max_length_;
  bool is_valid_ = true;
  bool has_length_ = false;
};

// ---- sentences

constexpr std::size_t max_shown_text = 120;
constexpr std::size_t max_arguments_read = 16;

// The first arguments of a message.
struct Arguments {
  std::array<DebugValue, max_arguments_read> values;
  std::size_t count = 0;

  [[nodiscard]] std::string_view text(std::size_t index) const { return values[index].text; }
  [[nodiscard]] std::int64_t integer(std::size_t index) const { return values[index].integer; }
};

Arguments read_arguments(Bytes bytes, const DebugMessage &message) {
  Arguments arguments;
  DebugArguments reader(bytes, message);
  while (arguments.count < max_arguments_read && reader.next(arguments.values[arguments.count])) ++arguments.count;
  return arguments;
}

// The elements of an Array, read as if they were arguments.
Arguments read_elements(Bytes bytes, const DebugValue &array, Dialect dialect) {
  DebugMessage message;
  message.dialect = dialect;
  message.argument_count = array.count;
  message.arguments = array.elements;
  return read_arguments(bytes, message);
}

void append_text(TextBuffer &buffer, std::string_view text, std::size_t most = max_shown_text) {
  buffer.append_escaped(text, false, most);
}

void append_value(TextBuffer &buffer, Bytes bytes, const DebugValue &value, Dialect dialect) {
  WalkOptions options;
  options.dialect = dialect;
  append_variant(buffer, bytes.slice({0, value.range.end()}), value.range.offset, options, TextStyle::brief);
}

// "res://game.gd:46 in talk()"
void append_place(TextBuffer &buffer, std::string_view file, std::int64_t line, std::string_view function) {
  append_text(buffer, file);
  buffer.append(":");
  buffer.append_integer(line);
  if (function.empty()) return;
  buffer.append(" in ");
  append_text(buffer, function);
  buffer.append("()");
}

void append_call(TextBuffer &buffer, Bytes bytes, const DebugMessage &message) {
  append_text(buffer, message.name.text);
  buffer.append("(");
  DebugArguments arguments(bytes, message);
  DebugValue value;
  for (bool is_first = true; !buffer.is_full() && arguments.next(value); is_first = false) {
    if (!is_first) buffer.append(", ");
    append_value(buffer, bytes, value, message.dialect);
  }
  buffer.append(")");
}

// One line of output, the last of many that a message has.
void append_output_text(TextBuffer &buffer, std::string_view text, bool is_error, bool is_first) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!is_first) buffer.append(" | ");
  if (is_error) buffer.append("(error) ");
  append_text(buffer, text);
}

// What a packed array of Strings and one of their kinds hold.
class OutputSink final : public VariantSink {
 public:
  OutputSink(TextBuffer &buffer, Bytes kinds) : buffer_(buffer), kinds_(kinds) {}

  Verdict on_event(const Event &event) override {
    if (event.kind != Event::Kind::field || event.field != Field::string) return Verdict::proceed;
    constexpr std::uint32_t error_kind = 1;
    Cursor kind(kinds_, event.index * sizeof(std::uint32_t));
    append_output_text(buffer_, event.text, kind.read<std::uint32_t>() == error_kind, event.index == 0);
    return buffer_.is_full() ? Verdict::stop : Verdict::proceed;
  }

 private:
  TextBuffer &buffer_;
  Bytes kinds_;
};

bool append_output4(TextBuffer &buffer, Bytes bytes, const Arguments &arguments) {
  if (arguments.count < 2 || arguments.values[0].type != Type::packed_string_array) return false;
  const DebugValue &kinds = arguments.values[1];
  const bool has_kinds = kinds.type == Type::packed_int32_array;
  const std::size_t start = has_kinds ? kinds.elements : kinds.range.end();
  buffer.append("Output: ");
  OutputSink sink(buffer, bytes.slice({start, kinds.range.end() - start}));
  walk_variant(bytes, arguments.values[0].range.offset, {}, sink);
  return true;
}

bool append_output3(TextBuffer &buffer, Bytes bytes, const DebugMessage &message) {
  DebugArguments arguments(bytes, message);
  DebugValue line;
  buffer.append("Output: ");
  for (bool is_first = true; !buffer.is_full() && arguments.next(line); is_first = false) {
    const Arguments parts = read_elements(bytes, line, message.dialect);
    const bool is_error = parts.count > 1 && parts.integer(1) != 0;
    append_output_text(buffer, parts.count > 0 ? parts.text(0) : std::string_view{}, is_error, is_first);
  }
  return true;
}

struct ErrorText {
  std::string_view file;
  std::string_view function;
  std::int64_t line;
  std::string_view error;
  std::string_view description;
  bool is_warning;
};

// Where the script was, if a script was running, and else where the engine was.
void append_error(TextBuffer &buffer, const ErrorText &error, const Arguments &stack, std::size_t first_frame) {
  buffer.append(error.is_warning ? "Warning at " : "Error at ");
  if (stack.count >= first_frame + 3) {
    append_place(buffer, stack.text(first_frame), stack.integer(first_frame + 2), stack.text(first_frame + 1));
  } else {
    append_place(buffer, error.file, error.line, error.function);
  }
  buffer.append(": ");
  append_text(buffer, error.description.empty() ? error.error : error.description);
  if (error.description.empty()) return;
  buffer.append(" (");
  append_text(buffer, error.error);
  buffer.append(")");
}

bool append_error4(TextBuffer &buffer, const Arguments &arguments) {
  constexpr std::size_t first_frame = 11;
  if (arguments.count < first_frame) return false;
  const ErrorText error{arguments.text(4), arguments.text(5), arguments.integer(6),
                        arguments.text(7), arguments.text(8), arguments.integer(9) != 0};
  append_error(buffer, error, arguments, first_frame);
  return true;
}

bool append_error3(TextBuffer &buffer, Bytes bytes, const Arguments &arguments) {
  constexpr std::size_t element_count = 10;
  constexpr std::size_t first_frame = 2;
  const Arguments elements = read_elements(bytes, arguments.values[0], Dialect::godot3);
  if (elements.count < element_count) return false;
  const ErrorText error{elements.text(5), elements.text(4), elements.integer(6),
                        elements.text(7), elements.text(8), elements.integer(9) != 0};
  append_error(buffer, error, arguments, first_frame);
  return true;
}

bool append_debug_enter(TextBuffer &buffer, const Arguments &arguments) {
  if (arguments.count < 2) return false;
  buffer.append("Debugger entered: ");
  append_text(buffer, arguments.text(1));
  if (arguments.integer(0) == 0) buffer.append(" (cannot continue)");
  return true;
}

void append_frame_count(TextBuffer &buffer, std::uint32_t count) {
  buffer.append(" (");
  buffer.append_unsigned(count);
  buffer.append(count == 1 ? " frame)" : " frames)");
}

bool append_stack4(TextBuffer &buffer, const Arguments &arguments, const DebugMessage &message) {
  constexpr std::uint32_t frame_size = 3;
  buffer.append("Stack: ");
  if (arguments.count > frame_size) {
    append_place(buffer, arguments.text(1), arguments.integer(2), arguments.text(3));
  } else {
    buffer.append("empty");
  }
  append_frame_count(buffer, message.argument_count / frame_size);
  return true;
}

// Finds the text or number of some keys of a Dictionary.
class FrameSink final : public VariantSink {
 public:
  Verdict on_event(const Event &event) override {
    if (event.kind == Event::Kind::begin_value) is_key_ = event.role == Role::key;
    if (event.kind != Event::Kind::field || event.depth != 1) return Verdict::proceed;
    if (event.field == Field::string && is_key_) key_ = event.text;
    if (event.field == Field::string && !is_key_ && key_ == "file") file = event.text;
    if (event.field == Field::string && !is_key_ && key_ == "function") function = event.text;
    if (event.field == Field::integer && !is_key_ && key_ == "line") line = event.integer;
    return Verdict::proceed;
  }

  std::string_view file;
  std::string_view function;
  std::int64_t line = 0;

 private:
  bool is_key_ = false;
  std::string_view key_;
};

bool append_stack3(TextBuffer &buffer, Bytes bytes, const Arguments &arguments, const DebugMessage &message) {
  buffer.append("Stack: ");
  if (arguments.count > 0) {
    FrameSink frame;
    WalkOptions options;
    options.dialect = Dialect::godot3;
    walk_variant(bytes, arguments.values[0].range.offset, options, frame);
    append_place(buffer, frame.file, frame.line, frame.function);
  } else {
    buffer.append("empty");
  }
  append_frame_count(buffer, message.argument_count);
  return true;
}

// "Local points = 5"
bool append_variable(TextBuffer &buffer, Bytes bytes, const Arguments &arguments) {
  constexpr std::size_t value_index = 3;
  constexpr std::string_view kinds[] = {"Local ", "Member ", "Global ", "Evaluated "};
  if (arguments.count <= value_index) return false;
  const std::int64_t kind = arguments.integer(1);
  const bool is_kind = kind >= 0 && kind < static_cast<std::int64_t>(std::size(kinds));
  buffer.append(is_kind ? kinds[kind] : "Variable ");
  append_text(buffer, arguments.text(0));
  buffer.append(" = ");
  append_value(buffer, bytes, arguments.values[value_index], Dialect::godot4);
  return true;
}

bool append_frames_per_second(TextBuffer &buffer, const DebugValue &fps) {
  buffer.append("Performance: ");
  buffer.append_real(fps.real, false, false);
  buffer.append(" frames per second");
  return true;
}

// @returns false, and appends nothing, of a message that has no sentence of its own
bool append_sentence(TextBuffer &buffer, Bytes bytes, const DebugMessage &message) {
  const std::string_view name = message.name.text;
  const bool is_4 = message.form == DebugForm::godot4;
  const Arguments arguments = read_arguments(bytes, message);
  if (name == "output" && message.argument_count > 0) {
    return is_4 ? append_output4(buffer, bytes, arguments) : append_output3(buffer, bytes, message);
  }
  if (name == "error" && arguments.count > 0) {
    return is_4 ? append_error4(buffer, arguments) : append_error3(buffer, bytes, arguments);
  }
  if (name == "debug_enter") return append_debug_enter(buffer, arguments);
  if (name == "stack_dump") {
    return is_4 ? append_stack4(buffer, arguments, message) : append_stack3(buffer, bytes, arguments, message);
  }
  if (is_4 && (name == "stack_frame_var" || name == "evaluation_return")) {
    return append_variable(buffer, bytes, arguments);
  }
  if (is_4 && name == "performance:profile_frame" && arguments.count > 0) {
    return append_frames_per_second(buffer, arguments.values[0]);
  }
  if (!is_4 && name == "performance" && arguments.count > 0 && arguments.values[0].count > 0) {
    return append_frames_per_second(buffer, read_elements(bytes, arguments.values[0], message.dialect).values[0]);
  }
  return false;
}

}  // namespace

DebugExtent measure_debug_message(Bytes data, std::size_t offset, std::uint32_t max_length) {
  Measure measure(data, offset, max_length);
  const bool has_first = measure.pass_packet();
  Cursor header(data, measure.packet() + stream_prefix_size);
  const auto type = static_cast<std::uint8_t>(header.read<std::uint32_t>());
  const bool is_string = type == number_of(Dialect::godot3, Type::string);
  if (!has_first) return measure.extent(false, header.ok() && !is_string);
  if (!is_string) return measure.extent(true, true);
  if (!measure.pass_packet()) return measure.extent(false, false);
  const DebugValue count = read_packet(data, measure.packet(), Dialect::godot3);
  // Two Strings in a row, perhaps: each for itself.
  if (!is_int(count) || count.integer > max_parts) {
    Measure alone(data, offset, max_length);
    alone.pass_packet();
    return alone.extent(true, true);
  }
  for (std::int64_t i = 0; i < count.integer; ++i) {
    if (!measure.pass_packet()) return measure.extent(false, i == count.integer - 1);
  }
  return measure.extent(true, true);
}

bool may_be_debug_message(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok()) return true;
  if (length == 0 || length % sizeof length != 0 || length > max_length) return false;
  const auto header = cursor.read<std::uint32_t>();
  return !cursor.ok() || header == number_of(Dialect::godot3, Type::string) ||
         header == number_of(Dialect::godot3, Type::array) || header == number_of(Dialect::godot4, Type::array);
}

DebugMessage read_debug_message(Bytes bytes) {
  DebugMessage message;
  message.range = {0, bytes.reported};
  const std::uint8_t type = type_number(bytes, stream_prefix_size);
  if (type == number_of(Dialect::godot3, Type::string)) {
    read_parts(bytes, message);
  } else if (type == number_of(Dialect::godot4, Type::array)) {
    read_array(bytes, message);
  } else {
    message.dialect = Dialect::godot3;
    read_array(bytes, message);
  }
  if (message.form != DebugForm::other) return message;
  message.outcome = read_packet(bytes, 0, message.dialect).outcome;
  if (message.outcome == Outcome::ok && bytes.captured < bytes.reported) message.outcome = Outcome::truncated;
  return message;
}

bool DebugArguments::next(DebugValue &value) {
  if (remaining_ == 0) return false;
  --remaining_;
  const bool is_packet = message_.form == DebugForm::parts;
  value = is_packet ? read_packet(bytes_, offset_, message_.dialect) : read_value(bytes_, offset_, message_.dialect);
  if (value.outcome != Outcome::ok) {
    remaining_ = 0;
    return false;
  }
  offset_ = value.range.end();
  return true;
}

DebugLabels::DebugLabels(Bytes bytes, const DebugMessage &message)
    : layout_(find_labels(message.name.text, message.dialect, message.argument_count)) {
  if (message.name.text != ambiguous_name || message.argument_count != 2) return;
  const Arguments arguments = read_arguments(bytes, message);
  if (arguments.count == 2 && arguments.values[1].type == Type::boolean) layout_ = ambiguous_labels;
}

// At a '(': goes into the group, or behind it if there is nothing of it.
void DebugLabels::enter_group() {
  std::size_t end = at_ + 1;
  std::int64_t labels = 1;
  for (int open = 1; end < layout_.size(); ++end) {
    if (layout_[end] == ',' && open == 1) ++labels;
    if (layout_[end] == '(') ++open;
    if (layout_[end] == ')' && --open == 0) break;
  }
  const char kind = layout_[end + 1];
  const std::int64_t count = kind == '*'   ? INT64_MAX
                             : kind == '&' ? number_before_
                             : kind == '%' ? number_ / labels
                                           : number_;
  if (count <= 0 || depth_ == std::size(loops_)) {
    at_ = end + 2;
    return;
  }
  loops_[depth_++] = {++at_, count};
}

// At a ')': goes to the group's beginning, or behind it.
void DebugLabels::leave_group() {
  Loop &loop = loops_[depth_ - 1];
  if (--loop.remaining > 0) {
    at_ = loop.start;
  } else {
    --depth_;
    at_ += 2;
  }
}

std::string_view DebugLabels::next() {
  while (at_ < layout_.size()) {
    if (layout_[at_] == '(') {
      enter_group();
    } else if (layout_[at_] == ')') {
      leave_group();
    } else if (layout_[at_] == ',') {
      ++at_;
    } else {
      const std::size_t end = std::min(layout_.find_first_of(",()", at_), layout_.size());
      const std::string_view label = layout_.substr(at_, end - at_);
      at_ = end;
      return label;
    }
  }
  return {};
}

void DebugLabels::saw(const DebugValue &value) {
  number_before_ = number_;
  number_ = value.type == Type::integer ? value.integer : 0;
}

bool is_debug_name(std::string_view name) {
  const auto is_of = [&](const auto &layouts) {
    return std::any_of(std::begin(layouts), std::end(layouts), [&](const Layout &each) { return each.name == name; });
  };
  const bool has_prefix = std::any_of(std::begin(prefixes), std::end(prefixes),
                                      [&](std::string_view prefix) { return name.starts_with(prefix); });
  return has_prefix || is_of(godot4_layouts) || is_of(godot3_layouts);
}

void append_debug_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message) {
  if (message.form == DebugForm::other) {
    WalkOptions options;
    options.dialect = message.dialect;
    append_summary(buffer, bytes, stream_prefix_size, options);
  } else if (!append_sentence(buffer, bytes, message)) {
    append_call(buffer, bytes, message);
  }
}

Evidence debug_evidence(Bytes data, std::uint32_t max_length) {
  if (!may_be_debug_message(data, max_length)) return {};
  const DebugExtent extent = measure_debug_message(data, 0, max_length);
  if (!extent.is_valid) return {};
  if (!extent.is_complete || data.captured < data.reported) return {Likeness::neutral};
  const Bytes bytes = data.slice({0, extent.length});
  const DebugMessage message = read_debug_message(bytes);
  if (message.form == DebugForm::other || !is_debug_name(message.name.text)) return {};
  std::size_t end = message.arguments;
  DebugArguments arguments(bytes, message);
  DebugValue value;
  std::uint32_t count = 0;
  for (; arguments.next(value); ++count) end = value.range.end();
  return {count == message.argument_count && end == extent.length ? Likeness::strong : Likeness::none};
}

}  // namespace godot
