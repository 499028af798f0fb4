// SPDX-License-Identifier: MIT
/// @file
/// Counts how often the dialect of a single game message is found, and measures by which margin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "godot-codec/variant/dialect_detection.h"

namespace recognition {

struct DialectTally {
  std::uint64_t messages = 0;
  std::uint64_t undecoded = 0;  ///< messages that the right dialect cannot read exactly: a bug
  std::uint64_t ambiguous = 0;  ///< messages that several dialects read exactly, with different values
  std::uint64_t is_guess = 0;   ///< ambiguous messages without a decision, right or wrong
  std::uint64_t wrong_guesses = 0;
  std::uint64_t wrong = 0;  ///< messages with a wrong decision
  /// Margin in bits: by how much the right engine's reading is less surprising than the other engine's, over all
  /// ambiguous messages, the minimum. Negative: the wrong reading is likelier.
  std::int64_t min_margin = std::numeric_limits<std::int64_t>::max();
  std::uint64_t negative_margins = 0;  ///< messages with a negative margin

  void add(std::string_view message, godot_codec::Dialect right) {
    using namespace godot_codec;
    const Bytes bytes{reinterpret_cast<const std::uint8_t *>(message.data()), message.size(), message.size()};
    const DialectDetection detection = detect_dialect(bytes, {});
    ++messages;
    if (detection.fit != DialectFit::exact || !detection.candidates.has(right)) {
      ++undecoded;
      return;
    }
    const auto reads_right = [&](Dialect dialect) {
      return detection.fingerprints[static_cast<std::size_t>(dialect)] ==
             detection.fingerprints[static_cast<std::size_t>(right)];
    };
    const DialectChoice choice = choose_dialect(detection, {});
    const bool is_right = reads_right(choice.dialect);
    if (choice.is_guess) ++is_guess;
    if (!is_right) ++(choice.is_guess ? wrong_guesses : wrong);
    const auto surprise = static_cast<std::int64_t>(measure_surprise(bytes, right, {}));
    bool is_ambiguous = false;
    for (const Dialect dialect : all_dialects) {
      if (!detection.candidates.has(dialect) || reads_right(dialect)) continue;
      is_ambiguous = true;
      if (dialect == Dialect::docs) continue;  // this dialect excludes neither engine
      const std::int64_t lead = static_cast<std::int64_t>(measure_surprise(bytes, dialect, {})) - surprise;
      min_margin = std::min(min_margin, lead);
      if (lead < 0) ++negative_margins;
    }
    if (is_ambiguous) ++ambiguous;
  }
};

}  // namespace recognition
