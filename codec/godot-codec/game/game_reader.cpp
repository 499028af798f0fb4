// SPDX-License-Identifier: MIT
#include "godot-codec/game/game_reader.h"

#include <algorithm>
#include <limits>

#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/enet/datagram_reader.h"
#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec {
namespace {

// Maximum number of messages read per datagram. ENet sends less than half as many.
constexpr std::size_t max_messages = 2 * enet_max_commands;

unsigned direction_of(const GameDatagram &datagram) { return datagram.from < datagram.to ? 0 : 1; }

// Returns a message's bytes. Empty before all fragments have arrived, and for retransmissions.
Bytes find_complete_message(const EnetDatagram &datagram, const EnetCommand &command,
                            const EnetCommandFindings &known) {
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  const bool has_data = command.has(EnetField::data_length) && command.outcome == Outcome::ok;
  if (is_repeated || !has_data) return {};
  if (!command.is_fragment()) return datagram.commands_bytes.slice(command.data);
  if (!known.is_last_fragment || known.message == nullptr || !known.message->is_whole()) return {};
  return {known.message->bytes.data(), known.message->bytes.size()};
}

}  // namespace

// ---- memory

std::size_t GameReader::state_size() const {
  return static_cast<std::size_t>(memory_budget_.used()) + undecided_connections_ * PendingPeerMessages::max_bytes;
}

void GameReader::restart() {
  state_.reset();
  state_ = std::make_unique<ReaderState>(&memory_);
  undecided_connections_ = 0;
  datagram_count_ = 0;
}

GameReader::GameReader() : GameReader(Options{}) {}

GameReader::GameReader(const Options &options)
    : options_(options), decoder_(std::make_unique<const EmbeddedDecoder>(EmbeddedOptions{.read = options.read})) {
  if (options_.read.decoder == nullptr) options_.read.decoder = decoder_.get();
  restart();
}

// ---- ENet

std::span<const GameMessage> GameReader::read(const GameDatagram &datagram) {
  messages_.clear();
  arena_.clear();
  enet_datagram_ = {};
  scratch_.release();
  const bool is_full =
      state_size() > options_.memory_limit || datagram_count_ == std::numeric_limits<std::uint32_t>::max() - 1;
  if (is_full) {
    restart();
    ++restart_count_;
  }
  const PacketPosition position{++datagram_count_, 0};
  HostPairState *hosts = read_enet(datagram, position);
  if (hosts == nullptr) return {};
  const EnetDatagramContext arrival{position, datagram.time, direction_of(datagram), datagram.to.port,
                                    std::min(datagram.from.port, datagram.to.port)};
  state_->enet.update(*hosts->enet, arrival, datagram.bytes, enet_datagram_);
  const EnetDatagramFindings findings = state_->enet.find(*hosts->enet, position);
  if (findings.connection == nullptr || findings.duplicate_of.packet != 0) return {};
  const std::size_t count = std::min(enet_datagram_.commands.size(), max_messages);
  for (std::size_t i = 0; i < count; ++i) {
    const EnetCommand &command = enet_datagram_.commands[i];
    const Bytes bytes = find_complete_message(enet_datagram_, command, state_->enet.find(findings, i));
    if (bytes.reported > 0) read_message(datagram, *hosts, *findings.connection, command.channel, bytes);
  }
  return messages_;
}

// @returns the state of the datagram's two endpoints; null if they are not known to use ENet
GameReader::HostPairState *GameReader::read_enet(const GameDatagram &datagram, PacketPosition position) {
  const std::pair ends = std::minmax(datagram.from, datagram.to);
  const auto known = state_->hosts.find(ends);
  const bool is_known = known != state_->hosts.end();
  const EnetExpectedFormat expected =
      is_known ? EnetSession::expected_format(*known->second.enet, direction_of(datagram), position, {})
               : EnetExpectedFormat{};
  enet_datagram_ = read_enet_datagram(datagram.bytes, expected, scratch_);
  is_enet_datagram_ = enet_datagram_.is_plausible();
  if (is_known) return &known->second;
  if (!is_enet_datagram_) return nullptr;
  return &state_->hosts.try_emplace(ends, &state_->enet.add_host_pair(), &memory_).first->second;
}

GameReader::ReaderConnection &GameReader::find_or_add_connection(HostPairState &hosts, const EnetConnection &connection,
                                                                 const GameDatagram &datagram) {
  const auto found = hosts.connections.find(connection.stream);
  if (found != hosts.connections.end()) return found->second;
  const unsigned direction = direction_of(datagram);
  const bool is_to_server =
      connection.has_connect ? direction == connection.client_direction : datagram.to.port == connection.server_port;
  const GameEndpoint &at = is_to_server ? datagram.to : datagram.from;
  KnownServer &server = state_->servers.try_emplace(at, KnownServer{state_->servers.size(), {}}).first->second;
  const auto client = static_cast<std::int32_t>(connection.connect_data);
  ReaderConnection link{{PeerDetection(is_godot_connect(connection), &server.facts),
                         &state_->games.add_connection(server.number, connection.has_connect),
                         is_to_server ? direction : 1 - direction}};
  link.detection.set_channel_count(connection.channel_count);
  if (connection.has_connect) link.mp_connection->record_client_id(client, packet_position_zero);
  ++undecided_connections_;
  return hosts.connections.try_emplace(connection.stream, std::move(link)).first->second;
}

// ---- messages

void GameReader::read_message(const GameDatagram &datagram, HostPairState &hosts, const EnetConnection &connection,
                              std::uint8_t channel, Bytes bytes) {
  ReaderConnection &link = find_or_add_connection(hosts, connection, datagram);
  Message incoming{bytes, {datagram_count_, static_cast<std::uint32_t>(messages_.size())}, datagram.time};
  incoming.sender_side = direction_of(datagram) == link.client_direction ? 1 : 0;
  incoming.sequence.channel = channel;
  MpPacketReader reader(incoming, options_.read, {.texts = true});
  const ProtocolDecision decision = detect_protocol(link, reader);

  GameMessage message;
  message.protocol = decision.protocol;
  message.from = datagram.from;
  message.to = datagram.to;
  message.channel = channel;
  message.bytes = bytes;
  TextBuffer text({static_cast<char *>(scratch_.allocate(max_text_size, 1)), max_text_size});
  if (decision.protocol == PeerProtocol::multiplayer) read_multiplayer(message, link, reader, decision, text);
  if (decision.protocol == PeerProtocol::variant) read_variant(message, link, incoming, text);
  if (message.protocol == PeerProtocol::unclaimed) {
    text.append("Raw bytes(");
    text.append_unsigned(bytes.reported);
    text.append(")");
  }
  message.text = text.view();
  messages_.push_back(message);
}

ProtocolDecision GameReader::detect_protocol(ReaderConnection &link, MpPacketReader &reader) {
  PeerDetectionOptions options;
  options.read = options_.read;
  const ProtocolDecision decision = link.read_next(reader, options, game_context());
  if (decision.protocol != PeerProtocol::unclaimed && !link.is_decided) {
    link.is_decided = true;
    --undecided_connections_;
  }
  return decision;
}

void GameReader::read_multiplayer(GameMessage &out, const ReaderConnection &link, MpPacketReader &reader,
                                  const ProtocolDecision &decision, TextBuffer &text) {
  const MpPacket &packet = link.complete_packet(reader, game_context());
  const MpParsedPacket &reading = reader.read(decision.framing);
  const auto take = [&](const MpMessage &message, const MpRoute &route) {
    const MpResolvedMessage resolved(packet, message, route);
    out.outcome = append_mp_summary(resolved, text);
    out.message = message;
    out.sender = link.mp_connection->peers().id_of(route.sender, packet_position_last).value_or(0);
    out.receiver = link.mp_connection->peers().id_of(route.receiver, packet_position_last).value_or(0);
    out.path = message.fields.has(MpField::path) ? escape_for_display(resolved.path()) : resolved.path();
    out.method = message.fields.has(MpField::method) ? escape_for_display(resolved.method_name().text)
                                                     : resolved.method_name().text;
  };
  for_each_command(packet, reading, take);
  // A datagram without a command may consist of a prefix that replaces the command.
  if (reading.commands.size() == 0) take(reading.prefix, direct_route(packet));
  const MpMessage &message = out.message;
  read_values(out, message.variants.range, message.variants.count, mp_encoding(message.generation));
}

void GameReader::read_variant(GameMessage &out, ReaderConnection &link, const Message &incoming, TextBuffer &text) {
  const DialectDetection detection = detect_dialect(incoming.bytes, options_.read);
  if (detection.fit != DialectFit::exact && append_raw_decoded(text, incoming.bytes, options_.read.decoder)) return;
  if (detection.fit == DialectFit::none && !has_variant_header(incoming.bytes)) {
    out.protocol = PeerProtocol::unclaimed;
    return;
  }
  const DialectSet evidence[] = {link.dialects.before(incoming.position)};
  const Encoding encoding{.dialect = choose_dialect(detection, evidence).dialect};
  link.dialects.add(incoming.position, detection);
  out.outcome = append_brief(text, incoming.bytes, 0, encoding, options_.read, TextStyle::summary).outcome;
  read_values(out, {0, incoming.bytes.reported}, 1, encoding);
}

void GameReader::read_values(GameMessage &out, Range range, std::uint32_t count, const Encoding &encoding) {
  const Bytes bytes = mp_bytes_before(out.bytes, range.end());
  found_values_.clear();
  for (std::size_t offset = range.offset; found_values_.size() < count && offset < range.end();) {
    const ValueTree read = read_value(bytes, offset, encoding, options_.read, arena_);
    if (read.root == nullptr) break;
    found_values_.push_back(*read.root);
    offset = read.result.offset;
  }
  if (found_values_.empty()) return;
  auto *values = static_cast<VariantValue *>(
      scratch_.allocate(found_values_.size() * sizeof(VariantValue), alignof(VariantValue)));
  std::copy(found_values_.begin(), found_values_.end(), values);
  out.values = {values, found_values_.size()};
}

// Returns a text in which special characters are escaped, so that it can be displayed safely.
std::string_view GameReader::escape_for_display(std::string_view text) {
  constexpr std::size_t longest_escape = 6;
  const std::size_t size = longest_escape * text.size() + 4;
  TextBuffer buffer({static_cast<char *>(scratch_.allocate(size, 1)), size});
  buffer.append_escaped(text, false);
  return buffer.view();
}

}  // namespace godot_codec
