// SPDX-License-Identifier: MIT
// Feeds hostile datagrams to an EnetSession. The input is a sequence of records: a byte of flags (sender, time since
// the record before, which of two pairs of hosts), a length byte and that many bytes of a datagram. Aborts if the
// results of two passes differ.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/enet/datagram_reader.h"
#include "godot-codec/enet/session.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetDatagram;
using godot_codec::EnetDatagramContext;
using godot_codec::EnetDatagramFindings;
using godot_codec::EnetHostPair;
using godot_codec::EnetSession;
using godot_codec::PacketPosition;

struct Packet {
  EnetHostPair *hosts;
  EnetDatagramContext arrival;
  Bytes bytes;
};

constexpr std::size_t hosts_count = 2;
constexpr std::size_t record_header_size = 2;

std::vector<Packet> packets_of(EnetSession &session, const std::uint8_t *data, std::size_t size) {
  EnetHostPair *const hosts[hosts_count] = {&session.add_host_pair(), &session.add_host_pair()};
  std::vector<Packet> packets;
  PacketPosition position{1, 0};
  std::int64_t time = 0;
  for (std::size_t at = 0; at + record_header_size <= size;) {
    const unsigned flags = data[at];
    const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - record_header_size);
    // The time advances by 0 to 2^60 nanoseconds; the message is in the same packet or in the next one.
    const std::int64_t pause = std::int64_t{1} << (flags >> 4) * 4;
    time = (flags & 8) != 0 ? godot_codec::elapsed(-pause, time) : time;
    position = (flags & 4) != 0 ? PacketPosition{position.packet, position.message + 1}
                                : PacketPosition{position.packet + 1, 0};
    packets.push_back({hosts[flags & 1],
                       {position, time, (flags & 2) != 0 ? 1U : 0U, 1, 2},
                       {data + at + record_header_size, length}});
    at += record_header_size + length;
  }
  return packets;
}

// Queries the session about a datagram. @returns the number of its commands
std::size_t query_datagram(const EnetSession &session, const Packet &packet, bool is_learning, EnetSession *learning) {
  std::pmr::monotonic_buffer_resource memory;
  const auto expected = EnetSession::expected_format(*packet.hosts, packet.arrival.sender, packet.arrival.position, {});
  const EnetDatagram datagram = godot_codec::read_enet_datagram(packet.bytes, expected, memory);
  if (is_learning) learning->update(*packet.hosts, packet.arrival, packet.bytes, datagram);
  const EnetDatagramFindings findings = session.find(*packet.hosts, packet.arrival.position);
  require(datagram.header.outcome != godot_codec::Outcome::ok || findings.connection != nullptr ||
          findings.duplicate_of.packet != 0);
  require(findings.duplicate_of < packet.arrival.position);
  for (std::size_t i = 0; i < datagram.commands.size(); ++i) {
    const EnetCommandFindings known = session.find(findings, i);
    if (known.transmission != nullptr) {
      require(known.transmission->original->original == known.transmission->original);
      require(known.transmission->is_retransmission() == (known.transmission->original != known.transmission));
      static_cast<void>(session.tracker().is_unacknowledged(*known.transmission));
      require(session.tracker().head_of_line_delay(*known.transmission) >= 0);
    }
    require(known.answer == nullptr || known.answer->transmission != nullptr);
    require(known.gap == nullptr || (known.gap->missing > 0 && known.gap->missing_so_far >= known.gap->missing));
    if (known.message != nullptr && known.message->is_whole()) {
      require(known.message->bytes.size() == known.message->total_length);
      require(known.message->fragments.size() == known.message->fragment_count);
    }
  }
  return datagram.commands.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  EnetSession session;
  const std::vector<Packet> packets = packets_of(session, data, size);
  std::vector<std::size_t> counts;
  for (const Packet &packet : packets) counts.push_back(query_datagram(session, packet, true, &session));
  // Later passes give the same results in any order.
  for (std::size_t i = packets.size(); i-- > 0;)
    require(query_datagram(session, packets[i], false, nullptr) == counts[i]);
  for (const godot_codec::EnetConnection &connection : session.connections()) {
    for (const unsigned side : {0U, 1U}) {
      const godot_codec::EnetUnreliableCounts messages = session.unreliable_counts(connection, side);
      require(messages.skipped <= messages.missing && messages.missing <= messages.total);
      const godot_codec::RoundTripStatistics *times = connection.facts.sides[side].round_trips;
      require(times == nullptr || (times->least() <= times->mean() && times->mean() <= times->most()));
    }
  }
  return 0;
}
