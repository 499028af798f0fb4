// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec {
namespace {

constexpr std::size_t max_shown_text = 120;
using Values = std::span<const VariantValue>;

// The first arguments of a message, and the outcome of reading all of them.
struct FirstArguments {
  static constexpr std::size_t max_count = 16;

  ValueArena arena;
  std::array<VariantValue, max_count> values;
  std::array<Range, max_count> ranges;
  std::size_t count = 0;
  Outcome outcome = Outcome::ok;
};

// Returns the number of an int or a bool.
std::int64_t number_of(const VariantValue &value) { return value.boolean() ? 1 : value.integer(); }

// Returns the outcome of reading a message, given the end of its last argument: malformed if more bytes follow.
Outcome check_message_end(Bytes bytes, std::size_t end) {
  if (bytes.captured < bytes.reported) return Outcome::truncated;
  return end < bytes.reported ? Outcome::malformed : Outcome::ok;
}

void read_arguments(FirstArguments &arguments, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                    ScriptTextCache *scripts) {
  DebugArgumentReader reader(bytes, message, options, scripts);
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    const bool is_wanted = arguments.count < FirstArguments::max_count;
    DebugValue value;
    if (!reader.next(value, is_wanted ? &arguments.arena : nullptr)) {
      arguments.outcome = value.outcome;
      return;
    }
    if (is_wanted) {
      arguments.ranges[arguments.count] = value.range;
      arguments.values[arguments.count++] = *value.tree;
    }
    end = value.range.end();
  }
  arguments.outcome = check_message_end(bytes, end);
}

void append_text(TextBuffer &buffer, std::string_view text, std::size_t max_count = max_shown_text) {
  buffer.append_escaped(text, false, max_count);
}

// Appends text such as "res://game.gd:46 in talk()".
void append_source_position(TextBuffer &buffer, std::string_view file, std::int64_t line, std::string_view function) {
  append_text(buffer, file);
  buffer.append(":");
  buffer.append_integer(line);
  if (function.empty()) return;
  buffer.append(" in ");
  append_text(buffer, function);
  buffer.append("()");
}

// Returns the message's bytes, up to the end of the argument if it has a separate packet.
Bytes limit_to_argument(Bytes bytes, const DebugMessage &message, std::size_t offset) {
  if (message.form != DebugMessageForm::godot3_packets) return bytes;
  Cursor cursor(bytes, offset);
  const auto length = cursor.read<std::uint32_t>();
  return cursor.ok() ? bytes.slice({0, cursor.offset() + length}) : bytes;
}

Outcome append_call_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                            ScriptTextCache *scripts) {
  append_text(buffer, message.name.text);
  buffer.append("(");
  std::size_t end = message.arguments_offset;
  Outcome outcome = Outcome::ok;
  for (std::uint32_t i = 0; i < message.argument_count && outcome == Outcome::ok; ++i) {
    const DebugValue value = peek_argument(bytes, message, end);
    if (value.range.length == 0) {
      outcome = bytes.captured < bytes.reported ? Outcome::truncated : Outcome::malformed;
      break;
    }
    const Bytes part = limit_to_argument(bytes, message, end);
    if (i > 0) buffer.append(", ");
    const std::size_t start = buffer.view().size();
    const WalkResult result = append_brief(buffer, part, value.range.offset, {.dialect = message.dialect}, options,
                                           TextStyle::brief, scripts);
    if (buffer.view().size() == start) buffer.append("?");
    outcome = result.outcome;
    end = result.offset;
  }
  buffer.append(")");
  return outcome == Outcome::ok ? check_message_end(bytes, end) : outcome;
}

// Appends one text of the output. A message may contain several texts.
void append_output_text(TextBuffer &buffer, std::string_view text, bool is_error, bool is_first) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!is_first) buffer.append(" | ");
  if (is_error) buffer.append("(error) ");
  append_text(buffer, text);
}

// The kind of each text is in another array.
bool append_output4(TextBuffer &buffer, Values arguments) {
  constexpr std::int64_t error_kind = 1;
  if (arguments.size() < 2 || arguments[0].type() != Type::packed_string_array) return false;
  const bool has_kinds = arguments[1].type() == Type::packed_int32_array;
  const NumberSequence kinds = has_kinds ? arguments[1].numbers() : NumberSequence();
  buffer.append("Output: ");
  for (const PackedString &line : arguments[0].strings()) {
    const bool is_error = line.index < kinds.size() && kinds.integer(line.index) == error_kind;
    append_output_text(buffer, line.text, is_error, line.index == 0);
    if (buffer.is_full()) break;
  }
  return true;
}

// Appends the output of Godot 3. Each argument is an Array of text and kind; 3.0 and 3.1 send only the text.
Outcome append_output3(TextBuffer &buffer, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                       ScriptTextCache *scripts) {
  DebugArgumentReader arguments(bytes, message, options, scripts);
  DebugValue line;
  ValueArena arena;
  buffer.append("Output: ");
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    arena.clear();
    if (!arguments.next(line, &arena)) return line.outcome;
    const Values parts = line.tree->elements();
    const bool is_error = parts.size() > 1 && number_of(parts[1]) != 0;
    append_output_text(buffer, parts.empty() ? line.tree->text() : parts[0].text(), is_error, i == 0);
    end = line.range.end();
  }
  return check_message_end(bytes, end);
}

struct ErrorInfo {
  std::string_view file;
  std::string_view function;
  std::int64_t line;
  std::string_view error;
  std::string_view description;
  bool is_warning;
};

// Appends the script's source position if a script was running; otherwise the engine's source position.
void append_error(TextBuffer &buffer, const ErrorInfo &error, Values stack, std::size_t first_frame) {
  buffer.append(error.is_warning ? "Warning at " : "Error at ");
  if (stack.size() >= first_frame + 3) {
    append_source_position(buffer, stack[first_frame].text(), stack[first_frame + 2].integer(),
                           stack[first_frame + 1].text());
  } else {
    append_source_position(buffer, error.file, error.line, error.function);
  }
  buffer.append(": ");
  append_text(buffer, error.description.empty() ? error.error : error.description);
  if (error.description.empty()) return;
  buffer.append(" (");
  append_text(buffer, error.error);
  buffer.append(")");
}

// Godot 3 sends everything except the stack in an Array, and sends the function before the file.
bool append_error_message(TextBuffer &buffer, Values arguments, const DebugMessage &message) {
  const bool is_4 = message.form == DebugMessageForm::godot4;
  const Values values = is_4 ? arguments : arguments[0].elements();
  const std::size_t element_count = is_4 ? 11 : 10;
  if (values.size() < element_count) return false;
  const ErrorInfo error{
      values[is_4 ? 4 : 5].text(), values[is_4 ? 5 : 4].text(), values[6].integer(), values[7].text(), values[8].text(),
      number_of(values[9]) != 0};
  append_error(buffer, error, arguments, is_4 ? element_count : 2);
  return true;
}

bool append_debug_enter(TextBuffer &buffer, Values arguments) {
  if (arguments.size() < 2) return false;
  buffer.append("Debugger entered: ");
  append_text(buffer, arguments[1].text());
  if (number_of(arguments[0]) == 0) buffer.append(" (cannot continue)");
  return true;
}

std::string_view text_of(const VariantValue &dictionary, std::string_view key) {
  const VariantValue *value = dictionary.find(key);
  return value == nullptr ? std::string_view() : value->text();
}

bool append_stack(TextBuffer &buffer, Values arguments, const DebugMessage &message) {
  constexpr std::uint32_t frame_size4 = 3;
  const bool is_4 = message.form == DebugMessageForm::godot4;
  const std::uint32_t frames = message.argument_count / (is_4 ? frame_size4 : 1);
  buffer.append("Stack: ");
  if (arguments.size() <= (is_4 ? frame_size4 : 0)) {
    buffer.append("empty");
  } else if (is_4) {
    append_source_position(buffer, arguments[1].text(), arguments[2].integer(), arguments[3].text());
  } else {
    const VariantValue *line = arguments[0].find("line");
    append_source_position(buffer, text_of(arguments[0], "file"), line == nullptr ? 0 : line->integer(),
                           text_of(arguments[0], "function"));
  }
  buffer.append(" (");
  buffer.append_unsigned(frames);
  buffer.append(frames == 1 ? " frame)" : " frames)");
  return true;
}

// Appends text such as "Local points = 5". Godot before 4.2 does not send the type.
bool append_variable(TextBuffer &buffer, Bytes bytes, const FirstArguments &arguments, const ReadOptions &options) {
  constexpr std::size_t least_count = 3;
  constexpr std::string_view kinds[] = {"Local ", "Member ", "Global ", "Evaluated "};
  if (arguments.count < least_count) return false;
  const std::int64_t kind = arguments.values[1].integer();
  const bool is_kind = kind >= 0 && kind < static_cast<std::int64_t>(std::size(kinds));
  buffer.append(is_kind ? kinds[kind] : "Variable ");
  append_text(buffer, arguments.values[0].text());
  buffer.append(" = ");
  const Range value = arguments.ranges[arguments.count == least_count ? 2 : 3];
  append_variant(buffer, bytes.slice({0, value.end()}), value.offset, {}, options, TextStyle::brief);
  return true;
}

bool append_frames_per_second(TextBuffer &buffer, Values monitors) {
  if (monitors.empty()) return false;
  buffer.append("Performance: ");
  buffer.append_real(monitors[0].real(), false, false);
  buffer.append(" frames per second");
  return true;
}

// The messages that have a special summary.
constexpr std::string_view special_summaries4[] = {"output",
                                                   "error",
                                                   "debug_enter",
                                                   "stack_dump",
                                                   "stack_frame_var",
                                                   "evaluation_return",
                                                   "performance:profile_frame"};
constexpr std::string_view special_summaries3[] = {"error", "debug_enter", "stack_dump", "performance"};

bool has_special_summary(const DebugMessage &message) {
  const auto is_of = [&](const auto &names) { return std::ranges::find(names, message.name.text) != std::end(names); };
  return message.form == DebugMessageForm::godot4 ? is_of(special_summaries4) : is_of(special_summaries3);
}

// @returns false, and appends nothing, if the message is not as the engine would send it
bool append_special_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message,
                            const FirstArguments &arguments, const ReadOptions &options) {
  const std::string_view name = message.name.text;
  const Values values = std::span(arguments.values).first(arguments.count);
  if (name == "debug_enter") return append_debug_enter(buffer, values);
  if (name == "stack_dump") return append_stack(buffer, values, message);
  if (values.empty()) return false;
  if (name == "output") return append_output4(buffer, values);
  if (name == "error") return append_error_message(buffer, values, message);
  if (name == "performance:profile_frame") return append_frames_per_second(buffer, values);
  if (name == "performance") return append_frames_per_second(buffer, values[0].elements());
  return append_variable(buffer, bytes, arguments, options);
}

}  // namespace

Outcome append_debug_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                             ScriptTextCache *scripts) {
  if (message.form == DebugMessageForm::other) {
    append_brief(buffer, bytes, stream_prefix_size, {.dialect = message.dialect}, options, TextStyle::summary);
    return message.outcome;
  }
  const bool is_output3 = message.dialect == Dialect::godot3 && message.name.text == "output";
  if (is_output3 && message.argument_count > 0) return append_output3(buffer, bytes, message, options, scripts);
  if (!has_special_summary(message)) return append_call_summary(buffer, bytes, message, options, scripts);
  FirstArguments arguments;
  read_arguments(arguments, bytes, message, options, scripts);
  if (!append_special_summary(buffer, bytes, message, arguments, options)) {
    append_call_summary(buffer, bytes, message, options, nullptr);
  }
  return arguments.outcome;
}

}  // namespace godot_codec
