// SPDX-License-Identifier: MIT
/// @file
/// Whole packets of the multiplayer: what stands before a command, the command, and the one that it relays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "godot-codec/core/message.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/values.h"

namespace godot_codec {

/// An engine relays a command once, and takes no system command, and so no relay, out of one.
inline constexpr unsigned mp_max_relays = 2;

/// All that a packet says, read once for whoever asks. Plain data: it may be copied, and jumped over by longjmp.
struct MpReading {
  bool has_prefix = false;
  MpPrefix prefix;          ///< if there is one
  std::uint32_t count = 0;  ///< number of commands; 0 where the prefix is all there is
  /// The command, the one that it relays, and what an engine would not take out of a relay.
  std::array<MpMessage, mp_max_relays + 1> commands;
};
static_assert(std::is_trivially_destructible_v<MpReading>);

/// Reads a message once for detection, session, list and tree. Plain data that must not be copied: a longjmp may pass
/// over it.
class MpReader {
 public:
  MpReader(const Message &message, const ReadOptions &options, const MpValues::Wanted &wanted = {})
      : message_(message), values_(message.bytes, options, wanted) {}

  [[nodiscard]] const Message &message() const { return message_; }
  /// The reference holds until it is asked for another framing or generation.
  const MpReading &read(MpFraming framing, Generation generation);
  /// The packet's Variants, however it is framed.
  [[nodiscard]] MpValues &values() { return values_; }

 private:
  Message message_;
  MpValues values_;
  std::optional<MpReading> reading_;  // the latest that was asked for
  MpFraming framing_ = MpFraming::none;
  Generation generation_ = Generation::godot4;
};
static_assert(std::is_trivially_destructible_v<MpReader>);

}  // namespace godot_codec
