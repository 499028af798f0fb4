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

/// The behaviours of a sender that only some releases have:
///
///     ROW(enumerator, first release, last release, strength, description)
///
/// Strength is the evidence against all other releases. It is `likely` for old bytes in padding, which occur only by
/// chance. A release has each of the other behaviours always or never.
#define GODOT_RELEASE_FACTS(ROW)                                                                \
  ROW(godot3_dialect, v3_0, v3_2, certain, "the type numbers of Godot 3")                       \
  ROW(godot4_dialect, v4_0, v4_6, certain, "the type numbers of Godot 4")                       \
  ROW(old_bytes_in_text, v3_0, v3_0, likely, "old bytes in a text's padding")                   \
  ROW(wide_small_int, v3_0, v3_0, certain, "a small int in 64 bits")                            \
  ROW(narrow_int, v3_1, v3_2, certain, "a small int in 32 bits")                                \
  ROW(old_bytes_in_path, v4_0, v4_5, likely, "old bytes in the padding of a NodePath")          \
  ROW(typed_array, v4_3, v4_6, certain, "a typed Array")                                        \
  ROW(typed_dictionary, v4_4, v4_6, certain, "a typed Dictionary")                              \
  ROW(vector4_array, v4_3, v4_6, certain, "a PackedVector4Array")                               \
  ROW(long_prefix, v3_0, v3_1, certain, "12 bytes before a command")                            \
  ROW(short_prefix, v3_2, v3_2, certain, "8 bytes before a command")                            \
  ROW(raw_command, v3_1, v3_2, certain, "a raw packet with a command of its own")               \
  ROW(confirms_by_path, v4_0, v4_2, certain, "a path confirmed by the path")                    \
  ROW(confirms_by_number, v4_3, v4_6, certain, "a path confirmed by its number")                \
  ROW(delta_command, v4_1, v4_6, certain, "a delta")                                            \
  ROW(without_thread_id, v4_0, v4_1, certain, "a debugger's message without a thread")          \
  ROW(with_thread_id, v4_2, v4_6, certain, "a debugger's message with a thread")                \
  ROW(debug_enter_without_thread, v4_0, v4_1, certain, "debug_enter with three arguments")      \
  ROW(debug_enter_with_thread_name, v4_2, v4_4, certain, "debug_enter with a text at its end")  \
  ROW(debug_enter_with_thread_id, v4_5, v4_6, certain, "debug_enter with the thread's number")  \
  ROW(stack_variable_without_type, v4_0, v4_1, certain, "stack_frame_var with three arguments") \
  ROW(stack_variable_with_type, v4_2, v4_6, certain, "stack_frame_var with the type's number")  \
  ROW(monitor_names_without_types, v4_0, v4_5, certain, "names of monitors alone")              \
  ROW(monitor_names_with_types, v4_6, v4_6, certain, "names of monitors with their types")      \
  ROW(output_without_kinds, v3_0, v3_1, certain, "output without kinds")                        \
  ROW(output_with_kinds, v3_2, v3_2, certain, "output with kinds")

enum class ReleaseFact : std::uint8_t {
#define GODOT_RELEASE_FACT(name, ...) name,
  GODOT_RELEASE_FACTS(GODOT_RELEASE_FACT)
#undef GODOT_RELEASE_FACT
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
