// SPDX-License-Identifier: MIT
/// @file
/// Detects the dialect of a packet. The wire format does not name it; the packet's bytes often decide, and other
/// packets of the conversation may.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How well a dialect reads a packet, worst first. Used to compare dialects with each other, and to distinguish a
/// stream's next message from a truncated one. It is not evidence that the packet is Godot's, because foreign bytes
/// may fit by chance: see Confidence (core/confidence.h).
enum class DialectFit : std::uint8_t {
  none,        ///< the dialect cannot read the packet
  trailing,    ///< a Variant, followed by more bytes
  truncated,   ///< readable as far as captured, or up to one of our limits
  with_notes,  ///< exactly one Variant, with notes (non-zero padding, …)
  exact,       ///< exactly one Variant, without notes
};

/// The dialects that one packet's bytes allow.
struct DialectDetection {
  DialectFit fit = DialectFit::none;  ///< the best fit among all dialects
  DialectSet candidates;  ///< dialects with the best fit; if no dialect fits: the dialects that read furthest
  /// The candidates, without those that read a value that hardly any game sends. Equal to candidates unless several
  /// dialects read the packet exactly but differently.
  DialectSet likely;
  Dialect likeliest = Dialect::godot4;                 ///< the most plausible candidate
  std::array<std::uint64_t, dialect_count> reading{};  ///< hash of what each dialect reads, by Dialect

  /// True if the packet rules out a dialect, which is worth remembering for the conversation.
  [[nodiscard]] bool is_decisive() const { return fit == DialectFit::exact && !(likely == DialectSet::all()); }
};

/// A candidate rules out another one if it is less surprising (plausibility.h) by at least this many bits. Among ten
/// million messages of Godot 3 and 4, no wrong candidate was less surprising by even half as much (doc/recognition.md).
inline constexpr std::uint64_t ruling_out_bits = 24;

/// True if the first four bytes could be a Variant's header, of a known or a future type: no bit is set that no type
/// uses.
[[nodiscard]] inline bool has_variant_header(Bytes packet) {
  // The compact form has six bits for the type number, so that numbers from 64 up cannot occur.
  constexpr std::uint32_t never_used = 0xfff0ffc0U;
  return packet.captured >= sizeof never_used && (Cursor::load_le<std::uint32_t>(packet.data) & never_used) == 0;
}

/// True if the packet cannot be a Variant in any dialect: it is longer than the longest value of its fixed-size type,
/// or it is a String that runs past the packet's end. Faster than a walk.
/// @param packet a packet for which has_variant_header() is true
[[nodiscard]] bool contradicts_its_type(Bytes packet);

/// Collects the results of walks over one packet, one walk per dialect. The walks may have been made for other reasons.
class DialectWalks {
 public:
  explicit DialectWalks(Bytes packet) : packet_(packet) {}

  /// @param result a walk that started at the packet's first byte
  /// @param fingerprint see FingerprintSink
  void add(Dialect dialect, const WalkResult &result, std::uint64_t fingerprint);
  /// Call after add() was called for each dialect.
  [[nodiscard]] DialectDetection finish(const ReadOptions &options) const;

 private:
  Bytes packet_;
  std::array<DialectFit, dialect_count> fits_{};
  std::array<std::size_t, dialect_count> reach_{};
  std::array<std::uint64_t, dialect_count> readings_{};
};

/// Reads the packet as one Variant, from the first byte to the last, in every dialect.
[[nodiscard]] DialectDetection detect_dialect(Bytes packet, const ReadOptions &options);

struct DialectChoice {
  Dialect dialect = Dialect::godot4;
  bool guessed = false;  ///< true if another dialect that is not ruled out reads the bytes exactly, but differently
};

/// Chooses a dialect: one of the packet's candidates or, if no dialect reads the packet exactly, one that the evidence
/// allows.
/// @param evidence sets of dialects that other packets left possible, strongest first. The first set is that of the
/// packet's own conversation; only this set takes precedence over detection.likely. Skips empty sets, and sets that
/// exclude all remaining dialects
[[nodiscard]] DialectChoice choose_dialect(const DialectDetection &detection, std::span<const DialectSet> evidence);

/// Narrows the known dialects to those that another packet allows. Ignores packets that are not decisive. If no known
/// dialect is a candidate of the packet, its likely dialects replace the known ones: the newest packet is right.
/// @returns the dialects that are possible now
[[nodiscard]] DialectSet add_evidence(DialectSet known, const DialectDetection &detection);

}  // namespace godot_codec
