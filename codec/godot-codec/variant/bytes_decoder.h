// SPDX-License-Identifier: MIT
/// @file
/// Interface to a decoder of the bytes in a PackedByteArray, so that the text of a Variant can show what they contain.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

class BytesDecoder {
 public:
  /// Appends text such as `{hp: 87, inv: ["sword"]} in 61 bytes`.
  /// @returns false, and appends nothing, if the bytes contain no known format
  virtual bool append_decoded(TextBuffer &text, Bytes bytes) const = 0;
  /// Returns strong if the bytes contain an unambiguous Variant: alone, after a length or other bytes, in a sequence of
  /// Variants, or compressed. Otherwise returns none.
  [[nodiscard]] virtual Confidence confidence(Bytes bytes) const = 0;

 protected:
  ~BytesDecoder() = default;
};

/// Appends text such as "Raw {hp: 87} in 20 bytes".
/// @param reader null: the bytes are not decoded
/// @returns false, and appends nothing, if the bytes contain no known format or only text. Then use append_raw_bytes()
bool append_raw_decoded(TextBuffer &text, Bytes bytes, const BytesDecoder *reader);

}  // namespace godot_codec
