// SPDX-License-Identifier: MIT
/// @file
/// Which release of Godot has sent what: by what changed from one to the next. The wire does not say it; what a sender
/// does, adds up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// The releases that can be told apart, the oldest first.
enum class Release : std::uint8_t { v3_0, v3_1, v3_2, v4_0, v4_1, v4_2, v4_3, v4_4, v4_5, v4_6 };
inline constexpr std::size_t release_count = 10;

/// Something that a sender does, and only some releases do. release.cpp has the table.
enum class ReleaseFact : std::uint8_t {
  dialect_of_3,
  dialect_of_4,
  old_bytes_in_text,
  wide_small_int,
  narrow_int,
  old_bytes_in_path,
  typed_array,
  typed_dictionary,
  vector4_array,
  long_prefix,
  short_prefix,
  raw_command,
  confirms_by_path,
  confirms_by_number,
  delta,
  no_thread,
  thread,
  stops_without_thread,
  stops_with_text,
  stops_with_number,
  variables_of_three,
  variables_of_four,
  flat_monitor_names,
  monitor_names_in_pairs,
  output_without_kinds,
  output_with_kinds,
};
inline constexpr std::size_t release_fact_count = static_cast<std::size_t>(ReleaseFact::output_with_kinds) + 1;

/// Describes a fact by a phrase; ends with a zero.
[[nodiscard]] std::string_view describe(ReleaseFact fact);

/// The facts about one sender so far: each fact counts once, from the packet on that has shown it first. Plain data:
/// zeros are the beginning.
struct ReleaseFacts {
  std::array<PacketPosition, release_fact_count> since;  ///< packet 0: not seen

  void add(ReleaseFact fact, PacketPosition moment) {
    PacketPosition &first = since[static_cast<std::size_t>(fact)];
    if (first.packet == 0) first = moment;
  }
  [[nodiscard]] bool has(ReleaseFact fact) const { return since[static_cast<std::size_t>(fact)].packet != 0; }
};

/// The releases that contradict the facts least, as a set of bits by Release; 0 where there are no facts.
[[nodiscard]] std::uint32_t likely_releases(const ReleaseFacts &facts);

/// "4.3 to 4.5", "3.2+", "3.0 or 3.1". Nothing where all of a generation, or nothing, is left.
/// @param releases as likely_releases() returns them
void append_releases(TextBuffer &buffer, std::uint32_t releases);

/// Learns from a packet that is a Variant of a known dialect. From the documentation's dialect: nothing.
/// @param traits of the Variant, as its walk has met them
void learn_release(ReleaseFacts &facts, PacketPosition moment, Dialect dialect, EncodingTraitSet traits);

/// Learns from the prefix of a packet of the multiplayer.
void learn_release(ReleaseFacts &facts, PacketPosition moment, MpFraming framing);

/// Learns from a command of the multiplayer; not from its Variants.
void learn_release(ReleaseFacts &facts, PacketPosition moment, const MpMessage &message);

/// Learns from a message of the debugger.
void learn_release(ReleaseFacts &facts, PacketPosition moment, Bytes bytes, const DebugMessage &message);

}  // namespace godot_codec
