// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/undecrypted.h"

#include "plugin/epan/dtls_reason.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame.h"
#include "plugin/webrtc/associations.h"
#include "plugin/webrtc/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::DtlsHandshake;

int proto_webrtc = -1;

const char *reason_for(const DtlsHandshake &handshake, packet_info *pinfo) {
  if (const char *reason = reason_for_undecrypted_dtls(handshake, pinfo); reason != nullptr) return reason;
  return wmem_strdup_printf(
      pinfo->pool,
      "no keys for the handshake in frame %u: Firefox writes keys to SSLKEYLOGFILE; Chromium writes no keys, but can log its SCTP packets",
      handshake.hello);
}

// Number of undecrypted datagrams before a report. In DTLS 1.3, the end of the handshake looks like data, too.
std::uint32_t report_threshold(const DtlsHandshake &handshake) { return handshake.is_1_3 ? 12 : 1; }

// If the data of one end was decrypted, Wireshark has the keys. To decrypt the other end's data in DTLS 1.2, it also
// needs the end of the handshake.
bool may_be_undecryptable(const IceConnection &connection, const DtlsHandshake &handshake, unsigned sender) {
  return !connection.is_decrypted[sender] && (!connection.is_decrypted[1 - sender] || handshake.lacks_end_of_1_2());
}

bool is_report_due(IceConnection &connection, const DtlsHandshake &handshake, unsigned sender,
                   const packet_info *pinfo) {
  if (!may_be_undecryptable(connection, handshake, sender)) return false;
  if (may_learn(pinfo) && connection.reported_frame == 0 && ++connection.undecrypted >= report_threshold(handshake)) {
    connection.reported_frame = pinfo->num;
  }
  return connection.reported_frame == pinfo->num;
}

// A known game: by its signalling, or because the capture contains other Godot traffic.
bool is_known_game(const IceConnection &connection) { return has_game_frames() || is_signalled(connection); }

}  // namespace

void report_undecrypted_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  IceConnection &connection = *datagram.pair->connection;
  if (is_sctp_begun(pinfo)) {
    connection.is_decrypted[datagram.sender] = true;
    return;
  }
  const DtlsHandshake &handshake = session_pair(*datagram.pair).handshake;
  if (!is_report_due(connection, handshake, datagram.sender, pinfo)) return;
  const char *reason = reason_for(handshake, pinfo);
  const char *what =
      is_known_game(connection) ? reason : wmem_strdup_printf(pinfo->pool, "%s (if this is the game)", reason);
  add_undecrypted_connection(tvb, pinfo, tree, what, reason);
}

void add_undecrypted_connection(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const char *what,
                                const char *reason) {
  proto_item *item = proto_tree_add_protocol_format(tree, proto_webrtc, tvb, 0, 0, "WebRTC data channels: %s", reason);
  proto_item_set_generated(item);
  add_problem(pinfo, item,
              {.rule = &webrtc_experts.undecrypted,
               .text = wmem_strdup_printf(pinfo->pool, "This WebRTC connection cannot be decrypted: %s", reason),
               .subject = what,
               .protocol = "WebRTC"});
  col_append_fstr(pinfo->cinfo, COL_INFO, " [WebRTC, cannot be decrypted: %s]", reason);
}

void register_undecrypted(int proto) { proto_webrtc = proto; }

}  // namespace godot_plugin
