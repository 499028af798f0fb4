// SPDX-License-Identifier: MIT
/// @file
/// Parses whole packets of the multiplayer: the prefix, the command, and the relayed command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "godot-codec/core/fixed_list.h"
#include "godot-codec/core/message.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/variant_cache.h"

namespace godot_codec {

/// Maximum number of commands that are recorded per packet: a command and a relayed command. Relays do not nest,
/// because engines ignore system commands in a relay.
inline constexpr unsigned mp_max_relays = 2;

/// The parsed commands of a packet. Plain data: it may be copied, and longjmp may skip its destructor.
struct MpParsedPacket {
  MpParsedPacket() {}  // NOLINT(modernize-use-equals-default): with `= default`, emplace() would zero all commands

  bool has_prefix = false;
  MpPrefix prefix;  ///< set if has_prefix
  /// The command, the relayed command, and a relayed command in a relayed command. Engines ignore the third command.
  /// Empty if the packet is only a prefix.
  FixedList<MpMessage, mp_max_relays + 1> commands;
};
static_assert(std::is_trivially_destructible_v<MpParsedPacket>);

/// Reads a message once for detection, session, list and tree. Longjmp may skip its destructor.
class MpPacketReader {
 public:
  MpPacketReader(const Message &message, const ReadOptions &options, const MpVariantCache::WantedTexts &wanted = {})
      : packet_{message}, variant_cache_(message.bytes, options, wanted) {
    packet_.values = &variant_cache_;
  }
  MpPacketReader(const MpPacketReader &) = delete;
  MpPacketReader &operator=(const MpPacketReader &) = delete;

  [[nodiscard]] const Message &message() const { return packet_; }
  /// Returns the message with the state of its game, which GameConnection fills in.
  [[nodiscard]] MpPacket &packet() { return packet_; }
  /// Returns a reference that is valid until the next call with another framing.
  const MpParsedPacket &read(MpFraming framing) {
    if (!parsed_packet_ || framing != framing_) {
      framing_ = framing;
      parse(parsed_packet_.emplace());
    }
    return *parsed_packet_;
  }
  /// Returns the Variants of the packet. They do not depend on the framing.
  [[nodiscard]] MpVariantCache &values() { return variant_cache_; }

 private:
  void parse(MpParsedPacket &parsed) const {
    std::size_t offset = 0;
    parsed.has_prefix = framing_ != MpFraming::none;
    if (parsed.has_prefix) {
      parsed.prefix = read_mp_prefix(packet_.bytes, framing_);
      if (!parsed.prefix.has_command) return;
      offset = parsed.prefix.prefix_range.end();
    }
    do {
      const MpMessage &command =
          parsed.commands.add_result([&] { return read_mp_message(packet_.bytes, offset, mp_generation(framing_)); });
      if (command.relayed.length == 0) break;
      offset = command.relayed.offset;
    } while (!parsed.commands.is_full());
  }

  MpPacket packet_;
  MpVariantCache variant_cache_;
  std::optional<MpParsedPacket> parsed_packet_;  // result of the last call
  MpFraming framing_ = MpFraming::none;
};
static_assert(std::is_trivially_destructible_v<MpPacketReader>);

/// Calls a function for each command of a packet: first for the command itself, then for the relayed commands in it.
/// @param take called with an MpMessage and its MpRoute
/// @returns the route of the last command, or of the packet if it has no command
template <typename Take>
MpRoute for_each_command(const MpPacket &packet, const MpParsedPacket &reading, Take take) {
  MpRoute route = reading.has_prefix ? prefixed_route(packet, reading.prefix) : direct_route(packet);
  for (std::uint32_t i = 0; i < reading.commands.size(); ++i) {
    if (i > 0) route = relayed_route(packet, route, reading.commands[i - 1].fields.peer(MpField::peer));
    take(reading.commands[i], route);
  }
  return route;
}

}  // namespace godot_codec
