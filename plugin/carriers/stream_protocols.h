// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocols that a TCP stream may carry: how their messages are measured, and who dissects one.
#pragma once

#include <cstdint>

#include "godot-codec/core/confidence.h"
#include "godot-codec/recognise/stream_chooser.h"
#include "godot-codec/stream/framing.h"
#include "godot-codec/stream/rules.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct StreamProtocol {
  const char *column;  ///< the protocol's name in the list
  godot_codec::MeasureMessage measure;
  /// @returns how well the message fits
  godot_codec::Confidence (*dissect)(const Message &message, packet_info *pinfo, proto_tree *tree);
};

[[nodiscard]] const StreamProtocol &protocol_of(godot_codec::StreamOwner owner);
/// The number that epan has for it.
[[nodiscard]] int proto_of(godot_codec::StreamOwner owner);

/// The longest message that is believed in.
[[nodiscard]] std::uint32_t max_length_of(godot_codec::StreamOwner owner);
/// By StreamOwner.
[[nodiscard]] godot_codec::StreamRules stream_rules();
[[nodiscard]] godot_codec::StreamOptions options_of(godot_codec::StreamOwner owner);

}  // namespace godot_plugin
