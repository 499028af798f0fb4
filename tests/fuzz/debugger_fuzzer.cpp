// SPDX-License-Identifier: MIT
// Feeds hostile streams to the remote debugger's parser: extents, messages of every format, arguments, labels,
// summaries and evidence. Aborts if one of their guarantees is violated.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "godot-codec/debugger/message.h"
#include "godot-codec/variant/variant_text.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::DebugArgumentReader;
using godot_codec::DebugMessage;
using godot_codec::DebugMessageForm;
using godot_codec::DebugValue;
using godot_codec::MessageExtent;
using godot_codec::Outcome;

constexpr std::uint32_t max_length = 8U << 20;
constexpr std::size_t prefix_size = 4;

void check_value(Bytes bytes, const DebugValue &value) {
  require(value.range.offset <= bytes.reported && value.range.end() <= std::max(bytes.captured, value.range.offset));
  require(value.outcome != Outcome::truncated || bytes.captured < bytes.reported);
  if (value.outcome != Outcome::ok) return;
  require(value.range.length >= prefix_size);
  // The text of a typed Array is the name of a type.
  if (value.text.empty() || value.type == godot_codec::Type::array) return;
  require(value.text_range.offset > value.range.offset && value.text_range.end() <= value.range.end());
  require(value.text.data() == reinterpret_cast<const char *>(bytes.data) + value.text_range.offset);
  require(value.text.size() == value.text_range.length);
}

void check_summary(Bytes bytes, const DebugMessage &message) {
  for (const std::size_t capacity : {4U, 23U, 240U}) {
    const std::unique_ptr<char[]> memory(new char[capacity]);  // NOLINT(modernize-avoid-c-arrays)
    godot_codec::TextBuffer buffer({memory.get(), capacity});
    godot_codec::append_debug_summary(buffer, bytes, message);
    require(buffer.view().size() < capacity && memory[buffer.view().size()] == '\0');
    require(godot_codec::is_valid_utf8(buffer.view()));
    require(std::none_of(buffer.view().begin(), buffer.view().end(), [](char c) { return c >= 0 && c < ' '; }));
  }
}

// Checks that arguments follow one another and lie in the captured bytes. @returns where the last argument ends; @p
// count is the number of arguments that could be read
std::size_t check_arguments(Bytes bytes, const DebugMessage &message, std::uint32_t &count) {
  DebugArgumentReader arguments(bytes, message);
  godot_codec::DebugArgumentLabels labels(bytes, message);
  std::size_t end = message.arguments_offset;
  DebugValue value;
  for (count = 0; arguments.next(value); ++count) {
    require(count < message.argument_count);
    require(labels.next().size() < bytes.captured + 64);
    labels.record_argument(value);
    require(value.outcome == Outcome::ok);
    const std::size_t prefix = message.form == DebugMessageForm::godot3_packets ? prefix_size : 0;
    require(value.range.offset == end + prefix);
    check_value(bytes, value);
    end = value.range.end();
  }
  require(count == message.argument_count || value.outcome != Outcome::ok);
  require(!arguments.next(value));
  for (int i = 0; i < 3; ++i) require(labels.next().size() < 64);
  return end;
}

void check_message(Bytes bytes) {
  const DebugMessage message = godot_codec::read_debug_message(bytes);
  require(message.outcome != Outcome::truncated || bytes.captured < bytes.reported);
  require(message.outcome == Outcome::ok || message.form == DebugMessageForm::other);
  std::uint32_t count = 0;
  if (message.form != DebugMessageForm::other) {
    check_value(bytes, message.name);
    require(message.name.outcome == Outcome::ok && message.name.range.length > 0);
    require(message.list.range.end() <= bytes.captured && message.arguments_offset <= bytes.captured);
    require(message.arguments_offset >= message.name.range.end() &&
            message.arguments_offset >= message.list.range.end());
    if (message.has_thread_id) check_value(bytes, message.thread_id);
    require(!message.has_thread_id || message.thread_id.range.offset == message.name.range.end());
    check_arguments(bytes, message, count);
  } else {
    require(message.argument_count == 0);
  }
  check_summary(bytes, message);
}

void check_stream(Bytes data) {
  // Whatever the lengths are, the loop reaches the end.
  for (std::size_t offset = 0; offset < data.reported;) {
    const MessageExtent extent = godot_codec::measure_debug_message(data, offset, {max_length});
    require(extent.length >= prefix_size);
    require(!extent.is_complete || (extent.is_valid && extent.is_exact && offset + extent.length <= data.reported));
    require(!extent.is_exact || extent.is_valid);
    require(extent.is_complete || !extent.is_valid || data.captured < data.reported ||
            offset + extent.length > data.reported);
    if (extent.is_complete) check_message(data.slice({offset, extent.length}));
    offset += extent.length;
  }
}

void check_evidence(Bytes data) {
  const godot_codec::Confidence confidence = godot_codec::evaluate_debug_message(data, max_length);
  require(confidence != godot_codec::Confidence::weak);
  if (confidence != godot_codec::Confidence::strong) return;
  require(godot_codec::may_be_debug_message(data, max_length) && data.captured == data.reported);
  const MessageExtent extent = godot_codec::measure_debug_message(data, 0, {max_length});
  require(extent.is_complete);
  const Bytes bytes = data.slice({0, extent.length});
  const DebugMessage message = godot_codec::read_debug_message(bytes);
  require(message.outcome == Outcome::ok && message.form != DebugMessageForm::other);
  require(godot_codec::is_debug_message_name(message.name.text));
  std::uint32_t count = 0;
  require(check_arguments(bytes, message, count) == extent.length && count == message.argument_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  for (const std::size_t missing : {std::size_t{0}, std::size_t{7}}) {
    const Bytes bytes(data, size, size + missing);
    check_message(bytes);
    check_stream(bytes);
    check_evidence(bytes);
  }
  return 0;
}
