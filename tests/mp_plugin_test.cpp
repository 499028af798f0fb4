// SPDX-License-Identifier: GPL-2.0-or-later
// The high-level multiplayer in tshark: captures of real games compared with what the games themselves recorded
// (captures/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <regex>
#include <set>
#include <utility>

#include "text_multiset.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

Texts joined(const Texts &first, const Texts &second) { return first + second; }

std::int64_t number(const std::string &text, std::int64_t otherwise = -1) {
  return text.empty() ? otherwise : std::stoll(text, nullptr, 0);
}

std::string base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// --- Captures --------------------------------------------------------------------------------------------------

const Texts ports = {"-o", "enet.udp.port:5030-5039", "-o", "godot_mp.ws.port:5040,5042"};

struct Capture {
  fs::path path;
  std::string name;      // <scenario>_godot<version>
  std::string scenario;  // mp_rpc

  [[nodiscard]] bool is_godot3() const { return name.find("_godot3") != std::string::npos; }
  [[nodiscard]] bool is_websocket() const { return scenario == "mp_ws" || scenario == "mp_wss"; }
  [[nodiscard]] Texts options() const { return is_websocket() ? Texts{ports[2], ports[3]} : Texts{ports[0], ports[1]}; }
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

std::vector<Capture> captures_of(std::string_view prefix) {
  std::vector<Capture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    const std::string name = entry.path().filename().replace_extension().string();
    fs::path expected = entry.path();
    if (!fs::exists(expected.replace_extension(".expected"))) continue;
    if (name.starts_with(prefix)) found.push_back({entry.path(), name, name.substr(0, name.find("_godot"))});
  }
  std::ranges::sort(found, {}, &Capture::name);
  return found;
}

std::vector<Capture> captures() { return captures_of("mp_"); }

Capture capture_named(std::string_view name) {
  const std::vector<Capture> found = captures_of(name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? Capture{} : found.front();
}

// --- The engine's record ---------------------------------------------------------------------------------------

struct Leaf {
  std::string path;
  std::string type;
  std::string text;
};

// A recorded line of an action that sends something: rpc, rset, raw, auth.
struct SentAction {
  Texts columns;
  std::vector<Leaf> leaves;
  std::set<std::string> connected;  // the peers to which the sender is connected at that time

  [[nodiscard]] const std::string &from() const { return columns[1]; }
  [[nodiscard]] const std::string &to() const { return columns[2]; }
  [[nodiscard]] Texts receivers() const {
    if (number(to()) > 0) return {to()};
    Texts all;
    for (const std::string &peer : connected) {
      if ("-" + peer != to()) all.push_back(peer);
    }
    return all;
  }
};

struct Expectations {
  std::vector<SentAction> sent;
  std::vector<Texts> lines;
  std::set<std::string> peers;

  [[nodiscard]] std::vector<Texts> of(std::string_view kind) const {
    std::vector<Texts> found;
    for (const Texts &columns : lines) {
      if (columns[0] == kind) found.push_back(columns);
    }
    return found;
  }
  [[nodiscard]] std::vector<SentAction> sent_actions_of(std::string_view kind) const {
    std::vector<SentAction> found;
    for (const SentAction &each : sent) {
      if (each.columns[0] == kind) found.push_back(each);
    }
    return found;
  }
};

Expectations read_expectations(const Capture &capture) {
  Expectations all;
  std::map<std::string, std::set<std::string>> connected;
  fs::path path = capture.path;
  bool takes_values = false;
  for (const std::string &line : lines_of(read_file(path.replace_extension(".expected")))) {
    const Texts columns = split(line, '\t');
    const std::string &kind = columns[0];
    if (kind == "value") {
      EXPECT_EQ(columns.size(), 4U) << line;
      if (takes_values) all.sent.back().leaves.push_back({columns[1], columns[2], columns[3]});
      continue;
    }
    all.lines.push_back(columns);
    takes_values = kind == "rpc" || kind == "rset";
    if (kind == "peer") all.peers.insert(columns[2]);
    if (kind == "peer_connected") connected[columns[1]].insert(columns[2]);
    if (kind == "peer_disconnected") connected[columns[1]].erase(columns[2]);
    if (takes_values || kind == "raw" || kind == "auth") all.sent.push_back({columns, {}, connected[columns[1]]});
  }
  EXPECT_GT(all.lines.size(), 20U);
  EXPECT_GE(all.peers.size(), 3U);
  return all;
}

// --- Output of the plugin --------------------------------------------------------------------------------------

struct Message {
  std::size_t frame = 0;
  const Item *layer = nullptr;
  std::string connection;  // client port and number of its session
  bool is_from_server = false;

  [[nodiscard]] std::string text(const char *field) const { return layer->child_text(field); }
  // Returns the command. For a relay, the relayed command follows the relay's own.
  [[nodiscard]] std::string command() const {
    std::string found;
    for (const Item &item : layer->children) {
      if (item.name == "godot_mp.command") found = item.show;
    }
    return found;
  }
  [[nodiscard]] bool is_relay() const { return text("godot_mp.command") == "relay"; }
  [[nodiscard]] std::string sender() const { return text("godot_mp.sender"); }
  [[nodiscard]] std::string receiver() const { return text("godot_mp.receiver"); }
  [[nodiscard]] std::string target() const { return text("godot_mp.target"); }
  [[nodiscard]] std::string summary() const { return text("godot_mp.summary"); }
  // False for the second hop of a relayed message.
  [[nodiscard]] bool is_first_hop() const { return is_from_server == (sender() == "1"); }
  // False for the first hop of a message that the server will relay.
  [[nodiscard]] bool is_last_hop() const { return is_from_server || receiver() == "1"; }
};

std::ostream &operator<<(std::ostream &stream, const Message &message) {
  return stream << "frame " << message.frame << ": " << message.summary();
}

struct Reading {
  std::vector<Item> frames;
  std::vector<Message> messages;
};

std::size_t number_of(const Item &frame) {
  const Item *const general = frame.child("geninfo");
  return general == nullptr ? 0 : static_cast<std::size_t>(number(general->child_text("num")));
}

std::unique_ptr<Reading> read(const fs::path &capture, const Texts &options) {
  auto reading = std::make_unique<Reading>();
  reading->frames = read_details(capture, joined(options, {"-2", "-Y", "enet or websocket"}));
  struct Session {
    std::string connect_id;
    bool is_over = false;
    int count = 0;
  };
  std::map<std::string, Session> sessions;  // by client port
  for (const Item &frame : reading->frames) {
    const Item *const udp = frame.child("udp");
    const Item *const transport = udp != nullptr ? udp : frame.child("tcp");
    if (transport == nullptr) continue;
    const std::string prefix = udp != nullptr ? "udp" : "tcp";
    const std::int64_t source = number(transport->child_text(prefix + ".srcport"));
    const bool is_from_server = source >= 5030 && source <= 5042;
    std::string connection = transport->child_text(is_from_server ? prefix + ".dstport" : prefix + ".srcport");
    if (const Item *const enet = frame.child("enet"); enet != nullptr) {
      const Texts ids = find_all(*enet, "enet.connect.connect_id");
      const Texts commands = find_all(*enet, "enet.command");
      Session &session = sessions[connection];
      // A client that reconnects may use the same port and the same connect id, so a second connect begins a new
      // session.
      if (std::ranges::count(commands, "2") > 0 && (session.is_over || session.connect_id != ids.front())) {
        session = {ids.front(), false, session.count + 1};
      }
      if (std::ranges::count(commands, "4") > 0) session.is_over = true;
      connection += "/" + std::to_string(session.count);
    }
    for (const Item &layer : frame.children) {
      if (layer.name != "godot_mp") continue;
      reading->messages.push_back({number_of(frame), &layer, connection, is_from_server});
    }
  }
  EXPECT_FALSE(reading->messages.empty()) << capture;
  return reading;
}

const Reading &reading_of(const Capture &capture) {
  static std::map<std::string, std::unique_ptr<Reading>> readings;
  std::unique_ptr<Reading> &reading = readings[capture.name];
  if (reading == nullptr) reading = read(capture.path, capture.options());
  return *reading;
}

// The plugin may truncate and mark longer texts.
constexpr std::size_t long_text = 200;

// Truncates an argument, because the plugin truncates long texts.
std::string truncated(const std::string &text) { return text.substr(0, long_text); }

std::string bytes_as_text(const std::string &hexadecimal, std::string_view type) {
  std::string text = std::string(type) + "([";
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    if (i > 0) text += ", ";
    text += std::to_string(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  }
  return text + "])";
}

// Returns the leaves below an item as `/path:text`. For an object with properties, returns only the class. Omits
// guessed contents of byte arrays, because the sender did not send them as values.
Texts leaves_of(const Item &layer) {
  Texts leaves;
  walk(layer, [&leaves](const Item &item) {
    if (item.name == "godot_mp.data.guessed" || item.name == "godot.embedded") return false;
    const Item *const object = item.child("godot.object.class");
    const Item *const leaf = item.child("godot.path_with_value");
    if (object != nullptr && !object->show.empty()) {
      leaves.push_back(truncated(item.child_text("godot.path") + ":" + object->show));
      return false;
    }
    if (leaf != nullptr) leaves.push_back(truncated(leaf->show));
    return true;
  });
  return leaves;
}

std::string joined_text(const Texts &texts) {
  std::string all;
  for (const std::string &text : texts) all += " | " + text;
  return all;
}

// Returns a call or a set property as one text: node, method or property, number of arguments, arguments.
std::string describe_call(const Message &message) {
  const std::string path = message.text("godot_mp.path");
  if (message.command() == "raw") {
    const Item *const data = message.layer->child("godot_mp.data");
    return "raw " + (data == nullptr ? "" : data->bytes);
  }
  if (message.command() == "rset") {
    return "rset " + path + " " + message.text("godot_mp.rset.property") + joined_text(leaves_of(*message.layer));
  }
  std::string method = message.text("godot_mp.rpc.method");
  if (method.empty()) method = message.text("godot_mp.rpc.method_id");
  std::string count = message.text("godot_mp.rpc.argc");
  Texts leaves = leaves_of(*message.layer);
  if (count.empty()) {  // raw bytes, or no arguments
    const Item *const data = message.layer->child("godot_mp.data");
    count = data == nullptr ? "0" : "1";
    leaves.clear();
    if (data != nullptr) leaves.push_back(truncated("/0:" + bytes_as_text(data->bytes, "PackedByteArray")));
  }
  return "rpc " + path + " " + method + " " + count + joined_text(leaves);
}

std::string expected_call(const SentAction &sent, const Capture &capture) {
  if (sent.columns[0] == "raw") return "raw " + sent.columns[3];
  const bool is_set = sent.columns[0] == "rset";
  Texts leaves;
  for (const Leaf &leaf : sent.leaves) {
    // The root of a set property has the path ""; the arguments of a call are numbered.
    leaves.push_back(truncated((is_set ? "/0" : "") + leaf.path + ":" + leaf.text));
  }
  if (is_set) return "rset " + sent.columns[3] + " " + sent.columns[4] + joined_text(leaves);
  std::string count = sent.columns[6];
  // Godot 4 treats an array without bytes as no argument.
  if (!capture.is_godot3() && leaves == Texts{"/0:PackedByteArray([])"}) {
    leaves.clear();
    count = "0";
  }
  const std::string &method = sent.columns[capture.is_godot3() ? 4 : 5];
  return "rpc " + sent.columns[3] + " " + method + " " + count + joined_text(leaves);
}

// Expects that the wire has every recorded call of that kind, with sender and receiver, and no other calls.
void expect_calls(const Capture &capture, const std::string &kind) {
  const Expectations expected = read_expectations(capture);
  TextMultiset wire;
  for (const Message &message : reading_of(capture).messages) {
    if (message.command() != kind || !message.is_first_hop()) continue;
    // Godot 3's server sends a broadcast to each client separately. A client sends one message for all peers, or for
    // all except one.
    const bool is_to_many = capture.is_godot3() && number(message.target()) <= 0;
    std::string to = is_to_many ? message.target() : message.receiver();
    if (message.is_relay() && !message.is_from_server) to = message.text("godot_mp.peer");
    wire.insert(message.sender() + " to " + to + ": " + describe_call(message));
  }
  TextMultiset missing;
  std::size_t count = 0;
  for (const SentAction &sent : expected.sent_actions_of(kind)) {
    const std::string call = expected_call(sent, capture);
    ++count;
    const auto take = [&](const std::string &to) {
      const auto found = wire.find(sent.from() + " to " + to + ": " + call);
      if (found == wire.end()) return false;
      wire.erase(found);
      return true;
    };
    const Texts receivers = sent.receivers();
    if (number(sent.to()) <= 0 && take(sent.to())) {
      // The server sends a broadcast to each client separately, even if one peer is excluded.
      for (std::size_t i = 1; sent.from() == "1" && i < receivers.size(); ++i) {
        if (!take(sent.to())) missing.insert(sent.from() + " to one more of " + sent.to() + ": " + call);
      }
      continue;
    }
    if (receivers.empty()) missing.insert("to nobody: " + sent.from() + " " + call);
    for (const std::string &to : receivers) {
      if (!take(to)) missing.insert(sent.from() + " to " + to + ": " + call);
    }
  }
  const bool has_some = kind == "rpc"    ? capture.scenario != "mp_spawn"
                        : kind == "rset" ? capture.is_godot3()
                                         : capture.scenario == "mp_rpc" || capture.is_websocket();
  EXPECT_EQ(count > 0, has_some);
  EXPECT_TRUE(missing.empty()) << kind << " missing: " << some_of(missing);
  EXPECT_TRUE(wire.empty()) << kind << " too many: " << some_of(wire);
}

class EveryMultiplayerCapture : public testing::TestWithParam<Capture> {};

// --- Completeness ----------------------------------------------------------------------------------------------

TEST_P(EveryMultiplayerCapture, HasNoUndecodedBytes) {
  const Capture &capture = GetParam();
  const std::string filter =
      "godot_mp.malformed or godot_mp.unsupported or godot_mp.undecoded or godot_mp.truncated or godot_mp.limit or "
      "godot.malformed or godot.unsupported or godot.truncated or godot.undecoded or "
      "enet.malformed or enet.unsupported or enet.truncated or data or godot or _ws.malformed or "
      "godot_mp.unknown_path";
  EXPECT_EQ(tshark(capture.path, joined(capture.options(), {"-Y", filter})), "");
}

TEST_P(EveryMultiplayerCapture, EveryEnetOrWebSocketMessageIsDissected) {
  const Capture &capture = GetParam();
  for (const Item &frame : reading_of(capture).frames) {
    SCOPED_TRACE("frame " + std::to_string(number_of(frame)));
    Texts lengths;
    for (const Item &layer : frame.children) {
      if (layer.name != "godot_mp") continue;
      lengths.push_back(layer.child_text("godot_mp.length"));
      EXPECT_EQ(layer.child_text("godot_mp.length"), std::to_string(layer.size));
      EXPECT_FALSE(layer.child_text("godot_mp.command").empty());
    }
    Texts expected;
    if (const Item *const enet = frame.child("enet"); enet != nullptr) {
      const Texts reassembled = find_all(*enet, "enet.reassembled.length");
      for (const Item &part : enet->children) {
        const std::string type = part.child_text("enet.command");
        if (is_true(part.child_text("enet.retransmission"))) continue;
        if (type == "6" || type == "7" || type == "9") expected.push_back(part.child_text("enet.data_length"));
      }
      expected.insert(expected.end(), reassembled.begin(), reassembled.end());
    } else {
      for (const Item &layer : frame.children) {
        if (layer.name != "websocket") continue;
        const std::string opcode = layer.child_text("websocket.opcode");
        if (opcode == "2")
          expected.push_back(std::to_string(number(layer.child_text("websocket.payload_length_ext_16"),
                                                   number(layer.child_text("websocket.payload_length")))));
      }
    }
    EXPECT_EQ(lengths, expected);
  }
}

// --- Calls -----------------------------------------------------------------------------------------------------

TEST_P(EveryMultiplayerCapture, CallsMatchTheGamesLog) { expect_calls(GetParam(), "rpc"); }

TEST_P(EveryMultiplayerCapture, RsetCallsMatchTheGamesLog) { expect_calls(GetParam(), "rset"); }

TEST_P(EveryMultiplayerCapture, RawMessagesMatchTheGamesLog) { expect_calls(GetParam(), "raw"); }

TEST_P(EveryMultiplayerCapture, NamesSenderAndReceiver) {
  const Capture &capture = GetParam();
  const Expectations expected = read_expectations(capture);
  for (const Message &message : reading_of(capture).messages) {
    SCOPED_TRACE(testing::Message() << message);
    if (message.command().ends_with("_peer") || message.command() == "peer_id") continue;  // tested separately
    EXPECT_TRUE(expected.peers.contains(message.sender())) << message.sender();
    const std::string receiver = message.receiver();
    const bool is_to_many = capture.is_godot3() ? number(message.target()) <= 0
                                                : message.is_relay() && number(message.text("godot_mp.peer")) <= 0;
    EXPECT_TRUE(is_to_many || expected.peers.contains(receiver)) << receiver;
    EXPECT_NE(message.sender(), receiver);
    if (message.is_relay()) {
      const std::string peer = message.text("godot_mp.peer");
      if (number(peer) <= 0) continue;  // tested separately
      EXPECT_EQ(message.is_from_server ? message.sender() : message.receiver(), peer);
    } else if (!capture.is_godot3()) {
      EXPECT_EQ(message.is_from_server ? message.sender() : message.receiver(), "1");
    } else if (!message.text("godot_mp.source").empty()) {
      EXPECT_EQ(message.sender(), message.text("godot_mp.source"));
      if (number(message.target()) > 0) {
        EXPECT_EQ(message.receiver(), message.target());
      }
    }
  }
}

// On their last hop, calls reach the peers that recorded them as received.
TEST_P(EveryMultiplayerCapture, EachReceivedCallIsShown) {
  const Capture &capture = GetParam();
  TextMultiset wire;
  for (const Message &message : reading_of(capture).messages) {
    if (message.command() != "rpc") continue;
    const std::string from = message.sender() + " calls " + message.text("godot_mp.path") + " at ";
    if (!message.is_from_server) {
      if (message.receiver() == "1" || number(message.target()) <= 0) wire.insert(from + "1");
    } else {
      wire.insert(from + message.connection.substr(0, message.connection.find('/')));
    }
  }
  const Expectations expected = read_expectations(capture);
  std::map<std::string, std::string> places = {{"1", "1"}};  // peer by port
  TextMultiset called;
  for (const Texts &columns : expected.of("peer")) {
    if (columns[2] != "1") places[columns[2]] = columns[3];
  }
  for (const Texts &columns : expected.of("called")) {
    if (columns[1] == columns[2]) continue;  // called locally
    called.insert(columns[2] + " calls " + columns[3] + " at " + places[columns[1]]);
  }
  if (!capture.is_websocket()) expect_contains(wire, called, "calls");
}

// --- Paths -----------------------------------------------------------------------------------------------------

struct PathAnnouncement {
  std::size_t frame = 0;
  std::string path;
  std::string receiver;  // the receiver of the announcement
};

// Returns the peer that a message is for: the receiving side of the connection, or the receiver of a relay. Returns an
// empty text if there are several.
std::string receiver_of(const Message &message) {
  if (message.is_from_server) return "client";
  return number(message.receiver()) > 0 ? message.receiver() : "";
}

// Returns the newest definition for a receiver. If none was announced to the receiver, returns the newest definition
// for any peer.
const PathAnnouncement *find_announcement(const std::vector<PathAnnouncement> &definitions,
                                          const std::string &receiver) {
  const PathAnnouncement *found = nullptr;
  for (const PathAnnouncement &each : definitions) {
    const bool is_better =
        found == nullptr || receiver.empty() || each.receiver == receiver || found->receiver != receiver;
    if (is_better) found = &each;
  }
  return found;
}

TEST_P(EveryMultiplayerCapture, PathIdsAreResolvedToPaths) {
  const Capture &capture = GetParam();
  std::map<std::string, std::vector<PathAnnouncement>> definitions;     // by connection, sender and id
  std::map<std::string, std::map<std::string, std::size_t>> confirmed;  // same key: peer and frame of confirmation
  std::size_t used = 0;
  std::size_t unconfirmed = 0;
  for (const Message &message : reading_of(capture).messages) {
    SCOPED_TRACE(testing::Message() << message);
    const std::string command = message.command();
    const auto key_of = [&message](const std::string &peer, const std::string &id) {
      return message.connection + " " + peer + " " + id;
    };
    if (command == "simplify_path") {
      const std::string key = key_of(message.sender(), message.text("godot_mp.path_id"));
      EXPECT_FALSE(message.text("godot_mp.path").empty());
      definitions[key].push_back({message.frame, message.text("godot_mp.path"), receiver_of(message)});
      EXPECT_EQ(message.text("godot_mp.path.defined_in"), "");
      continue;
    }
    const bool is_confirm = command == "confirm_path";
    if (is_confirm && capture.is_godot3()) {
      for (const auto &[key, all] : definitions) {
        if (key.starts_with(key_of(message.receiver(), "")) && all.back().path == message.text("godot_mp.path")) {
          confirmed[key][message.sender()] = message.frame;
        }
      }
      continue;
    }
    walk(*message.layer, [&](const Item &item) {
      std::string id = item.child_text("godot_mp.path_id");
      if (id.empty()) id = item.child_text("godot_mp.spawn.spawner_id");
      if (id.empty()) {
        EXPECT_EQ(item.child_text("godot_mp.path.defined_in"), "");
        return true;
      }
      ++used;
      const std::string key = key_of(is_confirm ? message.receiver() : message.sender(), id);
      // The announcement of a confirmed path was sent in the opposite direction.
      const bool is_back = is_confirm && !message.is_from_server;
      const std::string receiver = is_back ? "client" : is_confirm ? message.sender() : receiver_of(message);
      const PathAnnouncement *const definition = find_announcement(definitions[key], receiver);
      EXPECT_NE(definition, nullptr) << key;
      if (definition == nullptr) return true;
      EXPECT_EQ(item.child_text("godot_mp.path"), definition->path);
      EXPECT_EQ(item.child_text("godot_mp.path.defined_in"), std::to_string(definition->frame));
      if (is_confirm) confirmed[key][message.sender()] = message.frame;
      const bool is_confirmed = is_true(item.child_text("godot_mp.path.confirmed"));
      if (is_confirm) {
        EXPECT_TRUE(is_confirmed);
      } else if (is_confirmed) {
        EXPECT_FALSE(confirmed[key].empty());
      } else if (!capture.is_godot3()) {  // Godot 3's are tested separately
        EXPECT_FALSE(confirmed[key].contains(message.receiver()));
      }
      if (!is_confirmed) ++unconfirmed;
      return true;
    });
  }
  EXPECT_GT(used, 2U);
  // Spawns use the id of their spawner immediately. Calls use an id only after each receiver has confirmed it.
  if (capture.scenario == "mp_spawn") {
    EXPECT_GT(unconfirmed, 0U);
  }
}

// The capture begins after the announcement.
TEST_P(EveryMultiplayerCapture, UnknownPathsAreMarkedIfTheCaptureBeginsLate) {
  const Capture &capture = GetParam();
  if (capture.is_websocket()) return;  // begins with the handshake
  const Reading &whole = reading_of(capture);
  const auto first =
      std::ranges::find_if(whole.messages, [](const Message &each) { return each.command() == "confirm_path"; });
  ASSERT_NE(first, whole.messages.end());
  const fs::path cut = scratch_folder() / ("late_" + capture.name + ".pcapng");
  ASSERT_EQ(run(EDITCAP, {capture.path.string(), cut.string(), "1-" + std::to_string(first->frame)}).status, 0);
  const std::unique_ptr<Reading> rest = read(cut, capture.options());
  std::size_t unknown = 0;
  std::size_t resolved = 0;
  std::map<std::size_t, std::vector<const Message *>> by_frame;
  for (const Message &message : whole.messages) by_frame[message.frame].push_back(&message);
  std::map<std::size_t, std::size_t> index;  // index of the next message in each frame
  std::set<std::string> defined;
  for (const Message &message : rest->messages) {
    SCOPED_TRACE(testing::Message() << message);
    const std::vector<const Message *> &all = by_frame[message.frame + first->frame];
    const std::size_t at = index[message.frame]++;
    if (at >= all.size()) continue;
    const Message *const before = all[at];
    EXPECT_EQ(message.text("godot_mp.command"), before->text("godot_mp.command"));
    const std::string id = message.text("godot_mp.path_id");
    // Peers may be identified during the capture.
    EXPECT_TRUE(message.sender().empty() || message.sender() == before->sender()) << message.sender();
    EXPECT_TRUE(message.receiver().empty() || message.receiver() == before->receiver()) << message.receiver();
    const std::string key = message.connection + before->sender() + " " + id;
    if (message.command() == "simplify_path") defined.insert(key);
    if (message.command() != "rpc" || id.empty()) continue;
    if (defined.contains(key)) {
      ++resolved;
      EXPECT_EQ(find_item(*message.layer, "godot_mp.unknown_path"), nullptr);
      EXPECT_EQ(message.text("godot_mp.path"), before->text("godot_mp.path"));
    } else {
      ++unknown;
      EXPECT_NE(find_item(*message.layer, "godot_mp.unknown_path"), nullptr);
      EXPECT_EQ(message.text("godot_mp.path"), "");
      EXPECT_EQ(message.text("godot_mp.path.defined_in"), "");
    }
    EXPECT_EQ(message.text("godot_mp.rpc.argc"), before->text("godot_mp.rpc.argc"));
    EXPECT_EQ(leaves_of(*message.layer), leaves_of(*before->layer));
  }
  if (capture.scenario == "mp_rpc") {
    EXPECT_GT(unknown, 0U);
    EXPECT_GT(resolved, 0U);
  }
  const std::string bad = "godot_mp.malformed or godot_mp.unsupported or godot_mp.undecoded";
  EXPECT_EQ(tshark(cut, joined(capture.options(), {"-Y", bad})), "");
  // A short message is no evidence by itself, so messages before the first evidence are shown as data.
  std::set<std::string> known;
  for (const Texts &row :
       read_fields(cut, joined(capture.options(), {"-Y", "data or godot_mp"}), {"enet.stream", "godot_mp.command"})) {
    EXPECT_TRUE(!row[1].empty() || !known.contains(row[0])) << row[0];
    if (!row[1].empty()) known.insert(row[0]);
  }
  EXPECT_NE(tshark(cut, joined(capture.options(), {"-Y", "godot_mp.unknown_path"})), "");
}

// --- Columns, filters, passes ----------------------------------------------------------------------------------

TEST_P(EveryMultiplayerCapture, IsDecodedTheSameInOnePass) {
  const Capture &capture = GetParam();
  const Texts fields = {"frame.number",      "godot_mp.command",         "godot_mp.summary",
                        "godot_mp.path",     "godot_mp.path.defined_in", "godot_mp.sender",
                        "godot_mp.receiver", "godot_mp.path.confirmed",  "godot_mp.node"};
  const Texts filter = {"-Y", "godot_mp"};
  auto once = read_fields(capture.path, joined(capture.options(), filter), fields);
  EXPECT_GT(once.size(), 10U);
  auto twice = read_fields(capture.path, joined(joined(capture.options(), {"-2"}), filter), fields);
  // Only the end of the capture shows that something never arrived, and therefore that the first call did not find its
  // node.
  const std::regex never(R"( \[(refused|[^\]]*missing at the receiver)\])");
  for (Texts &row : once) row[2] = std::regex_replace(row[2], never, "");
  for (Texts &row : twice) row[2] = std::regex_replace(row[2], never, "");
  EXPECT_EQ(once, twice);
}

// --- System messages -------------------------------------------------------------------------------------------

TEST_P(EveryMultiplayerCapture, ShowsPeersThatConnectAndDisconnect) {
  const Capture &capture = GetParam();
  const Expectations expected = read_expectations(capture);
  std::set<std::string>
      pairs;  // the server's own connections are ENet's peers, so only the connections of clients count
  for (const Texts &columns : expected.of("peer_connected")) {
    if (columns[1] != "1" && columns[2] != "1") pairs.insert(columns[1] + " add_peer " + columns[2]);
  }
  for (const Texts &columns : expected.of("peer_disconnected")) {
    if (columns[1] != "1" && columns[2] != "1") pairs.insert(columns[1] + " remove_peer " + columns[2]);
  }
  std::set<std::string> wire;
  std::map<std::string, std::string> ports_of;  // by peer, in the order of their connections
  std::set<std::string> who;
  for (const Message &message : reading_of(capture).messages) {
    const std::string command = message.command();
    if (command != "add_peer" && command != "remove_peer") continue;
    EXPECT_TRUE(expected.peers.contains(message.text("godot_mp.peer"))) << message;
    who.insert(command + " " + message.text("godot_mp.peer"));
    if (message.is_from_server && message.text("godot_mp.peer") != "1") {
      wire.insert(message.receiver() + " " + command + " " + message.text("godot_mp.peer"));
    }
  }
  for (const std::string &pair : pairs) {
    EXPECT_TRUE(who.contains(pair.substr(pair.find(' ') + 1))) << pair;
    if (!capture.is_godot3()) {
      EXPECT_TRUE(wire.contains(pair)) << pair;
    }
  }
}

// --- Authentication and checksums ------------------------------------------------------------------------------

TEST(MultiplayerAuthentication, ShowsTheDataOfEachSide) {
  const Capture capture = capture_named("mp_auth_godot4.6");
  TextMultiset data;
  TextMultiset done;
  for (const Message &message : reading_of(capture).messages) {
    if (message.command() != "auth") continue;
    EXPECT_EQ(message.text("godot_mp.peer"), "");
    const Item *const bytes = message.layer->child("godot_mp.data");
    (bytes == nullptr ? done : data).insert(bytes == nullptr ? message.connection : bytes->bytes);
    const std::size_t size = message.layer->size - 2;
    // The third client sends a wrong password and is never accepted.
    const bool is_endless = find_item(*message.layer, "godot_mp.authentication") != nullptr;
    const std::string sentence =
        size == 0 ? "Authentication done" : "Authentication, " + std::to_string(size) + " bytes";
    EXPECT_EQ(message.summary(), sentence + (is_endless ? " [refused]" : ""));
    EXPECT_TRUE(!is_endless || message.connection.starts_with("50003")) << message;
  }
  TextMultiset expected;
  for (const SentAction &sent : read_expectations(capture).sent_actions_of("auth")) expected.insert(sent.columns[3]);
  expect_contains(expected, data, "authentication's data");
  EXPECT_GE(data.size(), 6U);
  EXPECT_EQ(done.count("50001/1"), 2U);
  EXPECT_EQ(done.count("50003/1"), 1U);  // the server did not accept it
}

// --- Spawned and synchronized nodes ----------------------------------------------------------------------------

// One object in a packet, as the plugin shows it.
struct Object {
  const Message *message;
  const Item *item;

  [[nodiscard]] std::string node() const { return item->child_text("godot_mp.node"); }
  [[nodiscard]] std::string net_id() const { return item->child_text("godot_mp.net_id"); }
};

std::vector<Object> objects_of(const Message &message) {
  std::vector<Object> objects;
  walk(*message.layer, [&](const Item &item) {
    if (item.child("godot_mp.net_id") != nullptr ||
        (&item != message.layer && item.child("godot_mp.path_id") != nullptr)) {
      objects.push_back({&message, &item});
    }
    return true;
  });
  return objects;
}

bool has_objects(const std::string &command) {
  return command == "spawn" || command == "despawn" || command == "sync" || command == "delta";
}

// A name that consists of digits is shown differently, because otherwise it would look like a number.
std::string displayed_name(const std::string &name) {
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "node " + name : name;
}

TEST(MultiplayerSpawn, EverySyncAndDeltaObjectHasItsNodeName) {
  for (const char *const name : {"mp_spawn_godot4.6", "mp_ws_godot4.6"}) {
    SCOPED_TRACE(name);
    std::map<std::string, std::string> names;  // by connection, authority and net id
    std::map<std::string, std::size_t> count;
    for (const Message &message : reading_of(capture_named(name)).messages) {
      SCOPED_TRACE(testing::Message() << message);
      const std::string command = message.command();
      const std::string key = message.connection + " " + message.sender() + " ";
      if (!has_objects(command)) {
        EXPECT_TRUE(find_all(*message.layer, "godot_mp.node").empty());
        continue;
      }
      if (command == "spawn") {
        const std::string spawned = message.text("godot_mp.spawn.name");
        EXPECT_FALSE(spawned.empty());
        names[key + message.text("godot_mp.net_id")] = spawned;
        for (const std::string &id : find_all(*message.layer, "godot_mp.spawn.sync_id")) names[key + id] = spawned;
        EXPECT_TRUE(message.summary()
                        .substr(message.summary().find("Spawn"))
                        .starts_with("Spawn " + displayed_name(spawned) + " by " + message.text("godot_mp.path")))
            << message.summary();
      }
      const std::vector<Object> objects = objects_of(message);
      EXPECT_FALSE(objects.empty());
      for (const Object &object : objects) {
        ++count[command];
        const std::string expected =
            object.net_id().empty() ? object.item->child_text("godot_mp.path") : names[key + object.net_id()];
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(object.node(), expected);
        EXPECT_NE(message.summary().find(expected.substr(0, 40)), std::string::npos);
      }
      if (command == "despawn") {
        EXPECT_NE(message.summary().find("Despawn " + displayed_name(names[key + message.text("godot_mp.net_id")])),
                  std::string::npos);
      }
      if (command == "sync") {
        EXPECT_NE(message.summary().find("Sync t=" + message.text("godot_mp.sync.time")), std::string::npos);
      }
    }
    EXPECT_GT(count["spawn"], 1U);
    if (std::string_view(name).starts_with("mp_spawn")) {
      EXPECT_GT(count["despawn"], 5U);
      EXPECT_GT(count["sync"], 50U);
      EXPECT_GT(count["delta"], 20U);
    }
  }
}

TEST(MultiplayerSpawn, SpawnsAndDespawnsMatchTheGamesLog) {
  const Capture capture = capture_named("mp_spawn_godot4.6");
  const Expectations expected = read_expectations(capture);
  TextMultiset wire;
  TextMultiset gone;
  for (const Message &message : reading_of(capture).messages) {
    if (!message.is_last_hop()) continue;
    const std::string by = message.receiver();
    if (message.command() == "despawn") gone.insert(by + " " + message.text("godot_mp.node"));
    if (message.command() != "spawn") continue;
    const bool is_custom = message.text("godot_mp.spawn.scene") == "255";
    wire.insert(by + " " + message.text("godot_mp.spawn.name") + " " + message.text("godot_mp.path") +
                (is_custom ? " custom" : " scene"));
  }
  TextMultiset spawned;
  TextMultiset despawned;
  for (const Texts &columns : expected.of("spawned")) {
    spawned.insert(columns[1] + " " + base_name(columns[2]) + " " + columns[3] +
                   (columns[4] == "custom" ? " custom" : " scene"));
  }
  for (const Texts &columns : expected.of("despawned")) despawned.insert(columns[1] + " " + base_name(columns[2]));
  EXPECT_GT(spawned.size(), 5U);
  expect_same(wire, spawned, "spawned");
  EXPECT_GT(gone.size(), 5U);
  expect_same(gone, despawned, "despawned");
}

// Returns the node for a path: the spawned node; for a node of the level, the parent of the synchronizer.
std::string find_authority(const std::string &path, const std::set<std::string> &spawned, bool is_synchronizer) {
  for (const std::string &name : split(path, '/')) {
    if (spawned.contains(name)) return name;
  }
  return is_synchronizer ? path.substr(0, path.rfind('/')) : path;
}

TEST(MultiplayerSpawn, SynchronizedValuesMatchTheGamesLog) {
  const Capture capture = capture_named("mp_spawn_godot4.6");
  const Expectations expected = read_expectations(capture);
  std::set<std::string> names;
  for (const Texts &columns : expected.of("spawned")) names.insert(base_name(columns[2]));
  TextMultiset synced;
  for (const Texts &columns : expected.of("synced")) {
    synced.insert(columns[1] + " " + find_authority(columns[2], names, false) + ": " + truncated(columns[4]));
  }
  TextMultiset wire;
  TextMultiset custom;
  for (const Message &message : reading_of(capture).messages) {
    if (!has_objects(message.command()) || !message.is_last_hop()) continue;
    for (const Object &object : objects_of(message)) {
      const std::string prefix = message.receiver() + " " + find_authority(object.node(), names, true) + ": ";
      for (const Item &value : object.item->children) {
        if (value.name != "godot_mp.property_with_value") continue;
        wire.insert(prefix + truncated(value.show.substr(value.show.find('=') + 1)));
      }
    }
  }
  EXPECT_GT(synced.size(), 100U);
  expect_contains(wire, synced, "synchronised");
  // A few values reach a peer after it has despawned the node.
  EXPECT_LE(without(wire, synced).size(), wire.size() / 10) << some_of(without(wire, synced));
}

TEST(MultiplayerSpawn, DataOfCustomSpawnsMatchesTheGamesLog) {
  const Capture capture = capture_named("mp_spawn_godot4.6");
  std::set<std::string> wire;
  for (const Message &message : reading_of(capture).messages) {
    if (message.text("godot_mp.spawn.scene") != "255") continue;
    for (const std::string &leaf : leaves_of(*message.layer)) wire.insert(message.text("godot_mp.node") + leaf);
  }
  std::string name;
  std::size_t count = 0;
  fs::path path = capture.path;
  for (const std::string &line : lines_of(read_file(path.replace_extension(".expected")))) {
    const Texts columns = split(line, '\t');
    if (columns[0] == "spawn") name = columns[4] == "custom" ? base_name(columns[2]) : "";
    if (columns[0] != "value" || name.empty()) continue;
    ++count;
    EXPECT_TRUE(wire.contains(truncated(name + "/0" + columns[1] + ":" + columns[3]))) << line;
  }
  EXPECT_GT(count, 2U);
}

// --- Godot 3 ---------------------------------------------------------------------------------------------------

// --- WebSocket -------------------------------------------------------------------------------------------------

TEST(MultiplayerWebSocket, BeginsWithThePeerId) {
  for (const Capture &capture : captures_of("mp_ws_")) {
    SCOPED_TRACE(capture.name);
    std::set<std::string> known;
    std::set<std::string> clients = read_expectations(capture).peers;
    clients.erase("1");
    for (const Message &message : reading_of(capture).messages) {
      if (message.command() != "peer_id") {
        EXPECT_TRUE(known.contains(message.connection)) << message;
        continue;
      }
      known.insert(message.connection);
      EXPECT_TRUE(message.is_from_server);
      EXPECT_EQ(clients.erase(message.text("godot_mp.peer")), 1U);
      EXPECT_EQ(message.summary(), "You are peer " + message.text("godot_mp.peer"));
    }
    EXPECT_TRUE(clients.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, EveryMultiplayerCapture, testing::ValuesIn(captures()), name_of<Capture>);

TEST(MultiplayerCaptures, AreAllPresent) {
  EXPECT_EQ(captures().size(), 10U);
  for (const Capture &capture : captures()) EXPECT_TRUE(fs::exists(capture.path));
}

// --- Other games over ENet -------------------------------------------------------------------------------------

// --- System messages, broadcasts and other releases ------------------------------------------------------------

// Games of other engine releases, recorded with builds from source. Their projects did not record expectations. The
// expected calls are therefore those in the scripts of the two clients (captures/projects/godot3.1 and godot4.2).
// `point` is called continuously, so its calls are counted separately.
struct OldEngine {
  const char *name;
  std::map<std::string, std::size_t> summaries;
  std::size_t points;
};

std::size_t count_occurrences(const std::string &text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(OldEngines, CallsMatchTheScripts) {
  const std::map<std::string, std::size_t> godot3 = {{"RPC Main/Arena.strike(5, \"trap\")", 2},
                                                     {"RPC Main/Arena.strike(77, \"arrow\")", 2},
                                                     {"RPC Main/Arena.upload([1, 2, 3, 255])", 2},
                                                     {"RPC Main/Arena.ready_up()", 2},
                                                     {"RPC Main/Arena.say(\"ça va\")", 2},
                                                     {"Set Main/Arena.target = (7, 8)", 2},
                                                     {"RPC Main/Arena.upload(PoolByteArray[6000 bytes])", 2},
                                                     {"Path confirmed: Main/Arena", 8}};
  const std::map<std::string, std::size_t> godot4 = {
      {"RPC Main/Arena.#5(6000 bytes)", 2}, {"Path confirmed: Main/Arena", 2}, {"Path confirmed: Main/Arena/Sync", 2}};
  const OldEngine engines[] = {
      {"mp_enet0_godot3.1", godot3, 48}, {"mp_enet3_godot3.1", godot3, 48}, {"mp_enet1_godot4.2", godot4, 182}};
  for (const OldEngine &engine : engines) {
    SCOPED_TRACE(engine.name);
    const fs::path path = fs::path(GODOT_CAPTURES_DIR) / (std::string(engine.name) + ".pcapng");
    std::map<std::string, std::size_t> found;
    std::size_t points = 0;
    for (const Texts &row : read_fields(path, {"-Y", "godot_mp"}, {"godot_mp.summary"})) {
      points += count_occurrences(row[0], "Arena.point(") + count_occurrences(row[0], "Arena.#0(");
      if (engine.summaries.contains(row[0])) ++found[row[0]];
    }
    EXPECT_EQ(found, engine.summaries);
    EXPECT_EQ(points, engine.points);
    const std::string bad = "godot_mp.malformed or godot_mp.unsupported or godot_mp.undecoded or godot_mp.unknown_path";
    EXPECT_EQ(tshark(path, {"-Y", bad}), "");
  }
}

// Godot 3.0 and 3.1 send the transfer mode after source and target. It must agree with the ENet command.
TEST(OldEngines, TransferModeOfGodot31MatchesTheEnetCommand) {
  const fs::path path = fs::path(GODOT_CAPTURES_DIR) / "mp_enet0_godot3.1.pcapng";
  EXPECT_NE(tshark(path, {"-Y", "godot_mp.flags == 1 && enet.command == 6"}), "");
  EXPECT_NE(tshark(path, {"-Y", "godot_mp.flags == 2 && enet.command == 9"}), "");
  EXPECT_EQ(tshark(path, {"-Y", "godot_mp.rpc.method == \"point\" && !(godot_mp.flags == 2)"}), "");
  EXPECT_EQ(tshark(path, {"-Y", "godot_mp.rpc.method == \"strike\" && !(godot_mp.flags == 1)"}), "");
}

TEST_P(EveryMultiplayerCapture, Godot3ConfirmationsMatchTheirPaths) {
  const Capture &capture = GetParam();
  if (!capture.is_godot3()) return;          // see PathIdsAreResolvedToPaths
  std::map<std::string, std::string> paths;  // by connection, sender and id
  std::set<std::string> confirmed;           // connection, peer that announced, peer that confirmed, path
  std::size_t count = 0;
  for (const Message &message : reading_of(capture).messages) {
    const std::string command = message.command();
    const std::string between = message.connection + " " + message.sender() + " ";
    const std::string id = message.text("godot_mp.path_id");
    const std::string path = message.text("godot_mp.path");
    if (command == "simplify_path") {
      // A definition for another receiver may start anew.
      paths[between + id] = path;
      std::erase_if(confirmed,
                    [&](const std::string &each) { return each.starts_with(between) && each.ends_with(" " + path); });
    } else if (command == "confirm_path") {
      confirmed.insert(message.connection + " " + message.receiver() + " " + message.sender() + " " + path);
    } else if (!id.empty() && confirmed.contains(between + message.receiver() + " " + paths[between + id])) {
      ++count;
      EXPECT_TRUE(is_true(message.text("godot_mp.path.confirmed"))) << message;
    }
  }
  EXPECT_GT(count, 0U);
}

// The tree begins with the call and its arguments. A collapsed subtree with sizes, flags and ids follows.
TEST(MultiplayerTree, CallAndArgumentsPrecedeTheHeaderFields) {
  const fs::path capture = fs::path(GODOT_CAPTURES_DIR) / "trouble_godot4.6.pcapng";
  const Texts call = {"-2", "-Y", "frame.number == 22"};
  Texts in_front;
  Texts folded;
  for (const std::string &line : lines_of(tshark(capture, joined(call, {"-O", "godot_mp"})))) {
    const bool is_inside = in_front.size() > 0 && in_front.back() == "Header fields";
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == 4) in_front.push_back(line.substr(indent));
    if (indent == 8 && is_inside) folded.push_back(line.substr(line.find_last_of('.') + 1));
  }
  ASSERT_GE(in_front.size(), 7U);
  in_front.resize(7);
  EXPECT_EQ(in_front, (Texts{"Command: rpc", "Method ID: 1", "Path: Main/Lobby", "Argument 1: \"Round\"",
                             "Argument 2: 1.0", "Argument 3: false", "Header fields"}));
  EXPECT_EQ(folded, (Texts{"        Path offset: 32", "        Argument count: 3", " = Size of the node ID: u32 (2)",
                           " = Size of the method ID: u8 (0)", " = Raw bytes or no arguments: False"}));
  // The field covers the command byte with its flags, four bytes of the node, one byte of the method, and one byte of
  // the argument count.
  const std::string pdml = tshark(capture, joined(call, {"-T", "pdml"}));
  EXPECT_NE(pdml.find("<field name=\"godot_mp.header\" showname=\"Header fields\" size=\"7\" pos=\"52\""),
            std::string::npos);
}

// A call to two clients is sent as one packet to each.
TEST(PacketList, NamesTheReceiverOnceTheServerHasHadTwoClients) {
  const std::string call = "RPC Main/Lobby.#1(\"Round\", 0.0, false)";
  const Texts fields = {"frame.number", "_ws.col.Info", "godot_mp.summary"};
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(read_fields(fs::path(GODOT_CAPTURES_DIR) / "trouble_godot4.6.pcapng",
                          joined(passes, {"-Y", "frame.number in {9, 11, 16, 17}"}), fields),
              (Rows{{"9", "Peer 773484497 connected [Reliable ch 0 #1]", "Peer 773484497 connected"},
                    {"11", "To 773484497: Peer 1666646781 connected [Reliable ch 0 #1]", "Peer 1666646781 connected"},
                    {"16", "To 1666646781: " + call + " [Reliable ch 0 #3]", call},
                    {"17", "To 1666646781: Path 1 is Main/Lobby [Reliable ch 0 #2]", "Path 1 is Main/Lobby"}}));
  }
}

TEST(PacketList, NamesReceiverAndSenderOfARelayedMessage) {
  const Rows rows = read_fields(fs::path(GODOT_CAPTURES_DIR) / "mp_ws_godot4.6.pcapng",
                                {"-2", "-Y", "frame.number in {56, 75}"}, {"_ws.col.Info"});
  EXPECT_EQ(rows,
            (Rows{{"RPC Main/World.#7()"}, {"To 934651505: From 2071645: RPC Main/World.#3(\"Hello! \U0001f44b\")"}}));
}

}  // namespace
}  // namespace godot_codec::test
