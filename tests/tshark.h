// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Runs tshark with the plugin on a capture, and reads what it prints.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"

namespace godot_codec::test {

/// Runs tshark and returns its output. Expects that tshark succeeds, prints no warning, reports no dissector bug, and
/// prints valid UTF-8 without characters that control a terminal.
std::string tshark(const std::filesystem::path &capture, const std::vector<std::string> &options,
                   const Limits &limits = {});

/// Separates the occurrences of a field in one frame. No value contains it, because the plugin escapes it.
inline constexpr char between_occurrences = '\x1f';

/// Returns the values of the requested fields: one row for each frame that passes the filter in the options.
std::vector<std::vector<std::string>> read_fields(const std::filesystem::path &capture,
                                                  const std::vector<std::string> &options,
                                                  const std::vector<std::string> &fields, const Limits &limits = {});

std::vector<std::string> split(std::string_view text, char separator);

/// Parses a bool as Wireshark 4.0 ("1") or a later release ("True") prints it.
inline bool is_true(const std::string &text) { return text == "1" || text == "True"; }

std::vector<std::string> lines_of(std::string_view text);

/// A node of the packet details, as tshark's PDML has it.
struct Item {
  std::string name;   ///< name of the field or protocol
  std::string label;  ///< text in the tree
  std::string show;   ///< value as text
  std::string bytes;  ///< covered bytes, in hexadecimal
  std::size_t position = 0;
  std::size_t size = 0;
  std::vector<Item> children;

  /// Returns the first child of that name, or null.
  [[nodiscard]] const Item *child(std::string_view name) const;
  /// Returns the text of the first child of that name; empty if no child has it.
  [[nodiscard]] std::string child_text(std::string_view name) const;
};

/// Returns the name of a capture in a form that may be the name of a test.
template <typename Capture>
std::string name_of(const testing::TestParamInfo<Capture> &info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

/// Calls @p visit for the item and all its descendants, in tree order. If it returns false for an item, skips the
/// item's descendants.
void walk(const Item &item, const std::function<bool(const Item &)> &visit);

/// Returns the first item of that name in tree order, which may be the item itself; null if no item has it.
const Item *find_item(const Item &item, std::string_view name);

/// Returns the values of all items of that name in tree order, including the item itself.
std::vector<std::string> find_all(const Item &item, std::string_view name);

/// Returns one item for each frame; its children are the protocols.
std::vector<Item> read_details(const std::filesystem::path &capture, const std::vector<std::string> &options,
                               const Limits &limits = {});

}  // namespace godot_codec::test
