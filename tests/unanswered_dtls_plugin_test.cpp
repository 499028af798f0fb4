// SPDX-License-Identifier: GPL-2.0-or-later
// DTLS clients without an answer. In data/dtls_clients.pcapng, PacketPeerDTLS of Godot 3.2.3 (port 5077), 3.6.2 (5076)
// and 4.6.3 (5074) connects to plain ENet servers of the same engines.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const Texts expert_items = {"-Y", "enet.unanswered_connect"};
const std::string cause =
    ": ENet without DTLS on the server, a wrong address or port, no running server, or a firewall";
const std::string certain_cause = ". Possible causes" + cause;
const std::string conditional_cause = ". Possible causes in a Godot game" + cause;

std::string no_answer_to(int hellos, const std::string &why) {
  return "The client got no answer to " + std::to_string(hellos) + " DTLS ClientHellos" + why;
}

// Returns the first message of Godot 4.6 with the given record number and message number.
std::string hello(char number = 1, char message_number = 0) {
  static const std::string recorded =
      hex(read_fields(data("dtls_clients.pcapng"), {"-Y", "udp.dstport == 5074"}, {"udp.payload"}).at(0).at(0));
  std::string bytes = recorded;
  bytes.at(10) = number;
  bytes.at(13 + 5) = message_number;
  return bytes;
}

constexpr Ports client_to_server = {40001, 5074};
const std::string verify_request = hex("16 feff 0000 000000000000 000f 03 000003 0000 000000 000003 feff 00");

Pcap pcap_of_hellos(Ports ports, const std::vector<std::string> &datagrams) {
  Pcap pcap;
  for (const std::string &datagram : datagrams) pcap.frames.push_back(udp(ports, datagram));
  return pcap;
}

Rows messages(const fs::path &path, const Texts &options) {
  return read_fields(path, options + expert_items, {"frame.number", "_ws.expert.message"});
}

TEST(UnansweredDtls, IsReportedOnEveryHelloButTheFirst) {
  const fs::path path = data("dtls_clients.pcapng");
  Rows expected;
  for (int frame = 4; frame <= 9; ++frame) {
    expected.push_back({std::to_string(frame), no_answer_to(frame < 7 ? 2 : 3, conditional_cause)});
  }
  EXPECT_EQ(messages(path, {}), expected);
  expected.clear();
  for (int frame = 1; frame <= 9; ++frame)
    expected.push_back({std::to_string(frame), no_answer_to(3, conditional_cause)});
  EXPECT_EQ(messages(path, {"-2"}), expected);
}

TEST(UnansweredDtls, PacketsAreStillDissectedAsDtls) {
  const fs::path path = data("dtls_clients.pcapng");
  const Texts fields = {"frame.protocols", "_ws.col.Protocol", "_ws.col.Info"};
  const Rows found = read_fields(path, {"-2"}, fields);
  ASSERT_EQ(found.size(), 9U);
  for (const Texts &row : found) {
    EXPECT_EQ(row[0] + " " + row[1], "eth:ethertype:ip:udp:dtls DTLS");
    // Wireshark 4.4 appends the server name if there is one.
    EXPECT_EQ(row[2].substr(0, row[2].find(" (SNI=")), "Client Hello");
  }
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "enet || godot || godot_mp"}, fields), Rows{});
  EXPECT_EQ(read_table(path, "godot,overhead").size(), 0U) << "none of Godot's traffic";
  const std::string items = tshark(path, {"-q", "-z", "expert"});
  EXPECT_NE(items.find("ENet  " + no_answer_to(2, conditional_cause)), std::string::npos) << items;
}

TEST(UnansweredDtls, ConnectionsTableHasARow) {
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<TableRow> rows = read_table(data("dtls_clients.pcapng"), "enet,connections", passes);
    ASSERT_EQ(rows.size(), 3U);
    const TableRow &row = rows.at(2);
    EXPECT_EQ(row.at("Stream"), "-1");
    EXPECT_EQ(row.at("From"), "127.0.0.1:52725");
    EXPECT_EQ(row.at("To"), "127.0.0.1:5074");
    EXPECT_EQ(row.at("End"), "t" + no_answer_to(3, conditional_cause).substr(1));
    EXPECT_EQ(row.at("Datagrams"), "3");
    EXPECT_EQ(row.at("Bytes"), std::to_string(3 * hello().size()));
  }
}

TEST(UnansweredDtls, AnsweredClientIsNoProblem) {
  Pcap pcap = pcap_of_hellos(client_to_server, {hello(1), hello(2)});
  pcap.frames.push_back(udp(client_to_server.reversed(), verify_request));
  pcap.frames.push_back(udp(client_to_server, hello(3)));
  const fs::path path = saved(pcap);
  EXPECT_EQ(messages(path, {}), (Rows{{"2", no_answer_to(2, conditional_cause)}})) << "as far as was known";
  EXPECT_EQ(messages(path, {"-2"}), Rows{});
  const std::vector<TableRow> rows = read_table(path, "enet,connections");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("End"), "DTLS, answered (frame 3)");
  EXPECT_EQ(read_table(path, "enet,connections", {"-2"}).size(), 0U);
}

TEST(UnansweredDtls, LaterHelloProvesAnUncapturedAnswer) {
  const fs::path path = saved(pcap_of_hellos(client_to_server, {hello(1), hello(2), hello(3, 1)}));
  EXPECT_EQ(messages(path, {"-2"}), Rows{});
}

TEST(UnansweredDtls, IcmpErrorIsReported) {
  Pcap pcap = pcap_of_hellos(client_to_server, {hello(1)});
  pcap.frames.push_back(icmp_error(udp(client_to_server, hello(1))));
  pcap.frames.push_back(udp(client_to_server, hello(2)));
  EXPECT_EQ(
      messages(saved(pcap), {}).back().at(1),
      no_answer_to(
          2,
          ": an ICMP error reports that the port is closed (frame 2), so no server runs at this port, or a firewall rejects the datagrams"));
}

TEST(UnansweredDtls, DuplicateHelloIsNotCounted) {
  EXPECT_EQ(messages(saved(pcap_of_hellos(client_to_server, {hello(1), hello(1)})), {"-2"}), Rows{});
}

TEST(UnansweredDtls, OtherProgramsAreNotReported) {
  // A client of OpenSSL, and Godot's client on a port of another protocol: CoAP's, or one that the user has assigned.
  std::string of_openssl = hex(read_fields(data("dtls_enet.pcapng"), {"-c", "1"}, {"udp.payload"}).at(0).at(0));
  std::vector<std::string> hellos;
  for (char number = 0; number < 3; ++number) {
    of_openssl.at(10) = number;
    hellos.push_back(of_openssl);
  }
  const fs::path openssl = saved(pcap_of_hellos(client_to_server, hellos));
  EXPECT_EQ(messages(openssl, {"-2"}), Rows{});
  constexpr std::uint16_t coaps = 5684;
  EXPECT_EQ(messages(saved(pcap_of_hellos({40001, coaps}, {hello(1), hello(2)})), {"-2"}), Rows{});
  const fs::path godot = saved(pcap_of_hellos(client_to_server, {hello(1), hello(2)}));
  EXPECT_EQ(messages(godot, {"-2"}).size(), 2U);
  EXPECT_EQ(messages(godot, {"-2", "-d", "udp.port==5074,coap"}), Rows{});
  EXPECT_EQ(messages(godot, {"-2", "--disable-heuristic", "godot_udp"}), Rows{});
  EXPECT_EQ(messages(godot, {"-2", "--disable-protocol", "enet"}), Rows{});
  EXPECT_EQ(messages(godot, {"-2", "-o", "godot.owned_ports:FALSE"}), Rows{});
  // On a port that the user has named for DTLS, every client's hello counts as ENet's.
  EXPECT_EQ(messages(openssl, {"-o", "enet.dtls.port:5074"}),
            (Rows{{"2", no_answer_to(2, certain_cause)}, {"3", no_answer_to(3, certain_cause)}}));
  const Rows named = messages(godot, {"-o", "enet.udp.port:5074"});
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(occurrences(named[0].at(1)).back(), no_answer_to(2, certain_cause));
}

TEST(UnansweredDtls, TruncatedHellosAreNotReported) {
  EXPECT_EQ(messages(saved(pcap_of_hellos(client_to_server, {hello(1), hello(2)}), 300), {"-2"}), Rows{});
}

}  // namespace
}  // namespace godot_codec::test
