// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/framing.h"

#include <span>

#include "godot-codec/multiplayer/field_reader.h"

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

// The system messages of Godot 3's transports by their number (NetworkedMultiplayerENet: SYSMSG_*,
// WebSocketMultiplayerPeer: SYS_*). Over WebSocket, the number 0 means that a command follows.
constexpr MpCommand enet_messages3[] = {add_peer, remove_peer};
constexpr MpCommand websocket_messages3[] = {add_peer, remove_peer, peer_id};

class PrefixReader {
 public:
  PrefixReader(Bytes packet, MpPrefix &prefix) : reader_(packet, 0, prefix.fields), prefix_(prefix) {}

  void read(MpFraming framing) {
    prefix_.generation = mp_generation(framing);
    switch (framing) {
      case MpFraming::none:
        prefix_.has_command = true;
        break;
      case MpFraming::websocket_id:
        read_system_message(peer_id);
        break;
      case MpFraming::enet3:
        read_source_and_target();
        break;
      case MpFraming::enet3_flags:
        read_source_and_target();
        reader_.read_number<std::uint32_t>(flags);
        prefix_.has_command = reader_.ok();
        break;
      case MpFraming::enet3_system:
        read_numbered_message(enet_messages3, reader_.read_number<std::uint32_t>(enet_kind));
        break;
      case MpFraming::websocket3:
        read_websocket3();
        break;
    }
    prefix_.outcome = reader_.outcome();
    prefix_.offset = reader_.offset();
    prefix_.prefix_range = {0, reader_.unread_range().offset};
    if (!prefix_.has_command) prefix_.rest_bytes = reader_.unread_range();
  }

 private:
  void read_system_message(MpCommand command) {
    prefix_.command = command;
    prefix_.is_known = true;
    reader_.read_number<std::int32_t>(peer);
  }

  void read_source_and_target() {
    reader_.read_number<std::int32_t>(source);
    reader_.read_number<std::int32_t>(target);
    prefix_.has_command = reader_.ok();
  }

  void read_numbered_message(std::span<const MpCommand> messages, std::size_t number) {
    if (number >= messages.size()) reader_.fail_at(0, Outcome::unsupported);
    if (reader_.ok()) read_system_message(messages[number]);
  }

  void read_websocket3() {
    const auto number = reader_.read_number<std::uint8_t>(kind);
    read_source_and_target();
    if (number == 0) return;
    prefix_.has_command = false;
    read_numbered_message(websocket_messages3, number - 1U);
  }

  FieldReader reader_;
  MpPrefix &prefix_;
};
static_assert(std::is_trivially_destructible_v<PrefixReader>);

}  // namespace

MpPrefix read_mp_prefix(Bytes packet, MpFraming framing) {
  MpPrefix prefix;
  PrefixReader(packet, prefix).read(framing);
  return prefix;
}

}  // namespace godot_codec
