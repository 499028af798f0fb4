// SPDX-License-Identifier: GPL-2.0-or-later
// What went wrong on the way, as tshark tells it: computed a second time from what stands in the datagrams.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

/// One direction of a channel of a connection: stream, source port, channel.
using Line = std::tuple<std::string, std::string, int>;

/// A reliable command that came to its receiver.
struct Arrival {
  double time = 0;
  std::string frame;
  int message_begin = 0;  ///< number of the message's first command
};

/// When and in which frame each number came, which of several sendings its acknowledgement tells.
class Arrivals {
 public:
  explicit Arrivals(const std::filesystem::path &path) {
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

  /// By frame: how long its messages waited.
  [[nodiscard]] std::map<std::string, std::vector<double>> waits() const {
    std::map<std::string, std::vector<double>> waits;
    for (const auto &[line, numbers] : arrived_) {
      for (const auto &[number, arrival] : numbers) {
        // What waits for a number that never came is not known to have been handed on.
        if (number != std::distance(numbers.begin(), numbers.find(number)) + 1) break;
        const bool is_message_end = !numbers.contains(number + 1) || numbers.at(number + 1).message_begin == number + 1;
        if (!is_message_end) continue;
        const Arrival &completing = newest(numbers, arrival.message_begin, number);
        const double before = newest(numbers, 1, arrival.message_begin - 1).time;
        if (before > completing.time) waits[completing.frame].push_back(before - completing.time);
      }
    }
    for (auto &[frame, times] : waits) std::ranges::sort(times);
    return waits;
  }

 private:
  static Arrival newest(const std::map<int, Arrival> &numbers, int first, int last) {
    Arrival newest;
    for (int number = first; number <= last; ++number) {
      if (numbers.at(number).time > newest.time) newest = numbers.at(number);
    }
    return newest;
  }

  void read(const Item &frame, const Item &datagram, const Item &part) {
    const int channel = std::stoi(part.child_text("enet.channel"));
    if (channel == 255) return;
    if (part.child_text("enet.command") == "1") {
      const int number = std::stoi(part.child_text("enet.ack.seq"));
      const Line line{stream_, to_, channel};
      const auto sent = sent_[line].find({number, part.child_text("enet.ack.sent_time")});
      if (sent != sent_[line].end()) arrived_[line].try_emplace(number, sent->second);
    } else if (is_true(part.child_text("enet.flags.acknowledge"))) {
      const int number = std::stoi(part.child_text("enet.reliable_seq"));
      const Item *start = part.child("enet.fragment.start_seq");
      sent_[Line{stream_, from_, channel}][{number, datagram.child_text("enet.sent_time")}] = {
          std::stod(frame.child("frame")->child_text("frame.time_relative")),
          frame.child("frame")->child_text("frame.number"), start == nullptr ? number : std::stoi(start->show)};
    }
  }

  std::string stream_;
  std::string from_;
  std::string to_;
  std::map<Line, std::map<std::pair<int, std::string>, Arrival>> sent_;
  std::map<Line, std::map<int, Arrival>> arrived_;
};

class WaitedTest : public testing::TestWithParam<const char *> {};

TEST_P(WaitedTest, is_how_long_the_missing_one_took) {
  const std::map<std::string, std::vector<double>> expected = Arrivals(capture(GetParam())).waits();
  ASSERT_FALSE(expected.empty());
  std::map<std::string, std::vector<double>> found;
  for (const Texts &row :
       read_fields(capture(GetParam()), {"-2", "-Y", "enet.waited"}, {"frame.number", "enet.waited"})) {
    for (const std::string &time : occurrences(row[1])) found[row[0]].push_back(std::stod(time));
    std::ranges::sort(found[row[0]]);
  }
  ASSERT_EQ(found.size(), expected.size());
  for (const auto &[frame, times] : expected) {
    ASSERT_EQ(found[frame].size(), times.size()) << "frame " << frame;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[frame][i], times[i], 1e-6) << "frame " << frame;
  }
  EXPECT_TRUE(read_fields(capture(GetParam()), {"-Y", "enet.waited"}, {"frame.number"}).empty()) << "in one pass";
}

INSTANTIATE_TEST_SUITE_P(captures, WaitedTest,
                         testing::Values("enet_loss_godot3.2.3", "enet_loss_godot3.6", "enet_loss_godot4.6"));

TEST(connections_table_test, tells_how_many_commands_wait_for_their_acknowledgement) {
  // By "stream source-port": channels and numbers of commands.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> waiting;
  std::map<std::string, std::size_t> most;
  for (const Item &frame : read_details(capture("enet_loss_godot4.6"), {"-Y", "enet && !enet.duplicate_of"})) {
    const std::string stream = frame.child("enet")->child_text("enet.stream");
    const std::string from = stream + " " + frame.child("udp")->child_text("udp.srcport");
    const std::string to = stream + " " + frame.child("udp")->child_text("udp.dstport");
    for (const Item &part : frame.child("enet")->children) {
      if (part.name != "enet.part") continue;
      const std::string channel = part.child_text("enet.channel");
      if (part.child_text("enet.command") == "1") waiting[to].erase({channel, part.child_text("enet.ack.seq")});
      if (part.child_text("enet.command") == "3") waiting[to].erase({"255", "1"});  // answers the connect
      const bool is_new =
          is_true(part.child_text("enet.flags.acknowledge")) && part.child("enet.retransmission") == nullptr;
      if (is_new) waiting[from].insert({channel, part.child_text("enet.reliable_seq")});
      most[from] = std::max(most[from], waiting[from].size());
    }
  }
  const std::vector<TableRow> rows = read_table(capture("enet_loss_godot4.6"), "enet,connections");
  ASSERT_EQ(rows.size(), most.size());
  for (const TableRow &row : rows) {
    const std::string side = row.at("Stream") + " " + row.at("From").substr(row.at("From").find(':') + 1);
    EXPECT_EQ(number(row, "Waiting max"), static_cast<double>(most.at(side))) << side;
    EXPECT_EQ(number(row, "Waiting at end"), static_cast<double>(waiting.at(side).size())) << side;
  }
}

}  // namespace
}  // namespace godot_codec::test
