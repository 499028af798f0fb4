// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/message.h"

#include <algorithm>
#include <bit>

#include "godot-codec/core/test_counters.h"
#include "godot-codec/core/utf8.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/field_reader.h"

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

// The commands by their number. In Godot 4, bits 0-2 of the first byte are the number
// (SceneMultiplayer::NetworkCommands). The number after the last command means that the next byte is the number of a
// system command (SysCommands). In Godot 3, the first byte is the number (MultiplayerAPI::NetworkCommands).
constexpr std::uint8_t mask_command4 = 0x07;
constexpr MpCommand commands4[] = {rpc, simplify_path, confirm_path, raw, spawn, despawn, sync};
constexpr MpCommand system_commands4[] = {auth, add_peer, remove_peer, relay};
constexpr MpCommand commands3[] = {rpc, rset, simplify_path, confirm_path, raw};

constexpr MpFlag rpc_flags[] = {MpFlag::node_id_size, MpFlag::method_id_size, MpFlag::raw_or_none};
constexpr MpFlag sync_flags[] = {MpFlag::is_delta};

class MessageReader {
 public:
  MessageReader(Bytes bytes, std::size_t offset, Generation generation, MpMessage &message)
      : bytes_(bytes), command_offset_(offset), reader_(bytes, offset, message.fields), message_(message) {
    message_.generation = generation;
    message_.range = {offset, reader_.remaining()};
  }

  void read() {
    message_.first_byte = reader_.read_byte();
    if (reader_.ok()) read_command();
    message_.outcome = reader_.outcome();
    // The path of a call follows its arguments. If the capture ends within the arguments, the failure is where the
    // capture ends.
    const bool is_cut = message_.outcome == Outcome::truncated;
    message_.offset =
        is_cut ? std::min(reader_.offset(), std::max(command_offset_, bytes_.captured)) : reader_.offset();
    message_.rest_bytes = reader_.unread_range();
    if (is_bare_variant()) read_bare_variant();
  }

 private:
  // True if the bytes are one Variant, and cannot be read as another command.
  [[nodiscard]] bool is_bare_variant() const {
    const bool may_be = !message_.is_godot4() && message_.outcome != Outcome::truncated &&
                        (message_.command == raw || message_.outcome != Outcome::ok);
    if (!may_be) return false;
    const WalkResult result = check_variant(bytes_, command_offset_, mp_encoding(Generation::godot3), {});
    return result.outcome == Outcome::ok && result.offset == bytes_.reported &&
           !result.notes.intersects(never_sent_notes(Dialect::godot3));
  }

  void read_bare_variant() {
    set_command(raw);
    message_.is_bare_variant = true;
    message_.outcome = Outcome::ok;
    message_.offset = bytes_.reported;
    message_.fields = {};
    message_.variants = {message_.range, 1};
    message_.rest_bytes = {bytes_.reported, 0};
  }

  void read_command() {
    if (!message_.is_godot4()) return read_numbered_command(commands3, message_.first_byte, command_offset_);
    if (!is_mp_system_command(message_.first_byte))
      return read_numbered_command(commands4, message_.first_byte & mask_command4, command_offset_);
    const auto number = reader_.read_number<std::uint8_t>(kind);
    if (reader_.ok()) read_numbered_command(system_commands4, number, command_offset_ + 1);
  }

  // @param offset of the number
  void read_numbered_command(std::span<const MpCommand> commands, std::size_t number, std::size_t offset) {
    if (number >= commands.size()) return reader_.fail_at(offset, Outcome::unsupported);
    set_command(commands[number]);
    read_content();
  }

  void set_command(MpCommand command) {
    message_.command = command;
    message_.is_known = true;
  }

  void read_content() {
    switch (message_.command) {
      case rpc:
        return message_.is_godot4() ? read_call4() : read_call3(method);
      case rset:
        return read_call3(property);
      case simplify_path:
        if (message_.is_godot4()) read_md5();
        reader_.read_number<std::uint32_t>(path_id);
        return reader_.read_text(path);
      case confirm_path:
        return message_.is_godot4() ? read_confirm4() : reader_.read_text(path);
      case raw:
        return read_raw();
      case spawn:
        return read_spawn();
      case despawn:
        reader_.read_number<std::uint32_t>(net_id);
        return;
      case sync:
        return read_sync();
      case auth:
        return reader_.read_rest(data);
      case add_peer:
      case remove_peer:
        reader_.read_number<std::int32_t>(peer);
        return;
      case relay:
        return read_relay();
      default:
        return;  // not in the tables of commands
    }
  }

  void read_call4() {
    bool has_path = false;
    switch (message_.flag(MpFlag::node_id_size)) {
      case 0:
        reader_.read_number<std::uint8_t>(path_id);
        break;
      case 1:
        reader_.read_number<std::uint16_t>(path_id);
        break;
      case 2:
        has_path = reader_.read_number_or(path_id, path_offset);
        break;
      default:
        reader_.fail_at(command_offset_, Outcome::malformed);
        break;
    }
    if (message_.flag(MpFlag::method_id_size) == 0) {
      reader_.read_number<std::uint8_t>(method_id);
    } else {
      reader_.read_number<std::uint16_t>(method_id);
    }
    const bool has_variants = message_.flag(MpFlag::raw_or_none) == 0;
    const std::uint32_t count = has_variants ? reader_.read_number<std::uint8_t>(argc) : 0;
    const std::size_t end = find_arguments_end(has_path);
    if (!reader_.ok()) return;
    if (has_variants) {
      message_.variants = {reader_.skip(end - reader_.offset()), count};
    } else if (end > reader_.offset()) {
      reader_.read_bytes(data, end - reader_.offset());
    }
    if (has_path) reader_.read_text(path);
  }

  void read_call3(MpField name) {
    const bool has_path = reader_.read_number_or(path_id, path_offset);
    reader_.read_text(name);
    const std::uint32_t count = name == method ? reader_.read_number<std::uint8_t>(argc) : 1;
    const std::size_t end = find_arguments_end(has_path);
    if (!reader_.ok()) return;
    message_.variants = {reader_.skip(end - reader_.offset()), count};
    if (has_path) reader_.read_text(path);
  }

  // Returns the offset after the arguments. If the call contains the path of the node, the path follows the arguments.
  std::size_t find_arguments_end(bool has_path) {
    if (!has_path || !reader_.ok()) return bytes_.reported;
    const MpFieldValue *value = message_.fields.find(path_offset);
    const std::size_t path_at = command_offset_ + static_cast<std::size_t>(value->integer);
    if (path_at < reader_.offset() || path_at >= bytes_.reported) {
      reader_.fail_at(value->range.offset, Outcome::malformed);
    }
    return path_at;
  }

  void read_md5() {
    reader_.read_bytes(md5, mp_md5_digits);
    const std::size_t zero_at = reader_.offset();
    if (reader_.read_byte() != 0) reader_.fail_at(zero_at, Outcome::malformed);
  }

  void read_confirm4() {
    reader_.read_boolean(valid);
    if (!reader_.ok()) return;
    if (confirms_by_path()) {
      reader_.read_text(path);
    } else {
      reader_.read_number<std::uint32_t>(path_id);
    }
  }

  // True if a confirmation contains the path instead of the path id, as in versions before about Godot 4.3. Messages do
  // not contain the version. Printable bytes with a zero as the last byte of the message are a path: as a path id, they
  // would be larger than two million.
  [[nodiscard]] bool confirms_by_path() const {
    const std::size_t start = reader_.offset();
    const std::size_t last = bytes_.reported - 1;
    const std::size_t seen = std::min(last, bytes_.captured);
    if (start >= seen) return false;
    const bool ends_in_zero = bytes_.captured < bytes_.reported || bytes_.data[last] == 0;
    return ends_in_zero && std::all_of(bytes_.data + start, bytes_.data + seen,
                                       [](std::uint8_t byte) { return byte >= first_printable; });
  }

  // Engines neither send nor accept a raw command without a payload.
  void read_raw() {
    if (reader_.remaining() == 0) reader_.fail(Outcome::malformed);
    reader_.read_rest(data);
  }

  void read_spawn() {
    const auto index = reader_.read_number<std::uint8_t>(scene);
    reader_.read_number<std::uint32_t>(spawner);
    reader_.read_number<std::uint32_t>(net_id);
    const auto count = reader_.read_number<std::uint32_t>(sync_count);
    const auto length = reader_.read_number<std::uint32_t>(name_length);
    if (!reader_.ok()) return;
    const bool fits = count <= reader_.remaining() / mp_sync_id_size && length > 0 &&
                      length <= reader_.remaining() - count * mp_sync_id_size;
    if (!fits) {
      reader_.fail(Outcome::malformed);
      return;
    }
    message_.sync_ids = reader_.skip_captured(count * mp_sync_id_size);
    reader_.read_sized_text(name, length);
    if (index == mp_custom_scene) read_spawn_argument();
    if (reader_.ok()) message_.variants = {reader_.skip(reader_.remaining()), MpVariants::all};
  }

  void read_spawn_argument() {
    const auto size_of_value = reader_.read_number<std::uint32_t>(custom_size);
    if (size_of_value > reader_.remaining()) reader_.fail(Outcome::malformed);
    if (reader_.ok()) message_.spawn_argument = {reader_.skip(size_of_value), 1};
  }

  void read_sync() {
    if (message_.flag(MpFlag::is_delta) != 0) {
      set_command(delta);
    } else {
      reader_.read_number<std::uint16_t>(time);
    }
    if (reader_.ok()) message_.objects = reader_.skip(reader_.remaining());
  }

  void read_relay() {
    reader_.read_number<std::int32_t>(peer);
    if (reader_.remaining() == 0) reader_.fail(Outcome::malformed);
    if (reader_.ok()) message_.relayed = reader_.skip(reader_.remaining());
  }

  Bytes bytes_;
  std::size_t command_offset_;
  FieldReader reader_;
  MpMessage &message_;
};
static_assert(std::is_trivially_destructible_v<MessageReader>);

}  // namespace

MpMessage read_mp_message(Bytes bytes, std::size_t offset, Generation generation) {
  count_for_test(TestCounter::mp_commands);
  MpMessage message;
  MessageReader(bytes, offset, generation, message).read();
  return message;
}

std::span<const MpFlag> mp_command_flags(Generation generation, MpCommand command) {
  if (generation == Generation::godot3) return {};
  if (command == rpc) return rpc_flags;
  if (command == sync || command == delta) return sync_flags;
  return {};
}

std::uint8_t mp_unknown_flags(const MpMessage &message) {
  if (!message.is_godot4() || !message.is_known) return 0;
  std::uint8_t known = mask_command4;
  for (const MpFlag flag : mp_command_flags(message.generation, message.command)) known |= mp_flag_info(flag).mask;
  return message.first_byte & static_cast<std::uint8_t>(~known);
}

bool is_mp_system_command(std::uint8_t first) { return (first & mask_command4) == std::size(commands4); }

MpFieldValue read_mp_sync_id(Bytes bytes, const MpMessage &message, std::size_t index) {
  const Range range{message.sync_ids.offset + index * mp_sync_id_size, mp_sync_id_size};
  return {sync_id, range, Cursor(bytes, range.offset).read<std::uint32_t>(), {}};
}

MpItem read_mp_object(Bytes bytes, std::size_t offset, MpCommand command) {
  MpItem object;
  FieldReader reader(bytes, offset, object.fields);
  object.range = {offset, reader.remaining()};
  reader.read_number_or(net_id, path_id);
  const bool is_delta = command == delta;
  const std::uint64_t changed = is_delta ? reader.read_number<std::uint64_t>(mask) : 0;
  const auto length = reader.read_number<std::uint32_t>(size);
  if (length > reader.remaining()) reader.fail(Outcome::malformed);
  if (reader.ok()) {
    const auto count = static_cast<std::uint32_t>(std::popcount(changed));
    object.variants = {reader.skip(length), is_delta ? count : MpVariants::all};
    object.range.length = reader.offset() - offset;
  }
  object.outcome = reader.outcome();
  object.offset = reader.offset();
  return object;
}

}  // namespace godot_codec
