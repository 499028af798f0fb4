// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Runs tshark with the plugin on a capture, and reads what it prints.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"

namespace godot_codec::test {

/// Runs tshark and returns its output. Expects that it ends well, complains of nothing, met no bug in a dissector, and
/// prints valid UTF-8 without characters that a terminal would act on.
std::string tshark(const std::filesystem::path &capture, const std::vector<std::string> &options,
                   const Limits &limits = {});

/// Separates the occurrences of a field in one frame. No value holds it: the plugin escapes it.
inline constexpr char between_occurrences = '\x1f';

/// One row for each frame that passes the options' filter: the values of the fields asked for.
std::vector<std::vector<std::string>> read_fields(const std::filesystem::path &capture,
                                                  const std::vector<std::string> &options,
                                                  const std::vector<std::string> &fields, const Limits &limits = {});

std::vector<std::string> split(std::string_view text, char separator);

/// A bool as 4.0 prints it, or later releases.
inline bool is_true(const std::string &text) { return text == "1" || text == "True"; }

std::vector<std::string> lines_of(std::string_view text);

/// A node of the packet details, as tshark's PDML has it.
struct Item {
  std::string name;   ///< the field's, or the protocol's
  std::string label;  ///< the text in the tree
  std::string show;   ///< the value as text
  std::string bytes;  ///< the bytes it stands for, in hexadecimal
  std::size_t position = 0;
  std::size_t size = 0;
  std::vector<Item> children;

  /// The first child of that name, or null.
  [[nodiscard]] const Item *child(std::string_view name) const;
  /// The first child's text; empty where there is none.
  [[nodiscard]] std::string child_text(std::string_view name) const;
};

/// Calls @p visit for the item and all below it, in the order of the tree; below those for which it returns false,
/// it does not go.
void walk(const Item &item, const std::function<bool(const Item &)> &visit);

/// Values of all items of that name, the item itself included, in the order of the tree.
std::vector<std::string> find_all(const Item &item, std::string_view name);

/// One item for each frame; its children are the protocols.
std::vector<Item> read_details(const std::filesystem::path &capture, const std::vector<std::string> &options,
                               const Limits &limits = {});

}  // namespace godot_codec::test
