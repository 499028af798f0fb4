// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/words.h"

#include <cstdint>

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetField;

const char *kind_of(const EnetCommand &command) {
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::send_reliable:
      return "Reliable";
    case EnetCommandType::send_unreliable:
      return "Unreliable";
    case EnetCommandType::send_unsequenced:
      return "Unsequenced";
    case EnetCommandType::send_fragment:
      return "Fragment";
    case EnetCommandType::send_unreliable_fragment:
      return "Unreliable fragment";
    case EnetCommandType::none:
    case EnetCommandType::acknowledge:
    case EnetCommandType::connect:
    case EnetCommandType::verify_connect:
    case EnetCommandType::disconnect:
    case EnetCommandType::ping:
    case EnetCommandType::bandwidth_limit:
    case EnetCommandType::throttle_configure:
      break;  // without data
  }
  return "Message";
}

// The number by which a message is told from others of its kind.
std::uint32_t message_number(const EnetCommand &command) {
  if (command.is(EnetCommandType::send_unreliable)) return command.value(EnetField::unreliable_seq);
  if (command.is(EnetCommandType::send_unsequenced)) return command.value(EnetField::unsequenced_group);
  if (command.is_fragment()) return command.value(EnetField::fragment_start_seq);
  return command.reliable_seq;
}

// Describes a command without data, for the Info column.
const char *describe_control(wmem_allocator_t *pool, const EnetCommand &command, const EnetCommandFindings &known) {
  const bool is_timed = known.answer != nullptr;
  const double rtt = is_timed ? milliseconds(known.answer->round_trip_time) : 0;
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::acknowledge: {
      const std::uint32_t seq = command.value(EnetField::ack_seq);
      return is_timed ? wmem_strdup_printf(pool, "Ack #%u (%.1f ms)", seq, rtt)
                      : wmem_strdup_printf(pool, "Ack #%u", seq);
    }
    case EnetCommandType::connect:
      return "Connect";
    case EnetCommandType::verify_connect:
      return is_timed ? wmem_strdup_printf(pool, "Verify connect (%.1f ms)", rtt) : "Verify connect";
    case EnetCommandType::disconnect:
      return "Disconnect";
    case EnetCommandType::ping:
      return "Ping";
    case EnetCommandType::bandwidth_limit:
      return "Bandwidth limit";
    case EnetCommandType::throttle_configure:
      return "Throttle configure";
    case EnetCommandType::none:
    case EnetCommandType::send_reliable:
    case EnetCommandType::send_unreliable:
    case EnetCommandType::send_fragment:
    case EnetCommandType::send_unsequenced:
    case EnetCommandType::send_unreliable_fragment:
      break;  // with data
  }
  return "Command";
}

}  // namespace

bool has_data(const EnetCommand &command) { return command.has(EnetField::data_length); }

const char *describe_message(wmem_allocator_t *pool, const EnetCommand &command, bool is_repeated) {
  const char *again = is_repeated ? " again" : "";
  if (command.is_fragment()) {
    return wmem_strdup_printf(pool, "%s %u/%u of ch %u #%u%s", kind_of(command),
                              command.value(EnetField::fragment_number) + 1, command.value(EnetField::fragment_count),
                              command.channel, message_number(command), again);
  }
  return wmem_strdup_printf(pool, "%s ch %u #%u%s", kind_of(command), command.channel, message_number(command), again);
}

const char *describe_command(wmem_allocator_t *pool, const EnetCommand &command, const EnetCommandFindings &known,
                             bool is_repeated) {
  if (has_data(command)) {
    return wmem_strdup_printf(pool, "%s (%u bytes)", describe_message(pool, command, is_repeated),
                              command.value(EnetField::data_length));
  }
  const char *text = describe_control(pool, command, known);
  return is_repeated ? wmem_strdup_printf(pool, "%s again", text) : text;
}

}  // namespace godot_plugin
