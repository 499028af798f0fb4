// SPDX-License-Identifier: MIT
#include "godot-codec/debugger/stream_state.h"

namespace godot_codec {
namespace {

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

// Counts the names in a performance:profile_names message. Up to Godot 4.5, the arguments are the names. In later
// versions, the first argument is an Array of the names, and the second is an Array of their types.
std::optional<std::uint32_t> count_monitor_names(Bytes bytes, const DebugMessage &message) {
  if (message.argument_count == 0) return 0;
  DebugArgumentReader arguments(bytes, message);
  DebugValue first;
  if (!arguments.next(first) || first.outcome != Outcome::ok) return std::nullopt;
  if (first.type == Type::array) return first.count;
  const bool is_name = first.type == Type::string || first.type == Type::string_name;
  return is_name ? std::optional(message.argument_count) : std::nullopt;
}

}  // namespace

void DebugStreamDetection::update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options) {
  if (is_decided()) return;
  if (has_debug_message(part, is_boundary, options)) {
    kind_ = DebugStreamKind::debugger;
  } else if (is_boundary) {
    kind_ = DebugStreamKind::other;
  }
  decided_at_ = position;
}

bool is_monitor_names_message(const DebugMessage &message) {
  return message.form == DebugMessageForm::godot4 && message.name.text == "performance:profile_names";
}

void CustomMonitorHistory::update(PacketPosition position, Bytes bytes, const DebugMessage &message) {
  if (!is_monitor_names_message(message)) return;
  if (const std::optional<std::uint32_t> count = count_monitor_names(bytes, message)) record(position, count);
}

}  // namespace godot_codec
