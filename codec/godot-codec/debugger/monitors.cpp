// SPDX-License-Identifier: MIT
#include "godot-codec/debugger/monitors.h"

#include <algorithm>
#include <iterator>

namespace godot_codec {
namespace {

// Counts the names in a performance:profile_names message. Up to Godot 4.5, the arguments are the names. In later
// versions, the first argument is an Array of the names, and the second is an Array of their types.
std::optional<std::uint32_t> count_names(Bytes bytes, const DebugMessage &message) {
  if (message.argument_count == 0) return 0;
  DebugArguments arguments(bytes, message);
  DebugValue first;
  if (!arguments.next(first) || first.outcome != Outcome::ok) return std::nullopt;
  if (first.type == Type::array) return first.count;
  const bool is_name = first.type == Type::string || first.type == Type::string_name;
  return is_name ? std::optional(message.argument_count) : std::nullopt;
}

}  // namespace

bool is_monitor_names_message(const DebugMessage &message) {
  return message.form == DebugForm::godot4 && message.name.text == "performance:profile_names";
}

void DebugMonitors::update(PacketPosition position, Bytes bytes, const DebugMessage &message) {
  if (!is_monitor_names_message(message)) return;
  const std::optional<std::uint32_t> count = count_names(bytes, message);
  if (!count || (!changes_.empty() && changes_.back().count == *count)) return;
  changes_.push_back({position, *count});
}

std::optional<std::uint32_t> DebugMonitors::before(PacketPosition position) const {
  const auto later = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const CountChange &change) { return change.position < position; });
  return later == changes_.begin() ? std::nullopt : std::optional(std::prev(later)->count);
}

}  // namespace godot_codec
