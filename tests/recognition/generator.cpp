// SPDX-License-Identifier: MIT
/// @file
/// Writes a pcap file with the requested number of packets that are not Godot's and that detection must reject. The
/// same arguments give the same bytes on any machine.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "generated.h"

namespace {

using namespace recognition;

constexpr const char *usage =
    "usage: generator CLASS alone|talks udp|tcp PACKETS SEED [PCAP_FILE ...] > FILE\n"
    "  alone  every packet in a conversation of its own\n"
    "  talks  conversations of 2 to 20 packets of that class, both directions\n"
    "  The class 'cut' cuts and shifts the packets of the files.\n"
    "classes:";

// --- The file

/// Writes frames of raw IPv4, with one client and one server per conversation.
class Writer final : public ConversationSink {
 public:
  explicit Writer(bool tcp) : tcp_(tcp) {
    std::string header;
    for (std::uint64_t word : {0xa1b2c3d4ULL, 0x00040002ULL, 0ULL, 0ULL, 262144ULL, 101ULL}) put(header, word, 4);
    write(header);
  }

  /// Chooses addresses that no earlier conversation had, and ports without a registered dissector of Wireshark's: on
  /// other ports it would offer the packets to no heuristic dissector. Thirty consecutive conversations share a server.
  void begin_conversation(Random &random) override {
    ++conversation_;
    client_port_ = static_cast<std::uint16_t>(50001 + random.between(0, 5000));
    if (conversation_ % clients_of_a_server == 1)
      server_port_ = static_cast<std::uint16_t>(50001 + random.between(0, 5000));
    sequences_ = {static_cast<std::uint32_t>(random.word()), static_cast<std::uint32_t>(random.word())};
  }

  void shake_hands() override {
    segment(true, syn, {});
    ++sequences_[0];
    segment(false, syn | acknowledge, {});
    ++sequences_[1];
    segment(true, acknowledge, {});
  }

  void packet(bool from_client, const std::string &payload) override {
    if (tcp_) {
      segment(from_client, push | acknowledge, payload);
      sequences_[from_client ? 0 : 1] += static_cast<std::uint32_t>(payload.size());
      return;
    }
    begin_frame(from_client, 17, 8 + payload.size());
    put(frame_, 8 + payload.size(), 2, true);
    put(frame_, 0, 2);  // no checksum
    end_frame(payload);
  }

 private:
  static constexpr unsigned syn = 0x02;
  static constexpr unsigned push = 0x08;
  static constexpr unsigned acknowledge = 0x10;

  void segment(bool from_client, unsigned flags, const std::string &payload) {
    begin_frame(from_client, 6, 20 + payload.size());
    put(frame_, sequences_[from_client ? 0 : 1], 4, true);
    put(frame_, (flags & acknowledge) != 0 ? sequences_[from_client ? 1 : 0] : 0, 4, true);
    put(frame_, 0x5000 | flags, 2, true);
    put(frame_, 0xffff0000'0000, 6, true);  // window, checksum, urgent pointer
    end_frame(payload);
  }

  /// Writes the headers of the record and of IP, and the ports.
  void begin_frame(bool from_client, unsigned protocol, std::size_t length) {
    frame_.clear();
    milliseconds_ += 1;
    put(frame_, 1'700'000'000 + milliseconds_ / 1000, 4);
    put(frame_, milliseconds_ % 1000 * 1000, 4);
    for (int i = 0; i < 2; ++i) put(frame_, 20 + length, 4);
    put(frame_, 0x4500'0000 + 20 + length, 4, true);
    put(frame_, 0x0000'0000'4000'0000 | std::uint64_t{protocol} << 16, 8, true);
    const std::uint32_t client = 0x0a000001 + conversation_;
    constexpr std::uint32_t server = 0xc0a80001;
    put(frame_, from_client ? client : server, 4, true);
    put(frame_, from_client ? server : client, 4, true);
    put(frame_, from_client ? client_port_ : server_port_, 2, true);
    put(frame_, from_client ? server_port_ : client_port_, 2, true);
  }

  void end_frame(const std::string &payload) {
    frame_ += payload;
    write(frame_);
  }

  static void write(const std::string &bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) throw std::runtime_error("cannot write");
  }

  bool tcp_;
  std::uint32_t conversation_ = 0;
  std::uint16_t client_port_ = 0;
  std::uint16_t server_port_ = 0;
  std::array<std::uint32_t, 2> sequences_{};  // the next sequence number of client and server
  std::uint64_t milliseconds_ = 0;
  std::string frame_;
};

// --- The program

/// Returns whether the text is the first of two words; any other text is an error.
bool is_first(const std::string &text, std::string_view first, std::string_view second) {
  if (text != first && text != second)
    throw std::runtime_error("neither " + std::string(first) + " nor " + std::string(second) + ": " + text);
  return text == first;
}

}  // namespace

int main(int count, char **values) try {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() < 5) {
    std::fputs(usage, stderr);
    for (const std::string &name : class_names()) std::fprintf(stderr, " %s", name.c_str());
    std::fputc('\n', stderr);
    return 2;
  }
  const Class make = class_of(arguments[0], {arguments.begin() + 5, arguments.end()});
  const bool alone = is_first(arguments[1], "alone", "talks");
  const bool tcp = is_first(arguments[2], "tcp", "udp");
  Writer writer(tcp);
  generate(make, alone, tcp, number_of(arguments[3]), number_of(arguments[4]), writer);
  return std::fflush(stdout) == 0 ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "generator: %s\n", error.what());
  return 1;
}
