// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/dark.h"

#include "plugin/epan/dtls_reason.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/problem.h"
#include "plugin/statistics/frame.h"
#include "plugin/webrtc/associations.h"
#include "plugin/webrtc/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::DtlsHandshake;

int proto_webrtc = -1;

const char *reason_for(const DtlsHandshake &handshake, packet_info *pinfo) {
  if (const char *reason = reason_of_dark_dtls(handshake, pinfo); reason != nullptr) return reason;
  return wmem_strdup_printf(pinfo->pool,
                            "no keys for the handshake in frame %u: Firefox writes them to SSLKEYLOGFILE, Chromium "
                            "writes none, but a log of its SCTP packets",
                            handshake.hello);
}

// DTLS 1.3 hides the end of its handshake, too.
std::uint32_t patience_with(const DtlsHandshake &handshake) { return handshake.is_1_3 ? 12 : 1; }

bool is_dark(IceConnection &connection, const DtlsHandshake &handshake, packet_info *pinfo) {
  if (may_learn(pinfo) && connection.told == 0 && !connection.is_read) {
    if (++connection.unread >= patience_with(handshake)) connection.told = pinfo->num;
  }
  return connection.told == pinfo->num && !connection.is_read;
}

// By its signalling, or as others in the capture are Godot's.
bool is_known_game(const IceConnection &connection) { return is_any_frame_ours() || is_signalled(connection); }

}  // namespace

void tell_of_dark_data(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (is_sctp_begun(pinfo)) {
    pair.connection->is_read = true;
    return;
  }
  const DtlsHandshake &handshake = (pair.session == nullptr ? pair : *pair.session).handshake;
  if (!is_dark(*pair.connection, handshake, pinfo)) return;
  const char *reason = reason_for(handshake, pinfo);
  const char *what =
      is_known_game(*pair.connection) ? reason : wmem_strdup_printf(pinfo->pool, "%s (if it is the game's)", reason);
  draw_dark_connection(tvb, pinfo, tree, what, reason);
}

void draw_dark_connection(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const char *what, const char *reason) {
  proto_item *item = proto_tree_add_protocol_format(tree, proto_webrtc, tvb, 0, 0, "WebRTC data channels: %s", reason);
  proto_item_set_generated(item);
  const char *carrier = pinfo->current_proto;
  pinfo->current_proto = "WebRTC";  // who tells: the list of expert items has it
  add_problem(pinfo, item, &webrtc_experts.undecrypted, {what, nullptr, nullptr, nullptr},
              "This WebRTC connection is not readable: %s", reason);
  pinfo->current_proto = carrier;
  col_append_fstr(pinfo->cinfo, COL_INFO, " [WebRTC, not readable: %s]", reason);
}

void register_dark(int proto) { proto_webrtc = proto; }

}  // namespace godot_plugin
