// SPDX-License-Identifier: MIT
#include "godot-codec/detection/evidence.h"

namespace godot_codec {
namespace {

constexpr unsigned strong_enet_bits = 36;

// Bits of evidence of a command. The last three detect games in captures that begin late or contain damaged datagrams:
// tests/data/damaged_pong.pcapng; mp_spawn_godot4.6, mp_rpc_godot3.6 and enet_fastlz_godot3.2.3 of captures/ without
// their beginning.
constexpr unsigned command_bits = 4;       // for a valid command number and flags
constexpr unsigned connect_bits = 40;      // for sizes and counts within ENet's limits
constexpr unsigned control_bits = 8;       // for a command on the control channel
constexpr unsigned data_length_bits = 14;  // for data that ends exactly with the datagram
constexpr unsigned repeated_seq_bits = 16;

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

// Some datagrams in captures/other differ from acknowledgements only in their sequence numbers. Programs that fill
// datagrams with one byte (ping -p, nping --data) may use the byte 1. Then all fields that must be equal are equal, so
// such commands are rejected.
bool is_plausible_acknowledge(const EnetCommand &command) {
  const std::uint32_t first_word = std::uint32_t{command.number} << 8 | command.channel;
  const std::uint32_t seq = command.value(EnetField::ack_seq);
  return seq == command.reliable_seq && (seq != first_word || command.value(EnetField::ack_sent_time) != first_word);
}

// @returns the bits of evidence; 0 if ENet does not send such a command
unsigned bits_of_command(const EnetCommand &command) {
  const unsigned bits = command_bits + (command.channel == enet_control_channel ? control_bits : 0);
  if (command.is(EnetCommandType::connect) || command.is(EnetCommandType::verify_connect)) {
    return is_plausible_connect(command) ? bits + connect_bits : 0;
  }
  if (!command.is(EnetCommandType::acknowledge)) return bits;
  return is_plausible_acknowledge(command) ? bits + repeated_seq_bits : 0;
}

}  // namespace

Evidence enet_evidence(const EnetDatagram &datagram) {
  // A truncated datagram cannot be decompressed.
  if (datagram.header.is_compressed && datagram.outcome == Outcome::truncated) return {Confidence::neutral};
  if (!datagram.is_plausible()) return {};
  unsigned bits = 0;
  std::size_t end = datagram.run.padding.length;
  for (const EnetCommand &command : datagram.commands) {
    const unsigned more = bits_of_command(command);
    if (more == 0) return {};
    bits += more;
    end += command.range.length;
    const bool is_last = end == datagram.commands_bytes.reported;
    if (is_last && command.value(EnetField::data_length) > 0) bits += data_length_bits;
  }
  if (bits >= strong_enet_bits) return {Confidence::strong};
  return {Confidence::weak, (std::uint32_t{datagram.header.session} << 16 | datagram.header.peer_id) + 1};
}

}  // namespace godot_codec
