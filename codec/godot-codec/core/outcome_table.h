// SPDX-License-Identifier: MIT
/// @file
/// Tables with one value for each outcome of reading, and the mark that is shown for an outcome.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A table with one value per Outcome. If an Outcome is added, the compiler reports this struct and every table that
/// lacks a value.
template <typename Value>
struct OutcomeTable {
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

/// Returns the mark that follows the summary of an incompletely read message, such as " [truncated]"; empty for `ok`.
[[nodiscard]] constexpr const char *outcome_mark(Outcome outcome) {
  constexpr OutcomeTable<const char *> marks = {"", " [truncated]", " [malformed]", " [unsupported]",
                                                " [nested too deep]"};
  return marks.of(outcome);
}

}  // namespace godot_codec
