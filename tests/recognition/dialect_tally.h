// SPDX-License-Identifier: MIT
/// @file
/// How often the dialect of a game's message alone is found, and by how much.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/plausibility.h"

namespace recognition {

struct DialectTally {
  std::uint64_t messages = 0;
  std::uint64_t unread = 0;     ///< that the right dialect does not read exactly: a mistake of the generator, or ours
  std::uint64_t ambiguous = 0;  ///< that several dialects read exactly, and not alike
  std::uint64_t guessed = 0;    ///< those of them that stay a guess, right or wrong
  std::uint64_t wrong_guesses = 0;
  std::uint64_t wrong = 0;  ///< that are decided, and wrong
  /// By how many bits the right engine's reading is less surprising than the other engine's, where both read exactly
  /// and not alike: at least. Below zero, the wrong one is likelier.
  std::int64_t least_lead = std::numeric_limits<std::int64_t>::max();
  std::uint64_t led = 0;  ///< where it is below zero

  void add(std::string_view message, godot_codec::Dialect right) {
    using namespace godot_codec;
    const Bytes bytes{reinterpret_cast<const std::uint8_t *>(message.data()), message.size(), message.size()};
    const Detection detection = detect_dialect(bytes, {});
    ++messages;
    if (detection.fit != Fit::exact || !detection.candidates.has(right)) {
      ++unread;
      return;
    }
    const auto reads_right = [&](Dialect dialect) {
      return detection.reading[static_cast<std::size_t>(dialect)] == detection.reading[static_cast<std::size_t>(right)];
    };
    const DialectChoice choice = choose_dialect(detection, {});
    const bool is_right = reads_right(choice.dialect);
    if (choice.guessed) ++guessed;
    if (!is_right) ++(choice.guessed ? wrong_guesses : wrong);
    const auto surprise = static_cast<std::int64_t>(surprise_of(bytes, right, {}));
    bool is_ambiguous = false;
    for (const Dialect dialect : all_dialects) {
      if (!detection.candidates.has(dialect) || reads_right(dialect)) continue;
      is_ambiguous = true;
      if (dialect == Dialect::docs) continue;  // it rules out no engine's
      const std::int64_t lead = static_cast<std::int64_t>(surprise_of(bytes, dialect, {})) - surprise;
      least_lead = std::min(least_lead, lead);
      if (lead < 0) ++led;
    }
    if (is_ambiguous) ++ambiguous;
  }
};

}  // namespace recognition
