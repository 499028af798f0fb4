// SPDX-License-Identifier: MIT
#include <array>
#include <iterator>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec {
namespace {

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
  append_variant(buffer, bytes.slice({0, value.range.end()}), value.range.offset, {.dialect = dialect}, {},
                 TextStyle::brief);
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

  Verdict packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    constexpr std::uint32_t error_kind = 1;
    for (const PackedString &line : array.strings) {
      Cursor kind(kinds_, line.index * sizeof(std::uint32_t));
      append_output_text(buffer_, line.text, kind.read<std::uint32_t>() == error_kind, line.index == 0);
      if (buffer_.is_full()) break;
    }
    return Verdict::stop;
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
  walk_variant(bytes, arguments.values[0].range.offset, {}, {}, sink);
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
  void text(const ValueHeader &value, const TextField &field) {
    if (value.depth != 1 || field.field != Field::string) return;
    const bool is_key = value.role == Role::key;
    if (is_key) key_ = field.text;
    if (!is_key && key_ == "file") file = field.text;
    if (!is_key && key_ == "function") function = field.text;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    const bool is_line = value.depth == 1 && value.role != Role::key && key_ == "line";
    if (is_line && field.field == Field::integer) line = field.value;
  }

  std::string_view file;
  std::string_view function;
  std::int64_t line = 0;

 private:
  std::string_view key_;
};

bool append_stack3(TextBuffer &buffer, Bytes bytes, const Arguments &arguments, const DebugMessage &message) {
  buffer.append("Stack: ");
  if (arguments.count > 0) {
    FrameSink frame;
    walk_variant(bytes, arguments.values[0].range.offset, {.dialect = Dialect::godot3}, {}, frame);
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

void append_debug_summary(TextBuffer &buffer, Bytes bytes, const DebugMessage &message) {
  if (message.form == DebugForm::other) {
    append_summary(buffer, bytes, stream_prefix_size, {.dialect = message.dialect}, {});
  } else if (!append_sentence(buffer, bytes, message)) {
    append_call(buffer, bytes, message);
  }
}

}  // namespace godot_codec
