// SPDX-License-Identifier: GPL-2.0-or-later
// What to do about a problem, by the field that its display filter begins with: plugin/statistics/problems.cpp. What a
// cause's own words say is not said again.

const advice = {
  'godot.dialect.mixed': 'Run the same release of the engine on both sides.',
  'godot.length.big_endian.differs': 'Set big_endian to the same on both sides, before the first packet.',
  'godot_mp.checksum_failed': 'Export server and client from the same sources: each node needs the same @rpc methods on both sides.',
  'godot_mp.after_checksum_failure': 'Export server and client from the same sources: each node needs the same @rpc methods on both sides.',
  'godot_mp.unlisted_scene': 'Add the scene to the spawner\'s Auto Spawn List.',
  'godot_mp.unconfirmed_path': 'The receiver needs a node of this path before the first call: is it added later there, in another place, under another name (add_child(node, true) keeps names readable)?',
  'godot_mp.untold_path': 'Did the receiver connect, or get the node, later than the others? Call the node once more, when the receiver has it.',
  'godot_mp.unknown_node': 'Call the node only while the receiver has it: after its spawn, before its queue_free().',
  'godot_mp.refused': 'Declare the method @rpc("any_peer"), or let the node\'s authority call it.',
  'godot_mp.not_allowed': 'Declare the method @rpc("any_peer"), or let the node\'s authority call it.',
  'godot_mp.signature_mismatch': 'Give it as many arguments as the receiver\'s script declares, of those types: have both sides the same script?',
  'godot_mp.arguments_lost': 'Send plain values: an id, a path, a Dictionary, instead of an object.',
  'enet.lost_fragments': 'Send less at once, or send it reliably: one lost fragment loses the whole message.',
  'enet.waits': 'What is newest only (positions) goes unreliable; what must not wait for it gets a channel of its own.',
  'enet.hitch': 'What did it do then? The time line shows its last message before. ResourceLoader.load_threaded_request() loads without stopping the game.',
  'enet.retransmitted': 'A few are the network\'s. Many on Wi-Fi: less at once, and unreliable for what a newer value replaces.',
  'enet.unacknowledged': 'Does the receiver poll its peer each frame? Is one of the directions blocked on the way?',
  'enet.slow_frames': 'Nothing is answered faster than the receiver\'s frames come: what keeps it busy?',
  'enet.peer_gone': 'multiplayer_peer.close() before the program ends tells the others at once.',
};

/** @returns what to do; empty: the words of the problem say it */
export const adviceFor = (filter) => advice[/[a-z_]+(?:\.[a-z_]+)+/.exec(filter)?.[0]] ?? '';
