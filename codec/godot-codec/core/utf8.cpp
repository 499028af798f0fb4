// SPDX-License-Identifier: MIT
#include "godot-codec/core/utf8.h"

namespace godot_codec {
namespace {

// Length of the UTF-8 sequence that starts with a lead byte, and the range of its second byte. (Unicode, table 3-7)
struct Utf8Lead {
  std::size_t length;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

constexpr Utf8Lead classify_lead_byte(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) {
  const Utf8Lead lead = text.empty() ? Utf8Lead{0, 0, 0} : classify_lead_byte(static_cast<std::uint8_t>(text[0]));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte < (i == 1 ? lead.second_min : 0x80) || byte > (i == 1 ? lead.second_max : 0xbf)) return 0;
  }
  return lead.length;
}

bool is_valid_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace godot_codec
