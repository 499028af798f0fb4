// SPDX-License-Identifier: MIT
/// @file
/// Caches the Variants of a packet. Detection, session, summary, tables and tree share the walk of each Variant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/fixed_list.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// Returns the encoding of Variants in a generation: its dialect, and whether Variants have Godot 4's compact form.
[[nodiscard]] Encoding mp_encoding(Generation generation);

/// Returns the type of a value by its first byte; nil for an unknown type number.
[[nodiscard]] Type mp_variant_type(std::uint8_t first, const Encoding &encoding);

/// The result of walking one Variant of a message.
struct MpVariantWalk {
  std::size_t offset = 0;  ///< first byte of the Variant
  std::size_t end = 0;     ///< offset after the Variant; after a failure, the offset of the failure
  std::size_t limit = 0;   ///< offset after the last Variant of the message
  Generation generation = Generation::godot4;
  Outcome outcome = Outcome::ok;
  EncodingNoteSet notes;
  bool has_text = false;
  std::uint16_t text_begin = 0;
  std::uint16_t text_end = 0;
};

/// The Variants of a packet, each walked when it is first needed. 6 KiB. Longjmp may skip its destructor.
class MpVariantCache {
 public:
  static constexpr std::size_t max_cached = 64;  ///< number of stored results; later Variants are walked again
  static constexpr std::size_t max_texts = 512;  ///< total size of the stored texts, in bytes

  /// Texts that a walk writes for later callers, as far as the buffer has space.
  struct WantedTexts {
    bool texts = false;                  ///< brief text of each value, for the summary
    ScriptTextCache *scripts = nullptr;  ///< texts in script style, for the tree; null: not wanted
  };

  MpVariantCache(Bytes packet, const ReadOptions &options, const WantedTexts &wanted)
      : bytes_(packet), options_(options), texts_({text_memory_.data(), text_memory_.size()}), wanted_texts_(wanted) {}
  MpVariantCache(Bytes packet, const ReadOptions &options) : MpVariantCache(packet, options, WantedTexts{}) {}
  MpVariantCache(const MpVariantCache &) = delete;
  MpVariantCache &operator=(const MpVariantCache &) = delete;

  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] const ReadOptions &options() const { return options_; }

  /// Walks the Variant at @p offset. The reference is valid until the next call.
  const MpVariantWalk &walk(const MpVariants &variants, Generation generation, std::size_t offset);

  /// Returns the texts in script style; null: not wanted.
  [[nodiscard]] ScriptTextCache *scripts() const { return wanted_texts_.scripts; }

  /// Returns the complete brief text of the value; nullopt if it was not written.
  [[nodiscard]] std::optional<std::string_view> brief_text_of(const MpVariantWalk &walk) const;

 private:
  const MpVariantWalk *find_cached(std::size_t offset, std::size_t limit, Generation generation);
  WalkResult read(Bytes part, std::size_t offset, Generation generation, MpVariantWalk &walk);

  Bytes bytes_;
  const ReadOptions options_;
  FixedList<MpVariantWalk, max_cached> cached_walks_;
  MpVariantWalk uncached_walk_;  // for Variants after max_cached
  std::size_t next_index_ = 0;   // index after the last result; this index is tried first
  std::array<char, max_texts> text_memory_;
  TextBuffer texts_;
  WantedTexts wanted_texts_;
};
static_assert(std::is_trivially_destructible_v<MpVariantCache>);

/// Iterates over consecutive Variants of a message.
class MpVariantCursor {
 public:
  /// @param values must belong to the message and outlive the cursor
  MpVariantCursor(MpVariantCache &values, const MpVariants &variants, Generation generation)
      : variant_cache_(values), variants_(variants), generation_(generation), offset_(variants.range.offset) {}

  /// Walks the next Variant.
  /// @returns false if there is no next Variant, or if the previous Variant could not be read
  bool next();
  /// Returns the result of the last walk.
  [[nodiscard]] const MpVariantWalk &walk() const { return walk_; }
  [[nodiscard]] bool is_readable() const { return walk_.outcome == Outcome::ok; }
  /// Returns the type of a readable Variant.
  [[nodiscard]] Type type() const;
  /// Returns the number of readable Variants so far.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Returns the index of the Variant that was walked last, from 0.
  [[nodiscard]] std::uint32_t index() const { return is_readable() ? count_ - 1 : count_; }
  /// Returns the offset of the next Variant.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  /// True if the message has fewer Variants than its count. Valid after next() has returned false.
  [[nodiscard]] bool lacks_variants() const;
  /// Returns the outcome of all Variants; `malformed` if the message lacks Variants. Valid like lacks_variants().
  [[nodiscard]] Outcome outcome() const { return lacks_variants() ? Outcome::malformed : walk_.outcome; }

 private:
  MpVariantCache &variant_cache_;
  const MpVariants &variants_;
  Generation generation_;
  std::size_t offset_;
  std::uint32_t count_ = 0;
  MpVariantWalk walk_;
};

}  // namespace godot_codec
