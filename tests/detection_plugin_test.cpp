// SPDX-License-Identifier: GPL-2.0-or-later
// Detection of traffic in tshark without port preferences; foreign traffic is left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// --- Handmade packets ------------------------------------------------------------------------------------------

constexpr Ports to_server = {50001, 5055};

std::string move() { return dictionary({{string("cmd"), string("move")}, {string("id"), integer(7)}}); }

constexpr const char *move_values = "/cmd:move\x1f/id:7";

fs::path datagrams(const Texts &payloads, Ports ports = to_server) {
  Pcap pcap;
  for (const std::string &payload : payloads) pcap.frames.push_back(udp(ports, payload));
  return saved(pcap);
}

fs::path segments(const Texts &payloads) {
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  for (const std::string &payload : payloads) conversation.send(payload);
  return saved(conversation.pcap());
}

Texts numbers_of(const fs::path &capture, const std::string &filter, const Texts &options = {}) {
  Texts frames;
  for (const Texts &row : read_fields(capture, Texts{"-Y", filter} + options, {"frame.number"})) {
    frames.push_back(row[0]);
  }
  return frames;
}

// Returns the numbers of the frames that pass a filter. Expects the same frames with two passes.
Texts frames_of(const fs::path &capture, const std::string &filter) {
  Texts frames = numbers_of(capture, filter);
  EXPECT_EQ(numbers_of(capture, filter, {"-2"}), frames);
  return frames;
}

Texts godot_frames(const fs::path &capture) { return frames_of(capture, "godot"); }

// On later passes, a conversation is decoded from its first packet.
void expect_godot(const fs::path &capture, const Texts &once, const Texts &twice) {
  EXPECT_EQ(numbers_of(capture, "godot"), once);
  EXPECT_EQ(numbers_of(capture, "godot", {"-2"}), twice);
}

// --- Captures of engines ---------------------------------------------------------------------------------------

struct Scenario {
  std::string_view name;
  std::string_view preference;
  int port;
};

constexpr Scenario scenarios[] = {
    {"game", "godot.udp.port", 5009},        {"udp_types", "godot.udp.port", 5005},
    {"tcp_types", "godot.tcp.port", 5006},   {"objects", "godot.udp.port", 5007},
    {"typed", "godot.udp.port", 5008},       {"ws", "godot.ws.port", 5011},
    {"enet_none", "enet.udp.port", 5020},    {"enet_range_coder", "enet.udp.port", 5021},
    {"enet_fastlz", "enet.udp.port", 5022},  {"enet_zlib", "enet.udp.port", 5023},
    {"enet_zstd", "enet.udp.port", 5024},    {"enet_loss", "enet.udp.port", 5025},
    {"enet_libenet", "enet.udp.port", 5027},
};

struct Capture {
  fs::path path;
  std::string name;  // <scenario>_godot<version>
  Scenario scenario;

  [[nodiscard]] bool is_godot3() const { return name.find("_godot3") != std::string::npos; }
  [[nodiscard]] bool is_enet() const { return scenario.name.starts_with("enet"); }
  [[nodiscard]] bool is_udp() const { return scenario.preference.find("udp") != std::string_view::npos; }
  [[nodiscard]] std::string protocol() const { return is_enet() ? "enet" : "godot"; }
  [[nodiscard]] std::string port() const { return std::to_string(scenario.port); }
  [[nodiscard]] Texts preference() const { return {"-o", std::string(scenario.preference) + ":" + port()}; }
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

std::vector<Capture> captures(std::string_view prefix = {}) {
  std::vector<Capture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    const std::string name = entry.path().stem().string();
    const std::string scenario = name.substr(0, name.find("_godot"));
    const auto *const known = std::ranges::find(scenarios, scenario, &Scenario::name);
    if (known != std::end(scenarios) && name.starts_with(prefix)) found.push_back({entry.path(), name, *known});
  }
  std::ranges::sort(found, {}, &Capture::name);
  return found;
}

Capture named_capture(const std::string &name) {
  const std::vector<Capture> found = captures(name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? Capture{} : found.front();
}

std::vector<Capture> enet_captures() { return captures("enet"); }

std::string test_name(const testing::TestParamInfo<Capture> &info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '.'; }, '_');
  return name;
}

bool has_protocol(const std::string &protocols, std::string_view protocol) {
  const Texts names = split(protocols, ':');
  return std::ranges::find(names, protocol) != names.end();
}

// A frame with UDP data: number, conversation, protocols.
struct Datagram {
  int frame;
  std::string stream;
  std::string protocols;
};

std::vector<Datagram> datagrams_of(const fs::path &capture, const Texts &options = {}) {
  std::vector<Datagram> datagrams;
  for (const Texts &row : read_fields(capture, Texts{"-Y", "udp.length > 8"} + options,
                                      {"frame.number", "udp.stream", "frame.protocols"})) {
    datagrams.push_back({std::stoi(row[0]), row[1], row[2]});
  }
  return datagrams;
}

class EveryDetectedCapture : public testing::TestWithParam<Capture> {};

TEST_P(EveryDetectedCapture, IsDetectedFromTheFirstPacket) {
  const Capture &capture = GetParam();
  if (!capture.is_udp()) {
    const Texts filter = {"-Y", "godot.dialect or godot.not_variant"};
    const Rows configured = read_fields(capture.path, filter + capture.preference(), {"frame.number"});
    const Rows found = read_fields(capture.path, filter, {"frame.number"});
    EXPECT_FALSE(configured.empty());
    EXPECT_EQ(found, configured);
    return;
  }
  for (const Datagram &datagram : datagrams_of(capture.path)) {
    EXPECT_TRUE(has_protocol(datagram.protocols, capture.protocol())) << datagram.frame;
  }
}

TEST_P(EveryDetectedCapture, IsUnclaimedWithoutTheHeuristics) {
  const Capture &capture = GetParam();
  const std::map<std::string_view, std::string> names = {{"godot.udp.port", "godot_udp"},
                                                         {"godot.tcp.port", "godot_tcp"},
                                                         {"godot.ws.port", "godot_ws"},
                                                         {"enet.udp.port", "godot_udp"}};
  const Texts options = {"--disable-heuristic", names.at(capture.scenario.preference)};
  EXPECT_EQ(count(capture.path, "godot or enet", options), 0U);
  EXPECT_GT(count(capture.path, capture.protocol(), options + capture.preference()), 0U) << "ports count all the same";
}

INSTANTIATE_TEST_SUITE_P(all, EveryDetectedCapture, testing::ValuesIn(captures()), test_name);

TEST(EnetDetection, EnetWithoutGodotIsDecodedAsEnetOnly) {
  const Capture capture = named_capture("enet_libenet");
  const std::vector<Item> frames = read_details(capture.path, {});
  EXPECT_EQ(frames.size(), 40U);
  std::set<std::string> compressions;
  for (const Item &frame : frames) {
    const std::string number = frame.child("geninfo")->child_text("num");
    EXPECT_EQ(find_all(frame, "enet.checksum.status"), Texts{"1"}) << number;
    EXPECT_TRUE(find_all(frame, "enet.checksum.bad").empty()) << number;
    EXPECT_EQ(frame.child("godot"), nullptr) << number;
    for (const std::string &each : find_all(frame, "enet.compression")) compressions.insert(each);
  }
  EXPECT_EQ(compressions, std::set<std::string>{"range coder"});
}

void append(Pcap &pcap, const Pcap &more) {
  pcap.frames.insert(pcap.frames.end(), more.frames.begin(), more.frames.end());
}

// Returns the frames of a capture without their Ethernet headers.
Pcap without_ethernet(const fs::path &capture) {
  constexpr std::size_t ethernet = 14;
  Pcap pcap = pcap_of(capture);
  for (std::string &frame : pcap.frames) frame.erase(0, ethernet);
  pcap.linktype = linktype_raw_ip;
  return pcap;
}

Ports ports_of(const std::string &ip_frame) {
  const auto number_at = [&](std::size_t offset) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(ip_frame[offset]) << 8 |
                                      static_cast<unsigned char>(ip_frame[offset + 1]));
  };
  return {number_at(20), number_at(22)};
}

// A game uses ENet's own socket to send a text, as for hole punching. The text is sent before and within a compressed
// game.
TEST(EnetDetection, StrayDatagramIsReportedAndTheGameIsStillDecoded) {
  for (const std::string stray : {"hello from client", "x"}) {
    SCOPED_TRACE(stray);
    Pcap pcap = without_ethernet(named_capture("enet_range_coder_godot3.6").path);
    const Ports ports = ports_of(pcap.frames[0]);
    const std::size_t middle = pcap.frames.size() / 2;
    pcap.frames.insert(pcap.frames.begin() + static_cast<std::ptrdiff_t>(middle), udp(ports, stray));
    pcap.frames.insert(pcap.frames.begin(), udp(ports, stray));
    const Texts strays = {"1", std::to_string(middle + 2)};
    const fs::path path = saved(pcap);
    const std::string ours = "udp.port == " + std::to_string(ports.source) + " && udp.length > 8";
    EXPECT_EQ(count(path, ours + " && !enet"), 1U) << "the first one, in one pass";
    EXPECT_EQ(numbers_of(path, "enet.not_enet", {"-2"}), strays);
    EXPECT_EQ(count(path, "enet.unsupported or enet.malformed or enet.undecoded", {"-2"}), 0U);
    EXPECT_EQ(read_fields(path, {"-2", "-Y", "frame.number == 1"}, {"_ws.col.Info", "data.len"}),
              (Rows{{"Not ENet (" + std::to_string(stray.size()) + (stray.size() == 1 ? " byte)" : " bytes)"),
                     std::to_string(stray.size())}}));
  }
}

// Returns a copy of the capture with another server port.
fs::path at_server_port(const Capture &capture, std::uint16_t port) {
  const Pcap pcap = at_port(pcap_of(capture.path), static_cast<std::uint16_t>(capture.scenario.port), port);
  const fs::path path = scratch_folder() / (capture.name + "_at_" + std::to_string(port) + ".pcap");
  pcap.save(path);
  return path;
}

// Returns the number of datagrams before detection. RX (AFS) and DIS are registered on these ports, and accept
// datagrams until they reject one. Expects that all later datagrams are ENet.
std::size_t datagrams_before_enet(const fs::path &capture, const std::string &registered) {
  std::set<std::string> detected;
  std::size_t others = 0;
  for (const Datagram &datagram : datagrams_of(capture, {"-o", "godot.owned_ports:FALSE"})) {
    if (has_protocol(datagram.protocols, "enet")) {
      detected.insert(datagram.stream);
      continue;
    }
    ++others;
    EXPECT_FALSE(detected.contains(datagram.stream)) << datagram.frame << ": " << datagram.protocols;
    const bool is_unclaimed = has_protocol(datagram.protocols, "data");
    EXPECT_TRUE(is_unclaimed || has_protocol(datagram.protocols, registered)) << datagram.frame << datagram.protocols;
  }
  return others;
}

TEST(EnetOnARegisteredPort, IsDetectedIfTheRegisteredDissectorRejects) {
  constexpr std::uint16_t port_of_rx = 7000;
  constexpr std::uint16_t port_of_dis = 3000;
  const struct {
    const char *name;
    std::size_t accepted_by_rx;
    std::size_t accepted_by_dis;
  } rows[] = {
      {"enet_fastlz_godot3.6", 0, 13},
      {"enet_zlib_godot4.6", 3, 10},
      {"enet_libenet", 0, 40},  // all datagrams: with their checksums, DIS rejects none
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(datagrams_before_enet(at_server_port(named_capture(row.name), port_of_rx), "rx"), row.accepted_by_rx);
    const fs::path path = at_server_port(named_capture(row.name), port_of_dis);
    EXPECT_EQ(datagrams_before_enet(path, "dis"), row.accepted_by_dis);
    const Texts fields = {"frame.number", "frame.protocols", "_ws.col.Info"};
    EXPECT_EQ(read_fields(path, {"-2"}, fields), read_fields(path, {}, fields));
    const Texts configured = {"-o", "enet.udp.port:" + std::to_string(port_of_dis)};
    EXPECT_EQ(read_fields(path, {"-o", "udp.try_heuristic_first:TRUE"}, fields), read_fields(path, configured, fields));
  }
}

TEST(Heuristics, EachTransportHasOneThatIsEnabledByDefault) {
  const Output output = run(TSHARK, {"-G", "heuristic-decodes"});
  std::multiset<std::string> found;
  for (const std::string &line : lines_of(output.out)) {
    const Texts columns = split(line, '\t');
    if (columns.size() < 3 || columns[1] != "godot_detect") continue;
    EXPECT_EQ(columns[2], "T") << line;
    found.insert(columns[0]);
  }
  EXPECT_EQ(found, (std::multiset<std::string>{"dtls", "enet", "sctp", "tcp", "tls", "udp", "ws"}));
}

fs::path capture_path(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

struct HeuristicCase {
  const char *heuristic;
  const char *capture;  // Protocols inside ENet are only detected if ENet is detected.
  const char *filter;
};

constexpr HeuristicCase heuristics[] = {
    {"godot_udp", "game_godot4.6", "godot"},       {"godot_udp", "enet_none_godot4.6", "enet"},
    {"godot_tcp", "tcp_types_godot4.6", "godot"},  {"godot_ws", "ws_godot4.6", "godot"},
    {"godot_ws", "mp_ws_godot4.6", "godot_mp"},    {"godot_enet", "enet_none_godot4.6", "godot"},
    {"godot_enet", "mp_rpc_godot4.6", "godot_mp"},
};

TEST(Heuristics, DisablingOneAffectsOnlyItsTransport) {
  for (const HeuristicCase &each : heuristics) {
    const fs::path capture = capture_path(each.capture);
    const std::size_t found = count(capture, each.filter);
    EXPECT_GT(found, 0U) << each.heuristic;
    for (const char *off : {"godot_udp", "godot_tcp", "godot_ws", "godot_enet"}) {
      // Protocols inside ENet are only detected if ENet is detected.
      const bool is_within = off == "godot_udp"s && each.heuristic == "godot_enet"s;
      EXPECT_EQ(count(capture, each.filter, {"--disable-heuristic", off}),
                off == std::string(each.heuristic) || is_within ? 0 : found)
          << off << " disabled, " << each.capture;
    }
    EXPECT_EQ(count(capture, each.filter, {"--disable-protocol", "godot_detect"}), 0U) << each.capture;
  }
}

TEST(Heuristics, DisabledProtocolIsNotDetected) {
  struct Row {
    const char *protocol;
    const char *capture;
    const char *lost;  // a filter without matches
    const char
        *kept;  // a filter that matches the same number of packets as with the protocol enabled; null: no such filter
  };
  constexpr Row rows[] = {
      {"enet", "enet_none_godot4.6", "enet or godot", nullptr},
      {"enet", "game_godot4.6", "enet", "godot"},
      {"godot", "enet_none_godot4.6", "godot", "enet"},
      {"godot", "game_godot4.6", "godot", nullptr},
      {"godot", "ws_godot4.6", "godot", "websocket"},
      {"godot_mp", "mp_rpc_godot4.6", "godot_mp", "enet"},
      {"godot_mp", "mp_ws_godot4.6", "godot_mp", "websocket"},
      {"godot_mp", "tcp_types_godot4.6", "godot_mp", "godot"},
      {"godot_debug", "tcp_types_godot4.6", "godot_debug", "godot"},
  };
  for (const Row &row : rows) {
    const fs::path capture = capture_path(row.capture);
    const Texts off = {"--disable-protocol", row.protocol};
    EXPECT_EQ(count(capture, row.lost, off), 0U) << row.protocol << " of " << row.capture;
    if (row.kept == nullptr) continue;
    const std::size_t kept = count(capture, row.kept);
    EXPECT_GT(kept, 0U) << row.capture;
    EXPECT_EQ(count(capture, row.kept, off), kept) << row.protocol << " of " << row.capture;
  }
}

TEST(Heuristics, EnetIsStillDecodedWithoutThePayloadHeuristic) {
  const Capture enet = named_capture("enet_none_godot4.6");
  EXPECT_EQ(count(enet.path, "enet", {"--disable-heuristic", "godot_enet"}), count(enet.path, "enet"));
  EXPECT_EQ(count(enet.path, "godot", {"--disable-protocol", "enet"}), 0U) << "the datagrams are not Variants";
}

TEST(Heuristics, AreNotCalledAfterDecodeAs) {
  const Texts captures_of_udp = {"game_godot4.6", "udp_types_godot4.6", "enet_none_godot4.6", "enet_zstd_godot3.6"};
  for (const std::string &name : captures_of_udp) {
    const Capture capture = named_capture(name);
    for (const std::string protocol : {"data", "rtp"}) {
      SCOPED_TRACE(name + " as " + protocol);
      EXPECT_EQ(count(capture.path, "godot or enet", {"-d", "udp.port==" + capture.port() + "," + protocol}), 0U);
    }
  }
  const Capture tcp = named_capture("tcp_types_godot4.6");
  EXPECT_EQ(count(tcp.path, "godot", {"-d", "tcp.port==" + tcp.port() + ",data"}), 0U);
}

TEST(Heuristics, AreNotCalledAfterDecodeAsEvenForRejectedPackets) {
  const std::string rtp = "\x80\x60\0\1\0\0\0\1\1\2\3\4"s + std::string(160, '\x55');
  const fs::path path = datagrams({move(), rtp, move(), rtp});
  EXPECT_EQ(frames_of(path, "godot"), (Texts{"1", "2", "3", "4"}));
  const Texts configured = {"-d", "udp.port==5055,rtp"};
  EXPECT_EQ(count(path, "godot", configured), 0U);
  EXPECT_EQ(count(path, "rtp.version == 2", configured), 2U);
}

// A datagram that can only be ENet is decoded as ENet, even if a preference or Decode As configures its port for
// Variants.
TEST(Heuristics, OnlyUnmistakableEnetOverridesAConfiguredPort) {
  const Capture enet = named_capture("enet_none_godot4.6");
  for (const Texts &named : {Texts{"-o", "godot.udp.port:5020"}, Texts{"-d", "udp.port==5020,godot"}}) {
    EXPECT_EQ(count(enet.path, "enet", named), count(enet.path, "udp.length > 8"));
  }
  const Capture game = named_capture("game_godot4.6");
  EXPECT_EQ(count(game.path, "enet", {"-o", "enet.udp.port:5009"}), count(game.path, "udp.length > 8"));
  EXPECT_EQ(count(game.path, "godot", {"-o", "enet.udp.port:5009"}), 0U);
}

// --- Captures that begin late

// Returns the second half of a capture, and the number of omitted frames.
std::pair<fs::path, int> second_half(const Capture &capture) {
  const int frames = static_cast<int>(read_fields(capture.path, {}, {"frame.number"}).size());
  const int left_out = frames / 2;
  const fs::path path = scratch_folder() / (capture.name + "_late.pcapng");
  const std::string range = std::to_string(left_out + 1) + "-" + std::to_string(frames);
  EXPECT_EQ(run(EDITCAP, {"-r", capture.path.string(), path.string(), range}).status, 0);
  return {path, left_out};
}

class EveryCaptureOfARunningGame : public testing::TestWithParam<Capture> {};

// If the first packet of one side is too short for detection, the second packet is the other side's.
TEST_P(EveryCaptureOfARunningGame, MissesAtMostTwoPacketsPerConversation) {
  const Capture &capture = GetParam();
  const auto [path, left_out] = second_half(capture);
  std::map<std::string, std::size_t> packets;
  for (const Datagram &datagram : datagrams_of(path)) {
    if (!has_protocol(datagram.protocols, capture.protocol())) {
      EXPECT_LT(packets[datagram.stream], capture.is_enet() ? 2U : 1U) << datagram.frame;
    }
    ++packets[datagram.stream];
  }
  EXPECT_EQ(packets.size(), capture.name == "enet_libenet" ? 1U : 2U);
}

// Reads the values of a shortened capture, with the frame numbers of the whole capture.
Rows values_of(const fs::path &path, int left_out, const std::set<int> &but_not = {}) {
  Rows rows;
  for (Texts &row :
       read_fields(path, {"-Y", "godot.value"}, {"frame.number", "godot.path_with_value", "godot.dialect"})) {
    const int frame = std::stoi(row[0]) + left_out;
    row[0] = std::to_string(frame);
    if (!but_not.contains(frame)) rows.push_back(row);
  }
  return rows;
}

TEST_P(EveryCaptureOfARunningGame, HasTheValuesOfTheWholeCapture) {
  const Capture &capture = GetParam();
  const auto [path, left_out] = second_half(capture);
  std::set<int> missing;
  for (int frame = 1; frame <= left_out; ++frame) missing.insert(frame);
  for (const Datagram &datagram : datagrams_of(path)) {
    if (!has_protocol(datagram.protocols, capture.protocol())) missing.insert(datagram.frame + left_out);
  }
  const Rows late = values_of(path, left_out);
  EXPECT_EQ(late, values_of(capture.path, 0, missing));
  const bool has_variants = !capture.is_godot3() && capture.name != "enet_libenet";
  if (has_variants || !capture.is_enet()) {
    EXPECT_GT(late.size(), 15U);
  }
}

std::vector<Capture> captures_of_running_games() {
  std::vector<Capture> found = enet_captures();
  for (const Capture &capture : captures("game")) found.push_back(capture);
  return found;
}

INSTANTIATE_TEST_SUITE_P(all, EveryCaptureOfARunningGame, testing::ValuesIn(captures_of_running_games()), test_name);

TEST(DatagramDetection, TwoPacketsOfOneKindAreDetected) {
  expect_godot(datagrams({integer(7), integer(8)}), {"2"}, {"1", "2"});
  expect_godot(datagrams({integer(7), integer(8), boolean(true), "raw"}), {"2", "3", "4"}, {"1", "2", "3", "4"});
  expect_godot(datagrams({integer(7), u32(0), boolean(false), integer(8)}), {"4"}, {"1", "2", "3", "4"});
  expect_godot(datagrams({integer(7), string("hello")}), {"2"}, {"1", "2"});
  const Rows rows = read_fields(datagrams({integer(7), integer(8)}), {}, {"godot.path_with_value", "_ws.col.Protocol"});
  EXPECT_EQ(rows[1][1], "Godot");
}

TEST(DatagramDetection, EvidenceIsSummedPerConversation) {
  Pcap pcap;
  pcap.frames = {udp(to_server, integer(7)), udp({50002, 5055}, integer(7)), udp({50003, 5056}, integer(7)),
                 udp(to_server.reversed(), integer(9)), udp(to_server, "raw")};
  expect_godot(saved(pcap), {"4", "5"}, {"1", "4", "5"});
}

TEST(DatagramDetection, ForeignFirstPacketOnlyDelaysDetection) {
  Texts packets = {"\x99\x88\x77"s};
  for (std::uint32_t i = 1; i < 5; ++i) packets.push_back(integer(i));
  expect_godot(datagrams(packets), {"4", "5"}, {"1", "2", "3", "4", "5"});
  packets.push_back(move());
  packets.emplace_back("\x99\x88\x77");
  const fs::path path = datagrams(packets);
  expect_godot(path, {"4", "5", "6", "7"}, {"1", "2", "3", "4", "5", "6", "7"});
  const Rows rows = read_fields(path, {"-Y", "frame.number == 7"}, {"_ws.col.Info", "data.data"});
  EXPECT_EQ(rows, (Rows{{"Raw bytes(3) 99 88 77", "998877"}}));
}

// As the flags of an ENet header, the letters "NO" mean that the datagram is compressed.
TEST(DatagramDetection, TextOfSsdpOnlyDelaysDetection) {
  Texts packets = {"NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n\r\n"};
  for (std::uint32_t i = 1; i < 5; ++i) packets.push_back(integer(i));
  expect_godot(datagrams(packets), {"4", "5"}, {"1", "2", "3", "4", "5"});
  packets.erase(packets.begin());
  packets.push_back(packets.front());
  expect_godot(datagrams(packets), {"2", "3", "4", "5"}, {"1", "2", "3", "4", "5"});
}

TEST(DatagramDetection, ContradictingPacketsRevokeTheDetection) {
  const std::string other = "\x99\x88\x77"s;
  expect_godot(datagrams({integer(7), integer(8), other, other, other, integer(9)}), {"2", "3", "4"},
               {"1", "2", "3", "4"});
}

TEST(DatagramDetection, TruncatedDatagramsAreDetectedByTheSecond) {
  const std::string packet =
      u32(27) + u32(2) + string("name") + string("Ada Lovelace") + string("place") + string("London");
  Pcap pcap;
  for (int i = 0; i < 3; ++i) pcap.frames.push_back(udp(to_server, packet));
  const fs::path path = scratch_folder() / "recognition_cut.pcap";
  pcap.save(path, 20 + 8 + packet.size() - 12);
  expect_godot(path, {"2", "3"}, {"1", "2", "3"});
  pcap.save(path, 20 + 8 + 20);  // one text
  EXPECT_EQ(godot_frames(path), Texts{});
}

// RakNet, Quake, WAP and DNS accept any datagram on their ports.
TEST(RegisteredUdpPorts, StrongPacketsAreDetectedBeforeTheRegisteredDissector) {
  for (const std::uint16_t port : {19132, 27960, 9200, 53}) {
    SCOPED_TRACE(port);
    const fs::path path = datagrams({move(), integer(7)}, {50001, port});
    EXPECT_EQ(godot_frames(path), (Texts{"1", "2"}));
    EXPECT_EQ(numbers_of(path, "godot", {"-o", "godot.owned_ports:FALSE"}), Texts{});
    EXPECT_EQ(read_fields(path, {"-c", "1"}, {"frame.protocols"}), (Rows{{"raw:ip:udp:godot"}}));
    EXPECT_EQ(godot_frames(datagrams({integer(7), integer(8)}, {50001, port})), Texts{})
        << "weak ones say nothing there";
  }
}

TEST(DatagramDetection, DatagramOfAnotherDialectIsReported) {
  const std::string of_godot3 = u32(18) + u32(2) + string("cmd") + string("move away") + string("id") + integer(7);
  const fs::path path = datagrams({move(), of_godot3});
  EXPECT_EQ(numbers_of(path, "godot.dialect.mixed"), Texts{"2"});
  EXPECT_EQ(read_fields(path, {}, {"godot.dialect"}), (Rows{{"Godot 4"}, {"Godot 3"}}));
}

TEST(DatagramDetection, UnreadableDatagramsShowTheLikelyCause) {
  const fs::path path = datagrams({move(), in_stream(move()), "\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x48"s});
  EXPECT_EQ(numbers_of(path, "godot.unexpected_length"), Texts{"2"});
  EXPECT_EQ(numbers_of(path, "godot.looks_compressed"), Texts{"3"});
}

// Packets of other programs, by a description.
const std::map<std::string, Texts> &others() {
  static const std::map<std::string, Texts> all = [] {
    std::map<std::string, Texts> made;
    for (int i = 0; i < 6; ++i) {
      const std::string digit(1, static_cast<char>('0' + i));
      made["text"].push_back("hello number " + digit + ", this is text\n");
      made["json"].push_back(R"({"cmd": "move", "pos": [1, 2], "id": )" + digit + "}");
      made["zeros"].emplace_back(static_cast<std::size_t>(4 * (i + 1)), '\0');
      made["ones"].emplace_back(static_cast<std::size_t>(10 + 8 * i), '\x01');
      made["dns"].push_back("\x12"s + digit + "\x01\0\0\x01\0\0\0\0\0\0"s + "\7example\3org\0\0\1\0\1"s);
      std::string counters;
      for (std::uint32_t n = 0; n < 12; ++n) counters += u32(static_cast<std::uint32_t>(i) + n);
      made["counters"].push_back(counters);
      made["records"].push_back(u32(2) + u32(13) + "a long record" + u32(5) + "short");
      made["reals"].push_back(u32(100 + static_cast<std::uint32_t>(i)) + f32(1.5F) + f32(2.5F) + f32(3.5F));
      made["rtp"].push_back("\x80\x60"s + big_endian(static_cast<std::uint16_t>(i)) + big_endian(160U * 7) +
                            "\1\2\3\4" + std::string(160, '\x55'));
    }
    return made;
  }();
  return all;
}

// One file contains all conversations, so the client port identifies each conversation.
constexpr std::uint16_t first_client = 50001;

void expect_not_claimed(const Pcap &pcap, const std::vector<std::string> &names) {
  const fs::path path = saved(pcap);
  for (const Texts &options : {Texts{}, Texts{"-2"}}) {
    for (const Texts &row : read_fields(path, options, {"udp.port", "tcp.port", "frame.protocols", "_ws.col.Info"})) {
      const std::string port = split(row[0] + row[1], between_occurrences).front();
      const bool is_taken =
          has_protocol(row[2], "godot") || has_protocol(row[2], "godot_mp") || has_protocol(row[2], "enet");
      const auto index = static_cast<std::size_t>(std::stoi(port) - first_client);
      EXPECT_FALSE(is_taken) << (index < names.size() ? names[index] : "an answer") << ": " << row[3];
    }
  }
}

TEST(ForeignTraffic, DatagramsAreLeftAlone) {
  Pcap pcap;
  std::vector<std::string> names;
  for (const auto &[name, packets] : others()) {
    const Ports ports = {static_cast<std::uint16_t>(first_client + names.size()), 5055};
    for (const std::string &packet : packets) pcap.frames.push_back(udp(ports, packet));
    names.push_back(name);
  }
  expect_not_claimed(pcap, names);
}

TEST(ForeignTraffic, SegmentsAreLeftAlone) {
  Pcap pcap;
  std::vector<std::string> names;
  const auto add = [&](const std::string &name, const Texts &segments) {
    TcpConversation conversation({static_cast<std::uint16_t>(first_client + names.size()), 5055});
    conversation.shake_hands();
    for (const std::string &segment : segments) conversation.send(segment);
    append(pcap, conversation.pcap());
    names.push_back(name);
  };
  for (const auto &[name, packets] : others()) {
    add(name, packets);
    std::string all;
    Texts records;
    Texts lengths;
    for (const std::string &packet : packets) {
      all += packet;
      records.push_back(in_stream(packet));
      lengths.push_back(u32(static_cast<std::uint32_t>(packet.size())));
      lengths.push_back(packet);
    }
    add(name + " in one segment", {all});
    add(name + " behind four bytes", {all.substr(0, 4), all.substr(4)});
    add(name + " with their lengths", records);
    add(name + " behind their lengths", lengths);
  }
  expect_not_claimed(pcap, names);
}

// In one pass, a stream is shown from the segment that decides the protocol. In two passes, it is shown from its
// beginning.
void expect_frames(const fs::path &capture, const Texts &first_pass, const Texts &second_pass) {
  EXPECT_EQ(numbers_of(capture, "godot"), first_pass);
  EXPECT_EQ(numbers_of(capture, "godot", {"-2"}), second_pass);
}

Rows values_of(const fs::path &capture) {
  return read_fields(capture, {"-Y", "godot"}, {"frame.number", "godot.length", "godot.path_with_value"});
}

TEST(StreamSegments, StrongPacketIsDetectedAtOnce) {
  const fs::path path = segments({in_stream(move()), in_stream(integer(7)), in_stream("raw")});
  EXPECT_EQ(godot_frames(path), (Texts{"4", "5", "6"}));
  const Rows rows = values_of(path);
  EXPECT_EQ(rows[0], (Texts{"4", "52", move_values}));
  EXPECT_EQ(rows[1], (Texts{"5", "8", ""}));
  EXPECT_EQ(read_fields(path, {"-Y", "frame.number == 6"}, {"_ws.col.Info"}), (Rows{{"Raw bytes(3) \"raw\""}}));
}

TEST(StreamSegments, TwoWeakPacketsAreDetected) {
  EXPECT_EQ(godot_frames(segments({in_stream(integer(7))})), Texts{});
  expect_frames(segments({in_stream(integer(7)), in_stream(integer(7))}), {"5"}, {"4", "5"});
  EXPECT_EQ(godot_frames(segments({in_stream(integer(7)) + in_stream(integer(7))})), Texts{"4"}) << "in one segment";
  EXPECT_EQ(godot_frames(segments({in_stream(integer(7)), in_stream(boolean(true))})), Texts{});
}

// StreamPeer.put_var() writes the length and the Variant separately.
TEST(StreamSegments, LengthPrefixInASeparateSegmentIsDecoded) {
  const std::string length = u32(static_cast<std::uint32_t>(move().size()));
  const fs::path strong = segments({length, move(), length, move()});
  EXPECT_EQ(values_of(strong)[0], (Texts{"5", "52", move_values}));
  EXPECT_EQ(read_fields(strong, {"-Y", "godot"}, {"godot.path_with_value"}), (Rows{{move_values}, {move_values}}));
  const fs::path weak = segments({u32(8), integer(7), u32(8), integer(9), u32(8), integer(11)});
  const Rows rows = read_fields(weak, {"-Y", "godot"}, {"frame.number", "godot.int"});
  EXPECT_EQ(rows, (Rows{{"7", "9"}, {"9", "11"}}));
  expect_frames(weak, {"7", "9"}, {"5", "7", "9"});
}

TEST(StreamSegments, PacketLongerThanASegmentIsReassembled) {
  std::string long_packet = u32(28) + u32(200);
  for (int i = 0; i < 200; ++i) long_packet += string("element");
  const fs::path path = segments({in_stream(long_packet)});
  EXPECT_GT(in_stream(long_packet).size(), 1400U * 2);
  const Rows rows = read_fields(path, {"-Y", "godot.value"}, {"frame.number", "godot.count"});
  EXPECT_EQ(rows, (Rows{{"6", "200"}}));
}

TEST(StreamSegments, RunningStreamIsDetectedAtTheNextStrongPacket) {
  TcpConversation conversation(to_server);
  conversation.send(in_stream(move()).substr(10));
  conversation.send(in_stream(integer(7)));
  conversation.send(in_stream(integer(7)));
  conversation.send(in_stream(move()));
  conversation.send(in_stream(integer(7)));
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(godot_frames(path), (Texts{"4", "5"}));
  EXPECT_EQ(values_of(path)[0], (Texts{"4", "52", move_values}));
}

TEST(StreamSegments, EvidenceOfBothDirectionsIsSummed) {
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  conversation.send(in_stream(integer(7)));
  conversation.answer(in_stream(integer(8)));
  conversation.send(in_stream(integer(9)));
  expect_frames(saved(conversation.pcap()), {"5", "6"}, {"4", "5", "6"});
}

// Messages are split into segments, including the first message.
TEST(StreamSegments, EveryValueIsShownForAnySegmentSize) {
  std::string bytes;
  Texts values;
  for (std::uint32_t i = 0; i < 6; ++i) {
    bytes += in_stream(u32(27) + u32(2) + string("cmd") + string("shoot at a place") + string("id") + integer(i));
    values.push_back("/cmd:shoot at a place\x1f/id:" + std::to_string(i));
  }
  for (const std::size_t size : {1U, 3U, 7U, 20U, 60U, 200U}) {
    SCOPED_TRACE(size);
    TcpConversation conversation(to_server);
    conversation.shake_hands();
    conversation.send(bytes, size);
    const fs::path path = saved(conversation.pcap());
    for (const Texts &options : {Texts{}, Texts{"-2"}}) {
      Texts found;
      for (const Texts &row :
           read_fields(path, options + Texts{"-Y", "godot"}, {"godot.path_with_value", "godot.skipped"})) {
        EXPECT_EQ(row[1], "");
        if (!row[0].empty()) found.push_back(row[0]);
      }
      std::string all;
      for (const std::string &each : found) all += (all.empty() ? "" : "\x1f") + each;
      std::string expected;
      for (const std::string &each : values) expected += (expected.empty() ? "" : "\x1f") + each;
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(StreamSegments, EarlierSegmentsAreDecodedOnLaterPasses) {
  const std::string small = in_stream(integer(7));
  const fs::path path = segments({in_stream("raw"), small.substr(0, 6), small.substr(6), in_stream(move())});
  expect_frames(path, {"7"}, {"4", "6", "7"});
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "godot.int"}, {"frame.number", "godot.length", "godot.int"}),
            (Rows{{"6", "8", "7"}, {"7", "52", "7"}}));
}

TEST(StreamSegments, LargeFirstPacketIsDetectedAtItsEnd) {
  const std::string packet = u32(27) + u32(2) + string("blob") + u32(29) + u32(50000) + std::string(50000, '\x5a') +
                             string("more") + u32(29) + u32(30000) + std::string(30000, '\x5a');
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  conversation.send(in_stream(packet), 32000);  // frames 4 to 6
  conversation.send(in_stream(integer(7)));
  const fs::path path = saved(conversation.pcap());
  for (const Texts &options : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(numbers_of(path, "godot.value", options), (Texts{"6", "7"}));
    EXPECT_EQ(numbers_of(path, "godot.skipped || godot.not_variant", options), Texts{});
  }
}

// The game alternates between put_var() and put_string().
TEST(StreamSegments, VariantsAmongOtherPacketsAreShown) {
  const fs::path path = segments({in_stream("hello there") + in_stream(move()) + in_stream("bye")});
  EXPECT_EQ(godot_frames(path), Texts{"4"});
  EXPECT_EQ(read_fields(path, {"-Y", "godot"}, {"_ws.col.Info"}),
            (Rows{{R"(Raw bytes(11) "hello there" | Dictionary(2) {cmd: "move", id: 7} | Raw bytes(3) "bye")"}}));
}

TEST(StreamSegments, OutOfOrderWarningDependsOnTheTcpPreference) {
  const int flags = tcp_push | tcp_ack;
  TcpConversation conversation(to_server);
  conversation.shake_hands();
  Pcap pcap = conversation.pcap();
  const std::string message = in_stream(move());
  const auto size = static_cast<std::uint32_t>(message.size());
  for (const std::uint32_t at : {0U, 2U, 1U, 3U}) {
    pcap.frames.push_back(tcp(to_server, 1001 + at * size, 5001, flags, message));
  }
  const fs::path path = saved(pcap);
  EXPECT_EQ(frames_of(path, "godot.out_of_order"), Texts{"5"});
  EXPECT_EQ(numbers_of(path, "godot.out_of_order", {"-o", "tcp.reassemble_out_of_order:TRUE"}), Texts{});
}

// The result must not depend on which heuristic gets the segment first.
TEST(StreamSegments, DebuggerMessagesSplitAnywhereAreDetected) {
  const std::string bytes = in_stream(string("output")) + in_stream(integer(2)) +
                            in_stream(u32(19) + u32(2) + string("Hello, debugger!") + integer(0)) +
                            in_stream(u32(19) + u32(2) + string("Second") + integer(0)) +
                            in_stream(string("debug_exit")) + in_stream(integer(0));
  for (const std::size_t size : {1U, 5U, 12U, 30U, 60U}) {
    SCOPED_TRACE(size);
    TcpConversation conversation(to_server);
    conversation.shake_hands();
    conversation.send(bytes, size);
    const fs::path path = saved(conversation.pcap());
    for (const Texts &options : {Texts{}, Texts{"-2"}}) {
      std::string names;
      for (const Texts &row : read_fields(path, options + Texts{"-Y", "godot_debug"}, {"godot_debug.message"})) {
        names += row[0] + " ";
      }
      EXPECT_NE(names.find("output"), std::string::npos);
      EXPECT_NE(names.find("debug_exit"), std::string::npos);
      EXPECT_EQ(numbers_of(path, "godot && !godot_debug", options), Texts{});
    }
  }
}

TEST(WebSocketDetection, VariantsAmongTextsAndRawBytesAreDetected) {
  WebSocketConversation conversation(to_server);
  conversation.send(web_socket_text, "hello from a client");     // frame 6
  conversation.answer(web_socket_text, R"({"motd": "hello"})");  // frame 7
  conversation.send(web_socket_binary, move());                  // frame 8
  conversation.answer(web_socket_binary, integer(7));            // frame 9
  conversation.send(web_socket_text, "some more text");          // frame 10
  conversation.answer(web_socket_binary, "\x99\x88\x77");        // frame 11
  conversation.answer(web_socket_binary, "looks like text");     // frame 12
  conversation.answer(web_socket_text, "text from the server");  // frame 13
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(frames_of(path, "websocket").size(), 8U);
  EXPECT_EQ(godot_frames(path), (Texts{"8", "9", "11", "12"}));
  EXPECT_EQ(frames_of(path, "websocket and data-text-lines"), (Texts{"6", "7", "10", "13"}));
  const Rows rows = read_fields(path, {"-Y", "godot"}, {"godot.path_with_value", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0][0], move_values);
  EXPECT_NE(rows[2][1].find("Raw bytes(3) 99 88 77"), std::string::npos) << rows[2][1];
  EXPECT_NE(rows[3][1].find("Raw bytes(15) \"looks like text\""), std::string::npos) << rows[3][1];
}

// The first fragment shows nothing. The message is in the frame of the second fragment.
TEST(WebSocketDetection, FragmentedMessagesAreReassembled) {
  WebSocketConversation variants(to_server);
  variants.send_in_two(web_socket_binary, move(), 5);         // frames 6, 7
  variants.answer_in_two(web_socket_binary, move(), 20);      // frames 8, 9
  variants.answer_in_two(web_socket_text, "a long text", 6);  // frames 10, 11
  const fs::path path = saved(variants.pcap());
  EXPECT_EQ(godot_frames(path), (Texts{"7", "9"}));
  EXPECT_EQ(read_fields(path, {"-Y", "godot"}, {"godot.path_with_value"}), (Rows{{move_values}, {move_values}}));
  EXPECT_EQ(frames_of(path, "data-text-lines contains \"a long text\""), Texts{"11"});

  const std::string confirm("\x02\x01\x01\0\0\0", 6);
  const std::string simplify = "\x01" + std::string(32, 'a') + std::string("\0\x01\0\0\0Main/World\0", 16);
  WebSocketConversation game(to_server);
  game.answer(web_socket_binary, u32(1234));            // frame 6
  game.answer_in_two(web_socket_binary, simplify, 10);  // frames 7, 8
  game.send_in_two(web_socket_binary, confirm, 3);      // frames 9, 10
  const Rows rows = read_fields(saved(game.pcap()), {"-2", "-Y", "godot_mp"},
                                {"frame.number", "godot_mp.summary", "godot_mp.sender", "godot_mp.receiver"});
  EXPECT_EQ(rows, (Rows{{"6", "You are peer 1234", "1", "1234"},
                        {"8", "Path 1 is Main/World", "1", "1234"},
                        {"10", "Path 1 confirmed: Main/World", "1234", "1"}}));
  // A message of four bytes is no evidence.
  EXPECT_EQ(numbers_of(saved(game.pcap()), "godot_mp"), (Texts{"8", "10"}));
}

TEST(WebSocketDetection, SmallMessagesAreDetectedByTheSecond) {
  WebSocketConversation alone(to_server);
  alone.send(web_socket_binary, integer(7));
  EXPECT_EQ(godot_frames(saved(alone.pcap())), Texts{});
  WebSocketConversation two(to_server);
  two.send(web_socket_binary, integer(7));
  two.answer(web_socket_binary, integer(8));
  expect_godot(saved(two.pcap()), {"7"}, {"6", "7"});
}

TEST(WebSocketDetection, ForeignMessagesAreLeftAlone) {
  Pcap pcap;
  std::vector<std::string> names;
  for (const auto &[name, packets] : others()) {
    WebSocketConversation conversation({static_cast<std::uint16_t>(first_client + names.size()), 5055});
    for (const std::string &packet : packets) {
      conversation.send(web_socket_binary, packet);
      conversation.answer(web_socket_binary, packet);
      conversation.answer(web_socket_text, "text");
    }
    append(pcap, conversation.pcap());
    names.push_back(name);
  }
  expect_not_claimed(pcap, names);
}

// The preference of WebSocket selects how text is decoded.
TEST(WebSocketDetection, PreferenceWebSocketTextTypeSelectsTheTextDissector) {
  WebSocketConversation conversation(to_server);
  conversation.send(web_socket_binary, move());
  conversation.send(web_socket_text, R"({"motd": "hello"})");
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(count(path, "json"), 0U);
  EXPECT_EQ(count(path, "json", {"-o", "websocket.text_type:As JSON"}), 1U);
}

}  // namespace
}  // namespace godot_codec::test
