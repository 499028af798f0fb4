// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Wireshark's headers, and every difference between the releases 4.0, 4.4 and 4.6 that matters here.
#pragma once

// 4.0 installs no config.h, and its headers then take ssize_t for missing.
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

#include <epan/dissectors/packet-tcp.h>

#include <type_traits>

/// gboolean until 4.2, bool since 4.4.
using ws_bool = std::invoke_result_t<heur_dissector_t, tvbuff_t *, packet_info *, proto_tree *, void *>;
