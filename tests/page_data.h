// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads the data of a match page in the same way as page/data.js.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tshark.h"

namespace godot_codec::test {

/// A JSON value; numbers and literals are kept as text.
struct Json {
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> members;

  [[nodiscard]] const Json &at(const std::string &name) const { return members.at(name); }
  [[nodiscard]] double number() const { return std::strtod(text.c_str(), nullptr); }
};

/// Parses a value that the plugin wrote, without whitespace.
inline Json read_json(std::string_view &rest) {
  const auto take = [&] {
    const char c = rest.at(0);
    rest.remove_prefix(1);
    return c;
  };
  Json json;
  const char first = rest.at(0);
  if (first == '"') {
    for (take(); rest.at(0) != '"'; json.text += take()) {
      if (rest.at(0) == '\\') take();
    }
    take();
  } else if (first == '[' || first == '{') {
    take();
    while (rest.at(0) != ']' && rest.at(0) != '}') {
      const std::string name = first == '{' ? read_json(rest).text : "";
      if (first == '{') take();
      (first == '{' ? json.members[name] : json.items.emplace_back()) = read_json(rest);
      if (rest.at(0) == ',') take();
    }
    take();
  } else {
    while (!rest.empty() && std::string_view(",]}").find(rest[0]) == std::string_view::npos) json.text += take();
  }
  return json;
}

/// The head and the columns of a match page.
struct PageData {
  Json head;
  std::map<std::string, std::vector<double>> columns;
  std::map<std::string, std::string> bytes;  ///< the undecoded columns

  [[nodiscard]] const std::vector<double> &operator[](const std::string &name) const { return columns.at(name); }
  [[nodiscard]] std::string text(double number) const {
    const std::vector<double> &ends = (*this)["text.ends"];
    const auto index = static_cast<std::size_t>(number);
    const double begin = index == 0 ? 0 : ends.at(index - 1);
    return bytes.at("text.bytes")
        .substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends.at(index) - begin));
  }
};

inline std::string unpacked(std::string_view base64) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string packed;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) >= 8) packed += static_cast<char>(bits >> (count -= 8));
  }
  std::string out;
  std::vector<char> buffer(std::size_t{1} << 20);
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  for (int status = Z_OK; status == Z_OK;) {
    stream.next_out = reinterpret_cast<Bytef *>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    EXPECT_GE(status, Z_OK);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return out;
}

template <typename Number>
std::vector<double> numbers_of(std::string_view bytes, bool is_rising) {
  std::vector<double> numbers;
  Number last{};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    last = static_cast<Number>(is_rising ? last + number : number);
    numbers.push_back(static_cast<double>(last));
  }
  return numbers;
}

inline PageData read_page(const std::filesystem::path &path) {
  PageData page;
  constexpr std::string_view begin = "<script type=\"text/plain\" id=\"data\">";
  const std::string html = read_file(path);
  const std::size_t start = html.find(begin) + begin.size();
  for (const std::string &line : split(html.substr(start, html.find('<', start) - start), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    const std::string bytes = unpacked(words.at(3));
    if (words[1] == "json") {
      std::string_view rest = bytes;
      page.head = read_json(rest);
      continue;
    }
    const bool is_rising = words[1][0] == '+';
    const std::string type = words[1].substr(is_rising ? 1 : 0);
    std::vector<double> &column = page.columns[words[0]];
    if (type == "u8") column = numbers_of<std::uint8_t>(bytes, false);
    if (type == "u16") column = numbers_of<std::uint16_t>(bytes, false);
    if (type == "u32") column = numbers_of<std::uint32_t>(bytes, is_rising);
    if (type == "i32") column = numbers_of<std::int32_t>(bytes, false);
    if (type == "f32") column = numbers_of<float>(bytes, false);
    if (type == "f64") column = numbers_of<double>(bytes, false);
    EXPECT_EQ(column.size(), std::stoul(words[2])) << words[0];
    page.bytes[words[0]] = bytes;
  }
  return page;
}

}  // namespace godot_codec::test
