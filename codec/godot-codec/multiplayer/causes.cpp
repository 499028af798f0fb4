// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/causes.h"

#include <algorithm>
#include <vector>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

constexpr std::int64_t second = nanoseconds_per_second;
// Thresholds for two senders. When the authority over a node changes, both peers may send for some frames; a problem
// lasts longer.
constexpr std::uint32_t telling_turns = 12;
constexpr std::uint32_t telling_overlaps = 30;
constexpr std::int64_t together = second;
constexpr std::uint32_t telling_spawns = 2;

// Thresholds for lost calls. Fewer losses are normal for the transfer mode "unreliable".
constexpr std::uint64_t telling_losses = 10;
constexpr std::uint64_t telling_share = 12;
// A larger share of losses is normal for "unreliable_ordered", which drops late messages by design.
constexpr std::uint64_t telling_ordered_share = 5;

constexpr std::uint64_t too_many_losses = 50;
constexpr std::uint64_t too_large_share = 4;

constexpr std::uint32_t telling_lives = 20;
constexpr std::int64_t short_life = second / 5;

// Calls in one second: ten per frame at 60 frames per second. No game intends this for two seconds.
constexpr std::uint32_t full_second = 600;

constexpr std::int64_t long_pause = 2 * second;
constexpr std::uint32_t steady_syncs = 30;
constexpr std::size_t most_running = 64;
constexpr unsigned most_siblings = 8;  // maximum number of flows of a node that are checked

constexpr std::uint32_t fnv_prime = 16777619;
constexpr std::uint32_t fnv_start = 2166136261;

// True if all values have a type of fixed size and consist of zeros, as the initial values of many properties do.
bool are_zero(MpValues &values, const MpVariants &variants) {
  MpValueCursor cursor(values, variants, Generation::godot4);
  while (cursor.next()) {
    if (!cursor.is_readable()) return false;
    const Type type = cursor.type();
    const bool is_compact = type == Type::boolean || type == Type::integer;
    if (!is_compact && type != Type::real && shape_of(type).component_count == 0) return false;
    const std::size_t start = cursor.walk().offset + (is_compact ? 1 : sizeof(std::uint32_t));
    const std::uint8_t *bytes = values.bytes().data;
    if (std::any_of(bytes + start, bytes + cursor.offset(), [](std::uint8_t byte) { return byte != 0; })) return false;
  }
  return true;
}

// Returns a hash of the values; equal values have equal hashes. Returns 0 for zeros, because equal zeros do not show
// that two synchronizers belong together.
std::uint32_t hash_of(MpValues &values, const MpVariants &variants) {
  if (are_zero(values, variants)) return 0;
  const Bytes bytes = values.bytes().slice(variants.range);
  std::uint32_t hash = fnv_start;
  for (std::size_t i = 0; i < bytes.captured; ++i) hash = (hash ^ bytes.data[i]) * fnv_prime;
  return hash | 1;
}

// True if the node was despawned and its net id now belongs to a different node.
bool is_replaced(const MpSpawn *spawn, const MpNodes &nodes, const MpPacket &packet, std::uint32_t number,
                 const MpNumbering &numbering) {
  if (spawn == nullptr || !spawn->despawned) return false;
  const MpNode *node = nodes.find(numbering, number, packet.moment);
  return node != nullptr && node->spawn != spawn;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

}  // namespace

MpCause *MpCauses::add(MpFault fault, const MpPacket &packet, std::string_view what, std::int32_t first,
                       std::int32_t second_peer) {
  if (by_moment_.find(packet.moment) == nullptr) {
    by_moment_[packet.moment] = static_cast<std::uint32_t>(causes_.size());
  }
  causes_.push_back({fault, packet.moment, what, first, second_peer});
  return &causes_.back();
}

// ---- senders of values

void MpCauses::begin_with_node(Flow &flow, const MpPacket &packet, std::uint32_t net_id, const MpNumbering &numbering) {
  const MpNode *node = nodes_.find(numbering, net_id, packet.moment);
  if (node == nullptr || node->place == MpNode::itself) return;
  flow.spawn = node->spawn;
  flow.sibling = static_cast<Flow *>(node->spawn->flow);
  node->spawn->flow = &flow;
  const bool is_direct = numbering.owner == direct_route(packet).sender;
  if (is_direct && running_.size() < most_running) running_.push_back(&flow);
}

// Any name in the path may be the name of a spawned node above the synchronizer.
void MpCauses::begin_with_path(Flow &flow, const MpPacket &packet, std::uint32_t number, const MpNumbering &numbering) {
  const MpName *name = paths_.find(numbering, number, packet.moment);
  if (name == nullptr) return;
  const MpTexts::Text *text = texts_.add(name->text);
  Writers *&writers = peers_.shared().causes.writers_[text];
  if (writers == nullptr) writers = std::pmr::polymorphic_allocator<>(memory_).new_object<Writers>();
  flow.writers = writers;
  constexpr unsigned max_depth = 8;
  std::string_view rest = text->bytes;
  for (unsigned depth = 0; depth < max_depth && !rest.empty(); ++depth) {
    const std::string_view segment = last_name(rest);
    if (const MpTexts::Text *name_text = texts_.find(segment); name_text != nullptr) name_text->is_written = true;
    for (const MpNumbering &spawning :
         {MpNumbering{numbering.listener, numbering.owner}, MpNumbering{peers_.server(), numbering.listener}}) {
      MpSpawn *spawn = nodes_.find_spawned(spawning, segment, packet.moment);
      if (spawn == nullptr) continue;
      spawn->is_written_by_others = true;
      if (spawning.listener != numbering.owner || spawn->synchronizers == 0) continue;
      if (flow.rival == nullptr && running_.size() < most_running) running_.push_back(&flow);
      flow.rival = spawn;
      flow.path = name->text;
      flow.owner = numbering.owner;
      flow.listener = numbering.listener;
    }
    rest = parent_path(rest);
  }
}

MpCauses::Flow &MpCauses::flow_of(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering) {
  const bool has_path = object.has(MpField::path_id);
  const std::uint32_t number = object.number(has_path ? MpField::path_id : MpField::net_id);
  const FlowKey key{numbering.owner, numbering.listener, has_path ? number | mp_flag_other : number};
  auto *known = flows_.find(key);
  if (known != nullptr && !is_replaced(known->value->spawn, nodes_, packet, number, numbering)) {
    // The first values may be captured before the spawn of their node.
    constexpr std::uint32_t soon = 16;
    Flow &flow = *known->value;
    if (flow.spawn == nullptr && !has_path && flow.count < soon) begin_with_node(flow, packet, number, numbering);
    return flow;
  }
  Flow *flow = std::pmr::polymorphic_allocator<>(memory_).new_object<Flow>();
  flow->end = packet.end;
  flow->first_time = packet.time;
  flows_[key] = flow;
  if (has_path) {
    begin_with_path(*flow, packet, number, numbering);
  } else {
    begin_with_node(*flow, packet, number, numbering);
  }
  return *flow;
}

void MpCauses::learn_values(const MpPacket &packet, const MpMessage &message, const MpObject &object,
                            const MpNumbering &numbering) {
  if (!numbering.is_for_one()) return;
  Flow &flow = flow_of(packet, object.fields, numbering);
  const std::uint32_t hash = hash_of(*packet.values, object.variants);
  if (flow.spawn != nullptr && hash != 0) flow.hashes[flow.hash_count++ % flow.hashes.size()] = hash;
  const std::uint32_t number = object.fields.number(MpField::path_id);
  if (flow.rival != nullptr) learn_rival(flow, packet, numbering, hash, number);
  if (message.command != MpCommand::sync) return;
  if (flow.count == 0 || elapsed(flow.last_time, packet.time) > together) flow.resumed_time = packet.time;
  flow.last = packet.moment;
  flow.last_time = packet.time;
  ++flow.count;
  const bool has_ended =
      flow.cause != nullptr && (flow.cause->fault == MpFault::values_end || flow.cause->fault == MpFault::owner_ends);
  if (has_ended) flow.cause->is_withdrawn = true;
  if (flow.writers != nullptr) learn_writer(*flow.writers, packet, numbering, number);
}

// Detects a peer that sends values by the path of a synchronizer, while the receiver sends the values of its own
// spawned node. Equal values show that both send the same properties.
void MpCauses::learn_rival(Flow &flow, const MpPacket &packet, const MpNumbering &numbering, std::uint32_t hash,
                           std::uint32_t number) {
  auto *own = static_cast<Flow *>(flow.rival->flow);
  for (unsigned i = 0; i < most_siblings && own != nullptr && flow.alike == nullptr; ++i, own = own->sibling) {
    const bool is_alike = hash != 0 && std::ranges::find(own->hashes, hash) != own->hashes.end();
    if (is_alike && elapsed(own->last_time, packet.time) < together) flow.alike = own;
  }
  // After a change of authority, the previous sender may still send other values of the node. So a value counts only if
  // new values of `alike` have arrived since the last count.
  if (flow.alike == nullptr || flow.alike->count == flow.alike_count) return;
  flow.alike_count = flow.alike->count;
  if (flow.rivalry == nullptr) {
    flow.rivalry = std::pmr::polymorphic_allocator<>(memory_).new_object<Rivalry>();
    flow.rivalry->first = packet.moment;
    flow.alike->rivalry = flow.rivalry;
  }
  flow.rivalry->last = packet.moment;
  ++flow.turns;
  if (flow.cause != nullptr) ++flow.cause->count;
  if (flow.cause != nullptr || flow.turns < telling_overlaps) return;
  const MpName *name = paths_.find(numbering, number, packet.moment);
  if (name == nullptr) return;
  flow.cause = add(MpFault::two_senders, packet, name->text, numbering.owner, numbering.listener);
  flow.cause->count = flow.turns;
  flow.rivalry->cause = flow.cause;
  peers_.shared().causes.has_rivals_ = true;
}

// True if a peer sends after the other peer, which sent not long before.
bool MpCauses::is_turn(Writers &writers, std::int64_t peer, std::int32_t id, std::int64_t time, std::int64_t within) {
  std::uint32_t index = 0;
  while (index < writers.known && writers.numbers[index] != peer) ++index;
  if (index == writers.numbers.size()) return false;
  if (index == writers.known) {
    writers.numbers[index] = peer;
    writers.ids[index] = id;
    ++writers.known;
  }
  const bool is_after_other = writers.known == writers.numbers.size() && writers.last != index &&
                              elapsed(writers.last_times[1 - index], time) < within;
  writers.last_times[index] = time;
  writers.last = index;
  return is_after_other;
}

void MpCauses::learn_writer(Writers &writers, const MpPacket &packet, const MpNumbering &numbering,
                            std::uint32_t number) {
  const std::int64_t peer = peers_.number_of(numbering.owner, packet.moment);
  const std::int32_t id = peers_.id_of(numbering.owner, packet.moment).value_or(numbering.owner);
  if (!is_turn(writers, peer, id, packet.time, together)) return;
  if (writers.turns == 0) writers.rivalry.first = packet.moment;
  writers.rivalry.last = packet.moment;
  if (writers.cause != nullptr) ++writers.cause->count;
  if (++writers.turns != telling_turns) return;
  const MpName *name = paths_.find(numbering, number, packet.moment);
  if (name == nullptr) return;
  writers.cause = add(MpFault::two_senders, packet, name->text, writers.ids[0], writers.ids[1]);
  writers.cause->count = writers.turns;
  writers.rivalry.cause = writers.cause;
  peers_.shared().causes.has_rivals_ = true;
}

// Receivers accept spawns only from the authority of the spawner (SceneReplicationInterface::on_spawn_receive). So
// spawns by a second peer are a problem.
void MpCauses::learn_spawn(const MpPacket &packet, MpSpawn &spawn) {
  const std::string_view path = nodes_.spawner_of(spawn);
  if (path.empty()) return;
  const bool is_unsent = packet.names != nullptr && awaited_count_ < most_running &&
                         packet.names->is_always_synchronized(path, spawn.scene);
  if (is_unsent) {
    Flow *flow = std::pmr::polymorphic_allocator<>(memory_).new_object<Flow>();
    flow->spawn = &spawn;
    flow->is_awaited = true;
    flow->sibling = awaited_;
    awaited_ = flow;
    ++awaited_count_;
  }
  const MpTexts::Text *text = texts_.add(path);
  Writers *&writers = peers_.shared().causes.spawners_[text];
  if (writers == nullptr) writers = std::pmr::polymorphic_allocator<>(memory_).new_object<Writers>();
  const std::int32_t id = peers_.id_of(spawn.owner, packet.moment).value_or(spawn.owner);
  constexpr std::int64_t ever = std::int64_t{1} << 62;
  if (!is_turn(*writers, peers_.number_of(spawn.owner, packet.moment), id, packet.time, ever)) return;
  if (writers->cause != nullptr) ++writers->cause->count;
  if (++writers->turns != telling_spawns) return;
  writers->cause = add(MpFault::two_spawners, packet, text->printable, writers->ids[0], writers->ids[1]);
  writers->cause->count = writers->turns;
}

// Finds values that end although their sender still sends other messages and the receiver still has the node.
void MpCauses::learn_ends(const MpPacket &packet) {
  std::erase_if(running_, [](const Flow *flow) {
    return (flow->spawn == nullptr ? flow->rival : flow->spawn)->despawned || flow->cause != nullptr;
  });
  for (Flow *flow : running_) {
    if (flow->spawn == nullptr) {
      learn_owners_end(*flow, packet);
      continue;
    }
    const MpSpawn &spawn = *flow->spawn;
    const bool is_over =
        spawn.despawned || spawn.is_written_by_others || flow->count < steady_syncs || flow->cause != nullptr;
    if (is_over || flow->end != packet.end) continue;
    const std::int64_t pause = elapsed(flow->last_time, packet.time);
    const std::int64_t usual = elapsed(flow->first_time, flow->last_time) / flow->count;
    const auto goes_on = [&](const Flow *each) { return elapsed(each->last_time, packet.time) < long_pause; };
    bool is_alive = pause < long_pause || pause < 20 * usual;
    const auto *each = static_cast<const Flow *>(spawn.flow);
    for (unsigned i = 0; i < most_siblings && each != nullptr; ++i, each = each->sibling) {
      is_alive = is_alive || goes_on(each);
    }
    if (is_alive) continue;
    flow->cause = add(MpFault::values_end, packet, spawn.name, spawn.owner, spawn.listener);
    flow->cause->since = flow->last;
    flow->cause->count = flow->count;
    flow->cause->time = pause;
    flow->cause->usual = usual;
  }
}

// Detects that a peer stops sending the values of a node that the receiver has spawned for it.
void MpCauses::learn_owners_end(Flow &flow, const MpPacket &packet) {
  if (flow.count < steady_syncs) return;
  if (flow.end != packet.end) {
    const bool is_heard =
        packet.delivery != nullptr && elapsed(packet.delivery->receiver_last_heard(), packet.time) < together;
    if (!is_heard) return;
  }
  const std::int64_t pause = elapsed(flow.last_time, packet.time);
  const std::int64_t usual = elapsed(flow.first_time, flow.last_time) / flow.count;
  if (pause < long_pause || pause < 20 * usual) return;
  // This is not a problem if another peer has continued to send the values.
  const auto *other = static_cast<const Flow *>(flow.rival->flow);
  for (unsigned i = 0; i < most_siblings && other != nullptr; ++i, other = other->sibling) {
    if (elapsed(flow.last_time, other->resumed_time) > -together) return;
  }
  flow.cause = add(MpFault::owner_ends, packet, flow.path, flow.owner, flow.listener);
  flow.cause->since = flow.last;
  flow.cause->time = pause;
  flow.cause->usual = usual;
}

// True if a peer sends values of the node or of nodes below it, on any connection.
bool MpCauses::is_written(const MpSpawn &spawn) const {
  const MpTexts::Text *name = texts_.find(spawn.name);
  return spawn.flow != nullptr || spawn.is_written_by_others || (name != nullptr && name->is_written);
}

void MpCauses::learn_unsent(const MpPacket &packet) {
  // An authority sends values in the first frame in which it has the node. After this time, no peer will send them.
  constexpr std::int64_t long_enough = 3 * second;
  for (Flow **place = &awaited_; *place != nullptr;) {
    Flow *flow = *place;
    const MpSpawn &spawn = *flow->spawn;
    const bool is_time = !spawn.despawned && elapsed(spawn.spawned_time, packet.time) >= long_enough;
    if (is_time) flow->is_awaited = !is_written(spawn);
    if (flow->cause != nullptr && !flow->is_awaited) flow->cause->is_withdrawn = true;
    if (spawn.despawned || !flow->is_awaited) {
      *place = flow->sibling;
      --awaited_count_;
      continue;
    }
    if (is_time && flow->cause == nullptr) {
      flow->cause = add(MpFault::nobody_sends, packet, spawn.name, spawn.owner, spawn.listener);
    }
    place = &flow->sibling;
  }
}

// ---- calls and spawn churn

// Lost values are replaced by the next sync; lost calls are not repeated. So the threshold for calls is lower.
bool MpCauses::are_many(const UnreliableLosses &losses) {
  const auto is_telling = [](std::uint64_t lost, std::uint64_t all, std::uint64_t share) {
    return lost >= telling_losses && lost * share >= all;
  };
  return is_telling(losses.missing, losses.all, telling_share) ||
         is_telling(losses.ordered_missing + losses.ordered_late, losses.ordered, telling_ordered_share);
}

bool MpCauses::are_too_many(const UnreliableLosses &losses) {
  return losses.is_line_bad && losses.missing >= too_many_losses && losses.missing * too_large_share >= losses.all;
}

void MpCauses::learn_lost_values(const MpPacket &packet, const MpMessage &message) {
  SideOfTalk &side = sides_[packet.end];
  const bool may_get_lost = message.command == MpCommand::sync && packet.sequence.may_overtake;
  if (!may_get_lost || packet.delivery == nullptr || side.lost != nullptr) return;
  if (!are_too_many(packet.delivery->unreliable_losses())) return;
  const MpRoute route = direct_route(packet);
  side.lost = add(MpFault::values_lost, packet, {}, route.sender, route.receiver);
}

// Returns the path of the node of a call; empty: not known.
std::string_view MpCauses::path_of(const MpPacket &packet, const MpMessage &message,
                                   const MpNumbering &numbering) const {
  const MpName *name = paths_.find(numbering, message.fields.number(MpField::path_id), packet.moment);
  return name == nullptr ? std::string_view{} : name->text;
}

void MpCauses::learn_lost_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  SideOfTalk &side = sides_[packet.end];
  const bool is_told = side.lost != nullptr && !side.lost->what.empty();
  if (!packet.sequence.may_overtake || packet.delivery == nullptr || is_told) return;
  const std::string_view what = path_of(packet, message, numbering);
  if (side.lost != nullptr) {
    side.lost->what = what;
    side.lost->fault = MpFault::calls_lost;
    return;
  }
  if (!are_many(packet.delivery->unreliable_losses())) return;
  const MpRoute route = direct_route(packet);  // for a relayed call, too, because the losses are between these two ends
  side.lost = add(MpFault::calls_lost, packet, what, route.sender, route.receiver);
}

void MpCauses::learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  learn_lost_call(packet, message, numbering);
  std::uint64_t hash =
      mixed(static_cast<std::uint32_t>(numbering.owner), static_cast<std::uint32_t>(numbering.listener));
  hash = mixed(hash, message.fields.integer(MpField::path_id));
  hash = mixed(hash, message.fields.integer(MpField::method_id));
  for (const char each : message.fields.text(MpField::method)) hash = mixed(hash, static_cast<unsigned char>(each));
  Calls &calls = calls_[hash];
  const std::int64_t age = elapsed(calls.since, packet.time);
  if (age >= second || age < 0) {
    calls.was_full = calls.count >= full_second && age < 2 * second;
    if (calls.cause != nullptr) calls.cause->count = std::max(calls.cause->count, calls.count);
    calls.since = packet.time;
    calls.count = 0;
  }
  if (++calls.count < full_second || !calls.was_full || calls.cause != nullptr) return;
  calls.cause = add(MpFault::flood, packet, path_of(packet, message, numbering), numbering.owner, numbering.listener);
  calls.cause->count = calls.count;
}

void MpCauses::learn_despawn(const MpPacket &packet, const MpSpawn &spawn) {
  if (elapsed(spawn.spawned_time, packet.time) > short_life) return;
  Lives &lives = lives_[spawn.name.data()];
  if (lives.count++ == 0) lives.since = packet.time;
  if (lives.count == telling_lives) {
    lives.cause = add(MpFault::short_lives, packet, spawn.name, spawn.owner, spawn.listener);
  }
  if (lives.cause == nullptr) return;
  lives.cause->count = lives.count;
  lives.cause->time = elapsed(lives.since, packet.time);
}

// ---- pauses and unresponsive sides

void MpCauses::learn_message(const MpPacket &packet, const MpMessage &message) {
  SideOfTalk &side = sides_[packet.end];
  const bool is_stream = packet.sequence.count == 0 && !packet.sequence.may_overtake;
  if (is_stream) learn_pause(side, packet);
  ++side.messages;
  side.last_time = packet.time;
  side.others_since = 0;
  SideOfTalk &other = sides_[1 - packet.end];
  ++other.others_since;
  if (other.mute != nullptr) other.mute->is_withdrawn = true;
  learn_muteness(packet, message);
  constexpr std::uint32_t how_often = 16;
  if (side.messages % how_often != 0) return;
  learn_lost_values(packet, message);
  learn_ends(packet);
  learn_unsent(packet);
}

// Detects a long pause of a side that sent steadily over a stream transport.
void MpCauses::learn_pause(SideOfTalk &side, const MpPacket &packet) {
  constexpr std::uint32_t few = 16;
  constexpr std::uint32_t goes_on = 20;
  if (side.messages == 0) return;
  const std::int64_t pause = std::max(elapsed(side.last_time, packet.time), std::int64_t{0});
  const bool is_steady = side.messages >= few && side.others_since >= goes_on;
  if (is_steady && pause > long_pause && pause / 8 > side.usual_pause) {
    const MpRoute route = direct_route(packet);
    MpCause *cause = add(MpFault::stood_still, packet, {}, route.sender, route.receiver);
    cause->time = pause;
    return;
  }
  side.usual_pause = std::max(pause, side.usual_pause - side.usual_pause / 16);
}

// A peer that receives a path confirms it, in Godot 3 even if it does not have the node. If there is no confirmation,
// the game does not poll the peer.
void MpCauses::learn_muteness(const MpPacket &packet, const MpMessage &message) {
  SideOfTalk &side = sides_[packet.end];
  const SideOfTalk &other = sides_[1 - packet.end];
  if (other.messages > 0 || side.mute != nullptr) return;
  if (side.first_told.packet == 0) {
    if (message.command != MpCommand::simplify_path) return;
    side.first_told = packet.moment;
    side.first_told_time = packet.time;
    return;
  }
  if (!peers_.is_from_start(packet.moment) || elapsed(side.first_told_time, packet.time) < long_pause) return;
  if (packet.delivery != nullptr && !packet.delivery->is_delivered(side.first_told.packet)) return;
  const MpRoute route = direct_route(packet);
  // A client with an id was made by create_client(), in most games for a MultiplayerAPI. Such a client may simply not
  // have any of the nodes.
  const bool may_lack_nodes = message.generation != Generation::godot3;
  if (may_lack_nodes && peers_.id_of(route.receiver, packet.moment)) return;
  side.mute = add(MpFault::mute, packet, {}, route.receiver, route.sender);
  side.mute->since = side.first_told;
}

// ---- queries

// True if the capture may lack a message that disproves the problem. For `mute`, this is any message of the side that
// seems to send none. For values that end, it is a despawn or a call that changes the authority, right after the last
// values.
bool MpCauses::may_be_disproved_uncaptured(const MpCause &cause, const MpPacket &packet) const {
  constexpr std::int64_t least = second / 10;
  constexpr std::int64_t longest = std::int64_t{1} << 61;
  if (cause.fault == MpFault::mute) {
    return may_have_capture_gap(packet, deliveries_, 1 - packet.end, {packet_position_zero, -longest, longest});
  }
  if (cause.fault != MpFault::values_end && cause.fault != MpFault::owner_ends) return false;
  const std::int64_t last = std::clamp(packet.time, -longest, longest) - std::clamp(cause.time, -longest, longest);
  const std::int64_t until = last + std::clamp(4 * std::min(cause.usual, longest / 4), least, long_pause);
  const MpPeriod period{cause.since, last, until};
  return may_have_capture_gap(packet, deliveries_, packet.end, period) ||
         (cause.fault == MpFault::owner_ends && may_have_capture_gap(packet, deliveries_, 1 - packet.end, period));
}

const MpCause *MpCauses::find(const MpPacket &packet, const MpCause *before) const {
  if (causes_.empty()) return nullptr;
  const PacketPosition moment = packet.moment;
  const auto *first = by_moment_.find(moment);
  if (first == nullptr) return nullptr;
  bool is_behind = before == nullptr;
  for (std::size_t i = first->value; i < causes_.size() && causes_[i].moment == moment; ++i) {
    if (is_behind && !causes_[i].is_withdrawn && !may_be_disproved_uncaptured(causes_[i], packet)) return &causes_[i];
    is_behind = is_behind || &causes_[i] == before;
  }
  return nullptr;
}

const MpCause *MpCauses::rivalry(const MpPacket &packet, MpCommand command, const MpFields &object,
                                 const MpNumbering &numbering) const {
  if (!peers_.shared().causes.has_rivals_ || !numbering.is_for_one()) return nullptr;
  const bool has_path = object.has(MpField::path_id);
  const std::uint32_t number = object.number(has_path ? MpField::path_id : MpField::net_id);
  const auto *found = flows_.find({numbering.owner, numbering.listener, has_path ? number | mp_flag_other : number});
  if (found == nullptr) return nullptr;
  const Flow &flow = *found->value;
  // The number may have belonged to another node.
  const MpNode *node = flow.spawn == nullptr ? nullptr : nodes_.find(numbering, number, packet.moment);
  if (flow.spawn != nullptr && (node == nullptr || node->spawn != flow.spawn)) return nullptr;
  const Rivalry *rivalry = flow.rivalry;
  if (rivalry == nullptr && flow.writers != nullptr && command == MpCommand::sync) rivalry = &flow.writers->rivalry;
  if (rivalry == nullptr || rivalry->cause == nullptr || rivalry->cause->is_withdrawn) return nullptr;
  return packet.moment < rivalry->first || rivalry->last < packet.moment ? nullptr : rivalry->cause;
}

bool MpCauses::is_silent(unsigned end) const { return sides_[end].messages == 0; }

bool MpCauses::is_mute(unsigned end) const {
  const MpCause *mute = sides_[1 - end].mute;
  return mute != nullptr && !mute->is_withdrawn;
}

}  // namespace godot_codec
