// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/evidence.h"

namespace godot_codec {
namespace {

constexpr unsigned strong_enet_bits = 36;
constexpr unsigned weak_enet_bits = 12;

constexpr unsigned command_bits = 4;       // number and flags
constexpr unsigned control_bits = 8;       // the channel
constexpr unsigned data_length_bits = 14;  // a length of data that end with the datagram
constexpr unsigned connect_bits = 40;      // sizes and counts within ENet's limits
constexpr unsigned repeated_seq_bits = 16;
constexpr unsigned fragment_bits = 20;

constexpr std::uint32_t least_mtu = 576;
constexpr std::uint32_t least_window = 4096;
constexpr std::uint32_t most_window = 65536;
constexpr std::uint32_t most_channels = 255;

bool is_plausible_connect(const EnetCommand &command) {
  using enum EnetField;
  const std::uint32_t mtu = command.value(connect_mtu);
  const std::uint32_t window = command.value(connect_window_size);
  const std::uint32_t channels = command.value(connect_channel_count);
  return mtu >= least_mtu && mtu <= enet_max_datagram && window >= least_window && window <= most_window &&
         channels > 0 && channels <= most_channels;
}

// Numbers begin at 1 (enet_peer_setup_outgoing_command()). In a buffer that is filled with ones, of whatever size, all
// that is to be equal is equal as well.
bool is_plausible_acknowledge(const EnetCommand &command) {
  const std::uint32_t seq = command.value(EnetField::ack_seq);
  const std::uint32_t first_word = std::uint32_t{command.number} << 8 | command.channel;
  const bool is_run = seq == first_word && command.value(EnetField::ack_sent_time) == first_word;
  return seq == command.reliable_seq && seq != 0 && !is_run;
}

// A sender cuts a message into parts of one size, but for the last.
bool is_plausible_fragment(const EnetCommand &command) {
  using enum EnetField;
  const std::uint64_t length = command.value(data_length);
  const std::uint64_t start = command.value(fragment_offset);
  if (command.value(fragment_number) + 1 == command.value(fragment_count)) {
    return start + length == command.value(fragment_total_length);
  }
  return start == length * command.value(fragment_number);
}

// True if ENet sends a command to a peer whose slot it does not know.
bool may_be_to_nobody(const EnetCommand &command) {
  return command.is(EnetCommandType::connect) || command.is(EnetCommandType::disconnect);
}

// @returns 0 of a command that ENet does not send so
unsigned bits_of_command(const EnetCommand &command) {
  unsigned bits = command_bits + (command.channel == enet_control_channel ? control_bits : 0);
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::connect:
    case EnetCommandType::verify_connect:
      return is_plausible_connect(command) ? bits + connect_bits : 0;
    case EnetCommandType::acknowledge:
      return is_plausible_acknowledge(command) ? bits + repeated_seq_bits : 0;
    case EnetCommandType::send_fragment:
    case EnetCommandType::send_unreliable_fragment:
      return is_plausible_fragment(command) ? bits + fragment_bits : 0;
    case EnetCommandType::none:
    case EnetCommandType::disconnect:
    case EnetCommandType::ping:
    case EnetCommandType::send_reliable:
    case EnetCommandType::send_unreliable:
    case EnetCommandType::send_unsequenced:
    case EnetCommandType::bandwidth_limit:
    case EnetCommandType::throttle_configure:
      return bits;
  }
  return bits;
}

}  // namespace

Evidence enet_evidence(const EnetDatagram &datagram) {
  // A datagram that the capture cuts cannot be decompressed.
  if (datagram.header.is_compressed && datagram.outcome == Outcome::truncated) return {Confidence::neutral};
  if (!datagram.is_plausible()) return {};
  const EnetHeader &header = datagram.header;
  unsigned bits = 0;
  bool wants_acknowledgement = false;
  std::size_t end = datagram.run.padding.length;
  for (const EnetCommand &command : datagram.commands) {
    const unsigned more = bits_of_command(command);
    const bool is_to_nobody = header.peer_id == enet_no_peer && !may_be_to_nobody(command);
    if (more == 0 || is_to_nobody) return {};
    bits += more;
    wants_acknowledgement = wants_acknowledgement || command.wants_acknowledgement();
    end += command.range.length;
    const bool is_last = end == datagram.commands_bytes.reported;
    if (is_last && command.value(EnetField::data_length) > 0) bits += data_length_bits;
  }
  // Only what is to be acknowledged is sent with the time. In what the capture has cut off, something may be.
  if (wants_acknowledgement && !header.has_sent_time) return {};
  const bool is_cut = end < datagram.commands_bytes.reported;
  if (header.has_sent_time && !wants_acknowledgement && !is_cut) return {};
  const bool is_long = header.size + datagram.commands_bytes.reported >= least_strong_size;
  if (is_long && bits >= strong_enet_bits) return {Confidence::strong};
  const std::uint32_t slot = std::uint32_t{header.session} << 16 | header.peer_id;
  const bool is_weak = bits >= weak_enet_bits;
  return {.confidence = is_weak ? Confidence::weak : Confidence::neutral, .kind = is_weak ? slot + 1 : 0};
}

}  // namespace godot_codec
