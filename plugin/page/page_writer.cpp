// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib/gstdio.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "plugin/page/match_collector.h"
#include "plugin/page/match_page.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

constexpr std::string_view policy_mark = "@CSP@";
constexpr std::string_view data_mark = "@DATA@";

// The output file. Remembers the first error.
class OutputFile {
 public:
  explicit OutputFile(const std::string &name)
      : file_(g_fopen(name.c_str(), "wb")), error_(file_ == nullptr ? errno : 0) {}
  ~OutputFile() { close(); }
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(std::string_view text) {
    if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
  }
  /// @returns 0, or errno of the first error
  int close() {
    if (file_ != nullptr && std::fclose(file_) != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
    return error_;
  }

 private:
  FILE *file_;
  int error_;
};

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
  std::string json = "[";
  for (const ProblemRow &row : page_problem_rows()) {
    json.append(json.size() > 1 ? "," : "");
    json.append("{\"words\":").append(json_string(row.text));
    json.append(",\"from\":").append(json_string(row.from));
    json.append(",\"to\":").append(json_string(row.to));
    json.append(",\"count\":").append(std::to_string(row.count));
    json.append(",\"first\":").append(std::to_string(row.first_frame));
    json.append(",\"last\":").append(std::to_string(row.last_frame));
    json.append(",\"filter\":").append(json_string(row.filter));
    json.append(",\"advice\":").append(json_string(row.advice));
    json.append(",\"frames\":[");
    if (row.frames != nullptr) {
      for (const std::uint32_t frame : *row.frames)
        json.append(json.ends_with('[') ? "" : ",").append(std::to_string(frame));
    }
    json.append("]}");
  }
  return json + "]";
}

std::string display_name_of(const std::string &path) {
  char *base = g_path_get_basename(path.c_str());
  char *display = g_filename_display_name(base);
  std::string name = display;
  g_free(display);
  g_free(base);
  return name;
}

// Writes the JSON head in one line, then one line for each column: name, type, count, base64.
void write_data(OutputFile &file, MatchCollector &match, const std::string &name) {
  const std::string head =
      "{" + match.finish_head_json() + ",\"problems\":" + problems_json() +
      ",\"library\":" + (has_page_library() ? "true" : "false") + ",\"version\":" + json_string(GODOT_PLUGIN_VERSION) +
      ",\"file\":" + json_string(match.capture_name().empty() ? display_name_of(name) : match.capture_name()) + "}";
  CompressedBytes packed;
  packed.append(std::as_bytes(std::span(head)));
  file.write("head json " + std::to_string(head.size()) + " " + encode_base64(packed.finish_compression()));
  for (PageColumn *column : match.columns()) {
    file.write("\n" + std::string(column->name()) + " " + std::string(column->type()) + " " +
               std::to_string(column->count()) + " " + encode_base64(column->finish_compression()));
  }
}

}  // namespace

std::string write_page(MatchCollector &match, const std::string &name) {
  const std::string_view page = page_template();
  const std::string_view data_of = page.substr(0, page.find(data_mark));
  const std::size_t policy_at = page.find(policy_mark);
  const std::string unfinished = name + ".part";
  OutputFile file(unfinished);
  file.write(page.substr(0, policy_at));
  file.write(content_security_policy(page));
  file.write(data_of.substr(policy_at + policy_mark.size()));
  write_data(file, match, name);
  file.write(page.substr(data_of.size() + data_mark.size()));
  int error = file.close();
  if (error == 0 && g_rename(unfinished.c_str(), name.c_str()) != 0) error = errno;
  if (error == 0) return {};
  g_unlink(unfinished.c_str());
  return name + ": " + g_strerror(error);
}

}  // namespace godot_plugin
