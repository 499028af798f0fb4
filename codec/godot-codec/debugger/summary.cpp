// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <iterator>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec {
namespace {

constexpr std::size_t max_shown_text = 120;
// The first arguments of a message, and the outcome of reading all of them.
struct FirstArguments : DebugValueList {
  DebugValueList first_argument_elements;  // elements of the first argument, if it is an Array
  Outcome outcome = Outcome::ok;
};

// Returns the outcome of reading a message, given the end of its last argument: malformed if more bytes follow.
Outcome check_message_end(Bytes bytes, std::size_t end) {
  if (bytes.captured < bytes.reported) return Outcome::truncated;
  return end < bytes.reported ? Outcome::malformed : Outcome::ok;
}

FirstArguments read_arguments(Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                              ScriptTextCache *scripts) {
  FirstArguments arguments;
  DebugArgumentReader reader(bytes, message, options, scripts);
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    DebugValue value;
    const bool is_read = reader.next(value, i == 0 ? &arguments.first_argument_elements : nullptr);
    if (!is_read) {
      arguments.outcome = value.outcome;
      return arguments;
    }
    if (arguments.count < DebugValueList::max_count) arguments.values[arguments.count++] = value;
    end = value.range.end();
  }
  arguments.outcome = check_message_end(bytes, end);
  return arguments;
}

void append_text(TextBuffer &buffer, std::string_view text, std::size_t max_count = max_shown_text) {
  buffer.append_escaped(text, false, max_count);
}

WalkResult append_value(TextBuffer &buffer, Bytes bytes, std::size_t offset, Dialect dialect,
                        const ReadOptions &options) {
  return append_variant(buffer, bytes, offset, {.dialect = dialect}, options, TextStyle::brief);
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

// Checks the remaining arguments after the buffer is full.
Outcome read_remaining_arguments(Bytes bytes, const DebugMessage &message, std::size_t offset, std::uint32_t count,
                                 const ReadOptions &options, ScriptTextCache *scripts) {
  DebugMessage rest = message;
  rest.arguments_offset = offset;
  rest.argument_count = count;
  return read_arguments(bytes, rest, options, scripts).outcome;
}

Outcome append_call_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                            ScriptTextCache *scripts) {
  append_text(buffer, message.name.text);
  buffer.append("(");
  std::size_t end = message.arguments_offset;
  Outcome outcome = Outcome::ok;
  std::uint32_t read = 0;
  for (; read < message.argument_count && !buffer.is_full(); ++read) {
    const DebugValue value = peek_argument(bytes, message, end);
    if (value.range.length == 0) {
      outcome = bytes.captured < bytes.reported ? Outcome::truncated : Outcome::malformed;
      break;
    }
    const Bytes part = limit_to_argument(bytes, message, end);
    if (read > 0) buffer.append(", ");
    const std::size_t start = buffer.view().size();
    const WalkResult result = append_brief(buffer, part, value.range.offset, {.dialect = message.dialect}, options,
                                           TextStyle::brief, scripts);
    if (buffer.view().size() == start) buffer.append("?");
    outcome = result.outcome;
    if (outcome != Outcome::ok) break;
    end = result.offset;
  }
  buffer.append(")");
  if (outcome != Outcome::ok) return outcome;
  return read_remaining_arguments(bytes, message, end, message.argument_count - read, options, scripts);
}

// Appends one text of the output. A message may contain several texts.
void append_output_text(TextBuffer &buffer, std::string_view text, bool is_error, bool is_first) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!is_first) buffer.append(" | ");
  if (is_error) buffer.append("(error) ");
  append_text(buffer, text);
}

// Reads the PackedStringArray of texts. The kind of each text is in another array.
class OutputSink final : public VariantSink {
 public:
  OutputSink(TextBuffer &buffer, Bytes kinds) : buffer_(buffer), text_kinds_(kinds) {}

  VisitAction packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    constexpr std::uint32_t error_kind = 1;
    for (const PackedString &line : array.strings) {
      Cursor kind(text_kinds_, line.index * sizeof(std::uint32_t));
      append_output_text(buffer_, line.text, kind.read<std::uint32_t>() == error_kind, line.index == 0);
      if (buffer_.is_full()) break;
    }
    return VisitAction::stop;
  }

 private:
  TextBuffer &buffer_;
  Bytes text_kinds_;
};

bool append_output4(TextBuffer &buffer, Bytes bytes, const FirstArguments &arguments) {
  if (arguments.count < 2 || arguments.values[0].type != Type::packed_string_array) return false;
  const DebugValue &kinds = arguments.values[1];
  const bool has_kinds = kinds.type == Type::packed_int32_array;
  const std::size_t start = has_kinds ? kinds.elements_offset : kinds.range.end();
  buffer.append("Output: ");
  OutputSink sink(buffer, bytes.slice({start, kinds.range.end() - start}));
  walk_variant(bytes, arguments.values[0].range.offset, {}, {}, sink);
  return true;
}

// Appends the output of Godot 3. Each argument is an Array of text and kind; 3.0 and 3.1 send only the text.
Outcome append_output3(TextBuffer &buffer, Bytes bytes, const DebugMessage &message, const ReadOptions &options,
                       ScriptTextCache *scripts) {
  DebugArgumentReader arguments(bytes, message, options, scripts);
  DebugValue line;
  DebugValueList parts;
  buffer.append("Output: ");
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    if (!arguments.next(line, &parts)) return line.outcome;
    const bool is_error = parts.count > 1 && parts.integer_at(1) != 0;
    append_output_text(buffer, parts.count > 0 ? parts.text_at(0) : line.text, is_error, i == 0);
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
void append_error(TextBuffer &buffer, const ErrorInfo &error, const FirstArguments &stack, std::size_t first_frame) {
  buffer.append(error.is_warning ? "Warning at " : "Error at ");
  if (stack.count >= first_frame + 3) {
    append_source_position(buffer, stack.text_at(first_frame), stack.integer_at(first_frame + 2),
                           stack.text_at(first_frame + 1));
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
bool append_error_message(TextBuffer &buffer, const FirstArguments &arguments, const DebugMessage &message) {
  const bool is_4 = message.form == DebugMessageForm::godot4;
  const DebugValueList &values = is_4 ? arguments : arguments.first_argument_elements;
  const std::size_t element_count = is_4 ? 11 : 10;
  if (values.count < element_count) return false;
  const ErrorInfo error{values.text_at(is_4 ? 4 : 5),
                        values.text_at(is_4 ? 5 : 4),
                        values.integer_at(6),
                        values.text_at(7),
                        values.text_at(8),
                        values.integer_at(9) != 0};
  append_error(buffer, error, arguments, is_4 ? element_count : 2);
  return true;
}

bool append_debug_enter(TextBuffer &buffer, const FirstArguments &arguments) {
  if (arguments.count < 2) return false;
  buffer.append("Debugger entered: ");
  append_text(buffer, arguments.text_at(1));
  if (arguments.integer_at(0) == 0) buffer.append(" (cannot continue)");
  return true;
}

// Finds the values of the keys file, function and line in a Dictionary.
class StackFrameSink final : public VariantSink {
 public:
  void text(const ValueHeader &value, const TextField &field) {
    if (value.depth != 1 || field.field != VariantField::string) return;
    const bool is_key = value.role == ValueRole::key;
    if (is_key) key_ = field.text;
    if (!is_key && key_ == "file") file = field.text;
    if (!is_key && key_ == "function") function = field.text;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    const bool is_line = value.depth == 1 && value.role != ValueRole::key && key_ == "line";
    if (is_line && field.field == VariantField::integer) line = field.value;
  }

  std::string_view file;
  std::string_view function;
  std::int64_t line = 0;

 private:
  std::string_view key_;
};

bool append_stack(TextBuffer &buffer, Bytes bytes, const FirstArguments &arguments, const DebugMessage &message) {
  constexpr std::uint32_t frame_size4 = 3;
  const bool is_4 = message.form == DebugMessageForm::godot4;
  const std::uint32_t frames = message.argument_count / (is_4 ? frame_size4 : 1);
  buffer.append("Stack: ");
  if (arguments.count <= (is_4 ? frame_size4 : 0)) {
    buffer.append("empty");
  } else if (is_4) {
    append_source_position(buffer, arguments.text_at(1), arguments.integer_at(2), arguments.text_at(3));
  } else {
    StackFrameSink frame;
    walk_variant(bytes, arguments.values[0].range.offset, {.dialect = Dialect::godot3}, {}, frame);
    append_source_position(buffer, frame.file, frame.line, frame.function);
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
  const std::int64_t kind = arguments.integer_at(1);
  const bool is_kind = kind >= 0 && kind < static_cast<std::int64_t>(std::size(kinds));
  buffer.append(is_kind ? kinds[kind] : "Variable ");
  append_text(buffer, arguments.text_at(0));
  buffer.append(" = ");
  const DebugValue &value = arguments.values[arguments.count == least_count ? 2 : 3];
  append_value(buffer, bytes.slice({0, value.range.end()}), value.range.offset, Dialect::godot4, options);
  return true;
}

bool append_frames_per_second(TextBuffer &buffer, const DebugValue &fps) {
  buffer.append("Performance: ");
  buffer.append_real(fps.real, false, false);
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
  if (name == "debug_enter") return append_debug_enter(buffer, arguments);
  if (name == "stack_dump") return append_stack(buffer, bytes, arguments, message);
  if (arguments.count == 0) return false;
  if (name == "output") return append_output4(buffer, bytes, arguments);
  if (name == "error") return append_error_message(buffer, arguments, message);
  if (name == "performance:profile_frame") return append_frames_per_second(buffer, arguments.values[0]);
  if (name != "performance") return append_variable(buffer, bytes, arguments, options);
  return arguments.first_argument_elements.count > 0 &&
         append_frames_per_second(buffer, arguments.first_argument_elements.values[0]);
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
  const FirstArguments arguments = read_arguments(bytes, message, options, scripts);
  if (!append_special_summary(buffer, bytes, message, arguments, options)) {
    append_call_summary(buffer, bytes, message, options, nullptr);
  }
  return arguments.outcome;
}

}  // namespace godot_codec
