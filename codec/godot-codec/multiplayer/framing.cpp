// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/framing.h"

#include <type_traits>

#include "godot-codec/multiplayer/field_reader.h"

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

// The kinds of messages of Godot 3's transports (NetworkedMultiplayerENet: SYSMSG_*, WebSocketMultiplayerPeer: SYS_*).
enum class EnetKind3 : std::uint8_t { add_peer, remove_peer };
enum class WebSocketKind3 : std::uint8_t { data, add_peer, remove_peer, peer_id };

class PrefixReader {
 public:
  explicit PrefixReader(Bytes packet) : reader_(packet, 0) {}

  MpPrefix run(MpFraming framing) {
    switch (framing) {
      case MpFraming::none:
        prefix_.has_message = true;
        break;
      case MpFraming::websocket_id:
        read_peer(peer_id);
        break;
      case MpFraming::enet3:
        read_peers();
        break;
      case MpFraming::enet3_flags:
        read_peers();
        reader_.number<std::uint32_t>(flags);
        prefix_.has_message = reader_.ok();
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
    prefix_.range = {0, reader_.rest().offset};
    prefix_.fields = reader_.fields();
    if (!prefix_.has_message) prefix_.rest = reader_.rest();
    return prefix_;
  }

 private:
  void read_peer(MpCommand command) {
    prefix_.command = command;
    prefix_.is_known = true;
    reader_.number<std::int32_t>(peer);
  }

  void read_peers() {
    reader_.number<std::int32_t>(source);
    reader_.number<std::int32_t>(target);
    prefix_.has_message = reader_.ok();
  }

  void read_enet3_system() {
    const auto number = reader_.number<std::uint32_t>(enet_kind);
    if (!reader_.ok()) return;
    if (number == static_cast<std::uint32_t>(EnetKind3::add_peer)) {
      read_peer(add_peer);
    } else if (number == static_cast<std::uint32_t>(EnetKind3::remove_peer)) {
      read_peer(remove_peer);
    } else {
      reader_.fail_at(0, Outcome::unsupported);
    }
  }

  void read_websocket3() {
    const auto number = reader_.number<std::uint8_t>(kind);
    read_peers();
    if (!reader_.ok()) return;
    prefix_.has_message = number == static_cast<std::uint8_t>(WebSocketKind3::data);
    switch (static_cast<WebSocketKind3>(number)) {
      case WebSocketKind3::data:
        return;
      case WebSocketKind3::add_peer:
        read_peer(add_peer);
        return;
      case WebSocketKind3::remove_peer:
        read_peer(remove_peer);
        return;
      case WebSocketKind3::peer_id:
        read_peer(peer_id);
        return;
    }
    reader_.fail_at(0, Outcome::unsupported);
  }

  FieldReader reader_;
  MpPrefix prefix_;
};
static_assert(std::is_trivially_destructible_v<PrefixReader>);

}  // namespace

MpPrefix read_mp_prefix(Bytes packet, MpFraming framing) { return PrefixReader(packet).run(framing); }

}  // namespace godot_codec
