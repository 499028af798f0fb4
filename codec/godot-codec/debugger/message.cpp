// SPDX-License-Identifier: MIT
#include "godot-codec/debugger/message.h"

#include <algorithm>

#include "godot-codec/stream/framing.h"
#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

// Records the root Variant and, on request, the elements of a root Array.
class ValueSink final : public VariantSink {
 public:
  // @param elements receives the elements of an Array; may be null
  // @param ends_at_count true: the walk ends after an Array's count
  ValueSink(DebugValue &value, DebugValues *elements, bool ends_at_count)
      : value_(value), elements_(elements), ends_at_count_(ends_at_count) {}

  VisitAction begin_value(const ValueHeader &value) {
    if (value.depth > 0 && !begin_element(value)) return VisitAction::skip;
    taken(value).type = value.type;
    return VisitAction::proceed;
  }
  VisitAction integer(const ValueHeader &value, const IntegerField &field) {
    DebugValue &taken_value = taken(value);
    if (field.field == Field::boolean || field.field == Field::integer) taken_value.integer = field.value;
    if (field.field != Field::count) return VisitAction::proceed;
    taken_value.count = static_cast<std::uint32_t>(field.value);
    taken_value.elements = field.range.end();
    return ends_at_count_ && value.depth == 0 ? VisitAction::stop : VisitAction::proceed;
  }
  void real(const ValueHeader &value, const RealField &field) { taken(value).real = field.value; }
  void text(const ValueHeader &value, const TextField &field) {
    if (field.field != Field::string && field.field != Field::string_name) return;
    taken(value).text = field.text;
    taken(value).text_range = field.range;
  }

 private:
  // True if the caller wants the element. The walker skips the contents of other elements.
  bool begin_element(const ValueHeader &value) {
    const bool is_wanted = elements_ != nullptr && value.depth == 1 && value_.type == Type::array &&
                           elements_->count < DebugValues::max_count;
    if (is_wanted) ++elements_->count;
    return is_wanted;
  }

  DebugValue &taken(const ValueHeader &value) {
    return value.depth == 0 ? value_ : elements_->values[elements_->count - 1];
  }

  DebugValue &value_;
  DebugValues *elements_;
  bool ends_at_count_;
};

// Optional outputs of reading a value: its elements, and script texts.
struct ExtraOutputs {
  DebugValues *elements = nullptr;
  ReadOptions options;
  ValueTexts *scripts = nullptr;
};

DebugValue read_value(Bytes bytes, std::size_t offset, Dialect dialect, const ExtraOutputs &extra = {},
                      bool ends_at_count = false) {
  DebugValue value;
  ValueSink sink(value, extra.elements, ends_at_count);
  const WalkResult result = walk_with_scripts(bytes, offset, {.dialect = dialect}, extra.options, sink, extra.scripts);
  value.outcome = result.outcome;
  value.range = {offset, result.offset - std::min(offset, result.offset)};
  return value;
}

std::uint8_t type_number(Bytes bytes, std::size_t offset) {
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

// Reads an Array only up to its count. So an unreadable element does not affect the elements before it.
DebugValue read_array_start(Bytes bytes, std::size_t offset, Dialect dialect) {
  return read_value(bytes, offset, dialect, {}, true);
}

bool is_array(const DebugValue &value) { return value.outcome == Outcome::ok && value.type == Type::array; }

// Reads a message that is an Array. Its elements follow each other without length prefixes.
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

// Reads a message in several packets: the name, the number of arguments, and the arguments.
void read_packets(Bytes bytes, DebugMessage &message) {
  message.dialect = Dialect::godot3;
  message.name = read_packet(bytes, 0, message.dialect);
  const DebugValue count = read_packet(bytes, message.name.range.end(), message.dialect);
  if (!is_text(message.name) || !is_int(count)) return;
  message.form = DebugForm::packets;
  message.list = {message.name.range.end(), count.range.end() - message.name.range.end()};
  message.argument_count = static_cast<std::uint32_t>(std::max<std::int64_t>(count.integer, 0));
  message.arguments = count.range.end();
}

// ---- extent of a message

// A message that announces more arguments is invalid.
constexpr std::int64_t max_arguments = 1 << 20;

class ExtentMeasurer {
 public:
  ExtentMeasurer(Bytes data, std::size_t offset, std::uint32_t max_length)
      : data_(data), start_(offset), at_(offset), max_length_(max_length) {}

  // Advances past the next packet.
  // @returns true if the whole packet is in the data
  bool skip_packet() {
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

  // Sets the number of packets that must follow in the message.
  void expect(std::int64_t packets) { expected_ = static_cast<std::size_t>(std::max<std::int64_t>(packets, 0)); }

  [[nodiscard]] std::size_t packet() const { return packet_; }
  // @param is_last true if the packet that was skipped last is the message's last packet
  [[nodiscard]] StreamExtent extent(bool is_complete, bool is_last) const {
    // The smallest packet consists of a length prefix and the header of a null. An incomplete length prefix is already
    // counted in `length`.
    constexpr std::size_t least_packet = stream_prefix_size + sizeof(std::uint32_t);
    const std::size_t length = at_ - start_;
    const std::size_t least = length + expected_ * least_packet + (has_length_ ? 0 : least_packet - stream_prefix_size);
    return {length, least, is_complete, is_valid_ && has_length_ && is_last, is_valid_, has_length_};
  }

 private:
  Bytes data_;
  std::size_t start_;
  std::size_t at_;
  std::size_t packet_ = 0;
  std::size_t expected_ = 0;
  std::uint32_t max_length_;
  bool is_valid_ = true;
  bool has_length_ = false;
};

}  // namespace

StreamExtent measure_debug_message(Bytes data, std::size_t offset, std::uint32_t max_length) {
  ExtentMeasurer measure(data, offset, max_length);
  const bool has_first = measure.skip_packet();
  Cursor header(data, measure.packet() + stream_prefix_size);
  const auto type = static_cast<std::uint8_t>(header.read<std::uint32_t>());
  const bool is_string = type == type_number(Dialect::godot3, Type::string);
  if (!has_first) return measure.extent(false, header.ok() && !is_string);
  if (!is_string) return measure.extent(true, true);
  if (!measure.skip_packet()) return measure.extent(false, false);  // number of arguments
  const DebugValue count = read_packet(data, measure.packet(), Dialect::godot3);
  // The second packet is not a number of arguments. So the first packet may be a message that is only a String.
  if (!is_int(count) || count.integer > max_arguments) {
    ExtentMeasurer alone(data, offset, max_length);
    alone.skip_packet();
    return alone.extent(true, true);
  }
  for (std::int64_t i = 0; i < count.integer; ++i) {
    measure.expect(count.integer - i - 1);
    if (!measure.skip_packet()) return measure.extent(false, i == count.integer - 1);
  }
  return measure.extent(true, true);
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
  message.range = {0, bytes.reported};
  const std::uint8_t type = type_number(bytes, stream_prefix_size);
  if (type == type_number(Dialect::godot3, Type::string)) {
    read_packets(bytes, message);
  } else if (type == type_number(Dialect::godot4, Type::array)) {
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

bool DebugArguments::next(DebugValue &value, DebugValues *elements) {
  if (remaining_ == 0) return false;
  --remaining_;
  if (elements != nullptr) *elements = {};
  const bool is_packet = message_.form == DebugForm::packets;
  const ExtraOutputs extra{elements, options_, scripts_};
  value = is_packet ? read_packet(bytes_, offset_, message_.dialect, extra)
                    : read_value(bytes_, offset_, message_.dialect, extra);
  if (value.outcome != Outcome::ok) {
    remaining_ = 0;
    return false;
  }
  offset_ = value.range.end();
  return true;
}

DebugValue peek_argument(Bytes message, const DebugMessage &read, std::size_t offset) {
  Cursor cursor(message, offset);
  if (read.form == DebugForm::packets) cursor.read<std::uint32_t>();
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

namespace {

// True if the bytes, as far as available, may begin a message with one of the engine's names.
bool may_have_name(Bytes beginning, std::uint32_t max_length) {
  if (!may_be_debug_message(beginning, max_length)) return false;
  DebugValue name;
  const std::uint8_t type = type_number(beginning, stream_prefix_size);
  const Bytes endless(beginning.data, beginning.captured, SIZE_MAX);
  if (type == type_number(Dialect::godot3, Type::string)) {
    name = read_value(endless, stream_prefix_size, Dialect::godot3);
  } else {
    const Dialect dialect = type == type_number(Dialect::godot4, Type::array) ? Dialect::godot4 : Dialect::godot3;
    const DebugValue root = read_array_start(endless, stream_prefix_size, dialect);
    if (root.outcome != Outcome::ok) return root.outcome == Outcome::truncated;
    name = read_value(endless, root.elements, dialect);
  }
  if (name.outcome != Outcome::ok) return name.outcome == Outcome::truncated;
  return is_text(name) && is_debug_name(name.text);
}

}  // namespace

Confidence debug_confidence(Bytes data, std::uint32_t max_length) {
  if (!may_have_name(data, max_length)) return Confidence::none;
  const StreamExtent extent = measure_debug_message(data, 0, max_length);
  if (!extent.is_valid) return Confidence::none;
  if (!extent.is_complete || data.captured < data.reported) return Confidence::neutral;
  const Bytes bytes = data.slice({0, extent.length});
  const DebugMessage message = read_debug_message(bytes);
  if (message.form == DebugForm::other || !is_debug_name(message.name.text)) return Confidence::none;
  std::size_t end = message.arguments;
  DebugArguments arguments(bytes, message);
  DebugValue value;
  std::uint32_t count = 0;
  for (; arguments.next(value); ++count) end = value.range.end();
  return count == message.argument_count && end == extent.length ? Confidence::strong : Confidence::none;
}

}  // namespace godot_codec
