// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plugin/epan/packet_info.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/rules.h"

namespace godot_plugin {
namespace {

using godot_codec::mp_side;

ExpertItem authentication{
    {"godot_mp.authentication", PI_SEQUENCE, PI_WARN,
     "Authentication that is never completed, or a message dropped because of it (two-pass)"},
    {.weight = 180,
     .advice =
         "Set auth_callback on both sides. Each side sends its data with send_auth(), and calls complete_auth() if the received data is right."}};

// Limits for the default of SceneMultiplayer.auth_timeout, 3 s. Godot counts the time from the connection on, and
// checks it once per game frame.
constexpr std::int64_t min_auth_timeout = 29 * (godot_codec::nanoseconds_per_second / 10);

constexpr std::int64_t max_auth_timeout = 34 * (godot_codec::nanoseconds_per_second / 10);

// A side that disconnects earlier disconnects on purpose, not because of SceneMultiplayer.auth_timeout.
constexpr std::int64_t authentication_timeout = 5 * godot_codec::nanoseconds_per_second / 2;

// True if the receiver waits for authentication at a position, so it drops all other messages.
bool is_authentication_pending(const MpDissection &dissection, PacketPosition position) {
  const MpPacket &packet = dissection.packet;
  const godot_codec::MpAuthentication &receiver = dissection.peers().authentication(1 - packet.sender_side);
  const bool has_begun = receiver.first_command.packet != 0 && receiver.first_command < position;
  const bool has_completed = receiver.completed_at.packet != 0 && receiver.completed_at < position;
  return packet.has_roles() && has_begun && !has_completed;
}

// True if the capture may lack a message of the authentication.
bool may_lack_authentication(const MpPacket &packet) {
  const godot_codec::MpPeriod period{.until = std::min(packet.time, godot_codec::mp_max_time) + max_auth_timeout};
  return godot_codec::may_have_capture_gap(packet, 0, period) || godot_codec::may_have_capture_gap(packet, 1, period);
}

// Returns `7 bytes, "letmein"` for the data of an authentication message.
const char *describe_authentication_data(const MpDissection &dissection, const MpResolvedMessage &message) {
  constexpr std::size_t max_shown = 40;
  const std::string_view data = message.fields.text(MpField::data);
  const bool is_text = !data.empty() && data.size() <= max_shown &&
                       std::all_of(data.begin(), data.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return dissection.format("%zu byte%s%s", data.size(), data.size() == 1 ? "" : "s",
                           is_text ? dissection.format(", \"%s\"", dissection.printable(data)) : "");
}

// Describes that the other side rejected the data of this message.
Finding describe_rejected_data(const MpDissection &dissection, const MpResolvedMessage &message,
                               const godot_codec::DisconnectInfo &disconnect) {
  const MpPacket &packet = dissection.packet;
  return {
      .expert = &authentication,
      .text = dissection.format(
          "%s rejected the authentication data of %s (frame %u: %s), and closed the connection (frame %u)",
          describe_peer(dissection, mp_side(1 - packet.sender_side), true),
          describe_peer(dissection, mp_side(packet.sender_side), false), packet.position.packet,
          describe_authentication_data(dissection, message), disconnect.position.packet),
      .info_mark = "refused",
      .advice =
          disconnect.is_by_client
              ? "In send_auth() on the server, send the data that the client's auth_callback expects (a password, a version)."
              : "In send_auth() on the client, send the data that the server's auth_callback expects (a password, a version).",
      .disconnect_frame = disconnect.position.packet};
}

Finding describe_incomplete(const char *text, const char *advice = nullptr) {
  return {.expert = &authentication, .text = text, .info_mark = "never completed", .advice = advice};
}

constexpr const char *drops_messages =
    "%s waits for authentication, but %s sends other messages instead, so Godot drops these messages";
constexpr const char *advice_about_completion =
    "Call complete_auth() on both sides: in auth_callback, if the received data is right.";

// Finds a side that does not complete the authentication or does not take part.
// @param end the side that requires the authentication @param is_long false if the capture may lack the end of the
// authentication
Finding find_incomplete_side(const MpDissection &dissection, unsigned end, bool is_long) {
  const godot_codec::MpAuthentication &own = dissection.peers().authentication(end);
  const godot_codec::MpAuthentication &other = dissection.peers().authentication(1 - end);
  const char *other_name = describe_peer(dissection, mp_side(1 - end), false);
  if (own.first_command.packet == 0) return {};
  if (other.first_command.packet != 0) {
    if (!is_long || own.completed_at.packet != 0) return {};
    return describe_incomplete(
        dissection.format("%s never calls complete_auth(), so the authentication is never completed",
                          describe_peer(dissection, mp_side(end), true)),
        advice_about_completion);
  }
  if (own.completed_at.packet == 0 && other.first_other_command.packet != 0) {
    return describe_incomplete(
        dissection.format(drops_messages, describe_peer(dissection, mp_side(end), true), other_name));
  }
  if (!is_long || other.first_other_command.packet != 0) return {};
  return describe_incomplete(
      dissection.format("%s has not answered the authentication data, so the authentication is never completed",
                        describe_peer(dissection, mp_side(1 - end), true)));
}

// Returns the finding of a failed authentication, if this message reports it: the first message, or the rejected
// message. For other messages, the finding has no rule.
Finding find_failed_authentication(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpPacket &packet = dissection.packet;
  const godot_codec::MpAuthentication &own = dissection.peers().authentication(packet.sender_side);
  const godot_codec::MpAuthentication &other = dissection.peers().authentication(1 - packet.sender_side);
  if (own.first_command != packet.position) return {};
  const godot_codec::DisconnectInfo disconnect = packet.delivery->disconnect_info();
  const bool have_both_begun = own.first_command.packet != 0 && other.first_command.packet != 0;
  const bool is_over = own.completed_at.packet != 0 && other.completed_at.packet != 0;
  if (disconnect.is_captured && disconnect.connection_age < authentication_timeout && have_both_begun && !is_over) {
    // The side that disconnects is the sender of this message, so its data was not rejected.
    if (disconnect.is_by_client == packet.is_from_client()) return {};
    return describe_rejected_data(dissection, message, disconnect);
  }
  if (other.first_command.packet != 0 && other.first_command < packet.position) return {};
  // If the capture ends early, it may lack the end of the authentication.
  const std::int64_t last = packet.delivery->receiver_last_packet_time();
  const bool is_long = last == godot_codec::DeliveryInfo::unknown_time ||
                       godot_codec::elapsed(packet.time, last) > authentication_timeout;
  if (is_long && have_both_begun && own.completed_at.packet == 0 && other.completed_at.packet == 0) {
    return describe_incomplete("Neither side calls complete_auth(), so the authentication is never completed",
                               advice_about_completion);
  }
  for (const unsigned end : {0U, 1U}) {
    const Finding finding = find_incomplete_side(dissection, end, is_long);
    if (finding.expert != nullptr) return finding;
  }
  return {};
}

void check_authentication(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpPacket &packet = dissection.packet;
  if (!packet.has_roles() || packet.connection == nullptr) return;
  const MpRoute ends = godot_codec::direct_route(packet);
  if (!message.is(MpCommand::auth)) {
    if (!is_authentication_pending(dissection, packet.position) || may_lack_authentication(packet)) return;
    set_drop_reason(dissection, "the receiver waits for authentication");
    report_problem(dissection, ends,
                   {.expert = &authentication,
                    .text = dissection.format(drops_messages, describe_peer(dissection, ends.receiver, true),
                                              describe_peer(dissection, ends.sender, false)),
                    .info_mark = "not authenticated"});
    return;
  }
  if (!PINFO_FD_VISITED(dissection.pinfo)) return;
  const Finding finding = find_failed_authentication(dissection, message);
  if (finding.expert != nullptr && !may_lack_authentication(packet)) report_problem(dissection, ends, finding);
}

// True if the receiver waits for an authentication and the sender does not take part. The receiver then drops
// everything and sends nothing until its auth_timeout.
bool is_authentication_unanswered(const MpDissection &dissection) {
  const MpPacket &packet = dissection.packet;
  if (!packet.has_roles() || !packet.connection->problems().is_silent(1 - packet.sender_side)) return false;
  const godot_codec::DisconnectInfo end = packet.delivery->disconnect_info();
  const bool is_by_receiver = end.is_captured && end.is_by_client != packet.is_from_client();
  const bool is_in_time = end.connection_age > min_auth_timeout && end.connection_age < max_auth_timeout;
  return is_by_receiver && is_in_time;
}

// True if the receiver waits for authentication now or at the end of the capture.
bool is_authentication_incomplete(const MpDissection &dissection) {
  return is_authentication_pending(dissection, dissection.packet.position) ||
         is_authentication_pending(dissection, godot_codec::packet_position_last);
}

void check_unanswered_authentication(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (is_authentication_incomplete(dissection) || !is_authentication_unanswered(dissection)) return;
  const godot_codec::DisconnectInfo end = dissection.packet.delivery->disconnect_info();
  set_drop_reason(dissection, "the receiver waits for authentication");
  report_problem(
      dissection, message.ids,
      {.expert = &authentication,
       .text = dissection.format(
           "%s sent nothing and disconnected after %.1f s (frame %u). It probably waited for authentication, because the default auth_timeout is 3 s",
           describe_peer(dissection, message.ids.receiver, true),
           static_cast<double>(end.connection_age) / godot_codec::nanoseconds_per_second, end.position.packet),
       .info_mark = "not authenticated",
       .advice =
           "Set auth_callback on both sides, or on neither. With auth_callback, each side must call complete_auth().",
       .disconnect_frame = end.position.packet});
}

constexpr MpRule rules[] = {
    {all_commands, check_unanswered_authentication},
    {all_commands, check_authentication},
};

}  // namespace

MpRules authentication_rules() { return rules; }

bool is_dropped_as_unauthenticated(const MpDissection &dissection) {
  return is_authentication_incomplete(dissection) || is_authentication_unanswered(dissection);
}

}  // namespace godot_plugin
