// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What the Info column says of an outcome, for all protocols.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_plugin {

/// What stands behind a sentence about something that could not be read to its end; empty if it could.
[[nodiscard]] constexpr const char *mark_of(godot_codec::Outcome outcome) {
  switch (outcome) {
    case godot_codec::Outcome::ok:
      return "";
    case godot_codec::Outcome::truncated:
      return " [truncated]";
    case godot_codec::Outcome::unsupported:
      return " [unsupported]";
    case godot_codec::Outcome::over_limit:
      return " [nested too deep]";
    case godot_codec::Outcome::malformed:
      break;
  }
  return " [malformed]";
}

}  // namespace godot_plugin
