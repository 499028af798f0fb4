// SPDX-License-Identifier: MIT
// When messages reach their receiver: in the order of their sequence numbers, whatever the capture order.
#include <gtest/gtest.h>

#include <memory_resource>
#include <string>

#include "godot-codec/multiplayer/account.h"

namespace godot_codec::test {
namespace {

constexpr std::int64_t second = nanoseconds_per_second;

// Messages of a server, 10 milliseconds apart; frames are numbered from 1.
class Line {
 public:
  explicit Line(bool is_from_start = true) : is_from_start_(is_from_start) {}

  Line &message(std::uint16_t number, std::uint32_t count = 1) {
    const SequenceRange turn{0, number, count};
    ++frame_;
    time_ += second / 100;
    if (!account.learn_in_order(0, turn, time_)) account.learn(0, turn, {frame_, 0}, time_, is_from_start_);
    return *this;
  }
  Line &wait(std::int64_t time) {
    time_ += time;
    return *this;
  }
  // Describes the delivery of a message: "5", "sent by 4, delivered in 6", "waits".
  [[nodiscard]] std::string arrival(std::uint32_t frame) const {
    const MpArrival arrival = account.arrival({frame, 0});
    if (arrival.is_waiting) return "waits";
    if (arrival.sent == arrival.delivered) return std::to_string(frame);
    return "sent by " + std::to_string(arrival.sent.packet) + ", delivered in " +
           std::to_string(arrival.delivered.packet);
  }

  MpAccount account{std::pmr::get_default_resource()};

 private:
  bool is_from_start_;
  std::uint32_t frame_ = 0;
  std::int64_t time_ = 0;
};

TEST(DeliveryTracker, LostMessageDelaysTheLaterOnes) {
  Line line;
  line.message(1).message(3).message(4).message(2).message(5);
  EXPECT_EQ(line.arrival(1), "1");
  EXPECT_EQ(line.arrival(2), "sent by 2, delivered in 4");
  EXPECT_EQ(line.arrival(3), "sent by 2, delivered in 4");
  EXPECT_EQ(line.arrival(4), "sent by 2, delivered in 4");
  EXPECT_EQ(line.arrival(5), "5");
  EXPECT_FALSE(line.account.has_hole({5, 0}));
}

TEST(DeliveryTracker, GapReportedByTheTransportIsAGap) {
  const auto heap = std::pmr::get_default_resource();
  MpMissing missing{MissingNumbers(heap), MissingNumbers(heap)};
  const MpAccount account(heap, &missing);
  missing[1].add(7, {1, 0}, 0);
  EXPECT_FALSE(account.has_hole({9, 0}));
  missing[1].add(9, {3, 0}, second);
  EXPECT_TRUE(!account.has_hole({2, 0}) && account.has_hole({3, 0}));
  EXPECT_TRUE(account.has_hole(0, {1, 0}, 0) && !account.has_hole(0, {3, 0}, second));
}

TEST(DeliveryTracker, MissingMessageIsAwaited) {
  Line line;
  line.message(1).message(3);
  EXPECT_EQ(line.arrival(2), "waits");
  EXPECT_FALSE(line.account.has_hole({1, 0}));
  EXPECT_TRUE(line.account.has_hole({2, 0}));
}

TEST(DeliveryTracker, MessageThatNeverArrivesWasDeliveredButNotCaptured) {
  Line line;
  line.message(1).message(3).wait(6 * second).message(4).message(5);
  EXPECT_EQ(line.arrival(2), "sent by 2, delivered in 3");
  EXPECT_EQ(line.arrival(4), "4");
  EXPECT_FALSE(line.account.has_hole({1, 0}));
  EXPECT_TRUE(line.account.has_hole({4, 0}));
  // The gap is after frame 1, which was captured 10 ms after the beginning.
  EXPECT_TRUE(line.account.has_hole(0, {1, 0}, second / 100));
  EXPECT_FALSE(line.account.has_hole(0, {1, 0}, second / 100 - 1));
  EXPECT_FALSE(line.account.has_hole(0, {2, 0}, second));
  EXPECT_FALSE(line.account.has_hole(1, {1, 0}, second)) << "the other side's";
}

TEST(DeliveryTracker, EndsHaveSeparateChannels) {
  MpAccount account(std::pmr::get_default_resource());
  account.learn(0, {0, 1, 1}, {1, 0}, 0, true);
  EXPECT_FALSE(account.learn_in_order(1, {0, 2, 1}, 0));
  account.learn(1, {0, 2, 1}, {2, 0}, 0, true);
  EXPECT_TRUE(account.arrival({2, 0}).is_waiting);
  EXPECT_TRUE(account.learn_in_order(0, {0, 2, 1}, 0));
}

TEST(DeliveryTracker, MessagesMissingAtTheBeginningMayBeOfAnyTime) {
  Line line;
  line.message(2);
  EXPECT_TRUE(line.account.has_hole(0, {0, 0}, 0));
  Line late(false);
  late.message(2);
  EXPECT_FALSE(late.account.has_hole(0, {0, 0}, second)) << "the capture begins with it";
}

TEST(DeliveryTracker, FragmentsUseOneNumberEachAndNumbersWrap) {
  Line line(false);
  line.message(0xfffe, 3).message(2).message(1);
  EXPECT_EQ(line.arrival(1), "1") << "the first one is what the capture begins with";
  EXPECT_EQ(line.arrival(2), "sent by 2, delivered in 3");
  Line whole;
  whole.message(2);
  EXPECT_EQ(whole.arrival(1), "waits") << "number 1 is missing";
}

// Two messages are missing, one after the other: each is awaited for as long as a sender retransmits.
TEST(DeliveryTracker, EachMissingMessageHasItsOwnTimeout) {
  Line line;
  line.message(1).message(3).message(5).wait(second * 15 / 10).message(2).wait(second).message(6);
  EXPECT_EQ(line.arrival(3), "waits") << "number 4, for a second so far";
  line.wait(second).message(7);
  EXPECT_EQ(line.arrival(3), "sent by 2, delivered in 6");
}

TEST(DeliveryTracker, WaitingMessagesAreLimited) {
  for (const bool is_over : {false, true}) {
    Line line;
    line.message(1);
    for (std::uint16_t i = 0; i < (is_over ? 4097 : 4096); ++i)
      line.message(static_cast<std::uint16_t>(3 + i)).wait(-second / 100);
    EXPECT_EQ(line.arrival(2) == "waits", !is_over);
  }
}

}  // namespace
}  // namespace godot_codec::test
