// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the plugin's output for every capture of a real engine with what the engine recorded (captures/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// The default of the preference godot.max_elements.
constexpr std::size_t default_max_elements = 1000;

// --- Captures --------------------------------------------------------------------------------------------------

// Captures whose packets are Variants. Captures of ENet have their own tests.

struct Scenario {
  std::string_view name;
  std::string_view preference;
  int port;
};

constexpr Scenario scenarios[] = {
    {"game", "godot.udp.port", 5009},    {"udp_types", "godot.udp.port", 5005}, {"tcp_types", "godot.tcp.port", 5006},
    {"objects", "godot.udp.port", 5007}, {"typed", "godot.udp.port", 5008},     {"ws", "godot.ws.port", 5011},
};

struct Capture {
  fs::path path;
  std::string name;  // <scenario>_godot<version>
  Scenario scenario;

  [[nodiscard]] bool is_godot3() const { return name.find("_godot3") != std::string::npos; }
  [[nodiscard]] bool is_tcp() const { return scenario.preference == "godot.tcp.port"; }
  [[nodiscard]] bool is_udp() const { return scenario.preference == "godot.udp.port"; }
  // Returns the port preference, and a filter that omits irrelevant frames.
  [[nodiscard]] Texts options() const {
    return {"-o", std::string(scenario.preference) + ":" + std::to_string(scenario.port), "-Y", "godot or websocket"};
  }
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

std::vector<Capture> captures() {
  std::vector<Capture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    const std::string name = entry.path().stem().string();
    const std::string scenario = name.substr(0, name.find("_godot"));
    const auto *const known = std::ranges::find(scenarios, scenario, &Scenario::name);
    if (known != std::end(scenarios)) found.push_back({entry.path(), name, *known});
  }
  std::ranges::sort(found, {}, &Capture::name);
  return found;
}

// --- The engine's record ---------------------------------------------------------------------------------------

struct ExpectedLeaf {
  std::string path;
  std::string type;
  std::string text;

  // True for an object with all its properties. The engine records such an object as one leaf, but the plugin shows its
  // properties.
  [[nodiscard]] bool is_whole_object() const { return type == "Object" && !text.starts_with('<'); }
};

struct ExpectedPacket {
  std::string from;
  std::string kind;
  std::string content;  // for `var`: the type of its root; otherwise the bytes in hexadecimal, or the text
  std::vector<ExpectedLeaf> leaves;
};

std::vector<ExpectedPacket> read_expected(const Capture &capture) {
  std::vector<ExpectedPacket> packets;
  fs::path path = capture.path;
  for (const std::string &line : lines_of(read_file(path.replace_extension(".expected")))) {
    const Texts columns = split(line, '\t');
    EXPECT_EQ(columns.size(), 4U) << line;
    if (columns.size() != 4) break;
    if (columns[0] == "packet") {
      packets.push_back({columns[1], columns[2], columns[3], {}});
    } else {
      packets.back().leaves.push_back({columns[1], columns[2], columns[3]});
    }
  }
  return packets;
}

// --- Output of the plugin --------------------------------------------------------------------------------------

struct Packet {
  std::string frame;
  std::string from;
  std::string kind;     // var, raw or text as in .expected; "no packet" if the engine could read none
  const Item *layer;    // the layer of godot, or of data-text-lines
  const Item *data;     // the item of the dissector that got a raw packet, or null
  std::string payload;  // the UDP payload in hexadecimal
};

std::string sender(const Item &frame, const Capture &capture) {
  const Item *const transport = frame.child(capture.is_udp() ? "udp" : "tcp");
  if (transport == nullptr) return "nobody";
  const std::string port = transport->child_text(capture.is_udp() ? "udp.srcport" : "tcp.srcport");
  if (port == std::to_string(capture.scenario.port)) return "server";
  return capture.is_udp() && port == "50002" ? "client2" : "client";
}

// tshark prints a field without a protocol as a child of a separate protocol.
const Item *data_after(const Item &frame, std::size_t layer) {
  if (layer + 1 >= frame.children.size()) return nullptr;
  const Item *found = nullptr;
  walk(frame.children[layer + 1], [&found](const Item &item) {
    if (item.name == "data.data") found = &item;
    return found == nullptr;
  });
  return found;
}

std::vector<Packet> packets_of(const std::vector<Item> &frames, const Capture &capture) {
  std::vector<Packet> packets;
  for (const Item &frame : frames) {
    const std::string number = frame.child("geninfo")->child_text("num");
    for (std::size_t i = 0; i < frame.children.size(); ++i) {
      const Item &layer = frame.children[i];
      Packet packet = {number, sender(frame, capture), "no packet", &layer, nullptr, ""};
      if (layer.name == "data-text-lines") {
        packet.kind = "text";
      } else if (layer.name == "godot") {
        packet.data = data_after(frame, i);
        if (layer.child("godot.value") != nullptr) packet.kind = "var";
        if (!find_all(layer, "godot.not_variant").empty()) packet.kind = "raw";
      } else {
        continue;
      }
      const Item *const udp = frame.child("udp");
      if (udp != nullptr) packet.payload = udp->child("udp.payload")->bytes;
      packets.push_back(packet);
    }
  }
  return packets;
}

std::map<std::string, std::vector<const Packet *>> by_sender(const std::vector<Packet> &packets) {
  std::map<std::string, std::vector<const Packet *>> result;
  for (const Packet &packet : packets) result[packet.from].push_back(&packet);
  return result;
}

// --- Values ----------------------------------------------------------------------------------------------------

struct Composite {
  std::string_view type;
  std::string_view field;
  std::string_view components;  // in the order in which the text lists them
};

constexpr std::string_view axes3d =
    "basis.x.x basis.x.y basis.x.z basis.y.x basis.y.y basis.y.z "
    "basis.z.x basis.z.y basis.z.z origin.x origin.y origin.z";
constexpr Composite composites[] = {
    {"Vector2", "vector2", "x y"},
    {"Vector2i", "vector2i", "x y"},
    {"Vector3", "vector3", "x y z"},
    {"Vector3i", "vector3i", "x y z"},
    {"Vector4", "vector4", "x y z w"},
    {"Vector4i", "vector4i", "x y z w"},
    {"Rect2", "rect2", "position.x position.y size.x size.y"},
    {"Rect2i", "rect2i", "position.x position.y size.x size.y"},
    {"Plane", "plane", "normal.x normal.y normal.z d"},
    {"Quaternion", "quaternion", "x y z w"},
    {"Quat", "quaternion", "x y z w"},
    {"Color", "color", "r g b a"},
    {"Transform2D", "transform2d", "x.x x.y y.x y.y origin.x origin.y"},
    {"AABB", "aabb", "position.x position.y position.z size.x size.y size.z"},
    {"Basis", "basis", "x.x x.y x.z y.x y.y y.z z.x z.y z.z"},
    {"Transform3D", "transform3d", axes3d},
    {"Transform", "transform3d", axes3d},
    {"Projection", "projection", "x.x x.y x.z x.w y.x y.y y.z y.w z.x z.y z.z z.w w.x w.y w.z w.w"},
};

constexpr std::pair<std::string_view, std::string_view> packed_arrays[] = {
    {"PackedInt32Array", "int"},       {"PackedInt64Array", "int"},       {"PoolIntArray", "int"},
    {"PackedFloat32Array", "float"},   {"PackedFloat64Array", "float"},   {"PoolRealArray", "float"},
    {"PackedStringArray", "String"},   {"PoolStringArray", "String"},     {"PackedVector2Array", "Vector2"},
    {"PoolVector2Array", "Vector2"},   {"PackedVector3Array", "Vector3"}, {"PoolVector3Array", "Vector3"},
    {"PackedVector4Array", "Vector4"}, {"PackedColorArray", "Color"},     {"PoolColorArray", "Color"},
};

bool is_packed_byte_array(std::string_view type) { return type == "PackedByteArray" || type == "PoolByteArray"; }

// Returns the element type of a packed array, except PackedByteArray; empty for other types.
std::string_view packed_element_type(std::string_view type) {
  for (const auto &[array, element] : packed_arrays) {
    if (array == type) return element;
  }
  return {};
}

// Returns the numbers in GDScript source, as they are written. Ignores digits in type names (Vector2).
Texts numbers_in(std::string_view text) {
  Texts numbers;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const auto is_word = [text](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    if (text[i] == '-') ++i;
    const bool is_number = i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    while (is_word(i) || (is_number && i < text.size() && (text[i] == '.' || (text[i - 1] == 'e' && text[i] != ','))))
      ++i;
    const std::string word(text.substr(start, i - start));
    if (is_number || word == "inf" || word == "-inf" || word == "nan") numbers.push_back(word);
    if (i == start) ++i;
  }
  return numbers;
}

// Returns the quoted texts in GDScript source. Unescapes `"` and `\`; control characters stay escaped.
Texts quoted_texts(std::string_view text) {
  Texts found;
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (!is_inside) found.emplace_back();
      is_inside = !is_inside;
    } else if (is_inside) {
      if (text[i] == '\\' && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
      found.back() += text[i];
    }
  }
  return found;
}

using Values = std::map<std::string, Texts>;  // values by field name

// Returns the fields that represent a leaf, with their values.
Values expected_values(std::string_view type, const std::string &text) {
  const std::string_view element = packed_element_type(type);
  const std::string_view scalar = element.empty() ? type : element;
  const Texts numbers = numbers_in(text);
  Values values;
  if (scalar == "bool") values["godot.bool"] = {text};
  if (scalar == "int") values["godot.int"] = numbers;
  if (scalar == "float") values["godot.float"] = numbers;
  if (scalar == "String") values["godot.string"] = element.empty() ? Texts{text} : quoted_texts(text);
  if (scalar == "StringName") values["godot.string_name"] = {text};
  if (scalar == "NodePath") values["godot.node_path"] = {text};
  if (scalar == "RID") values["godot.rid"] = numbers;
  if (scalar == "Object" && text.starts_with('<')) values["godot.object.id"] = numbers;
  if (scalar == "Object" && !text.starts_with('<')) values["godot.object.class"] = {text};
  if (scalar == "Signal") {
    values["godot.signal.object_id"] = numbers_in(text.substr(0, text.find(',')));
    values["godot.signal.name"] = quoted_texts(text);
  }
  for (const Composite &composite : composites) {
    if (composite.type != scalar) continue;
    const Texts components = split(composite.components, ' ');
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::string &component = components[i % components.size()];
      values["godot." + std::string(composite.field) + "." + component].push_back(numbers[i]);
    }
  }
  if (is_packed_byte_array(type)) {
    std::string hexadecimal;
    for (const std::string &number : numbers) {
      constexpr char digits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned>(std::stoi(number));
      hexadecimal += {digits[byte >> 4], digits[byte & 15]};
    }
    if (!numbers.empty()) values["godot.bytes"] = {hexadecimal};
  }
  std::erase_if(values, [](const auto &each) { return each.second.empty(); });
  return values;
}

// Returns the number of elements that .expected lists for a packed array; 0 for other values.
std::size_t element_count(std::string_view type, const std::string &text) {
  const std::string_view element = packed_element_type(type);
  if (element == "String") return quoted_texts(text).size();
  const std::size_t numbers = element.empty() && !is_packed_byte_array(type) ? 0 : numbers_in(text).size();
  const auto *const composite = std::ranges::find(composites, element, &Composite::type);
  return composite == std::end(composites) ? numbers : numbers / split(composite->components, ' ').size();
}

// True for fields that structure the tree and hold no value.
bool is_structure(std::string_view field) {
  static const std::set<std::string, std::less<>> names = {
      "godot.value",         "godot.entry",      "godot.type",       "godot.count",           "godot.shared",
      "godot.string.length", "godot.padding",    "godot.path",       "godot.path_with_value", "godot.element_type",
      "godot.key_type",      "godot.value_type", "godot.flags.wide", "godot.flags.object_id", "godot.more"};
  return !field.starts_with("godot.") || names.contains(field) || field.starts_with("godot.node_path.");
}

Values values_of(const Item &value) {
  Values values;
  walk(value, [&values](const Item &item) {
    if (item.name == "_ws.expert" || item.name == "godot.limit" || item.name == "godot.key") return false;
    if (!is_structure(item.name)) values[item.name].push_back(item.name == "godot.bytes" ? item.bytes : item.show);
    return true;
  });
  return values;
}

// Compares values that releases of Wireshark print differently: with 15 or 17 digits, as 1 or True.
bool is_same_value(std::string_view field, const std::string &expected, const std::string &shown) {
  if (expected == shown) return true;
  if (field == "godot.bool") return (expected == "true") == is_true(shown) && !shown.empty();
  const bool is_text = field.starts_with("godot.string") || field == "godot.node_path" || field == "godot.bytes" ||
                       field == "godot.object.class" || field == "godot.signal.name";
  const bool is_whole = field == "godot.int" || field == "godot.rid" || field.ends_with("id") ||
                        field.starts_with("godot.vector2i") || field.starts_with("godot.vector3i") ||
                        field.starts_with("godot.vector4i") || field.starts_with("godot.rect2i");
  if (is_text || is_whole || shown.empty()) return false;
  const double wanted = std::strtod(expected.c_str(), nullptr);
  const double got = std::strtod(shown.c_str(), nullptr);
  if (std::isnan(wanted) || std::isinf(wanted) || wanted == 0) {
    return std::isnan(wanted) ? std::isnan(got) : wanted == got && std::signbit(wanted) == std::signbit(got);
  }
  return std::abs(wanted - got) <= 1e-14 * std::abs(wanted);
}

void expect_values(const ExpectedLeaf &leaf, const Item &value) {
  const Values shown = values_of(value);
  for (auto [field, texts] : expected_values(leaf.type, leaf.text)) {
    if (!packed_element_type(leaf.type).empty()) texts.resize(std::min(texts.size(), default_max_elements));
    const auto found = shown.find(field);
    ASSERT_NE(found, shown.end()) << "no " << field;
    ASSERT_EQ(found->second.size(), texts.size()) << field;
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_PRED3(is_same_value, field, texts[i], found->second[i]) << i;
  }
  EXPECT_EQ(shown.size(), expected_values(leaf.type, leaf.text).size());
  const bool is_container = leaf.text == "[]" || leaf.text == "{}" || !packed_element_type(leaf.type).empty() ||
                            is_packed_byte_array(leaf.type);
  if (is_container && (leaf.type != "String")) {
    EXPECT_EQ(value.child_text("godot.count"), std::to_string(element_count(leaf.type, leaf.text)));
  } else {
    EXPECT_EQ(value.child("godot.count"), nullptr);
  }
}

// --- Trees -----------------------------------------------------------------------------------------------------

struct Leaf {
  std::string path;
  const Item *value;
};

std::string escaped_path_component(const std::string &key) {
  std::string part;
  for (const char character : key)
    part += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
  return part;
}

// Collects the leaves of a value. Makes their paths from the keys and indexes in the tree. The item of an entry covers
// the same bytes as its value, so only the value's children are visited.
void collect_leaves(const Item &value, const std::string &path, std::vector<Leaf> &leaves) {
  const std::string type = value.child_text("godot.type");
  const Item *const own = value.name == "godot.entry" ? value.child("godot.value") : nullptr;
  ASSERT_TRUE(own != nullptr || value.name != "godot.entry") << path;
  std::size_t index = 0;
  for (const Item &child : value.children) {
    if (type == "Dictionary" && child.name == "godot.entry") {
      collect_leaves(child, path + "/" + escaped_path_component(child.child_text("godot.key")), leaves);
      ++index;
    } else if (type == "Array" && child.name == "godot.value" && &child != own) {
      collect_leaves(child, path + "/" + std::to_string(index++), leaves);
    }
  }
  if (index == 0) {
    leaves.push_back({path, &value});
  } else {
    EXPECT_EQ(value.child_text("godot.path"), path);
    EXPECT_EQ(value.child("godot.path_with_value"), nullptr) << path;
    EXPECT_EQ(value.child_text("godot.count"), std::to_string(index)) << path;
  }
}

// Returns godot.path_with_value of the packet, except those of object properties.
Texts paths_with_values(const Item &layer) {
  Texts paths;
  walk(layer, [&paths](const Item &item) {
    if (item.name == "godot.path_with_value") paths.push_back(item.show);
    return item.child("godot.object.class") == nullptr;
  });
  return paths;
}

void expect_variant(const ExpectedPacket &expected, const Packet &packet) {
  const Item &root = *packet.layer->child("godot.value");
  EXPECT_EQ(find_all(*packet.layer, "godot.type").front(), expected.content);

  Texts paths;
  for (const ExpectedLeaf &leaf : expected.leaves) {
    if (!leaf.path.empty() && !leaf.is_whole_object()) paths.push_back(leaf.path + ":" + leaf.text);
  }
  EXPECT_EQ(paths_with_values(*packet.layer), paths);

  std::vector<Leaf> leaves;
  collect_leaves(root, "", leaves);
  ASSERT_EQ(leaves.size(), expected.leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const ExpectedLeaf &leaf = expected.leaves[i];
    SCOPED_TRACE(leaf.path + " " + leaf.type + " " + leaf.text.substr(0, 100));
    EXPECT_EQ(leaves[i].path, leaf.path);
    EXPECT_EQ(leaves[i].value->child_text("godot.path"), leaf.path);
    EXPECT_EQ(leaves[i].value->child_text("godot.type"), leaf.type);
    if (leaf.is_whole_object()) {
      EXPECT_EQ(leaves[i].value->child_text("godot.object.class"), leaf.text);
      EXPECT_FALSE(find_all(*leaves[i].value, "godot.object.property").empty());
      for (const std::string &path : find_all(*leaves[i].value, "godot.path_with_value")) {
        EXPECT_TRUE(path.starts_with(leaf.path + "/")) << path;
      }
    } else {
      expect_values(leaf, *leaves[i].value);
    }
  }
}

// True if, at that packet, more than one dialect was possible.
bool is_guessed(const Packet &packet) {
  const Texts is_guess = find_all(*packet.layer, "godot.dialect.guessed");
  return is_guess.size() == 1 && is_true(is_guess[0]);
}

void expect_packet(const ExpectedPacket &expected, const Packet &packet) {
  for (const char *const expert : {"godot.malformed", "godot.truncated", "godot.unsupported"}) {
    EXPECT_TRUE(find_all(*packet.layer, expert).empty()) << expert;
  }
  ASSERT_EQ(packet.kind, expected.kind);
  if (packet.kind == "var") {
    expect_variant(expected, packet);
  } else if (packet.kind == "raw") {
    ASSERT_NE(packet.data, nullptr);
    EXPECT_EQ(packet.data->bytes, expected.content);
  } else {
    const Item &line = packet.layer->children.at(0);
    EXPECT_EQ(line.bytes, to_hex(expected.content));
  }
}

// --- Bytes -----------------------------------------------------------------------------------------------------

bool has_no_bytes(const Item &item) {
  return item.name == "godot.dialect" || item.name == "godot.path" || item.name == "godot.path_with_value" ||
         item.name == "_ws.expert" || item.name == "godot.limit";
}

// True if the item is the value that the item of an entry covers.
bool is_entry_value(const Item &item, const Item &parent) {
  return parent.name == "godot.entry" && parent.child("godot.value") == &item;
}

// True for fields that cover the same bytes as a sibling: a NodePath and its names, bit 31 of a count, and the value of
// an entry with its content.
bool is_overlay(const Item &item, const Item &parent) {
  return item.name == "godot.shared" || is_entry_value(item, parent) ||
         (item.name == "godot.node_path" && parent.child("godot.node_path.name_count") != nullptr);
}

// Expects that the children of an item, recursively, cover each of its bytes once. Returns the bytes of the innermost
// items.
std::string expect_tiled(const Item &item) {
  std::string bytes;
  std::size_t position = item.position;
  for (const Item &child : item.children) {
    if (has_no_bytes(child) || is_overlay(child, item)) continue;
    EXPECT_EQ(child.position, position) << child.name << " in " << item.name << " at " << item.position;
    const bool is_parent = std::ranges::any_of(child.children, [](const Item &each) { return !has_no_bytes(each); });
    const bool has_flags = child.name == "godot.type";  // flags use bits of the same bytes
    if (child.name == "godot.more") {
      bytes += std::string(2 * child.size, '?');  // has a range but no value
    } else {
      bytes += is_parent && !has_flags ? expect_tiled(child) : child.bytes;
    }
    for (const Item &flag : child.children) {
      if (has_flags && !has_no_bytes(flag)) {
        EXPECT_EQ(flag.position, child.position) << flag.name;
        EXPECT_EQ(flag.size, child.size) << flag.name;
      }
    }
    position = child.position + child.size;
  }
  EXPECT_EQ(position, item.position + item.size) << item.name << " " << item.label;
  for (const Item &child : item.children) {
    if (child.name == "godot.shared") {
      EXPECT_EQ(child.position, item.child("godot.count")->position);
    } else if (is_entry_value(child, item)) {
      const Item &key = *item.child("godot.key");
      EXPECT_EQ(child.position, key.position + key.size);
      EXPECT_EQ(child.position + child.size, position);
    } else if (is_overlay(child, item)) {
      EXPECT_EQ(child.position, item.child("godot.node_path.name_count")->position);
      EXPECT_EQ(child.position + child.size, position);
    }
  }
  return bytes;
}

// Expects that the items of a packet cover each of its bytes once, and returns the bytes.
std::string expect_all_bytes_shown(const Packet &packet) {
  SCOPED_TRACE("frame " + packet.frame);
  if (packet.kind != "raw") return expect_tiled(*packet.layer);
  const Item *const length = packet.layer->child("godot.length");
  const std::size_t prefix = length == nullptr ? 0 : length->size;
  EXPECT_NE(packet.data, nullptr);
  if (packet.data == nullptr) return {};
  EXPECT_EQ(packet.data->position, packet.layer->position + prefix);
  EXPECT_EQ(packet.data->size, packet.layer->size - prefix);
  return (length == nullptr ? "" : length->bytes) + packet.data->bytes;
}

// --- Tests -----------------------------------------------------------------------------------------------------

class EveryVariantCapture : public testing::TestWithParam<Capture> {};

TEST_P(EveryVariantCapture, IsDecodedAsTheEngineWroteIt) {
  const Capture &capture = GetParam();
  const std::vector<Item> frames = read_details(capture.path, capture.options());
  const std::vector<Packet> packets = packets_of(frames, capture);
  const auto packets_from = by_sender(packets);
  std::map<std::string, std::size_t> next;
  const std::vector<ExpectedPacket> all_expected = read_expected(capture);
  ASSERT_FALSE(all_expected.empty());
  for (const ExpectedPacket &expected : all_expected) {
    ASSERT_TRUE(packets_from.contains(expected.from)) << expected.from;
    const std::size_t index = next[expected.from]++;
    ASSERT_LT(index, packets_from.at(expected.from).size()) << expected.from;
    const Packet &packet = *packets_from.at(expected.from)[index];
    SCOPED_TRACE("frame " + packet.frame + ", expected " + expected.kind + " " + expected.content.substr(0, 100));
    EXPECT_FALSE(is_guessed(packet));  // the first packet decides the dialect
    expect_packet(expected, packet);
    if (packet.kind == "var") {
      EXPECT_EQ(packet.layer->child_text("godot.dialect"), capture.is_godot3() ? "Godot 3" : "Godot 4");
    }
  }
  for (const auto &[from, list] : packets_from) EXPECT_EQ(list.size(), next[from]) << "packets of " << from;
}

TEST_P(EveryVariantCapture, EachByteIsInExactlyOneItem) {
  const Capture &capture = GetParam();
  const std::vector<Item> frames = read_details(capture.path, capture.options());
  std::size_t checked = 0;
  for (const Packet &packet : packets_of(frames, capture)) {
    if (packet.layer->name != "godot") continue;
    const std::string bytes = expect_all_bytes_shown(packet);
    EXPECT_EQ(bytes.size(), 2 * packet.layer->size) << packet.frame;
    walk(*packet.layer, [](const Item &item) {  // and the tree contains nothing but fields
      EXPECT_TRUE(item.name.starts_with("godot") || item.name.starts_with("_ws.expert")) << item.label;
      return true;
    });
    if (capture.is_udp()) {
      EXPECT_EQ(bytes, packet.payload) << packet.frame;
    }
    ++checked;
  }
  EXPECT_GT(checked, 10U);
}

TEST_P(EveryVariantCapture, LooksTheSameInOneAndTwoPasses) {
  const Capture &capture = GetParam();
  Texts options = capture.options();
  options.insert(options.end(), {"-P", "-O", "godot,data,data-text-lines"});
  const auto lines = [&capture](const Texts &all) {
    Texts kept = lines_of(tshark(capture.path, all));
    std::erase_if(kept, [](const std::string &line) {  // a second pass has more of these lines
      const auto is_of = [&](const char *start) { return line.find(start) != std::string::npos; };
      return is_of("[Reassembled PDU in frame") || is_of("  [Release: ") || is_of("  [Evidence: ");
    });
    return kept;
  };
  const Texts one_pass = lines(options);
  options.emplace_back("-2");
  const Texts two_passes = lines(options);
  ASSERT_GT(one_pass.size(), 100U);
  for (std::size_t i = 0; i < std::min(one_pass.size(), two_passes.size()); ++i) {
    ASSERT_EQ(one_pass[i], two_passes[i]) << "line " << i;
  }
  EXPECT_EQ(one_pass.size(), two_passes.size());
}

TEST(CaptureScenarios, AreAllCaptured) {
  std::map<std::string_view, int> engines;
  for (const Capture &capture : captures()) ++engines[capture.scenario.name];
  for (const Scenario &scenario : scenarios) EXPECT_EQ(engines[scenario.name], scenario.name == "typed" ? 1 : 3);
}

INSTANTIATE_TEST_SUITE_P(engines, EveryVariantCapture, testing::ValuesIn(captures()), name_of<Capture>);

// --- Streams with lost segments --------------------------------------------------------------------------------

struct Segment {
  std::size_t frame = 0;  // index in the capture
  std::string from;
  std::uint32_t sequence = 0;
  std::string payload;
};

// Returns the segments with data. Each capture has one connection over Ethernet.
std::vector<Segment> segments_of(const Pcap &pcap, const Capture &capture) {
  constexpr std::size_t ip = 14;
  const auto big = [](std::string_view text, std::size_t offset, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(text.at(offset + i));
    return value;
  };
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < pcap.frames.size(); ++i) {
    const std::string &frame = pcap.frames[i];
    const std::size_t header = ip + 4 * (big(frame, ip, 1) & 0xf);
    const std::size_t content = header + 4 * (big(frame, header + 12, 1) >> 4);
    const std::size_t end = ip + big(frame, ip + 2, 2);
    if (end <= content) continue;
    const bool is_server = big(frame, header, 2) == static_cast<std::uint32_t>(capture.scenario.port);
    segments.push_back(
        {i, is_server ? "server" : "client", big(frame, header + 4, 4), frame.substr(content, end - content)});
  }
  return segments;
}

struct Message {
  std::size_t begin = 0;  // offset of the length prefix in the sender's stream
  std::size_t end = 0;
  std::string bytes;
};

struct Stream {
  std::string bytes;
  std::vector<Message> messages;
};

std::map<std::string, Stream> streams_of(const std::vector<Segment> &segments) {
  std::map<std::string, Stream> streams;
  for (const Segment &segment : segments) streams[segment.from].bytes += segment.payload;
  for (auto &[from, stream] : streams) {
    for (std::size_t begin = 0; begin < stream.bytes.size();) {
      const std::size_t end = begin + 4 + read_u32(stream.bytes, begin);
      stream.messages.push_back({begin, end, to_hex(stream.bytes.substr(begin, end - begin))});
      begin = end;
    }
  }
  return streams;
}

// Returns the frames whose segments end within the length prefix of a message.
std::set<std::size_t> frames_that_split_a_length(const std::vector<Segment> &segments,
                                                 const std::map<std::string, Stream> &streams) {
  std::set<std::size_t> frames;
  std::map<std::string, std::size_t> ends;
  for (const Segment &segment : segments) {
    const std::size_t end = ends[segment.from] += segment.payload.size();
    const bool is_cut = std::ranges::any_of(streams.at(segment.from).messages, [end](const Message &message) {
      return message.begin < end && end < message.begin + 4;
    });
    if (is_cut) frames.insert(segment.frame);
  }
  return frames;
}

using MessagesFrom = std::map<std::string, Texts>;

// The packets that the plugin decoded, as bytes. Omits bytes that could not be decoded.
struct Reading {
  MessagesFrom messages;
  std::map<std::string, std::size_t> skipped;  // number of skipped bytes
  std::size_t malformed = 0;
};

Reading read_packets(const Capture &capture, const Pcap &pcap, const std::string &name, const Texts &more_options) {
  const fs::path path = scratch_folder() / (capture.name + "." + name + ".pcap");
  pcap.save(path);
  Texts options = capture.options();
  options.insert(options.end(), {"-o", "godot.max_elements:0"});  // so that the tree shows a value for each byte
  options.insert(options.end(), more_options.begin(), more_options.end());
  const std::vector<Item> frames = read_details(path, options);
  Reading reading;
  for (const Packet &packet : packets_of(frames, capture)) {
    if (packet.kind == "var") reading.messages[packet.from].push_back(expect_tiled(*packet.layer));
    reading.malformed += find_all(*packet.layer, "godot.malformed").size();
    const Texts lengths = find_all(*packet.layer, "godot.skipped.length");
    EXPECT_EQ(find_all(*packet.layer, "godot.skipped.gap").size(), lengths.size()) << packet.frame;
    for (const std::string &length : lengths) reading.skipped[packet.from] += std::stoul(length);
  }
  return reading;
}

MessagesFrom whole_messages(const std::map<std::string, Stream> &streams) {
  MessagesFrom result;
  for (const auto &[from, stream] : streams) {
    for (const Message &message : stream.messages) result[from].push_back(message.bytes);
  }
  return result;
}

// Reports only the first difference between two sequences of packets, because both are long.
void expect_same_messages(const MessagesFrom &messages, const MessagesFrom &expected) {
  for (const auto &[from, wanted] : expected) {
    const auto found = messages.find(from);
    ASSERT_NE(found, messages.end()) << from;
    const auto [got, want] = std::ranges::mismatch(found->second, wanted);
    const auto index = want - wanted.begin();
    EXPECT_TRUE(got == found->second.end() && want == wanted.end())
        << "packet " << index << " from " << from << " is " << (got == found->second.end() ? "missing" : *got)
        << "\ninstead of " << (want == wanted.end() ? "none" : *want);
    EXPECT_EQ(found->second.size(), wanted.size());
  }
}

class EveryTcpCapture : public testing::TestWithParam<Capture> {
 protected:
  void SetUp() override {
    pcap_ = pcap_of(GetParam().path);
    segments_ = segments_of(pcap_, GetParam());
    streams_ = streams_of(segments_);
    ASSERT_GT(segments_.size(), 100U);
    ASSERT_EQ(streams_.size(), 2U);
  }

  Pcap pcap_;
  std::vector<Segment> segments_;
  std::map<std::string, Stream> streams_;
};

const Texts reassemble_out_of_order = {"-o", "tcp.reassemble_out_of_order:TRUE"};

TEST_P(EveryTcpCapture, ReassembleOutOfOrderPreferenceChangesNothing) {
  const MessagesFrom expected = whole_messages(streams_);
  expect_same_messages(read_packets(GetParam(), pcap_, "plain", {}).messages, expected);
  expect_same_messages(read_packets(GetParam(), pcap_, "plain", reassemble_out_of_order).messages, expected);
}

TEST_P(EveryTcpCapture, IgnoresRepeatedSegments) {
  // 4.6.9 loses the data after a duplicate segment that ends within a length. DNS over TCP is affected, too.
  const std::set<std::size_t> once =
      WIRESHARK_RELEASE >= 46 ? frames_that_split_a_length(segments_, streams_) : std::set<std::size_t>();
  Pcap repeated = {pcap_.linktype, {}};
  for (std::size_t i = 0; i < pcap_.frames.size(); ++i) {
    repeated.frames.insert(repeated.frames.end(), once.contains(i) ? 1 : 2, pcap_.frames[i]);
  }
  for (const Texts &options : {Texts(), reassemble_out_of_order}) {
    const Reading reading = read_packets(GetParam(), repeated, "repeated", options);
    expect_same_messages(reading.messages, whole_messages(streams_));
    EXPECT_TRUE(reading.skipped.empty());
    EXPECT_EQ(reading.malformed, 0U);
  }
}

TEST_P(EveryTcpCapture, OutOfOrderSegmentsAreReordered) {
  Pcap swapped = pcap_;
  std::size_t swaps = 0;
  // The first two segments are not swapped, because segments can only be out of order after the stream has begun.
  for (std::size_t i = 2; i + 1 < segments_.size(); i += 3) {
    if (segments_[i].from != segments_[i + 1].from) continue;
    std::swap(swapped.frames[segments_[i].frame], swapped.frames[segments_[i + 1].frame]);
    ++swaps;
  }
  ASSERT_GT(swaps, 20U);
  const Reading reading = read_packets(GetParam(), swapped, "swapped", reassemble_out_of_order);
  expect_same_messages(reading.messages, whole_messages(streams_));
  EXPECT_TRUE(reading.skipped.empty());
  EXPECT_EQ(reading.malformed, 0U);
}

// Computes the messages that must be decoded from one sender's stream if segments are lost.
//
// If a packet lost some bytes but not its length, the plugin still knows where the next packet begins. If a packet lost
// its length, the plugin must find the next boundary. It must do so no later than at the next packet that lies within
// one segment.
class LossyStream {
 public:
  LossyStream(const Stream &stream, const std::vector<bool> &is_captured, const std::set<std::size_t> &segment_starts) {
    bool is_boundary_known = true;
    for (const Message &message : stream.messages) {
      const auto begin = is_captured.begin() + static_cast<std::ptrdiff_t>(message.begin);
      const auto end = is_captured.begin() + static_cast<std::ptrdiff_t>(message.end);
      const auto first_lost = std::find(begin, end, false);
      const bool is_in_one_segment =
          segment_starts.upper_bound(message.begin) == segment_starts.lower_bound(message.end);
      if (first_lost == end) {
        if (is_in_one_segment) is_boundary_known = true;
        messages_.push_back({message.bytes, is_boundary_known});
      } else if (first_lost < begin + 4) {
        // The plugin may keep the bytes before the gap as the beginning of a length. It always skips the bytes after
        // the gap.
        least_skipped_ += static_cast<std::size_t>(std::count(first_lost, end, true));
        optional_ += static_cast<std::size_t>(first_lost - begin);
        is_boundary_known = false;
      } else if (!is_boundary_known) {
        optional_ += static_cast<std::size_t>(std::count(begin, end, true));
      }
    }
  }

  void check(const Texts &messages, std::size_t skipped) const {
    std::size_t passed_over = least_skipped_;
    auto next = messages.begin();
    for (const auto &[bytes, is_required] : messages_) {
      if (next != messages.end() && *next == bytes) {
        ++next;
        continue;
      }
      EXPECT_FALSE(is_required) << "missing: " << bytes << "\ninstead: " << (next == messages.end() ? "none" : *next);
      passed_over += bytes.size() / 2;
    }
    EXPECT_TRUE(next == messages.end()) << "never sent: " << *next;
    EXPECT_GE(skipped, passed_over);
    EXPECT_LE(skipped, passed_over + optional_);
  }

 private:
  struct ExpectedMessage {
    std::string bytes;
    bool is_required;
  };

  std::vector<ExpectedMessage> messages_;
  std::size_t least_skipped_ = 0;
  std::size_t optional_ = 0;  // number of bytes that the plugin may skip, or keep as the beginning of a packet
};

void expect_messages_outside_losses(const Capture &capture, const Pcap &pcap, const std::vector<Segment> &segments,
                                    const std::map<std::string, Stream> &streams, const std::set<std::size_t> &lost) {
  std::map<std::string, std::vector<bool>> is_captured;
  std::map<std::string, std::set<std::size_t>> segment_starts;
  std::set<std::size_t> lost_frames;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool is_lost = lost.contains(i);
    if (is_lost) lost_frames.insert(segments[i].frame);
    std::vector<bool> &bytes = is_captured[segments[i].from];
    segment_starts[segments[i].from].insert(bytes.size());
    bytes.insert(bytes.end(), segments[i].payload.size(), !is_lost);
  }
  Pcap rest = {pcap.linktype, {}};
  for (std::size_t i = 0; i < pcap.frames.size(); ++i) {
    if (!lost_frames.contains(i)) rest.frames.push_back(pcap.frames[i]);
  }
  Reading reading = read_packets(capture, rest, "lossy", {});
  for (const auto &[from, stream] : streams) {
    SCOPED_TRACE(from);
    LossyStream(stream, is_captured[from], segment_starts[from]).check(reading.messages[from], reading.skipped[from]);
  }
  EXPECT_EQ(reading.malformed, 0U);
}

TEST_P(EveryTcpCapture, MessagesOutsideLostSegmentsAreDecoded) {
  constexpr std::size_t stride = 16;
  for (const std::size_t first : {3U, 7U, 11U, 15U}) {
    SCOPED_TRACE("every 16th segment lost, from the one with index " + std::to_string(first));
    std::set<std::size_t> lost;
    for (std::size_t i = first; i < segments_.size(); i += stride) lost.insert(i);
    expect_messages_outside_losses(GetParam(), pcap_, segments_, streams_, lost);
  }
}

TEST_P(EveryTcpCapture, MessagesOutsideALostFullSegmentAreDecoded) {
  std::size_t full = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].payload.size() < 1000) continue;
    if (full++ % 3 != 0) continue;  // checking each one would take too long
    SCOPED_TRACE("frame " + std::to_string(segments_[i].frame + 1) + " lost");
    expect_messages_outside_losses(GetParam(), pcap_, segments_, streams_, {i});
  }
  EXPECT_GT(full, 15U);
}

std::vector<Capture> streams() {
  std::vector<Capture> found = captures();
  std::erase_if(found, [](const Capture &capture) { return !capture.is_tcp(); });
  return found;
}

INSTANTIATE_TEST_SUITE_P(engines, EveryTcpCapture, testing::ValuesIn(streams()), name_of<Capture>);

}  // namespace
}  // namespace godot_codec::test
