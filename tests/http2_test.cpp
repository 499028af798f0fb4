// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "godot-codec/stream/web_socket.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

std::string field(const std::string &name, const std::string &value) {
  const auto counted = [](const std::string &text) {
    return std::string(2, '\0') + big_endian(static_cast<std::uint16_t>(text.size())) + text;
  };
  return counted(name) + counted(value);
}

Http2Request read(const std::string &fields) {
  return read_http2_request({reinterpret_cast<const std::uint8_t *>(fields.data()), fields.size()});
}

TEST(Http2Request, ExtendedConnectIsAWebSocketRequest) {
  const std::string fields = field(":method", "CONNECT") + field(":path", "/game") + field(":protocol", "websocket");
  EXPECT_TRUE(read(fields).requests_web_socket);
  EXPECT_FALSE(read(fields).requests_pack);
  EXPECT_FALSE(read(field(":method", "CONNECT") + field(":protocol", "connect-udp")).requests_web_socket);
  EXPECT_FALSE(read(fields.substr(0, fields.size() - 1)).requests_web_socket);
  EXPECT_FALSE(read("").requests_web_socket);
}

TEST(Http2Request, PckRequestIsRecognizedByTheFileExtension) {
  for (const char *path : {"/game.pck", "/games/pong.pck?v=3"}) EXPECT_TRUE(read(field(":path", path)).requests_pack);
  for (const char *path : {"/game.pck.html", "/x?y=.pck", ""}) EXPECT_FALSE(read(field(":path", path)).requests_pack);
}

TEST(Http2Request, LengthsBeyondTheDataAreRejected) {
  EXPECT_FALSE(read(std::string("\xff\xff\xff\xff:protocol", 13)).requests_web_socket);
  EXPECT_FALSE(read(field(":protocol", "websocket").substr(0, 20)).requests_web_socket);
}

}  // namespace
}  // namespace godot_codec::test
