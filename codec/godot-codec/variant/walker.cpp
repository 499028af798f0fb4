// SPDX-License-Identifier: MIT
#include "godot-codec/variant/walker.h"

namespace godot_codec {

std::string_view engine_text(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(0, text.find('\0'));
}

bool is_utf8_up_to_zero(std::string_view text) {
  return is_valid_utf8(text) || is_valid_utf8(text.substr(0, text.find('\0')));
}

WalkResult check_variant(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options) {
  VariantSink sink;
  return walk_variant(bytes, offset, encoding, options, sink);
}

}  // namespace godot_codec
