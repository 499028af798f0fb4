// SPDX-License-Identifier: MIT
/// @file
/// Handmade bytes of Godot packets, in strings: numbers, and the Variants that several tests send.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace godot_codec::test {

// ---- hexadecimal

/// Parses pairs of hex digits; ignores spaces.
inline std::string hex(std::string_view digits) {
  std::string bytes;
  std::string pair;
  for (const char c : digits) {
    if (c != ' ') pair += c;
    if (pair.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return bytes;
}

inline std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// ---- numbers

template <typename Number>
std::string little_endian(Number value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i);
  return bytes;
}

template <typename Number>
std::string big_endian(Number value) {
  const std::string bytes = little_endian(value);
  return {bytes.rbegin(), bytes.rend()};
}

// Integers in Godot's byte order.
inline std::string u8(int value) { return {static_cast<char>(value)}; }
inline std::string u16(std::uint16_t value) { return little_endian(value); }
inline std::string u32(std::uint32_t value) { return little_endian(value); }
inline std::string u64(std::uint64_t value) { return little_endian(value); }
inline std::string i32(std::int32_t value) { return little_endian(value); }
inline std::string f32(float value) { return u32(std::bit_cast<std::uint32_t>(value)); }
inline std::string f64(double value) { return u64(std::bit_cast<std::uint64_t>(value)); }

/// Returns a size as u32.
inline std::string u32_size(std::size_t size) { return u32(static_cast<std::uint32_t>(size)); }

// ---- Variants, with the type numbers of Godot 4

inline std::string joined(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts) all += part;
  return all;
}

/// Returns a text inside a Variant: length, bytes, and padding to four bytes.
inline std::string text(const std::string &value, char padding = '\0') {
  return u32_size(value.size()) + value + std::string((4 - value.size() % 4) % 4, padding);
}

inline std::string nil() { return u32(0); }
inline std::string boolean(bool value) { return u32(1) + u32(value ? 1 : 0); }
inline std::string integer(std::int32_t value) { return u32(2) + i32(value); }
inline std::string string(const std::string &value) { return u32(4) + text(value); }

inline std::string array(const std::vector<std::string> &elements) {
  return u32(28) + u32_size(elements.size()) + joined(elements);
}

using Entries = std::vector<std::pair<std::string, std::string>>;

inline std::string dictionary(const Entries &entries) {
  std::string bytes = u32(27) + u32_size(entries.size());
  for (const auto &[key, value] : entries) bytes += key + value;
  return bytes;
}

inline std::string object(const std::string &class_name, const Entries &properties) {
  std::string bytes = u32(24) + text(class_name) + u32_size(properties.size());
  for (const auto &[name, value] : properties) bytes += text(name) + value;
  return bytes;
}

// ---- messages of Godot 4's multiplayer

inline std::string zero_terminated(std::string_view value) { return std::string(value) + '\0'; }

inline constexpr std::string_view md5_of_no_methods = "d41d8cd98f00b204e9800998ecf8427e";

/// Announces the id of a path. @param md5 of the node's method list
inline std::string simplify_path(std::uint32_t id, std::string_view path, std::string_view md5 = md5_of_no_methods) {
  return hex("01") + zero_terminated(md5) + u32(id) + zero_terminated(path);
}

/// Returns a packet with its length prefix, as in a stream.
inline std::string in_stream(const std::string &packet) { return u32_size(packet.size()) + packet; }

}  // namespace godot_codec::test
