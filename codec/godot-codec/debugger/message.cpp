// SPDX-License-Identifier: MIT
#include "godot-codec/debugger/message.h"

#include <algorithm>

#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

// Records the root Variant.
class DebugValueSink final : public VariantSink {
 public:
  // @param stops_at_count true: the walk ends after an Array's count
  DebugValueSink(DebugValue &value, bool stops_at_count) : value_(value), stops_at_count_(stops_at_count) {}

  VisitAction begin_value(const ValueHeader &value) {
    if (value.depth > 0) return VisitAction::skip;
    value_.type = value.type;
    return VisitAction::proceed;
  }
  VisitAction integer(const ValueHeader & /*value*/, const IntegerField &field) {
    if (field.field == VariantField::boolean || field.field == VariantField::integer) value_.integer = field.value;
    if (field.field != VariantField::count) return VisitAction::proceed;
    value_.count = static_cast<std::uint32_t>(field.value);
    return stops_at_count_ ? VisitAction::stop : VisitAction::proceed;
  }
  void text(const ValueHeader & /*value*/, const TextField &field) {
    const bool is_wanted = field.field == VariantField::string || field.field == VariantField::string_name ||
                           field.field == VariantField::element_type;
    if (!is_wanted) return;
    value_.text = field.text;
    value_.text_range = field.range;
  }

 private:
  DebugValue &value_;
  bool stops_at_count_;
};

// Optional outputs of reading a value: its tree, and script texts.
struct ExtraOutputs {
  ValueArena *arena = nullptr;
  ReadOptions options;
  ScriptTextCache *scripts = nullptr;
};

DebugValue read_value(Bytes bytes, std::size_t offset, Dialect dialect, const ExtraOutputs &extra = {},
                      bool stops_at_count = false) {
  DebugValue value;
  WalkResult result;
  if (extra.arena != nullptr) {
    const ValueTree read =
        godot_codec::read_value(bytes, offset, {.dialect = dialect}, extra.options, *extra.arena, extra.scripts);
    value.tree = read.root;
    result = read.result;
  } else {
    DebugValueSink sink(value, stops_at_count);
    result = walk_with_scripts(bytes, offset, {.dialect = dialect}, extra.options, sink, extra.scripts);
  }
  value.outcome = result.outcome;
  value.range = {offset, result.offset - std::min(offset, result.offset)};
  return value;
}

std::uint8_t read_type_number(Bytes bytes, std::size_t offset) {
  Cursor cursor(bytes, offset);
  return static_cast<std::uint8_t>(cursor.read<std::uint32_t>());
}

// Returns the type number of a type in a dialect.
std::uint8_t type_number(Dialect dialect, Type type) {
  const auto types = dialect_table(dialect).types;
  const auto row = std::ranges::find_if(types, [&](const TypeRow &each) { return each.type == type; });
  return static_cast<std::uint8_t>(row - types.begin());
}

bool is_text(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::string; }
bool is_int(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::integer; }

// Reads the Variant of the packet that has its length prefix at an offset.
DebugValue read_packet(Bytes bytes, std::size_t offset, Dialect dialect, const ExtraOutputs &extra = {}) {
  Cursor cursor(bytes, offset);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok()) {
    DebugValue missing;
    missing.outcome = cursor.outcome();
    missing.range = {offset, 0};
    return missing;
  }
  return read_value(bytes.slice({0, cursor.offset() + length}), cursor.offset(), dialect, extra);
}

// Reads an Array only up to its first element, because an unreadable element would make the whole Array unreadable.
DebugValue read_array_start(Bytes bytes, std::size_t offset, Dialect dialect) {
  return read_value(bytes, offset, dialect, {}, true);
}

bool is_array(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::array; }

// Reads a message that is an Array. Its elements follow each other without length prefixes.
void read_array_message(Bytes bytes, DebugMessage &message) {
  message.root = read_array_start(bytes, stream_prefix_size, message.dialect);
  const DebugValue &root = message.root;
  message.name.outcome = root.outcome;
  if (!is_array(root) || root.count == 0) return;
  message.name = read_value(bytes, root.range.end(), message.dialect);
  if (!is_text(message.name)) return;
  if (message.dialect == Dialect::godot3) {
    message.form = DebugMessageForm::godot3_command;
    message.argument_count = root.count - 1;
    message.arguments_offset = message.name.range.end();
    return;
  }
  constexpr std::uint32_t count_without_thread = 2;
  constexpr std::uint32_t count_with_thread = 3;
  std::size_t offset = message.name.range.end();
  if (root.count == count_with_thread) {
    message.thread_id = read_value(bytes, offset, message.dialect);
    offset = message.thread_id.range.end();
  }
  message.list = read_array_start(bytes, offset, message.dialect);
  const bool is_message =
      (root.count == count_without_thread || (root.count == count_with_thread && is_int(message.thread_id))) &&
      is_array(message.list);
  if (!is_message) return;
  message.form = DebugMessageForm::godot4;
  message.has_thread_id = root.count == count_with_thread;
  message.argument_count = message.list.count;
  message.arguments_offset = message.list.range.end();
}

// Reads a message in several packets: the name, the number of arguments, and the arguments.
void read_packet_message(Bytes bytes, DebugMessage &message) {
  message.dialect = Dialect::godot3;
  message.name = read_packet(bytes, 0, message.dialect);
  message.list = read_packet(bytes, message.name.range.end(), message.dialect);
  if (!is_text(message.name) || !is_int(message.list)) return;
  message.form = DebugMessageForm::godot3_packets;
  message.argument_count = static_cast<std::uint32_t>(std::max<std::int64_t>(message.list.integer, 0));
  message.arguments_offset = message.list.range.end();
}

// ---- extent of a message

// A message that announces more arguments is invalid.
constexpr std::int64_t max_arguments = 1 << 20;

class ExtentMeasurer {
 public:
  ExtentMeasurer(Bytes data, std::size_t offset, std::uint32_t max_length)
      : data_(data), start_offset_(offset), offset_(offset), max_length_(max_length) {}

  // Advances past the next packet.
  // @returns true if the whole packet is in the data
  bool skip_packet() {
    packet_offset_ = offset_;
    Cursor cursor(data_, offset_);
    const auto length = cursor.read<std::uint32_t>();
    has_length_ = cursor.ok();
    if (!has_length_) {
      offset_ += stream_prefix_size;
      return false;
    }
    is_valid_ = is_valid_ && length > 0 && length <= max_length_;
    offset_ = cursor.offset() + length;
    return is_valid_ && offset_ <= data_.reported;
  }

  // Sets the number of packets that must follow in the message.
  void expect_packets(std::int64_t packets) {
    expected_packets_ = static_cast<std::size_t>(std::max<std::int64_t>(packets, 0));
  }

  [[nodiscard]] std::size_t packet_offset() const { return packet_offset_; }
  // @param is_last true if the packet that was skipped last is the message's last packet
  [[nodiscard]] MessageExtent make_extent(bool is_complete, bool is_last) const {
    // The smallest packet consists of a length prefix and the header of a null. An incomplete length prefix is already
    // counted in `length`.
    constexpr std::size_t least_packet = stream_prefix_size + sizeof(std::uint32_t);
    const std::size_t length = offset_ - start_offset_;
    const std::size_t least =
        length + expected_packets_ * least_packet + (has_length_ ? 0 : least_packet - stream_prefix_size);
    return {length, least, is_complete, is_valid_ && has_length_ && is_last, is_valid_, has_length_};
  }

 private:
  Bytes data_;
  std::size_t start_offset_;
  std::size_t offset_;
  std::size_t packet_offset_ = 0;
  std::size_t expected_packets_ = 0;
  std::uint32_t max_length_;
  bool is_valid_ = true;
  bool has_length_ = false;
};

// True if the bytes, as far as available, may begin a message with one of the engine's names.
bool may_have_known_name(Bytes beginning, std::uint32_t max_length) {
  if (!may_be_debug_message(beginning, max_length)) return false;
  const DebugValue name = read_debug_message({beginning.data, beginning.captured, SIZE_MAX}).name;
  return name.outcome == Outcome::truncated || (is_text(name) && is_debug_message_name(name.text));
}

// True if any packet in a part of a stream could be a message. The part may begin with the last packets of a message.
bool has_debug_message(Bytes part, bool is_boundary, const StreamOptions &options) {
  StreamReader reader(part, is_boundary, options);
  for (StreamItem item; reader.next(item);) {
    if (item.kind == StreamItemKind::skipped) continue;
    const std::size_t offset = item.range.offset;
    if (may_be_debug_message(part.slice({offset, part.reported - offset}), options.max_length)) return true;
  }
  return false;
}

}  // namespace

void DebugStreamDetection::update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options) {
  if (latest() != DebugStreamKind::unknown) return;
  if (has_debug_message(part, is_boundary, options)) {
    record(position, DebugStreamKind::debugger);
  } else if (is_boundary) {
    record(position, DebugStreamKind::other);
  }
}

MessageExtent measure_debug_message(Bytes data, std::size_t offset, const StreamOptions &options) {
  ExtentMeasurer measure(data, offset, options.max_length);
  const bool has_first = measure.skip_packet();
  Cursor header(data, measure.packet_offset() + stream_prefix_size);
  const auto type = static_cast<std::uint8_t>(header.read<std::uint32_t>());
  const bool is_string = type == type_number(Dialect::godot3, Type::string);
  if (!has_first) return measure.make_extent(false, header.ok() && !is_string);
  if (!is_string) return measure.make_extent(true, true);
  if (!measure.skip_packet()) return measure.make_extent(false, false);  // number of arguments
  const DebugValue count = read_packet(data, measure.packet_offset(), Dialect::godot3);
  // The second packet is not a number of arguments. So the first packet may be a message that is only a String.
  if (!is_int(count) || count.integer > max_arguments) {
    ExtentMeasurer alone(data, offset, options.max_length);
    alone.skip_packet();
    return alone.make_extent(true, true);
  }
  for (std::int64_t i = 0; i < count.integer; ++i) {
    measure.expect_packets(count.integer - i - 1);
    if (!measure.skip_packet()) return measure.make_extent(false, i == count.integer - 1);
  }
  return measure.make_extent(true, true);
}

bool may_be_debug_message(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok()) return true;
  if (length == 0 || length % sizeof length != 0 || length > max_length) return false;
  const auto header = cursor.read<std::uint32_t>();
  return !cursor.ok() || header == type_number(Dialect::godot3, Type::string) ||
         header == type_number(Dialect::godot3, Type::array) || header == type_number(Dialect::godot4, Type::array);
}

DebugMessage read_debug_message(Bytes bytes) {
  DebugMessage message;
  const std::uint8_t type = read_type_number(bytes, stream_prefix_size);
  if (type == type_number(Dialect::godot3, Type::string)) {
    read_packet_message(bytes, message);
  } else if (type == type_number(Dialect::godot4, Type::array)) {
    read_array_message(bytes, message);
  } else {
    message.dialect = Dialect::godot3;
    read_array_message(bytes, message);
  }
  if (message.form != DebugMessageForm::other) return message;
  message.outcome = read_packet(bytes, 0, message.dialect).outcome;
  if (message.outcome == Outcome::ok && bytes.captured < bytes.reported) message.outcome = Outcome::truncated;
  return message;
}

bool DebugArgumentReader::next(DebugValue &value, ValueArena *arena) {
  if (remaining_arguments_ == 0) return false;
  --remaining_arguments_;
  const bool is_packet = message_.form == DebugMessageForm::godot3_packets;
  const ExtraOutputs extra{arena, options_, scripts_};
  value = is_packet ? read_packet(bytes_, offset_, message_.dialect, extra)
                    : read_value(bytes_, offset_, message_.dialect, extra);
  if (value.outcome != Outcome::ok) {
    remaining_arguments_ = 0;
    return false;
  }
  offset_ = value.range.end();
  return true;
}

DebugValue peek_argument(Bytes message, const DebugMessage &read, std::size_t offset) {
  Cursor cursor(message, offset);
  if (read.form == DebugMessageForm::godot3_packets) cursor.read<std::uint32_t>();
  DebugValue value;
  value.range.offset = cursor.offset();
  if (!cursor.ok()) return value;
  value.range.length = sizeof(std::uint32_t);
  const auto header = cursor.read<std::uint32_t>();
  const auto types = dialect_table(read.dialect).types;
  const std::size_t number = header & 0xff;
  if (!cursor.ok() || number >= types.size()) return value;
  value.type = types[number].type;
  if (value.type != Type::boolean && value.type != Type::integer) return value;
  constexpr std::uint32_t wide = 1U << 16;
  const bool is_wide = value.type == Type::integer && (header & wide) != 0;
  value.integer = is_wide ? cursor.read<std::int64_t>() : cursor.read<std::int32_t>();
  return value;
}

Confidence evaluate_debug_message(Bytes data, std::uint32_t max_length) {
  if (!may_have_known_name(data, max_length)) return Confidence::none;
  const MessageExtent extent = measure_debug_message(data, 0, {max_length});
  if (!extent.is_valid) return Confidence::none;
  if (!extent.is_complete || data.captured < data.reported) return Confidence::neutral;
  const Bytes bytes = data.slice({0, extent.length});
  const DebugMessage message = read_debug_message(bytes);
  if (message.form == DebugMessageForm::other || !is_debug_message_name(message.name.text)) return Confidence::none;
  std::size_t end = message.arguments_offset;
  DebugArgumentReader arguments(bytes, message);
  DebugValue value;
  std::uint32_t count = 0;
  for (; arguments.next(value); ++count) end = value.range.end();
  return count == message.argument_count && end == extent.length ? Confidence::strong : Confidence::none;
}

}  // namespace godot_codec
