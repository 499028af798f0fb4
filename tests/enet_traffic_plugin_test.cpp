// SPDX-License-Identifier: GPL-2.0-or-later
// ENet of real engines in tshark: acknowledgements, retransmissions, losses, statistics; passes and columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {

INSTANTIATE_TEST_SUITE_P(engines, SelectedEnetCaptures, testing::ValuesIn(selected_captures()), name_of<Capture>);

// --- Acknowledgements ------------------------------------------------------------------------------------------

const Datagram *datagram_of(const std::vector<Datagram> &datagrams, std::int64_t frame) {
  const auto found =
      std::ranges::find(datagrams, frame, [](const Datagram &each) { return static_cast<std::int64_t>(each.frame); });
  return found == datagrams.end() ? nullptr : &*found;
}

using CommandKey = std::pair<std::int64_t, std::string>;  // frame; channel and sequence number

CommandKey key_of(std::int64_t frame, std::int64_t channel, std::int64_t seq) {
  return {frame, std::to_string(channel) + " " + std::to_string(seq)};
}

void EveryEnetCapture::links_acknowledgements_and_commands() {
  // The first acknowledgement of each transmission: frame and time.
  std::map<CommandKey, std::pair<std::int64_t, std::int64_t>> acked_in;
  std::size_t acknowledgements = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      SCOPED_TRACE("frame " + std::to_string(datagram.frame) + ", " + command.label());
      if (command.type != acknowledge && command.type != verify_connect) {
        EXPECT_EQ(command.part->child("enet.ack_to"), nullptr);
        EXPECT_EQ(command.part->child("enet.rtt"), nullptr);
        continue;
      }
      if (command.type == verify_connect && command.is_retransmission) continue;  // the answer acknowledges the connect
      ++acknowledgements;
      ASSERT_EQ(find_all(*command.part, "enet.ack_to").size(), 1U);
      const Datagram *const sent = datagram_of(datagrams(), command.value("enet.ack_to"));
      ASSERT_NE(sent, nullptr);
      EXPECT_LT(sent->frame, datagram.frame);
      EXPECT_EQ(sent->from, datagram.to);
      EXPECT_EQ(sent->to, datagram.from);
      EXPECT_EQ(sent->stream(), datagram.stream());
      const bool is_verify = command.type == verify_connect;
      const std::int64_t seq = is_verify ? 1 : command.value("enet.ack.seq");
      const bool has_command = std::ranges::any_of(sent->commands, [&](const Command &each) {
        return each.is_reliable && each.channel == command.channel && each.seq == seq &&
               (!is_verify || each.type == connect_);
      });
      EXPECT_TRUE(has_command) << "not in frame " << sent->frame;
      if (!is_verify) {
        EXPECT_EQ(sent->enet->child_text("enet.sent_time"), command.part->child_text("enet.ack.sent_time"));
      }
      EXPECT_EQ(nanoseconds(command.part->child_text("enet.rtt")), datagram.time - sent->time);
      acked_in.emplace(key_of(static_cast<std::int64_t>(sent->frame), command.channel, seq),
                       std::pair{datagram.frame, datagram.time});
    }
  }
  EXPECT_GT(acknowledgements, 50U);
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      const auto found = acked_in.find(key_of(static_cast<std::int64_t>(datagram.frame), command.channel, command.seq));
      const bool is_acked = command.is_reliable && found != acked_in.end();
      EXPECT_EQ(command.part->child_text("enet.acked_in"), is_acked ? std::to_string(found->second.first) : "")
          << datagram.frame << " " << command.label();
      const std::string after = command.part->child_text("enet.acked_after");
      ASSERT_EQ(after.empty(), !is_acked) << datagram.frame << " " << command.label();
      const std::int64_t delay = is_acked ? found->second.second - datagram.time : 0;
      EXPECT_EQ(after.empty() ? 0 : nanoseconds(after), delay) << datagram.frame << " " << command.label();
    }
  }
}

void EveryEnetCapture::has_the_round_trip_times_that_the_engine_measured() {
  const Expectations expected = read_expectations(capture().path);
  EXPECT_EQ(expected.round_trips.size(), capture().is_godot3() ? 0U : 6U);
  // The engine measures whole milliseconds of its own clock, at least 1, from passing a datagram to the system until it
  // polls the answer. Over the lossy link the mean changes by some milliseconds with each sample, and the last samples
  // follow the line that the engine printed.
  expect_round_trips(datagrams(), expected.round_trips, capture().is_lossy() ? 8 : 2, capture().is_lossy());
  if (capture().is_lossy()) {
    for (const auto &[who, mean] : mean_round_trips(datagrams())) {  // the link delays each way by 15 to 25 ms
      if (who.ends_with("client")) {
        EXPECT_GT(mean, 30) << who;
        EXPECT_LT(mean, 60) << who;
      }
    }
  }
}

// --- Retransmissions and gaps ----------------------------------------------------------------------------------

void EveryEnetCapture::marks_retransmissions() {
  std::map<std::string, std::size_t> first;  // frames by connection, direction, channel and sequence number
  std::size_t repeated = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      const std::string key = std::to_string(datagram.stream()) + datagram.from + " " +
                              std::to_string(command.channel) + " " + std::to_string(command.seq);
      const bool is_again = command.is_reliable && first.contains(key);
      EXPECT_EQ(command.is_retransmission, is_again) << datagram.frame << " " << command.label();
      EXPECT_EQ(command.part->child_text("enet.retransmission_of"), is_again ? std::to_string(first.at(key)) : "")
          << datagram.frame << " " << command.label();
      if (is_again) ++repeated;
      if (command.is_reliable) first.emplace(key, datagram.frame);
    }
  }
  if (capture().is_lossy()) {
    EXPECT_GT(repeated, 10U);
  }
}

void EveryEnetCapture::counts_gaps() {
  struct Last {
    std::int64_t reliable_seq = 0;
    std::int64_t number = 0;
  };
  std::map<std::string, Last> channels;  // by connection, direction and channel
  std::int64_t total = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      std::int64_t number = 0;
      std::string key = std::to_string(datagram.stream()) + datagram.from + " ";
      if (command.type == send_unsequenced) {
        number = command.value("enet.unsequenced_group");
      } else if (command.type == send_unreliable) {
        number = command.value("enet.unreliable_seq");
        key += std::to_string(command.channel);
      } else if (command.type == send_unreliable_fragment) {
        number = command.value("enet.fragment.start_seq");
        key += std::to_string(command.channel);
      } else {
        EXPECT_EQ(command.part->child("enet.sequence_gap"), nullptr) << datagram.frame << " " << command.label();
        continue;
      }
      Last &last = channels[key];
      // Unreliable numbers restart after each reliable command of the channel.
      if (command.type != send_unsequenced && command.seq > last.reliable_seq) last = {command.seq, 0};
      const bool is_late = command.type != send_unsequenced && command.seq < last.reliable_seq;
      const std::int64_t missing = is_late ? 0 : std::max<std::int64_t>(0, number - last.number - 1);
      EXPECT_EQ(command.part->child_text("enet.sequence_gap"), missing == 0 ? "" : std::to_string(missing))
          << datagram.frame << " " << command.label();
      total += missing;
      if (!is_late) last.number = std::max(last.number, number);
    }
  }
  if (capture().is_lossy()) {
    EXPECT_GT(total, 5);
  } else {
    EXPECT_LE(total, capture().name == "enet_range_coder_godot3.6" ? 1 : 0);
  }
}

// --- Passes and columns ----------------------------------------------------------------------------------------

TEST_P(SelectedEnetCaptures, LookTheSameInOneAndTwoPassesExceptForwardLinks) {
  const auto lines = [](const Texts &options) {
    Texts kept = lines_of(tshark(capture().path, options + ports + Texts{"-P", "-O", "enet,godot,data"}));
    std::erase_if(kept, [](const std::string &line) {
      return line.find("[Acknowledged ") != std::string::npos || line.find("eassembled in") != std::string::npos ||
             line.find("eassembled PDU in") != std::string::npos || line.starts_with("    [End: ") ||
             line.starts_with("    [Longest silence: ") || line.find("[Head-of-line delay: ") != std::string::npos ||
             line.find("[Problem: ") != std::string::npos || line.find("[Rule: ") != std::string::npos ||
             line.find("[Severity: ") != std::string::npos;
    });
    for (std::string &line : kept) {
      const std::size_t later = line.find("Spurious retransmission: the command had arrived, but its acknowledgement");
      if (later != std::string::npos) line = line.substr(0, later) + "Retransmission of the command]";
    }
    return kept;
  };
  const Texts one = lines({});
  const Texts two = lines({"-2"});
  ASSERT_GT(one.size(), 1000U);
  for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i) ASSERT_EQ(one[i], two[i]) << "line " << i;
  EXPECT_EQ(one.size(), two.size());
  for (const auto &row :
       read_fields(capture().path, ports, {"enet.acked_in", "enet.acked_after", "enet.reassembled.in"})) {
    EXPECT_EQ(row, (Texts{"", "", ""})) << "known before it happens";
  }
}

// --- Conversations ---------------------------------------------------------------------------------------------

/// Reads the table of conversations and the streams 0 and 2 in one run.
Texts EveryEnetCapture::statistics() {
  static std::map<std::string, Texts> all;
  Texts &texts = all[capture().name];
  if (!texts.empty()) return texts;
  texts.resize(3);
  std::size_t current = 0;
  const Texts options = {"-q", "-z", "conv,enet", "-z", "follow,enet,raw,0", "-z", "follow,enet,raw,2"};
  for (const std::string &line : lines_of(tshark(capture().path, ports + options))) {
    if (line.starts_with("ENet Conv")) current = 0;
    if (line.starts_with("Filter: enet.stream eq ")) current = line.ends_with("0") ? 1 : 2;
    texts[current] += line + "\n";
  }
  return texts;
}

void EveryEnetCapture::has_a_row_for_each_client() {
  std::map<std::string, std::array<std::int64_t, 2>> frames;  // by client port: from server, from client
  for (const Datagram &datagram : datagrams()) ++frames[datagram.client_port][datagram.is_from_server() ? 0 : 1];
  TextMultiset expected;
  for (const auto &[port, count] : frames) {
    expected.insert(std::to_string(std::min(count[0], count[1])) + " " + std::to_string(std::max(count[0], count[1])) +
                    " " + std::to_string(count[0] + count[1]));
  }
  TextMultiset found;
  for (const std::string &line : lines_of(statistics()[0])) {
    if (line.find("<->") == std::string::npos) continue;
    std::istringstream words(line.substr(line.find("<->") + 3));
    std::string address;
    std::string bytes;
    std::string unit;
    std::array<std::int64_t, 3> counts{};
    words >> address;
    for (std::int64_t &count : counts) words >> count >> bytes >> unit;
    found.insert(std::to_string(std::min(counts[0], counts[1])) + " " + std::to_string(std::max(counts[0], counts[1])) +
                 " " + std::to_string(counts[2]));
  }
  expect_same(found, expected, "rows");
}

void EveryEnetCapture::can_be_followed() {
  for (const int stream : {0, 2}) {
    Texts expected;
    for (const Datagram &datagram : datagrams()) {
      if (datagram.stream() != stream) continue;
      for (const Message &message : messages_of(datagram)) {
        if (message.bytes.empty()) continue;
        expected.push_back((datagram.is_from_server() ? "\t" : "") + to_hex(message.bytes));
      }
    }
    Texts found = lines_of(statistics()[stream == 0 ? 1 : 2]);
    std::erase_if(found, [](const std::string &line) {
      return line.empty() || line.find_first_not_of("\t0123456789abcdef") != std::string::npos;
    });
    EXPECT_EQ(found, expected) << stream;
    EXPECT_GT(found.size(), 5U);
  }
}

// ENet adds 7 to a counter for each unreliable message, modulo 32, and drops messages whose counter exceeds the peer's
// throttle of at most 32. The capture was taken at the sender, so nothing was lost on the way: each missing number has
// such a counter.
TEST(EnetThrottle, ExplainsTheMissingMessages) {
  constexpr int step = 7;
  constexpr int scale = 32;
  std::vector<int> counts;
  const Texts options = {"-Y", "enet.stream == 1 && enet.to_server == 0 && enet.sequence_gap"};
  for (const Texts &row : read_fields(std::filesystem::path(GODOT_TESTS_DIR) / "data/half_hidden.pcapng", options,
                                      {"enet.unsequenced_group", "enet.sequence_gap"})) {
    EXPECT_EQ(row[1], "1");
    counts.push_back((std::stoi(row[0]) - 1) * step % scale);
  }
  EXPECT_EQ(counts, (std::vector<int>{31, 31, 30, 29, 31, 30, 31, 31}));
}

}  // namespace godot_codec::test::enet
