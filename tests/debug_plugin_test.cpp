// SPDX-License-Identifier: GPL-2.0-or-later
// The remote debugger in tshark: captures of real games compared with what the debugger recorded (captures/README.md),
// and handmade messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "unknown_type.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::size_t number(const std::string &text) { return static_cast<std::size_t>(std::stoull(text)); }

constexpr std::uint16_t debugger_port = 6007;
constexpr std::uint16_t other_port = 7777;
const Texts only_debugger = {"-Y", "godot_debug"};

// --- Captures --------------------------------------------------------------------------------------------------

struct Capture {
  std::string name;

  [[nodiscard]] fs::path path() const { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

const Capture script4 = {"debug_script_godot4.6"};
const Capture script3 = {"debug_script_godot3.6"};
const Capture editor4 = {"debug_editor_godot4.6"};
const Capture scripts[] = {{"debug_script_godot3.2.3"}, script3, script4};
const Capture all_captures[] = {{"debug_script_godot3.2.3"}, script3, script4, editor4};

// Returns the process id of the recorded game from its log: "game<TAB>set_pid<TAB>1<TAB>PID".
std::string process_id(const Capture &capture) {
  for (const std::string &line : lines_of(read_file(fs::path(capture.path()).replace_extension("expected")))) {
    const Texts columns = split(line, '\t');
    if (columns.size() == 4 && columns[1] == "set_pid") return columns[3];
  }
  ADD_FAILURE() << "no process id";
  return {};
}

Pcap frames_of(const Capture &capture) { return pcap_of(capture.path()); }

// Returns the capture with the debugger on another port.
Pcap with_debugger_port(Pcap pcap, std::uint16_t port) {
  constexpr std::size_t tcp_start = 14 + 20;  // after Ethernet and IPv4 without options
  for (std::string &frame : pcap.frames) {
    for (const std::size_t offset : {tcp_start, tcp_start + 2}) {
      if (frame.substr(offset, 2) == big_endian(debugger_port)) frame.replace(offset, 2, big_endian(port));
    }
  }
  return pcap;
}

// --- The debugger's record -------------------------------------------------------------------------------------

struct Expected {
  std::string from;
  std::string name;
  std::string thread;  // empty for Godot 3; "-" if unknown
  Texts arguments;
};

std::ostream &operator<<(std::ostream &stream, const Expected &expected) {
  return stream << expected.from << ' ' << expected.name << ' ' << expected.thread;
}

std::vector<Expected> read_expected(const Capture &capture) {
  std::vector<Expected> messages;
  for (const std::string &line : lines_of(read_file(capture.path().replace_extension(".expected")))) {
    const Texts columns = split(line, '\t');
    EXPECT_GE(columns.size(), 3U) << line;
    if (columns.size() < 3) break;
    messages.push_back({columns[0], columns[1], columns[2], {columns.begin() + 3, columns.end()}});
  }
  EXPECT_GT(messages.size(), 20U);
  return messages;
}

// --- Text of an argument: the leaves of the value, with their paths --- ---------

struct Leaf {
  std::string path;
  std::string text;
  bool operator==(const Leaf &) const = default;
};

std::ostream &operator<<(std::ostream &stream, const Leaf &leaf) { return stream << leaf.path << ':' << leaf.text; }

class ArgumentText {
 public:
  explicit ArgumentText(std::string_view text) : text_(text) {}

  std::vector<Leaf> leaves(const std::string &path) {
    read_value(path);
    EXPECT_TRUE(text_.empty()) << text_;
    return std::move(leaves_);
  }

 private:
  bool take(std::string_view prefix) {
    if (!text_.starts_with(prefix)) return false;
    text_.remove_prefix(prefix.size());
    return true;
  }

  // Reads the text between quotes; control characters stay escaped.
  std::string read_quoted() {
    EXPECT_TRUE(take("\"")) << text_;
    std::string text;
    while (!text_.empty() && !take("\"")) {
      if (text_.starts_with("\\\"") || text_.starts_with("\\\\")) text_.remove_prefix(1);
      text += text_.front();
      text_.remove_prefix(1);
    }
    return text;
  }

  // Reads a number or word, and the text in parentheses after it.
  std::string read_word() {
    std::size_t end = 0;
    int depth = 0;
    for (bool is_quoted = false; end < text_.size(); ++end) {
      const char character = text_[end];
      if (is_quoted && character == '\\') {
        ++end;
      } else if (character == '"') {
        is_quoted = !is_quoted;
      } else if (!is_quoted && (character == '(' || character == '[')) {
        ++depth;
      } else if (!is_quoted && depth > 0 && (character == ')' || character == ']')) {
        --depth;
      } else if (!is_quoted && depth == 0 && std::string_view(",]}:)").find(character) != std::string_view::npos) {
        break;
      }
    }
    std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    return word;
  }

  void read_array(const std::string &path) {
    std::size_t index = 0;
    if (take("]")) return leaves_.push_back({path, "[]"});
    do {
      read_value(path + "/" + std::to_string(index++));
    } while (take(", "));
    EXPECT_TRUE(take("]")) << text_;
  }

  void read_dictionary(const std::string &path) {
    if (take("}")) return leaves_.push_back({path, "{}"});
    do {
      std::string key = text_.starts_with('"') ? read_quoted() : read_word();
      EXPECT_TRUE(take(": ")) << text_;
      std::string part;
      for (const char character : key)
        part += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
      read_value(path + "/" + part);
    } while (take(", "));
    EXPECT_TRUE(take("}")) << text_;
  }

  void read_value(const std::string &path) {
    if (text_.starts_with('"') || take("&") || take("^")) return leaves_.push_back({path, read_quoted()});
    if (take("[")) return read_array(path);
    if (take("{")) return read_dictionary(path);
    if (take("NodePath(")) {
      leaves_.push_back({path, read_quoted()});
      EXPECT_TRUE(take(")")) << text_;
      return;
    }
    if (text_.starts_with("Array[")) {
      text_.remove_prefix(text_.find("](") + 2);
      EXPECT_TRUE(take("[")) << text_;
      read_array(path);
      EXPECT_TRUE(take(")")) << text_;
      return;
    }
    leaves_.push_back({path, read_word()});
  }

  std::string_view text_;
  std::vector<Leaf> leaves_;
};

TEST(DebugExpectationFile, ArgumentsAreParsedAsWritten) {
  const std::vector<Leaf> leaves =
      ArgumentText(R"([1, "a, \"b\"]", {"x/y": Vector2(1, 2), 7: [true, []]}, NodePath("."), Array[int]([3]), {}])")
          .leaves("/0");
  EXPECT_EQ(leaves, (std::vector<Leaf>{{"/0/0", "1"},
                                       {"/0/1", R"(a, "b"])"},
                                       {"/0/2/x~1y", "Vector2(1, 2)"},
                                       {"/0/2/7/0", "true"},
                                       {"/0/2/7/1", "[]"},
                                       {"/0/3", "."},
                                       {"/0/4/0", "3"},
                                       {"/0/5", "{}"}}));
}

// --- Output of the plugin --------------------------------------------------------------------------------------

struct Message {
  std::size_t frame = 0;
  std::string from;
  std::string name;
  std::string thread;
  Texts labels;
  const Item *layer = nullptr;
  std::vector<const Item *> arguments;
};

std::ostream &operator<<(std::ostream &stream, const Message &message) {
  return stream << "frame " << message.frame << ' ' << message.from << ' ' << message.name;
}

std::vector<const Item *> values_in(const Item &item) {
  std::vector<const Item *> values;
  for (const Item &child : item.children) {
    if (child.name == "godot.value") values.push_back(&child);
  }
  return values;
}

// Returns the items of a message's arguments. Godot 4 sends the arguments in an Array; a Godot 3 game sends their count
// before them.
std::vector<const Item *> arguments_in(const Item &layer) {
  std::vector<const Item *> values = values_in(layer);
  // The first Variants are the name and the thread.
  for (const std::string_view field : {"godot_debug.message", "godot_debug.thread_id"}) {
    if (layer.child(field) != nullptr && !values.empty()) values.erase(values.begin());
  }
  const bool is_array = layer.child("godot.type") != nullptr;
  if (is_array && layer.child("godot_debug.thread_id") == nullptr && values.size() != 1) return values;
  if (values.empty()) return values;
  if (values[0]->label.starts_with("Arguments: ")) return values_in(*values[0]);
  if (!is_array) values.erase(values.begin());
  return values;
}

struct Reading {
  std::vector<Item> frames;
  std::vector<Message> messages;

  Reading(const fs::path &path, const Texts &options, std::uint16_t port = debugger_port)
      : frames(read_details(path, only_debugger + options, {120, std::size_t{4} << 30})) {
    for (const Item &frame : frames) {
      const Item *const tcp = frame.child("tcp");
      const bool is_editor = tcp != nullptr && tcp->child_text("tcp.srcport") == std::to_string(port);
      for (const Item &layer : frame.children) {
        if (layer.name != "godot_debug") continue;
        Message message;
        message.frame = number(frame.child("geninfo")->child_text("num"));
        message.from = is_editor ? "editor" : "game";
        message.name = layer.child_text("godot_debug.message");
        message.thread = layer.child_text("godot_debug.thread_id");
        message.labels = find_all(layer, "godot_debug.label");
        message.layer = &layer;
        message.arguments = arguments_in(layer);
        messages.push_back(std::move(message));
      }
    }
  }
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;

  [[nodiscard]] std::vector<const Message *> from(std::string_view side) const {
    std::vector<const Message *> found;
    for (const Message &message : messages) {
      if (message.from == side) found.push_back(&message);
    }
    return found;
  }
};

const Reading &reading_of(const Capture &capture) {
  static std::map<std::string, Reading> known;
  return known.try_emplace(capture.name, capture.path(), Texts{}).first->second;
}

// The fields that are read for each frame with a message.
const Texts message_fields = {
    "frame.number",          "godot_debug.message", "godot_debug.thread_id", "godot_debug.label",
    "godot.path_with_value", "_ws.col.Info",        "godot_debug.undecoded", "_ws.expert"};
Rows rows_of(const fs::path &path, const Texts &options) {
  return read_fields(path, only_debugger + options, message_fields);
}

// --- Values ----------------------------------------------------------------------------------------------------

constexpr std::string_view ellipsis = "…";

// Parses the shortest text of a float. Godot 3 writes the bits of a value that it cannot print exactly. Returns NaN if
// the text is no float.
double parse_real(const std::string &text) {
  constexpr std::string_view bits = "float(0x";
  if (text.starts_with(bits)) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(text.substr(bits.size()), nullptr, 16)));
  }
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nan("") : value;
}

bool is_same_text(const std::string &expected, const std::string &shown) {
  if (shown == expected) return true;
  const bool is_cut = shown.size() > 100 && shown.ends_with(ellipsis);
  if (is_cut) return expected.starts_with(shown.substr(0, shown.size() - ellipsis.size()));
  // A 32-bit float is shown as the shortest text that reads back as the same 32-bit float.
  const double wanted = parse_real(expected);
  const double got = parse_real(shown);
  const auto single = static_cast<float>(wanted);
  return wanted == got || (static_cast<double>(single) == wanted && static_cast<float>(got) == single);
}

// Compares the field of a scalar with the text of the argument.
void expect_scalar(const std::string &expected, const Item &value) {
  const std::string type = value.child_text("godot.type");
  if (expected == "null") {
    EXPECT_TRUE(type == "Nil" || type == "Object") << type;
  } else if (expected == "true" || expected == "false") {
    EXPECT_EQ(type, "bool");
    const std::string shown = value.child_text("godot.bool");
    EXPECT_EQ(is_true(shown), expected == "true") << shown;
  } else if (expected.starts_with('"')) {
    EXPECT_EQ(type, "String");
    EXPECT_EQ(value.child_text("godot.string"), ArgumentText(expected).leaves("")[0].text);
  } else if (expected.starts_with('&')) {
    EXPECT_EQ(type, "StringName");
    EXPECT_EQ(value.child_text("godot.string_name"), ArgumentText(expected).leaves("")[0].text);
  } else if (expected.starts_with('^') || expected.starts_with("NodePath(")) {
    EXPECT_EQ(type, "NodePath");
    EXPECT_EQ(value.child_text("godot.node_path"), ArgumentText(expected).leaves("")[0].text);
  } else if (expected.find_first_not_of("-0123456789") == std::string::npos) {
    EXPECT_EQ(type, "int");
    EXPECT_EQ(value.child_text("godot.int"), expected);
  } else if (expected.starts_with("float(") || expected.find_first_not_of("-+.e0123456789") == std::string::npos) {
    EXPECT_EQ(type, "float");
    const double wanted = parse_real(expected);
    const double shown =
        parse_real(value.child_text("godot.float"));  // 15 or 17 digits, depending on Wireshark's release
    const bool is_single = static_cast<double>(static_cast<float>(wanted)) == wanted;
    EXPECT_LE(std::abs(wanted - shown), (is_single ? 1e-7 : 1e-14) * std::abs(wanted));
  } else {
    EXPECT_TRUE(value.child("godot.type") != nullptr);
  }
}

// Returns godot.path_with_value of a message's leaves in order, split into path and text.
std::vector<Leaf> leaves_of(const Message &message) {
  std::vector<Leaf> leaves;
  for (const Item *const argument : message.arguments) {
    for (const std::string &text : find_all(*argument, "godot.path_with_value")) {
      const std::size_t colon = text.find(':');
      leaves.push_back({text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))});
    }
  }
  return leaves;
}

void expect_arguments(const Expected &expected, const Message &message) {
  ASSERT_EQ(message.arguments.size(), expected.arguments.size());
  std::vector<Leaf> leaves;
  for (std::size_t i = 0; i < expected.arguments.size(); ++i) {
    SCOPED_TRACE("argument " + std::to_string(i) + " " + expected.arguments[i].substr(0, 100));
    expect_scalar(expected.arguments[i], *message.arguments[i]);
    for (Leaf &leaf : ArgumentText(expected.arguments[i]).leaves("/" + std::to_string(i))) leaves.push_back(leaf);
  }
  const std::vector<Leaf> shown = leaves_of(message);
  ASSERT_EQ(shown.size(), leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    // If a key contains a colon, leaves_of() splits at the wrong colon, so the joined texts are compared.
    const std::string wanted = leaves[i].path + ":" + leaves[i].text;
    const std::string got = shown[i].path + ":" + shown[i].text;
    const bool is_same = wanted == got ||
                         (leaves[i].path == shown[i].path && is_same_text(leaves[i].text, shown[i].text)) ||
                         is_same_text(wanted, got);
    EXPECT_TRUE(is_same) << "expected " << wanted << "\nshown    " << got;
  }
}

// --- Captures compared with the debugger's record --------------------------------------------------------------

class EveryDebugCapture : public testing::TestWithParam<Capture> {};
class EveryDebugScript : public testing::TestWithParam<Capture> {};

TEST_P(EveryDebugScript, ShowsEveryMessageOfEachSide) {
  const Reading &reading = reading_of(GetParam());
  const std::vector<Expected> expected = read_expected(GetParam());
  EXPECT_EQ(reading.messages.size(), expected.size());
  for (const std::string_view side : {"game", "editor"}) {
    const std::vector<const Message *> messages = reading.from(side);
    std::size_t next = 0;
    for (const Expected &each : expected) {
      if (each.from != side) continue;
      SCOPED_TRACE(testing::Message() << side << ' ' << next << ": " << each.name);
      ASSERT_LT(next, messages.size());
      const Message &message = *messages[next++];
      SCOPED_TRACE(testing::Message() << message);
      ASSERT_EQ(message.name, each.name);
      EXPECT_EQ(message.thread, each.thread);
      expect_arguments(each, message);
    }
    EXPECT_EQ(next, messages.size());
  }
}

TEST(DebugEditorCapture, ShowsTheGamesMessagesAmongTheOthers) {
  const Reading &reading = reading_of(editor4);
  for (const std::string_view side : {"game", "editor"}) {
    const std::vector<const Message *> messages = reading.from(side);
    std::size_t next = 0;
    for (const Expected &each : read_expected(editor4)) {
      if (each.from != side) continue;
      SCOPED_TRACE(testing::Message() << each);
      while (next < messages.size() && messages[next]->name != each.name) ++next;
      ASSERT_LT(next, messages.size());
      const Message &message = *messages[next++];
      SCOPED_TRACE(testing::Message() << message);
      if (each.thread != "-") {
        EXPECT_EQ(message.thread, each.thread);
      }
      expect_arguments(each, message);
    }
  }
  EXPECT_GT(reading.messages.size(), 150U);
  EXPECT_EQ(reading.messages[0].name, "set_pid");
  EXPECT_EQ(reading.messages[1].name, "scene:setup_scene");
}

TEST_P(EveryDebugCapture, HasNoUndecodedBytes) {
  const fs::path path = GetParam().path();
  const std::string trouble =
      "godot_debug.undecoded or godot.undecoded or godot.skipped or godot_debug.malformed or godot_debug.truncated or "
      "godot_debug.unsupported or godot_debug.limit or godot.malformed or godot.truncated or godot.unsupported or "
      "godot.limit or godot.trailing or _ws.malformed or godot.not_variant or _ws.expert.severity >= warning";
  EXPECT_EQ(tshark(path, {"-Y", "godot_debug and (" + trouble + ")"}), "");
  // All bytes of the conversation belong to the debugger: immediately, or after all segments of a message have arrived.
  for (const Texts &row :
       read_fields(path, {"-Y", "tcp.len > 0"}, {"frame.number", "frame.protocols", "_ws.col.Info"})) {
    const bool is_ours = row[1].ends_with(":godot_debug") || row[1].find(":godot_debug:godot") != std::string::npos;
    const bool is_part = row[1].ends_with(":tcp") && row[2].find("6007") != std::string::npos;
    EXPECT_TRUE(is_ours || is_part) << row[0] << ' ' << row[1] << ' ' << row[2];
  }
}

// Collects the ranges of a message's items. Omits items that cover the bytes of siblings.
void collect_ranges(const Item &item, std::vector<std::pair<std::size_t, std::size_t>> &ranges) {
  static const std::set<std::string, std::less<>> overlays = {
      "godot.path",        "godot.path_with_value", "godot.shared",
      "godot_debug.label", "godot_debug.message",   "godot_debug.thread_id",
      "godot.flags.wide",  "godot.flags.object_id", "_ws.expert"};
  bool has_parts = false;
  for (const Item &child : item.children) {
    if (overlays.contains(child.name)) continue;
    if (child.name == "godot.node_path" && item.child("godot.node_path.name_count") != nullptr) continue;
    if (item.name == "godot.entry" && item.child("godot.value") == &child) continue;
    has_parts = true;
    collect_ranges(child, ranges);
  }
  if (!has_parts && item.size > 0) ranges.emplace_back(item.position, item.size);
}

TEST_P(EveryDebugCapture, EachByteIsInExactlyOneItem) {
  for (const Message &message : reading_of(GetParam()).messages) {
    SCOPED_TRACE(testing::Message() << message);
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    collect_ranges(*message.layer, ranges);
    std::size_t position = message.layer->position;
    for (const auto &[start, size] : ranges) {
      ASSERT_EQ(start, position);
      position = start + size;
    }
    EXPECT_EQ(position, message.layer->position + message.layer->size);
  }
}

TEST_P(EveryDebugCapture, IsDecodedTheSameInOnePass) {
  const Rows once = rows_of(GetParam().path(), {});
  EXPECT_GT(once.size(), 80U);
  EXPECT_EQ(once, rows_of(GetParam().path(), {"-2"}));
}

// --- Labels ----------------------------------------------------------------------------------------------------

// Every argument of an engine message has a label, even the last argument. This proves that the plugin understands the
// counts.
TEST_P(EveryDebugScript, EveryEngineArgumentHasALabel) {
  std::map<std::string, std::size_t> unlabelled;
  std::size_t labelled = 0;
  for (const Message &message : reading_of(GetParam()).messages) {
    labelled += message.labels.size();
    if (message.labels.size() != message.arguments.size()) ++unlabelled[message.name];
  }
  EXPECT_GT(labelled, 400U);
  for (const auto &[name, count] : unlabelled) {
    const bool is_games = name.starts_with("mygame:") || name.starts_with("nobody:") || name == "no_prefix";
    const bool is_unknown = name == "scene:setup_scene" || name == "scene:reload_cached_files";
    EXPECT_TRUE(is_games || is_unknown) << name << " " << count;
  }
}

TEST(DebugLabels, NameTheArgumentsInTheTree) {
  const Texts lines =
      lines_of(tshark(script4.path(), {"-O", "godot_debug", "-Y", R"(godot_debug.message == "set_pid")"}));
  const std::string expected = "        Pid: " + process_id(script4);
  EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string &line) { return line.ends_with(expected); }));
}

// --- Summaries -------------------------------------------------------------------------------------------------

// Returns the Info column of the frames with a message of that name.
Texts infos(const Capture &capture, const std::string &name) {
  Texts found;
  const Texts filter = {"-Y", "godot_debug.message == \"" + name + "\""};
  for (const Texts &row : read_fields(capture.path(), filter, {"_ws.col.Info"})) {
    found.push_back(row[0]);
  }
  return found;
}

void expect_info(const Capture &capture, const std::string &name, const std::string &sentence) {
  const Texts found = infos(capture, name);
  EXPECT_TRUE(std::ranges::any_of(found, [&](const std::string &info) { return info == sentence; }))
      << name << ": " << testing::PrintToString(found);
}

TEST(DebugInfoColumn, ShowsMessagesOfGodot4) {
  expect_info(script4, "set_pid", "set_pid(" + process_id(script4) + ")");
  expect_info(script4, "breakpoint", R"(breakpoint("res://player.gd", 11, true))");
  expect_info(script4, "output", "Output: Godot Engine v4.6.3.stable.debian4.6.3+ds-3 - https://godotengine.org");
  expect_info(script4, "mygame:ready", R"|(mygame:ready() | window:title("Debugged (DEBUG)"))|");
  expect_info(script4, "mygame:score", R"(mygame:score(1200, "Ada", "hero", ^"Player:position", 0.1, true, null))");
  expect_info(script4, "profiler:performance", "profiler:performance(false)");
  expect_info(editor4, "error", "Warning at res://game.gd:46 in complain(): The door is open");
  expect_info(editor4, "error", "Error at res://game.gd:47 in complain(): The key is lost 🔑");
  expect_info(editor4, "error",
              "Error at res://game.gd:49 in complain(): Node not found: \"Nobody\" (relative to \"/root/Game\"). "
              "(Method/function failed. Returning: nullptr)");
}

TEST(DebugInfoColumn, ShowsMessagesOfGodot3) {
  expect_info(script3, "set_skip_breakpoints", "set_skip_breakpoints(false)");
  expect_info(script3, "live_set_root", R"(live_set_root(@"/root", "res://game.tscn"))");
  expect_info(script3, "performance", "Performance: 11 frames per second");
  expect_info(script3, "inspect_object", "inspect_object(1402)");
  expect_info(script3, "output", "Output: Godot Engine v3.6.stable.debian3.6+ds-2 - https://godotengine.org |  ");
}

INSTANTIATE_TEST_SUITE_P(Captures, EveryDebugScript, testing::ValuesIn(scripts), name_of<Capture>);
INSTANTIATE_TEST_SUITE_P(Captures, EveryDebugCapture, testing::ValuesIn(all_captures), name_of<Capture>);

// --- Ports -----------------------------------------------------------------------------------------------------

TEST_P(EveryDebugCapture, IsDetectedOnAnotherPort) {
  const Rows expected = rows_of(GetParam().path(), {});
  const fs::path path = saved(with_debugger_port(frames_of(GetParam()), other_port));
  EXPECT_EQ(rows_of(path, {}), expected);
  EXPECT_EQ(rows_of(path, {"-2"}), expected);
  EXPECT_TRUE(rows_of(path, {"--disable-heuristic", "godot_tcp"}).empty());
}

TEST_P(EveryDebugCapture, IsDecodedOnAConfiguredPort) {
  const Rows expected = rows_of(GetParam().path(), {});
  const fs::path path = saved(with_debugger_port(frames_of(GetParam()), other_port));
  const Texts no_heuristic = {"--disable-heuristic", "godot_tcp"};
  EXPECT_EQ(rows_of(path, no_heuristic + Texts{"-o", "godot_debug.tcp.port:7000-7777"}), expected);
  EXPECT_EQ(rows_of(path, no_heuristic + Texts{"-d", "tcp.port==7777,godot_debug"}), expected);
}

TEST(DebugPorts, DefaultPortsInclude6008And6013) {
  const Rows expected = rows_of(script4.path(), {});
  for (const std::uint16_t port : {6008, 6013}) {
    const fs::path path = saved(with_debugger_port(frames_of(script4), port));
    EXPECT_EQ(rows_of(path, {"--disable-heuristic", "godot_tcp"}), expected) << port;
  }
}

// --- Handmade messages -----------------------------------------------------------------------------------------

std::string array3(const Texts &elements) { return u32(19) + u32_size(elements.size()) + joined(elements); }
std::string message4(const std::string &name, const Texts &arguments, const std::string &behind = {}) {
  return in_stream(array({string(name), integer(1), array(arguments)}) + behind);
}
std::string command3(const std::string &name, const Texts &arguments) {
  return in_stream(array3(Texts{string(name)} + arguments));
}
std::string packets3(const std::string &name, const Texts &arguments) {
  std::string all = in_stream(string(name)) + in_stream(integer(static_cast<std::int32_t>(arguments.size())));
  for (const std::string &argument : arguments) all += in_stream(argument);
  return all;
}

constexpr Ports to_debugger = {50001, debugger_port};

// Returns a stream of the game, split into segments of the given size.
Pcap stream(const std::string &bytes, std::size_t segment_size = 1400) {
  TcpConversation conversation(to_debugger);
  conversation.shake_hands();
  conversation.send(bytes, segment_size);
  return conversation.pcap();
}

// Engines before 4.2 send no thread id.
TEST(DebugStream, MessageWithoutAThreadIdIsDecoded) {
  const std::string breakpoint = array({string("res://game.gd"), integer(7), integer(1)});
  const std::string bytes = in_stream(array({string("breakpoint"), breakpoint}));
  for (const std::uint16_t port : {debugger_port, other_port}) {
    const fs::path path = saved(with_debugger_port(stream(bytes), port));
    const Texts fields = {"godot_debug.message", "godot_debug.thread_id", "godot_debug.label", "godot.path_with_value",
                          "_ws.col.Info"};
    const Rows rows = read_fields(path, only_debugger, fields);
    ASSERT_EQ(rows.size(), 1U) << port;
    EXPECT_EQ(rows[0][0], "breakpoint");
    EXPECT_EQ(rows[0][1], "");
    EXPECT_EQ(occurrences(rows[0][2]), (Texts{"file", "line", "is set"}));
    EXPECT_EQ(occurrences(rows[0][3]), (Texts{"/0:res://game.gd", "/1:7", "/2:1"}));
    EXPECT_EQ(rows[0][4], R"(breakpoint("res://game.gd", 7, 1))");
  }
}

// EngineDebugger.send_message() sends the game's Array with its element type.
TEST(DebugStream, ShowsTheElementTypeOfArguments) {
  constexpr std::uint32_t typed_array = 28 | 1 << 16;
  const std::string numbers = u32(typed_array) + u32(2) + u32(2) + integer(7) + integer(1);
  const fs::path path = saved(stream(in_stream(array({string("game:hp"), u32(2) + i32(1), numbers}))));
  const Rows rows = read_fields(path, only_debugger, {"godot_debug.message", "godot.element_type", "_ws.col.Info"});
  EXPECT_EQ(rows, (Rows{{"game:hp", "int", "game:hp(7, 1)"}}));
}

TEST(DebugStream, MessagesSplitAnywhereAreDecoded) {
  const std::string bytes = message4("set_pid", {integer(7)}) + message4("mygame:a", {string("text")}) +
                            message4("debug_exit", {}) + message4("mygame:none", {});
  const std::string bytes3 =
      packets3("debug_enter", {integer(1), string("Breakpoint")}) + packets3("debug_exit", {}) +
      packets3("output", {array3({string("Hello"), integer(0)}), array3({string("x"), integer(1)})}) +
      packets3("kill_me", {});
  const struct {
    const std::string &bytes;
    Texts names;
  } rows[] = {{bytes, {"set_pid", "mygame:a", "debug_exit", "mygame:none"}},
              {bytes3, {"debug_enter", "debug_exit", "output", "kill_me"}}};
  for (const auto &row : rows) {
    for (const std::size_t size : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 12U, 23U, 60U, 100U}) {
      SCOPED_TRACE(size);
      const fs::path path = saved(stream(row.bytes, size));
      for (const char *const passes : {"", "-2"}) {
        Texts names;
        for (const Texts &each : read_fields(path, only_debugger + (passes[0] == '\0' ? Texts{} : Texts{passes}),
                                             {"godot_debug.message", "godot_debug.undecoded", "godot.skipped"})) {
          names = names + occurrences(each[0]);
          EXPECT_EQ(each[1] + each[2], "");
        }
        EXPECT_EQ(names, row.names);
      }
    }
  }
}

// Names of all messages, and which expert items are present.
struct DecodedMessages {
  Texts names;
  std::set<std::string> experts;
  std::set<std::string> protocols;
};

DecodedMessages decode(const Pcap &pcap, const Texts &options = {}, std::size_t snap_length = 262144) {
  DecodedMessages verdict;
  const fs::path path = saved(pcap, snap_length);
  for (const Item &frame : read_details(path, options)) {
    for (const Item &layer : frame.children) {
      verdict.protocols.insert(layer.name);
      walk(layer, [&](const Item &item) {
        static const std::string_view experts[] = {"malformed", "truncated", "unsupported", "limit", "skipped"};
        for (const std::string_view expert : experts) {
          for (const std::string_view protocol : {"godot.", "godot_debug."}) {
            if (item.name == std::string(protocol) + std::string(expert)) verdict.experts.insert(item.name);
          }
        }
        if (item.label.find("Exception occurred") != std::string::npos) verdict.experts.insert(item.label);
        if (item.label.find("Packet size limited") != std::string::npos) verdict.experts.insert(item.label);
        if (item.name == "godot_debug.message") verdict.names.push_back(item.show);
        return true;
      });
    }
  }
  return verdict;
}

using ExpertItems = std::set<std::string>;

TEST(MalformedDebugMessage, DamagedMessageIsReported) {
  const std::string good = message4("set_pid", {integer(7)});
  const std::string good3 = packets3("debug_exit", {});
  const std::string bad = u32(4) + u32(100) + "no 100 bytes";
  const struct {
    const char *what;
    std::string bytes;
    ExpertItems experts;
    Texts names;
  } rows[] = {
      {"nothing", good + good, {}, {"set_pid", "set_pid"}},
      {"more behind the arguments",
       good + message4("a:b", {}, nil()) + good,
       {"godot_debug.malformed"},
       {"set_pid", "a:b", "set_pid"}},
      {"more behind the arguments of Godot 3",
       good3 + in_stream(array3({string("step")}) + nil()) + good3,
       {"godot_debug.malformed"},
       {"debug_exit", "step", "debug_exit"}},
      {"an argument that contradicts itself",
       good + message4("a:b", {integer(1), bad}) + good,
       {"godot.malformed"},
       {"set_pid", "a:b", "set_pid"}},
      {"the same in Godot 3",
       good3 + packets3("output", {integer(1), bad}) + good3,
       {"godot.malformed"},
       {"debug_exit", "output", "debug_exit"}},
      {"the same of the editor",
       good3 + command3("step", {integer(1), bad}) + good3,
       {"godot.malformed"},
       {"debug_exit", "step", "debug_exit"}},
      {"an argument of an unknown type",
       good + message4("a:b", {u32(unknown_type)}) + good,
       {"godot.unsupported"},
       {"set_pid", "a:b", "set_pid"}},
      {"a name that contradicts itself",
       good + in_stream(array({bad, integer(1), array({})})) + good,
       {"godot.malformed"},
       {"set_pid", "set_pid"}},
      {"a Variant that is no message",
       good + in_stream(integer(7)) + good,
       {"godot_debug.unsupported"},
       {"set_pid", "set_pid"}},
      {"more in an argument's packet",
       good3 + in_stream(string("output")) + in_stream(integer(1)) + in_stream(integer(7) + nil()) + good3,
       {"godot_debug.malformed"},
       {"debug_exit", "output", "debug_exit"}},
      {"a Variant with more behind it",
       good + in_stream(integer(7) + nil()) + good,
       {"godot_debug.malformed", "godot_debug.unsupported"},
       {"set_pid", "set_pid"}},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    const DecodedMessages verdict = decode(stream(row.bytes));
    EXPECT_EQ(verdict.experts, row.experts);
    EXPECT_EQ(verdict.names, row.names);
  }
}

// The other protocols mark it there as well.
TEST(MalformedDebugMessage, IsMarkedAtTheEndOfTheInfoColumn) {
  const std::string good = message4("a:b", {integer(7)});
  const std::string bad = u32(4) + u32(100) + "no 100 bytes";
  const struct {
    const char *what;
    std::string bytes;
    std::string info;
  } rows[] = {
      {"nothing", good, "a:b(7)"},
      {"an argument that contradicts itself", message4("a:b", {integer(7), bad}), "a:b(7, ?) [malformed]"},
      {"an argument of an unknown type", message4("a:b", {integer(7), u32(unknown_type)}), "a:b(7, ?) [unsupported]"},
      {"more behind the arguments", message4("a:b", {integer(7)}, nil()), "a:b(7) [malformed]"},
      {"a name that contradicts itself", in_stream(array({bad, integer(1), array({})})), "Array(3) [] [malformed]"},
      {"a Variant that is no message", in_stream(integer(7)), "int 7 [unsupported]"},
      {"the same in Godot 3", packets3("output", {integer(7), bad}), "Output:  [malformed]"},
      {"the same of the editor", command3("step", {integer(7), bad}), "step(7, ?) [malformed]"},
      {"one of two", message4("a:b", {integer(7), bad}) + good, "a:b(7, ?) [malformed] | a:b(7)"},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    // The first message identifies the stream as the debugger's.
    const Pcap pcap = stream(message4("set_pid", {integer(1)}) + row.bytes);
    const Rows found = read_fields(saved(pcap), only_debugger, {"_ws.col.Info"});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0][0], "set_pid(1) | " + row.info);
  }
  const fs::path cut = saved(stream(good), 40 + good.size() - 4);
  EXPECT_EQ(read_fields(cut, only_debugger, {"_ws.col.Info"}), (Rows{{"a:b(?) [truncated]"}}));
}

// The layers of the debugger show each byte exactly once.
TEST(MalformedDebugMessage, WrongLengthKeepsEveryByteInTheTree) {
  const std::string good = message4("set_pid", {integer(7)});
  const std::string name = in_stream(string("output"));
  const struct {
    const char *what;
    std::string bytes;
  } rows[] = {
      {"of zero", good + u32(0) + good},
      {"of zero behind a name", good + name + u32(0) + good},
      {"of zero behind a number", good + name + in_stream(integer(2)) + u32(0) + good},
      {"too large", good + u32(0x7fffffff) + good},
      {"too large behind a name", good + name + u32(0xffffffff) + good},
      {"too large behind a number", good + name + in_stream(integer(2)) + u32(0xfffffff0) + good},
      {"too large behind an argument", good + name + in_stream(integer(2)) + in_stream(nil()) + u32(0x80000000) + good},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    std::size_t size = 0;
    std::size_t position = 0;
    Texts names;
    for (const Item &frame : read_details(saved(stream(row.bytes)), only_debugger)) {
      for (const Item &layer : frame.children) {
        EXPECT_NE(layer.name, "_ws.malformed");
        if (layer.name != "godot_debug") continue;
        if (size == 0) position = layer.position;
        EXPECT_EQ(layer.position, position + size);
        size += layer.size;
        names = names + find_all(layer, "godot_debug.message");
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        collect_ranges(layer, ranges);
        std::size_t covered = 0;
        for (const auto &range : ranges) covered += range.second;
        EXPECT_GE(covered, layer.size) << layer.label;
      }
    }
    EXPECT_EQ(size, row.bytes.size());
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names.front(), "set_pid");
    EXPECT_EQ(names.back(), "set_pid");
  }
}

TEST(MalformedDebugMessage, MessageOverMaxTreeItemsIsReportedAsALimit) {
  const Texts many(400, integer(7));
  for (const std::string &bytes : {message4("a:b", many), command3("step", many), packets3("output", many)}) {
    const DecodedMessages verdict = decode(stream(bytes, 60000), {"-o", "gui.max_tree_items:1000"});
    EXPECT_TRUE(verdict.experts.contains("godot_debug.limit"));
    EXPECT_EQ(verdict.names.size(), 1U);
    EXPECT_TRUE(decode(stream(bytes, 60000)).experts.empty());
  }
}

// --- Truncation by the capture ---------------------------------------------------------------------------------

constexpr std::size_t headers = 20 + 20;  // IPv4 and TCP

TEST(DebugSnapLength, CutMessageIsNotReportedAsMalformed) {
  constexpr std::size_t stride = 3;  // not a multiple of four, so that every position in a word is tried
  const std::string game = packets3("debug_enter", {integer(1), string("Breakpoint")});
  const std::string two = message4("step", {}) + message4("next", {});
  for (const std::string &bytes : {message4("set_pid", {integer(7), string("seven"), array({nil()})}),
                                   command3("breakpoint", {string("res://a.gd"), integer(1)}), game, two}) {
    const Pcap pcap = stream(bytes);
    for (std::size_t captured = 1; captured < bytes.size(); captured += stride) {
      SCOPED_TRACE(testing::Message() << bytes.size() << " bytes, captured: " << captured);
      // The debugger's port alone is no proof, and the first bytes may be too few to identify the debugger.
      const DecodedMessages verdict = decode(pcap, {}, headers + captured);
      for (const std::string &expert : verdict.experts)
        EXPECT_EQ(expert.find("malformed"), std::string::npos) << expert;
      EXPECT_FALSE(verdict.experts.contains("godot.skipped"));
      if (captured < 8) continue;
      EXPECT_TRUE(verdict.protocols.contains("godot_debug"));
      // If the capture ends with a complete message, nothing shows that another message follows.
      const bool is_end = bytes == two && captured == two.size() / 2;
      EXPECT_EQ(verdict.experts.contains("godot_debug.truncated"), !is_end);
    }
  }
}

TEST_P(EveryDebugCapture, IsDecodedIfTheCaptureBeginsInTheMiddle) {
  const Pcap pcap = frames_of(GetParam());
  const Reading &whole = reading_of(GetParam());
  for (const std::size_t part : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    const std::size_t first = pcap.frames.size() * part / 8;
    SCOPED_TRACE(testing::Message() << first << " frames missing");
    Pcap rest = {pcap.linktype, {pcap.frames.begin() + static_cast<std::ptrdiff_t>(first), pcap.frames.end()}};
    const Reading late(saved(rest), {});
    for (const std::string_view side : {"game", "editor"}) {
      // If the beginning of a message is missing, the rest may look like another message.
      constexpr std::size_t most_lost = 2;
      std::vector<std::pair<std::size_t, std::string>> expected;
      std::vector<std::pair<std::size_t, std::string>> found;
      for (const Message *const message : whole.from(side)) {
        if (message->frame > first) expected.emplace_back(message->frame, message->name + message->layer->label);
      }
      for (const Message *const message : late.from(side)) {
        found.emplace_back(message->frame + first, message->name + message->layer->label);
      }
      ASSERT_FALSE(expected.empty());
      std::size_t same = 0;
      while (same < std::min(expected.size(), found.size()) &&
             *(expected.rbegin() + static_cast<std::ptrdiff_t>(same)) ==
                 *(found.rbegin() + static_cast<std::ptrdiff_t>(same))) {
        ++same;
      }
      EXPECT_LE(expected.size() - same, most_lost) << side << ' ' << expected.size();
    }
  }
}

// --- X11 -------------------------------------------------------------------------------------------------------

TEST(X11OnDebuggerPorts, HandmadeConversationsAreDissectedAsX11) {
  const struct {
    std::string request;
    std::string reply;
  } rows[] = {
      {hex("6c000b000000000000000000"), hex("00160b0000000600") + "No protocol specified\n\0\0"s},
      {hex("4200000b0000000000000000"), hex("0016000b00000006") + "No protocol specified\n\0\0"s},
      {hex("6c000b000000120010000000") + "MIT-MAGIC-COOKIE-1\0\0"
                                         "0123456789abcdef"s,
       hex("00160b0000000600") + "No protocol specified\n\0\0"s},
  };
  for (const auto &row : rows) {
    for (const std::uint16_t port : {6007, 6000}) {
      TcpConversation conversation({50001, port});
      conversation.shake_hands();
      conversation.send(row.request);
      conversation.answer(row.reply);
      for (const Texts &options : {Texts{}, Texts{"-2"}}) {
        const fs::path path = saved(conversation.pcap());
        const Rows protocols = read_fields(path, options + Texts{"-Y", "tcp.len > 0"}, {"_ws.col.Protocol"});
        ASSERT_EQ(protocols.size(), 2U);
        for (const Texts &each : protocols) EXPECT_EQ(each[0], "X11") << port;
        EXPECT_EQ(tshark(path, options + only_debugger), "");
      }
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
