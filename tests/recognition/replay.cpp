// SPDX-License-Identifier: MIT
/// @file
/// Feeds conversations that are not Godot's to the choosers as the plugin does, without Wireshark, and counts how many
/// are detected as Godot's.
///
/// The decisions are those of plugin/transport, without what only Wireshark has: no port is registered for another
/// protocol, and a message that continues after its segment gives no evidence.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "generated.h"
#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/embedded/decoder.h"
#include "godot-codec/enet/reader.h"

namespace {

using namespace recognition;
using namespace godot_codec;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size(), text.size()};
}

const ReadOptions &read_options() {
  static const EmbeddedOptions inside;
  static const EmbeddedDecoder opener(inside);
  static const ReadOptions options = [] {
    ReadOptions all;
    all.decoder = &opener;
    return all;
  }();
  return options;
}

/// Counts the conversations of a class.
struct Tally {
  std::uint64_t packets = 0;
  std::uint64_t conversations = 0;
  std::uint64_t taken = 0;  ///< detected at some packet
  std::uint64_t left = 0;   ///< still detected at the end, so that a second pass dissects all of it
  /// Detected at the end, although a message is not a Variant or an unusual one. All others consist of exactly the
  /// bytes that Godot would send.
  std::uint64_t contradicted = 0;
};

/// Follows a conversation and decides whether it is Godot's.
class Detector {
 public:
  Detector() = default;
  Detector(const Detector &) = delete;
  Detector &operator=(const Detector &) = delete;
  virtual ~Detector() = default;
  /// @returns true if the conversation is detected as a game's after this packet
  virtual bool add(PacketPosition moment, bool from_client, std::string_view payload) = 0;
};

bool is_misfit(std::string_view payload) {
  return variant_evidence(bytes_of(payload), read_options()).confidence == Confidence::none;
}

EnetDatagram read_enet(std::string_view payload, bool may_decompress, std::pmr::memory_resource &memory) {
  EnetExpectation expected;
  expected.may_decompress = may_decompress;
  return read_enet_datagram(bytes_of(payload), expected, memory);
}

/// Decides like plugin/transport/udp.cpp.
class DatagramDetector final : public Detector {
 public:
  bool add(PacketPosition moment, bool /*from_client*/, std::string_view payload) override {
    detection_.offer(moment);
    if (detection_.is_decided) {
      const auto protocol = static_cast<Candidate>(detection_.decided);
      detection_.add(protocol, evidence_for(protocol, payload, true), moment);
      return detection_.is_decided;
    }
    for (const Candidate candidate : {enet, variant}) {
      if (detection_.add(candidate, evidence_of_stranger(candidate, payload), moment)) return true;
    }
    return false;
  }

 private:
  enum Candidate : std::uint8_t { enet, variant, candidate_count };

  static Evidence evidence_for(Candidate candidate, std::string_view payload, bool may_decompress) {
    const Bytes bytes = bytes_of(payload);
    if (candidate == variant) {
      return may_decompress ? packet_evidence(bytes, read_options()) : variant_evidence(bytes, read_options());
    }
    if (!may_be_enet_datagram(bytes)) return {};
    std::pmr::monotonic_buffer_resource memory;
    return enet_evidence(read_enet(payload, may_decompress, memory));
  }

  Evidence evidence_of_stranger(Candidate candidate, std::string_view payload) {
    if (candidate == variant) return evidence_for(variant, payload, is_checked_closely(++opened_));
    const bool is_compressed = read_enet_header(bytes_of(payload)).is_compressed;
    if (is_compressed && !is_checked_closely(++compressed_)) return {Confidence::neutral};
    return evidence_for(enet, payload, true);
  }

  ProtocolDetection<candidate_count> detection_{};
  std::uint32_t opened_ = 0;
  std::uint32_t compressed_ = 0;
};

/// Decides like plugin/transport/tcp.cpp.
class StreamDetector final : public Detector {
 public:
  bool add(PacketPosition moment, bool from_client, std::string_view payload) override {
    const unsigned direction = from_client ? 0 : 1;
    const std::uint32_t seq = next_[direction];
    next_[direction] += static_cast<std::uint32_t>(payload.size());
    if (!detection_.protocol()) {
      return detection_.add(direction, moment, seq, bytes_of(payload), {}, read_options()).has_value();
    }
    weigh(bytes_of(payload), moment);
    return detection_.protocol().has_value();
  }

 private:
  static StreamRules rules() { return {StreamRule{measure_debug_message, StreamOptions{}.max_length}, StreamRule{}}; }

  void weigh(Bytes segment, PacketPosition moment) {
    const MeasureMessage measure =
        detection_.protocol() == StreamProtocol::debugger ? measure_debug_message : measure_packet;
    StreamOptions options;
    options.read = read_options();
    StreamReader reader(segment, true, options, measure);
    for (StreamItem piece; reader.next(piece) && detection_.protocol();) {
      if (piece.kind == StreamItemKind::unfinished) return;
      if (piece.kind != StreamItemKind::message) {
        detection_.weigh(Confidence::none, moment);
        continue;
      }
      const Range message{piece.range.offset + stream_prefix_size, piece.range.length - stream_prefix_size};
      detection_.weigh(variant_evidence(segment.slice(message), read_options()).confidence, moment);
    }
  }

  std::array<std::uint32_t, 2> next_{1, 1};
  StreamDetection detection_{rules(), std::pmr::get_default_resource()};
};

/// Decides about ENet messages like plugin/transport/enet_messages.cpp. That the conversation is ENet is correct.
class PeerDetector final : public Detector {
 public:
  explicit PeerDetector(PeerServer &server) : conversation_(false, &server) {}

  bool add(PacketPosition moment, bool from_client, std::string_view payload) override {
    std::pmr::monotonic_buffer_resource memory;
    const EnetDatagram datagram = read_enet(payload, false, memory);
    PeerOptions options;
    options.read = read_options();
    bool is_taken = false;
    for (const EnetCommand &command : datagram.commands) {
      if (command.has(EnetField::connect_channel_count)) {
        conversation_.set_channel_count(command.value(EnetField::connect_channel_count));
      }
      if (command.data.length == 0) continue;
      Message message{datagram.commands_bytes.slice(command.data), moment};
      message.end = from_client ? 1 : 0;
      message.sequence.channel = command.channel;
      MpReader reader(message, options.read);
      is_taken = conversation_.offer(reader, options).protocol != PeerProtocol::nobody || is_taken;
      is_taken_last_ = is_taken;
    }
    return is_taken_last_;
  }

 private:
  PeerConversation conversation_;
  bool is_taken_last_ = false;
};

class Counter final : public Listener {
 public:
  Counter(bool tcp, bool has_enet) : tcp_(tcp), has_enet_(has_enet) {}
  ~Counter() override = default;
  Counter(const Counter &) = delete;
  Counter &operator=(const Counter &) = delete;

  void begin_conversation(Random &random) override {
    end_conversation();
    // Draws as many random numbers as generator.cpp needs for addresses, ports and sequence numbers, so that the
    // packets are the same.
    const bool is_first = tally_.conversations++ % clients_of_a_server == 0;
    for (int numbers = is_first ? 4 : 3; numbers > 0; --numbers) random.word();
    if (is_first) {
      judge_.reset();
      server_ = {};
    }
    if (has_enet_) {
      judge_ = std::make_unique<PeerDetector>(server_);
    } else if (tcp_) {
      judge_ = std::make_unique<StreamDetector>();
    } else {
      judge_ = std::make_unique<DatagramDetector>();
    }
    was_taken_ = is_taken_ = has_misfit_ = false;
  }
  void shake_hands() override {}
  void packet(bool from_client, const std::string &payload) override {
    ++tally_.packets;
    is_taken_ = judge_->add({++number_, 0}, from_client, payload);
    was_taken_ = was_taken_ || is_taken_;
    if (!tcp_ && !has_enet_) has_misfit_ = has_misfit_ || is_misfit(payload);
  }

  Tally finish() {
    end_conversation();
    return tally_;
  }

 private:
  void end_conversation() {
    tally_.taken += was_taken_ ? 1 : 0;
    tally_.left += is_taken_ ? 1 : 0;
    tally_.contradicted += is_taken_ && has_misfit_ ? 1 : 0;
    was_taken_ = is_taken_ = false;
  }

  bool tcp_;
  bool has_enet_;
  PeerServer server_;
  std::unique_ptr<Detector> judge_;
  std::uint32_t number_ = 0;
  bool was_taken_ = false;
  bool is_taken_ = false;
  bool has_misfit_ = false;
  Tally tally_;
};

void measure(const std::string &name, bool alone, bool tcp, std::uint64_t packets, std::uint64_t seed,
             const std::vector<std::string> &files) {
  Counter counter(tcp, name == "enet_games");
  generate(class_of(name, files), alone, tcp, packets, seed, counter);
  const Tally tally = counter.finish();
  // Whether all messages are Variants, byte for byte, is only known if each packet is a message.
  const bool is_told = !tcp && name != "enet_games";
  const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  std::printf("%-12s %-5s %-3s %10llu %13llu %8llu %8llu %12s\n", name.c_str(), alone ? "alone" : "talks",
              tcp ? "tcp" : "udp", number(tally.packets), number(tally.conversations), number(tally.taken),
              number(tally.left), is_told ? std::to_string(tally.contradicted).c_str() : "-");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char **values) try {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() < 2) {
    std::fputs(
        "usage: replay PACKETS SEED [CLASS|PCAP_FILE ...]\n"
        "  PACKETS of each class, arrangement and transport; 'cut' is only asked where there are files for it\n",
        stderr);
    return 2;
  }
  const std::uint64_t packets = number_of(arguments[0]);
  const std::uint64_t seed = number_of(arguments[1]);
  std::vector<std::string> files;
  std::vector<std::string> wanted;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    (arguments[i].find('.') == std::string::npos ? wanted : files).push_back(arguments[i]);
  }
  std::printf("%-12s %-5s %-3s %10s %13s %8s %8s %12s\n", "class", "", "", "packets", "conversations", "taken", "left",
              "contradicted");
  for (const std::string &name : wanted.empty() ? class_names() : wanted) {
    if (name == "cut" && files.empty()) continue;
    for (const bool alone : {true, false}) {
      for (const bool tcp : {false, true}) {
        if (name != "enet_games" || !tcp) measure(name, alone, tcp, packets, seed, files);
      }
    }
  }
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "replay: %s\n", error.what());
  return 1;
}
