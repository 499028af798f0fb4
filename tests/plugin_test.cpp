// SPDX-License-Identifier: GPL-2.0-or-later
// The plugin in tshark with handmade packets: preferences, dialects, damage, limits, and control characters on the
// terminal.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
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

constexpr Ports to_server = {50001, 5005};
const Texts udp_port = {"-o", "godot.udp.port:5005"};
const Texts tcp_port = {"-o", "godot.tcp.port:5005"};

// --- Variants in bytes (type numbers of Godot 4) ---------------------------------------------------------------

std::string reals(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += f32(static_cast<float>(i) + 0.5F);
  return bytes;
}

std::string packed_ints(std::size_t count) {
  std::string bytes = u32(30) + u32_size(count);
  for (std::size_t i = 0; i < count; ++i) bytes += u32(static_cast<std::uint32_t>(i));
  return bytes;
}

// --- Captures --------------------------------------------------------------------------------------------------

fs::path datagrams(const Texts &payloads, Ports ports = to_server) {
  Pcap pcap;
  for (const std::string &payload : payloads) pcap.frames.push_back(udp(ports, payload));
  return saved(pcap);
}

fs::path stream(const std::string &bytes, std::size_t segment_size = 1400) {
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  conversation.send(bytes, segment_size);
  return saved(conversation.pcap());
}

fs::path engine_capture(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Returns the fields of the frames that the plugin decodes.
Rows godot_fields(const fs::path &capture, const Texts &options, const Texts &fields, const Limits &limits = {}) {
  return read_fields(capture, Texts{"-Y", "godot"} + options, fields, limits);
}

// --- Dialects --------------------------------------------------------------------------------------------------

const std::string color_of_godot3 = u32(14) + reals(4);  // a Plane in Godot 4
const std::string aabb_of_godot3 = u32(11) + reals(6);   // a Transform2D in Godot 4
const std::string only_godot3 = u32(18) + u32(1) + string("a") + integer(1);
const std::string only_docs = u32(18) + u32(1) + string("a") + u32(22) + u32(1) + u64(7);

// Compares dialect, guessed flag and type of a frame.
void expect_dialect(const Texts &row, const std::string &dialect, bool is_guessed, const std::string &type) {
  ASSERT_EQ(row.size(), 3U);
  EXPECT_EQ(row[0], dialect);
  EXPECT_EQ(is_true(row[1]), is_guessed) << row[1];
  EXPECT_EQ(split(row[2], between_occurrences).front(), type);
}

const Texts dialect_fields = {"godot.dialect", "godot.dialect.guessed", "godot.type"};

TEST(VariantDialect, IsMarkedGuessedUntilADecisivePacket) {
  for (const char *const passes : {"", "-2"}) {
    const Texts options = passes[0] == '\0' ? Texts() : Texts{passes};
    const fs::path whole = engine_capture("udp_types_godot3.6");
    const fs::path rest = scratch_folder() / "udp_types.rest.pcapng";
    ASSERT_EQ(run(EDITCAP, {whole, rest, "1"}).status, 0);  // without the first message, which decides the dialect
    const Rows rows = godot_fields(rest, udp_port + options, dialect_fields);
    ASSERT_GT(rows.size(), 200U);
    expect_dialect(rows[0], "Godot 4", true, "Plane");        // sent as a Color
    expect_dialect(rows[1], "Godot 4", true, "Transform2D");  // may also be an AABB
    expect_dialect(rows[2], "Godot 3", false, "Quat");        // 16 bytes, but Godot 4's type 10 has 12
    expect_dialect(*(rows.end() - 3), "Godot 3", false, "Color");
    expect_dialect(*(rows.end() - 2), "Godot 3", false, "AABB");
    expect_dialect(*(rows.end() - 1), "Godot 3", false, "Quat");
  }
}

TEST(VariantDialect, IsNotMarkedGuessedIfAllDialectsReadTheSame) {
  const Rows rows = godot_fields(datagrams({nil(), integer(7), string("a")}), udp_port, dialect_fields);
  ASSERT_EQ(rows.size(), 3U);
  expect_dialect(rows[0], "Godot 4", false, "Nil");
  expect_dialect(rows[1], "Godot 4", false, "int");
  expect_dialect(rows[2], "Godot 4", false, "String");
}

TEST(VariantDialect, IsTakenFromTheServersOtherConversations) {
  Pcap pcap;
  pcap.frames = {udp({50001, 5005}, only_godot3), udp({50002, 5005}, color_of_godot3),
                 udp({5005, 50003}, aabb_of_godot3), udp({50001, 5006}, color_of_godot3)};
  const Rows rows = godot_fields(saved(pcap), {"-o", "godot.udp.port:5005-5006"}, dialect_fields);
  ASSERT_EQ(rows.size(), 4U);
  expect_dialect(rows[0], "Godot 3", false, "Dictionary");
  expect_dialect(rows[1], "Godot 3", false, "Color");
  expect_dialect(rows[2], "Godot 3", false, "AABB");
  expect_dialect(rows[3], "Godot 4", true, "Plane");  // another server
}

TEST(VariantDialect, PacketInDocumentedFormatIsDetected) {
  const std::string vectors = u32(27) + u32(1) + reals(3);
  const Rows rows = godot_fields(datagrams({only_docs, color_of_godot3, vectors}), udp_port,
                                 dialect_fields + Texts{"godot.int", "godot.vector3.y"});
  ASSERT_EQ(rows.size(), 3U);
  expect_dialect({rows[0].begin(), rows[0].begin() + 3}, "docs table", false, "Dictionary");
  EXPECT_EQ(rows[0][3], "7");
  EXPECT_EQ(rows[1][2], "Color");
  expect_dialect({rows[2].begin(), rows[2].begin() + 3}, "docs table", false, "PackedVector3Array");
  EXPECT_EQ(std::stod(rows[2][4]), 1.5);
}

TEST(VariantDialect, PreferenceSelectsTheDialect) {
  const std::string packet = u32(23) + u32(1) + u32(0);  // exact in all three
  const struct {
    const char *choice;
    const char *name;
    const char *type;
    const char *field;
    const char *value;
  } rows[] = {
      {"auto", "Godot 3", "PoolStringArray", "godot.string.length", "0"},  // no game sends a RID
      {"4", "Godot 4", "RID", "godot.rid", "1"},
      {"3", "Godot 3", "PoolStringArray", "godot.string.length", "0"},
      {"docs", "docs table", "PackedFloat32Array", "godot.float", "0"},
  };
  const fs::path capture = datagrams({packet});
  for (const auto &row : rows) {
    SCOPED_TRACE(row.choice);
    const Rows read = godot_fields(capture, udp_port + Texts{"-o", "godot.dialect:"s + row.choice},
                                   {"godot.dialect", "godot.type", row.field, "godot.dialect.guessed"});
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0][0], row.name);
    EXPECT_EQ(read[0][1], row.type);
    EXPECT_EQ(std::stod(read[0][2]), std::stod(row.value));
    if (row.choice == "auto"s) {
      EXPECT_TRUE(is_true(read[0][3]));
    }
  }
}

TEST(VariantDialect, RealsAre64BitByFlagOrPreference) {
  const fs::path flagged = datagrams({u32(0x10005) + f64(1.5) + f64(-2)});
  const fs::path unflagged = datagrams({u32(5) + f64(1.5) + f64(-2)});
  const Texts fields = {"godot.vector2.x", "godot.vector2.y", "godot.flags.wide", "godot.malformed", "godot.trailing"};
  const struct {
    fs::path capture;
    Texts options;
    bool is_flagged;
  } rows[] = {{flagged, {}, true},
              {flagged, {"-o", "godot.real:double"}, true},
              {unflagged, {"-o", "godot.real:double"}, false}};
  for (const auto &row : rows) {
    const Rows read = godot_fields(row.capture, udp_port + row.options, fields);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0][0], "1.5");
    EXPECT_EQ(read[0][1], "-2");
    EXPECT_EQ(is_true(read[0][2]), row.is_flagged);
    EXPECT_EQ(read[0][3] + read[0][4], "");
  }
  const fs::path narrow = datagrams({u32(5) + f32(1.5F) + f32(-2)});
  const Rows read = godot_fields(narrow, udp_port + Texts{"-o", "godot.real:flag"}, fields);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0][0], "1.5");
}

// --- Trees, paths, filters -------------------------------------------------------------------------------------

TEST(VariantTree, PackedArrayElementsAreShownUpToThePreference) {
  const std::string bytes = u32(29) + text(std::string(1500, 'x'));  // never limited, because it is one item
  const fs::path capture = stream(in_stream(packed_ints(1500)) + in_stream(bytes));
  const struct {
    Texts options;
    std::size_t shown;
  } rows[] = {{{}, 1000}, {{"-o", "godot.max_elements:0"}, 1500}, {{"-o", "godot.max_elements:2"}, 2}};
  for (const auto &row : rows) {
    const Rows read = godot_fields(capture, tcp_port + row.options, {"godot.int", "godot.count", "godot.bytes"});
    SCOPED_TRACE(row.shown);
    Texts ints;
    Texts counts;
    std::size_t byte_count = 0;
    for (const Texts &columns : read) {
      ints = ints + occurrences(columns[0]);
      counts = counts + occurrences(columns[1]);
      byte_count += columns[2].size() / 2;
    }
    EXPECT_EQ(ints.size(), row.shown);
    EXPECT_EQ(ints.back(), std::to_string(row.shown - 1));
    EXPECT_EQ(counts, (Texts{"1500", "1500"}));
    EXPECT_EQ(byte_count, 1500U);
  }
}

TEST(VariantTree, PathWithValueCanBeFiltered) {
  const std::string filter = R"(godot.path_with_value == "/player/hp:87")";
  const Texts lines = lines_of(tshark(engine_capture("game_godot4.6"), {"-o", "godot.udp.port:5009", "-Y", filter}));
  ASSERT_EQ(lines.size(), 2U);  // the number of occurrences in game_godot4.6.expected
  for (const std::string &line : lines) EXPECT_NE(line.find(R"(cmd: "hit")"), std::string::npos) << line;
}

TEST(VariantTree, KeysInPathsAreEscaped) {
  const std::string packet = dictionary({{string("a/b"), dictionary({{string("~x"), integer(1)}})},
                                         {string("~1"), integer(2)},
                                         {integer(3), array({nil(), string("x")})}});
  const Rows rows = godot_fields(datagrams({packet}), udp_port, {"godot.path_with_value", "godot.key"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(occurrences(rows[0][0]), (Texts{"/a~1b/~0x:1", "/~01:2", "/3/0:null", "/3/1:x"}));
  EXPECT_EQ(occurrences(rows[0][1]), (Texts{"a/b", "~x", "~1", "3"}));
}

std::size_t indentation(const std::string &line) { return line.find_first_not_of(' '); }

TEST(VariantTree, ItemsAreShortAndNameTheirContent) {
  const struct {
    const char *name;
    std::string value;
    const char *label;
  } entries[] = {
      {"nothing", nil(), "nothing: null"},
      {"flag", u32(1) + u32(1), "flag: true"},
      {"count", integer(-7), "count: -7"},
      {"large", u32(0x10002) + u64(1ULL << 40), "large: 1099511627776"},
      {"ratio", u32(3) + f32(0.1F), "ratio: 0.1"},
      {"title", string("Bo's \"map\""), R"(title: "Bo's \"map\"")"},
      {"pos", u32(5) + f32(10.5F) + f32(-3), "pos: Vector2(10.5, -3)"},
      {"cell", u32(6) + u32(1) + u32(static_cast<std::uint32_t>(-2)), "cell: Vector2i(1, -2)"},
      {"area", u32(7) + reals(4), "area: Rect2(0.5, 1.5, 2.5, 3.5)"},
      {"place", u32(9) + reals(3), "place: Vector3(0.5, 1.5, 2.5)"},
      {"frame", u32(11) + reals(6), "frame: Transform2D(Vector2(0.5, 1.5), Vector2(2.5, 3.5), Vector2(4.5, 5.5))"},
      {"four", u32(12) + reals(4), "four: Vector4(0.5, 1.5, 2.5, 3.5)"},
      {"floor", u32(14) + reals(4), "floor: Plane(0.5, 1.5, 2.5, 3.5)"},
      {"turn", u32(15) + reals(4), "turn: Quaternion(0.5, 1.5, 2.5, 3.5)"},
      {"box", u32(16) + reals(6), "box: AABB(Vector3(0.5, 1.5, 2.5), Vector3(3.5, 4.5, 5.5))"},
      {"color", u32(20) + reals(4), "color: Color(0.5, 1.5, 2.5, 3.5)"},
      {"resource", u32(23) + u64(77), "resource: RID(77)"},
      {"owner", u32(0x10018) + u64(12345), "owner: <Object#12345>"},
      {"action", u32(21) + text("jump"), R"(action: &"jump")"},
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto &entry : entries) pairs.emplace_back(string(entry.name), entry.value);
  const fs::path capture = datagrams({dictionary(pairs)});
  const Texts lines = lines_of(tshark(capture, udp_port + Texts{"-V"}));
  for (const auto &entry : entries) {
    SCOPED_TRACE(entry.name);
    const auto is_label = [&entry](const std::string &line) {
      return line.substr(std::min(indentation(line), line.size())) == entry.label;
    };
    const auto begin = std::ranges::find_if(lines, is_label);
    ASSERT_NE(begin, lines.end()) << entry.label;
    const auto end = std::find_if(begin + 1, lines.end(), [begin](const std::string &line) {
      return line.empty() || indentation(line) <= indentation(*begin);
    });
    EXPECT_LE(end - begin, 15);
    EXPECT_GE(end - begin, 5);
  }
}

TEST(VariantTree, DecodeAsAndPreferencesShowTheSame) {
  const struct {
    const char *capture;
    Texts preference;
    const char *decode_as;
  } rows[] = {{"udp_types_godot4.6", udp_port, "udp.port==5005,godot"},
              {"tcp_types_godot4.6", {"-o", "godot.tcp.port:5006"}, "tcp.port==5006,godot"}};
  const Texts fields = {"frame.number", "godot.type", "godot.path_with_value"};
  for (const auto &row : rows) {
    const fs::path capture = engine_capture(row.capture);
    const Rows expected = godot_fields(capture, row.preference, fields);
    EXPECT_GT(expected.size(), 50U);
    EXPECT_EQ(godot_fields(capture, {"-d", row.decode_as}, fields), expected);
    const Texts no_heuristics = {"--disable-heuristic", "godot_udp", "--disable-heuristic", "godot_tcp"};
    EXPECT_TRUE(godot_fields(capture, no_heuristics, fields).empty()) << "no port is Godot's by default";
  }
}

// --- Fields ----------------------------------------------------------------------------------------------------

TEST(FilterFields, HaveTheDocumentedTypesAndProperNames) {
  const Output output = run(TSHARK, {"-G", "fields"});
  ASSERT_EQ(output.status, 0) << output.err;
  std::map<std::string, std::string> types;
  for (const std::string &line : lines_of(output.out)) {
    const Texts columns = split(line, '\t');  // columns: F, name, abbreviation, type, protocol, base, mask, blurb
    if (columns[0] != "F" || columns.size() < 7) continue;
    const bool is_ours = columns[4] == "enet" || columns[4].starts_with("godot") || columns[2].starts_with("godot");
    if (!is_ours) continue;
    EXPECT_TRUE(columns[2].starts_with(columns[4] + ".")) << line;
    EXPECT_EQ(columns[2].find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."), std::string::npos) << line;
    EXPECT_TRUE(types.emplace(columns[2], columns[3]).second) << "twice: " << line;
    if (columns.size() > 7) {
      EXPECT_NE(columns[7], columns[1]) << line;
    }
  }
  const std::pair<const char *, const char *> documented[] = {
      {"FT_NONE", "entry malformed truncated limit unsupported"},
      {"FT_UINT32", "length string.length node_path.name_count node_path.subname_count node_path.flags count"},
      {"FT_STRING",
       "dialect type string string_name node_path object.class object.property signal.name element_type key_type "
       "value_type key value path path_with_value"},
      {"FT_BOOLEAN", "dialect.guessed flags.wide flags.object_id bool shared"},
      {"FT_INT64", "int object.id signal.object_id"},
      {"FT_UINT64", "rid"},
      {"FT_BYTES", "padding bytes"},
      {"FT_DOUBLE",
       "float vector2.x vector2.y vector3.z vector4.w rect2.position.x rect2.size.y transform2d.x.y "
       "transform2d.origin.y "
       "plane.normal.z plane.d quaternion.w aabb.position.x aabb.size.z basis.y.x basis.z.z transform3d.basis.x.y "
       "transform3d.origin.z projection.x.w projection.w.w color.r color.g color.b color.a"},
      {"FT_INT32", "vector2i.x vector2i.y vector3i.z vector4i.w rect2i.position.x rect2i.size.y"},
  };
  for (const auto &[type, names] : documented) {
    for (const std::string &name : split(names, ' ')) EXPECT_EQ(types["godot." + name], type) << name;
  }
}

// --- Damage ----------------------------------------------------------------------------------------------------

constexpr std::string_view expert_items[] = {
    "godot.malformed",       "godot.truncated",    "godot.limit",    "godot.unsupported",
    "godot.padding_nonzero", "godot.invalid_utf8", "godot.trailing", "godot.bool_value",
};

// Returns the expert items of `expert_items` that a frame has.
Texts expert_items_of(const Item &frame) {
  std::set<std::string> found;
  walk(frame, [&found](const Item &item) {
    if (std::ranges::find(expert_items, item.name) != std::end(expert_items)) found.insert(item.name.substr(6));
    return true;
  });
  return {found.begin(), found.end()};
}

struct DamagedVariant {
  const char *what;
  std::string bytes;
  Texts expert_items;  // in alphabetical order
  // True if the decoded part is too short to distinguish the packet from a custom payload. Ignored if a preference or
  // Decode As selects Godot 4.
  bool is_raw = false;
};

const DamagedVariant damaged_variants[] = {
    {"a String", string("abcd"), {}},
    {"its length past the end", u32(4) + u32(100) + "abcd", {"malformed"}, true},
    {"its length past all ends", u32(4) + u32(0xffffffff) + "abcd", {"malformed"}, true},
    {"without its padding", u32(4) + u32(5) + "abcde", {"malformed"}, true},
    {"an Array", array({integer(1), integer(2)}), {}},
    {"a count of 2^31-1", u32(28) + u32(0x7fffffff) + integer(1), {"malformed"}, true},
    {"an element missing", u32(28) + u32(2) + integer(1), {"malformed"}},
    {"a Dictionary", dictionary({{string("a"), nil()}}), {}},
    {"a count of 2^31-1 entries", u32(27) + u32(0x7fffffff) + string("a") + nil(), {"malformed"}, true},
    {"entries missing", u32(27) + u32(3) + string("a") + nil(), {"malformed"}, true},
    {"a packed array", packed_ints(2), {}},
    {"a packed count of 2^31-1", u32(30) + u32(0x7fffffff) + u32(1), {"malformed"}, true},
    {"an element's type unknown", array({u32(unknown_type)}), {"unsupported"}, true},
    {"an element's type the last known", array({u32(38) + u32(0)}), {}},
    {"padding of zeros", u32(4) + text("a"), {}},
    {"padding of others", u32(4) + text("a", '\1'), {"padding_nonzero"}},
    {"UTF-8", string("\xc3\xbc"), {}},
    {"no UTF-8", string("\xff\xfe"), {"invalid_utf8"}, true},
    {"a UTF-16 surrogate", string("\xed\xa0\x80"), {"invalid_utf8"}, true},
    {"the end", dictionary({}), {}},
    {"bytes behind the end", dictionary({}) + u32(0), {"trailing"}, true},
    {"true", u32(1) + u32(1), {}},
    {"truer than true", u32(1) + u32(2), {"bool_value"}, true},
    // Padding is reported once per conversation.
    {"nested damage",
     dictionary({{string("a"), array({u32(4) + text("a", '\1'), u32(1) + u32(0x100)})}}),
     {"bool_value"}},
};

TEST(MalformedVariant, EachDamagedVariantIsReported) {
  Texts payloads;
  for (const DamagedVariant &each : damaged_variants) payloads.push_back(each.bytes);
  const fs::path capture = datagrams(payloads);
  for (const Texts &dialect : {Texts(), Texts{"-o", "godot.dialect:4"}}) {
    const std::vector<Item> frames = read_details(capture, udp_port + dialect);
    ASSERT_EQ(frames.size(), payloads.size());
    for (std::size_t i = 0; i < payloads.size(); ++i) {
      const bool is_raw = damaged_variants[i].is_raw && dialect.empty();
      EXPECT_EQ(expert_items_of(frames[i]), is_raw ? Texts{} : damaged_variants[i].expert_items)
          << damaged_variants[i].what << (dialect.empty() ? "" : ", dialect 4");
      EXPECT_EQ(!find_all(frames[i], "godot.not_variant").empty(), is_raw) << damaged_variants[i].what;
    }
  }
}

// A Dictionary with two entries. The key of the second entry is longer than the packet.
const std::string broken_dictionary =
    u32(27) + u32(2) + string("hp") + integer(87) + u32(4) + u32(1000) + "what is left";

TEST(MalformedVariant, ReadableAndUnreadablePartsAreShown) {
  const Rows rows = godot_fields(datagrams({broken_dictionary}), udp_port + Texts{"-o", "godot.dialect:4"},
                                 {"godot.path_with_value", "godot.undecoded"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "/hp:87");
  EXPECT_NE(rows[0][1], "");
}

// The documentation's type table has a type that fits these bytes, except for trailing bytes. But the conversation
// shows that they are Godot 4's.
TEST(MalformedVariant, DoesNotSwitchToAnotherDialect) {
  const Rows rows = godot_fields(datagrams({dictionary({{string("hp"), integer(87)}}), broken_dictionary}), udp_port,
                                 {"godot.dialect", "godot.path_with_value"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (Texts{"Godot 4", "/hp:87"}));
  EXPECT_EQ(rows[1], (Texts{"Godot 4", "/hp:87"}));
}

// With a snapshot length, every shortened frame is reported as truncated, and no frame as malformed.
TEST(MalformedVariant, FrameCutBySnapLengthIsTruncatedNotMalformed) {
  const struct {
    const char *name;
    const char *port;
  } captures[] = {{"game_godot4.6", "godot.udp.port:5009"},
                  {"udp_types_godot4.6", "godot.udp.port:5005"},
                  {"udp_types_godot3.6", "godot.udp.port:5005"}};
  for (const auto &[name, port] : captures) {
    for (const char *const length : {"50", "60", "77"}) {
      SCOPED_TRACE(name + " -s "s + length);
      const fs::path cut = scratch_folder() / (name + ".cut."s + length + ".pcapng");
      ASSERT_EQ(run(EDITCAP, {"-s", length, engine_capture(name).string(), cut.string()}).status, 0);
      std::size_t truncated = 0;
      for (const Item &frame : read_details(cut, {"-o", port})) {
        const Item &about = *frame.child("frame");
        const bool is_cut = about.child_text("frame.cap_len") != about.child_text("frame.len");
        EXPECT_EQ(expert_items_of(frame), is_cut ? Texts{"truncated"} : Texts()) << about.label;
        EXPECT_NE(frame.child("godot"), nullptr) << about.label;
        EXPECT_TRUE(find_all(frame, "_ws.malformed").empty()) << about.label;
        if (is_cut) ++truncated;
      }
      EXPECT_GT(truncated, 10U);
    }
  }
}

TEST(MalformedVariant, StreamCutBySnapLengthIsTruncatedNotMalformed) {
  const fs::path whole = engine_capture("tcp_types_godot4.6");
  const fs::path cut = scratch_folder() / "tcp_types.cut.pcapng";
  ASSERT_EQ(run(EDITCAP, {"-s", "100", whole.string(), cut.string()}).status, 0);
  const Texts options = {"-o", "godot.tcp.port:5006"};
  EXPECT_TRUE(read_fields(cut, Texts{"-Y", "godot.malformed or _ws.malformed"} + options, {"frame.number"}).empty());
  EXPECT_GT(read_fields(cut, Texts{"-Y", "godot.truncated"} + options, {"frame.number"}).size(), 5U);
}

// --- Streams ---------------------------------------------------------------------------------------------------

TEST(VariantStream, StreamCapturedFromTheMiddleIsDecoded) {
  TcpConversation conversation(to_server);
  conversation.lose(1000);
  const std::string tail(10, 'x');
  conversation.send(tail + in_stream(integer(1)) + in_stream(string("two")));
  conversation.send(in_stream(integer(3)));
  const Rows rows = godot_fields(saved(conversation.pcap()), tcp_port,
                                 {"godot.skipped.length", "godot.int", "godot.string", "godot.length"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][0], "10");
  EXPECT_EQ(rows[0][1], "1");
  EXPECT_EQ(rows[0][2], "two");
  EXPECT_EQ(occurrences(rows[0][3]), (Texts{"8", "12"}));
  EXPECT_EQ(rows[1], (Texts{"", "3", "", "8"}));
}

TEST(VariantStream, VariantsSplitAnywhereAreDecoded) {
  std::string bytes;
  Texts expected;
  for (int i = 0; i < 20; ++i) {
    bytes += in_stream(dictionary({{string("n"), integer(i)}}));
    expected.push_back("/n:" + std::to_string(i));
  }
  for (const std::size_t size : {1U, 2U, 3U, 5U, 7U, 11U, 33U}) {
    Texts found;
    for (const Texts &row : godot_fields(stream(bytes, size), tcp_port, {"godot.path_with_value"})) {
      found = found + occurrences(row[0]);
    }
    EXPECT_EQ(found, expected) << "segments of " << size << " bytes";
  }
}

TEST(VariantStream, OtherBytesBetweenVariantsAreShown) {
  const fs::path capture = stream(in_stream(integer(1)) + in_stream("ping!") + in_stream(integer(2)));
  const Rows rows = godot_fields(capture, tcp_port, {"godot.int", "data.data", "godot.malformed"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(occurrences(rows[0][0]), (Texts{"1", "2"}));
  EXPECT_EQ(rows[0][1], "70696e6721");
  EXPECT_EQ(rows[0][2], "");
}

// The packet after an out-of-order packet begins at the end of that packet, although at first only that packet's length
// was captured.
TEST(VariantStream, PacketsAfterAnOutOfOrderSegmentAreDecoded) {
  const std::string first = in_stream(dictionary({{string("first"), integer(1)}}));
  const std::string second = in_stream(dictionary({{string("second"), integer(2)}}));
  constexpr std::uint32_t start = 1001;
  const auto after_first = static_cast<std::uint32_t>(start + first.size());
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  Pcap pcap = conversation.pcap();
  const int flags = tcp_push | tcp_ack;
  pcap.frames.push_back(tcp(to_server, start + 4, 5001, flags, first.substr(4)));
  pcap.frames.push_back(tcp(to_server, start, 5001, flags, first.substr(0, 4)));
  pcap.frames.push_back(tcp(to_server, after_first, 5001, flags, second.substr(0, 2)));
  pcap.frames.push_back(tcp(to_server, after_first + 2, 5001, flags, second.substr(2)));
  const Rows rows = godot_fields(saved(pcap), tcp_port + Texts{"-o", "tcp.reassemble_out_of_order:TRUE"},
                                 {"godot.path_with_value", "godot.skipped.length"});
  Texts paths;
  for (const Texts &row : rows) {
    paths = paths + occurrences(row[0]);
    EXPECT_EQ(row[1], "");
  }
  EXPECT_EQ(paths, (Texts{"/first:1", "/second:2"}));
}

// --- Limits ----------------------------------------------------------------------------------------------------

const Texts output_forms[] = {{}, {"-V"}, {"-Y", "godot.path_with_value or godot.limit"}, {"-2"}};

// Expects that every output format of tshark succeeds and reports the limit, and that the packet is not called
// malformed.
void expect_limit_reported(const fs::path &capture, const Texts &options) {
  constexpr Limits limits = {60, std::size_t{4} << 30};
  for (const Texts &form : output_forms) EXPECT_NE(tshark(capture, options + form, limits), "");
  const auto count = [&](const std::string &filter) {
    return read_fields(capture, Texts{"-Y", filter} + options, {"frame.number"}, limits).size();
  };
  EXPECT_EQ(count("godot.limit"), 1U);
  EXPECT_EQ(count("godot.malformed or _ws.malformed or godot.trailing or godot.unsupported"), 0U);
}

TEST(VariantLimit, NestingIsLimited) {
  constexpr int levels = 10000;
  const struct {
    const char *what;
    std::string open;
    std::string close;
  } rows[] = {
      {"arrays", u32(28) + u32(1), ""},
      {"dictionaries", u32(27) + u32(1) + string("k"), ""},
      {"keys", u32(27) + u32(1), nil()},
      {"properties", u32(24) + text("Node") + u32(1) + text("p"), ""},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    std::string packet;
    for (int i = 0; i < levels; ++i) packet += row.open;
    packet += integer(42);
    for (int i = 0; i < levels; ++i) packet += row.close;
    expect_limit_reported(stream(in_stream(packet), 60000), tcp_port + Texts{"-o", "godot.dialect:4"});
  }
}

TEST(VariantLimit, TwentyNestedArraysAreDecoded) {
  std::string packet = integer(42);
  for (int i = 0; i < 20; ++i) packet = array({packet});
  const Rows rows = godot_fields(datagrams({packet}), udp_port, {"godot.int", "godot.path_with_value"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "42");
  EXPECT_TRUE(rows[0][1].ends_with("/0/0/0:42")) << rows[0][1];
  EXPECT_TRUE(read_fields(datagrams({packet}), udp_port + Texts{"-Y", "godot.limit"}, {"frame.number"}).empty());
}

TEST(VariantLimit, ArrayElementsAreLimited) {
  constexpr int count = 300000;
  std::string packet = u32(28) + u32(count);
  for (int i = 0; i < count; ++i) packet += integer(i);
  const fs::path capture = stream(in_stream(packet), 60000);
  for (const Texts &options : {Texts(), Texts{"-o", "godot.max_elements:0"}}) {
    expect_limit_reported(capture, tcp_port + options);
    const Rows rows = godot_fields(capture, tcp_port + options, {"godot.count", "godot.int"}, {60});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0][0], std::to_string(count));
    const Texts ints = occurrences(rows[0][1]);
    EXPECT_GT(ints.size(), 1000U);
    EXPECT_EQ(ints.back(), std::to_string(ints.size() - 1));
  }
}

TEST(VariantLimit, PackedArrayElementsAreLimited) {
  constexpr std::size_t count = 1000000;
  std::string packet = u32(32) + u32(count);
  for (std::size_t i = 0; i < count; ++i) packet += f32(static_cast<float>(i));
  const fs::path capture = stream(in_stream(packet), 60000);
  const Texts all = tcp_port + Texts{"-o", "godot.max_elements:0"};
  expect_limit_reported(capture, all);
  const Rows rows = godot_fields(capture, all, {"godot.count", "godot.float"}, {60});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], std::to_string(count));
  const Texts floats = occurrences(rows[0][1]);
  EXPECT_GT(floats.size(), 100000U);
  EXPECT_EQ(std::stod(floats.back()), static_cast<double>(floats.size() - 1));
}

// The item after the last shown item is not added, so it must not extend the last item's length.
TEST(VariantLimit, LastShownEntryCoversOnlyItsOwnBytes) {
  constexpr std::size_t short_size = 20;
  constexpr std::size_t long_size = 60;
  Entries entries;
  for (int i = 0; i < 100; ++i) {
    entries.emplace_back(string("k"), i % 2 == 0 ? integer(i) : string(std::string(40, 'x')));
  }
  const fs::path capture = stream(in_stream(dictionary(entries)), 60000);
  for (int items = 220; items < 240; items += 2) {
    std::size_t entry = 0;
    for (const Item &frame :
         read_details(capture, tcp_port + Texts{"-o", "gui.max_tree_items:" + std::to_string(items)})) {
      walk(frame, [&](const Item &item) {
        if (item.name == "godot.entry") {
          EXPECT_EQ(item.size, entry++ % 2 == 0 ? short_size : long_size) << entry;
        }
        return true;
      });
    }
    EXPECT_GT(entry, 5U);
    EXPECT_LT(entry, entries.size());
  }
}

// A frame that follows a frame with a reached limit is decoded normally.
TEST(VariantLimit, AppliesToOnePacketOnly) {
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += u32(28) + u32(1);
  const fs::path capture =
      stream(in_stream(nested + nil()) + in_stream(dictionary({{string("hp"), integer(87)}})), 60000);
  const Rows rows = godot_fields(capture, tcp_port, {"godot.path_with_value"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(occurrences(rows[0][0]).back(), "/hp:87");
}

// --- Terminals -------------------------------------------------------------------------------------------------

// The function tshark() itself expects that the output contains no control characters.
TEST(TerminalOutput, ContainsNoControlCharacters) {
  const std::string evil =
      "a\x1b[31mb\nc\td\re\x7f"
      "f\xc2\x9bg\xe2\x80\xaeh\xe2\x80\xa8i"s +
      '\0' + "j";
  const std::string name = text(evil);
  const std::string packets[] = {
      string(evil),
      u32(21) + name,
      u32(22) + u32(0x80000001) + u32(1) + u32(0) + name + name,
      u32(26) + name + u64(7),
      u32(34) + u32(1) + name,
      dictionary({{string(evil), string(evil)}, {array({string(evil)}), nil()}}),
      object(evil, {{evil, string(evil)}}),
      u32(0x2001c) + name + u32(0),
      u32(0xb001b) + name + name + u32(0),
      array({dictionary({{string(evil), dictionary({{string(evil), string(evil)}})}})}),
      string("\x1b]0;title\a\xff\xfe\x80"),
      evil,
  };
  const fs::path capture = datagrams(Texts(std::begin(packets), std::end(packets)));
  const Texts options = udp_port + Texts{"-o", "godot.dialect:4"};
  for (const Texts &form : {Texts(), Texts{"-V"}, Texts{"-T", "pdml"}, Texts{"-T", "json"}}) {
    EXPECT_NE(tshark(capture, options + form).find("[31mb"), std::string::npos);
  }
  const Rows rows = godot_fields(capture, options,
                                 {"godot.string", "godot.string_name", "godot.node_path", "godot.signal.name",
                                  "godot.key", "godot.object.class", "godot.object.property", "godot.element_type",
                                  "godot.key_type", "godot.path", "godot.path_with_value", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), std::size(packets));
  const std::string escaped = R"(a\u001b[31mb\nc\td\re\u007ff)";  // see captures/README.md
  EXPECT_TRUE(rows[0][0].starts_with(escaped)) << rows[0][0];
  EXPECT_TRUE(rows[1][1].starts_with(escaped)) << rows[1][1];
  EXPECT_TRUE(rows[2][2].starts_with(escaped)) << rows[2][2];
  EXPECT_TRUE(rows[3][3].starts_with(escaped)) << rows[3][3];
  EXPECT_TRUE(occurrences(rows[5][4]).at(0).starts_with(escaped)) << rows[5][4];
  EXPECT_TRUE(rows[6][5].starts_with(escaped)) << rows[6][5];
  EXPECT_TRUE(rows[6][6].starts_with(escaped)) << rows[6][6];
  EXPECT_TRUE(rows[7][7].starts_with(escaped)) << rows[7][7];
  EXPECT_TRUE(rows[8][8].starts_with(escaped)) << rows[8][8];
  EXPECT_TRUE(occurrences(rows[5][10]).at(0).starts_with("/" + escaped)) << rows[5][10];
}

}  // namespace
}  // namespace godot_codec::test
