// SPDX-License-Identifier: GPL-2.0-or-later
// WebSockets whose server sends its first message in the same segment as the HTTP response.
#include <gtest/gtest.h>

#include <filesystem>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

constexpr Ports to_server = {50001, 5055};
const Texts multiplayer_port_options = {"-o", "godot_mp.ws.port:5055"};
const Texts variant_port_options = {"-o", "godot.ws.port:5055"};
constexpr const char *http_response_frame =
    "5";  // the frame of the HTTP response, after the TCP handshake and the request

// Returns the client's id, and the announcement of a path.
std::string initial_multiplayer_messages() {
  const std::string path = "\1"s + std::string(32, 'a') + '\0' + u32(1) + "Main/World\0"s;
  return web_socket_frame(web_socket_binary, u32(1234)) + web_socket_frame(web_socket_binary, path);
}

std::string initial_variant_message() {
  return web_socket_frame(web_socket_binary, dictionary({{string("cmd"), string("welcome")}}));
}

// Returns frame number and Info column of each frame with a protocol of the plugin.
Rows info_rows(const fs::path &capture, const Texts &options) {
  return read_fields(capture, Texts{"-Y", "godot or godot_mp"} + options, {"frame.number", "_ws.col.Info"});
}

Rows summaries(const fs::path &capture, const Texts &options) {
  return read_fields(capture, Texts{"-Y", "godot_mp"} + options, {"godot_mp.summary"});
}

TEST(FirstWebSocketMessage, MultiplayerMessageAfterTheHttpAnswerIsDecoded) {
  const fs::path capture = saved(WebSocketConversation(to_server, initial_multiplayer_messages()).pcap());
  const Rows wanted = {
      {http_response_frame, "HTTP/1.1 101 Switching Protocols You are peer 1234 | Path 1 is Main/World"}};
  EXPECT_EQ(info_rows(capture, multiplayer_port_options), wanted);
  EXPECT_EQ(info_rows(capture, {"-2"}), wanted);
  // In one pass, the message of four bytes is not decoded until the next message confirms the protocol.
  EXPECT_EQ(summaries(capture, {}), (Rows{{"Path 1 is Main/World"}}));
}

TEST(FirstWebSocketMessage, VariantAfterTheHttpAnswerIsDecoded) {
  const fs::path capture = saved(WebSocketConversation(to_server, initial_variant_message()).pcap());
  const Rows wanted = {{http_response_frame, "HTTP/1.1 101 Switching Protocols Dictionary(1) {cmd: \"welcome\"}"}};
  EXPECT_EQ(info_rows(capture, {}), wanted);
  EXPECT_EQ(info_rows(capture, {"-2"}), wanted);
  EXPECT_EQ(info_rows(capture, variant_port_options), wanted);
}

TEST(FirstWebSocketMessage, MessageThatContinuesInTheNextSegmentIsDecoded) {
  const std::string greeting = initial_multiplayer_messages();
  for (std::size_t size = 1; size < greeting.size(); size += 3) {
    SCOPED_TRACE(size);
    WebSocketConversation conversation(to_server, greeting.substr(0, size));
    conversation.answer_bytes(greeting.substr(size));
    const fs::path capture = saved(conversation.pcap());
    Texts all;
    for (const Texts &row : summaries(capture, {"-2"})) {
      for (const std::string &each : split(row[0], between_occurrences)) all.push_back(each);
    }
    EXPECT_EQ(all, (Texts{"You are peer 1234", "Path 1 is Main/World"}));
  }
}

}  // namespace
}  // namespace godot_codec::test
