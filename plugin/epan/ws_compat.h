// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Includes Wireshark's headers, and hides the differences between Wireshark 4.0, 4.2, 4.4 and 4.6.
#pragma once

// Wireshark 4.0 does not install config.h, and its headers then assume that ssize_t is missing.
#ifndef HAVE_SSIZE_T
#define HAVE_SSIZE_T 1
#endif

#include <epan/conversation.h>
#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tvbuff.h>
#include <ws_version.h>

#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 6
#include <epan/tfs.h>
#endif

#include <epan/addr_resolv.h>
// These headers lack extern "C". Headers that they include are included above, so that only these get C linkage.
extern "C" {
#include <epan/conversation_table.h>
#include <epan/decode_as.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/dissectors/packet-tls.h>
#include <epan/follow.h>
#include <epan/reassemble.h>
#include <epan/show_exception.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
// Declared here, because <epan/dissectors/packet-tls-utils.h> needs GnuTLS's headers.
WS_DLL_PUBLIC void tls_set_appdata_dissector(dissector_handle_t tls_handle, packet_info *pinfo,
                                             dissector_handle_t app_handle);
}

#include <cstdint>
#include <type_traits>

/// gboolean until 4.2, bool since 4.4.
using ws_bool = std::invoke_result_t<heur_dissector_t, tvbuff_t *, packet_info *, proto_tree *, void *>;

/// Since 4.2, register_follow_stream() takes a count of the streams and an iterator of sub-streams.
inline void ws_register_follow_stream(int proto, const char *tap, follow_conv_filter_func packet_filter,
                                      follow_index_filter_func index_filter, follow_address_filter_func address_filter,
                                      follow_port_to_display_func port_name, tap_packet_cb listener,
                                      std::uint32_t (*stream_count)()) {
#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 2
  register_follow_stream(proto, tap, packet_filter, index_filter, address_filter, port_name, listener, stream_count,
                         nullptr);
#else
  static_cast<void>(stream_count);
  register_follow_stream(proto, tap, packet_filter, index_filter, address_filter, port_name, listener);
#endif
}

/// dissector_try_uint_new() is deprecated since 4.6.
inline int ws_try_port(dissector_table_t table, std::uint32_t port, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                       void *data) {
#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 6
  return dissector_try_uint_with_data(table, port, tvb, pinfo, tree, true, data);
#else
  return dissector_try_uint_new(table, port, tvb, pinfo, tree, true, data);
#endif
}

/// mark_frame_as_depended_upon() takes the packet in Wireshark 4.0, and the frame in later releases.
template <typename Packet>
void ws_mark_frame_as_depended_upon(Packet *pinfo, std::uint32_t frame) {
  if constexpr (std::is_invocable_v<decltype(mark_frame_as_depended_upon), Packet *, std::uint32_t>) {
    mark_frame_as_depended_upon(pinfo, frame);
  } else {
    mark_frame_as_depended_upon(pinfo->fd, frame);
  }
}

/// Returns the variable in which a TLS heuristic stores the dissector for the rest of the TLS session.
/// @param data the argument of the heuristic
[[nodiscard]] inline dissector_handle_t *ws_tls_dissector_slot(void *data) {
#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 2
  return static_cast<const tlsinfo *>(data)->app_handle;
#else
  return static_cast<dissector_handle_t *>(data);
#endif
}

/// The title of a table. Since Wireshark 4.6, the part before a slash becomes a submenu. Earlier versions sort the
/// Statistics menu with strcmp(), so capitals precede small letters.
#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 6
#define GODOT_TABLE(name) "Godot/" name
#else
#define GODOT_TABLE(name) "Godot " name
#endif

/// Adds the heading of the port preferences. Call before dissector_add_uint_range_with_preference(), which adds the
/// ports.
inline void begin_port_preferences(module_t *module) {
  prefs_register_static_text_preference(module, "ports", "Ports: only if the game is not detected", "");
}

/// Adds the heading of the advanced preferences, which follow the port preferences. Call after all ports are
/// registered.
/// @returns the protocol's module
inline module_t *begin_advanced_preferences(const char *protocol) {
  module_t *module = prefs_find_module(protocol);
  prefs_register_static_text_preference(module, "advanced", "Advanced: only if something is decoded wrongly", "");
  return module;
}

/// Returns the frame's tvb; null if it does not exist.
[[nodiscard]] inline tvbuff_t *ws_frame_tvb(const packet_info *pinfo) {
  const GSList *first = pinfo->data_src;
  return first == nullptr ? nullptr : get_data_source_tvb(static_cast<const data_source *>(first->data));
}
