// SPDX-License-Identifier: GPL-2.0-or-later
// Network problems as tshark shows them, compared with an independent computation from the datagrams.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

/// One direction of a channel of a connection: stream, source port, channel.
using ChannelKey = std::tuple<std::string, std::string, int>;

/// A reliable command that reached its receiver.
struct CommandArrival {
  double time = 0;
  std::string frame;
  int message_begin = 0;  ///< number of the first command of the message
};

/// Time and frame at which each sequence number arrived. The acknowledgement shows which transmission arrived.
class ArrivalLog {
 public:
  explicit ArrivalLog(const std::filesystem::path &path) {
    for (const Item &frame : read_details(path, {"-Y", "enet && !enet.duplicate_of"})) {
      const Item &datagram = *frame.child("enet");
      from_ = frame.child("udp")->child_text("udp.srcport");
      to_ = frame.child("udp")->child_text("udp.dstport");
      stream_ = datagram.child_text("enet.stream");
      for (const Item &part : datagram.children) {
        if (part.name == "enet.part") read(frame, datagram, part);
      }
    }
  }

  /// Returns how long the messages of each frame waited.
  [[nodiscard]] std::map<std::string, std::vector<double>> delays() const {
    std::map<std::string, std::vector<double>> delays;
    for (const auto &[line, numbers] : arrivals_) {
      for (const auto &[number, arrival] : numbers) {
        // If an earlier sequence number never arrived, the message may never have been delivered.
        if (number != std::distance(numbers.begin(), numbers.find(number)) + 1) break;
        const bool is_message_end = !numbers.contains(number + 1) || numbers.at(number + 1).message_begin == number + 1;
        if (!is_message_end) continue;
        const CommandArrival &completing = latest_arrival(numbers, arrival.message_begin, number);
        const double before = latest_arrival(numbers, 1, arrival.message_begin - 1).time;
        if (before > completing.time) delays[completing.frame].push_back(before - completing.time);
      }
    }
    for (auto &[frame, times] : delays) std::ranges::sort(times);
    return delays;
  }

 private:
  static CommandArrival latest_arrival(const std::map<int, CommandArrival> &numbers, int first, int last) {
    CommandArrival latest_arrival;
    for (int number = first; number <= last; ++number) {
      if (numbers.at(number).time > latest_arrival.time) latest_arrival = numbers.at(number);
    }
    return latest_arrival;
  }

  void read(const Item &frame, const Item &datagram, const Item &part) {
    const int channel = std::stoi(part.child_text("enet.channel"));
    if (channel == 255) return;
    if (part.child_text("enet.command") == "1") {
      const int number = std::stoi(part.child_text("enet.ack.seq"));
      const ChannelKey line{stream_, to_, channel};
      const auto sent = transmissions_[line].find({number, part.child_text("enet.ack.sent_time")});
      if (sent != transmissions_[line].end()) arrivals_[line].try_emplace(number, sent->second);
    } else if (is_true(part.child_text("enet.flags.acknowledge"))) {
      const int number = std::stoi(part.child_text("enet.reliable_seq"));
      const Item *start = part.child("enet.fragment.start_seq");
      transmissions_[ChannelKey{stream_, from_, channel}][{number, datagram.child_text("enet.sent_time")}] = {
          std::stod(frame.child("frame")->child_text("frame.time_relative")),
          frame.child("frame")->child_text("frame.number"), start == nullptr ? number : std::stoi(start->show)};
    }
  }

  std::string stream_;
  std::string from_;
  std::string to_;
  std::map<ChannelKey, std::map<std::pair<int, std::string>, CommandArrival>> transmissions_;
  std::map<ChannelKey, std::map<int, CommandArrival>> arrivals_;
};

class HeadOfLineDelay : public testing::TestWithParam<const char *> {};

TEST_P(HeadOfLineDelay, LastsUntilTheMissingMessageArrives) {
  const std::map<std::string, std::vector<double>> expected = ArrivalLog(capture(GetParam())).delays();
  ASSERT_FALSE(expected.empty());
  std::map<std::string, std::vector<double>> found;
  for (const Texts &row : read_fields(capture(GetParam()), {"-2", "-Y", "enet.head_of_line_delay"},
                                      {"frame.number", "enet.head_of_line_delay"})) {
    for (const std::string &time : occurrences(row[1])) found[row[0]].push_back(std::stod(time));
    std::ranges::sort(found[row[0]]);
  }
  ASSERT_EQ(found.size(), expected.size());
  for (const auto &[frame, times] : expected) {
    ASSERT_EQ(found[frame].size(), times.size()) << "frame " << frame;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[frame][i], times[i], 1e-6) << "frame " << frame;
  }
  EXPECT_TRUE(read_fields(capture(GetParam()), {"-Y", "enet.head_of_line_delay"}, {"frame.number"}).empty())
      << "in one pass";
}

INSTANTIATE_TEST_SUITE_P(captures, HeadOfLineDelay,
                         testing::Values("enet_loss_godot3.2.3", "enet_loss_godot3.6", "enet_loss_godot4.6",
                                         "trouble_godot4.6"));

// --- A node that one client does not have ----------------------------------------------------------------------

TEST(UnconfirmedPath, NodeMissingAtTheReceiverIsReported) {
  const std::filesystem::path path = capture("trouble_godot4.6");
  // The time at which the path was announced to each peer, and the time of each call.
  std::map<std::string, double> reported;
  std::string teller;
  Texts calls_of_it;
  Texts late;
  const Texts fields = {"frame.number", "frame.time_relative", "udp.dstport", "godot_mp.command", "godot_mp.path"};
  for (const Texts &row : read_fields(path, {"-Y", "godot_mp && udp.srcport == 5035"}, fields)) {
    if (row[4] != "Main/Lobby") continue;
    if (row[3] == "simplify_path") reported[row[2]] = std::stod(row[1]);
    if (row[3] == "simplify_path" && row[2] == "50002") teller = row[0];
    const bool is_late = row[3] == "rpc" && reported.contains(row[2]) && std::stod(row[1]) - reported.at(row[2]) > 0.1;
    if (row[3] == "rpc" && row[2] == "50002") calls_of_it.push_back(row[0]);
    if (is_late && row[2] == "50002") late.push_back(row[0]);
  }
  ASSERT_EQ(reported.size(), 2U);
  ASSERT_EQ(late.size(), 3U);
  const auto found = [&](const std::string &field, const Texts &passes) {
    Texts frames;
    const Texts filter = {"-Y", field};
    for (const Texts &row : read_fields(path, passes + filter, {"frame.number"})) frames.push_back(row[0]);
    return frames;
  };
  ASSERT_EQ(calls_of_it.size(), 4U);
  EXPECT_EQ(found("godot_mp.unconfirmed_path", {}), Texts{});
  EXPECT_EQ(found("godot_mp.unconfirmed_path", {"-2"}), Texts{teller}) << "the first call follows 10 ms later";
  EXPECT_EQ(found("godot_mp.unconfirmed_call", {}), late);
  EXPECT_EQ(found("godot_mp.unconfirmed_call", {"-2"}), late);
  const std::string details =
      tshark(path, {"-2", "-V", "-Y", "godot_mp.unconfirmed_path or godot_mp.unconfirmed_call"});
  EXPECT_NE(details.find(" has not confirmed the path Main/Lobby (frame " + teller +
                         "), so the call arrives only if the node has been added since"),
            std::string::npos);
  EXPECT_NE(
      details.find("it never confirmed the path, and later calls still contain the full path (frame " + late[0] + ")"),
      std::string::npos);
  // The client received these calls; the engine dropped all others.
  const std::string expected = read_file(capture("trouble_godot4.6").replace_extension(".expected"));
  std::map<std::string, int> calls;
  for (const std::string &line : lines_of(expected)) {
    const Texts words = split(line, '\t');
    if (words.size() > 4 && words[0] == "called" && words[3] == "Main/Lobby") ++calls[words[1]];
  }
  EXPECT_EQ(calls.size(), 1U);
}

// --- A lost path -----------------------------------------------------------------------------------------------

// The round-trip time is one millisecond, so a tenth of a second is long in comparison. The client has the id 77.
Exchange lost_path() {
  const std::string reported = simplify_path(3, "Main/Lobby");
  // A call of the second method without arguments. It contains the whole path: bit 31, and the offset of the path.
  const std::string call = hex("20") + u32(0x80000007) + hex("01 00") + zero_terminated("Main/Lobby");
  Exchange exchange;
  exchange.server(datagram(reliable(0, 1, reported), 300));  // frame 4, lost
  exchange.wait(300).server(datagram(reliable(0, 2, call), 600)).client(datagram(ack(0, 2, 600), 601));
  exchange.server(datagram(reliable(0, 1, reported), 610)).client(datagram(ack(0, 1, 610), 611));
  exchange.wait(300).server(datagram(reliable(0, 3, call), 910));  // frame 9
  return exchange;
}

Texts unconfirmed_in(const Exchange &exchange, const std::string &field, const Texts &passes) {
  Texts frames;
  const Texts filter = {"-Y", "godot_mp.unconfirmed_" + field};
  for (const Texts &row : read_fields(exchange.save(), ports + passes + filter, {"frame.number"}))
    frames.push_back(row[0]);
  return frames;
}

TEST(UnconfirmedPath, IsReportedAfterTheRetransmittedPathIsDelivered) {
  const Exchange exchange = lost_path();
  EXPECT_EQ(unconfirmed_in(exchange, "call", {}), Texts{"9"});
  EXPECT_EQ(unconfirmed_in(exchange, "path", {}), Texts{});
  EXPECT_EQ(unconfirmed_in(exchange, "call", {"-2"}), Texts{"9"});
  EXPECT_EQ(unconfirmed_in(exchange, "path", {"-2"}), Texts{"4"});
}

TEST(UnconfirmedPath, IsWithdrawnIfThePathIsConfirmedLater) {
  Exchange exchange = lost_path();
  exchange.client(datagram(reliable(0, 1, hex("02 01 03000000")), 920));
  EXPECT_EQ(unconfirmed_in(exchange, "call", {}), Texts{"9"});
  EXPECT_EQ(unconfirmed_in(exchange, "call", {"-2"}), Texts{});
  EXPECT_EQ(unconfirmed_in(exchange, "path", {"-2"}), Texts{});
}

}  // namespace
}  // namespace godot_codec::test
