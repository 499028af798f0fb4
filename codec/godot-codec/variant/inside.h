// SPDX-License-Identifier: MIT
/// @file
/// Whoever can tell what the bytes of a PackedByteArray hold: texts of Variants then show that.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

class BytesReader {
 public:
  /// Appends `{hp: 87, inv: ["sword"]} in 61 bytes`. @returns false, and appends nothing, where nothing is found
  virtual bool append_inside(TextBuffer &text, Bytes bytes) const = 0;
  /// Judges bytes by what they hold: strong where a Variant that leaves no doubt lies in them, behind a length or other
  /// bytes, in a row with others, or compressed; else none.
  [[nodiscard]] virtual Confidence confidence(Bytes bytes) const = 0;

 protected:
  ~BytesReader() = default;
};

/// Appends "Raw {hp: 87} in 20 bytes". @param reader null: nobody can tell @returns false, and appends nothing, where
/// nothing is found, or a text alone: append_raw_bytes() writes that
bool append_raw_inside(TextBuffer &text, Bytes bytes, const BytesReader *reader);

}  // namespace godot_codec
