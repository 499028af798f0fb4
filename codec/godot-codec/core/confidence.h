// SPDX-License-Identifier: MIT
/// @file
/// The scale of evidence that bytes belong to a protocol. DialectFit answers another question: how well a dialect can
/// read the bytes.
#pragma once

#include <cstdint>

namespace godot_codec {

/// How strongly bytes suggest that they belong to the protocol in question, weakest first.
enum class Confidence : std::uint8_t {
  none,  ///< the bytes belong to something else
  /// No evidence for or against the protocol: a null, custom payload bytes, or the beginning of a long message.
  neutral,
  weak,    ///< the bytes fit this protocol and others; two such packets of a conversation decide
  strong,  ///< the bytes belong to the protocol
};

}  // namespace godot_codec
