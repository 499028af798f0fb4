// SPDX-License-Identifier: MIT
/// @file
/// Detects the Godot release of a sender. The wire format does not contain the release, but releases behave
/// differently. The facts about a sender are combined.
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
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// The releases that can be distinguished, oldest first.
enum class Release : std::uint8_t { v3_0, v3_1, v3_2, v4_0, v4_1, v4_2, v4_3, v4_4, v4_5, v4_6 };
inline constexpr std::size_t release_count = 10;

/// A behaviour of a sender that only some releases have. release.cpp has the table.
enum class ReleaseFact : std::uint8_t {
  godot3_dialect,
  godot4_dialect,
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
  delta_command,
  without_thread_id,
  with_thread_id,
  debug_enter_without_thread,
  debug_enter_with_thread_name,
  debug_enter_with_thread_id,
  stack_variable_without_type,
  stack_variable_with_type,
  monitor_names_without_types,
  monitor_names_with_types,
  output_without_kinds,
  output_with_kinds,
};
inline constexpr std::size_t release_fact_count = static_cast<std::size_t>(ReleaseFact::output_with_kinds) + 1;

/// Describes a fact as a noun phrase. Zero-terminated.
[[nodiscard]] std::string_view describe_release_fact(ReleaseFact fact);

/// The facts about one sender so far. Each fact counts once, from the first packet that has shown it. Plain data: all
/// zeros is the initial state.
struct ReleaseFacts {
  std::array<PacketPosition, release_fact_count> first_seen;  ///< the first packet that showed the fact; packet 0: none

  void add(ReleaseFact fact, PacketPosition position) {
    PacketPosition &first = first_seen[static_cast<std::size_t>(fact)];
    if (first.packet == 0) first = position;
  }
  [[nodiscard]] bool has(ReleaseFact fact) const { return first_seen[static_cast<std::size_t>(fact)].packet != 0; }
};

/// Returns the releases that contradict the facts least, as a bit mask (bit n is Release n); 0 if there are no facts.
[[nodiscard]] std::uint32_t find_likely_releases(const ReleaseFacts &facts);

/// Appends text such as "4.3 to 4.5", "3.2+" or "3.0 or 3.1".
/// @param releases as find_likely_releases() returns them
void append_releases(TextBuffer &buffer, std::uint32_t releases);

/// Adds facts from a packet that is a Variant of a known dialect. Adds nothing for Dialect::docs.
/// @param traits of the Variant, as its walk returned them
void record_release_facts(ReleaseFacts &facts, PacketPosition position, Dialect dialect, EncodingTraitSet traits);

/// Adds facts from the framing of a packet of the multiplayer.
void record_release_facts(ReleaseFacts &facts, PacketPosition position, MpFraming framing);

/// Adds facts from a command of the multiplayer. Ignores its Variants.
void record_release_facts(ReleaseFacts &facts, PacketPosition position, const MpMessage &message);

/// Adds facts from a message of the debugger.
void record_release_facts(ReleaseFacts &facts, PacketPosition position, Bytes bytes, const DebugMessage &message);

}  // namespace godot_codec
