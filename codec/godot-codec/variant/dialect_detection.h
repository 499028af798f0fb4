// SPDX-License-Identifier: MIT
/// @file
/// Detects the dialect of a packet. The wire format does not name the dialect. Often a packet's bytes allow only one
/// dialect; otherwise other packets of the conversation may decide.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/history.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// How well a dialect reads a packet, worst first. Used to compare dialects with each other, and to distinguish a
/// stream's next message from a truncated message. A fit is not evidence that the packet is Godot's, because foreign
/// bytes may fit by chance: see Confidence (core/confidence.h).
enum class DialectFit : std::uint8_t {
  none,        ///< the dialect cannot read the packet
  trailing,    ///< a Variant, followed by more bytes
  truncated,   ///< readable up to the end of the captured bytes, or up to one of our limits
  with_notes,  ///< exactly one Variant, with notes (non-zero padding, …)
  exact,       ///< exactly one Variant, without notes
};

/// The dialects that one packet's bytes allow.
struct DialectDetection {
  DialectFit fit = DialectFit::none;  ///< the best fit among all dialects
  DialectSet candidates;  ///< dialects with the best fit; if no dialect fits, the dialects that read furthest
  /// The candidates, without dialects that read implausible values for a game (ruling_out_bits). Differs from
  /// `candidates` only if several dialects read the packet exactly, but as different values.
  DialectSet likely;
  Dialect likeliest = Dialect::godot4;                      ///< the most plausible candidate
  std::array<std::uint64_t, dialect_count> fingerprints{};  ///< hash of the values that each dialect reads, by Dialect

  /// True if the packet rules out a dialect. The conversation remembers the result of such packets.
  [[nodiscard]] bool is_decisive() const { return fit == DialectFit::exact && likely != every_dialect; }
};

/// A candidate rules out another candidate if its reading is less surprising (measure_surprise()) by at least this many
/// bits. Among ten million messages of Godot 3 and 4, the wrong dialect was never less surprising by even half as many
/// bits (doc/recognition.md).
inline constexpr std::uint64_t ruling_out_bits = 24;

/// True if the first four bytes could be a Variant's header, of a known or a future type. The bits that no type uses
/// must be zero.
[[nodiscard]] inline bool has_variant_header(Bytes packet) {
  // The compact form has only six bits for the type number, so no engine can use type numbers from 64 up.
  constexpr std::uint32_t never_used = 0xfff0ffc0U;
  return packet.captured >= sizeof never_used && (Cursor::load_le<std::uint32_t>(packet.data) & never_used) == 0;
}

/// True if the packet cannot be a Variant in any dialect: it is longer than the longest value of its fixed-size type,
/// or its length or count is too high for the rest of the packet. Faster than a walk.
/// @param packet a packet for which has_variant_header() is true
[[nodiscard]] bool contradicts_its_type(Bytes packet);

/// The walk over a packet in one dialect.
struct DialectWalk {
  WalkResult result;
  std::uint64_t fingerprint = 0;  ///< see FingerprintSink
};

/// Compares the walks over one packet, by Dialect. Each walk starts at the packet's first byte.
[[nodiscard]] DialectDetection compare_dialects(Bytes packet, std::span<const DialectWalk, dialect_count> walks,
                                                const ReadOptions &options);

/// Reads the packet as one Variant, from the first byte to the last, in every dialect.
[[nodiscard]] DialectDetection detect_dialect(Bytes packet, const ReadOptions &options);

struct DialectChoice {
  Dialect dialect = Dialect::godot4;
  bool is_guess = false;  ///< true if another possible dialect also reads the bytes exactly, but as other values
};

/// Chooses a dialect for a packet. If a dialect reads the packet exactly, chooses one of the candidates; otherwise one
/// that the evidence allows.
/// @param evidence sets of dialects that other packets allow, strongest evidence first. The first set is from the
/// packet's own conversation; only this set has priority over detection.likely. A set is skipped if it is empty or
/// excludes all remaining dialects
[[nodiscard]] DialectChoice choose_dialect(const DialectDetection &detection, std::span<const DialectSet> evidence);

/// Narrows the known dialects to those that a packet allows. Ignores packets that are not decisive. If no known dialect
/// is a candidate of the packet, replaces the known dialects by the packet's likely dialects, because the newest packet
/// is right.
/// @returns the dialects that are possible now
[[nodiscard]] DialectSet narrow_dialects(DialectSet known, const DialectDetection &detection);

/// The dialects that are possible for a conversation or a server, by the evidence of earlier packets; empty without
/// evidence.
class DialectHistory : public History<DialectSet> {
 public:
  /// Adds the evidence of a packet. Must be called in capture order.
  void add(PacketPosition position, const DialectDetection &detection) {
    record(position, narrow_dialects(latest(), detection));
  }
};

/// Returns how surprising the values are that a dialect reads from a packet: roughly the binary logarithm of the number
/// of messages until one of them has these values. Small integers, round reals of usual size, and letters have little
/// surprise. Reals near zero have much surprise, because small integers and headers look like them if they are read as
/// reals. Huge reals do, too, because texts look like them.
///
/// Types with the same number of reals have the same surprise, because nothing distinguishes a Color from a Plane.
/// @param packet one Variant, which the dialect reads to its end
/// @returns surprise in bits; only comparable between dialects for the same packet
[[nodiscard]] std::uint64_t measure_surprise(Bytes packet, Dialect dialect, const ReadOptions &options);

}  // namespace godot_codec
