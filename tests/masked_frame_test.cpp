// SPDX-License-Identifier: MIT
// Finds masked WebSocket frames by their unmasked content.
#include <gtest/gtest.h>

#include <string>

#include "godot-codec/stream/web_socket.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

std::string masked(int first_byte, std::string content, const std::string &key = "\x11\x22\x33\x44") {
  std::string header = u8(first_byte);
  if (content.size() < 126) {
    header += u8(0x80 | static_cast<int>(content.size()));
  } else if (content.size() < 65536) {
    header += u8(0xfe) + big_endian(static_cast<std::uint16_t>(content.size()));
  } else {
    header += u8(0xff) + big_endian(static_cast<std::uint64_t>(content.size()));
  }
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(content[i] ^ key[i % 4]);
  return header + key + content;
}

TEST(MaskedWebSocketFrame, IsFoundByItsContent) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{125}, std::size_t{126}, std::size_t{70000}}) {
    const std::string content(size, 'c');
    const std::string bytes = "some headers" + masked(0x81, content) + "more";
    const WebSocketFrame frame = find_masked_frame(bytes_of(bytes), 0, bytes_of(content));
    ASSERT_TRUE(frame.is_read) << size;
    EXPECT_EQ(frame.opcode, 1);
    EXPECT_TRUE(frame.is_final);
    EXPECT_FALSE(frame.is_compressed);
    EXPECT_EQ(frame.content.end(), bytes.size() - 4);
  }
}

TEST(MaskedWebSocketFrame, SecondOfTwoEqualFramesIsFoundAfterTheFirst) {
  const std::string text = masked(0x81, "hello");
  const std::string bytes = text + masked(0xc2, "hello", "abcd");
  const std::string hello = "hello";
  const WebSocketFrame first = find_masked_frame(bytes_of(bytes), 0, bytes_of(hello));
  EXPECT_EQ(first.opcode, 1);
  EXPECT_EQ(first.content.end(), text.size());
  const WebSocketFrame second = find_masked_frame(bytes_of(bytes), first.content.end(), bytes_of(hello));
  EXPECT_EQ(second.opcode, 2);
  EXPECT_TRUE(second.is_compressed);
  EXPECT_FALSE(find_masked_frame(bytes_of(bytes), second.content.end(), bytes_of(hello)).is_read);
}

TEST(MaskedWebSocketFrame, OtherBytesAreNoMaskedFrame) {
  const std::string content = "hello";
  for (const std::string &bytes : {std::string("\x81\x05hello"), masked(0x89, content), masked(0xb1, content),
                                   masked(0x81, "hellO"), masked(0x81, content).substr(0, 10), std::string()}) {
    EXPECT_FALSE(find_masked_frame(bytes_of(bytes), 0, bytes_of(content)).is_read) << to_hex(bytes);
  }
}

}  // namespace
}  // namespace godot_codec::test
