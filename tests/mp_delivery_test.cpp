// SPDX-License-Identifier: MIT
// When messages reach their receiver: in the order of their sequence numbers, whatever the capture order.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory_resource>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "godot-codec/multiplayer/delivery_tracker.h"

namespace godot_codec::test {
namespace {

constexpr std::int64_t second = nanoseconds_per_second;

// Messages of a server, 10 milliseconds apart; frames are numbered from 1.
class Channel {
 public:
  explicit Channel(bool is_from_start = true) : is_from_start_(is_from_start) {}

  Channel &message(std::uint16_t number, std::uint32_t count = 1) {
    time_ += second / 100;
    Message message;
    message.position = {static_cast<std::uint32_t>(messages_.size() + 1), 0};
    message.time = time_;
    message.sequence = {0, number, count};
    messages_.push_back(message);
    if (!deliveries.add_in_order(message)) deliveries.add(message, is_from_start_);
    return *this;
  }
  Channel &wait(std::int64_t time) {
    time_ += time;
    return *this;
  }
  [[nodiscard]] const Message &sent(std::uint32_t frame) const { return messages_[frame - 1]; }
  // Describes the delivery of a message: "5", "sent by 4, delivered in 6", "waits".
  [[nodiscard]] std::string arrival(std::uint32_t frame) const {
    const MpDeliveryState arrival = deliveries.arrival(sent(frame));
    if (arrival.is_waiting) return "waits";
    if (arrival.sent == arrival.delivered_at) return std::to_string(frame);
    return "sent by " + std::to_string(arrival.sent.packet) + ", delivered in " +
           std::to_string(arrival.delivered_at.packet);
  }

  MpDeliveryTracker deliveries{std::pmr::get_default_resource()};

 private:
  bool is_from_start_;
  std::vector<Message> messages_;
  std::int64_t time_ = 0;
};

TEST(DeliveryTracker, LostMessageDelaysTheLaterOnes) {
  Channel channel;
  channel.message(1).message(3).message(4).message(2).message(5);
  EXPECT_EQ(channel.arrival(1), "1");
  EXPECT_EQ(channel.arrival(2), "sent by 2, delivered in 4");
  EXPECT_EQ(channel.arrival(3), "sent by 2, delivered in 4");
  EXPECT_EQ(channel.arrival(4), "sent by 2, delivered in 4");
  EXPECT_EQ(channel.arrival(5), "5");
  EXPECT_FALSE(channel.deliveries.has_capture_gap({5, 0}));
}

TEST(DeliveryTracker, GapReportedByTheTransportIsACaptureGap) {
  const auto heap = std::pmr::get_default_resource();
  MpTransmissionTrackers transmissions{SequenceTracker<std::uint32_t>(heap), SequenceTracker<std::uint32_t>(heap)};
  const MpDeliveryTracker deliveries(heap, &transmissions);
  transmissions[1].add(7, 1, {1, 0}, 0);
  EXPECT_FALSE(deliveries.has_capture_gap({9, 0}));
  transmissions[1].add(9, 1, {3, 0}, second);
  EXPECT_TRUE(!deliveries.has_capture_gap({2, 0}) && deliveries.has_capture_gap({3, 0}));
  EXPECT_TRUE(deliveries.has_capture_gap(0, {1, 0}, 0) && !deliveries.has_capture_gap(0, {3, 0}, second));
}

TEST(DeliveryTracker, MissingMessageStaysPendingUntilItsTimeout) {
  Channel channel;
  channel.message(1).message(3);
  EXPECT_EQ(channel.arrival(2), "waits");
  EXPECT_FALSE(channel.deliveries.has_capture_gap({1, 0}));
  EXPECT_TRUE(channel.deliveries.has_capture_gap({2, 0}));
}

TEST(DeliveryTracker, MessageThatNeverArrivesWasDeliveredButNotCaptured) {
  Channel channel;
  channel.message(1).message(3).wait(6 * second).message(4).message(5);
  EXPECT_EQ(channel.arrival(2), "sent by 2, delivered in 3");
  EXPECT_EQ(channel.arrival(4), "4");
  EXPECT_FALSE(channel.deliveries.has_capture_gap({1, 0}));
  EXPECT_TRUE(channel.deliveries.has_capture_gap({4, 0}));
  // The gap is after frame 1, which was captured 10 ms after the beginning.
  EXPECT_TRUE(channel.deliveries.has_capture_gap(0, {1, 0}, second / 100));
  EXPECT_FALSE(channel.deliveries.has_capture_gap(0, {1, 0}, second / 100 - 1));
  EXPECT_FALSE(channel.deliveries.has_capture_gap(0, {2, 0}, second));
  EXPECT_FALSE(channel.deliveries.has_capture_gap(1, {1, 0}, second)) << "the other side's";
}

TEST(DeliveryTracker, ConnectionEndsHaveSeparateChannels) {
  MpDeliveryTracker deliveries(std::pmr::get_default_resource());
  Message message;
  message.position = {1, 0};
  message.sequence = {0, 1, 1};
  deliveries.add(message, true);
  message.position = {2, 0};
  message.sequence.first_number = 2;
  message.sender_side = 1;
  EXPECT_FALSE(deliveries.add_in_order(message));
  deliveries.add(message, true);
  EXPECT_TRUE(deliveries.arrival(message).is_waiting);
  message.sender_side = 0;
  EXPECT_TRUE(deliveries.add_in_order(message));
}

TEST(DeliveryTracker, MissingFirstMessageIsAGapOnlyAfterACapturedStart) {
  Channel channel;
  channel.message(2);
  EXPECT_TRUE(channel.deliveries.has_capture_gap(0, {0, 0}, 0));
  Channel late(false);
  late.message(2);
  EXPECT_FALSE(late.deliveries.has_capture_gap(0, {0, 0}, second)) << "the capture begins with it";
}

TEST(DeliveryTracker, FragmentsUseOneSequenceNumberEachAndNumbersWrap) {
  Channel channel(false);
  channel.message(0xfffe, 3).message(2).message(1);
  EXPECT_EQ(channel.arrival(1), "1") << "the first one is what the capture begins with";
  EXPECT_EQ(channel.arrival(2), "sent by 2, delivered in 3");
  Channel whole;
  whole.message(2);
  EXPECT_EQ(whole.arrival(1), "waits") << "number 1 is missing";
}

// Messages 2 and 4 are missing. The timeout of each begins when the message blocks the channel.
TEST(DeliveryTracker, EachMissingMessageHasItsOwnTimeout) {
  Channel channel;
  channel.message(1).message(3).message(5).wait(second * 15 / 10).message(2).wait(second).message(6);
  EXPECT_EQ(channel.arrival(3), "waits") << "number 4, for a second so far";
  channel.wait(second).message(7);
  EXPECT_EQ(channel.arrival(3), "sent by 2, delivered in 6");
}

TEST(DeliveryTracker, AtMost4096MessagesStayPending) {
  for (const bool is_over : {false, true}) {
    Channel channel;
    channel.message(1);
    for (std::uint16_t i = 0; i < (is_over ? 4097 : 4096); ++i)
      channel.message(static_cast<std::uint16_t>(3 + i)).wait(-second / 100);
    EXPECT_EQ(channel.arrival(2) == "waits", !is_over);
  }
}

// A gap is filled from its end. A message that waits for two gaps is delivered after the second gap is filled.
TEST(DeliveryTracker, GapsFilledInAnyOrderDeliverTheMessages) {
  Channel channel;
  channel.message(1).message(5).message(4).message(2).message(7).message(3).message(6).message(8);
  EXPECT_EQ(channel.arrival(2), "sent by 2, delivered in 6");
  EXPECT_EQ(channel.arrival(3), "sent by 2, delivered in 6");
  EXPECT_EQ(channel.arrival(4), "sent by 2, delivered in 4") << "number 2 waited for no other";
  EXPECT_EQ(channel.arrival(5), "sent by 2, delivered in 7") << "number 7 waited for 3 and 6";
  EXPECT_EQ(channel.arrival(6), "sent by 2, delivered in 6");
  EXPECT_EQ(channel.arrival(7), "sent by 5, delivered in 7");
  EXPECT_EQ(channel.arrival(8), "8");
  EXPECT_FALSE(channel.deliveries.has_capture_gap({8, 0}));
}

TEST(DeliveryTracker, OutOfOrderMessageClosesItsGap) {
  Channel channel;
  channel.message(1).message(3).wait(3 * second).message(4);
  EXPECT_EQ(channel.arrival(2), "sent by 2, delivered in 3");
  EXPECT_TRUE(channel.deliveries.has_capture_gap({9, 0}));
  channel.message(2).message(5);
  EXPECT_EQ(channel.arrival(4), "sent by 0, delivered in 4");
  EXPECT_EQ(channel.arrival(5), "5");
  EXPECT_FALSE(channel.deliveries.has_capture_gap({9, 0}));
}

// Compares with a queue of all waiting messages. The sequence numbers wrap around.
TEST(DeliveryTracker, ResultEqualsThatOfAQueueOfAllPendingMessages) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::minstd_rand random(seed + 1);
    std::vector<std::uint16_t> numbers(40);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint16_t>(0xfff0));
    for (std::size_t i = 1; i + 1 < numbers.size(); ++i) {
      std::swap(numbers[i], numbers[std::min(i + random() % 6, numbers.size() - 1)]);
    }
    Channel channel(false);
    for (const std::uint16_t number : numbers) channel.message(number);
    std::uint16_t next = numbers[0];
    std::set<std::uint16_t> waiting;
    std::vector<std::uint32_t> delivered(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      waiting.insert(numbers[i]);
      for (; waiting.erase(next) > 0; ++next) {
        delivered[std::size_t(std::ranges::find(numbers, next) - numbers.begin())] = static_cast<std::uint32_t>(i + 1);
      }
    }
    for (std::uint32_t frame = 1; frame <= numbers.size(); ++frame) {
      const MpDeliveryState arrival = channel.deliveries.arrival(channel.sent(frame));
      EXPECT_EQ(arrival.is_waiting ? 0 : arrival.delivered_at.packet, delivered[frame - 1])
          << seed << ", frame " << frame;
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
