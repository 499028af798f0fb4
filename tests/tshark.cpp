// SPDX-License-Identifier: GPL-2.0-or-later
#include "tshark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace fs = std::filesystem;

namespace godot_codec::test {
namespace {

// --- Output of tshark ------------------------------------------------------------------------------------------

// Returns the next UTF-8 code point, or -1 for an invalid sequence.
long next_code_point(std::string_view &text) {
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t length = 0;
  if (first < 0x80) {
    length = 1;
  } else if (first >= 0xc2 && first < 0xe0) {
    length = 2;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4;
  }
  if (length == 0 || length > text.size()) return -1;
  long code = length == 1 ? first : first & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return -1;
    code = code << 6 | (next & 0x3f);
  }
  text.remove_prefix(length);
  return code;
}

bool acts_on_terminal(long code) {
  if (code == '\n' || code == '\t' || code == between_occurrences) return false;
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  const bool is_bidirectional = code == 0x61c || code == 0x200e || code == 0x200f ||
                                (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || is_line_end || is_bidirectional;
}

void expect_harmless(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t offset = text.size() - rest.size();
    const long code = next_code_point(rest);
    if (code >= 0 && !acts_on_terminal(code)) continue;
    const std::size_t start = std::min(offset, std::size_t{80});
    ADD_FAILURE() << (code < 0 ? "invalid UTF-8" : "a character that a terminal acts on: U+") << std::hex << code
                  << " after: " << text.substr(offset - start, start);
    return;
  }
}

// --- PDML ------------------------------------------------------------------------------------------------------

std::string unescape(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {{"&amp;", '&'},  {"&lt;", '<'},    {"&gt;", '>'},
                                                            {"&quot;", '"'}, {"&#x27;", '\''}, {"&apos;", '\''}};
  std::string result;
  while (true) {
    const std::size_t start = text.find('&');
    result += text.substr(0, start);
    if (start == std::string_view::npos) return result;
    text.remove_prefix(start);
    const auto *const entity =
        std::ranges::find_if(entities, [text](const auto &each) { return text.starts_with(each.first); });
    const bool is_known = entity != std::end(entities);
    result += is_known ? entity->second : '&';
    text.remove_prefix(is_known ? entity->first.size() : 1);
  }
}

std::string attribute(std::string_view tag, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const std::size_t found = tag.find(start);
  if (found == std::string_view::npos) return {};
  tag.remove_prefix(found + start.size());
  return unescape(tag.substr(0, tag.find('"')));
}

std::size_t number(const std::string &text) { return text.empty() ? 0 : std::stoul(text); }

// Removes the mark of a truncated label. 4.4 puts it before the label, 4.6 also after the field name, and 4.0 has no
// mark.
std::string without_cut_mark(std::string label) {
  constexpr std::string_view in_front = "[…] ";
  constexpr std::string_view behind_name = " […]: ";
  if (WIRESHARK_RELEASE >= 44 && label.starts_with(in_front)) label.erase(0, in_front.size());
  const std::size_t found = label.find(behind_name);
  if (WIRESHARK_RELEASE >= 46 && found < label.find(':')) label.replace(found, behind_name.size(), ": ");
  return label;
}

Item parse_item(std::string_view tag) {
  Item item;
  item.name = attribute(tag, "name");
  item.label = without_cut_mark(attribute(tag, "showname"));
  item.show = attribute(tag, "show");
  // For a field with a bit mask, `value` has only the bits, and `unmaskedvalue` the bytes.
  item.bytes = attribute(tag, "unmaskedvalue");
  if (item.bytes.empty()) item.bytes = attribute(tag, "value");
  item.position = number(attribute(tag, "pos"));
  item.size = number(attribute(tag, "size"));
  return item;
}

std::vector<Item> parse_pdml(std::string_view text) {
  std::vector<Item> frames;
  std::vector<Item *> open;  // each is the last child of the previous one, or the same item: items do not move
  while (true) {
    const std::size_t start = text.find('<');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start + 1);
    const std::size_t end = text.find('>');
    const std::string_view tag = text.substr(0, end);
    text.remove_prefix(std::min(end, text.size()));
    const bool is_item = tag.starts_with("proto ") || tag.starts_with("field ");
    if (tag == "packet") {
      frames.emplace_back();
      open = {&frames.back()};
    } else if (tag.find("name=\"godot_mp.header\"") != std::string_view::npos && !open.empty()) {
      open.push_back(open.back());  // only groups its children
    } else if (is_item && !open.empty()) {
      open.back()->children.push_back(parse_item(tag));
      if (!tag.ends_with('/')) open.push_back(&open.back()->children.back());
    } else if ((tag == "/proto" || tag == "/field" || tag == "/packet") && !open.empty()) {
      open.pop_back();
    }
  }
  return frames;
}

// Since 4.4, `-T fields` doubles the backslashes of a text.
std::string with_single_backslashes(const std::string &line) {
  if (WIRESHARK_RELEASE < 44) return line;
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    result += line[i];
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\\') ++i;
  }
  return result;
}

}  // namespace

std::string tshark(const fs::path &capture, const std::vector<std::string> &options, const Limits &limits) {
  const Output output = run(TSHARK, Texts{"-n", "-r", capture.string()} + options, limits);
  std::string command = capture.filename().string();
  for (const std::string &option : options) command += " " + option;
  SCOPED_TRACE(command);
  EXPECT_TRUE(output.exited) << "killed by signal " << output.status << ", after a time limit perhaps";
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(output.out.find("Dissector bug"), std::string::npos);
  expect_harmless(output.out);
  return output.out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::vector<std::string>> read_fields(const fs::path &capture, const std::vector<std::string> &options,
                                                  const std::vector<std::string> &fields, const Limits &limits) {
  std::vector<std::string> all = {"-T", "fields",       "-E", "separator=/t",
                                  "-E", "occurrence=a", "-E", std::string("aggregator=") + between_occurrences};
  for (const std::string &field : fields) all = std::move(all) + Texts{"-e", field};
  std::vector<std::vector<std::string>> rows;
  for (const std::string &line : lines_of(tshark(capture, std::move(all) + options, limits))) {
    rows.push_back(split(with_single_backslashes(line), '\t'));
    EXPECT_EQ(rows.back().size(), fields.size()) << line;
    rows.back().resize(fields.size());
  }
  return rows;
}

const Item *Item::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &Item::name);
  return found == children.end() ? nullptr : &*found;
}

std::string Item::child_text(std::string_view wanted) const {
  const Item *const found = child(wanted);
  return found == nullptr ? std::string() : found->show;
}

void walk(const Item &item, const std::function<bool(const Item &)> &visit) {
  if (!visit(item)) return;
  for (const Item &each : item.children) walk(each, visit);
}

const Item *find_item(const Item &item, std::string_view name) {
  const Item *found = nullptr;
  walk(item, [&found, name](const Item &each) {
    if (found == nullptr && each.name == name) found = &each;
    return found == nullptr;
  });
  return found;
}

std::vector<std::string> find_all(const Item &item, std::string_view name) {
  std::vector<std::string> found;
  walk(item, [&found, name](const Item &each) {
    if (each.name == name) found.push_back(each.show);
    return true;
  });
  return found;
}

std::vector<Item> read_details(const fs::path &capture, const std::vector<std::string> &options, const Limits &limits) {
  return parse_pdml(tshark(capture, Texts{"-T", "pdml"} + options, limits));
}

}  // namespace godot_codec::test
