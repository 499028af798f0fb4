// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/signalling.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace godot_codec {
namespace {

// The characters of ICE credentials (RFC 8839, 5.4): letters, digits, + and /.
bool is_ice_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// Returns the first number after a key; 0 if there is no number, or if the number cannot be a peer ID.
std::int32_t read_number_of_key(std::string_view text, std::string_view quoted_key) {
  const std::size_t at = text.find(quoted_key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + quoted_key.size());
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max(number, 0);
}

}  // namespace

SignalledPeer read_signalling(std::string_view text, bool is_from_server) {
  constexpr std::string_view mark = "a=ice-ufrag:";
  const std::size_t at = text.starts_with('{') ? text.find(mark) : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  std::string_view fragment = text.substr(at + mark.size());
  const auto *const end = std::ranges::find_if_not(fragment, is_ice_char);
  fragment = fragment.substr(0, static_cast<std::size_t>(end - fragment.begin()));
  std::int32_t peer = read_number_of_key(text, "\"from\"");
  if (peer == 0 && is_from_server) peer = read_number_of_key(text, "\"id\"");
  return {fragment, peer};
}

// Finds the address in a candidate of the type relay. RFC 8839, 5.1: foundation, component, transport, priority,
// address, port, "typ relay".
std::string_view find_relay_address(std::string_view text) {
  constexpr std::size_t longest = 64;
  const std::size_t at = text.starts_with('{') ? text.find(" typ relay") : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  text = text.substr(0, at);
  for (int words = 0; words < 2; ++words) {
    const std::size_t blank = text.rfind(' ');
    if (blank == std::string_view::npos || text.size() - blank > longest) return {};
    if (words == 1) return text.substr(blank + 1);
    text = text.substr(0, blank);
  }
  return {};
}

}  // namespace godot_codec
