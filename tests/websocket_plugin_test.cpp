// SPDX-License-Identifier: GPL-2.0-or-later
// WebSocket connections in tshark: how they begin and end, and why some fail.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const char *const websocket_problems_capture = "connect_ws_godot4.6";

Rows cells(const std::vector<TableRow> &rows, const Texts &titles) {
  Rows all;
  for (const TableRow &row : rows) {
    Texts texts;
    for (const std::string &title : titles) texts.push_back(row.at(title));
    all.push_back(texts);
  }
  return all;
}

const char *const wants_subprotocol =
    "The server closed the connection (TCP FIN) without an answer to the request for the subprotocols \"chat\"";

const std::string reset = " ended the connection without a WebSocket close (TCP RST)";

const std::string request_of_godot =
    "GET / HTTP/1.1\r\nHost: localhost:5090\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const std::string answer_of_godot =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: BACScCJPNqyz+UBoqMH89VmURoA=\r\n\r\n";

constexpr int tcp_fin = 0x01;
constexpr int tcp_rst = 0x04;

// Returns a conversation that one side closes after the request or the response.
Pcap closed_by(Pcap pcap, Ports by, int flag) {
  const bool is_client = by.source > by.destination;
  const auto client = static_cast<std::uint32_t>(1001 + request_of_godot.size());
  const auto server = static_cast<std::uint32_t>(5001 + (pcap.frames.size() > 4 ? answer_of_godot.size() : 0));
  pcap.frames.push_back(tcp(by, is_client ? client : server, is_client ? server : client, flag | tcp_ack));
  return pcap;
}

TEST(WebSocketTable, CountsBytesAndTimesLikeTcp) {
  for (const char *name :
       {websocket_problems_capture, "mp_ws_godot4.6", "mp_ws_godot3.2.3", "ws_godot3.6", "mp_wss_godot4.6"}) {
    SCOPED_TRACE(name);
    for (const TableRow &row : read_table(capture(name), "godot,websockets")) {
      const std::string filter = row.at("Display filter");
      EXPECT_EQ(filter, "tcp.stream == " + row.at("Stream"));
      const Rows frames =
          read_fields(capture(name), {"-Y", filter}, {"frame.number", "tcp.dstport", "tcp.len", "frame.time_epoch"});
      ASSERT_FALSE(frames.empty());
      EXPECT_EQ(row.at("First frame"), frames.front()[0]);
      EXPECT_EQ(row.at("Last frame"), frames.back()[0]);
      double bytes[2] = {};
      // The kernel of the recording machine sometimes retransmits on the loopback interface; TCP marks these frames.
      for (const Texts &frame : read_fields(capture(name), {"-Y", filter + " && !tcp.analysis.retransmission"},
                                            {"tcp.dstport", "tcp.len"})) {
        const bool is_to_server = row.at("Server").ends_with(":" + frame[0]);
        bytes[is_to_server ? 0 : 1] += std::stod(frame[1]);
      }
      EXPECT_EQ(number(row, "Bytes of client"), bytes[0]) << filter;
      EXPECT_EQ(number(row, "Bytes of server"), bytes[1]) << filter;
      double silence = 0;
      double before = 0;
      for (const Texts &frame :
           read_fields(capture(name), {"-Y", filter + " && tcp.len > 0 && !tcp.analysis.retransmission"},
                       {"frame.time_epoch"})) {
        const double time = std::stod(frame[0]);
        if (before > 0) silence = std::max(silence, time - before);
        before = time;
      }
      EXPECT_NEAR(number(row, "Longest silence (s)"), silence, 6e-4) << filter;
    }
  }
}

// Appends the frames of a conversation, with `more` added to their TCP sequence and acknowledgement numbers.
void append_later(Pcap &pcap, const Pcap &conversation, std::uint32_t more) {
  constexpr std::size_t seq_at = 24;  // after the IP header
  for (std::string frame : conversation.frames) {
    for (const std::size_t at : {seq_at, seq_at + 4}) {
      std::uint32_t number = more;
      for (std::size_t i = 0; i < 4; ++i)
        number += std::uint32_t{static_cast<std::uint8_t>(frame[at + i])} << (24 - 8 * i);
      frame.replace(at, 4, big_endian(number));
    }
    pcap.frames.push_back(frame);
  }
}

TEST(WebSocketTable, HasARowForEachConnectionOfTheSamePorts) {
  WebSocketConversation socket({50001, 9080});
  for (int i = 1; i < 4; ++i) socket.send(web_socket_binary, dictionary({{string("health"), integer(i)}}));
  Pcap pcap = socket.pcap();
  append_later(pcap, socket.pcap(), 1'000'000);
  append_later(pcap, socket.pcap(), 2'000'000);
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(cells(read_table(saved(pcap), "godot,websockets", passes), {"Client", "Server", "Stream"}),
              (Rows{{"127.0.0.1:50001", "127.0.0.1:9080", "0"},
                    {"127.0.0.1:50001", "127.0.0.1:9080", "1"},
                    {"127.0.0.1:50001", "127.0.0.1:9080", "2"}}));
  }
}

TEST(WebSocketTable, IgnoresForeignTraffic) {
  for (const auto &entry : fs::directory_iterator(fs::path(GODOT_CAPTURES_DIR) / "other")) {
    if (entry.path().extension() != ".pcapng") continue;
    EXPECT_EQ(read_table(entry.path(), "godot,websockets", {"-2"}).size(), 0U) << entry.path();
    EXPECT_EQ(read_fields(entry.path(), {"-Y", "godot_websocket"}, {"frame.number"}), Rows{}) << entry.path();
  }
}

// A silent server may not poll its peer. Or it may not be Godot's server.
TEST(WebSocketProblems, ClientThatGivesUpIsAdvisedToCheckTheServer) {
  TcpConversation tcp({50001, 5090});
  tcp.shake_hands();
  tcp.send(request_of_godot);
  const fs::path path = saved(closed_by(tcp.pcap(), {50001, 5090}, tcp_fin));
  EXPECT_EQ(
      cells(problems_of(path), {"Problem", "What to do"}),
      (Rows{
          {"The client gave up after 0.0 s without an answer to the WebSocket handshake",
           "Check that the server has called create_server() and polls its peer in every game frame. If the server uses TLSOptions.server(), begin the client's URL with wss://."}}));
}

TEST(WebSocketProblems, InfoColumnAndTreeShowTheProblem) {
  const Rows rows =
      read_fields(capture(websocket_problems_capture), {"-Y", "frame.number in {37, 45, 73, 106}"},
                  {"_ws.col.Info", "godot_websocket.status", "godot_websocket.origin", "godot_websocket.subprotocols"});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_TRUE(rows[0][0].ends_with("[client not allowed]")) << rows[0][0];
  EXPECT_EQ((Texts{rows[0][1], rows[0][2], rows[0][3]}), (Texts{"403", "https://games.example", ""}));
  EXPECT_TRUE(rows[1][0].ends_with("[no common subprotocol]")) << rows[1][0];
  EXPECT_EQ((Texts{rows[1][1], rows[1][3]}), (Texts{"101", "chat"}));
  EXPECT_TRUE(rows[2][0].ends_with("[WebSocket, not answered]")) << rows[2][0];
  EXPECT_TRUE(rows[3][0].ends_with("[the server requires wss://]")) << rows[3][0];
}

// If the program has not read all messages, get_tree().quit() closes a connection by RST. If a client resets its
// connection, this is no problem; if a server does, the reason is unknown.
TEST(WebSocketProblems, ResetIsNoProofOfACrash) {
  TcpConversation tcp({50001, 5090});
  tcp.shake_hands();
  tcp.send(request_of_godot);
  tcp.answer(answer_of_godot);
  const fs::path client = saved(closed_by(tcp.pcap(), {50001, 5090}, tcp_rst));
  EXPECT_EQ(cells(problems_of(client), {"Count"}), (Rows{{"0"}}));
  EXPECT_EQ(cells(read_table(client, "godot,websockets"), {"End"}), (Rows{{"The client" + reset}}));
  const fs::path server = saved(closed_by(tcp.pcap(), {5090, 50001}, tcp_rst));
  EXPECT_EQ(
      cells(problems_of(server), {"Problem", "What to do"}),
      (Rows{
          {"The server" + reset,
           "If the server was stopped (close(), or the program quit), do nothing. Otherwise look for a crash in the server's log."}}));
}

// Servers other than Godot's, such as GnuTLS, answer with a TLS alert.
TEST(WebSocketProblems, TlsAlertRevealsATlsServer) {
  TcpConversation tcp({50001, 5090});
  tcp.shake_hands();
  tcp.send(request_of_godot);
  tcp.answer(hex("15 0303 0002 02 0a"));
  const fs::path path = saved(tcp.pcap());
  EXPECT_EQ(cells(read_table(path, "godot,problems", {"-2"}), {"Problem", "From", "Display filter"}),
            (Rows{{"The server uses TLS (wss://), but the client does not (ws://)", "127.0.0.1:5090",
                   "godot_websocket.tls_mismatch and tcp.stream == 0"}}));
}

// A client with a User-Agent is another program.
TEST(WebSocketProblems, ClientsOfOtherProgramsAreNotListed) {
  for (const bool is_godots : {true, false}) {
    TcpConversation tcp({50001, 5090});
    tcp.shake_hands();
    tcp.send(
        "GET / HTTP/1.1\r\nHost: localhost:5090\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n" +
        (is_godots ? ""s : "User-Agent: other\r\n"s) + "\r\n");
    tcp.answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(read_table(saved(tcp.pcap()), "godot,websockets").size(), is_godots ? 1U : 0U);
  }
}

// Returns a connection with compressed messages, after its handshake.
TcpConversation deflate_conversation(const std::string &extension = "") {
  TcpConversation tcp({50001, 9083});
  tcp.shake_hands();
  tcp.send(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nUser-Agent: x\r\nSec-WebSocket-Key: "
      "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
  tcp.answer(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
      "ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\nSec-WebSocket-Extensions: permessage-deflate" +
      extension + "\r\n\r\n");
  return tcp;
}

// A browser sends messages with permessage-deflate, and the server echoes them: a Dictionary, "ping!", a text, 6 bytes,
// and bytes that are also valid text.
TEST(WebSocketMessages, CompressedMessagesAreTextOrBinary) {
  TcpConversation tcp = deflate_conversation();
  tcp.send(hex("c2a412345678805236187236346e3252509af6e8424809b0e58a21c73694aef08a2c8a2e91ec56325678"));
  tcp.answer(hex("c2249266606060026216206606e2e4dc14301b84b3f233f360ecbcc4dc54981ac79444060000"));
  tcp.send(hex("c2871234567838fc9a33453056"));
  tcp.answer(hex("c2072ac8cc4b570400"));
  tcp.send(hex("c18d12345678d87c9bb1db637eb15a191c7d12"));
  tcp.answer(hex("c10dca48cdc9c95728c9482d4a0500"));
  tcp.send(hex("c288123456787050341e73515578"));
  tcp.answer(hex("c2086264626661650300"));
  tcp.send(hex("c2991234567818fa9935471c1fd53a355c5e841c326e3910339e3722037a12"));
  tcp.answer(hex("c2190acecf4d552849ad28010a26962864162b2465e62516550200"));
  const fs::path path = saved(tcp.pcap());
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "websocket"}, {"_ws.col.Info"}),
            (Rows{{"Dictionary(2) {cmd: \"join\", name: \"Ada\"}"},
                  {"Dictionary(2) {cmd: \"join\", name: \"Ada\"}"},
                  {"Raw bytes(5) \"ping!\""},
                  {"Raw bytes(5) \"ping!\""},
                  {"WebSocket Text [FIN] [MASKED]"},
                  {"WebSocket Text [FIN] "},
                  {"Raw bytes(6) 01 02 03 04 05 06"},
                  {"Raw bytes(6) 01 02 03 04 05 06"},
                  {"Raw bytes(24) \"Some text that is binary\""},
                  {"Raw bytes(24) \"Some text that is binary\""}}));
  EXPECT_EQ(cells(read_table(path, "godot,websockets"), {"Server", "End"}), (Rows{{"127.0.0.1:9083", "Open"}}));
}

// HTTP and WebSocket show the same as without the plugin.
TEST(WebSocketConnections, HttpAndWebSocketShowTheSameAsWithoutThePlugin) {
  WebSocketConversation conversation({50001, 5055});
  conversation.send(web_socket_text, "{\"op\": \"join\"}");
  conversation.answer(web_socket_text, "{\"op\": \"joined\"}");
  const Rows rows = read_fields(saved(conversation.pcap()), {"-Y", "websocket"}, {"_ws.col.Info", "frame.protocols"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0][0].starts_with("WebSocket Text [FIN] [MASKED]")) << rows[0][0];
  EXPECT_TRUE(rows[1][1].find(":tcp:http:websocket") != std::string::npos) << rows[1][1];
}

// ---- compressed messages that refer to earlier ones

// Compresses messages as permessage-deflate does.
class MessageDeflater {
 public:
  explicit MessageDeflater(bool has_no_context_takeover) : has_no_context_takeover_(has_no_context_takeover) {
    deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
  }
  MessageDeflater(const MessageDeflater &) = delete;
  MessageDeflater &operator=(const MessageDeflater &) = delete;
  ~MessageDeflater() { deflateEnd(&stream_); }

  // @param mask for a client's frame
  std::string frame(std::string message, const std::string &mask = {}) {
    if (has_no_context_takeover_) deflateReset(&stream_);
    std::string packed(message.size() + 64, '\0');
    stream_.next_in = reinterpret_cast<Bytef *>(message.data());
    stream_.avail_in = static_cast<uInt>(message.size());
    stream_.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream_.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream_, Z_SYNC_FLUSH);
    packed.resize(packed.size() - stream_.avail_out - 4);  // without the trailing 00 00 ff ff
    std::string frame = web_socket_frame(web_socket_binary, packed, mask);
    frame[0] = static_cast<char>(frame[0] | 0x40);
    return frame;
  }

 private:
  z_stream stream_{};
  bool has_no_context_takeover_;
};

// Returns a connection with compressed messages. One of the messages is missing.
Pcap deflated(const std::string &extension, int count, std::size_t missing) {
  TcpConversation tcp = deflate_conversation(extension);
  MessageDeflater client(extension.find("client") != std::string::npos);
  MessageDeflater server(extension.find("server") != std::string::npos);
  for (int i = 0; i < count; ++i) {
    const std::string message = dictionary({{string("cmd"), string("move")}, {string("id"), integer(i)}});
    tcp.send(client.frame(message, "\x12\x34\x56\x78"));
    tcp.answer(server.frame(message));
  }
  Pcap pcap = tcp.pcap();
  pcap.frames.erase(pcap.frames.begin() + 5 + static_cast<std::ptrdiff_t>(missing));
  return pcap;
}

Rows undecodable(const Pcap &pcap) {
  return read_fields(saved(pcap), {"-2", "-Y", "godot_websocket.undecodable"}, {"frame.number", "tcp.srcport"});
}

// If a message is missing, a side without context takeover is still decodable. A later connection to the same server
// shows that it is a game's server.
TEST(DeflatedWebSocket, SideWithoutContextTakeoverIsDecoded) {
  for (const std::size_t missing : {std::size_t{0}, std::size_t{1}}) {
    const std::string end = missing == 0 ? "client" : "server";
    const std::string other = missing == 0 ? "server" : "client";
    for (const std::string &extension :
         {std::string(), "; " + end + "_no_context_takeover", "; " + other + "_no_context_takeover"}) {
      Pcap pcap = deflated(extension, 2, missing);
      // Keeps only the side that lacks a message, and one message after it.
      pcap.frames.erase(pcap.frames.begin() + 5, pcap.frames.begin() + (missing == 0 ? 6 : 7));
      pcap.frames.resize(6);
      WebSocketConversation game({50002, 9083});
      for (int i = 0; i < 4; ++i)
        game.send(web_socket_binary, dictionary({{string("cmd"), string("move")}, {string("id"), integer(i)}}));
      pcap.frames.insert(pcap.frames.end(), game.pcap().frames.begin(), game.pcap().frames.end());
      const Rows wanted =
          extension.find(end) != std::string::npos ? Rows{} : Rows{{"6", missing == 0 ? "50001" : "9083"}};
      EXPECT_EQ(undecodable(pcap), wanted) << end << extension;
    }
  }
}

// On the second pass, the gap is known from the beginning.
TEST(DeflatedWebSocket, IsDecodedUpToAGapInBothPasses) {
  EXPECT_EQ(undecodable(deflated("", 12, 18)), Rows{});
  EXPECT_EQ(undecodable(deflated("", 12, 19)), Rows{});
}

// The header of the server's message contains its kind. This must not depend on the message's size.
TEST(WebSocketMessages, BinaryMessageOfAnyLengthIsShownAsRawBytes) {
  for (const std::size_t size : {125U, 126U, 127U, 65534U, 65535U, 65536U}) {
    WebSocketConversation conversation({50001, 5055});
    for (int i = 0; i < 4; ++i)
      conversation.send(web_socket_binary, dictionary({{string("cmd"), string("move")}, {string("id"), integer(i)}}));
    const std::string text(size, 'x');
    std::string frame = web_socket_frame(web_socket_binary, text);
    if (size > UINT16_MAX) frame = std::string("\x82\x7f", 2) + big_endian(std::uint64_t{size}) + text;
    for (std::size_t at = 0; at < frame.size(); at += 30'000) conversation.answer_bytes(frame.substr(at, 30'000));
    const Rows rows = read_fields(saved(conversation.pcap()),
                                  {"-2", "-Y", "websocket.opcode == 2 and tcp.srcport == 5055"}, {"_ws.col.Info"});
    ASSERT_EQ(rows.size(), 1U) << size;
    EXPECT_TRUE(rows[0][0].starts_with("Raw bytes(" + std::to_string(size) + ") \"xxx")) << rows[0][0];
  }
}

}  // namespace
}  // namespace godot_codec::test
