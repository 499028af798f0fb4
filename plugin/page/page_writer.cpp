// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <string_view>
#include <utility>

#include "plugin/page/match_collector.h"
#include "plugin/page/match_page.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

constexpr std::string_view policy_mark = "@CSP@";
constexpr std::string_view data_mark = "@DATA@";

std::string encode_base64(std::string_view bytes) {
  char *text = g_base64_encode(reinterpret_cast<const guchar *>(bytes.data()), bytes.size());
  std::string result = text;
  g_free(text);
  return result;
}

// Returns the hash of an element's text, in the format of a content security policy.
std::string hash_element(std::string_view page, std::string_view begin, std::string_view end) {
  const std::size_t first = page.find(begin) + begin.size();
  const std::string_view text = page.substr(first, page.find(end, first) - first);
  GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, reinterpret_cast<const guchar *>(text.data()), static_cast<gssize>(text.size()));
  constexpr std::size_t hash_size = 32;
  char hash[hash_size];
  gsize size = hash_size;
  g_checksum_get_digest(checksum, reinterpret_cast<guint8 *>(hash), &size);
  g_checksum_free(checksum);
  return "'sha256-" + encode_base64({hash, size}) + "'";
}

// Returns a content security policy that allows only the page's own script and style, and no requests.
std::string content_security_policy(std::string_view page) {
  return "default-src 'none'; script-src " + hash_element(page, "<script>", "</script>") + "; style-src " +
         hash_element(page, "<style>", "</style>") + "; base-uri 'none'; form-action 'none'";
}

std::string problems_json() {
  using enum ProblemRow::Column;
  constexpr std::pair<ProblemRow::Column, const char *> shown_columns[] = {
      {problem_column, "words"}, {from_column, "from"}, {to_column, "to"},         {count_column, "count"},
      {first_column, "first"},   {last_column, "last"}, {filter_column, "filter"}, {advice_column, "advice"}};
  return json_array(page_problem_rows(), [&](const ProblemRow &row) {
    JsonMembers members;
    for (const auto &[column, name] : shown_columns) {
      const auto &cell = row.cells[column];
      const bool is_text = cell.type == TABLE_ITEM_STRING;
      members.emplace_back(name,
                           is_text ? json_string(cell.value.string_value) : std::to_string(cell.value.uint_value));
    }
    members.emplace_back("frames", json_array(row.frames, [](std::uint32_t frame) { return std::to_string(frame); }));
    return json_object(members);
  });
}

// Returns the JSON head in one line, then one line for each column: name, type, count, base64.
std::string data_text(MatchCollector &match, const std::string &name) {
  JsonMembers members = match.head();
  members.emplace_back("problems", problems_json());
  members.emplace_back("library", has_page_library() ? "true" : "false");
  members.emplace_back("version", json_string(GODOT_PLUGIN_VERSION));
  char *title = g_filename_display_basename(name.c_str());
  members.emplace_back("file", json_string(title));
  g_free(title);
  const std::string head = json_object(members);
  CompressedBytes packed;
  packed.append(std::as_bytes(std::span(head)));
  std::string text = "head json " + std::to_string(head.size()) + " " + encode_base64(packed.finish_compression());
  for (PageColumn *column : match.columns()) {
    text.append("\n").append(column->name()).append(" ").append(column->type()).append(" ");
    text.append(std::to_string(column->count())).append(" ").append(encode_base64(column->finish_compression()));
  }
  return text;
}

}  // namespace

std::string write_page(MatchCollector &match, const std::string &name) {
  const std::string_view page = page_template();
  const std::size_t policy_at = page.find(policy_mark);
  const std::size_t after_policy = policy_at + policy_mark.size();
  const std::size_t data_at = page.find(data_mark);
  std::string html(page.substr(0, policy_at));
  html.append(content_security_policy(page)).append(page.substr(after_policy, data_at - after_policy));
  html.append(data_text(match, name)).append(page.substr(data_at + data_mark.size()));
  GError *error = nullptr;
  if (g_file_set_contents(name.c_str(), html.data(), static_cast<gssize>(html.size()), &error) != 0) return {};
  std::string message = error->message;
  g_error_free(error);
  return message;
}

}  // namespace godot_plugin
