// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TLS as a carrier: streams as in TCP, but nothing is lost, and parts have no numbers of their own.
#pragma once

namespace godot_plugin {

/// Registers what is remembered of streams.
void register_tls();

/// Hooks the protocols that streams carry onto ports and the list of heuristics. To be called once they are registered.
void handoff_tls();

}  // namespace godot_plugin
