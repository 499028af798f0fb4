// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/session.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/sentence.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {
namespace {

// The listener that something is kept for: several receivers are counted as everyone.
std::int32_t listener_of(std::int32_t receiver) {
  return receiver == mp_client || receiver > 0 ? receiver : mp_everyone;
}

bool is_somebody(std::int32_t receiver) { return listener_of(receiver) != mp_everyone; }

// From one time of a capture to another, and no further than 62 bits tell; files may say what they like.
std::int64_t time_between(std::int64_t from, std::int64_t to) {
  constexpr std::int64_t longest = (std::int64_t{1} << 61) - 1;
  const bool is_forward = to >= from;
  const auto difference =
      static_cast<std::uint64_t>(is_forward ? to : from) - static_cast<std::uint64_t>(is_forward ? from : to);
  const auto length = static_cast<std::int64_t>(std::min<std::uint64_t>(difference, longest));
  return is_forward ? length : -length;
}

// One peer, if it is one that is meant.
std::optional<std::int32_t> one_of(std::int32_t receiver) {
  return is_somebody(receiver) ? std::optional(receiver) : std::nullopt;
}

// The newest value that the listener was told by a moment; if he is not one peer, that anybody was told; null if none.
template <typename What, typename Value>
Value *newest_for(const MpTold<What, Value *> &told, const MpNumbering &numbering, What what, Moment moment) {
  const auto telling = is_somebody(numbering.listener) ? told.newest(numbering.owner, numbering.listener, what, moment)
                                                       : told.newest(numbering.owner, what, moment);
  return telling ? telling->value : nullptr;
}

// Like newest_for(), but if the listener is not known to have been told, the newest that anybody was told.
template <typename What, typename Value>
Value *newest_for_or_any(const MpTold<What, Value *> &told, const MpNumbering &numbering, What what, Moment moment) {
  Value *value = newest_for(told, numbering, what, moment);
  return value != nullptr ? value : newest_for(told, {numbering.owner, mp_everyone}, what, moment);
}

template <typename T>
T *create(std::pmr::memory_resource *memory, const T &value) {
  return new (memory->allocate(sizeof(T), alignof(T))) T(value);
}

std::size_t wire_size_of(const MpPacket &packet) {
  return packet.wire_size > 0 ? packet.wire_size : packet.bytes.reported;
}

constexpr std::size_t sync_id_size = sizeof(std::uint32_t);

// MultiplayerSynchronizer::update_inbound_sync_time(): a time is late if it is the last one's or less by no more than
// this; a higher one never is, whatever the wrap.
constexpr int max_lateness = 32766;

bool is_late(std::uint16_t last, std::uint16_t next) { return next <= last && last - next <= max_lateness; }

// Where a way leads to from a node.
std::string path_along(std::string_view path, const MpWay &way) {
  for (std::uint32_t i = 0; i < way.levels; ++i) path = path.substr(0, std::min(path.rfind('/'), path.size()));
  std::string end(path);
  if (!way.below.empty()) end.append("/").append(way.below);
  return end;
}

// How long a path's receiver may take to confirm it. What is relayed goes more than one connection's way.
std::int64_t patience_for(const MpPacket &packet, const MpNumbering &numbering) {
  const bool is_measured = packet.round_trip_time > 0 && numbering.listener == direct_route(packet).receiver;
  if (!is_measured) return mp_confirmation_wait;
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  return std::max(2 * std::min(packet.round_trip_time, longest), mp_least_confirmation_wait);
}

// A peer as routes have it.
std::int32_t peer_of(const MpPacket &packet, std::int32_t id) {
  return packet.connection == nullptr ? id : packet.connection->peer_of(id, packet.moment);
}

}  // namespace

// ---- who speaks to whom

MpRoute direct_route(const MpPacket &packet) {
  return packet.is_from_client ? MpRoute{mp_client, mp_server} : MpRoute{mp_server, mp_client};
}

MpRoute prefixed_route(const MpPacket &packet, const MpPrefix &prefix) {
  return {peer_of(packet, prefix.fields.peer(MpField::source)), peer_of(packet, prefix.fields.peer(MpField::target))};
}

MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer) {
  peer = peer_of(packet, peer);
  if (!packet.has_roles) return {peer, peer};
  return packet.is_from_client ? MpRoute{route.sender, peer} : MpRoute{peer, route.receiver};
}

MpNumbering numbering_of(const MpPacket &packet, const MpRoute &route, MpCommand command) {
  const bool is_to_receiver = packet.is_from_client || !packet.has_roles;
  const std::int32_t listener = is_to_receiver ? route.receiver : mp_client;
  return command == MpCommand::confirm_path ? MpNumbering{listener, route.sender} : MpNumbering{route.sender, listener};
}

MpRole role_of_sender(Bytes packet) {
  const MpMessage message = read_mp_message(packet, 0, Generation::godot4);
  if (message.outcome != Outcome::ok) return MpRole::unknown;
  if (message.command == MpCommand::add_peer || message.command == MpCommand::remove_peer) return MpRole::server;
  const bool is_to_many = message.command == MpCommand::relay && message.fields.peer(MpField::peer) <= mp_everyone;
  return is_to_many ? MpRole::client : MpRole::unknown;
}

// ---- what fields mean

const MpName *find_mp_name(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering) {
  const MpField number = fields.has(MpField::spawner) ? MpField::spawner : MpField::path_id;
  if (!fields.has(number) || packet.connection == nullptr) return nullptr;
  const MpName *name = packet.connection->find_path(numbering, fields.number(number), packet.moment);
  if (name != nullptr) return name;
  return packet.connection->told_to_others(numbering, fields.number(number), packet.moment).name;
}

const MpNode *find_mp_node(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering) {
  if (!fields.has(MpField::net_id) || packet.connection == nullptr) return nullptr;
  return packet.connection->find_node(numbering, fields.number(MpField::net_id), packet.moment);
}

MpValueTypes read_mp_types(const MpPacket &packet, const MpMessage &message, const MpVariants &variants,
                           std::uint64_t mask) {
  std::array<Type, MpTypes::max_count> types{};
  MpValueTypes values;
  values.count = count_mp_variants(packet.bytes, variants, message.generation, packet.options, types);
  const std::size_t count = std::min<std::size_t>(values.count, types.size());
  for (std::size_t i = 0; i < count && mask != 0; ++i) {
    values.types.set(static_cast<std::size_t>(std::countr_zero(mask)), types[i]);
    mask &= mask - 1;
  }
  return values;
}

// ---- texts

std::string_view MpTexts::keep(std::string_view text) {
  auto *kept = static_cast<char *>(memory_->allocate(text.size() + 1, alignof(char)));
  *std::copy(text.begin(), text.end(), kept) = '\0';
  return {kept, text.size()};
}

const MpTexts::Text *MpTexts::find(std::string_view bytes) const {
  const Text wanted{bytes, {}};
  const auto *found = texts_.find({&wanted});
  return found == nullptr ? nullptr : found->key.text;
}

const MpTexts::Text *MpTexts::add(std::string_view bytes) {
  if (const Text *known = find(bytes); known != nullptr) return known;
  constexpr std::size_t longest_escape = 6;  // \uNNNN
  std::vector<char> escaped(bytes.size() * longest_escape + 4);
  TextBuffer buffer(escaped);
  buffer.append_escaped(bytes, false);
  Text text;
  text.bytes = keep(bytes);
  text.printable = buffer.view() == bytes ? text.bytes : keep(buffer.view());
  const Text *kept = create(memory_, text);
  texts_[{kept}];
  return kept;
}

// ---- relays

void MpRelays::add(std::string_view command, MpConnection *connection, std::int32_t target) {
  if (command.size() < min_length || command.size() > max_bytes) return;
  if (const auto found = by_command_.find(command); found != by_command_.end()) {
    Relay &known = *found->second;
    if (known.connection != connection) known.is_ambiguous = true;
    if (known.target != target) known.target = mp_everyone;
    return;
  }
  while (newest_.size() >= max_count || bytes_ + command.size() > max_bytes) {
    const Relay &oldest = newest_.back();
    by_command_.erase(oldest.command);
    bytes_ -= oldest.command.size();
    newest_.pop_back();
  }
  newest_.push_front({std::pmr::string(command, newest_.get_allocator()), connection, target, false});
  by_command_.emplace(newest_.front().command, &newest_.front());
  bytes_ += command.size();
}

const MpRelays::Relay *MpRelays::find(std::string_view command) const {
  const auto found = by_command_.find(command);
  return found == by_command_.end() ? nullptr : found->second;
}

void MpRelays::clear() {
  by_command_.clear();
  newest_.clear();
  bytes_ = 0;
}

// ---- connections

MpConnection::MpConnection(const Parts &parts)
    : budget_(parts.budget),
      memory_(parts.memory),
      texts_(parts.texts),
      all_(parts.all),
      server_(parts.server),
      index_(parts.index),
      is_from_start_(parts.is_from_start),
      peers_(parts.memory),
      paths_(parts.memory),
      paths_by_text_(parts.memory),
      nodes_(parts.memory),
      confirmations_(parts.memory),
      synchronizers_(parts.memory),
      spawns_by_name_(parts.memory),
      authorities_(parts.memory),
      last_syncs_(parts.memory),
      syncs_(parts.memory),
      unsynchronized_(parts.memory) {
  ++server_->strangers_;
}

// ---- which end is which

void MpConnection::turn() {
  const auto rename = [](std::int32_t peer) {
    if (peer == mp_client) return mp_server;
    return peer == mp_server ? mp_client : peer;
  };
  paths_.rename(rename);
  paths_by_text_.rename(rename);
  nodes_.rename(rename);
  confirmations_.rewrite([&](auto &entry) { entry.key.peer = rename(entry.key.peer); });
  synchronizers_.rewrite([&](auto &entry) { entry.key.owner = rename(entry.key.owner); });
  authorities_.rewrite([&](auto &entry) { entry.value.peer = rename(entry.value.peer); });
  last_syncs_.rewrite([&](auto &entry) {
    entry.key.owner = rename(entry.key.owner);
    entry.key.listener = rename(entry.key.listener);
  });
}

void MpConnection::move_to(MpServer &server) {
  if (client_id_ == 0) --server_->strangers_;
  server_ = &server;
  if (client_id_ == 0) ++server_->strangers_;
}

// ---- who the client is

bool MpConnection::is_client_known(Moment moment) const { return client_id_ != 0 && client_known_since_ <= moment; }

std::int32_t MpConnection::peer_of(std::int32_t id, Moment moment) const {
  // Everyone but a peer that cannot be: its number has no positive one.
  if (id == mp_client) return mp_everyone;
  return is_client_known(moment) && client_id_ == id ? mp_client : id;
}

// The id that a peer has for others.
std::optional<std::int32_t> MpConnection::id_of(std::int32_t peer, Moment moment) const {
  if (peer != mp_client) return peer;
  if (!is_client_known(moment)) return std::nullopt;
  return client_id_;
}

void MpConnection::learn_client(std::int32_t id, Moment moment) {
  if (client_id_ != 0 || id <= mp_server) return;
  client_id_ = id;
  client_known_since_ = moment;
  server_->clients_.insert_or_assign(id, this);
  for (const std::int32_t peer : peers_) {
    MpServer::Introduction &introduction = server_->introductions_[peer];
    --introduction.count;
    introduction.sum_of_indices -= index_;
  }
  if (--server_->strangers_ == 0) server_->relays_.clear();
}

bool MpConnection::has_fellow(std::int32_t id) const {
  const auto known = server_->clients_.find(id);
  return known != server_->clients_.end() && known->second != this;
}

void MpConnection::learn_prefix(const MpPacket &packet, const MpPrefix &prefix) {
  const Budget::Lesson lesson(*budget_, account_, packet.moment, wire_size_of(packet));
  if (!budget_->has_room()) return;
  if (prefix.outcome != Outcome::ok) return;
  if (prefix.has_message) {
    // Godot 3's server lets nobody send in another's name, and sends what is for one peer to that peer only.
    learn_client(prefix.fields.peer(packet.is_from_client ? MpField::source : MpField::target), packet.moment);
  } else if (!packet.is_from_client && prefix.is_known && prefix.command == MpCommand::peer_id) {
    if (!is_from_start_) from_start_since_ = packet.moment;
    is_from_start_ = true;
    learn_client(prefix.fields.peer(MpField::peer), packet.moment);
  } else if (!packet.is_from_client && prefix.is_known) {
    if (prefix.command == MpCommand::add_peer || prefix.command == MpCommand::remove_peer) {
      learn_coming(prefix.fields.peer(MpField::peer), prefix.command == MpCommand::add_peer, packet.moment);
    }
  }
}

// A packet's own command shows who there is.
void MpConnection::learn_direct(const MpPacket &packet, const MpMessage &message) {
  const std::int32_t peer = message.fields.peer(MpField::peer);
  const bool is_relay = message.command == MpCommand::relay;
  const Bytes inner = packet.bytes.slice(message.inner);
  const bool is_whole = is_relay && inner.captured == inner.reported;
  const std::string_view command =
      is_whole ? std::string_view(reinterpret_cast<const char *>(inner.data), inner.captured) : std::string_view{};
  if (packet.is_from_client) {
    if (is_whole) learn_relay_to_server(peer, command);
    return;
  }
  learn_unsynchronized(packet.moment);
  if (is_whole) learn_relay_from_server(peer, command, packet.moment);
  const bool is_removed = message.command == MpCommand::remove_peer;
  if (message.command == MpCommand::add_peer || is_removed) learn_coming(peer, !is_removed, packet.moment);
  if (message.command == MpCommand::add_peer) {
    learn_peer(peer);
  } else {
    // The server tells a client first of all who is there.
    learn_all_peers(packet.moment);
  }
}

void MpConnection::learn_relay_to_server(std::int32_t target, std::string_view command) {
  if (server_->strangers_ > 0) server_->relays_.add(command, this, target);
}

// It may show who sent the command to the server, and to whom.
void MpConnection::learn_relay_from_server(std::int32_t source, std::string_view command, Moment moment) {
  const MpRelays::Relay *relay = server_->relays_.find(command);
  if (relay == nullptr || relay->is_ambiguous || relay->connection == this) return;
  MpConnection *sender = relay->connection;
  const std::int32_t target = relay->target;
  // A client whose connection was not captured may have sent the same bytes.
  const auto known = server_->clients_.find(source);
  const bool is_another =
      (known != server_->clients_.end() && known->second != sender) || sender->peers_.contains(source);
  if (is_another || (sender->client_id_ != 0 && sender->client_id_ != source)) return;
  // The relay is gone once both are known.
  sender->learn_client(source, moment);
  learn_client(target, moment);
}

void MpConnection::learn_coming(std::int32_t id, bool is_here, Moment moment) {
  auto &comings = server_->comings_;
  const auto *last = comings.last_until({id, moment});
  const bool is_known = last != nullptr && last->key.peer == id && last->value == is_here;
  if (!is_known) comings[{id, moment}] = is_here;
}

MpWhereabouts MpConnection::whereabouts(std::int32_t peer, Moment moment) const {
  using State = MpWhereabouts::State;
  const auto *last = server_->comings_.last_until({peer, moment});
  if (last != nullptr && last->key.peer == peer) {
    return last->value ? MpWhereabouts{} : MpWhereabouts{State::gone, last->key.moment};
  }
  return {};
}

void MpConnection::learn_peer(std::int32_t id) {
  // Peers that a known client is told of after its first list show nothing about who it is.
  const bool is_settled = client_id_ != 0 && (has_all_peers_ || !is_from_start_);
  if (id <= mp_server || is_settled) return;
  const bool is_new = peers_.insert(id).second;
  if (!is_new || client_id_ != 0) return;
  MpServer::Introduction &introduction = server_->introductions_[id];
  ++introduction.count;
  introduction.sum_of_indices += index_;
}

// A server has told a client of all that were there before it: who among them has no name yet may be the one that no
// other is. It tells those of the newcomer of whom it tells the newcomer.
void MpConnection::learn_all_peers(Moment moment) {
  // A list whose beginning may be missing says nothing about who is not in it.
  if (has_all_peers_ || !is_from_start_ || client_id_ == 0) return;
  has_all_peers_ = true;
  const auto introduction = server_->introductions_.find(client_id_);
  if (introduction == server_->introductions_.end() || introduction->second.count != 1) return;
  (*all_)[introduction->second.sum_of_indices].learn_client(only_stranger(), moment);
}

// The only peer of a client's list that is no known client; 0 if there are several, or none.
std::int32_t MpConnection::only_stranger() const {
  std::int32_t stranger = 0;
  for (const std::int32_t id : peers_) {
    if (server_->clients_.contains(id)) continue;
    if (stranger != 0) return 0;
    stranger = id;
  }
  return stranger;
}

// ---- what a command says

void MpConnection::learn_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route,
                                 bool is_relayed) {
  if (message.outcome != Outcome::ok) return;
  // Without roles nothing says whether a relay goes to the peer that it names, or comes from there.
  if (is_relayed && !packet.has_roles) return;
  const Budget::Lesson lesson(*budget_, account_, packet.moment, wire_size_of(packet));
  if (!budget_->has_room()) return;
  if (!is_relayed && packet.has_roles) {
    learn_direct(packet, message);
    learn_authentication(packet, message);
  }
  learn_overdue(packet);
  const MpNumbering numbering = numbering_of(packet, route, message.command);
  switch (message.command) {
    case MpCommand::rpc:
      learn_call(packet, message, numbering);
      break;
    case MpCommand::simplify_path:
      learn_path(packet, message, numbering);
      break;
    case MpCommand::confirm_path:
      learn_confirmation(packet, message, numbering);
      break;
    case MpCommand::spawn:
      learn_spawn(packet, message, numbering);
      break;
    case MpCommand::despawn:
      learn_despawn(packet, message, numbering);
      break;
    case MpCommand::sync:
      learn_sync(packet, message, numbering);
      break;
    case MpCommand::delta:
      learn_delta(packet, message, numbering);
      break;
    case MpCommand::rset:
    case MpCommand::raw:
    case MpCommand::auth:
    case MpCommand::add_peer:
    case MpCommand::remove_peer:
    case MpCommand::relay:
    case MpCommand::peer_id:
      break;
  }
}

void MpConnection::learn_authentication(const MpPacket &packet, const MpMessage &message) {
  MpAuthentication &side = authentications_[packet.is_from_client ? 1 : 0];
  const auto learn = [&](Moment &moment) {
    if (moment.packet == 0) moment = packet.moment;
  };
  if (message.command != MpCommand::auth) return learn(side.others);
  learn(side.asked);
  if (message.fields.text(MpField::data).empty()) learn(side.completed);
}

void MpConnection::learn_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const std::uint32_t number = message.fields.number(MpField::path_id);
  const MpTexts::Text *text = texts_->add(message.fields.text(MpField::path));
  const std::string_view md5 = message.fields.text(MpField::md5);
  // Said again, to another receiver perhaps: who knew it knows it still.
  const MpName *before = newest_for(paths_, {numbering.owner, mp_everyone}, number, packet.moment);
  const bool is_same = before != nullptr && before->text.data() == text->printable.data();

  MpName *name = create(memory_, MpName{});
  name->text = text->printable;
  if (!md5.empty()) name->md5 = texts_->add(md5)->printable;
  if (!named_since_ && packet.names != nullptr && packet.names->has_list(md5)) named_since_ = packet.moment;
  name->defined = packet.moment;
  name->time = packet.time;
  name->patience = patience_for(packet, numbering);
  name->first = is_same ? before->first : name;

  last_path_told_ = packet.moment;
  paths_.add(numbering.owner, one_of(numbering.listener), number, packet.moment, name);
  paths_by_text_.add(numbering.owner, one_of(numbering.listener), text, packet.moment, name);
  learn_telling(*name, numbering, number);
  if (packet.names != nullptr) learn_node(text, name->md5);
  const bool is_awaited = message.generation == Generation::godot4 && is_somebody(numbering.listener);
  if (!is_awaited) return;
  constexpr std::size_t most_awaited = 1024;
  if (awaited_.size() >= most_awaited) awaited_.pop_front();
  awaited_.push_back({name, numbering.listener, numbering.owner});
}

// Nobody calls again, perhaps: whoever lacks the node has lost the call that came with the path.
void MpConnection::learn_overdue(const MpPacket &packet) {
  constexpr std::size_t most_at_once = 4;
  for (std::size_t i = 0; i < most_at_once && !awaited_.empty(); ++i) {
    const Awaited awaited = awaited_.front();
    if (time_between(awaited.name->time, packet.time) <= awaited.name->patience) return;
    if (packet.delivery != nullptr && !packet.delivery->is_delivered(awaited.name->defined.packet)) {
      awaited_.splice(awaited_.end(), awaited_, awaited_.begin());
      continue;
    }
    awaited_.pop_front();
    // Who tells the same path himself has the node.
    const MpName *own = find_later_path({awaited.listener, awaited.owner}, awaited.name->text, moment_zero);
    const bool has_node = own != nullptr || is_ever_confirmed(*awaited.name, awaited.listener);
    if (!has_node) awaited.name->overdue = packet.moment;
  }
}

void MpConnection::learn_node(const MpTexts::Text *path, std::string_view md5) {
  const auto *known = server_->told_nodes_.find({path});
  if (known != nullptr && known->value == md5) return;
  server_->told_nodes_[{path}] = md5;
  ++server_->told_version_;
}

std::string_view MpServer::md5_of(std::string_view path) const {
  const MpTexts::Text wanted{path, {}};
  const auto *found = told_nodes_.find({&wanted});
  return found == nullptr ? std::string_view{} : found->value;
}

std::size_t MpServer::below(std::string_view path, std::span<MpToldNode> nodes) const {
  // Paths are sorted by bytes: the nodes below this one are those that begin with its path and a slash.
  constexpr std::size_t longest_path = 1024;
  std::array<char, longest_path + 1> memory;
  if (path.size() > longest_path) return 0;
  *std::copy(path.begin(), path.end(), memory.begin()) = '/';
  const std::string_view prefix(memory.data(), path.size() + 1);
  std::size_t count = 0;
  MpTexts::Text wanted{prefix, {}};
  while (count < nodes.size()) {
    const auto *next = told_nodes_.first_above({&wanted});
    if (next == nullptr || !next->key.text->bytes.starts_with(prefix)) break;
    wanted = *next->key.text;
    nodes[count++] = {wanted.printable, next->value};
  }
  return count;
}

// For those who are never told, on other connections: the first one to be told of a name is enough.
void MpConnection::learn_telling(const MpName &name, const MpNumbering &numbering, std::uint32_t number) {
  const std::optional<std::int32_t> sender = id_of(numbering.owner, name.defined);
  if (!sender || !is_somebody(numbering.listener)) return;
  auto &tellings = server_->tellings_;
  const MpServer::TellingKey key{*sender, number, name.defined};
  if (const auto *last = tellings.last_until(key); last != nullptr) {
    const bool is_same = last->key.sender == key.sender && last->key.number == number;
    if (is_same && last->value.name->text.data() == name.text.data()) return;
  }
  const std::int32_t receiver = id_of(numbering.listener, name.defined).value_or(mp_client);
  tellings[key] = {&name, receiver};
}

// Godot 4 confirms the number, Godot 3 (and Godot 4 before 4.3) the path.
void MpConnection::learn_confirmation(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpFields &fields = message.fields;
  const MpName *found = fields.has(MpField::path_id)
                            ? find_path(numbering, fields.number(MpField::path_id), packet.moment)
                            : find_path(numbering, fields.text(MpField::path), packet.moment);
  if (found == nullptr) return;
  MpName *name = found->first;
  const bool is_valid = !fields.has(MpField::valid) || fields.integer(MpField::valid) != 0;
  const ConfirmationKey key{name, numbering.listener, packet.moment};
  if (const auto *last = confirmations_.last_until(key); last != nullptr) {
    if (last->key.name == name && last->key.peer == key.peer && last->value == is_valid) return;
  }
  confirmations_[key] = is_valid;
  if (!name->confirmed) name->confirmed = packet.moment;
}

void MpConnection::learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  if (packet.names != nullptr) learn_caller(packet, message, numbering);
  MpName *name = find_awaited(packet, message, numbering);
  if (name == nullptr || name->late_call.packet != 0 || time_between(name->time, packet.time) <= name->patience) return;
  if (packet.delivery != nullptr && !packet.delivery->is_delivered(name->defined.packet)) return;
  name->late_call = packet.moment;
}

void MpConnection::learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  MpSpawn *spawn = create(memory_, MpSpawn{});
  const MpTexts::Text *name = texts_->add(message.fields.text(MpField::name));
  spawn->name = name->printable;
  spawns_by_name_[{name, numbering.owner, numbering.listener}] = spawn;
  spawn->spawner = message.fields.number(MpField::spawner);
  spawn->owner = numbering.owner;
  spawn->listener = numbering.listener;
  spawn->scene = static_cast<std::uint8_t>(message.fields.integer(MpField::scene));
  spawn->synchronizers = static_cast<std::uint32_t>(message.sync_ids.length / sync_id_size);
  if (packet.names != nullptr) {
    const MpValueTypes values = read_mp_types(packet, message, message.variants);
    spawn->values = values.count;
    spawn->types = texts_->add(values.types.text())->bytes;
  }
  spawn->spawned = packet.moment;
  if (packet.names != nullptr) learn_end(packet, spawner_of(*spawn));
  if (packet.names != nullptr && spawn->synchronizers > 0) learn_spawner(*packet.names, *spawn, numbering.owner);
  const auto define = [&](std::uint32_t id, std::uint32_t place) {
    const MpNode *node = create(memory_, MpNode{spawn, place});
    nodes_.add(numbering.owner, one_of(numbering.listener), id, packet.moment, node);
  };
  define(message.fields.number(MpField::net_id), MpNode::itself);
  for (std::uint32_t i = 0; i < message.sync_ids.length / sync_id_size && budget_->has_room(); ++i) {
    const auto id = static_cast<std::uint32_t>(read_mp_sync_id(packet.bytes, message, i).integer);
    define(id, i);
    // A synchronizer is a new one.
    auto *last = last_syncs_.find({numbering.owner, listener_of(numbering.listener), id});
    if (last != nullptr) last->value = {};
    constexpr std::size_t most_unsynchronized = 64;
    const bool is_servers = numbering.owner == mp_server && numbering.listener == mp_client;
    if (!is_servers || unsynchronized_.size() >= most_unsynchronized) continue;
    const auto *others = server_->synced_.find(id);
    unsynchronized_.push_back({id, i, others == nullptr ? 0 : others->value, spawn});
  }
}

// A client has a node, and other clients get what one of its synchronizers sends.
void MpConnection::learn_synchronized(std::uint32_t net_id, const MpNumbering &numbering) {
  if (numbering.owner != mp_server || numbering.listener != mp_client) return;
  ++server_->synced_[net_id];
  const auto found = std::ranges::find(unsynchronized_, net_id, &Unsynchronized::net_id);
  if (found == unsynchronized_.end()) return;
  found->spawn->unsynchronized = {};
  *found = unsynchronized_.back();
  unsynchronized_.pop_back();
}

// Judges those synchronizers from time to time, while the client hears of its server.
void MpConnection::learn_unsynchronized(Moment moment) {
  constexpr std::uint32_t how_often = 16;
  constexpr std::uint32_t telling_count = 10;
  if (++heard_of_server_ % how_often != 0) return;
  for (const Unsynchronized &each : unsynchronized_) {
    const auto *others = server_->synced_.find(each.net_id);
    const bool is_told = each.spawn->despawned || each.spawn->unsynchronized.packet != 0;
    if (is_told || others == nullptr || others->value - each.count_before < telling_count) continue;
    each.spawn->unsynchronized = moment;
    each.spawn->unsynchronized_place = each.place;
  }
}

const MpSpawn *MpConnection::find_spawned(const MpNumbering &numbering, std::string_view name, Moment moment) const {
  const MpTexts::Text *text = texts_->find(name);
  if (text == nullptr) return nullptr;
  const auto *found = spawns_by_name_.find({text, numbering.owner, numbering.listener});
  if (found == nullptr) return nullptr;
  const MpSpawn *spawn = found->value;
  const bool is_gone = spawn->despawned && *spawn->despawned <= moment;
  return spawn->spawned <= moment && !is_gone ? spawn : nullptr;
}

void MpConnection::learn_despawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpNode *node = newest_for(nodes_, numbering, message.fields.number(MpField::net_id), packet.moment);
  if (node == nullptr || node->place != MpNode::itself) return;
  MpSpawn *spawn = node->spawn;
  if (!spawn->despawned) spawn->despawned = packet.moment;
}

void MpConnection::learn_sync(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const auto number = static_cast<std::uint16_t>(message.fields.integer(MpField::time));
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end() && budget_->has_room()) {
    const MpObject object = read_mp_object(packet.bytes, offset, message.command);
    if (object.outcome != Outcome::ok) return;
    const std::uint32_t id = object.fields.has(MpField::path_id)
                                 ? object.fields.number(MpField::path_id) | mp_flag_other
                                 : object.fields.number(MpField::net_id);
    learn_synchronizer(packet, object.fields, numbering);
    if (object.fields.has(MpField::net_id)) learn_synchronized(id, numbering);
    LastSync &last = last_syncs_[{numbering.owner, listener_of(numbering.listener), id}];
    MpSyncRecord record{packet.moment, 0, last.has_time, !last.is_new && is_late(last.number, number)};
    if (last.has_time) record.interval = time_between(last.time, packet.time);
    syncs_.push_back(record);
    last.has_time = true;
    last.time = packet.time;
    if (!record.is_late) {
      last.is_new = false;
      last.number = number;
    }
    offset = object.offset;
  }
}

void MpConnection::learn_delta(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end() && budget_->has_room()) {
    const MpObject object = read_mp_object(packet.bytes, offset, message.command);
    if (object.outcome != Outcome::ok) return;
    learn_synchronizer(packet, object.fields, numbering);
    if (object.fields.has(MpField::net_id)) learn_synchronized(object.fields.number(MpField::net_id), numbering);
    offset = object.offset;
  }
}

// ---- who has authority

// Only a synchronizer's authority sends its values. Those of a spawned node are the spawner's.
void MpConnection::learn_synchronizer(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering) {
  if (packet.names == nullptr || !object.has(MpField::path_id)) return;
  const MpName *name = find_path(numbering, object.number(MpField::path_id), packet.moment);
  if (name == nullptr || synchronizers_.find({name, numbering.owner}) != nullptr) return;
  synchronizers_[{name, numbering.owner}];
  learn_end(packet, name->text);
  learn_authority(name->text, numbering.owner);
  const MpWay way = packet.names->way_to_root(name->text);
  if (way.is_known) learn_authority(path_along(name->text, way), numbering.owner);
}

// A spawn lists those synchronizers that the spawner has authority over.
void MpConnection::learn_spawner(const MpNames &names, const MpSpawn &spawn, std::int32_t peer) {
  // A spawner is told once, and its path is kept with each node.
  constexpr std::size_t longest_path = 512;
  const std::string_view spawner = spawner_of(spawn);
  if (spawner.empty() || spawner.size() > longest_path) return;
  const MpWay way = names.way_to_root(spawner);
  if (way.is_known) learn_authority(path_along(spawner, way).append("/").append(spawn.name), peer);
}

void MpConnection::learn_authority(std::string_view path, std::int32_t peer) {
  const MpTexts::Text *text = texts_->add(path);
  if (auto *known = authorities_.find(text); known == nullptr) {
    authorities_[text] = {peer, true};
  } else if (known->value.peer != peer) {
    known->value.is_only_one = false;
  }
}

void MpConnection::learn_end(const MpPacket &packet, std::string_view path) {
  std::int32_t &id = end_ids_[packet.is_from_client ? 1 : 0];
  const std::int32_t other = end_ids_[packet.is_from_client ? 0 : 1];
  if (packet.has_roles || id != 0) return;
  const std::int32_t authority = packet.names->authority_of(path);
  // Both ends cannot be the same peer: the folder is then none of this game.
  if (authority != other) id = authority;
}

// Clients whose ids are not known are told apart by their connections.
std::int64_t MpConnection::caller_of(std::int32_t peer, Moment moment) const {
  const std::optional<std::int32_t> id = id_of(peer, moment);
  return id ? std::int64_t{*id} : std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(index_);
}

void MpConnection::learn_caller(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpMethod method = mp_method_of(packet, message, numbering);
  if (method.path.empty() || !packet.names->is_for_authority(method)) return;
  const std::int64_t who = caller_of(numbering.owner, packet.moment);
  const MpTexts::Text *text = texts_->add(method.path);
  if (auto *known = server_->callers_.find({text}); known == nullptr) {
    server_->callers_[{text}] = {who, true};
  } else if (known->value.who != who) {
    known->value.is_only_one = false;
  }
}

bool MpConnection::is_only_caller(std::int32_t peer, std::string_view path, Moment moment) const {
  const MpTexts::Text *text = texts_->find(path);
  const auto *known = text == nullptr ? nullptr : server_->callers_.find({text});
  return known != nullptr && known->value.is_only_one && known->value.who == caller_of(peer, moment);
}

bool MpConnection::is_only_authority(std::int32_t peer, std::string_view path) const {
  const Authority *known = find_authority(path);
  return known != nullptr && known->is_only_one && known->peer == peer;
}

bool MpConnection::has_other_authority(std::int32_t peer, std::string_view path) const {
  const Authority *known = find_authority(path);
  return known != nullptr && (!known->is_only_one || known->peer != peer);
}

// The authority over a node, or over the nearest node above it for which one is known.
const MpConnection::Authority *MpConnection::find_authority(std::string_view path) const {
  constexpr std::size_t max_depth = 64;
  for (std::size_t depth = 0; depth < max_depth; ++depth) {
    const MpTexts::Text *text = texts_->find(path);
    const auto *known = text == nullptr ? nullptr : authorities_.find(text);
    if (known != nullptr) return &known->value;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    path = path.substr(0, slash);
  }
  return nullptr;
}

// ---- paths

const MpName *MpConnection::find_path(const MpNumbering &numbering, std::uint32_t number, Moment moment) const {
  if (const MpName *known = newest_for_or_any(paths_, numbering, number, moment)) return known;
  if (moment >= last_path_told_) return nullptr;
  // ENet hands a lost message on before what came after it, though it is captured later: a number has one meaning.
  const bool is_one = is_somebody(numbering.listener);
  const auto later = is_one ? paths_.next(numbering.owner, numbering.listener, number, moment)
                            : paths_.next(numbering.owner, number, moment);
  return later ? later->value : nullptr;
}

std::string_view MpConnection::spawner_of(const MpSpawn &spawn) const {
  const MpName *name = find_path({spawn.owner, spawn.listener}, spawn.spawner, spawn.spawned);
  return name == nullptr ? std::string_view{} : name->text;
}

const MpName *MpConnection::find_path(const MpNumbering &numbering, std::string_view path, Moment moment) const {
  const MpTexts::Text *text = texts_->find(path);
  return text == nullptr ? nullptr : newest_for_or_any(paths_by_text_, numbering, text, moment);
}

const MpName *MpConnection::find_later_path(const MpNumbering &numbering, std::string_view path, Moment moment) const {
  const MpTexts::Text *text = texts_->find(path);
  if (text == nullptr) return nullptr;
  const auto later = paths_by_text_.next(numbering.owner, text, moment);
  return later ? later->value : nullptr;
}

// Only what the listener was told.
MpName *MpConnection::find_told(const MpNumbering &numbering, std::string_view path, Moment moment) const {
  const MpTexts::Text *text = texts_->find(path);
  return text == nullptr ? nullptr : newest_for(paths_by_text_, numbering, text, moment);
}

bool MpConnection::was_told(const MpNumbering &numbering, std::uint32_t number, Moment moment) const {
  if (!is_somebody(numbering.listener)) return false;
  return paths_.newest(numbering.owner, numbering.listener, number, moment).has_value();
}

MpTelling MpConnection::told_to_others(const MpNumbering &numbering, std::uint32_t number, Moment moment) const {
  const bool is_question =
      is_from_start(moment) && is_somebody(numbering.listener) && !was_told(numbering, number, moment);
  const std::optional<std::int32_t> sender = id_of(numbering.owner, moment);
  if (!is_question || !sender) return {};
  const auto *last = server_->tellings_.last_until({*sender, number, moment});
  if (last == nullptr || last->key.sender != *sender || last->key.number != number) return {};
  const MpTelling &telling = last->value;
  // Sent to the listener, and lost on its way to him or to the capture.
  if (id_of(numbering.listener, moment) == telling.receiver) return {};
  return telling;
}

std::optional<Moment> MpConnection::confirmation(const MpName &name, std::int32_t peer, Moment moment) const {
  // No packet has the moment zero.
  const auto *earliest = confirmations_.first_above({name.first, peer, moment_zero});
  if (earliest == nullptr) return std::nullopt;
  const ConfirmationKey &key = earliest->key;
  if (key.name != name.first || key.peer != peer || key.moment > moment) return std::nullopt;
  return key.moment;
}

bool MpConnection::is_confirmed(const MpName &name, std::int32_t peer, Moment moment) const {
  if (is_somebody(peer)) return confirmation(name, peer, moment).has_value();
  return name.first->confirmed && *name.first->confirmed <= moment;
}

std::optional<Moment> MpConnection::checksum_failure(const MpName &name, std::int32_t peer, Moment moment) const {
  const auto *last = confirmations_.last_until({name.first, peer, moment});
  if (last == nullptr || last->key.name != name.first || last->key.peer != peer || last->value) return std::nullopt;
  return last->key.moment;
}

MpName *MpConnection::find_awaited(const MpPacket &packet, const MpMessage &message,
                                   const MpNumbering &numbering) const {
  // Godot 3 confirms what it has not.
  const bool is_by_path = message.command == MpCommand::rpc && message.fields.has(MpField::path);
  if (message.generation != Generation::godot4 || !is_by_path || !is_somebody(numbering.listener)) return nullptr;
  const std::string_view path = message.fields.text(MpField::path);
  MpName *name = find_told(numbering, path, packet.moment);
  if (name == nullptr || is_ever_confirmed(*name, numbering.listener)) return nullptr;
  // Who tells the same path himself has the node from then on.
  const MpName *own = find_later_path({numbering.listener, numbering.owner}, path, moment_zero);
  return own != nullptr && own->defined <= packet.moment ? nullptr : name;
}

const MpName *MpConnection::find_unconfirmed(const MpPacket &packet, const MpMessage &message,
                                             const MpNumbering &numbering) const {
  const MpName *name = find_awaited(packet, message, numbering);
  const bool is_late = name != nullptr && name->late_call.packet != 0 && name->late_call <= packet.moment;
  return is_late && !is_told_in_vain(*name, numbering.listener) ? name : nullptr;
}

bool MpConnection::is_ever_confirmed(const MpName &name, std::int32_t peer) const {
  constexpr Moment last{UINT32_MAX, UINT32_MAX};
  if (confirmation(name, peer, last)) return true;
  // A relayed confirmation may be lost between the server and who is to have it: who gave it has the node.
  const auto fellow = peer > mp_server ? server_->clients_.find(peer) : server_->clients_.end();
  if (client_id_ == 0 || fellow == server_->clients_.end() || fellow->second == this) return false;
  const MpName *there = fellow->second->find_path({client_id_, mp_client}, name.text, last);
  return there != nullptr && fellow->second->confirmation(*there, mp_client, last).has_value();
}

// True if a path was told to a peer that has gone by then: nothing tells that the peer lacks the node.
bool MpConnection::is_told_in_vain(const MpName &name, std::int32_t peer) const {
  const Moment evidence = name.late_call.packet != 0 ? name.late_call : name.overdue;
  return peer > mp_server && whereabouts(peer, evidence).state != MpWhereabouts::State::here;
}

bool MpConnection::is_never_confirmed(const MpPacket &packet, const MpName &name, const MpNumbering &numbering) const {
  if (is_ever_confirmed(name, numbering.listener)) return false;
  if (name.late_call.packet != 0 || name.overdue.packet != 0) return !is_told_in_vain(name, numbering.listener);
  // No message came later; the listener may have been heard all the same.
  const bool is_heard_directly = packet.delivery != nullptr && numbering.listener == direct_route(packet).receiver;
  return is_heard_directly && packet.delivery->is_delivered(name.defined.packet) &&
         time_between(name.time, packet.delivery->receiver_last_heard()) > name.patience &&
         find_later_path({numbering.listener, numbering.owner}, name.text, moment_zero) == nullptr;
}

// ---- nodes

const MpNode *MpConnection::find_node(const MpNumbering &numbering, std::uint32_t net_id, Moment moment) const {
  return newest_for_or_any(nodes_, numbering, net_id, moment);
}

MpPresence MpConnection::presence(const MpNumbering &numbering, std::uint32_t net_id, Moment moment) const {
  using State = MpPresence::State;
  if (!is_somebody(numbering.listener)) return {};
  if (const MpNode *node = newest_for(nodes_, numbering, net_id, moment); node != nullptr) {
    const MpSpawn &spawn = *node->spawn;
    const bool is_gone = spawn.despawned && *spawn.despawned < moment;
    return {is_gone ? State::gone : State::present, is_gone ? *spawn.despawned : spawn.spawned};
  }
  if (!is_from_start(moment)) return {};  // told before the capture began, perhaps
  const auto later = nodes_.next(numbering.owner, numbering.listener, net_id, moment);
  return {State::not_told, later ? later->moment : moment_zero};
}

// ---- syncs

const MpSyncRecord *MpConnection::find_sync(Moment moment, std::size_t index) const {
  const auto first =
      std::lower_bound(syncs_.begin(), syncs_.end(), moment,
                       [](const MpSyncRecord &each, const Moment &wanted) { return each.moment < wanted; });
  if (index >= static_cast<std::size_t>(syncs_.end() - first)) return nullptr;
  const MpSyncRecord &record = first[static_cast<std::ptrdiff_t>(index)];
  return record.moment == moment ? &record : nullptr;
}

// ---- the session

MpSession::MpSession(std::pmr::memory_resource *upstream)
    : arena_(upstream),
      memory_(budget_, &arena_),
      relay_memory_(budget_, upstream),
      texts_(&memory_),
      servers_(&memory_),
      connections_(&memory_) {}

MpConnection &MpSession::add_connection(std::uint64_t server, bool is_from_start) {
  MpServer &of_server = servers_.try_emplace(server, &memory_, &relay_memory_).first->second;
  return connections_.emplace_back(
      MpConnection::Parts{&budget_, &memory_, &texts_, &connections_, &of_server, connections_.size(), is_from_start});
}

void MpSession::learn_roles(MpConnection &connection, std::uint64_t server, bool is_turned) {
  if (is_turned) connection.turn();
  connection.move_to(servers_.try_emplace(server, &memory_, &relay_memory_).first->second);
}

const MpServer *MpSession::find_server(std::uint64_t server) const {
  const auto found = servers_.find(server);
  return found == servers_.end() ? nullptr : &found->second;
}

}  // namespace godot_codec
