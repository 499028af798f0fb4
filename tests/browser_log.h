// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads the logs in which the peers of a browser game recorded what they sent and received: tests/data/web_*.jsonl,
/// written by captures/projects/web.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {

inline std::filesystem::path web_data(const std::string &name) {
  return std::filesystem::path(GODOT_TESTS_DIR) / "data" / name;
}

using LoggedEvent = std::map<std::string, std::string>;

// Parses a flat JSON object whose strings contain no quotes.
inline LoggedEvent parse_logged_event(std::string_view line) {
  LoggedEvent logged;
  for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at)) {
    const std::size_t name_end = line.find('"', at + 1);
    const std::size_t value = name_end + 2;
    const bool is_text = line[value] == '"';
    const std::size_t end = is_text ? line.find('"', value + 1) : line.find_first_of(",}", value);
    const std::size_t start = is_text ? value + 1 : value;
    logged[std::string(line.substr(at + 1, name_end - at - 1))] = line.substr(start, end - start);
    at = end + 1;
  }
  return logged;
}

inline std::vector<LoggedEvent> read_logged_events(const std::string &name) {
  std::vector<LoggedEvent> all;
  for (const std::string &line : lines_of(read_file(web_data(name + ".jsonl")))) {
    if (!line.empty()) all.push_back(parse_logged_event(line));
  }
  return all;
}

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Decodes one of the Variants that the scenarios send, and writes it as the plugin does.
inline std::string text_of(const std::string &bytes, std::size_t &at) {
  const std::uint32_t header = read_u32(bytes, at);
  at += 4;
  const auto next = [&] {
    at += 4;
    return read_u32(bytes, at - 4);
  };
  const auto real = [&] { return std::bit_cast<float>(next()); };
  switch (header & 0xff) {
    case 2:
      return std::to_string(static_cast<std::int32_t>(next()));
    case 3: {
      const std::string value = number(real());
      return value.find('.') == std::string::npos ? value + ".0" : value;
    }
    case 4: {
      const std::uint32_t length = next();
      const std::string text = bytes.substr(at, length);
      at += (length + 3) / 4 * 4;
      return '"' + text + '"';
    }
    case 5: {
      const std::string x = number(real());
      return '(' + x + ", " + number(real()) + ')';
    }
    case 29: {
      const std::uint32_t length = next();
      at += (length + 3) / 4 * 4;
      return std::to_string(length) + " bytes";
    }
    default:
      return "?";
  }
}

// Splits the text of an Array into its elements.
inline std::vector<std::string> values_of(const std::string &array) {
  std::vector<std::string> values;
  std::size_t at = 8;
  for (std::uint32_t i = 0; i < read_u32(array, 4); ++i) values.push_back(text_of(array, at));
  return values;
}

}  // namespace godot_codec::test
