// SPDX-License-Identifier: MIT
// A WebSocket whose beginning was not captured is detected by its frames alone.
#include <gtest/gtest.h>

#include <string>

#include "godot-codec/detection/websocket_frame_chain.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

std::string vector2(float x, float y) { return u32(5) + f32(x) + f32(y); }

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

constexpr char key[] = "\x12\x34\x56\x78";

std::string frame(const std::string &message, bool is_masked, char kind = '\x82') {
  std::string bytes(1, kind);
  bytes += static_cast<char>((is_masked ? 0x80U : 0U) | message.size());
  if (is_masked) bytes += key;
  for (std::size_t i = 0; i < message.size(); ++i) {
    bytes += static_cast<char>(is_masked ? message[i] ^ key[i % 4] : message[i]);
  }
  return bytes;
}

/// A stream with the segments of both sides.
class Chain {
 public:
  bool add(unsigned direction, const std::string &segment) {
    std::uint32_t &next = next_[direction];
    const bool is_decided = chain_.add(direction, {++packet_, 0}, next, bytes_of(segment), {});
    next += static_cast<std::uint32_t>(segment.size());
    return is_decided;
  }
  void lose(unsigned direction, std::uint32_t count) { next_[direction] += count; }
  [[nodiscard]] std::uint32_t first() const { return chain_.first_segment().packet; }

 private:
  WebSocketFrameChain chain_{};
  std::uint32_t next_[2] = {0xfffffff0, 77};
  std::uint32_t packet_ = 0;
};

TEST(WebSocketFrameDetection, TwoSmallMessagesAreDetected) {
  Chain chain;
  EXPECT_FALSE(chain.add(0, frame(vector2(1, 2), true)));
  EXPECT_TRUE(chain.add(0, frame(vector2(1, 3), true)));
  EXPECT_EQ(chain.first(), 1U);
}

TEST(WebSocketFrameDetection, DetectionRestartsAfterAGapAcrossTheSequenceWrap) {
  Chain chain;
  EXPECT_FALSE(chain.add(0, frame(vector2(1, 2), false)));
  chain.lose(0, 20);
  for (float x = 1; x < 3; ++x) EXPECT_FALSE(chain.add(0, frame(vector2(x, 2), false)));
  EXPECT_TRUE(chain.add(0, frame(vector2(3, 2), false)));
}

TEST(WebSocketFrameDetection, EvidenceOfBothSidesIsSummed) {
  Chain chain;
  EXPECT_FALSE(chain.add(0, frame(vector2(1, 2), true)));
  EXPECT_FALSE(chain.add(1, frame("", false, '\x89')));
  EXPECT_TRUE(chain.add(1, frame(vector2(1, 3), false)));
}

TEST(WebSocketFrameDetection, FramesSplitIntoSegmentsAreDetected) {
  const std::string all =
      frame(vector2(1, 2), true) + frame(string("a longer text"), true) + frame(vector2(5, 6), true);
  Chain cut;
  EXPECT_FALSE(cut.add(0, all.substr(0, 26)));
  EXPECT_FALSE(cut.add(0, all.substr(26, 6)));
  EXPECT_FALSE(cut.add(0, all.substr(32) + frame(vector2(7, 8), true)));
  // epan gets only what begins with a frame.
  EXPECT_TRUE(cut.add(0, frame(vector2(9, 10), true)));
  EXPECT_EQ(cut.first(), 4U);
  Chain lost;
  EXPECT_FALSE(lost.add(0, frame(vector2(1, 2), true)));
  lost.lose(0, 3);
  EXPECT_FALSE(lost.add(0, frame(vector2(1, 2), true)));
  EXPECT_EQ(lost.first(), 0U);
}

// Godot's client and server send the header and the content of a frame in separate segments.
TEST(WebSocketFrameDetection, FrameHeaderInASeparateSegmentIsDetected) {
  const std::string of_client = frame(vector2(1, 2), true);
  const std::string of_server = frame(vector2(3, 4), false);
  Chain chain;
  EXPECT_FALSE(chain.add(0, of_client.substr(0, 6)));
  EXPECT_FALSE(chain.add(0, of_client.substr(6)));
  EXPECT_FALSE(chain.add(1, of_server.substr(0, 2)));
  // The protocol is decided, but the server's message is still incomplete.
  EXPECT_FALSE(chain.add(0, of_client.substr(0, 6)));
  EXPECT_FALSE(chain.add(0, of_client.substr(6)));
  EXPECT_FALSE(chain.add(1, of_server.substr(2)));
  EXPECT_TRUE(chain.add(1, of_server.substr(0, 2)));
  EXPECT_EQ(chain.first(), 7U);
}

TEST(WebSocketFrameDetection, HeaderAndContentOfDifferentFramesAreNotDetected) {
  const std::string one = frame(vector2(1, 2), true);
  const std::string wrong = frame(std::string(12, '\xee'), true);
  Chain chain;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(chain.add(0, one.substr(0, 6)));
    EXPECT_FALSE(chain.add(0, wrong.substr(6)));
  }
}

TEST(WebSocketFrameDetection, ForeignFramesAreNotDetected) {
  Chain chain;
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(chain.add(0, frame("{\"a\": " + std::to_string(i) + "}", true)));
  EXPECT_EQ(chain.first(), 1U);
}

}  // namespace
}  // namespace godot_codec::test
