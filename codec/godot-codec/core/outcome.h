// SPDX-License-Identifier: MIT
/// @file
/// One value for each outcome of a reading: what is said of it, how it is marked.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A row with a column for each Outcome. When an Outcome is added, the compiler complains here and wherever a row is
/// made.
template <typename Value>
struct ByOutcome {
  Value ok;
  Value truncated;
  Value malformed;
  Value unsupported;
  Value over_limit;

  [[nodiscard]] constexpr Value of(Outcome outcome) const {
    switch (outcome) {
      case Outcome::ok:
        return ok;
      case Outcome::truncated:
        return truncated;
      case Outcome::unsupported:
        return unsupported;
      case Outcome::over_limit:
        return over_limit;
      case Outcome::malformed:
        break;
    }
    return malformed;
  }
};

/// Ends a sentence about something that could not be read to its end; empty if it could.
[[nodiscard]] constexpr const char *outcome_mark(Outcome outcome) {
  constexpr ByOutcome<const char *> marks = {"", " [truncated]", " [malformed]", " [unsupported]",
                                             " [nested too deep]"};
  return marks.of(outcome);
}

}  // namespace godot_codec
