// SPDX-License-Identifier: GPL-2.0-or-later
// TCP on ports of other protocols: the plugin examines a segment before TCP's dissectors get it.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const Texts detection_on_registered_ports_off = {"-o", "godot.owned_ports:FALSE"};

// --- Captures of engines ---------------------------------------------------------------------------------------

struct Capture {
  std::string name;
  std::uint16_t port;
  std::string protocol;
};

std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

fs::path capture_at_port(const Capture &capture, std::uint16_t port) {
  const fs::path path = fs::path(GODOT_CAPTURES_DIR) / (capture.name + ".pcapng");
  return saved(at_port(pcap_of(path), capture.port, port));
}

Rows values_of(const fs::path &capture, const std::string &protocol, const Texts &options = {}) {
  return read_fields(capture, Texts{"-Y", protocol} + options,
                     {"frame.number", "godot.path_with_value", "godot_debug.message", "_ws.col.Info"});
}

constexpr std::uint16_t unclaimed_port = 22222;

class EveryCaptureOnARegisteredPort : public testing::TestWithParam<Capture> {};

TEST_P(EveryCaptureOnARegisteredPort, ShowsTheSameAsOnAnUnclaimedPort) {
  const Capture &capture = GetParam();
  const Rows wanted = values_of(capture_at_port(capture, unclaimed_port), capture.protocol);
  EXPECT_GT(wanted.size(), 100U);
  for (const std::uint16_t port : {80, 443}) {
    const fs::path path = capture_at_port(capture, port);
    EXPECT_EQ(values_of(path, capture.protocol), wanted) << port;
    EXPECT_EQ(values_of(path, capture.protocol, {"-2"}),
              values_of(capture_at_port(capture, unclaimed_port), capture.protocol, {"-2"}))
        << port;
    EXPECT_EQ(values_of(path, capture.protocol, detection_on_registered_ports_off), Rows{}) << port;
  }
}

INSTANTIATE_TEST_SUITE_P(all, EveryCaptureOnARegisteredPort,
                         testing::Values(Capture{"tcp_types_godot4.6", 5006, "godot"},
                                         Capture{"tcp_types_godot3.6", 5006, "godot"},
                                         Capture{"debug_script_godot4.6", 6007, "godot_debug"},
                                         Capture{"debug_script_godot3.6", 6007, "godot_debug"},
                                         Capture{"debug_script_godot3.2.3", 6007, "godot_debug"},
                                         Capture{"debug_editor_godot4.6", 6007, "godot_debug"}),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::erase(name, '.');
                           return name;
                         });

// SSH, Telnet, DNS, LDAP, SMB, SQL Server, MySQL, IPA, X11, and HTTP's alternative port.
TEST(RegisteredTcpPorts, StreamsAreDetectedOnAnyRegisteredPort) {
  const Capture debugger = {"debug_script_godot3.6", 6007, "godot_debug"};
  const Rows wanted = values_of(capture_at_port(debugger, unclaimed_port), "godot_debug");
  for (const std::uint16_t port : {22, 23, 53, 389, 445, 1433, 3306, 5000, 6000, 8080, 9009}) {
    EXPECT_EQ(values_of(capture_at_port(debugger, port), "godot_debug"), wanted) << port;
  }
}

// --- Handmade segments -----------------------------------------------------------------------------------------

// Returns a message that can only be Godot's.
std::string move(std::int32_t id) {
  return in_stream(dictionary({{string("cmd"), string("move")}, {string("id"), integer(id)}}));
}
std::string move_values(int id) { return "/cmd:move\x1f/id:" + std::to_string(id); }

TcpConversation conversation_at(std::uint16_t port) {
  TcpConversation conversation({50001, port});
  conversation.shake_hands();
  return conversation;
}

// Returns frame number and values of each frame with values.
Rows values(const fs::path &capture, const Texts &options = {}) {
  return read_fields(capture, Texts{"-Y", "godot.path_with_value"} + options,
                     {"frame.number", "godot.path_with_value"});
}

constexpr std::uint16_t http = 80;
constexpr std::uint16_t dns = 53;

TEST(SegmentsOnRegisteredPorts, WeakSegmentsAreNotDetected) {
  TcpConversation conversation = conversation_at(http);
  for (std::int32_t i = 0; i < 5; ++i) conversation.send(in_stream(integer(i)));
  EXPECT_EQ(read_fields(saved(conversation.pcap()), {"-2", "-Y", "godot"}, {"frame.number"}), Rows{});
}

TEST(SegmentsOnRegisteredPorts, AreDecodedFromTheFirstStrongSegment) {
  TcpConversation conversation = conversation_at(http);
  conversation.send(in_stream(integer(5)));
  conversation.send(move(1));
  conversation.answer(in_stream(integer(6)));
  conversation.send(move(2));
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(values(path), (Rows{{"5", move_values(1)}, {"7", move_values(2)}}));
  EXPECT_EQ(read_fields(path, {"-Y", "godot.int == 6"}, {"frame.number"}), (Rows{{"6"}}));
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "godot.int == 5"}, {"frame.number"}), (Rows{{"4"}}));
}

TEST(SegmentsOnRegisteredPorts, AreShownAfterThePendingForeignMessage) {
  // DNS takes the first two bytes for a length, 0x0800, and that message ends within frame 41.
  TcpConversation conversation = conversation_at(dns);
  conversation.send(in_stream(integer(5)));
  for (std::uint32_t i = 1; i < 60; ++i) conversation.send(move(i));
  const fs::path path = saved(conversation.pcap());
  Rows wanted;
  for (std::uint32_t i = 38; i < 60; ++i) wanted.push_back({std::to_string(i + 4), move_values(i)});
  EXPECT_EQ(values(path), wanted);
  EXPECT_EQ(values(path, {"-2"}), wanted);
}

TEST(SegmentsOnRegisteredPorts, PacketsSplitAnywhereAreDecoded) {
  for (const std::size_t size : {1, 7, 8, 20, 43}) {
    SCOPED_TRACE(size);
    TcpConversation owned = conversation_at(http);
    TcpConversation free = conversation_at(unclaimed_port);
    for (TcpConversation *conversation : {&owned, &free}) {
      for (std::uint32_t i = 0; i < 9; ++i) conversation->send(move(i), size);
    }
    // A payload that is shorter than a length and a type is not examined.
    if (size < 4) {
      EXPECT_EQ(values(saved(owned.pcap())), Rows{});
      continue;
    }
    const Rows wanted = values(saved(free.pcap()));
    EXPECT_EQ(wanted.size(), 9U);
    EXPECT_EQ(values(saved(owned.pcap())), wanted);
  }
}

TEST(SegmentsOnRegisteredPorts, AreDecodedWithAbsoluteSequenceNumbers) {
  TcpConversation conversation = conversation_at(http);
  conversation.send(in_stream(integer(5)));
  conversation.send(move(1), 20);
  conversation.send(move(2));
  const fs::path path = saved(conversation.pcap());
  const Rows wanted = values(path);
  EXPECT_EQ(wanted.size(), 2U);
  EXPECT_EQ(values(path, {"-o", "tcp.relative_sequence_numbers:FALSE"}), wanted);
  EXPECT_EQ(values(path, {"-o", "tcp.analyze_sequence_numbers:FALSE"}), wanted);
}

TEST(SegmentsOnRegisteredPorts, AreDetectedInTheMiddleOfAStream) {
  TcpConversation conversation({50001, http});
  for (std::uint32_t i = 1; i < 4; ++i) conversation.send(move(i));
  EXPECT_EQ(values(saved(conversation.pcap())),
            (Rows{{"1", move_values(1)}, {"2", move_values(2)}, {"3", move_values(3)}}));
}

TEST(SegmentsOnRegisteredPorts, LossAndRetransmissionMatchAnUnclaimedPort) {
  const auto damaged = [](std::uint16_t port) {
    TcpConversation conversation = conversation_at(port);
    for (std::uint32_t i = 0; i < 8; ++i) conversation.send(move(i), 30);
    Pcap pcap = conversation.pcap();
    pcap.frames.insert(pcap.frames.begin() + 6, pcap.frames[3]);  // duplicated
    pcap.frames.erase(pcap.frames.begin() + 12);                  // lost
    std::swap(pcap.frames[15], pcap.frames[16]);
    return saved(pcap);
  };
  const Rows wanted = values(damaged(unclaimed_port));
  EXPECT_GT(wanted.size(), 2U);
  EXPECT_EQ(values(damaged(http)), wanted);
}

TEST(SegmentsOnRegisteredPorts, TcpOptionsAreSkippedAndBadHeaderLengthsIgnored) {
  std::string frame = tcp({50001, http}, 7001, 1, tcp_push | tcp_ack, std::string("\1\1\1\1", 4) + move(1));
  frame[20 + 12] = '\x60';  // a header that is one word longer
  EXPECT_EQ(values(saved({linktype_raw_ip, {frame}})), (Rows{{"1", move_values(1)}}));
  frame[20 + 12] = '\xf0';  // a header length beyond the end of the frame
  EXPECT_EQ(values(saved({linktype_raw_ip, {frame}}, 20 + 40)), Rows{});
  frame[20 + 12] = '\x10';  // a header length below the minimum
  EXPECT_EQ(values(saved({linktype_raw_ip, {frame}})), Rows{});
}

TEST(SegmentsOnRegisteredPorts, SegmentsInIpv6AndIpTunnelsAreDecoded) {
  const auto segment = [](std::uint32_t number) {
    const auto client = static_cast<std::uint16_t>(50000 + number);
    return tcp({client, http}, 1001, 1, tcp_push | tcp_ack, move(number));
  };
  constexpr std::size_t ip_header = 20;
  const auto ipv6 = [](std::uint8_t next, const std::string &payload) {
    return "\x60\0\0\0"s + big_endian(static_cast<std::uint16_t>(payload.size())) + static_cast<char>(next) + '\x40' +
           std::string(15, '\0') + '\1' + std::string(15, '\0') + '\2' + payload;
  };
  constexpr std::uint8_t ip_in_ip = 4;
  constexpr std::uint8_t tcp_number = 6;
  Pcap pcap;
  pcap.frames.push_back(ipv6(tcp_number, segment(1).substr(ip_header)));
  pcap.frames.push_back(ipv4(ip_in_ip, segment(2)));
  pcap.frames.push_back(ipv6(ip_in_ip, segment(3)));
  EXPECT_EQ(values(saved(pcap)), (Rows{{"1", move_values(1)}, {"2", move_values(2)}, {"3", move_values(3)}}));
}

TEST(SegmentsOnRegisteredPorts, UserSettingsForThePortTakePrecedence) {
  TcpConversation conversation = conversation_at(http);
  conversation.send(move(1));
  EXPECT_EQ(values(saved(conversation.pcap()), {"-d", "tcp.port==80,data"}), Rows{});
  EXPECT_EQ(values(saved(conversation.pcap()), {"--disable-heuristic", "godot_tcp"}), Rows{});
}

TEST(SegmentsOnRegisteredPorts, ForeignSegmentsStayWithTheRegisteredDissector) {
  TcpConversation conversation = conversation_at(http);
  conversation.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  conversation.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  conversation.send(in_stream(integer(7)) + "GET / HTTP/1.1\r\n\r\n");
  const fs::path path = saved(conversation.pcap());
  for (const Texts &options : {Texts{"-V"}, Texts{"-2", "-V"}}) {
    EXPECT_EQ(tshark(path, options), tshark(path, options + detection_on_registered_ports_off));
  }
}

}  // namespace
}  // namespace godot_codec::test
