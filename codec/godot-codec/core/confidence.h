// SPDX-License-Identifier: MIT
/// @file
/// The scale of evidence that bytes belong to a protocol. (How well a dialect can read them is a different question:
/// see DialectFit.)
#pragma once

#include <cstdint>

namespace godot_codec {

/// How strongly bytes suggest that they belong to the protocol in question, weakest first.
enum class Confidence : std::uint8_t {
  none,  ///< they belong to something else
  /// No evidence for or against: a null, custom payload bytes, or the beginning of a long message.
  neutral,
  weak,    ///< they fit the protocol but may belong to another one; two such packets of a conversation are enough
  strong,  ///< they belong to the protocol
};

}  // namespace godot_codec
