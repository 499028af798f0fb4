// SPDX-License-Identifier: MIT
/// @file
/// Which dialect is a packet in? The wire does not say; the bytes often do, other packets may.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How reading a packet in a dialect came out, the worst first: by it dialects are compared with one another, and a
/// stream's next message is told from a cut one. It is no evidence of whose the packet is, and on no scale with that:
/// bytes of anybody's may happen to fit. That is judged as a Confidence (core/confidence.h).
enum class Fit : std::uint8_t {
  none,      ///< it does not
  trailing,  ///< a Variant, and bytes behind it
  cut,       ///< readable as far as captured, or as a limit of ours allows
  odd,       ///< exactly one Variant, with notes (non-zero padding, …)
  exact,     ///< exactly one Variant, without
};

/// The result of looking at the bytes of one packet alone.
struct Detection {
  Fit fit = Fit::none;    ///< the best of any dialect
  DialectSet candidates;  ///< the dialects that fit so well; where none fits, those that read furthest
  /// The candidates without those that make it a value that hardly any game sends: where several read it exactly, but
  /// not alike.
  DialectSet likely;
  Dialect likeliest = Dialect::godot4;                 ///< among the candidates
  std::array<std::uint64_t, dialect_count> reading{};  ///< equal for two dialects that read the same

  /// The packet rules out a dialect: worth remembering for the conversation.
  [[nodiscard]] bool is_decisive() const { return fit == Fit::exact && !(likely == DialectSet::all()); }
};

/// By so many bits a candidate must be less surprising (plausibility.h) than another one to rule it out. Among ten
/// million messages of either generation, no wrong candidate was less surprising by half as much (doc/recognition.md).
inline constexpr std::uint64_t ruling_out_bits = 24;

/// True if the first four bytes could be the header of a Variant, of a known type or a future one: they set no bit that
/// no type uses.
[[nodiscard]] inline bool has_variant_header(Bytes packet) {
  // A compact variant has six bits for the type: there will not be more types than that.
  constexpr std::uint32_t never_used = 0xfff0ffc0U;
  return packet.captured >= sizeof never_used && (Cursor::load_le<std::uint32_t>(packet.data) & never_used) == 0;
}

/// True if the packet is no Variant in any dialect: it is longer than any value of its type, whose size is fixed, or a
/// String that goes past the packet's end. Takes less time than to walk it.
/// @param packet one with such a header
[[nodiscard]] bool contradicts_its_type(Bytes packet);

/// Collects the results of walks over one packet, one in each dialect, also of walks made for another reason.
class DialectWalks {
 public:
  explicit DialectWalks(Bytes packet) : packet_(packet) {}

  /// @param result a walk from the packet's first byte on
  /// @param fingerprint see FingerprintSink
  void add(Dialect dialect, const WalkResult &result, std::uint64_t fingerprint);
  /// To be called once all dialects are there.
  [[nodiscard]] Detection finish(const ReadOptions &options) const;

 private:
  Bytes packet_;
  std::array<Fit, dialect_count> fits_{};
  std::array<std::size_t, dialect_count> reach_{};
  std::array<std::uint64_t, dialect_count> readings_{};
};

/// Reads the packet's only Variant, from its first byte to its last, in every dialect.
[[nodiscard]] Detection detect_dialect(Bytes packet, const ReadOptions &options);

struct DialectChoice {
  Dialect dialect = Dialect::godot4;
  bool guessed = false;  ///< another dialect, not ruled out, reads the bytes exactly and differently
};

/// Chooses a dialect: one of the packet's candidates, or, where none reads it exactly, one that the evidence names.
/// @param evidence sets of dialects that other packets left possible, the best evidence first: that of the packet's own
///   conversation, which alone says more than what is likely. Empty ones are passed over, and so are those that rule
///   out all that is left
[[nodiscard]] DialectChoice choose_dialect(const Detection &detection, std::span<const DialectSet> evidence);

/// Adds one more packet's detection to what is known, and returns the dialects that all decisive packets left possible.
/// Where packets contradict each other, the newest is right. The likeliest dialect of a packet contradicts nothing.
[[nodiscard]] DialectSet add_evidence(DialectSet known, const Detection &detection);

}  // namespace godot_codec
