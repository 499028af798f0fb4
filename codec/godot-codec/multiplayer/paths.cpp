// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/paths.h"

#include <algorithm>
#include <array>
#include <limits>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Returns the timeout for the confirmation of a path. A relayed path crosses more than one connection, so the
// round-trip time of this connection does not apply.
std::int64_t patience_for(const MpPacket &packet, const MpNumbering &numbering) {
  const bool is_measured = packet.round_trip_time > 0 && numbering.listener == direct_route(packet).receiver;
  if (!is_measured) return mp_confirmation_wait;
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  return std::max(2 * std::min(packet.round_trip_time, longest), mp_least_confirmation_wait);
}

// True if the timeout for the confirmation of a path has passed.
bool is_overdue(const MpName &name, std::int64_t time) { return elapsed(name.time, time) > name.patience; }

// Maximum length of the lists of unconfirmed paths.
constexpr std::size_t most_awaited = 1024;

bool is_node_or_below(std::string_view path, std::string_view node) {
  return path.starts_with(node) && (path.size() == node.size() || path[node.size()] == '/');
}

// True if a path contains a name, in its last mp_levels_above names.
bool leads_through(std::string_view path, std::string_view name) {
  for (unsigned level = 0; level < mp_levels_above; ++level, path = parent_path(path)) {
    if (last_name(path) == name) return true;
  }
  return false;
}

// True unless the transport shows that the announcement was lost.
bool is_delivered(const MpPacket &packet, const MpName &name) {
  return packet.delivery == nullptr || packet.delivery->is_delivered(name.defined.packet);
}

}  // namespace

// ---- announcements

MpName &MpPaths::learn_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const std::uint32_t number = message.fields.number(MpField::path_id);
  const MpTexts::Text *text = texts_.add(message.fields.text(MpField::path));
  const std::string_view md5 = message.fields.text(MpField::md5);
  // If the same path had this number before, perhaps for another receiver, peers that know that announcement know this
  // one, too.
  const MpName *before = newest_for(by_number_, {numbering.owner, mp_everyone}, number, packet.moment);
  const bool is_same = before != nullptr && before->text.data() == text->printable.data();

  MpName *name = std::pmr::polymorphic_allocator<>(memory_).new_object<MpName>();
  name->text = text->printable;
  if (!md5.empty()) name->md5 = texts_.add(md5)->printable;
  if (!named_since_ && packet.names != nullptr && packet.names->has_list(md5)) named_since_ = packet.moment;
  name->defined = packet.moment;
  name->time = packet.time;
  name->patience = patience_for(packet, numbering);
  name->first = is_same ? before->first : name;

  last_told_ = packet.moment;
  by_number_.add(numbering.owner, numbering.one_listener(), number, packet.moment, name);
  by_text_.add(numbering.owner, numbering.one_listener(), text, packet.moment, name);
  learn_telling(*name, numbering, number);
  const bool is_confirmed_early =
      !is_same && confirmations_.find({nullptr, numbering.listener, {number, 0}}) != nullptr;
  if (is_confirmed_early) name->is_used = true;
  if (packet.names != nullptr) peers_.shared().paths.nodes.add(text, name->md5);
  if (message.generation == Generation::godot4 && numbering.is_for_one()) await(name, numbering);
  learn_presence(name->text, numbering.owner, packet.moment);
  return *name;
}

// Records the announcement for the other connections, in case their listeners use the number without an announcement.
// Only the first of several equal announcements is recorded.
void MpPaths::learn_telling(const MpName &name, const MpNumbering &numbering, std::uint32_t number) {
  const std::optional<std::int32_t> sender = peers_.id_of(numbering.owner, name.defined);
  if (!sender || !numbering.is_for_one()) return;
  auto &tellings = peers_.shared().paths.announcements;
  const Shared::AnnouncementKey key{*sender, number, name.defined};
  if (const auto *last = tellings.last_until(key); last != nullptr) {
    const bool is_same = last->key.sender == key.sender && last->key.number == number;
    if (is_same && last->value.name->text.data() == name.text.data()) return;
  }
  const std::int32_t receiver = peers_.id_of(numbering.listener, name.defined).value_or(0);
  tellings[key] = {&name, receiver};
}

const MpName *MpPaths::find(const MpNumbering &numbering, std::uint32_t number, PacketPosition moment) const {
  if (const MpName *known = newest_for_or_any(by_number_, numbering, number, moment)) return known;
  if (moment >= last_told_) return nullptr;
  // ENet delivers a lost message before later messages, although its retransmission is captured later. A number has
  // only one meaning, so a later announcement is correct.
  const auto later = numbering.is_for_one() ? by_number_.next(numbering.owner, numbering.listener, number, moment)
                                            : by_number_.next(numbering.owner, number, moment);
  return later ? later->value : nullptr;
}

// texts_.find() returns null for a path that was never added, and no entry has null as its key.
const MpName *MpPaths::find(const MpNumbering &numbering, std::string_view path, PacketPosition moment) const {
  return newest_for_or_any(by_text_, numbering, texts_.find(path), moment);
}

const MpName *MpPaths::find_later(const MpNumbering &numbering, std::string_view path, PacketPosition moment) const {
  const auto later = by_text_.next(numbering.owner, texts_.find(path), moment);
  return later ? later->value : nullptr;
}

// Finds only announcements to the listener itself.
MpName *MpPaths::find_told(const MpNumbering &numbering, std::string_view path, PacketPosition moment) const {
  return newest_for(by_text_, numbering, texts_.find(path), moment);
}

// True if the path may have been announced to the listener itself before the message was delivered.
bool MpPaths::may_be_told(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t number) const {
  const MpArrival arrival = deliveries_.arrival(packet);
  if (arrival.is_waiting || deliveries_.has_capture_gap(packet.moment)) return true;
  constexpr std::int64_t ever = std::int64_t{1} << 62;
  if (may_have_capture_gap_before(packet, deliveries_, packet.moment, -ever)) return true;
  return by_number_.newest(numbering.owner, numbering.listener, number, arrival.delivered).has_value();
}

std::optional<MpTelling> MpPaths::find_unannounced(const MpPacket &packet, const MpNumbering &numbering,
                                                   std::uint32_t number) const {
  const PacketPosition moment = packet.moment;
  if (!peers_.is_from_start(moment) || !numbering.is_for_one() || may_be_told(packet, numbering, number)) return {};
  MpTelling telling;
  if (const std::optional<std::int32_t> sender = peers_.id_of(numbering.owner, moment)) {
    const auto *last = peers_.shared().paths.announcements.last_until({*sender, number, moment});
    if (last != nullptr && last->key.sender == *sender && last->key.number == number) telling = last->value;
  }
  // The path was announced to the receiver, but the announcement was lost, or is missing from the capture.
  const bool is_of_receiver = telling.name != nullptr && peers_.id_of(numbering.listener, moment) == telling.receiver;
  if (is_of_receiver) return {};
  if (const auto later = by_number_.next(numbering.owner, numbering.listener, number, moment)) {
    telling.later = later->value;
  }
  return telling;
}

// ---- confirmations

// Godot 4 confirms the number; Godot 3, and Godot 4 before 4.3, confirm the path.
void MpPaths::learn_confirmation(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpFields &fields = message.fields;
  const MpName *found = fields.has(MpField::path_id) ? find(numbering, fields.number(MpField::path_id), packet.moment)
                                                     : find(numbering, fields.text(MpField::path), packet.moment);
  if (found == nullptr) {
    // The announcement may be captured later, as a retransmission. Records that its number was confirmed.
    const bool is_direct = numbering.listener == direct_route(packet).sender;
    if (!is_direct || !fields.has(MpField::path_id)) return;
    confirmations_[{nullptr, numbering.listener, {fields.number(MpField::path_id), 0}}] = true;
    return;
  }
  MpName *name = found->first;
  const bool is_valid = !fields.has(MpField::valid) || fields.integer(MpField::valid) != 0;
  const ConfirmationKey key{name, numbering.listener, packet.moment};
  if (const auto *last = confirmations_.last_until(key); last != nullptr) {
    if (last->key.name == name && last->key.peer == key.peer && last->value == is_valid) return;
  }
  confirmations_[key] = is_valid;
  if (!name->confirmed) name->confirmed = packet.moment;
  learn_presence(name->text, numbering.listener, packet.moment);
}

// Returns the position at which a peer first confirmed a path, if this is not after @p moment.
std::optional<PacketPosition> MpPaths::confirmation(const MpName &name, std::int32_t peer,
                                                    PacketPosition moment) const {
  // No packet has the position zero.
  const auto *earliest = confirmations_.first_above({name.first, peer, packet_position_zero});
  if (earliest == nullptr) return std::nullopt;
  const ConfirmationKey &key = earliest->key;
  if (key.name != name.first || key.peer != peer || key.moment > moment) return std::nullopt;
  return key.moment;
}

bool MpPaths::is_confirmed(const MpName &name, std::int32_t peer, PacketPosition moment) const {
  if (is_one_peer(peer)) return confirmation(name, peer, moment).has_value();
  return name.first->confirmed && *name.first->confirmed <= moment;
}

std::optional<PacketPosition> MpPaths::checksum_failure(const MpName &name, std::int32_t peer,
                                                        PacketPosition moment) const {
  const auto *last = confirmations_.last_until({name.first, peer, moment});
  if (last == nullptr || last->key.name != name.first || last->key.peer != peer || last->value) return std::nullopt;
  return last->key.moment;
}

// ---- missing confirmations

void MpPaths::await(MpName *name, const MpNumbering &numbering) {
  // A peer that has announced the same path has the node.
  if (find_later({numbering.listener, numbering.owner}, name->text, packet_position_zero) != nullptr) {
    name->present = name->defined;
  }
  if (awaited_.size() >= most_awaited) awaited_.pop_front();
  awaited_.push_back({name, numbering.listener, numbering.owner});
}

// Any message may show that confirmations are overdue. Perhaps no further call follows: a receiver without the node has
// lost the call that contained the path.
void MpPaths::learn_overdue(const MpPacket &packet) {
  constexpr std::size_t most_at_once = 4;
  for (std::size_t i = 0; i < most_at_once && !awaited_.empty(); ++i) {
    const Awaited awaited = awaited_.front();
    if (!is_overdue(*awaited.name, packet.time)) return;
    if (!is_delivered(packet, *awaited.name)) {
      awaited_.splice(awaited_.end(), awaited_, awaited_.begin());
      continue;
    }
    if (awaited.name->present.packet != 0 || is_explained(*awaited.name, awaited.listener)) {
      awaited_.pop_front();
      continue;
    }
    awaited.name->overdue = packet.moment;
    awaited_.pop_front();
    doubt(awaited);
  }
}

// Limits the list, because the sender controls the number of paths.
void MpPaths::doubt(const Awaited &awaited) {
  if (doubted_count_ >= most_awaited) return;
  ++doubted_count_;
  doubted_ = std::pmr::polymorphic_allocator<>(memory_).new_object<Doubted>(Doubted{awaited, doubted_});
}

// A peer that uses a node has the nodes above it, too.
void MpPaths::learn_presence(std::string_view path, std::int32_t peer, PacketPosition moment) {
  const auto learn = [&](const Awaited &each) {
    const bool is_first = each.listener == peer && each.name->present.packet == 0;
    if (is_first && is_node_or_below(path, each.name->text)) each.name->present = moment;
  };
  std::ranges::for_each(awaited_, learn);
  for (const Doubted *each = doubted_; each != nullptr; each = each->next) learn(each->awaited);
}

// Checks only overdue paths: if a game calls a node before its spawn, the call is lost.
void MpPaths::learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  if (!may_lack_nodes() || !numbering.is_for_one()) return;
  MpName *spawner = newest_for(by_number_, numbering, message.fields.number(MpField::spawner), packet.moment);
  if (spawner != nullptr) spawner->is_spawner = true;
  for (const Doubted *each = doubted_; each != nullptr; each = each->next) {
    const auto &[name, listener, owner] = each->awaited;
    const bool is_here = listener == numbering.listener || listener == numbering.owner;
    if (!is_here || name->present.packet != 0) continue;
    if (leads_through(name->text, message.fields.text(MpField::name))) name->present = packet.moment;
  }
}

// A peer calls a node until it receives the despawn. The path, and the calls that contain it, cross with the despawn.
void MpPaths::learn_despawn(const MpPacket &packet, std::string_view node, const MpNumbering &numbering) {
  for (const Awaited &each : awaited_) {
    const bool is_between = each.owner == numbering.listener || each.listener == numbering.listener;
    if (!is_between || each.owner == numbering.owner || is_overdue(*each.name, packet.time)) continue;
    if (leads_through(each.name->text, node)) each.name->despawned = packet.moment;
  }
}

void MpPaths::learn_use(const MpPacket &packet, const MpNumbering &numbering, std::uint32_t number) {
  if (!may_lack_nodes() || !numbering.is_for_one()) return;
  MpName *name = newest_for(by_number_, numbering, number, packet.moment);
  if (name == nullptr || name->is_used) return;
  name->is_used = true;
  learn_presence(name->text, numbering.listener, packet.moment);
}

void MpPaths::learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_by_number = message.fields.has(MpField::path_id) && !message.fields.has(MpField::path);
  if (is_by_number && message.generation == Generation::godot4) {
    return learn_use(packet, numbering, message.fields.number(MpField::path_id));
  }
  MpName *name = find_awaited(packet, message, numbering);
  if (name != nullptr) name->is_called = true;
  if (name == nullptr || name->late_call.packet != 0 || !is_overdue(*name, packet.time)) return;
  if (!is_delivered(packet, *name)) return;
  name->late_call = packet.moment;
  if (name->overdue.packet == 0) doubt({name, numbering.listener, numbering.owner});
}

// Returns the path of a call if, as far as is known, its listener never confirms it; else null.
MpName *MpPaths::find_awaited(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) const {
  // Only for Godot 4: Godot 3 confirms paths even if the node does not exist.
  const bool is_by_path = message.command == MpCommand::rpc && message.fields.has(MpField::path);
  if (message.generation != Generation::godot4 || !is_by_path || !numbering.is_for_one()) return nullptr;
  const std::string_view path = message.fields.text(MpField::path);
  MpName *name = find_told(numbering, path, packet.moment);
  if (name == nullptr || is_explained(*name, numbering.listener)) return nullptr;
  return name->present.packet != 0 && name->present <= packet.moment ? nullptr : name;
}

const MpName *MpPaths::find_unconfirmed(const MpPacket &packet, const MpMessage &message,
                                        const MpNumbering &numbering) const {
  const MpName *name = find_awaited(packet, message, numbering);
  const bool is_late = name != nullptr && name->late_call.packet != 0 && name->late_call <= packet.moment;
  const bool is_told = is_late && !is_told_in_vain(*name, numbering.listener);
  return is_told && !may_be_confirmed_uncaptured(packet, *name, numbering) ? name : nullptr;
}

const MpName *MpPaths::find_crossed(const MpPacket &packet, const MpMessage &message,
                                    const MpNumbering &numbering) const {
  const bool has_path = message.command == MpCommand::rpc || message.command == MpCommand::simplify_path;
  if (message.generation != Generation::godot4 || !has_path || !message.fields.has(MpField::path)) return nullptr;
  const MpName *name = find_told(numbering, message.fields.text(MpField::path), packet.moment);
  const bool is_crossed = name != nullptr && name->despawned.packet != 0 && !name->is_used;
  return is_crossed && !confirmation(*name, numbering.listener, packet_position_last) ? name : nullptr;
}

const MpName *MpPaths::find_lacking(const MpPacket &packet, const MpMessage &message,
                                    const MpNumbering &numbering) const {
  if (!may_lack_nodes()) return nullptr;
  const MpName *name = find_awaited(packet, message, numbering);
  if (name != nullptr && elapsed(name->time, packet.time) > mp_path_burst) return nullptr;
  if (message.command == MpCommand::spawn && message.generation == Generation::godot4 && numbering.is_for_one()) {
    name = find_lacking(packet, message.fields.number(MpField::spawner), numbering, packet.moment);
  }
  return name != nullptr && is_never_confirmed(packet, *name, numbering) ? name : nullptr;
}

const MpName *MpPaths::find_lacking(const MpPacket &packet, std::uint32_t number, const MpNumbering &numbering,
                                    PacketPosition moment) const {
  const MpName *name = may_lack_nodes() ? find(numbering, number, moment) : nullptr;
  return name != nullptr && is_never_confirmed(packet, *name, numbering) ? name : nullptr;
}

// True if a peer confirms a path at any time, or if the node was despawned while the path was in transit.
bool MpPaths::is_explained(const MpName &name, std::int32_t peer) const {
  if (name.is_used || name.despawned.packet != 0 || confirmation(name, peer, packet_position_last)) return true;
  // A relayed confirmation may be lost between the server and its receiver. The peer that sent it has the node anyway.
  const MpConnection *fellow = peers_.fellow(peer);
  if (peers_.client_id() == 0 || fellow == nullptr) return false;
  const MpPaths &there = fellow->paths();
  const std::int32_t client = fellow->peers().client();
  const MpName *same = there.find({peers_.client_id(), client}, name.text, packet_position_last);
  return same != nullptr && there.confirmation(*same, client, packet_position_last).has_value();
}

// True if the receiver of an announcement had disconnected by then, so that nothing shows that it does not have the
// node.
bool MpPaths::is_told_in_vain(const MpName &name, std::int32_t peer) const {
  const PacketPosition evidence = name.late_call.packet != 0 ? name.late_call : name.overdue;
  return peer > mp_server && peers_.whereabouts(peer, evidence).state != MpWhereabouts::State::here;
}

// True if the capture may lack the listener's confirmation of a path. If the sender continues to send the whole path,
// it has not received a confirmation. Relayed confirmations are an exception, because they may take long.
bool MpPaths::may_be_confirmed_uncaptured(const MpPacket &packet, const MpName &name,
                                          const MpNumbering &numbering) const {
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  const std::int64_t until = std::clamp(name.time, -longest, longest) + name.patience + mp_confirmation_wait;
  if (name.late_call.packet != 0 && numbering.owner == direct_route(packet).sender) return false;
  return may_have_capture_gap(packet, deliveries_, 1 - packet.end, {name.defined, name.time, until});
}

bool MpPaths::is_never_confirmed(const MpPacket &packet, const MpName &name, const MpNumbering &numbering) const {
  if (is_explained(name, numbering.listener) || may_be_confirmed_uncaptured(packet, name, numbering)) return false;
  if (name.late_call.packet != 0 || name.overdue.packet != 0) return !is_told_in_vain(name, numbering.listener);
  // There was no later message, but the transport may have received acknowledgements from the listener.
  const bool is_heard_directly = packet.delivery != nullptr && numbering.listener == direct_route(packet).receiver;
  return is_heard_directly && is_delivered(packet, name) && is_overdue(name, packet.delivery->receiver_last_heard()) &&
         name.present.packet == 0;
}

// ---- nodes announced on all connections of a server

const AnnouncedNodes &MpPaths::told_nodes() const { return peers_.shared().paths.nodes; }

void AnnouncedNodes::add(const MpTexts::Text *path, std::string_view md5) {
  const auto *known = md5s_.find({path});
  if (known != nullptr && known->value == md5) return;
  md5s_[{path}] = md5;
  ++version_;
}

std::string_view AnnouncedNodes::md5_of(std::string_view path) const {
  const MpTexts::Text wanted{path, {}};
  const auto *found = md5s_.find({&wanted});
  return found == nullptr ? std::string_view{} : found->value;
}

std::size_t AnnouncedNodes::below(std::string_view path, std::span<AnnouncedNode> nodes) const {
  // Paths are sorted by bytes. The nodes below a node are the paths that begin with its path and a slash.
  constexpr std::size_t longest_path = 1024;
  std::array<char, longest_path + 1> memory;
  if (path.size() > longest_path) return 0;
  *std::copy(path.begin(), path.end(), memory.begin()) = '/';
  const std::string_view prefix(memory.data(), path.size() + 1);
  std::size_t count = 0;
  MpTexts::Text wanted{prefix, {}};
  while (count < nodes.size()) {
    const auto *next = md5s_.first_above({&wanted});
    if (next == nullptr || !next->key.text->bytes.starts_with(prefix)) break;
    wanted = *next->key.text;
    nodes[count++] = {wanted.printable, next->value};
  }
  return count;
}

}  // namespace godot_codec
