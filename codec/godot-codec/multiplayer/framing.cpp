// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/framing.h"

#include "godot-codec/multiplayer/field_reader.h"

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

// The kinds of messages of Godot 3's transports (NetworkedMultiplayerENet: SYSMSG_*, WebSocketMultiplayerPeer: SYS_*).
enum class EnetSystemMessage3 : std::uint8_t { add_peer, remove_peer };
enum class WebSocketMessage3 : std::uint8_t { data, add_peer, remove_peer, peer_id };

class PrefixReader {
 public:
  explicit PrefixReader(Bytes packet) : reader_(packet, 0) {}

  MpPrefix read(MpFraming framing) {
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
        read_enet3_system();
        break;
      case MpFraming::websocket3:
        read_websocket3();
        break;
    }
    prefix_.outcome = reader_.cursor().outcome();
    prefix_.offset = reader_.offset();
    prefix_.prefix_range = {0, reader_.unread_range().offset};
    prefix_.fields = reader_.fields();
    if (!prefix_.has_command) prefix_.rest_bytes = reader_.unread_range();
    return prefix_;
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

  void read_enet3_system() {
    const auto number = reader_.read_number<std::uint32_t>(enet_kind);
    if (!reader_.ok()) return;
    if (number == static_cast<std::uint32_t>(EnetSystemMessage3::add_peer)) {
      read_system_message(add_peer);
    } else if (number == static_cast<std::uint32_t>(EnetSystemMessage3::remove_peer)) {
      read_system_message(remove_peer);
    } else {
      reader_.fail_at(0, Outcome::unsupported);
    }
  }

  void read_websocket3() {
    const auto number = reader_.read_number<std::uint8_t>(kind);
    read_source_and_target();
    if (!reader_.ok()) return;
    prefix_.has_command = number == static_cast<std::uint8_t>(WebSocketMessage3::data);
    switch (static_cast<WebSocketMessage3>(number)) {
      case WebSocketMessage3::data:
        return;
      case WebSocketMessage3::add_peer:
        read_system_message(add_peer);
        return;
      case WebSocketMessage3::remove_peer:
        read_system_message(remove_peer);
        return;
      case WebSocketMessage3::peer_id:
        read_system_message(peer_id);
        return;
    }
    reader_.fail_at(0, Outcome::unsupported);
  }

  FieldReader reader_;
  MpPrefix prefix_;
};
static_assert(std::is_trivially_destructible_v<PrefixReader>);

}  // namespace

MpPrefix read_mp_prefix(Bytes packet, MpFraming framing) { return PrefixReader(packet).read(framing); }

}  // namespace godot_codec
