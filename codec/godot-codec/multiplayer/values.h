// SPDX-License-Identifier: MIT
/// @file
/// The record of a packet's Variants: each is walked once for all who ask, be it who judges the packet, its session,
/// the sentence, the tables or the tree.
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
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How a generation's Variants are to be understood: its dialect, and Godot 4's compact form.
[[nodiscard]] Encoding mp_encoding(Generation generation);

/// The type that a value's first byte says; nil for a number that no type has.
[[nodiscard]] Type mp_type_of(std::uint8_t first, const Encoding &encoding);

/// One Variant of a message, as walking it ended.
struct MpWalk {
  std::size_t offset = 0;  ///< its first byte
  std::size_t end = 0;     ///< behind it, or where it could not be read on
  std::size_t limit = 0;   ///< the end of the message's Variants: what is behind it is not looked at
  Generation generation = Generation::godot4;
  Outcome outcome = Outcome::ok;
  NoteSet notes;
  bool has_text = false;
  std::uint16_t text_begin = 0;
  std::uint16_t text_end = 0;
};

/// The Variants of a packet, walked when they are first asked for. Plain data, 6 KiB: it may be jumped over by longjmp.
class MpValues {
 public:
  static constexpr std::size_t max_kept = 64;    ///< Variants; later ones are walked again for each caller
  static constexpr std::size_t max_texts = 512;  ///< bytes, of all of them

  /// Outputs that callers will ask for besides how the walks end: the walk writes them, as far as there is room.
  struct Wanted {
    bool texts = false;             ///< each value's brief text, for a sentence
    ValueTexts *scripts = nullptr;  ///< besides those the texts for a script, for a tree; null: nobody
  };

  MpValues(Bytes packet, const ReadOptions &options, const Wanted &wanted)
      : bytes_(packet), options_(options), texts_({memory_.data(), memory_.size()}), wanted_(wanted) {}
  MpValues(Bytes packet, const ReadOptions &options) : MpValues(packet, options, Wanted{}) {}
  MpValues(const MpValues &) = delete;
  MpValues &operator=(const MpValues &) = delete;

  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] const ReadOptions &options() const { return options_; }

  /// Walks the Variant at @p offset among others. The answer is good until the next call.
  const MpWalk &walk(const MpVariants &variants, Generation generation, std::size_t offset);

  /// Where texts for a script may be found; null: nowhere.
  [[nodiscard]] ValueTexts *scripts() const { return wanted_.scripts; }

  /// The value's brief text, all of it; nullopt where it was not written.
  [[nodiscard]] std::optional<std::string_view> text_of(const MpWalk &walk) const;

 private:
  const MpWalk *find(std::size_t offset, std::size_t limit, Generation generation);
  WalkResult read(Bytes part, std::size_t offset, Generation generation, MpWalk &walk);

  Bytes bytes_;
  const ReadOptions options_;
  FixedList<MpWalk, max_kept> kept_;
  MpWalk not_kept_;       // for what there is no room for
  std::size_t next_ = 0;  // behind the one that was asked for last
  std::array<char, max_texts> memory_;
  TextBuffer texts_;
  Wanted wanted_;
};
static_assert(std::is_trivially_destructible_v<MpValues>);

/// Goes through Variants of a message, one behind the other.
class MpValueCursor {
 public:
  /// @param values of the packet; must outlive the cursor
  MpValueCursor(MpValues &values, const MpVariants &variants, Generation generation)
      : values_(values), variants_(variants), generation_(generation), offset_(variants.range.offset) {}

  /// Walks the next one. @returns whether there is one; there is none behind one that could not be read
  bool next();
  /// The one that was walked last.
  [[nodiscard]] const MpWalk &walk() const { return walk_; }
  [[nodiscard]] bool is_readable() const { return walk_.outcome == Outcome::ok; }
  /// The type of one that can be read.
  [[nodiscard]] Type type() const;
  /// Variants that were read so far: those that could be.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// The number of the one that was walked last, from 0.
  [[nodiscard]] std::uint32_t index() const { return is_readable() ? count_ - 1 : count_; }
  /// Where the next one would begin.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  /// True if there are fewer than the message counts, once next() has said that there are no more.
  [[nodiscard]] bool is_short() const;

 private:
  MpValues &values_;
  const MpVariants &variants_;
  Generation generation_;
  std::size_t offset_;
  std::uint32_t count_ = 0;
  MpWalk walk_;
};

}  // namespace godot_codec
