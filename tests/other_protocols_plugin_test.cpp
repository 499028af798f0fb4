// SPDX-License-Identifier: GPL-2.0-or-later
// For files without Godot traffic, tshark prints the same with and without the plugin.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::string output_of(const std::string &plugins, const Texts &options) {
  const Output output = run("/usr/bin/env", Texts{"WIRESHARK_PLUGIN_DIR=" + plugins, TSHARK} + options);
  EXPECT_EQ(output.status, 0) << output.err;
  // The head of PDML contains the current time.
  const std::size_t head = output.out.find("<pdml ");
  const std::size_t begin = head == std::string::npos ? 0 : output.out.find('\n', head);
  return output.out.substr(begin) + "\nerrors:\n" + output.err;
}

std::string with_plugin(const Texts &options) { return output_of(GODOT_PLUGIN_DIR, options); }
std::string without_plugin(const Texts &options) { return output_of("/none", options); }

void expect_same(const Texts &options) {
  const std::string wanted = without_plugin(options);
  const std::string found = with_plugin(options);
  if (found == wanted) return;
  const auto [at, other] = std::ranges::mismatch(found, wanted);
  const auto line_at = [](const std::string &text, std::size_t offset) {
    const std::size_t start = text.rfind('\n', offset == 0 ? 0 : offset - 1) + 1;
    return text.substr(start, text.find('\n', offset) - start);
  };
  ADD_FAILURE() << testing::PrintToString(options)
                << "\nwith the plugin: " << line_at(found, static_cast<std::size_t>(std::distance(found.begin(), at)))
                << "\nwithout: " << line_at(wanted, static_cast<std::size_t>(std::distance(wanted.begin(), other)));
}

fs::path other(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / "other" / (name + ".pcapng"); }

// A payload that no dissector claims.
const std::string payload = "\x81\x02 something\n"s;

// Returns a datagram inside IPsec's authentication header. The dissector of this header exports the payload with the
// name of the next dissector.
fs::path datagram_in_ipsec(std::uint8_t next, const std::string &content) {
  constexpr std::uint8_t ah = 51;
  const std::string header =
      std::string(1, static_cast<char>(next)) + "\x04\0\0\0\0\1\0\0\0\0\1"s + std::string(12, 'x');
  constexpr std::size_t ip_header = 20;
  return saved({linktype_raw_ip, {ipv4(ah, header + content.substr(ip_header))}});
}

// Returns an ICMP port unreachable error that quotes a datagram.
std::string icmp_error_for(const std::string &datagram) { return ipv4(1, "\3\3\0\0\0\0\0\0"s + datagram); }

// --- Lists -----------------------------------------------------------------------------------------------------

std::set<std::string> lines_as_set(const std::string &text) {
  const std::vector<std::string> lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

bool is_plugin_protocol(const std::string &row) {
  const std::string protocol = row.substr(row.rfind('\t') + 1);
  return protocol == "enet" || protocol.starts_with("godot");
}

TEST(OtherProtocols, DissectorTablesLoseOnlyTheDebuggerPorts) {
  const std::set<std::string> wanted = lines_as_set(without_plugin({"-G", "decodes"}));
  const std::set<std::string> found = lines_as_set(with_plugin({"-G", "decodes"}));
  EXPECT_TRUE(found.contains("ip.proto\t17\tudp"));
  EXPECT_TRUE(found.contains("ip.proto\t6\ttcp"));
  std::vector<std::string> lost;
  std::ranges::set_difference(wanted, found, std::back_inserter(lost));
  std::vector<std::string> debuggers;
  for (int port = 6007; port <= 6013; ++port) debuggers.push_back("tcp.port\t" + std::to_string(port) + "\tx11");
  EXPECT_EQ(lost, debuggers);
  std::vector<std::string> gained;
  std::ranges::set_difference(found, wanted, std::back_inserter(gained));
  for (const std::string &row : gained) EXPECT_TRUE(is_plugin_protocol(row)) << row;
}

// --- Output ----------------------------------------------------------------------------------------------------

// All captures are merged into one file.
TEST(OtherProtocols, ForeignCapturesAreDissectedAsWithoutThePlugin) {
  Texts files;
  for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(GODOT_CAPTURES_DIR) / "other")) {
    if (entry.path().extension() == ".pcapng") files.push_back(entry.path().string());
  }
  EXPECT_EQ(files.size(), 25U);
  std::ranges::sort(files);
  const std::string all = (scratch_folder() / "others.pcapng").string();
  const Output merged = run((fs::path(EDITCAP).parent_path() / "mergecap").string(), Texts{"-a", "-w", all} + files);
  ASSERT_EQ(merged.status, 0) << merged.err;
  expect_same({"-n", "-r", all, "-V", "-z", "io,phs", "-z", "conv,udp", "-z", "conv,tcp", "-z", "expert"});
  expect_same({"-n", "-r", all, "-2", "-T", "pdml"});
}

TEST(OtherProtocols, ForeignConversationsAreDissectedAsWithoutThePlugin) {
  TcpConversation web({50001, 80});
  web.shake_hands();
  web.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  web.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  Pcap pcap = web.pcap();
  const std::string query = "\x12\x34\1\0\0\1\0\0\0\0\0\0\3www\5godot\3org\0\0\1\0\1"s;
  pcap.frames.push_back(udp({50002, 53}, query));
  pcap.frames.push_back(icmp_error_for(udp({50002, 53}, query)));
  pcap.frames.push_back(udp({50003, 7}, payload));
  pcap.frames.push_back(ipv4(4, udp({50004, 53}, query)));    // in a tunnel
  pcap.frames.push_back(udp({50005, 53}, "").substr(0, 25));  // shorter than its header
  const std::string path = saved(pcap).string();
  for (const Texts &options :
       {Texts{"-V", "-z", "io,phs"}, Texts{"-2", "-T", "pdml"}, Texts{"-T", "fields", "-e", "frame.protocols"}}) {
    expect_same(Texts{"-n", "-r", path} + options);
  }
}

// Expects that messages of a registered protocol are left to it, although their bodies begin like game messages. Sends
// the head of each message in one segment, and the body in later segments.
void expect_reassembly_not_interrupted(const std::string &greeting, std::string (*head_of)(std::size_t content),
                                       const std::vector<std::uint16_t> &ports) {
  const std::string move = in_stream(dictionary({{string("cmd"), string("move")}, {string("id"), integer(7)}}));
  const std::string masked = web_socket_frame(web_socket_binary, move.substr(4), "mask");
  std::uint16_t client = 50001;
  Pcap all;
  for (const std::uint16_t port : ports) {
    for (const std::string &content : {move, masked}) {
      constexpr int segments = 4;
      TcpConversation conversation({client++, port});
      conversation.shake_hands();
      conversation.send(greeting);
      for (int message = 0; message < 2; ++message) {
        conversation.send(head_of(segments * content.size()));
        for (int segment = 0; segment < segments; ++segment) conversation.send(content);
      }
      all.frames.insert(all.frames.end(), conversation.pcap().frames.begin(), conversation.pcap().frames.end());
    }
  }
  const std::string path = saved(all).string();
  for (const Texts &options : {Texts{"-V"}, Texts{"-2", "-P", "-V"}}) expect_same(Texts{"-n", "-r", path} + options);
}

TEST(OtherProtocols, ReassemblyOfHttpMessagesIsNotInterrupted) {
  const auto head_of = [](std::size_t content) {
    return "POST /saves HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(content) + "\r\n\r\n";
  };
  expect_reassembly_not_interrupted("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", head_of, {80, 8080});
}

TEST(OtherProtocols, ReassemblyOfTlsRecordsIsNotInterrupted) {
  // A ClientHello of TLS 1.2 with one cipher suite, then records.
  const std::string hello = "\x16\3\1\0\x2d\1\0\0\x29\3\3"s + std::string(32, 'r') + "\0\0\2\0\x2f\1\0"s;
  const auto head_of = [](std::size_t content) { return "\x17\3\3" + big_endian(static_cast<std::uint16_t>(content)); };
  expect_reassembly_not_interrupted(hello, head_of, {443});
}

TEST(OtherProtocols, DecodeAsIsUnchanged) {
  const std::string path = other("dns").string();
  for (const Texts &options : {Texts{"-d", "ip.proto==17,data"}, Texts{"-d", "ip.proto==17,udplite"},
                               Texts{"-d", "udp.port==50153,dns"}, Texts{"--disable-protocol", "udp"}}) {
    expect_same(Texts{"-n", "-r", path, "-V", "-z", "io,phs"} + options);
  }
}

// tshark -U writes the name of the dissector into the file. Other Wiresharks must know this name.
TEST(OtherProtocols, ExportedPdusAreTheSameAsWithoutThePlugin) {
  const auto exported = [](const std::string &plugins, const fs::path &capture, const char *tap) {
    const fs::path path = scratch_folder() / "exported.pcapng";
    fs::remove(path);
    output_of(plugins, {"-r", capture.string(), "-U", tap, "-w", path.string()});
    return read_file(path);
  };
  constexpr const char *layer_3 = "OSI layer 3";
  constexpr const char *layer_7 = "OSI layer 7";
  const std::pair<fs::path, const char *> exports[] = {
      {datagram_in_ipsec(17, udp({50001, 50002}, payload)), layer_3},
      {datagram_in_ipsec(6, tcp({50001, 50002}, 1, 1, tcp_push | tcp_ack, payload)), layer_3},
      {other("http"), layer_7},
      {other("tls"), layer_7}};
  for (const auto &[capture, tap] : exports) {
    SCOPED_TRACE(capture);
    const std::string wanted = exported("/none", capture, tap);
    EXPECT_EQ(exported(GODOT_PLUGIN_DIR, capture, tap), wanted);
    EXPECT_FALSE(wanted.empty());
  }
  const std::string udp_name = "\0\x0c\0\4udp\0"s;  // EXP_PDU_TAG_DISSECTOR_NAME, its padded length, the name
  EXPECT_NE(exported(GODOT_PLUGIN_DIR, exports[0].first, layer_3).find(udp_name), std::string::npos);
}

}  // namespace
}  // namespace godot_codec::test
