// SPDX-License-Identifier: GPL-2.0-or-later
// ENet in tshark: the captures of real engines against what the engines themselves say (captures/README.md), and
// datagrams made by hand.
#include <enet/enet.h>
#include <glib.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <sstream>

#include "bag.h"
#include "enet_talk.h"
#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// --- Texts and bytes -------------------------------------------------------------------------------------------

std::string md5(const std::string &bytes) {
  const std::unique_ptr<gchar, void (*)(gpointer)> text(
      g_compute_checksum_for_data(G_CHECKSUM_MD5, reinterpret_cast<const guchar *>(bytes.data()), bytes.size()),
      g_free);
  return text.get();
}

std::int64_t number(const std::string &text, std::int64_t otherwise = -1) {
  return text.empty() ? otherwise : std::stoll(text, nullptr, 0);
}

std::int64_t child_number(const Item &item, std::string_view name) { return number(item.child_text(name)); }

// Seconds with nine decimals, in nanoseconds.
std::int64_t nanoseconds(std::string text) {
  std::erase(text, '.');
  return text.empty() ? -1 : std::stoll(text);
}

void expect_same(const Bag &found, const Bag &expected, const char *what) {
  EXPECT_TRUE(without(expected, found).empty()) << what << " missing: " << some_of(without(expected, found));
  EXPECT_TRUE(without(found, expected).empty()) << what << " too many: " << some_of(without(found, expected));
}

// --- The captures ----------------------------------------------------------------------------------------------

struct Scenario {
  std::string_view name;
  int port;
  std::string_view compression;  // its name in the tree; empty for none
  std::string_view preference;   // the value of enet.compression
};

constexpr Scenario scenarios[] = {
    {"enet_none", 5020, "", "none"},           {"enet_range_coder", 5021, "range coder", "range_coder"},
    {"enet_fastlz", 5022, "FastLZ", "fastlz"}, {"enet_zlib", 5023, "zlib", "zlib"},
    {"enet_zstd", 5024, "Zstandard", "zstd"},  {"enet_loss", 5025, "", "none"},
};

struct Capture {
  fs::path path;
  std::string name;  // <scenario>_godot<version>
  Scenario scenario;
  std::string version;

  [[nodiscard]] bool is_godot3() const { return version.starts_with('3'); }
  [[nodiscard]] bool is_lossy() const { return scenario.name == "enet_loss"; }
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

std::vector<Capture> captures() {
  std::vector<Capture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    const std::string name = entry.path().filename().replace_extension().string();
    const std::size_t engine = name.find("_godot");
    const auto *const known = std::ranges::find(scenarios, name.substr(0, engine), &Scenario::name);
    if (known == std::end(scenarios)) continue;
    found.push_back({entry.path(), name, *known, name.substr(engine + 6)});
  }
  std::ranges::sort(found, {}, &Capture::name);
  return found;
}

const fs::path libenet_capture = fs::path(GODOT_CAPTURES_DIR) / "enet_libenet.pcapng";
const Texts with_checksum = ports + Texts{"-o", "enet.checksum:TRUE"};

// The engine's own report.
struct Expectations {
  struct Packet {
    std::string from;
    std::string channel;
    std::string flags;
    std::string size;
    std::string kind;
    std::string content;  // for a var its root's type, and below it path and value of each leaf; else hexadecimal
  };
  struct RoundTrip {
    std::string from;
    std::string to;
    double milliseconds;
  };
  std::vector<Packet> packets;
  Bag received;  // by, channel, size, MD5
  std::vector<RoundTrip> round_trips;
};

Expectations read_expectations(fs::path path) {
  Expectations all;
  for (const std::string &line : lines_of(read_file(path.replace_extension(".expected")))) {
    Texts columns = split(line, '\t');
    columns.resize(5);
    if (columns[0] == "enet") {
      all.packets.push_back({columns[1], columns[2], columns[3], columns[4], "", ""});
    } else if (columns[0] == "packet") {
      EXPECT_EQ(all.packets.back().from, columns[1]);
      all.packets.back().kind = columns[2];
      all.packets.back().content = columns[3];
    } else if (columns[0] == "value") {
      if (!columns[1].empty()) all.packets.back().content += "\n" + columns[1] + ":" + columns[3];
    } else if (columns[0] == "received") {
      all.received.insert(line.substr(9));
    } else if (columns[0] == "rtt") {
      all.round_trips.push_back({columns[1], columns[3], std::stod(columns[2])});
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_GT(all.packets.size(), 5U);
  EXPECT_GT(all.received.size(), 5U);
  return all;
}

// --- What the plugin says --------------------------------------------------------------------------------------

struct Command {
  const Item *part = nullptr;
  int type = 0;
  std::int64_t channel = 0;
  std::int64_t seq = 0;
  bool is_reliable = false;
  bool is_retransmission = false;

  [[nodiscard]] std::int64_t value(const char *field) const { return child_number(*part, field); }
  [[nodiscard]] std::string label() const { return part->label; }
};

// A message as it was handed on.
struct Handed {
  const Item *item = nullptr;  // the layer of godot, or data's bytes
  bool is_godot = false;
};

struct Message {
  std::int64_t channel = 0;
  int type = 0;
  std::string bytes;
  std::optional<Handed> handed;  // an empty one is not
};

// A block of bytes, as tshark -x has it: the frame, and what was decompressed or reassembled.
struct Source {
  std::string title;
  std::string bytes;
};

struct Datagram {
  std::size_t frame = 0;
  std::int64_t time = 0;  // in nanoseconds
  std::string from;
  std::string to;
  std::string client_port;
  const Item *details = nullptr;
  const Item *udp_payload = nullptr;
  const Item *enet = nullptr;
  std::vector<Source> sources;
  std::vector<Command> commands;
  std::vector<Handed> handed;

  [[nodiscard]] std::int64_t stream() const { return child_number(*enet, "enet.stream"); }
  [[nodiscard]] bool is_compressed() const { return is_true(enet->child_text("enet.compressed")); }
  [[nodiscard]] bool is_from_server() const { return from == "server"; }
};

// Commands are numbered 1 and up; a part that is none has no such field.
std::vector<Command> commands_of(const Item &enet) {
  std::vector<Command> commands;
  for (const Item &part : enet.children) {
    if (part.child("enet.command") == nullptr) continue;
    Command command;
    command.part = &part;
    command.type = static_cast<int>(child_number(part, "enet.command"));
    command.channel = child_number(part, "enet.channel");
    command.seq = child_number(part, "enet.reliable_seq");
    command.is_reliable = is_true(part.child_text("enet.flags.acknowledge"));
    command.is_retransmission = is_true(part.child_text("enet.retransmission"));
    commands.push_back(command);
  }
  return commands;
}

std::vector<Handed> handed_by(const Item &details) {
  std::vector<Handed> handed;
  bool is_inside = false;
  for (const Item &layer : details.children) {
    if (layer.name == "enet") {
      is_inside = true;
    } else if (is_inside && layer.name == "godot") {
      handed.push_back({&layer, true});
    } else if (is_inside) {
      walk(layer, [&handed](const Item &item) {
        if (item.name == "data.data") handed.push_back({&item, false});
        return true;
      });
    }
  }
  return handed;
}

// tshark -x: bytes in hexadecimal, an empty line behind each frame, a title where a frame has several blocks.
std::vector<std::vector<Source>> read_sources(const fs::path &capture, const Texts &options) {
  std::vector<std::vector<Source>> frames(1);
  for (const std::string &line : lines_of(tshark(capture, options + Texts{"-x"}))) {
    const bool is_bytes = line.size() > 6 && line.find_first_not_of("0123456789abcdef") >= 4 && line.find("  ") >= 4 &&
                          line.find("  ") == line.find(' ');
    if (line.empty()) {
      frames.emplace_back();
    } else if (!is_bytes) {
      frames.back().push_back({line, ""});
    } else {
      if (frames.back().empty()) frames.back().push_back({"Frame", ""});
      std::istringstream words(line.substr(line.find("  ") + 2, 3UL * 16));
      for (std::string word; words >> word;) frames.back().back().bytes += hex(word);
    }
  }
  if (frames.back().empty()) frames.pop_back();
  return frames;
}

struct Reading {
  std::vector<Item> frames;
  std::vector<Datagram> datagrams;
};

std::string endpoint(const std::string &port) {
  if (port == "50001") return "client";
  return port == "50002" ? "client2" : "server";
}

// Reads a capture of the engines'. Links forward are there, too.
std::unique_ptr<Reading> read(const fs::path &capture, const Texts &options) {
  auto reading = std::make_unique<Reading>();
  reading->frames = read_details(capture, options + Texts{"-2"});
  const std::vector<std::vector<Source>> sources = read_sources(capture, options);
  EXPECT_EQ(sources.size(), reading->frames.size());
  for (std::size_t i = 0; i < reading->frames.size(); ++i) {
    const Item &frame = reading->frames[i];
    const Item *const udp = frame.child("udp");
    EXPECT_NE(udp, nullptr) << i + 1;
    EXPECT_NE(frame.child("enet"), nullptr) << i + 1;
    if (udp == nullptr || frame.child("enet") == nullptr) continue;
    Datagram datagram;
    datagram.frame = i + 1;
    datagram.time = nanoseconds(frame.child("geninfo")->child("timestamp")->bytes);
    datagram.from = endpoint(udp->child_text("udp.srcport"));
    datagram.to = endpoint(udp->child_text("udp.dstport"));
    datagram.client_port = udp->child_text(datagram.is_from_server() ? "udp.dstport" : "udp.srcport");
    datagram.details = &frame;
    datagram.udp_payload = udp->child("udp.payload");
    datagram.enet = frame.child("enet");
    if (i < sources.size()) datagram.sources = sources[i];
    datagram.commands = commands_of(*datagram.enet);
    datagram.handed = handed_by(frame);
    reading->datagrams.push_back(datagram);
  }
  return reading;
}

const Reading &reading_of(const Capture &capture) {
  static std::map<std::string, std::unique_ptr<Reading>> readings;
  std::unique_ptr<Reading> &reading = readings[capture.name];
  if (reading == nullptr) reading = read(capture.path, ports);
  return *reading;
}

const Item *find_item(const Item &item, std::string_view name) {
  const Item *found = nullptr;
  walk(item, [&found, name](const Item &each) {
    if (found == nullptr && each.name == name) found = &each;
    return found == nullptr;
  });
  return found;
}

bool carries_data(const Command &command) {
  return command.type == send_reliable || command.type == send_unreliable || command.type == send_unsequenced;
}

bool is_fragment(const Command &command) {
  return command.type == send_fragment || command.type == send_unreliable_fragment;
}

// The messages that a datagram brings to their end: by its own commands, checked against what was handed on.
std::vector<Message> messages_of(const Datagram &datagram) {
  SCOPED_TRACE("frame " + std::to_string(datagram.frame));
  std::vector<Message> messages;
  std::size_t next = 0;
  for (const Command &command : datagram.commands) {
    Message message{command.channel, command.type, "", {}};
    const Item *place = nullptr;  // where the message lies in its source
    if (carries_data(command) && !command.is_retransmission) {
      const std::size_t source = datagram.is_compressed() ? 1 : 0;
      const Item *const data = command.part->child("enet.data");
      EXPECT_EQ(data == nullptr || data->size == 0, command.value("enet.data_length") == 0) << command.label();
      if (data != nullptr && source < datagram.sources.size()) {
        EXPECT_EQ(static_cast<std::int64_t>(data->size), command.value("enet.data_length"));
        message.bytes = datagram.sources[source].bytes.substr(data->position, data->size);
        place = data;
      }
    } else if (is_fragment(command) && find_item(*command.part, "enet.reassembled.length") != nullptr) {
      const Item *const data = find_item(*command.part, "enet.reassembled.data");
      EXPECT_NE(data, nullptr) << command.label();
      if (data != nullptr) message.bytes = hex(data->bytes);
      EXPECT_EQ(find_item(*command.part, "enet.reassembled.length")->show, std::to_string(message.bytes.size()));
      EXPECT_EQ(command.value("enet.fragment.total_length"), static_cast<std::int64_t>(message.bytes.size()));
    } else {
      continue;
    }
    if (!message.bytes.empty()) {
      EXPECT_LT(next, datagram.handed.size()) << command.label() << " was not handed on";
      if (next < datagram.handed.size()) {
        message.handed = datagram.handed[next++];
        const Item &item = *message.handed->item;
        EXPECT_EQ(item.size, message.bytes.size()) << command.label();
        if (place != nullptr) {
          EXPECT_EQ(item.position, place->position) << command.label();
        }
        if (!message.handed->is_godot) {
          EXPECT_EQ(item.bytes, to_hex(message.bytes));
        }
      }
    }
    messages.push_back(message);
  }
  EXPECT_EQ(next, datagram.handed.size()) << "handed on more than arrived";
  return messages;
}

class EnetCaptureTest : public testing::TestWithParam<Capture> {
 protected:
  [[nodiscard]] static const Capture &capture() { return GetParam(); }
  [[nodiscard]] static const std::vector<Datagram> &datagrams() { return reading_of(GetParam()).datagrams; }

  // Each reads the same details: one test, or tshark would have to make them once for each.
  static Texts statistics();
  static void is_enet_without_fault();
  static void finds_the_compression();
  static void has_every_byte_under_an_item();
  static void has_nothing_but_registered_fields();
  static void shows_every_message_that_arrived_once();
  static void shows_variants_as_godot_and_the_rest_as_data();
  static void has_three_connections();
  static void shows_the_handshake();
  static void shows_sessions_and_peers_as_the_handshake_gave_them();
  static void shows_how_sessions_end();
  static void shows_godot_3s_own_messages_as_data();
  static void links_acknowledgements_and_commands();
  static void has_the_round_trip_times_that_the_engine_measured();
  static void marks_retransmissions();
  static void counts_gaps();
  static void has_a_row_for_each_client();
  static void can_be_followed();
};

std::string name_of(const testing::TestParamInfo<Capture> &info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(engines, EnetCaptureTest, testing::ValuesIn(captures()), name_of);

// For what costs many runs of tshark: each mode, each generation, and each bad line once.
class EnetFewCapturesTest : public EnetCaptureTest {};

std::vector<Capture> few_captures() {
  std::vector<Capture> found = captures();
  std::erase_if(found, [](const Capture &capture) {
    const bool is_default_of_godot_3 = capture.name == "enet_range_coder_godot3.6";
    return capture.version != "4.6" && !capture.is_lossy() && !is_default_of_godot_3;
  });
  return found;
}

INSTANTIATE_TEST_SUITE_P(engines, EnetFewCapturesTest, testing::ValuesIn(few_captures()), name_of);

TEST(enet_captures_test, are_all_there) {
  // Every mode and the bad line, of three engines: a missing file would be a test that is not run.
  EXPECT_EQ(captures().size(), std::size(scenarios) * 3);
}

// --- Datagrams and compression ---------------------------------------------------------------------------------

const Texts faults = {"enet.malformed",    "enet.unsupported",    "enet.undecoded",      "enet.truncated",
                      "enet.limit",        "enet.unacknowledged", "enet.checksum.bad",   "_ws.malformed",
                      "_ws.expert.failed", "enet.checksum",       "enet.checksum.status"};

void EnetCaptureTest::is_enet_without_fault() {
  ASSERT_GT(datagrams().size(), 100U);
  for (const Datagram &datagram : datagrams()) {
    for (const std::string &fault : faults) {
      EXPECT_TRUE(find_all(*datagram.details, fault).empty()) << datagram.frame << ": " << fault;
    }
    EXPECT_FALSE(datagram.commands.empty()) << datagram.frame;
  }
}

void EnetCaptureTest::finds_the_compression() {
  std::size_t compressed = 0;
  std::size_t plain = 0;
  for (const Datagram &datagram : datagrams()) {
    SCOPED_TRACE(datagram.frame);
    const Item &enet = *datagram.enet;
    ++(datagram.is_compressed() ? compressed : plain);
    EXPECT_EQ(enet.child_text("enet.compression"), datagram.is_compressed() ? capture().scenario.compression : "");
    if (!datagram.is_compressed()) {
      EXPECT_EQ(enet.child("enet.decompressed_size"), nullptr);
      continue;
    }
    const std::size_t header = enet.child("enet.sent_time") == nullptr ? 2 : 4;
    EXPECT_EQ(enet.child_text("enet.payload_size"), std::to_string(datagram.udp_payload->size - header));
    ASSERT_GE(datagram.sources.size(), 2U);
    EXPECT_EQ(enet.child_text("enet.decompressed_size"), std::to_string(datagram.sources[1].bytes.size()));
  }
  EXPECT_GT(plain, 0U);
  if (capture().scenario.compression.empty()) {
    EXPECT_EQ(compressed, 0U);
  } else {
    EXPECT_GT(compressed, 20U);
  }
}

// --- Bytes -----------------------------------------------------------------------------------------------------

// The fields of a part that stand for bytes: generated ones have no size.
std::vector<const Item *> fields_with_bytes(const Item &item) {
  std::vector<const Item *> fields;
  for (const Item &child : item.children) {
    if (child.size > 0 && child.name.starts_with("enet.") && child.name != "enet.fragments") fields.push_back(&child);
  }
  return fields;
}

// Expects that the commands lie one behind the other, their fields too, from begin to end.
void expect_commands_tiled(const Item &enet, std::size_t begin, std::size_t end) {
  std::size_t position = begin;
  for (const Item &part : enet.children) {
    if (part.name == "enet.padding" || part.name == "enet.undecoded") position += part.size;
    if (part.child("enet.command") == nullptr) continue;
    const std::size_t start = position;
    std::size_t last = start;  // where the bits begin
    for (const Item *field : fields_with_bytes(part)) {
      const bool is_bits = field->name.starts_with("enet.flags.") || field->name == "enet.command";
      if (is_bits && last == start && field->position == start) {
        position = start + field->size;
        continue;
      }
      EXPECT_EQ(field->position, position) << field->name << " of " << part.label;
      position = field->position + field->size;
      last = field->position;
    }
    EXPECT_EQ(part.size, position - start) << part.label;
  }
  EXPECT_EQ(position, end);
}

void EnetCaptureTest::has_every_byte_under_an_item() {
  for (const Datagram &datagram : datagrams()) {
    SCOPED_TRACE("frame " + std::to_string(datagram.frame));
    const Item &enet = *datagram.enet;
    const std::size_t begin = datagram.udp_payload->position;
    const std::size_t end = begin + datagram.udp_payload->size;
    EXPECT_EQ(enet.position, begin);
    EXPECT_EQ(enet.size, datagram.udp_payload->size);
    for (const char *const field : {"enet.peer_id", "enet.session", "enet.compressed"}) {
      ASSERT_NE(enet.child(field), nullptr) << field;
      EXPECT_GE(enet.child(field)->position, begin);
      EXPECT_LE(enet.child(field)->position + enet.child(field)->size, begin + 2);
    }
    EXPECT_EQ(enet.child("enet.peer_id")->size, 2U);
    std::size_t header = 2;
    if (const Item *const sent_time = enet.child("enet.sent_time"); sent_time != nullptr) {
      EXPECT_EQ(sent_time->position, begin + 2);
      EXPECT_EQ(sent_time->size, 2U);
      header = 4;
    }
    if (!datagram.is_compressed()) {
      expect_commands_tiled(enet, begin + header, end);
      continue;
    }
    const Item *const compressed = enet.child("enet.compressed_bytes");
    ASSERT_NE(compressed, nullptr);
    EXPECT_EQ(compressed->position, begin + header);
    EXPECT_EQ(compressed->position + compressed->size, end);
    expect_commands_tiled(enet, 0, datagram.sources.at(1).bytes.size());
  }
}

void EnetCaptureTest::has_nothing_but_registered_fields() {
  for (const Datagram &datagram : datagrams()) {
    walk(*datagram.enet, [&datagram](const Item &item) {
      EXPECT_TRUE(item.name.starts_with("enet") || item.name.starts_with("_ws.expert")) << datagram.frame << item.label;
      return true;
    });
  }
}

// --- Messages --------------------------------------------------------------------------------------------------

// Bytes of Godot 3 without the prefix; none for the engine's own messages.
std::optional<std::string> users_bytes(const Capture &capture, const Message &message) {
  if (!capture.is_godot3()) return message.bytes;
  if (message.channel == 0) return {};
  EXPECT_GE(message.bytes.size(), 8U);
  return message.bytes.substr(std::min<std::size_t>(8, message.bytes.size()));
}

void EnetCaptureTest::shows_every_message_that_arrived_once() {
  const Expectations expected = read_expectations(capture().path);
  Bag found;
  Bag unreliable;  // those that may be captured and nevertheless not arrive, or arrive too late
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      const std::optional<std::string> bytes = users_bytes(capture(), message);
      if (!bytes) continue;
      const std::string line = datagram.to + "\t" + std::to_string(message.channel) + "\t" +
                               std::to_string(bytes->size()) + "\t" + md5(*bytes);
      found.insert(line);
      // 3.2.3 sends large unreliable ones as fragments that it does not wait for before it leaves.
      if (message.type != send_reliable && (message.type != send_fragment || capture().version == "3.2.3")) {
        unreliable.insert(line);
      }
    }
  }
  if (!capture().is_lossy()) {
    expect_same(found, expected.received, "messages");
    return;
  }
  // The capture is the clients' side: what clients send may still be lost, what they get may come too late for them.
  EXPECT_TRUE(without(expected.received, found).empty()) << some_of(without(expected.received, found));
  const Bag not_received = without(found, expected.received);
  EXPECT_TRUE(without(not_received, unreliable).empty()) << some_of(without(not_received, unreliable));
  EXPECT_GT(found.size(), 100U);
}

std::string content_of(const Message &message, const std::string &bytes) {
  if (!message.handed || !message.handed->is_godot) return "raw " + to_hex(bytes);
  const Texts types = find_all(*message.handed->item, "godot.type");
  std::string text = "var " + (types.empty() ? "without type" : types.front());
  for (const std::string &path : find_all(*message.handed->item, "godot.path_with_value")) text += "\n" + path;
  return text;
}

void EnetCaptureTest::shows_variants_as_godot_and_the_rest_as_data() {
  const Expectations expected = read_expectations(capture().path);
  Bag sent;
  // Godot 3's have a target and a source in front: opened are those that leave no doubt.
  Bag variants;
  for (const Expectations::Packet &packet : expected.packets) {
    Bag &bag = packet.kind == "var" && capture().is_godot3() ? variants : sent;
    bag.insert(packet.from + " " + packet.channel + " " + packet.kind + " " + packet.content);
  }
  const std::size_t expected_variants = variants.size();
  Bag found;
  Bag opened;
  std::size_t messages = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      const std::optional<std::string> bytes = users_bytes(capture(), message);
      if (!bytes) continue;
      ++messages;
      const std::string content =
          datagram.from + " " + std::to_string(message.channel) + " " + content_of(message, *bytes);
      found.insert(content);
      if (capture().is_godot3() && message.handed && message.handed->is_godot) opened.insert(content);
    }
  }
  EXPECT_TRUE(without(opened, variants).empty()) << some_of(without(opened, variants));
  EXPECT_EQ(opened.empty(), !capture().is_godot3());
  const Bag lost = without(sent, found);
  const Bag unknown = without(found, sent);
  if (capture().is_godot3()) {
    EXPECT_LE(unknown.size(), expected_variants);
  } else {
    EXPECT_TRUE(unknown.empty()) << some_of(unknown);
  }
  if (!capture().is_lossy()) {
    // One that ENet threw away before sending it (README).
    EXPECT_EQ(lost.size() + (capture().is_godot3() ? expected_variants - unknown.size() : 0),
              capture().name == "enet_range_coder_godot3.6" ? 1U : 0U)
        << some_of(lost);
  }
  EXPECT_GT(messages, 100U);
}

// --- Connections -----------------------------------------------------------------------------------------------

struct Connection {
  std::string client_port;
  const Command *connect = nullptr;
  const Command *verify = nullptr;
};

// The connections, in the order of their first connect commands; that of each datagram.
struct Connections {
  std::vector<Connection> all;
  std::map<std::size_t, std::size_t> of_frame;

  explicit Connections(const std::vector<Datagram> &datagrams) {
    std::map<std::string, std::size_t> open;
    for (const Datagram &datagram : datagrams) {
      for (const Command &command : datagram.commands) {
        if (command.type == connect_) {
          const auto found = open.find(datagram.client_port);
          const bool is_again = found != open.end() && all[found->second].connect->value("enet.connect.connect_id") ==
                                                           command.value("enet.connect.connect_id");
          if (is_again) continue;
          open[datagram.client_port] = all.size();
          all.push_back({datagram.client_port, &command, nullptr});
        }
        if (command.type == verify_connect && all[open[datagram.client_port]].verify == nullptr) {
          all[open[datagram.client_port]].verify = &command;
        }
      }
      of_frame[datagram.frame] = open[datagram.client_port];
    }
  }
};

void EnetCaptureTest::has_three_connections() {
  const Connections connections(datagrams());
  ASSERT_EQ(connections.all.size(), 3U);
  Texts client_ports;
  for (const Connection &connection : connections.all) client_ports.push_back(connection.client_port);
  EXPECT_EQ(client_ports, (Texts{"50001", "50002", "50001"}));
  for (const Datagram &datagram : datagrams()) {
    EXPECT_EQ(datagram.stream(), static_cast<std::int64_t>(connections.of_frame.at(datagram.frame))) << datagram.frame;
  }
}

void EnetCaptureTest::shows_the_handshake() {
  const Connections connections(datagrams());
  std::map<std::string, std::int64_t> fixed = {
      {"enet.connect.mtu", capture().version == "3.2.3" ? 1400 : 1392},
      {"enet.connect.window_size", 65536},
      {"enet.connect.channel_count", capture().is_godot3() ? 5 : 4},
      {"enet.connect.incoming_bandwidth", 0},
      {"enet.connect.outgoing_bandwidth", 0},
      {"enet.connect.throttle_interval", 5000},
      {"enet.connect.throttle_acceleration", 2},
      {"enet.connect.throttle_deceleration", 2},
  };
  constexpr std::int64_t godot4_ids[] = {1001, 1002, 1001};
  std::set<std::int64_t> connect_ids;
  std::set<std::int64_t> data;
  for (std::size_t i = 0; i < connections.all.size(); ++i) {
    SCOPED_TRACE(i);
    const Connection &connection = connections.all[i];
    ASSERT_NE(connection.verify, nullptr);
    for (const auto &[field, value] : fixed) {
      EXPECT_EQ(connection.connect->value(field.c_str()), value) << field;
      if (i == 2 && field.find("bandwidth") != std::string::npos) continue;  // the server limits it in between
      if (i == 2 && field == "enet.connect.window_size") continue;           // so
      EXPECT_EQ(connection.verify->value(field.c_str()), value) << field << " of the answer";
    }
    const std::int64_t id = connection.connect->value("enet.connect.connect_id");
    EXPECT_EQ(connection.verify->value("enet.connect.connect_id"), id);
    connect_ids.insert(id);
    const std::int64_t client = connection.connect->value("enet.connect.data");
    data.insert(client);
    if (capture().is_godot3()) {
      EXPECT_GT(client, 1);
    } else {
      EXPECT_EQ(client, godot4_ids[i]);
    }
    EXPECT_EQ(connection.verify->part->child("enet.connect.data"), nullptr);
    EXPECT_EQ(connection.connect->channel, 255);
    EXPECT_EQ(connection.connect->seq, 1);
    EXPECT_TRUE(connection.connect->is_reliable);
  }
  EXPECT_EQ(connect_ids.size(), 3U);
  EXPECT_EQ(data.size(), capture().is_godot3() ? 3U : 2U);
}

void EnetCaptureTest::shows_sessions_and_peers_as_the_handshake_gave_them() {
  const Connections connections(datagrams());
  for (const Datagram &datagram : datagrams()) {
    const Connection &connection = connections.all[connections.of_frame.at(datagram.frame)];
    const std::int64_t peer = child_number(*datagram.enet, "enet.peer_id");
    const std::int64_t session = child_number(*datagram.enet, "enet.session");
    if (datagram.commands.front().type == connect_) {
      EXPECT_EQ(peer, 0xfff) << datagram.frame;
      continue;
    }
    // Sessions are named from the client's point of view, as it is told them.
    EXPECT_EQ(session, connection.verify->value(datagram.is_from_server() ? "enet.connect.incoming_session"
                                                                          : "enet.connect.outgoing_session"))
        << datagram.frame;
    EXPECT_EQ(session, connections.of_frame.at(datagram.frame) == 2 ? 1 : 0) << datagram.frame;
    const Command &slot_giver = datagram.is_from_server() ? *connection.connect : *connection.verify;
    EXPECT_EQ(peer, slot_giver.value("enet.connect.outgoing_peer_id")) << datagram.frame;
  }
}

void EnetCaptureTest::shows_how_sessions_end() {
  Texts found;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      if (command.type != disconnect_ || command.is_retransmission) continue;
      found.push_back(datagram.from + (command.is_reliable ? " asks " : " leaves ") +
                      (capture().is_godot3() ? "" : std::to_string(command.value("enet.disconnect.data"))));
    }
  }
  if (capture().is_godot3()) {
    EXPECT_EQ(found, (Texts{"client leaves ", "server asks ", "server asks "}));
  } else {
    EXPECT_EQ(found, (Texts{"client asks 7", "server asks 8", "client leaves 9"}));
  }
}

void EnetCaptureTest::shows_godot_3s_own_messages_as_data() {
  std::set<std::string> clients;
  for (const Connection &connection : Connections(datagrams()).all) {
    clients.insert(little_endian(static_cast<std::uint32_t>(connection.connect->value("enet.connect.data"))));
  }
  std::size_t found = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      if (!capture().is_godot3() || message.channel != 0) continue;
      ++found;
      EXPECT_TRUE(datagram.is_from_server()) << datagram.frame;
      ASSERT_EQ(message.bytes.size(), 8U) << datagram.frame;
      EXPECT_LE(read_u32(message.bytes, 0), 1U) << datagram.frame;
      EXPECT_TRUE(clients.contains(message.bytes.substr(4))) << datagram.frame;
    }
  }
  EXPECT_EQ(found, capture().is_godot3() ? 3U : 0U);
}

// --- Acknowledgements ------------------------------------------------------------------------------------------

const Datagram *datagram_of(const std::vector<Datagram> &datagrams, std::int64_t frame) {
  const auto found =
      std::ranges::find(datagrams, frame, [](const Datagram &each) { return static_cast<std::int64_t>(each.frame); });
  return found == datagrams.end() ? nullptr : &*found;
}

using CommandKey = std::pair<std::int64_t, std::string>;  // frame; channel, number

CommandKey key_of(std::int64_t frame, std::int64_t channel, std::int64_t seq) {
  return {frame, std::to_string(channel) + " " + std::to_string(seq)};
}

void EnetCaptureTest::links_acknowledgements_and_commands() {
  // The first acknowledgement of each transmission: its frame and its time.
  std::map<CommandKey, std::pair<std::int64_t, std::int64_t>> acked_in;
  std::size_t acknowledgements = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      SCOPED_TRACE("frame " + std::to_string(datagram.frame) + ", " + command.label());
      if (command.type != acknowledge && command.type != verify_connect) {
        EXPECT_EQ(command.part->child("enet.ack_to"), nullptr);
        EXPECT_EQ(command.part->child("enet.rtt"), nullptr);
        continue;
      }
      if (command.type == verify_connect && command.is_retransmission) continue;  // the connect is answered
      ++acknowledgements;
      ASSERT_EQ(find_all(*command.part, "enet.ack_to").size(), 1U);
      const Datagram *const sent = datagram_of(datagrams(), command.value("enet.ack_to"));
      ASSERT_NE(sent, nullptr);
      EXPECT_LT(sent->frame, datagram.frame);
      EXPECT_EQ(sent->from, datagram.to);
      EXPECT_EQ(sent->to, datagram.from);
      EXPECT_EQ(sent->stream(), datagram.stream());
      const bool is_verify = command.type == verify_connect;
      const std::int64_t seq = is_verify ? 1 : command.value("enet.ack.seq");
      const bool has_command = std::ranges::any_of(sent->commands, [&](const Command &each) {
        return each.is_reliable && each.channel == command.channel && each.seq == seq &&
               (!is_verify || each.type == connect_);
      });
      EXPECT_TRUE(has_command) << "not in frame " << sent->frame;
      if (!is_verify) {
        EXPECT_EQ(sent->enet->child_text("enet.sent_time"), command.part->child_text("enet.ack.sent_time"));
      }
      EXPECT_EQ(nanoseconds(command.part->child_text("enet.rtt")), datagram.time - sent->time);
      acked_in.emplace(key_of(static_cast<std::int64_t>(sent->frame), command.channel, seq),
                       std::pair{datagram.frame, datagram.time});
    }
  }
  EXPECT_GT(acknowledgements, 50U);
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      const auto found = acked_in.find(key_of(static_cast<std::int64_t>(datagram.frame), command.channel, command.seq));
      const bool is_acked = command.is_reliable && found != acked_in.end();
      EXPECT_EQ(command.part->child_text("enet.acked_in"), is_acked ? std::to_string(found->second.first) : "")
          << datagram.frame << " " << command.label();
      const std::string after = command.part->child_text("enet.acked_after");
      ASSERT_EQ(after.empty(), !is_acked) << datagram.frame << " " << command.label();
      const std::int64_t delay = is_acked ? found->second.second - datagram.time : 0;
      EXPECT_EQ(after.empty() ? 0 : nanoseconds(after), delay) << datagram.frame << " " << command.label();
    }
  }
}

// The mean round trip times as ENet counts them, by stream and by who measures; in milliseconds.
std::map<std::string, double> mean_round_trips(const std::vector<Datagram> &datagrams) {
  std::map<std::string, double> means;
  for (const Datagram &datagram : datagrams) {
    for (const Command &command : datagram.commands) {
      if (command.type != acknowledge || command.part->child("enet.rtt") == nullptr) continue;
      const double sample = static_cast<double>(nanoseconds(command.part->child_text("enet.rtt"))) / 1e6;
      const std::string key =
          std::to_string(datagram.stream()) + " " + (datagram.is_from_server() ? "client" : "server");
      const auto [mean, is_first] = means.emplace(key, sample);
      if (!is_first) mean->second += (sample - mean->second) / 8;
    }
  }
  return means;
}

void expect_round_trips(const std::vector<Datagram> &datagrams, const std::vector<Expectations::RoundTrip> &expected,
                        double tolerance, bool is_clients_side) {
  const std::map<std::string, double> means = mean_round_trips(datagrams);
  std::map<std::string, int> next = {{"client", 0}, {"client2", 1}};  // streams
  std::map<std::string, int> count;
  for (const Expectations::RoundTrip &each : expected) {
    const std::string client = each.from == "server" ? each.to : each.from;
    const int stream = next.at(client) + count[each.from + each.to]++ * 2;
    const std::string side = each.from == "server" ? "server" : "client";
    // Where the capture is the clients' side, it does not see how long the server waits.
    if (is_clients_side && side == "server") continue;
    const auto mean = means.find(std::to_string(stream) + " " + side);
    ASSERT_NE(mean, means.end()) << stream << side;
    EXPECT_NEAR(mean->second, each.milliseconds, tolerance) << "stream " << stream << " by the " << side;
  }
}

void EnetCaptureTest::has_the_round_trip_times_that_the_engine_measured() {
  const Expectations expected = read_expectations(capture().path);
  EXPECT_EQ(expected.round_trips.size(), capture().is_godot3() ? 0U : 6U);
  // The engine counts whole milliseconds, of its own clock, from when it handed a datagram to the system to when it
  // looked for the answer, at least 1. Over the bad line the mean wanders by some milliseconds with each sample, and
  // the last samples come behind the engine's line.
  expect_round_trips(datagrams(), expected.round_trips, capture().is_lossy() ? 8 : 2, capture().is_lossy());
  if (capture().is_lossy()) {
    for (const auto &[who, mean] : mean_round_trips(datagrams())) {  // the line delays by 15 to 25 ms each way
      if (who.ends_with("client")) {
        EXPECT_GT(mean, 30) << who;
        EXPECT_LT(mean, 60) << who;
      }
    }
  }
}

// --- Retransmissions and gaps ----------------------------------------------------------------------------------

void EnetCaptureTest::marks_retransmissions() {
  std::map<std::string, std::size_t> first;  // frames, by connection, direction, channel and number
  std::size_t repeated = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      const std::string key = std::to_string(datagram.stream()) + datagram.from + " " +
                              std::to_string(command.channel) + " " + std::to_string(command.seq);
      const bool is_again = command.is_reliable && first.contains(key);
      EXPECT_EQ(command.is_retransmission, is_again) << datagram.frame << " " << command.label();
      EXPECT_EQ(command.part->child_text("enet.retransmission_of"), is_again ? std::to_string(first.at(key)) : "")
          << datagram.frame << " " << command.label();
      if (is_again) ++repeated;
      if (command.is_reliable) first.emplace(key, datagram.frame);
    }
  }
  if (capture().is_lossy()) {
    EXPECT_GT(repeated, 10U);
  }
}

void EnetCaptureTest::counts_gaps() {
  struct Last {
    std::int64_t reliable_seq = 0;
    std::int64_t number = 0;
  };
  std::map<std::string, Last> channels;  // by connection, direction and channel
  std::int64_t total = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      std::int64_t number = 0;
      std::string key = std::to_string(datagram.stream()) + datagram.from + " ";
      if (command.type == send_unsequenced) {
        number = command.value("enet.unsequenced_group");
      } else if (command.type == send_unreliable) {
        number = command.value("enet.unreliable_seq");
        key += std::to_string(command.channel);
      } else if (command.type == send_unreliable_fragment) {
        number = command.value("enet.fragment.start_seq");
        key += std::to_string(command.channel);
      } else {
        EXPECT_EQ(command.part->child("enet.missing"), nullptr) << datagram.frame << " " << command.label();
        continue;
      }
      Last &last = channels[key];
      // Unreliable numbers begin anew behind each reliable command of the channel.
      if (command.type != send_unsequenced && command.seq > last.reliable_seq) last = {command.seq, 0};
      const bool is_late = command.type != send_unsequenced && command.seq < last.reliable_seq;
      const std::int64_t missing = is_late ? 0 : std::max<std::int64_t>(0, number - last.number - 1);
      EXPECT_EQ(command.part->child_text("enet.missing"), missing == 0 ? "" : std::to_string(missing))
          << datagram.frame << " " << command.label();
      total += missing;
      if (!is_late) last.number = std::max(last.number, number);
    }
  }
  if (capture().is_lossy()) {
    EXPECT_GT(total, 5);
  } else {
    EXPECT_LE(total, capture().name == "enet_range_coder_godot3.6" ? 1 : 0);
  }
}

// --- Passes and columns ----------------------------------------------------------------------------------------

TEST_P(EnetFewCapturesTest, looks_the_same_in_one_pass_and_in_two_but_for_links_forward) {
  const auto lines = [](const Texts &options) {
    Texts kept = lines_of(tshark(capture().path, options + ports + Texts{"-P", "-O", "enet,godot,data"}));
    std::erase_if(kept, [](const std::string &line) {
      return line.find("[Acknowledged ") != std::string::npos || line.find("eassembled in") != std::string::npos ||
             line.find("eassembled PDU in") != std::string::npos || line.starts_with("    [End: ") ||
             line.starts_with("    [Longest silence: ") || line.find("[Waited: ") != std::string::npos;
    });
    return kept;
  };
  const Texts one = lines({});
  const Texts two = lines({"-2"});
  ASSERT_GT(one.size(), 1000U);
  for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i) ASSERT_EQ(one[i], two[i]) << "line " << i;
  EXPECT_EQ(one.size(), two.size());
  for (const auto &row :
       read_fields(capture().path, ports, {"enet.acked_in", "enet.acked_after", "enet.reassembled.in"})) {
    EXPECT_EQ(row, (Texts{"", "", ""})) << "known before it happens";
  }
}

TEST_P(EnetFewCapturesTest, has_the_same_columns_with_details_and_without) {
  const std::string columns = tshark(capture().path, ports);
  EXPECT_EQ(tshark(capture().path, ports + Texts{"-Y", "frame or enet.command or godot.path_with_value"}), columns);
  for (const std::string &line : lines_of(columns)) {
    const bool is_named = line.find(" ENet ") != std::string::npos || line.find(" Godot ") != std::string::npos;
    EXPECT_TRUE(is_named) << line;
    EXPECT_LT(line.size(), 2500U);
    // Two messages in one datagram, and nothing between them.
    for (const char *const run_on : {"]Array(", "]Dictionary(", ")Array(", ")Dictionary("}) {
      EXPECT_EQ(line.find(run_on), std::string::npos) << line;
    }
  }
  EXPECT_NE(columns.find(" Godot "), std::string::npos);
}

// --- Conversations ---------------------------------------------------------------------------------------------

/// Reads the table of conversations, and the streams 0 and 2, of one run.
Texts EnetCaptureTest::statistics() {
  static std::map<std::string, Texts> all;
  Texts &texts = all[capture().name];
  if (!texts.empty()) return texts;
  texts.resize(3);
  std::size_t current = 0;
  const Texts options = {"-q", "-z", "conv,enet", "-z", "follow,enet,raw,0", "-z", "follow,enet,raw,2"};
  for (const std::string &line : lines_of(tshark(capture().path, ports + options))) {
    if (line.starts_with("ENet Conv")) current = 0;
    if (line.starts_with("Filter: enet.stream eq ")) current = line.ends_with("0") ? 1 : 2;
    texts[current] += line + "\n";
  }
  return texts;
}

void EnetCaptureTest::has_a_row_for_each_client() {
  std::map<std::string, std::array<std::int64_t, 2>> frames;  // by the client's port: from the server, from the client
  for (const Datagram &datagram : datagrams()) ++frames[datagram.client_port][datagram.is_from_server() ? 0 : 1];
  Bag expected;
  for (const auto &[port, count] : frames) {
    expected.insert(std::to_string(std::min(count[0], count[1])) + " " + std::to_string(std::max(count[0], count[1])) +
                    " " + std::to_string(count[0] + count[1]));
  }
  Bag found;
  for (const std::string &line : lines_of(statistics()[0])) {
    if (line.find("<->") == std::string::npos) continue;
    std::istringstream words(line.substr(line.find("<->") + 3));
    std::string address;
    std::string bytes;
    std::string unit;
    std::array<std::int64_t, 3> counts{};
    words >> address;
    for (std::int64_t &count : counts) words >> count >> bytes >> unit;
    found.insert(std::to_string(std::min(counts[0], counts[1])) + " " + std::to_string(std::max(counts[0], counts[1])) +
                 " " + std::to_string(counts[2]));
  }
  expect_same(found, expected, "rows");
}

void EnetCaptureTest::can_be_followed() {
  for (const int stream : {0, 2}) {
    Texts expected;
    std::string first;  // who speaks first is not indented
    for (const Datagram &datagram : datagrams()) {
      if (datagram.stream() != stream) continue;
      for (const Message &message : messages_of(datagram)) {
        if (message.bytes.empty()) continue;
        if (first.empty()) first = datagram.from;
        expected.push_back((datagram.from == first ? "" : "\t") + to_hex(message.bytes));
      }
    }
    Texts found = lines_of(statistics()[stream == 0 ? 1 : 2]);
    std::erase_if(found, [](const std::string &line) {
      return line.empty() || line.find_first_not_of("\t0123456789abcdef") != std::string::npos;
    });
    EXPECT_EQ(found, expected) << stream;
    EXPECT_GT(found.size(), 5U);
  }
}

TEST_P(EnetCaptureTest, is_read_as_the_engine_wrote_it) {
  constexpr std::pair<const char *, void (*)()> checks[] = {
      {"is enet without fault", is_enet_without_fault},
      {"finds the compression", finds_the_compression},
      {"has every byte under an item", has_every_byte_under_an_item},
      {"has nothing but registered fields", has_nothing_but_registered_fields},
      {"shows every message that arrived once", shows_every_message_that_arrived_once},
      {"shows variants as godot and the rest as data", shows_variants_as_godot_and_the_rest_as_data},
      {"has three connections", has_three_connections},
      {"shows the handshake", shows_the_handshake},
      {"shows sessions and peers as the handshake gave them", shows_sessions_and_peers_as_the_handshake_gave_them},
      {"shows how sessions end", shows_how_sessions_end},
      {"shows Godot 3's own messages as data", shows_godot_3s_own_messages_as_data},
      {"links acknowledgements and commands", links_acknowledgements_and_commands},
      {"has the round trip times that the engine measured", has_the_round_trip_times_that_the_engine_measured},
      {"marks retransmissions", marks_retransmissions},
      {"counts gaps", counts_gaps},
      {"has a row for each client", has_a_row_for_each_client},
      {"can be followed", can_be_followed},
  };
  for (const auto &[what, check] : checks) {
    SCOPED_TRACE(what);
    check();
  }
}

// --- Preferences -----------------------------------------------------------------------------------------------

std::string details_of(const fs::path &capture, const Texts &options) {
  return tshark(capture, options + Texts{"-P", "-O", "enet,godot,data"});
}

TEST_P(EnetFewCapturesTest, may_be_told_its_compression) {
  const std::string automatic = details_of(capture().path, ports);
  for (const Scenario &scenario : scenarios) {
    if (scenario.name == "enet_loss") continue;
    if (capture().is_lossy() && scenario.name != "enet_none") continue;  // enet_none tries them all
    SCOPED_TRACE(scenario.preference);
    const Texts options = ports + Texts{"-o", "enet.compression:" + std::string(scenario.preference)};
    if (scenario.preference == capture().scenario.preference || capture().scenario.compression.empty()) {
      EXPECT_EQ(details_of(capture().path, options) == automatic, true);
      continue;
    }
    if (scenario.name == "enet_none" || capture().version != "4.6") continue;  // told below; one engine is enough
    std::size_t compressed = 0;
    std::size_t told = 0;
    for (const Texts &row :
         read_fields(capture().path, options, {"enet.compressed", "enet.unsupported", "enet.malformed"})) {
      const bool is_faulty = !row[1].empty() || !row[2].empty();
      EXPECT_FALSE(is_faulty && !is_true(row[0]));
      if (is_true(row[0])) ++compressed;
      if (is_faulty) ++told;
    }
    // The range coder makes something of any bytes; that may be a command by chance.
    EXPECT_GE(told, compressed * 95 / 100);
    EXPECT_GT(compressed, 20U);
  }
}

Capture named_capture(std::string_view name) {
  for (const Capture &capture : captures()) {
    if (capture.name == name) return capture;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(enet_preferences_test, none_does_not_fit_the_compressed) {
  const Texts options = ports + Texts{"-o", "enet.compression:none"};
  std::size_t compressed = 0;
  for (const Item &frame : read_details(named_capture("enet_zlib_godot4.6").path, options)) {
    const Item &enet = *frame.child("enet");
    if (!is_true(enet.child_text("enet.compressed"))) continue;
    ++compressed;
    ASSERT_NE(enet.child("enet.compressed_bytes"), nullptr);
    EXPECT_NE(find_item(enet, "_ws.expert"), nullptr) << number_of(frame);
  }
  EXPECT_GT(compressed, 20U);
}

TEST(enet_preferences_test, a_port_may_be_decoded_as_enet) {
  const Capture capture = named_capture("enet_range_coder_godot4.6");
  EXPECT_EQ(tshark(capture.path, {"--disable-heuristic", "enet_udp"}).find("ENet"), std::string::npos)
      << "without being told";
  EXPECT_EQ(details_of(capture.path, {"-d", "udp.port==5021,enet"}), details_of(capture.path, ports));
}

// --- libenet ---------------------------------------------------------------------------------------------------

constexpr const char *checksum_is_good = "1";
constexpr const char *checksum_is_bad = "0";
constexpr const char *checksum_is_unverified = "2";

const Reading &libenet_reading() {
  static const std::unique_ptr<Reading> reading = read(libenet_capture, with_checksum);
  return *reading;
}

TEST(enet_libenet_test, has_good_checksums) {
  ASSERT_EQ(libenet_reading().datagrams.size(), 40U);
  std::size_t compressed = 0;
  for (const Datagram &datagram : libenet_reading().datagrams) {
    SCOPED_TRACE(datagram.frame);
    EXPECT_EQ(datagram.enet->child_text("enet.checksum.status"), checksum_is_good);
    const Item *const checksum = datagram.enet->child("enet.checksum");
    ASSERT_NE(checksum, nullptr);
    EXPECT_EQ(checksum->size, 4U);
    EXPECT_EQ(checksum->position,
              datagram.udp_payload->position + (datagram.enet->child("enet.sent_time") == nullptr ? 2 : 4));
    for (const char *const fault : {"enet.malformed", "enet.unsupported", "enet.undecoded", "enet.checksum.bad"}) {
      EXPECT_TRUE(find_all(*datagram.details, fault).empty()) << fault;
    }
    if (datagram.is_compressed()) {
      ++compressed;
      EXPECT_EQ(datagram.enet->child_text("enet.compression"), "range coder");
      expect_commands_tiled(*datagram.enet, 0, datagram.sources.at(1).bytes.size());
    } else {
      expect_commands_tiled(*datagram.enet, checksum->position + 4,
                            datagram.udp_payload->position + datagram.udp_payload->size);
    }
  }
  EXPECT_GT(compressed, 5U);
}

TEST(enet_libenet_test, has_its_messages_as_data) {
  const Expectations expected = read_expectations(libenet_capture);
  Bag found;
  for (const Datagram &datagram : libenet_reading().datagrams) {
    EXPECT_EQ(datagram.details->child("godot"), nullptr) << datagram.frame;
    for (const Message &message : messages_of(datagram)) {
      found.insert(datagram.to + "\t" + std::to_string(message.channel) + "\t" + std::to_string(message.bytes.size()) +
                   "\t" + md5(message.bytes));
    }
  }
  expect_same(found, expected.received, "messages");
  // One event loop serves both sides by turns, with waits of a millisecond: the last sample has a weight of 1/8.
  expect_round_trips(libenet_reading().datagrams, expected.round_trips, 2, false);
}

TEST(enet_libenet_test, shows_a_flipped_bit) {
  const Pcap good = pcap_of(libenet_capture);
  // Any byte of a datagram that is not compressed; the checksum itself of one that is, as a range coder may leave
  // bits of its last byte unread.
  Pcap pcap = good;
  std::size_t flipped = 0;
  for (std::string &frame : pcap.frames) {
    constexpr std::size_t payload = 14 + 20 + 8;
    const auto flags = static_cast<unsigned char>(frame[payload]);
    const bool is_compressed = (flags & 0x40) != 0;
    const std::size_t checksum = payload + ((flags & 0x80) != 0 ? 4 : 2);
    // Neither the commands' types nor lengths: the last byte of an acknowledgement or of data, or the checksum.
    const std::size_t at = is_compressed || flipped % 2 == 0 ? checksum + flipped % 4 : frame.size() - 1;
    frame[at] = static_cast<char>(frame[at] ^ (1 << flipped % 8));
    ++flipped;
  }
  const fs::path path = scratch_folder() / "flipped.pcap";
  pcap.save(path);
  std::size_t bad = 0;
  std::size_t undecoded = 0;
  for (const Item &frame : read_details(path, with_checksum)) {
    const Item &enet = *frame.child("enet");
    const std::string number = number_of(frame);
    if (number == "1" || number == "2") continue;  // these give the connect id
    EXPECT_NE(enet.child_text("enet.checksum.status"), checksum_is_good) << number;
    EXPECT_EQ(find_all(enet, "enet.checksum.bad").size(), 1U) << number;
    ++(enet.child_text("enet.checksum.status") == checksum_is_bad ? bad : undecoded);
  }
  EXPECT_EQ(undecoded, 0U);
  EXPECT_EQ(bad, 38U);
}

TEST(enet_libenet_test, cannot_verify_without_the_handshake) {
  Pcap pcap = pcap_of(libenet_capture);
  pcap.frames.erase(pcap.frames.begin(), pcap.frames.begin() + 2);
  const fs::path path = scratch_folder() / "joined_late.pcap";
  pcap.save(path);
  for (const Item &frame : read_details(path, with_checksum)) {
    const Item &enet = *frame.child("enet");
    EXPECT_EQ(enet.child_text("enet.checksum.status"), checksum_is_unverified);
    EXPECT_TRUE(find_all(enet, "enet.checksum.bad").empty());
    EXPECT_FALSE(commands_of(enet).empty()) << "but it can be read";
  }
}

// --- Datagrams made by hand ------------------------------------------------------------------------------------

/// The messages handed on by a frame, as bytes; of those to godot only the length is told.
Texts handed_texts(const Item &frame) {
  Texts texts;
  for (const Handed &handed : handed_by(frame)) {
    texts.push_back(handed.is_godot ? "godot " + std::to_string(handed.item->size) : hex(handed.item->bytes));
  }
  return texts;
}

Texts all_handed(const std::vector<Item> &frames) {
  Texts texts;
  for (const Item &frame : frames) texts = texts + handed_texts(frame);
  return texts;
}

bool has(const Item &frame, std::string_view field) { return find_item(frame, field) != nullptr; }

std::size_t count_of(const std::vector<Item> &frames, std::string_view field) {
  std::size_t count = 0;
  for (const Item &frame : frames) count += find_all(frame, field).size();
  return count;
}

const Item &enet_of(const Item &frame) {
  static const Item none;
  const Item *const enet = frame.child("enet");
  EXPECT_NE(enet, nullptr);
  return enet == nullptr ? none : *enet;
}

/// No two bytes of it make sense to any heuristic.
std::string noise(std::size_t size, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(0x80 | (generator() & 0x7f));
  return bytes;
}

// --- Commands --------------------------------------------------------------------------------------------------

using FieldValues = std::vector<std::pair<std::string, std::int64_t>>;

struct CommandCase {
  const char *name;
  std::string bytes;
  FieldValues values;  // behind the header
};

std::vector<CommandCase> command_cases() {
  const std::string settings = be16(0x102) + u8(3) + u8(4) + be32(0x570) + be32(0x10002) + be32(0xfe) +
                               be32(0x01020304) + be32(0x05060708) + be32(5001) + be32(6) + be32(7) + be32(0x80000001);
  const FieldValues values = {{"enet.connect.outgoing_peer_id", 0x102},
                              {"enet.connect.incoming_session", 3},
                              {"enet.connect.outgoing_session", 4},
                              {"enet.connect.mtu", 0x570},
                              {"enet.connect.window_size", 0x10002},
                              {"enet.connect.channel_count", 0xfe},
                              {"enet.connect.incoming_bandwidth", 0x01020304},
                              {"enet.connect.outgoing_bandwidth", 0x05060708},
                              {"enet.connect.throttle_interval", 5001},
                              {"enet.connect.throttle_acceleration", 6},
                              {"enet.connect.throttle_deceleration", 7},
                              {"enet.connect.connect_id", 0x80000001}};
  FieldValues with_data = values;
  with_data.emplace_back("enet.connect.data", 0xfffefdfc);
  return {
      {"acknowledge",
       command(1, 5, 0x1234, be16(0x1234) + be16(0xabcd)),
       {{"enet.ack.seq", 0x1234}, {"enet.ack.sent_time", 0xabcd}}},
      {"connect", command(0x82, 0xff, 1, settings + be32(0xfffefdfc)), with_data},
      {"verify connect", command(0x83, 0xff, 2, settings), values},
      {"disconnect", command(0x44, 0xff, 3, be32(0xcafe0001)), {{"enet.disconnect.data", 0xcafe0001}}},
      {"ping", command(0x85, 0xff, 65535), {}},
      {"send reliable", command(0x86, 1, 9, be16(5) + "\x81\x82\x83\x84\x85"), {{"enet.data_length", 5}}},
      {"send unreliable",
       command(0x07, 2, 9, be16(0xfff0) + be16(2) + "\x91\x92"),
       {{"enet.unreliable_seq", 0xfff0}, {"enet.data_length", 2}}},
      {"send fragment",
       command(0x88, 3, 21, be16(20) + be16(3) + be32(7) + be32(1) + be32(21) + be32(3) + "\xa1\xa2\xa3"),
       {{"enet.fragment.start_seq", 20},
        {"enet.data_length", 3},
        {"enet.fragment.fragment_count", 7},
        {"enet.fragment.number", 1},
        {"enet.fragment.total_length", 21},
        {"enet.fragment.offset", 3}}},
      {"send unsequenced",
       command(0x49, 4, 0, be16(0x8001) + be16(1) + "\xb1"),
       {{"enet.unsequenced_group", 0x8001}, {"enet.data_length", 1}}},
      {"bandwidth limit",
       command(0x8a, 0xff, 4, be32(0x0a000001) + be32(0x0b000002)),
       {{"enet.bandwidth.incoming", 0x0a000001}, {"enet.bandwidth.outgoing", 0x0b000002}}},
      {"throttle configure",
       command(0x8b, 0xff, 5, be32(4000) + be32(3) + be32(0x7fffffff)),
       {{"enet.throttle.interval", 4000},
        {"enet.throttle.acceleration", 3},
        {"enet.throttle.deceleration", 0x7fffffff}}},
      {"send unreliable fragment",
       command(0x0c, 5, 6, be16(0xffff) + be16(2) + be32(9) + be32(8) + be32(18) + be32(16) + "\xc1\xc2"),
       {{"enet.fragment.start_seq", 0xffff},
        {"enet.data_length", 2},
        {"enet.fragment.fragment_count", 9},
        {"enet.fragment.number", 8},
        {"enet.fragment.total_length", 18},
        {"enet.fragment.offset", 16}}},
  };
}

FieldValues values_of(const Item &part) {
  FieldValues values;
  for (const Item *field : fields_with_bytes(part)) {
    if (field->name == "enet.data") continue;
    values.emplace_back(field->name, is_true(field->show) ? 1 : field->show == "False" ? 0 : number(field->show));
  }
  return values;
}

TEST(enet_commands_test, show_every_field) {
  const std::vector<CommandCase> cases = command_cases();
  std::string all;
  for (const CommandCase &each : cases) all += each.bytes;
  Talk talk(false);
  talk.client(be16(0xb123) + be16(0xfedc) + all);  // session 3, a sent time
  for (const CommandCase &each : cases) talk.client(be16(0x1fff) + each.bytes);
  const std::vector<Item> frames = talk.details();
  ASSERT_EQ(frames.size(), cases.size() + 1);
  const Item &enet = enet_of(frames[0]);
  EXPECT_EQ(child_number(enet, "enet.peer_id"), 0x123);
  EXPECT_EQ(child_number(enet, "enet.session"), 3);
  EXPECT_EQ(child_number(enet, "enet.sent_time"), 0xfedc);
  EXPECT_FALSE(is_true(enet.child_text("enet.compressed")));
  EXPECT_EQ(enet_of(frames[1]).child("enet.sent_time"), nullptr);
  EXPECT_EQ(child_number(enet_of(frames[1]), "enet.session"), 1);
  EXPECT_EQ(child_number(enet_of(frames[1]), "enet.peer_id"), 0xfff);
  const std::vector<Command> together = commands_of(enet);
  ASSERT_EQ(together.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<Command> alone = commands_of(enet_of(frames[i + 1]));
    ASSERT_EQ(alone.size(), 1U) << cases[i].name;
    const auto byte = [&cases, i](std::size_t at) { return static_cast<unsigned char>(cases[i].bytes[at]); };
    FieldValues expected = {{"enet.flags.acknowledge", byte(0) >> 7},
                            {"enet.flags.unsequenced", byte(0) >> 6 & 1},
                            {"enet.command", byte(0) & 15},
                            {"enet.channel", byte(1)},
                            {"enet.reliable_seq", byte(2) << 8 | byte(3)}};
    expected.insert(expected.end(), cases[i].values.begin(), cases[i].values.end());
    for (const Command &each : {together[i], alone[0]}) {
      EXPECT_EQ(values_of(*each.part), expected) << cases[i].name;
      EXPECT_NE(each.part->child("enet.command")->label.find(cases[i].name), std::string::npos) << each.label();
      EXPECT_EQ(each.part->size, cases[i].bytes.size());
    }
  }
  constexpr std::size_t payload = 28;
  expect_commands_tiled(enet, payload + 4, payload + 4 + all.size());
  EXPECT_EQ(handed_texts(frames[0]), (Texts{"\x81\x82\x83\x84\x85", "\x91\x92", "\xb1"}));
  EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
}

TEST(enet_commands_test, are_told_in_the_info_column) {
  Talk talk;
  talk.server(datagram(command(0x86, 0, 2, be16(4) + noise(4)), 777));
  talk.client(datagram(reliable(0, 3, noise(49)) + ack(0, 2, 777), 778));
  const std::vector<Texts> rows = read_fields(talk.save(), ports, {"_ws.col.Protocol", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[4], (Texts{"ENet", "Reliable ch 0 #3 (49 bytes), Ack #2 (1.0 ms)"}));
}

TEST(enet_commands_test, that_run_past_the_end_leave_the_ones_before_them) {
  const std::string good = reliable(0, 3, noise(5)) + ping_command(4);
  Talk talk;
  std::vector<std::pair<std::string, std::size_t>> cuts;
  for (const CommandCase &each : command_cases()) {
    for (std::size_t size = 1; size < each.bytes.size(); ++size) {
      cuts.emplace_back(each.name, size);
      talk.client(datagram(good + each.bytes.substr(0, size)));
    }
  }
  // A length of data that is not there.
  cuts.emplace_back("length of a reliable", 0);
  talk.client(datagram(good + command(0x86, 0, 9, be16(1000) + "abc")));
  const std::vector<Item> frames = talk.details();
  ASSERT_EQ(frames.size(), cuts.size() + 3);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    SCOPED_TRACE(std::string(cuts[i].first) + " cut to " + std::to_string(cuts[i].second));
    const Item &frame = frames[i + 3];
    EXPECT_TRUE(has(frame, "enet.malformed"));
    EXPECT_FALSE(has(frame, "enet.truncated"));
    const std::vector<Command> commands = commands_of(enet_of(frame));
    ASSERT_GE(commands.size(), 2U);
    EXPECT_EQ(commands[0].type, send_reliable);
    EXPECT_EQ(commands[1].type, ping);
    // The first time as data, then as a retransmission.
    EXPECT_EQ(handed_texts(frame), i == 0 ? Texts{noise(5)} : Texts{});
    std::size_t end = 0;  // and the rest is shown
    for (const Item &item : enet_of(frame).children) end = std::max(end, item.position + item.size);
    EXPECT_EQ(end, enet_of(frame).position + enet_of(frame).size);
  }
  EXPECT_EQ(read_fields(talk.save(), ports + Texts{"-Y", "enet.unsupported"}, {"frame.number"}).size(), 0U);
}

TEST(enet_commands_test, that_run_past_the_end_are_not_the_first_of_their_number) {
  Talk talk;
  talk.client(datagram(command(0x86, 1, 5, be16(100) + "\x98 cut")));  // its receiver leaves it unread
  talk.client(datagram(reliable(1, 5, "\x98 whole"), 1500));
  EXPECT_EQ(all_handed(talk.details()), Texts{"\x98 whole"});
}

TEST(enet_commands_test, of_unknown_numbers_are_unsupported) {
  constexpr int unknown[] = {0, 13, 14, 15};
  Talk talk;
  for (const int each : unknown)
    talk.client(datagram(unreliable(1, 0, each + 1, "\x99good") + command(each, 0, 1, noise(20))));
  const std::vector<Item> frames = talk.details();
  for (std::size_t i = 3; i < frames.size(); ++i) {
    SCOPED_TRACE(unknown[i - 3]);
    EXPECT_TRUE(has(frames[i], "enet.unsupported"));
    EXPECT_FALSE(has(frames[i], "enet.malformed"));
    EXPECT_EQ(handed_texts(frames[i]), Texts{"\x99good"});
    const Item *const rest = find_item(frames[i], "enet.undecoded");
    ASSERT_NE(rest, nullptr);
    EXPECT_EQ(rest->position + rest->size, enet_of(frames[i]).position + enet_of(frames[i]).size);
    EXPECT_EQ(rest->size, 24U);
  }
}

TEST(enet_commands_test, may_be_too_short_for_a_header) {
  Talk talk(false);
  for (const std::string &bytes : {std::string("\x80", 1), std::string("\x80\0\1", 3), std::string("\0\0", 2)}) {
    talk.client(bytes);
  }
  const std::vector<Item> frames = talk.details();
  EXPECT_TRUE(has(frames[0], "enet.malformed"));
  EXPECT_TRUE(has(frames[1], "enet.malformed"));
  for (const Item &frame : frames) EXPECT_NE(frame.child("enet"), nullptr);
}

TEST(enet_commands_test, may_be_too_short_for_a_checksum_that_others_have) {
  // The first two show that there are checksums.
  Talk talk(false);
  const std::string sealed = be16(0x8000) + be16(100) + be32(0xdeadbeef) + ping_command(1);
  talk.client(sealed).client(sealed);
  const std::string rest("\0\0\0\0\0\0\0", 7);
  for (std::size_t size = 1; size < 8; ++size) talk.client(("\x80" + rest).substr(0, size));
  for (std::size_t size = 1; size < 6; ++size) talk.client(rest.substr(0, size));
  talk.client(sealed);
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = talk.details(passes);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(i + 1);
      const bool is_whole = i < 2 || i + 1 == frames.size();
      EXPECT_EQ(has(frames[i], "enet.malformed"), !is_whole);
      EXPECT_EQ(has(frames[i], "enet.checksum"), is_whole);
      EXPECT_EQ(commands_of(enet_of(frames[i])).size(), is_whole ? 1U : 0U);
    }
  }
}

TEST(enet_commands_test, may_be_a_thousand) {
  std::string pings;
  std::string messages;
  for (int i = 0; i < 1000; ++i) {
    pings += ping_command(i + 2);
    messages += unreliable(0, 0, i + 1, "\x9d");
  }
  for (const std::string &thousand : {pings, messages}) {
    SCOPED_TRACE(thousand.size());
    Talk talk;
    talk.client(datagram(thousand));
    talk.client(datagram(reliable(1, 1, "\x98 after it")));
    const std::vector<Item> frames = talk.details();
    const Item &enet = enet_of(frames[3]);
    const std::vector<Command> commands = commands_of(enet);
    EXPECT_GE(commands.size(), 32U) << "as many as ENet sends";
    EXPECT_TRUE(has(enet, "_ws.expert"));
    EXPECT_EQ(handed_by(frames[3]).size(), thousand == pings ? 0U : 64U);
    std::size_t position = enet.position + 4;
    for (const Command &each : commands) position += each.part->size;
    for (const Item &item : enet.children) position += item.name == "enet.undecoded" ? item.size : 0;
    EXPECT_EQ(position, enet.position + enet.size) << "every byte is shown";
    EXPECT_EQ(handed_texts(frames[4]), Texts{"\x98 after it"});
    const std::vector<Texts> rows = read_fields(talk.save(), ports, {"_ws.col.Info"});
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_LT(rows[3][0].size(), 1000U);
  }
}

TEST(enet_commands_test, cut_by_the_capture_are_truncated) {
  Talk talk;
  std::string all;
  for (const CommandCase &each : command_cases()) {
    all += each.bytes;
    talk.client(datagram(unreliable(0, 0, 1, noise(60)) + each.bytes));
  }
  talk.client(datagram(all));
  for (const Fragment &each : fragments_of(noise(300), 1, 1, 100)) talk.client(datagram(each.bytes()));
  talk.client(datagram(noise(90), 1000, 0x4000));  // compressed, and who knows how
  for (std::size_t snap : {60U, 61U, 40U, 33U, 31U, 30U, 29U, 28U}) {
    SCOPED_TRACE(snap);
    const std::vector<Item> frames = read_details(talk.save(snap), ports);
    ASSERT_EQ(frames.size(), talk.frame());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].child("enet") == nullptr) continue;  // nothing of it captured
      EXPECT_FALSE(has(frames[i], "enet.malformed")) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.unsupported")) << i + 1;
      EXPECT_EQ(has(frames[i], "enet.truncated"), talk.pcap.frames[i].size() > snap) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.reassembled.length")) << i + 1;
    }
  }
}

TEST(enet_commands_test, cut_by_the_capture_are_truncated_in_real_ones) {
  for (const char *const name : {"enet_none_godot4.6", "enet_range_coder_godot3.6", "enet_fastlz_godot4.6"}) {
    SCOPED_TRACE(name);
    const Pcap pcap = pcap_of(named_capture(name).path);
    const fs::path path = scratch_folder() / "snapped.pcap";
    pcap.save(path, 60);
    const std::vector<Item> frames = read_details(path, ports);
    ASSERT_EQ(frames.size(), pcap.frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_FALSE(has(frames[i], "enet.malformed")) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.unsupported")) << i + 1;
      EXPECT_EQ(has(frames[i], "enet.truncated"), pcap.frames[i].size() > 60) << i + 1;
    }
  }
}

// --- Fragments -------------------------------------------------------------------------------------------------

TEST(enet_fragments_test, come_in_any_order) {
  struct Order {
    std::vector<std::size_t> fragments;
    bool is_whole;
  };
  const Order orders[] = {
      {{0, 1, 2}, true},       {{2, 1, 0}, true},          {{1, 2, 0}, true}, {{0, 0, 1, 1, 2, 2}, true},
      {{2, 2, 0, 1, 0}, true}, {{0, 1, 2, 0, 1, 2}, true}, {{0, 2}, false},   {{1}, false},
      {{2, 2, 2, 1}, false}};
  for (const bool is_unreliable : {false, true}) {
    Talk talk;
    Texts expected;
    int start = 10;
    for (const Order &order : orders) {
      // Nobody sends an unreliable message twice; it would take a network that doubles datagrams.
      if (is_unreliable && order.fragments.size() == 6 && order.fragments[1] == 1) continue;
      const std::string message = noise(250, static_cast<unsigned>(start));
      const std::vector<Fragment> fragments = fragments_of(message, 1, start, 100, is_unreliable);
      for (const std::size_t each : order.fragments) talk.client(datagram(fragments[each].bytes()));
      if (order.is_whole) expected.push_back(message);
      start += 10;
    }
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = talk.details(passes);
      EXPECT_EQ(all_handed(frames) == expected, true)
          << all_handed(frames).size() << " messages, unreliable " << is_unreliable;
      EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
      for (const Item &frame : frames) EXPECT_FALSE(commands_of(enet_of(frame)).empty());
    }
  }
}

TEST(enet_fragments_test, of_a_message_in_one_frame_make_it_whole) {
  std::string commands;
  for (const Fragment &each : fragments_of(noise(250), 1, 5, 100)) commands += each.bytes();
  commands += reliable(1, 8, "\x98 after it");
  Talk talk;
  talk.client(datagram(commands));
  // On a second pass the message is where the first one has put it, and there once.
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Item frame = talk.details(passes)[3];
    EXPECT_EQ(handed_texts(frame), (Texts{noise(250), "\x98 after it"}));
    const std::vector<Command> parts = commands_of(enet_of(frame));
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_FALSE(has(*parts[0].part, "enet.fragments"));
    EXPECT_FALSE(has(*parts[1].part, "enet.fragments"));
    EXPECT_TRUE(has(*parts[2].part, "enet.fragments"));
  }
}

TEST(enet_fragments_test, that_overlap_are_told) {
  const std::string message = noise(200);
  struct Overlap {
    const char *name;
    Fragment second;
    bool is_same;
  };
  const Overlap overlaps[] = {
      {"the same bytes", {1, 5, 2, 1, 200, 60, message.substr(60), false}, true},
      {"other bytes", {1, 5, 2, 1, 200, 60, noise(140, 9), false}, false},
  };
  for (const Overlap &overlap : overlaps) {
    SCOPED_TRACE(overlap.name);
    Talk talk;
    talk.client(datagram(Fragment{1, 5, 2, 0, 200, 0, message.substr(0, 100), false}.bytes()));
    talk.client(datagram(overlap.second.bytes()));
    talk.client(datagram(reliable(2, 1, "\x98")));
    const std::vector<Item> frames = talk.details();
    EXPECT_TRUE(has(frames[4], "enet.fragment.overlap") || has(frames[4], "_ws.expert"));
    const Texts handed = all_handed(frames);
    ASSERT_FALSE(handed.empty());
    EXPECT_EQ(handed.back(), "\x98");
    EXPECT_LE(handed.size(), 2U);
    if (overlap.is_same && handed.size() == 2) {
      EXPECT_EQ(handed[0] == message, true);
    }
  }
}

TEST(enet_fragments_test, that_contradict_themselves_are_malformed) {
  const Fragment bad[] = {
      {1, 5, 3, 1, 250, 200, noise(100), false},          // past the total
      {1, 5, 3, 1, 250, 0xffffffff, noise(100), false},   // the sum wraps
      {1, 5, 3, 3, 250, 100, noise(100), false},          // one too many
      {1, 5, 0, 0, 250, 0, noise(100), false},            // belongs to no connection
      {1, 5, 300, 0, 250, 0, noise(1), false},            // more fragments than bytes
      {1, 5, 1048577, 0, 4000000, 0, noise(100), false},  // more than ENet allows
      {1, 5, 2, 0, 0, 0, noise(100), false},
      {1, 5, 0xffffffff, 0xfffffffe, 0xffffffff, 0xfffffff0, noise(20), false},
      {1, 5, 3, 1, 250, 200, noise(100), true},
  };
  for (const Fragment &each : bad) {
    SCOPED_TRACE(std::to_string(&each - bad));
    Talk talk;
    talk.client(datagram(reliable(2, 1, "\x98 before") + each.bytes()));
    talk.client(datagram(reliable(2, 2, "\x98 after")));
    const std::vector<Item> frames = talk.details();
    EXPECT_TRUE(has(frames[3], "enet.malformed") || has(frames[3], "enet.limit"));
    EXPECT_EQ(all_handed(frames), (Texts{"\x98 before", "\x98 after"}));
    EXPECT_FALSE(has(frames[3], "enet.reassembled.length"));
  }
}

constexpr Limits modest = {120, std::size_t{1} << 30};

TEST(enet_fragments_test, of_4_gb_take_no_memory) {
  Talk talk;
  // ENet's own rules allow it: so many fragments, so long a total.
  for (int start = 1; start < 200; ++start) {
    for (std::uint32_t number : {1048575U, 0U, 77U}) {
      talk.client(datagram(
          Fragment{start % 4, start * 10, 1048576, number, 0xffffffff, number * 4096 - number, noise(40), false}
              .bytes()));
      talk.server(
          datagram(Fragment{start % 4, start * 10, 1048576, number, 0x02000000, number * 32, noise(32), true}.bytes()));
    }
  }
  const std::vector<Item> frames = read_details(talk.save(), ports + Texts{"-2"}, modest);
  ASSERT_EQ(frames.size(), talk.frame());
  EXPECT_TRUE(all_handed(frames).empty());
  EXPECT_GT(count_of(frames, "_ws.expert"), 100U);
  EXPECT_EQ(count_of(frames, "enet.fragment.number"), frames.size() - 3) << "they are shown";
}

TEST(enet_fragments_test, are_kept_apart) {
  // One start number everywhere: both directions, two channels, both kinds, two clients, two servers' ports.
  struct Place {
    Ports udp_ports;
    int channel;
    bool is_unreliable;
  };
  const Place places[] = {{to_server, 1, false},     {to_client, 1, false},     {to_server, 2, false},
                          {to_client, 2, false},     {to_server, 1, true},      {to_client, 1, true},
                          {{40001, 5020}, 1, false}, {{40000, 5021}, 1, false}, {{5021, 40000}, 1, false}};
  Talk talk;
  Texts expected;
  std::vector<std::vector<Fragment>> messages;
  for (std::size_t i = 0; i < std::size(places); ++i) {
    expected.push_back(noise(250 + i, static_cast<unsigned>(i)));
    messages.push_back(fragments_of(expected.back(), places[i].channel, 7, 100, places[i].is_unreliable));
  }
  for (std::size_t number = 0; number < 3; ++number) {
    for (std::size_t i = 0; i < std::size(places); ++i) {
      talk.add(places[i].udp_ports, datagram(messages[i][number].bytes()));
    }
  }
  const std::vector<Item> frames = talk.details();
  EXPECT_EQ(all_handed(frames) == expected, true) << all_handed(frames).size();
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
}

TEST(enet_fragments_test, may_use_a_number_again_after_a_wrap) {
  for (const bool is_first_whole : {true, false}) {
    SCOPED_TRACE(is_first_whole);
    Talk talk;
    const std::string first = noise(150, 1);
    const std::string second = noise(270, 2);
    const std::vector<Fragment> early = fragments_of(first, 1, 5, 100);
    talk.client(datagram(early[0].bytes()));
    talk.server(datagram(ack(1, 5, 1000)));
    if (is_first_whole) {
      talk.client(datagram(early[1].bytes()));
      talk.server(datagram(ack(1, 6, 1000)));
    }
    // Not each of the numbers in between: the capture lost most of them.
    for (int seq = 1000; seq < 65536; seq += 1000) {
      talk.client(datagram(reliable(1, seq, "\x98"), seq));
      talk.server(datagram(ack(1, seq, seq)));
    }
    const std::size_t before = talk.frame();
    for (const Fragment &each : fragments_of(second, 1, 5, 100)) talk.client(datagram(each.bytes(), 3000));
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = talk.details(passes);
      Texts handed = all_handed(frames);
      std::erase(handed, "\x98");
      EXPECT_EQ(handed == (is_first_whole ? Texts{first, second} : Texts{second}), true) << handed.size();
      for (std::size_t i = before; i < frames.size(); ++i) EXPECT_FALSE(has(frames[i], "enet.retransmission_of")) << i;
    }
  }
}

TEST(enet_fragments_test, do_not_live_longer_than_their_connection) {
  Talk talk;
  talk.client(datagram(fragments_of(noise(250, 1), 1, 5, 100)[0].bytes()));
  talk.shake_hands(0xff, connect_id + 1);
  const std::string second = noise(250, 2);  // equally long, with equal numbers
  const std::vector<Fragment> fragments = fragments_of(second, 1, 5, 100);
  talk.client(datagram(fragments[1].bytes()));
  talk.client(datagram(fragments[2].bytes()));
  EXPECT_TRUE(all_handed(talk.details()).empty()) << "one is missing";
  talk.client(datagram(fragments[0].bytes()));
  const std::vector<Item> frames = talk.details();
  EXPECT_EQ(all_handed(frames) == Texts{second}, true);
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
  EXPECT_EQ(child_number(enet_of(frames.front()), "enet.stream"), 0);
  EXPECT_EQ(child_number(enet_of(frames.back()), "enet.stream"), 1);
}

// --- Analysis --------------------------------------------------------------------------------------------------

TEST(enet_analysis_test, gives_nothing_on_twice) {
  Talk talk;
  talk.client(datagram(reliable(1, 5, "\x98 once"), 500));
  const std::size_t first = talk.frame();
  talk.client(datagram(reliable(1, 5, "\x98 once"), 600));
  talk.client(datagram(reliable(2, 5, "\x98 elsewhere"), 600));
  talk.server(datagram(reliable(1, 5, "\x98 back"), 600));
  const std::vector<Item> frames = talk.details();
  EXPECT_EQ(all_handed(frames), (Texts{"\x98 once", "\x98 elsewhere", "\x98 back"}));
  EXPECT_EQ(find_all(frames[first], "enet.retransmission_of"), Texts{std::to_string(first)});
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 1U);
}

TEST(enet_analysis_test, counts_gaps) {
  Talk talk;
  struct Step {
    std::string bytes;
    const char *missing;
  };
  const Step steps[] = {
      {unsequenced(1, 3, "\x98"), "2"},  // the connection's first two: its handshake was captured
      {unsequenced(1, 4, "\x98"), ""},    {unsequenced(1, 8, "\x98"), "3"},   {unsequenced(1, 6, "\x98"), ""},
      {unreliable(2, 0, 2, "\x98"), "1"}, {unreliable(2, 0, 3, "\x98"), ""},  {unreliable(2, 0, 6, "\x98"), "2"},
      {unreliable(2, 1, 1, "\x98"), ""},  {unreliable(2, 2, 3, "\x98"), "2"}, {unreliable(3, 0, 1, "\x98"), ""},
  };
  for (const Step &step : steps) talk.client(datagram(step.bytes));
  const std::vector<Item> frames = talk.details();
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    const Texts found = find_all(frames[i + 3], "enet.missing");
    EXPECT_EQ(found.empty() ? "" : found[0], steps[i].missing) << i;
  }
}

TEST(enet_analysis_test, tells_what_was_never_acknowledged) {
  struct Case {
    const char *name;
    std::uint32_t heard_after;  // milliseconds; 0: never
    bool is_acked;
    bool is_told;
  };
  constexpr Case cases[] = {{"heard later", 6000, false, true},
                            {"heard too soon to know", 1000, false, false},
                            {"the capture ends", 0, false, false},
                            {"acknowledged", 6000, true, false}};
  for (const Case &each : cases) {
    SCOPED_TRACE(each.name);
    Talk talk;
    talk.client(datagram(reliable(1, 1, "\x98 lost"), 500));
    const std::size_t sent = talk.frame();
    if (each.is_acked) talk.server(datagram(ack(1, 1, 500)));
    if (each.heard_after > 0) talk.wait(each.heard_after).server(datagram(unsequenced(0, 1, "\x98"), 7000));
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = talk.details(passes);
      Texts told;
      for (const Item &frame : frames) {
        if (has(frame, "enet.unacknowledged")) told.push_back(number_of(frame));
      }
      EXPECT_EQ(told, each.is_told && !passes.empty() ? Texts{std::to_string(sent)} : Texts{}) << passes.size();
    }
  }
}

// --- Seen twice, seen inside -----------------------------------------------------------------------------------

TEST(enet_duplicates_test, are_marked_and_count_once) {
  Talk talk;
  const std::string first = datagram(unreliable(1, 0, 1, "\x98 one") + reliable(2, 1, "\x98 two"), 500);
  talk.client(first);
  const std::size_t original = talk.frame();
  talk.client(first);                                      // captured again
  talk.client(datagram(reliable(2, 1, "\x98 two"), 600));  // sent again
  const std::string answer = be16(0) + ack(2, 1, 600);
  talk.server(answer).server(answer);
  talk.client(be16(0) + unreliable(1, 0, 2, "\x98 three"));
  talk.client(be16(0) + unreliable(1, 0, 2, "\x98 three"));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = talk.details(passes);
    const std::map<std::size_t, std::string> duplicates = {{original, "4"}, {original + 3, "7"}, {original + 5, "9"}};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(i + 1);
      const bool is_duplicate = duplicates.contains(i);
      EXPECT_EQ(enet_of(frames[i]).child_text("enet.duplicate_of"), is_duplicate ? duplicates.at(i) : "");
      EXPECT_EQ(has(frames[i], "enet.duplicate"), is_duplicate);
      EXPECT_EQ(enet_of(frames[i]).child_text("enet.stream"), "0");
    }
    EXPECT_EQ(handed_texts(frames[original]), (Texts{"\x98 one", "\x98 two"})) << "shown all the same";
    EXPECT_EQ(find_all(frames[original], "enet.retransmission_of"), Texts{});
    EXPECT_EQ(find_all(frames[original + 1], "enet.retransmission_of"), Texts{std::to_string(original)});
    EXPECT_EQ(count_of(frames, "enet.missing"), 0U);
    EXPECT_EQ(find_all(frames[original + 3], "enet.ack_to"), Texts{std::to_string(original + 2)});
  }
  const std::string table = tshark(talk.save(), ports + Texts{"-q", "-z", "conv,enet", "-z", "follow,enet,raw,0"});
  std::size_t handed = 0;
  for (const std::string &line : lines_of(table)) handed += line == to_hex("\x98 one") ? 1 : 0;
  EXPECT_EQ(handed, 1U) << table;
  std::istringstream row(table.substr(table.find("<->") + 3));
  std::string word;
  std::set<std::string> words;
  for (int i = 0; i < 12 && row >> word; ++i) words.insert(word);
  EXPECT_TRUE(words.contains("7")) << "frames: " << table;
}

TEST(enet_duplicates_test, of_a_real_capture_on_two_interfaces_count_once) {
  const fs::path path = fs::path(GODOT_CAPTURES_DIR) / "enet_twice_godot3.6.pcapng";
  const std::unique_ptr<Reading> reading = read(path, ports);
  ASSERT_EQ(reading->datagrams.size(), 538U);
  Bag received;
  std::map<std::string, std::size_t> copies;  // by the bytes
  std::size_t duplicates = 0;
  for (const Datagram &datagram : reading->datagrams) {
    const std::string &bytes = datagram.udp_payload->bytes;
    const auto [first, is_new] = copies.emplace(datagram.from + datagram.client_port + bytes, datagram.frame);
    EXPECT_EQ(datagram.enet->child_text("enet.duplicate_of"), is_new ? "" : std::to_string(first->second));
    EXPECT_EQ(has(*datagram.details, "enet.duplicate"), !is_new) << datagram.frame;
    if (!is_new) {
      ++duplicates;
      continue;
    }
    EXPECT_EQ(count_of({*datagram.details}, "enet.missing"), 0U) << datagram.frame;
    for (const Message &message : messages_of(datagram)) {
      if (message.channel == 0) continue;  // the engine's own
      const std::string users = message.bytes.substr(8);
      received.insert(datagram.to + "\t" + std::to_string(message.channel) + "\t" + std::to_string(users.size()) +
                      "\t" + md5(users));
    }
  }
  EXPECT_EQ(duplicates, 269U);
  expect_same(received, read_expectations(path).received, "messages");
}

TEST(enet_quoted_test, datagrams_are_shown_and_teach_nothing) {
  Talk talk(false);
  const std::string connect = command(wants_ack | connect_, 0xff, 1, handshake(0xff, connect_id + 1) + be32(77));
  talk.pcap.frames.push_back(icmp_error(udp(to_server, datagram(connect, 100, 0, 0xfff))));
  talk.shake_hands(0xff, connect_id);
  talk.pcap.frames.push_back(icmp_error(udp(to_server, datagram(connect, 300, 0, 0xfff))));
  talk.pcap.frames.push_back(icmp_error(udp(to_server, be16(0) + unreliable(1, 0, 9, "\x98 quoted"))));
  talk.client(be16(0) + unreliable(1, 0, 1, "\x98 first"));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = talk.details(passes);
    const Item *const unknown = find_item(frames[0], "enet");
    ASSERT_NE(unknown, nullptr);
    EXPECT_EQ(unknown->child("enet.stream"), nullptr) << "of no connection that was captured";
    EXPECT_EQ(commands_of(*unknown).size(), 1U);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const Item *const enet = find_item(frames[i], "enet");
      ASSERT_NE(enet, nullptr) << i + 1;
      EXPECT_EQ(enet->child_text("enet.stream"), "0") << i + 1;
    }
    EXPECT_EQ(count_of(frames, "enet.missing"), 0U);
    EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
    EXPECT_EQ(handed_texts(frames.back()), Texts{"\x98 first"});
  }
}

// An error quotes some hundred bytes; epan takes those for the whole datagram.
TEST(enet_quoted_test, datagrams_that_are_quoted_in_part_are_truncated) {
  Talk talk(false);
  talk.shake_hands(0xff, connect_id);
  const std::string sent = udp(to_server, be16(0) + reliable(1, 7, std::string(200, 'a')));
  constexpr std::size_t headers = 20 + 8 + 2 + 6;
  for (const std::size_t data : {0U, 100U, 199U})
    talk.pcap.frames.push_back(icmp_error(sent.substr(0, headers + data)));
  talk.pcap.frames.push_back(icmp_error(sent));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = talk.details(passes);
    EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
    EXPECT_EQ(count_of(frames, "enet.truncated"), 3U);
    for (std::size_t i = frames.size() - 4; i + 1 < frames.size(); ++i) {
      EXPECT_EQ(find_all(frames[i], "enet.data_length"), Texts{"200"});
      const Texts notes = find_all(frames[i], "_ws.expert.message");
      EXPECT_EQ(std::ranges::count(notes, "The ICMP error quotes only the beginning"), 1);
    }
  }
  std::size_t bytes = 0;
  for (std::size_t i = talk.pcap.frames.size() - 4; i < talk.pcap.frames.size(); ++i) {
    bytes += talk.pcap.frames[i].size();
  }
  const auto costs = by_name(read_table(saved(talk.pcap), "godot,overhead"), "Bytes of", "Bytes");
  EXPECT_EQ(costs.at("ICMP errors"), static_cast<double>(bytes));
  EXPECT_FALSE(costs.contains("Other"));
}

// --- Expert items ----------------------------------------------------------------------------------------------

TEST(enet_expert_test, items_are_listed_without_a_tree) {
  Talk talk;
  talk.client(datagram(reliable(1, 1, "\x98"), 500)).client(datagram(reliable(1, 1, "\x98"), 600));
  talk.client(be16(0) + unreliable(1, 1, 4, "\x98") + command(0x0f, 0, 1));
  talk.client(be16(0) + command(0x86, 1, 5, be16(100) + "\x98 cut")).client("\x80");
  talk.client(be16(0x8000) + be16(1) + be32(0xdeadbeef) + ping_command(1));
  const std::string list = tshark(talk.save(), ports + Texts{"-q", "-z", "expert"});
  for (const char *const summary :
       {"The command was sent before", "3 before this one missing or late", "No command of ENet's (byte 9)",
        "A command runs past the end of the datagram", "Wrong checksum"}) {
    EXPECT_NE(list.find(summary), std::string::npos) << summary << list;
  }
}

// --- Decode As -------------------------------------------------------------------------------------------------

TEST(enet_decode_as_test, tells_what_runs_inside) {
  const std::string raw = noise(20);
  // put_var(["hello", "hello"]), as godot's
  const std::string hello("\x04\0\0\0\x05\0\0\0hello\0\0\0", 16);
  const std::string text = std::string("\x1c\0\0\0\x02\0\0\0", 8) + hello + hello;
  Talk talk(false);
  for (const std::uint16_t port : {std::uint16_t{5020}, std::uint16_t{5021}}) {
    talk.add({40000, port}, datagram(reliable(1, 1, raw)));
    talk.add({port, 40000}, datagram(reliable(1, 1, raw)));
    talk.add({40000, port}, datagram(reliable(1, 2, text)));
  }
  const std::vector<Item> plain = talk.details();
  EXPECT_EQ(all_handed(plain), (Texts{raw, raw, "godot 40", raw, raw, "godot 40"}));
  const std::vector<Item> as_godot = talk.details({"-d", "enet.port==5020,godot"});
  for (std::size_t i = 0; i < as_godot.size(); ++i) {
    EXPECT_EQ(as_godot[i].child("godot") != nullptr, i < 3 || i == 5) << i + 1;
  }
  EXPECT_EQ(all_handed(talk.details({"-d", "enet.port==5020,data"})), (Texts{raw, raw, text, raw, raw, "godot 40"}));
}

// --- Bombs and rubbish -----------------------------------------------------------------------------------------

std::string by_zlib(const std::string &bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef *>(out.data()), &size, reinterpret_cast<const Bytef *>(bytes.data()),
                      bytes.size(), 9),
            Z_OK);
  return out.substr(0, size);
}

std::string by_zstd(const std::string &bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
}

std::string by_range_coder(std::string bytes) {
  const std::unique_ptr<void, void (*)(void *)> coder(enet_range_coder_create(), enet_range_coder_destroy);
  std::string out(2 * bytes.size() + 64, '\0');
  ENetBuffer buffer{};
  buffer.data = bytes.data();
  buffer.dataLength = bytes.size();
  return out.substr(0, enet_range_coder_compress(coder.get(), &buffer, 1, bytes.size(),
                                                 reinterpret_cast<enet_uint8 *>(out.data()), out.size()));
}

/// FastLZ, level 1: a literal zero, then matches of 264 bytes at a distance of 1.
std::string zeros_by_fastlz(std::size_t size) {
  std::string out("\0\0", 2);
  for (std::size_t made = 1; made < size; made += 264) out += std::string("\xe0\xff\0", 3);
  return out;
}

constexpr int compressed_flag = 0x4000;

/// All preferences, for a capture that none of them may do harm with.
const Texts compressions = {"auto", "none", "range_coder", "fastlz", "zlib", "zstd"};

Texts told_compression(const std::string &name) {
  return ports + Texts{"-o", "enet.compression:" + (name == "auto" ? "Automatic" : name)};
}

TEST(enet_rubbish_test, bombs_do_not_explode) {
  constexpr std::size_t ten_megabytes = 10'000'000;
  const std::string zeros(ten_megabytes, '\0');
  const std::string few_zeros(1'000'000, '\0');
  std::string pings;
  for (int i = 0; i < 250'000; ++i) pings += ping_command(1);  // a bomb of good commands
  const std::pair<const char *, std::string> bombs[] = {{"zlib", by_zlib(zeros)},
                                                        {"zstd", by_zstd(zeros)},
                                                        {"range coder", by_range_coder(few_zeros)},
                                                        {"FastLZ", zeros_by_fastlz(ten_megabytes / 2)},
                                                        {"zlib of pings", by_zlib(pings)},
                                                        {"zstd of pings", by_zstd(pings)},
                                                        {"range coder of pings", by_range_coder(pings)}};
  Talk talk;
  for (const auto &[name, bytes] : bombs) {
    EXPECT_GT(bytes.size(), 100U) << name;
    talk.client(datagram(bytes.substr(0, 60000), 1000, compressed_flag));
  }
  talk.client(datagram(reliable(1, 1, "\x98 after it")));
  for (const std::string &compression : compressions) {
    SCOPED_TRACE(compression);
    const std::vector<Item> frames = read_details(talk.save(), told_compression(compression), modest);
    ASSERT_EQ(frames.size(), talk.frame());
    for (std::size_t i = 3; i + 1 < frames.size(); ++i) {
      EXPECT_TRUE(has(frames[i], "_ws.expert")) << bombs[i - 3].first;
      if (compression == "auto") {
        EXPECT_LE(child_number(enet_of(frames[i]), "enet.decompressed_size"), 4096) << bombs[i - 3].first;
      }
    }
    EXPECT_EQ(handed_texts(frames.back()), Texts{"\x98 after it"});
  }
}

// Each is remembered, up to a budget that goes by the bytes on the wire; one item says where it is spent.
TEST(enet_rubbish_test, commands_beyond_the_budget_are_told_once) {
  Talk talk;
  constexpr int pings_in_datagram = 1024;
  for (int i = 0; i < 500; ++i) {
    std::string pings;
    for (int j = 0; j < pings_in_datagram; ++j) pings += ping_command(i);
    talk.client(datagram(by_zlib(pings), i, compressed_flag));
  }
  const std::filesystem::path path = talk.save();
  std::vector<Texts> told;
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Texts> rows =
        read_fields(path, ports + passes + Texts{"-Y", "enet.left_out"}, {"frame.number", "_ws.expert.severity"});
    ASSERT_EQ(rows.size(), 1U);
    told.push_back(rows[0]);
  }
  EXPECT_EQ(told[0][0], told[1][0]);
  const int frame = std::stoi(told[0][0]);
  EXPECT_GT(frame, 250);
  EXPECT_LT(frame, 400);
  // The bytes before it are known.
  const std::vector<Texts> rows =
      read_fields(path, ports + Texts{"-Y", "frame.number == 200"}, {"enet.retransmission_of"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(split(rows[0][0], between_occurrences), Texts(pings_in_datagram - 1, "200"));
}

TEST(enet_rubbish_test, that_says_it_is_compressed_is_told) {
  Talk talk;
  std::mt19937 generator(7);
  for (std::size_t size = 1; size < 150; ++size) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>(generator());
    if (size % 4 == 1) bytes = "\x78\x9c" + bytes;
    if (size % 4 == 2) bytes = "\x28\xb5\x2f\xfd" + bytes;
    talk.client(datagram(bytes, 1000, compressed_flag));
  }
  talk.client(datagram(reliable(1, 1, "\x98 after it")));
  for (const std::string &compression : compressions) {
    SCOPED_TRACE(compression);
    const std::vector<Item> frames = read_details(talk.save(), told_compression(compression), modest);
    ASSERT_EQ(frames.size(), talk.frame());
    for (std::size_t i = 3; i + 1 < frames.size(); ++i) {
      if (compression == "auto") {
        EXPECT_TRUE(has(frames[i], "enet.unsupported") || has(frames[i], "enet.malformed")) << i + 1;
        EXPECT_TRUE(handed_by(frames[i]).empty()) << i + 1;
      }
      ASSERT_NE(enet_of(frames[i]).child("enet.compressed_bytes"), nullptr) << i + 1;
    }
    EXPECT_EQ(handed_texts(frames.back()), Texts{"\x98 after it"});
  }
}

TEST(enet_rubbish_test, in_captures_does_no_harm) {
  for (const char *const name : {"enet_none_godot4.6", "enet_range_coder_godot3.6", "enet_loss_godot3.2.3"}) {
    SCOPED_TRACE(name);
    Pcap pcap = pcap_of(named_capture(name).path);
    std::mt19937 generator(3);
    for (std::string &frame : pcap.frames) {
      constexpr std::size_t payload = 42;
      for (int i = 0; i < 3 && frame.size() > payload; ++i) {
        frame[payload + generator() % std::min<std::size_t>(frame.size() - payload, 40)] =
            static_cast<char>(generator());
      }
    }
    const fs::path path = scratch_folder() / "mutated.pcap";
    pcap.save(path);
    EXPECT_FALSE(tshark(path, ports + Texts{"-2", "-V"}, modest).empty());
    EXPECT_FALSE(tshark(path, ports + Texts{"-q", "-z", "conv,enet", "-z", "follow,enet,hex,0"}, modest).empty());
  }
}

TEST(enet_rubbish_test, does_not_reach_the_terminal) {
  const std::string evil = "\x1b]0;owned\x07\x1b[31m\xe2\x80\xae red";
  const std::string padded = evil + std::string((4 - evil.size() % 4) % 4, '\0');
  const std::string variant =
      std::string("\x04\0\0\0", 4) + little_endian(static_cast<std::uint32_t>(evil.size())) + padded;
  // put_var(["game", "game"]): by this, Variants are recognised
  const std::string game("\x04\0\0\0\x04\0\0\0game", 12);
  const std::string plain = std::string("\x1c\0\0\0\x02\0\0\0", 8) + game + game;
  Talk talk;
  talk.client(datagram(reliable(1, 1, plain) + reliable(1, 2, variant) + reliable(1, 3, evil)));
  for (const Texts &options : {Texts{}, Texts{"-V"}, Texts{"-V", "-x"}, Texts{"-T", "json"}, Texts{"-P", "-2"},
                               Texts{"-q", "-z", "follow,enet,ascii,0"}}) {
    tshark(talk.save(), ports + options);  // expects nothing that acts on a terminal
  }
  const std::string text = tshark(talk.save(), ports + Texts{"-O", "godot"});
  EXPECT_NE(text.find("owned"), std::string::npos) << "but it can be read";
}

}  // namespace
}  // namespace godot_codec::test
