// SPDX-License-Identifier: MIT
#include "godot-codec/enet/session.h"

#include <algorithm>

#include "godot-codec/enet/connection_diagnosis.h"

namespace godot_codec {
namespace {

std::uint16_t u16_value(const EnetCommand &command, EnetField field) {
  return static_cast<std::uint16_t>(command.value(field));
}

FragmentRole fragment_role_of(const EnetCommand &command) {
  if (!command.is_fragment()) return FragmentRole::whole;
  const std::uint32_t count = command.value(EnetField::fragment_count);
  const std::uint32_t number = command.value(EnetField::fragment_number);
  if (number == 0) return count <= 1 ? FragmentRole::whole : FragmentRole::first;
  return number + 1 == count ? FragmentRole::last : FragmentRole::middle;
}

// True for a fragment that fills its datagram. These are all fragments of a message except the last.
bool fills_datagram(FragmentRole part) { return part == FragmentRole::first || part == FragmentRole::middle; }

// True for a command that extends past the end of the datagram. A receiver drops the command, so it has no effect.
bool is_dropped_by_receiver(const EnetCommand &command) { return command.outcome == Outcome::malformed; }

// True for a datagram with only a disconnect, and perhaps a ping. It does not prove that its sender still polls.
bool has_only_disconnect(const EnetDatagram &datagram) {
  return datagram.commands.size() <= 2 &&
         std::ranges::all_of(datagram.commands,
                             [](const EnetCommand &command) {
                               return command.is(EnetCommandType::disconnect) || command.is(EnetCommandType::ping);
                             }) &&
         datagram.commands.front().is(EnetCommandType::disconnect);
}

// Returns the newest value from before a position; null if there is none.
template <typename Changes>
const auto *find_last_before(const Changes &changes, PacketPosition position) {
  const auto after = std::ranges::lower_bound(changes, position, {}, [](const auto &change) { return change.since; });
  return after == changes.begin() ? nullptr : &*std::prev(after);
}

std::uint32_t milliseconds_since_first_heard(const EnetSideFacts &side, std::int64_t time) {
  constexpr std::int64_t millisecond = nanoseconds_per_second / 1000;
  const std::int64_t since = elapsed(side.first_heard, time) / millisecond;
  return static_cast<std::uint32_t>(std::clamp(since, std::int64_t{0}, std::int64_t{UINT32_MAX}));
}

// Counts an unanswered retransmission. Each datagram counts once.
void record_unanswered(EnetSideFacts &side, PacketPosition position) {
  if (side.unanswered_count > 0 && side.last_unanswered == position) return;
  if (side.unanswered_count++ == 0) side.unanswered_since = position;
  side.last_unanswered = position;
}

void record_retransmission(EnetSideFacts &side, const Transmission &before, std::int64_t time) {
  ++side.retransmissions;
  if (before.acked_in != 0) {
    ++side.spurious_retransmissions;
    return;
  }
  const std::uint32_t now = milliseconds_since_first_heard(side, time);
  if (now > side.last_retransmission_ms + 1) ++side.retransmission_rounds;
  side.last_retransmission_ms = now;
}

void record_connection_state(EnetConnection &connection, const EnetDatagramContext &arrival,
                             const EnetCommand &command) {
  EnetConnectionEnd &end = connection.facts.end;
  const bool has_connect_id = command.is(EnetCommandType::connect) || command.is(EnetCommandType::verify_connect);
  if (has_connect_id && connection.connect_id_since.packet == 0) {
    connection.connect_id = command.value(EnetField::connect_id);
    connection.connect_id_since = arrival.position;
  } else if (command.is(EnetCommandType::disconnect) && end.kind != EnetConnectionEndKind::disconnected) {
    end = {EnetConnectionEndKind::disconnected, static_cast<std::uint8_t>(arrival.sender),
           command.value(EnetField::disconnect_data), arrival.position, arrival.time};
  }
}

void record_rate_limits(EnetRateLimits &rate_limits, const EnetCommand &command) {
  // A connect announces the limits, and later commands change them.
  const auto either = [&](EnetField of_connect, EnetField later) {
    return command.value(command.has(of_connect) ? of_connect : later);
  };
  if (command.has(EnetField::connect_incoming_bandwidth) || command.has(EnetField::bandwidth_incoming)) {
    rate_limits.has_bandwidth = true;
    rate_limits.incoming_bandwidth = either(EnetField::connect_incoming_bandwidth, EnetField::bandwidth_incoming);
    rate_limits.outgoing_bandwidth = either(EnetField::connect_outgoing_bandwidth, EnetField::bandwidth_outgoing);
  }
  if (command.has(EnetField::connect_throttle_interval) || command.has(EnetField::throttle_interval)) {
    rate_limits.has_throttle = true;
    rate_limits.throttle_interval = either(EnetField::connect_throttle_interval, EnetField::throttle_interval);
    rate_limits.throttle_acceleration =
        either(EnetField::connect_throttle_acceleration, EnetField::throttle_acceleration);
    rate_limits.throttle_deceleration =
        either(EnetField::connect_throttle_deceleration, EnetField::throttle_deceleration);
  }
}

template <typename Changes, typename Value>
void add_if_changed(Changes &changes, PacketPosition position, Value value) {
  if (changes.empty() || changes.back().value != value) changes.push_back({position, value});
}

}  // namespace

EnetSession::EnetSession(std::pmr::memory_resource *memory)
    : memory_(budget_, memory),
      host_pairs_(&memory_),
      connections_(&memory_),
      servers_(&memory_),
      connections_by_connect_id_(&memory_),
      round_trips_(&memory_),
      frame_intervals_(&memory_),
      ack_tracker_(&memory_),
      reassembler_(&memory_),
      gaps_(&memory_),
      stalls_(&memory_),
      frame_interval_records_(&memory_),
      duplicate_window_(&memory_),
      duplicates_(&memory_) {}

EnetHostPair &EnetSession::add_host_pair() {
  return host_pairs_.emplace_back(static_cast<std::uint32_t>(host_pairs_.size()), &memory_);
}

EnetExpectedFormat EnetSession::expected_format(const EnetHostPair &hosts, unsigned sender, PacketPosition position,
                                                const EnetExpectedFormat &preferences) {
  EnetExpectedFormat expected = preferences;
  const auto *checksum = find_last_before(hosts.checksum_changes_, position);
  const auto *compression = find_last_before(hosts.compression_changes_[sender], position);
  if (!preferences.is_checksum_configured && checksum != nullptr) expected.has_checksum = checksum->value;
  if (!preferences.is_compression_configured && compression != nullptr) expected.compression = compression->value;
  return expected;
}

void EnetSession::update(EnetHostPair &hosts, const EnetDatagramContext &arrival, Bytes whole,
                         const EnetDatagram &datagram) noexcept {
  if (datagram.header.outcome != Outcome::ok) return;
  const bool is_others = is_foreign(hosts, arrival.sender, whole, datagram);
  const std::size_t wire_size = arrival.wire_size > 0 ? arrival.wire_size : whole.reported;
  const MemoryBudget::ChargeScope charge(budget_, hosts.budget_share_, arrival.position, wire_size);
  if (!budget_.has_capacity()) return;
  if (!datagram.commands.empty() && !is_others) {
    const std::uint64_t sender = std::uint64_t{hosts.pair_number_} << 1 | arrival.sender;
    const PacketPosition first = duplicate_window_.add(sender, whole, arrival.position, arrival.time);
    if (first.packet != 0) {
      duplicates_.add({EnetCommandPosition::of(arrival.position), first});
      return;
    }
  }
  record_encoding(hosts, arrival, datagram);
  EnetConnection &connection = find_or_begin_connection(hosts, arrival, datagram);
  if (is_others || datagram.commands.empty() || is_dropped_by_receiver(datagram.commands.front())) {
    ack_tracker_.on_unreadable(connection.stream, arrival.sender);  // needed, because a datagram with a damaged header
                                                                    // looks like another protocol
    record_undecoded_datagram(connection, arrival, whole, datagram);
    return;
  }
  if (!has_only_disconnect(datagram)) ack_tracker_.on_datagram(connection.stream, arrival.sender, arrival.time);
  record_datagram(connection, arrival, whole.reported);
  connection.facts.last_datagram = arrival.position;
  for (std::size_t i = 0; i < datagram.commands.size() && !is_dropped_by_receiver(datagram.commands[i]); ++i) {
    if (!budget_.has_capacity()) return;
    record_command(connection, arrival, datagram, i);
  }
  // Commands may be missing, because a receiver ignores all bytes after an unreadable command.
  if (datagram.outcome != Outcome::ok) ack_tracker_.on_unreadable(connection.stream, arrival.sender);
}

void EnetHostPair::PeerSlots::add(std::uint32_t number) {
  std::uint16_t *const end = numbers + count;
  if (number >= enet_no_peer || count == max_count || std::find(numbers, end, number) != end) return;
  numbers[count++] = static_cast<std::uint16_t>(number);
}

bool EnetHostPair::PeerSlots::may_receive(Bytes datagram) const {
  // If no slot is known, or if there may be more slots than max_count, the datagram may be for an unknown slot. If only
  // one byte was captured, only the upper half of the slot's number is compared.
  if (count == 0 || count == max_count || datagram.captured == 0) return true;
  const std::uint16_t slot = read_enet_header(datagram).peer_id;
  if (slot == enet_no_peer) return true;
  const auto is_it = [&](std::uint16_t number) {
    constexpr unsigned byte_size = 8;
    return datagram.captured == 1 ? number >> byte_size == (datagram.data[0] & enet_no_peer >> byte_size)
                                  : number == slot;
  };
  return std::any_of(numbers, numbers + count, is_it);
}

bool EnetSession::is_foreign(const EnetHostPair &hosts, unsigned sender, Bytes whole, const EnetDatagram &datagram) {
  const bool is_cut = datagram.outcome == Outcome::truncated || datagram.header.outcome == Outcome::truncated;
  return !is_cut && !datagram.is_plausible() && !hosts.peer_slots_[sender].may_receive(whole);
}

void EnetSession::record_encoding(EnetHostPair &hosts, const EnetDatagramContext &arrival,
                                  const EnetDatagram &datagram) {
  if (!datagram.is_plausible()) return;
  hosts.peer_slots_[arrival.sender].add(datagram.header.peer_id);
  for (const EnetCommand &command : datagram.commands) {
    const bool has_slot = command.has(EnetField::connect_outgoing_peer_id);
    if (has_slot) hosts.peer_slots_[1 - arrival.sender].add(command.value(EnetField::connect_outgoing_peer_id));
  }
  add_if_changed(hosts.checksum_changes_, arrival.position, datagram.header.has_checksum);
  if (datagram.header.is_compressed) {
    add_if_changed(hosts.compression_changes_[arrival.sender], arrival.position, datagram.compression);
  }
}

EnetConnection &EnetSession::begin_connection(EnetHostPair &hosts, const EnetDatagramContext &arrival,
                                              const EnetDatagram &datagram, const EnetCommand *connect) {
  if (!hosts.connections_.empty()) {
    EnetConnectionEnd &end = hosts.connections_.back()->facts.end;
    if (end.kind == EnetConnectionEndKind::open) {
      end = {EnetConnectionEndKind::replaced, static_cast<std::uint8_t>(arrival.sender), 0, arrival.position,
             arrival.time};
    }
  }
  EnetConnection &connection = connections_.emplace_back();
  if (!hosts.connections_.empty()) connection.replaced_connection = hosts.connections_.back();
  hosts.connections_.push_back(&connection);
  connection.stream = ack_tracker_.begin_connection(connect != nullptr);
  connection.first_datagram = arrival.position;
  connection.server_port = arrival.server_port;
  if (connect == nullptr) {
    record_answer_from_elsewhere(connection, arrival, datagram);
    return connection;
  }
  connection.has_connect = true;
  connection.server_port = arrival.destination_port;
  connection.client_direction = arrival.sender;
  connection.connect_data = connect->value(EnetField::connect_data);
  connection.channel_count = connect->value(EnetField::connect_channel_count);
  connection.server = &servers_[arrival.destination];
  connections_by_connect_id_.insert_or_assign(connect->value(EnetField::connect_id), &connection);
  return connection;
}

// Returns the connection of a datagram. A connect with another connect ID begins a new connection.
EnetConnection &EnetSession::find_or_begin_connection(EnetHostPair &hosts, const EnetDatagramContext &arrival,
                                                      const EnetDatagram &datagram) {
  EnetConnection *newest = hosts.connections_.empty() ? nullptr : hosts.connections_.back();
  const EnetCommand *connect = datagram.find(EnetCommandType::connect);
  if (connect == nullptr) return newest != nullptr ? *newest : begin_connection(hosts, arrival, datagram, nullptr);
  // Connect IDs are random but may repeat: hosts have been observed to use an ID twice. So a disconnect is checked,
  // too.
  const bool is_same = newest != nullptr && newest->connect_id_since.packet != 0 &&
                       newest->connect_id == connect->value(EnetField::connect_id) &&
                       newest->facts.end.kind != EnetConnectionEndKind::disconnected;
  return is_same ? *newest : begin_connection(hosts, arrival, datagram, connect);
}

void EnetSession::record_datagram(EnetConnection &connection, const EnetDatagramContext &arrival, std::size_t size) {
  EnetSideFacts &side = connection.facts.sides[arrival.sender];
  if (side.datagrams == 0) {
    side.first_heard = arrival.time;
  } else {
    const std::int64_t silence = elapsed(side.last_heard, arrival.time);
    if (silence > side.longest_silence) {
      side.longest_silence = silence;
      side.silent_until = arrival.time;
    }
  }
  side.last_heard = arrival.time;
  record_frame_interval(side, arrival);
  EnetSideFacts &other = connection.facts.sides[1 - arrival.sender];
  other.unanswered_count = 0;
  other.icmp_error = {};
  if (connection.server != nullptr && arrival.sender != connection.client_direction) {
    connection.server->last_sent = arrival.position;
    connection.server->last_sent_time = arrival.time;
  }
  side.bytes += size;
  ++side.datagrams;
}

void EnetSession::record_command(EnetConnection &connection, const EnetDatagramContext &arrival,
                                 const EnetDatagram &datagram, std::size_t index) {
  const EnetCommand &command = datagram.commands[index];
  const EnetCommandPosition position = EnetCommandPosition::of(arrival.position, index);
  record_connection_state(connection, arrival, command);
  record_rate_limits(connection.facts.sides[arrival.sender].rate_limits, command);
  ++connection.facts.sides[arrival.sender].commands;
  if (command.has(EnetField::data_length) && connection.facts.first_message.packet == 0) {
    connection.facts.first_message = arrival.position;
  }
  EnetSideFacts &side = connection.facts.sides[arrival.sender];
  const Transmission *before = nullptr;
  if (command.wants_acknowledgement()) {
    const Transmission &sent =
        ack_tracker_.on_reliable({connection.stream, arrival.sender, command.channel, command.reliable_seq,
                                  datagram.header.sent_time, position, arrival.time, fragment_role_of(command)});
    before = sent.previous;
    if (command.channel != enet_control_channel) side.last_message = &sent;
  }
  const bool is_repeated = before != nullptr;
  if (command.wants_acknowledgement() && fills_datagram(fragment_role_of(command)))
    ++(is_repeated ? side.full_fragments_retransmitted : side.fragments);
  if (is_repeated) {
    record_retransmission(side, *before, arrival.time);
    record_unanswered(side, arrival.position);
  } else {
    if (command.wants_acknowledgement())
      side.max_unacknowledged = std::max(side.max_unacknowledged, ++side.unacked_commands);
    record_acknowledgement(connection, arrival, command, position);
  }
  record_connect_progress(connection, arrival, datagram, command, is_repeated);
  record_gap(connection, arrival.sender, command, position);
  const bool is_whole = command.outcome == Outcome::ok && find_enet_fragment_error(command).empty();
  if (!command.is_fragment() || !is_whole || is_repeated) return;
  reassembler_.add({connection.stream, arrival.sender, datagram.header.session, position, arrival.time}, command,
                   {datagram.commands_bytes.data + command.data.offset, command.data.length});
}

void EnetSession::record_icmp_error(EnetHostPair &hosts, unsigned sender, PacketPosition position,
                                    EnetIcmpErrorReason icmp_error_reason) {
  if (hosts.connections_.empty()) return;
  EnetConnection &connection = *hosts.connections_.back();
  EnetSideFacts &side = connection.facts.sides[sender];
  if (side.icmp_error.packet != 0) return;
  side.icmp_error = position;
  side.icmp_error_reason = icmp_error_reason;
}

void EnetSession::record_acknowledgement(EnetConnection &connection, const EnetDatagramContext &arrival,
                                         const EnetCommand &command, EnetCommandPosition position) {
  AckMatch match;
  if (command.is(EnetCommandType::acknowledge)) {
    EnetSideFacts &side = connection.facts.sides[arrival.sender];
    side.last_acknowledgement_ms = milliseconds_since_first_heard(side, arrival.time);
    side.last_acknowledgement_packet = arrival.position.packet;
    match = ack_tracker_.on_acknowledge({connection.stream, arrival.sender, command.channel,
                                         u16_value(command, EnetField::ack_seq),
                                         u16_value(command, EnetField::ack_sent_time), position, arrival.time});
  } else if (command.is(EnetCommandType::verify_connect)) {
    match = ack_tracker_.on_verify_connect(connection.stream, arrival.sender, position, arrival.time);
  }
  if (match.transmission != nullptr && match.is_first) {
    EnetSideFacts &asking = connection.facts.sides[match.transmission->sender];
    --asking.unacked_commands;
    if (fills_datagram(match.transmission->role)) ++asking.full_fragments_acked;
  }
  if (match.shows_spurious) ++connection.facts.sides[match.transmission->sender].spurious_retransmissions;
  const bool is_measured = match.transmission != nullptr && match.transmission->acked_in == position.packet &&
                           match.is_sent_time_known && match.round_trip_time >= 0;
  if (!is_measured) return;
  record_stall(connection, arrival, match, position);
  RoundTripStatistics *&round_trips = connection.facts.sides[match.transmission->sender].round_trips;
  if (round_trips == nullptr) round_trips = &round_trips_.emplace_back();
  round_trips->add(match.round_trip_time);
}

void EnetSession::record_frame_interval(EnetSideFacts &side, const EnetDatagramContext &arrival) {
  // Most connections of a port scan have fewer datagrams. So no memory is allocated for them.
  constexpr std::uint32_t few_datagrams = 8;
  if (side.datagrams < few_datagrams) return;
  if (side.frame_interval == nullptr) side.frame_interval = &frame_intervals_.emplace_back();
  const std::optional<std::int64_t> time = side.frame_interval->on_datagram(arrival.position, arrival.time);
  if (time) frame_interval_records_.add({EnetCommandPosition::of(arrival.position), *time});
}

// Detects a stall from the acknowledgement of a command's first transmission. Ignores retransmitted commands, because
// their acknowledgements are late due to the loss.
void EnetSession::record_stall(EnetConnection &connection, const EnetDatagramContext &arrival, const AckMatch &match,
                               EnetCommandPosition position) {
  FrameIntervalDetector *frame_interval = connection.facts.sides[arrival.sender].frame_interval;
  const RoundTripStatistics *round_trips = connection.facts.sides[match.transmission->sender].round_trips;
  if (frame_interval == nullptr || round_trips == nullptr) return;
  constexpr unsigned half = 50;
  const std::optional<EnetStall> stall =
      frame_interval->on_acknowledgement(position, arrival.time, match.round_trip_time, round_trips->percentile(half));
  if (stall) stalls_.add(*stall);
}

EnetUnreliableCounts EnetSession::unreliable_counts(const EnetConnection &connection, unsigned sender) const {
  const EnetFragmentCounts counts = this->fragment_counts(connection, sender);
  const std::uint64_t skipped = ack_tracker_.sequenced_counts(connection.stream, sender).missing +
                                ack_tracker_.missing_unsequenced(connection.stream, sender);
  const std::uint64_t incomplete = counts.begun_count - counts.whole_count;
  return {skipped + incomplete, skipped + counts.begun_count + connection.facts.sides[sender].unreliable_count,
          skipped};
}

void EnetSession::record_gap(EnetConnection &connection, unsigned sender, const EnetCommand &command,
                             EnetCommandPosition position) {
  std::uint32_t missing = 0;
  const bool is_unreliable =
      command.is(EnetCommandType::send_unreliable) || command.is(EnetCommandType::send_unsequenced);
  if (is_unreliable) ++connection.facts.sides[sender].unreliable_count;
  if (command.is(EnetCommandType::send_unsequenced)) {
    missing = ack_tracker_.on_unsequenced(connection.stream, sender, u16_value(command, EnetField::unsequenced_group));
  } else if (command.is(EnetCommandType::send_unreliable)) {
    missing = ack_tracker_.on_unreliable(connection.stream, sender, command.channel, command.reliable_seq,
                                         u16_value(command, EnetField::unreliable_seq));
  } else if (command.is(EnetCommandType::send_unreliable_fragment)) {
    missing = ack_tracker_.on_unreliable(connection.stream, sender, command.channel, command.reliable_seq,
                                         u16_value(command, EnetField::fragment_start_seq));
  }
  if (missing > 0) gaps_.add({position, missing, unreliable_counts(connection, sender).skipped});
}

// Records an answer from an address or port that the client does not know. Possible causes are a server host with
// several addresses, or a router that changes the port.
void EnetSession::record_answer_from_elsewhere(EnetConnection &connection, const EnetDatagramContext &arrival,
                                               const EnetDatagram &datagram) {
  const EnetCommand *answer = datagram.find(EnetCommandType::verify_connect);
  if (answer == nullptr) return;
  const auto asked = connections_by_connect_id_.find(answer->value(EnetField::connect_id));
  if (asked == connections_by_connect_id_.end()) return;
  EnetConnectionFacts &facts = asked->second->facts;
  if (facts.is_connect_answered || facts.answer_from_elsewhere.packet != 0) return;
  facts.answer_from_elsewhere = arrival.position;
  facts.answering_port = arrival.source_port;
  connection.facts.is_stray_answer = true;
}

const EnetConnection *EnetSession::find_connection_at(const EnetHostPair &hosts, PacketPosition position) {
  const auto after = std::ranges::upper_bound(
      hosts.connections_, position, {}, [](const EnetConnection *connection) { return connection->first_datagram; });
  if (after != hosts.connections_.begin()) return *std::prev(after);
  // If the capture begins during a connection, earlier positions also belong to this connection.
  const bool is_known = !hosts.connections_.empty() && !hosts.connections_.front()->has_connect;
  return is_known ? hosts.connections_.front() : nullptr;
}

EnetDatagramFindings EnetSession::find(const EnetHostPair &hosts, PacketPosition position) const {
  EnetDatagramFindings findings;
  findings.position = position;
  const Duplicate *duplicate = duplicates_.find(EnetCommandPosition::of(position));
  if (duplicate != nullptr) position = findings.duplicate_of = duplicate->of;
  findings.connection = find_connection_at(hosts, position);
  if (const EnetConnection *connection = findings.connection; connection != nullptr) {
    findings.connect_id = connection->connect_id;
    findings.is_connect_id_known = connection->connect_id_since.packet != 0 && connection->connect_id_since <= position;
  }
  const EnetFrameIntervalRecord *interval = frame_interval_records_.find(EnetCommandPosition::of(position));
  if (interval != nullptr) findings.frame_time = interval->time;
  return findings;
}

EnetCommandFindings EnetSession::find(const EnetDatagramFindings &datagram, std::size_t command) const {
  const bool is_duplicate = datagram.duplicate_of.packet != 0;
  const auto position = EnetCommandPosition::of(is_duplicate ? datagram.duplicate_of : datagram.position, command);
  EnetCommandFindings findings;
  findings.transmission = ack_tracker_.transmissions().find(position);
  findings.answer = ack_tracker_.matches().find(position);
  findings.gap = gaps_.find(position);
  findings.stall = stalls_.find(position);
  if (const EnetFragmentRecord *fragment = reassembler_.records().find(position); fragment != nullptr) {
    findings.message = &reassembler_.message(fragment->message);
    findings.is_last_fragment = findings.message->completed == fragment->position;
  }
  return findings;
}

}  // namespace godot_codec
