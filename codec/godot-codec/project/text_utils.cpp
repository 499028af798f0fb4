// SPDX-License-Identifier: MIT
#include "godot-codec/project/text_utils.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace godot_codec::project {
namespace {

constexpr std::string_view resources = "res://";
constexpr std::uint32_t replacement = 0xfffd;

// Takes the hexadecimal digits of \uXXXX or \UXXXXXX.
// @returns false if fewer than @p digits digits follow
bool take_hex_digits(std::string_view &text, std::size_t digits, std::uint32_t &code) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, code, 16);
  if (error != std::errc() || end != text.data() + digits) return false;
  text.remove_prefix(digits);
  return true;
}

void append_unicode_escape(std::string &out, std::string_view &text, std::size_t digits) {
  std::uint32_t code = replacement;
  take_hex_digits(text, digits, code);
  if (code >= 0xd800 && code < 0xdc00 && text.starts_with("\\u")) {
    std::string_view rest = text.substr(2);
    std::uint32_t low = 0;
    if (take_hex_digits(rest, 4, low) && low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      text = rest;
    }
  }
  append_utf8(out, code);
}

// Takes the characters after a backslash, and appends the character that they represent.
void append_escape(std::string &out, std::string_view &text) {
  constexpr std::string_view letters = "abfnrtv";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v";
  const char letter = text.front();
  text.remove_prefix(1);
  if (letter == 'u' || letter == 'U') {
    append_unicode_escape(out, text, letter == 'u' ? 4 : 6);
  } else if (const std::size_t index = letters.find(letter); index != std::string_view::npos) {
    out.push_back(meanings[index]);
  } else if (letter == '\r' && text.starts_with('\n')) {
    text.remove_prefix(1);
  } else if (letter != '\n') {
    out.push_back(letter);
  }
}

}  // namespace

void append_utf8(std::string &text, std::uint32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = replacement;
  constexpr std::array<std::uint32_t, 4> first_bytes = {0, 0xc0, 0xe0, 0xf0};  // by number of continuation bytes
  std::size_t rest = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text.push_back(static_cast<char>(first_bytes[rest] | code >> 6 * rest));
  while (rest-- > 0) text.push_back(static_cast<char>(0x80 | (code >> 6 * rest & 0x3f)));
}

std::string unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t backslash = std::min(text.find('\\'), text.size());
    out.append(text.substr(0, backslash));
    text.remove_prefix(backslash);
    if (text.size() < 2) break;
    text.remove_prefix(1);
    append_escape(out, text);
  }
  return out;
}

std::string resolve_path(std::string_view path, std::string_view file) {
  if (path.find("://") != std::string_view::npos && !path.starts_with(resources)) return std::string(path);
  std::vector<std::string_view> parts;
  const auto add = [&parts](std::string_view part) {
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  };
  if (path.starts_with(resources)) {
    path.remove_prefix(resources.size());
  } else if (file.starts_with(resources)) {
    for_each_part(file.substr(resources.size()), '/', add);
    if (!parts.empty()) parts.pop_back();
  }
  for_each_part(path, '/', add);
  std::string resolved(resources);
  for (const std::string_view part : parts) {
    if (resolved.size() > resources.size()) resolved.push_back('/');
    resolved.append(part);
  }
  return resolved;
}

std::string remove_parent_steps(std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  const std::string_view node = path.substr(0, path.find(':'));
  std::vector<std::string_view> parts;
  for_each_part(node, '/', [&parts](std::string_view part) {
    const bool is_detour = part == ".." && !parts.empty() && parts.back() != ".." && !parts.back().starts_with('%');
    if (is_detour) {
      parts.pop_back();
    } else if (part != ".") {
      parts.push_back(part);
    }
  });
  std::string result;
  for (const std::string_view part : parts) {
    if (!result.empty()) result.push_back('/');
    result.append(part);
  }
  if (result.empty()) result.push_back('.');
  return result.append(path.substr(node.size()));
}

std::string extension_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || path.find('/', dot) != std::string_view::npos) return {};
  std::string extension(path.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace godot_codec::project
