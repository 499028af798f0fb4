// SPDX-License-Identifier: MIT
/// @file
/// Whole packets of the multiplayer: what stands before a command, the command, and the one that it relays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "godot-codec/core/bytes.h"
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

/// Reads a packet once for all who ask for it in the same way: who judges whether it is the multiplayer's, and then its
/// session, the list and the tree. Plain data that is not to be copied: it may be jumped over by longjmp.
class MpReader {
 public:
  MpReader(Bytes packet, const ReadOptions &options, const MpValues::Wanted &wanted = {})
      : values_(packet, options, wanted) {}

  /// The reference holds until it is asked for another framing or generation.
  const MpReading &read(MpFraming framing, Generation generation);
  /// The packet's Variants, however it is framed.
  [[nodiscard]] MpValues &values() { return values_; }

 private:
  MpValues values_;
  std::optional<MpReading> reading_;  // the latest that was asked for
  MpFraming framing_ = MpFraming::none;
  Generation generation_ = Generation::godot4;
};
static_assert(std::is_trivially_destructible_v<MpReader>);

}  // namespace godot_codec
