// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/message.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

// Godot 4: the command in the first byte, and the kind of a system command (SceneMultiplayer::NetworkCommands,
// SysCommands).
constexpr std::uint8_t mask_command4 = 0x07;
enum class Wire4 : std::uint8_t { remote_call, simplify_path, confirm_path, raw, spawn, despawn, sync, system };
enum class System4 : std::uint8_t { auth, add_peer, remove_peer, relay };

// Godot 3: the first byte (MultiplayerAPI::NetworkCommands), and the kinds that its transports know
// (NetworkedMultiplayerENet: SYSMSG_*, WebSocketMultiplayerPeer: SYS_*).
enum class Wire3 : std::uint8_t { remote_call, remote_set, simplify_path, confirm_path, raw };
enum class EnetKind3 : std::uint8_t { add_peer, remove_peer };
enum class WebSocketKind3 : std::uint8_t { data, add_peer, remove_peer, peer_id };

constexpr std::size_t sync_id_size = 4;
constexpr std::uint64_t max_enet3_flags = 2;
constexpr std::uint8_t first_printable = 0x20;

constexpr MpFlag rpc_flags[] = {MpFlag::node_id_size, MpFlag::method_id_size, MpFlag::raw_or_none};
constexpr MpFlag sync_flags[] = {MpFlag::is_delta};

// A cursor that keeps each field it reads.
class FieldReader {
 public:
  FieldReader(Bytes bytes, std::size_t offset) : bytes_(bytes), cursor_(bytes, offset), told_end_(offset) {}

  [[nodiscard]] const Cursor &cursor() const { return cursor_; }
  [[nodiscard]] bool ok() const { return cursor_.ok(); }
  [[nodiscard]] std::size_t offset() const { return cursor_.offset(); }
  [[nodiscard]] std::size_t remaining() const { return cursor_.remaining(); }
  [[nodiscard]] const MpFields &fields() const { return fields_; }

  void fail(Outcome outcome) { cursor_.fail(outcome); }
  void fail_at(std::size_t offset, Outcome outcome) {
    if (!ok()) return;
    cursor_ = Cursor(bytes_, offset);
    cursor_.fail(outcome);
  }
  void move_to(std::size_t offset) {
    if (ok()) cursor_ = Cursor(bytes_, offset);
  }

  // A byte that is no field.
  std::uint8_t byte() {
    const auto value = cursor_.read<std::uint8_t>();
    tell(offset());
    return value;
  }

  template <typename T>
  T number(MpField field) {
    const std::size_t start = offset();
    const T value = cursor_.read<T>();
    add(field, {start, sizeof value}, static_cast<std::uint64_t>(value));
    return value;
  }

  void boolean(MpField field) {
    const std::size_t start = offset();
    const auto value = cursor_.read<std::uint8_t>();
    add(field, {start, sizeof value}, value != 0 ? 1 : 0);
  }

  // A number of which bit 31 says that bits 0-30 are something else. @returns whether they are
  bool number_or(MpField field, MpField other) {
    const std::size_t start = offset();
    const auto value = cursor_.read<std::uint32_t>();
    const bool is_other = (value & mp_flag_other) != 0;
    add(is_other ? other : field, {start, sizeof value}, value & ~mp_flag_other);
    return is_other;
  }

  void bytes(MpField field, std::size_t length) {
    const std::size_t start = offset();
    const auto *text = reinterpret_cast<const char *>(cursor_.take(length));
    if (text != nullptr) add(field, {start, length}, 0, {text, length});
  }

  // What is left of the bytes, if anything.
  void rest_as(MpField field) {
    if (remaining() > 0) bytes(field, remaining());
  }

  // A text and its zero.
  void text(MpField field) {
    const std::size_t start = offset();
    const std::size_t available = start < bytes_.captured ? bytes_.captured - start : 0;
    const void *zero = ok() && available > 0 ? std::memchr(bytes_.data + start, 0, available) : nullptr;
    if (zero == nullptr) {
      fail(bytes_.captured < bytes_.reported ? Outcome::truncated : Outcome::malformed);
      return;
    }
    const auto length = static_cast<std::size_t>(static_cast<const std::uint8_t *>(zero) - (bytes_.data + start));
    bytes(field, length);
    byte();
  }

  // A text in so many bytes, the last of them its zero. Engines do without the zero, too.
  void sized_text(MpField field, std::size_t length) {
    const std::size_t start = offset();
    const std::uint8_t *text = cursor_.take(length);
    if (text == nullptr) return;
    const std::size_t text_length = length - (length > 0 && text[length - 1] == 0 ? 1 : 0);
    add(field, {start, text_length}, 0, {reinterpret_cast<const char *>(text), text_length});
    tell(start + length);
  }

  // The next bytes, which something else than a field tells. They need not be captured.
  Range skip(std::size_t length) {
    const Range range{offset(), length};
    move_to(range.end());
    tell(range.end());
    return range;
  }

  // The next bytes likewise, all of them captured.
  Range take(std::size_t length) {
    const Range range{offset(), length};
    cursor_.take(length);
    tell(range.end());
    return ok() ? range : Range{};
  }

  // What no field nor range has told.
  [[nodiscard]] Range rest() const {
    const std::size_t start = std::min(std::max(told_end_, offset()), bytes_.reported);
    return {start, bytes_.reported - start};
  }

 private:
  void tell(std::size_t end) {
    if (ok()) told_end_ = std::max(told_end_, end);
  }

  void add(MpField field, Range range, std::uint64_t integer, std::string_view text = {}) {
    if (!ok()) return;
    fields_.add({field, range, integer, text});
    tell(range.end());
  }

  Bytes bytes_;
  Cursor cursor_;
  std::size_t told_end_;
  MpFields fields_;
};
static_assert(std::is_trivially_destructible_v<FieldReader>);

class MessageReader {
 public:
  MessageReader(Bytes bytes, std::size_t offset, Generation generation)
      : bytes_(bytes), start_(offset), reader_(bytes, offset) {
    message_.generation = generation;
    message_.range = {offset, reader_.remaining()};
  }

  MpMessage run() {
    message_.first = reader_.byte();
    if (reader_.ok()) read_command();
    message_.outcome = reader_.cursor().outcome();
    // A path behind arguments that a capture cuts is missing from where the capture ends.
    const bool is_cut = message_.outcome == Outcome::truncated;
    message_.offset = is_cut ? std::min(reader_.offset(), std::max(start_, bytes_.captured)) : reader_.offset();
    message_.fields = reader_.fields();
    message_.rest = reader_.rest();
    return message_;
  }

 private:
  void read_command() {
    if (message_.generation == Generation::godot4) {
      read_command4();
    } else {
      read_command3();
    }
  }

  void set(MpCommand command) {
    message_.command = command;
    message_.is_known = true;
  }

  void read_command4() {
    switch (static_cast<Wire4>(message_.first & mask_command4)) {
      case Wire4::remote_call:
        set(rpc);
        read_call4();
        break;
      case Wire4::simplify_path:
        set(simplify_path);
        read_md5();
        reader_.number<std::uint32_t>(path_id);
        reader_.text(path);
        break;
      case Wire4::confirm_path:
        set(confirm_path);
        read_confirm4();
        break;
      case Wire4::raw:
        set(raw);
        read_raw();
        break;
      case Wire4::spawn:
        set(spawn);
        read_spawn();
        break;
      case Wire4::despawn:
        set(despawn);
        reader_.number<std::uint32_t>(net_id);
        break;
      case Wire4::sync:
        read_sync();
        break;
      case Wire4::system:
        read_system();
        break;
    }
  }

  void read_command3() {
    switch (static_cast<Wire3>(message_.first)) {
      case Wire3::remote_call:
        set(rpc);
        read_call3(method);
        break;
      case Wire3::remote_set:
        set(rset);
        read_call3(property);
        break;
      case Wire3::simplify_path:
        set(simplify_path);
        reader_.number<std::uint32_t>(path_id);
        reader_.text(path);
        break;
      case Wire3::confirm_path:
        set(confirm_path);
        reader_.text(path);
        break;
      case Wire3::raw:
        set(raw);
        read_raw();
        break;
      default:
        reader_.fail_at(start_, Outcome::unsupported);
        break;
    }
  }

  void read_call4() {
    bool has_path = false;
    switch (message_.flag(MpFlag::node_id_size)) {
      case 0:
        reader_.number<std::uint8_t>(path_id);
        break;
      case 1:
        reader_.number<std::uint16_t>(path_id);
        break;
      case 2:
        has_path = reader_.number_or(path_id, path_offset);
        break;
      default:
        reader_.fail_at(start_, Outcome::malformed);
        break;
    }
    if (message_.flag(MpFlag::method_id_size) == 0) {
      reader_.number<std::uint8_t>(method_id);
    } else {
      reader_.number<std::uint16_t>(method_id);
    }
    const bool has_variants = message_.flag(MpFlag::raw_or_none) == 0;
    const std::uint32_t count = has_variants ? reader_.number<std::uint8_t>(argc) : 0;
    const std::size_t end = arguments_end(has_path);
    if (!reader_.ok()) return;
    if (has_variants) {
      message_.variants = {reader_.skip(end - reader_.offset()), count};
    } else if (end > reader_.offset()) {
      reader_.bytes(data, end - reader_.offset());
    }
    if (has_path) reader_.text(path);
  }

  void read_call3(MpField name) {
    const bool has_path = reader_.number_or(path_id, path_offset);
    reader_.text(name);
    const std::uint32_t count = name == method ? reader_.number<std::uint8_t>(argc) : 1;
    const std::size_t end = arguments_end(has_path);
    if (!reader_.ok()) return;
    message_.variants = {reader_.skip(end - reader_.offset()), count};
    if (has_path) reader_.text(path);
  }

  // A path of the node, if there is one, ends the call: what is before it are arguments.
  std::size_t arguments_end(bool has_path) {
    if (!has_path || !reader_.ok()) return bytes_.reported;
    const MpValue *value = reader_.fields().find(path_offset);
    const std::size_t path_at = start_ + static_cast<std::size_t>(value->integer);
    if (path_at < reader_.offset() || path_at >= bytes_.reported) {
      reader_.fail_at(value->range.offset, Outcome::malformed);
    }
    return path_at;
  }

  void read_md5() {
    reader_.bytes(md5, mp_md5_digits);
    const std::size_t zero_at = reader_.offset();
    if (reader_.byte() != 0) reader_.fail_at(zero_at, Outcome::malformed);
  }

  void read_confirm4() {
    reader_.boolean(valid);
    if (!reader_.ok()) return;
    if (confirms_by_path()) {
      reader_.text(path);
    } else {
      reader_.number<std::uint32_t>(path_id);
    }
  }

  // Before 4.3 or so the path itself was sent back. Nothing says so; but a text that ends just where the message does
  // is, where it could be a number at all, one over two million.
  [[nodiscard]] bool confirms_by_path() const {
    const std::size_t start = reader_.offset();
    const std::size_t last = bytes_.reported - 1;
    const std::size_t seen = std::min(last, bytes_.captured);
    if (start >= seen) return false;
    const bool ends_in_zero = bytes_.captured < bytes_.reported || bytes_.data[last] == 0;
    return ends_in_zero && std::all_of(bytes_.data + start, bytes_.data + seen,
                                       [](std::uint8_t byte) { return byte >= first_printable; });
  }

  // An engine neither sends nor takes a raw command without bytes.
  void read_raw() {
    if (reader_.remaining() == 0) reader_.fail(Outcome::malformed);
    reader_.rest_as(data);
  }

  void read_spawn() {
    const auto index = reader_.number<std::uint8_t>(scene);
    reader_.number<std::uint32_t>(spawner);
    reader_.number<std::uint32_t>(net_id);
    const auto count = reader_.number<std::uint32_t>(sync_count);
    const auto length = reader_.number<std::uint32_t>(name_length);
    if (!reader_.ok()) return;
    const bool fits = count <= reader_.remaining() / sync_id_size && length > 0 &&
                      length <= reader_.remaining() - count * sync_id_size;
    if (!fits) {
      reader_.fail(Outcome::malformed);
      return;
    }
    message_.sync_ids = reader_.take(count * sync_id_size);
    reader_.sized_text(name, length);
    if (index == mp_custom_scene) read_custom();
    if (reader_.ok()) message_.variants = {reader_.skip(reader_.remaining()), MpVariants::all};
  }

  void read_custom() {
    const auto size_of_value = reader_.number<std::uint32_t>(custom_size);
    if (size_of_value > reader_.remaining()) reader_.fail(Outcome::malformed);
    if (reader_.ok()) message_.custom = {reader_.skip(size_of_value), 1};
  }

  void read_sync() {
    if (message_.flag(MpFlag::is_delta) != 0) {
      set(delta);
    } else {
      set(sync);
      reader_.number<std::uint16_t>(time);
    }
    if (reader_.ok()) message_.objects = reader_.skip(reader_.remaining());
  }

  void read_system() {
    const auto number = reader_.number<std::uint8_t>(kind);
    if (!reader_.ok()) return;
    switch (static_cast<System4>(number)) {
      case System4::auth:
        set(auth);
        reader_.rest_as(data);
        break;
      case System4::add_peer:
        set(add_peer);
        reader_.number<std::int32_t>(peer);
        break;
      case System4::remove_peer:
        set(remove_peer);
        reader_.number<std::int32_t>(peer);
        break;
      case System4::relay:
        set(relay);
        reader_.number<std::int32_t>(peer);
        if (reader_.remaining() == 0) reader_.fail(Outcome::malformed);
        if (reader_.ok()) message_.inner = reader_.skip(reader_.remaining());
        break;
      default:
        reader_.fail_at(start_ + 1, Outcome::unsupported);
        break;
    }
  }

  Bytes bytes_;
  std::size_t start_;
  FieldReader reader_;
  MpMessage message_;
};
static_assert(std::is_trivially_destructible_v<MessageReader>);

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
    if (!reader_.ok() || number == static_cast<std::uint8_t>(WebSocketKind3::data)) return;
    prefix_.has_message = false;
    switch (static_cast<WebSocketKind3>(number)) {
      case WebSocketKind3::add_peer:
        read_peer(add_peer);
        break;
      case WebSocketKind3::remove_peer:
        read_peer(remove_peer);
        break;
      case WebSocketKind3::peer_id:
        read_peer(peer_id);
        break;
      default:
        reader_.fail_at(0, Outcome::unsupported);
        break;
    }
  }

  FieldReader reader_;
  MpPrefix prefix_;
};
static_assert(std::is_trivially_destructible_v<PrefixReader>);

// --- Arguments

// Finds the bytes of the value at the root, if that is an array of bytes.
class BytesSink final : public VariantSink {
 public:
  [[nodiscard]] Range found() const { return found_; }

  Verdict begin_value(const ValueHeader &value) {
    return value.type == Type::packed_byte_array ? Verdict::proceed : Verdict::stop;
  }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.count > 0) found_ = array.numbers.range();
  }

 private:
  Range found_;
};

// --- Likeness

Likeness weaker(Likeness first, Likeness second) { return std::min(first, second); }

// Whether Variants fill their range exactly.
Likeness judge_variants(Bytes bytes, const MpVariants &variants, Generation generation, const ReadOptions &options) {
  const Bytes part = mp_until(bytes, variants.range.end());
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < variants.count; ++i) {
    if (variants.count == MpVariants::all && offset == variants.range.end()) break;
    const WalkResult result = check_variant(part, offset, mp_encoding(generation), options);
    if (result.notes.intersects(never_sent_notes)) return Likeness::none;
    if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) return Likeness::neutral;
    if (result.outcome != Outcome::ok) return Likeness::none;
    offset = result.offset;
  }
  return offset == variants.range.end() ? Likeness::weak : Likeness::none;
}

// A name that an engine would send: valid UTF-8 without control characters, which UTF-8 has in one byte and in two.
bool is_printable(std::string_view text) {
  constexpr std::uint8_t rubout = 0x7f;
  constexpr std::uint8_t lead_of_controls = 0xc2;
  constexpr std::uint8_t end_of_controls = 0xa0;
  std::uint8_t before = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < first_printable || byte == rubout) return false;
    if (before == lead_of_controls && byte < end_of_controls) return false;
    before = byte;
  }
  return !text.empty() && is_valid_utf8(text);
}

// A method's name is an identifier, in whatever language.
bool is_identifier(std::string_view text) {
  constexpr std::uint8_t first_beyond_ascii = 0x80;
  const auto is_part = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || static_cast<std::uint8_t>(c) >= first_beyond_ascii;
  };
  return is_printable(text) && std::all_of(text.begin(), text.end(), is_part);
}

bool is_md5(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Ids of paths and nodes count from 1; bit 31 means something else.
bool is_id(std::uint64_t number) { return number > 0 && number < mp_flag_other; }

bool is_plausible(const MpValue &value) {
  switch (value.field) {
    case path:
    case property:
    case name:
      return is_printable(value.text);
    case method:
      return is_identifier(value.text);
    case md5:
      return is_md5(value.text);
    case path_id:
    case net_id:
    case spawner:
    case sync_id:
      return is_id(value.integer);
    case source:
      return value.signed_integer() > 0;
    case flags:
      return value.integer <= max_enet3_flags;
    case mask:
    case size:
      return value.integer != 0;
    default:
      return true;
  }
}

bool is_plausible(const MpFields &fields) {
  return std::all_of(fields.begin(), fields.end(), [](const MpValue &value) { return is_plausible(value); });
}

// An engine sends ids in the fewest bytes, but for paths not confirmed.
bool has_short_ids(const MpMessage &message) {
  const MpValue *node = message.fields.find(path_id);
  const bool is_short_node = node == nullptr || node->range.length != 2 || node->integer > UINT8_MAX;
  const MpValue *function = message.fields.find(method_id);
  return is_short_node && (function == nullptr || function->range.length == 1 || function->integer > UINT8_MAX);
}

Likeness judge_call(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  if (message.fields.has(data)) return Likeness::neutral;
  // An engine sets a flag instead of a count of 0; Godot 3 has no flags.
  const bool has_idle_count =
      message.generation == Generation::godot4 && message.fields.has(argc) && message.fields.integer(argc) == 0;
  const bool is_as_sent = has_short_ids(message) && !has_idle_count;
  return weaker(is_as_sent ? Likeness::weak : Likeness::neutral,
                judge_variants(bytes, message.variants, message.generation, options));
}

Likeness judge_spawn(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  const std::size_t count = message.sync_ids.length / sync_id_size;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_plausible(read_mp_sync_id(bytes, message, i))) return Likeness::none;
  }
  if (message.fields.text(name).size() + 1 != message.fields.integer(name_length)) return Likeness::none;
  return weaker(judge_variants(bytes, message.custom, message.generation, options),
                judge_variants(bytes, message.variants, message.generation, options));
}

Likeness judge_objects(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  if (message.objects.length == 0) return Likeness::none;
  Likeness likeness = Likeness::weak;
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpObject object = read_mp_object(bytes, offset, message.command);
    if (!is_plausible(object.fields)) return Likeness::none;
    if (object.outcome == Outcome::truncated) return Likeness::neutral;
    if (object.outcome != Outcome::ok) return Likeness::none;
    likeness = weaker(likeness, judge_variants(bytes, object.variants, message.generation, options));
    if (likeness == Likeness::none) break;
    offset = object.range.end();
  }
  return likeness;
}

Likeness judge_message(Bytes bytes, std::size_t offset, Generation generation, const ReadOptions &options) {
  const MpMessage message = read_mp_message(bytes, offset, generation);
  const bool is_cut = message.outcome == Outcome::truncated;
  if (message.outcome != Outcome::ok && !is_cut) return Likeness::none;
  if (!message.is_known) return Likeness::neutral;
  if (mp_unknown_flags(message) != 0 || !is_plausible(message.fields)) return Likeness::none;
  if (is_cut) return Likeness::neutral;
  if (message.rest.length > 0) return Likeness::none;

  switch (message.command) {
    case rpc:
    case rset:
      return judge_call(bytes, message, options);
    case raw:
      return Likeness::neutral;
    case confirm_path: {
      const MpValue *value = message.fields.find(valid);
      const bool is_boolean = value == nullptr || bytes.data[value->range.offset] <= 1;
      return is_boolean ? Likeness::weak : Likeness::none;
    }
    case spawn:
      return judge_spawn(bytes, message, options);
    case sync:
    case delta:
      return judge_objects(bytes, message, options);
    case auth:
      return message.fields.has(data) ? Likeness::neutral : Likeness::weak;
    case add_peer:
    case remove_peer: {
      const MpValue *value = message.fields.find(peer);
      return value->signed_integer() > 0 ? Likeness::weak : Likeness::none;
    }
    case relay: {
      // An engine refuses a system command inside. (SceneMultiplayer::_process_packet)
      const bool is_captured = message.inner.offset < bytes.captured;
      if (!is_captured) return Likeness::neutral;
      const std::uint8_t inner = bytes.data[message.inner.offset] & mask_command4;
      if (inner == static_cast<std::uint8_t>(Wire4::system)) return Likeness::none;
      return judge_message(bytes, message.inner.offset, generation, options);
    }
    default:
      return Likeness::weak;
  }
}

}  // namespace

MpMessage read_mp_message(Bytes bytes, std::size_t offset, Generation generation) {
  return MessageReader(bytes, offset, generation).run();
}

std::span<const MpFlag> mp_flags(Generation generation, MpCommand command) {
  if (generation == Generation::godot3) return {};
  switch (command) {
    case rpc:
      return rpc_flags;
    case sync:
    case delta:
      return sync_flags;
    default:
      return {};
  }
}

std::uint8_t mp_unknown_flags(const MpMessage &message) {
  if (message.generation == Generation::godot3 || !message.is_known) return 0;
  std::uint8_t known = mask_command4;
  for (const MpFlag flag : mp_flags(message.generation, message.command)) known |= mp_flag_info(flag).mask;
  return message.first & static_cast<std::uint8_t>(~known);
}

MpValue read_mp_sync_id(Bytes bytes, const MpMessage &message, std::size_t index) {
  const Range range{message.sync_ids.offset + index * sync_id_size, sync_id_size};
  return {sync_id, range, Cursor(bytes, range.offset).read<std::uint32_t>(), {}};
}

MpObject read_mp_object(Bytes bytes, std::size_t offset, MpCommand command) {
  MpObject object;
  FieldReader reader(bytes, offset);
  object.range = {offset, reader.remaining()};
  reader.number_or(net_id, path_id);
  const bool is_delta = command == delta;
  const std::uint64_t changed = is_delta ? reader.number<std::uint64_t>(mask) : 0;
  const auto length = reader.number<std::uint32_t>(size);
  if (length > reader.remaining()) reader.fail(Outcome::malformed);
  if (reader.ok()) {
    const auto count = static_cast<std::uint32_t>(std::popcount(changed));
    object.variants = {reader.skip(length), is_delta ? count : MpVariants::all};
    object.range.length = reader.offset() - offset;
  }
  object.outcome = reader.cursor().outcome();
  object.offset = reader.offset();
  object.fields = reader.fields();
  return object;
}

Outcome check_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation, const ReadOptions &options) {
  const std::size_t end = variants.range.end();
  const Bytes part = mp_until(bytes, end);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < variants.count; ++i) {
    if (offset >= end) return variants.count == MpVariants::all ? Outcome::ok : Outcome::malformed;
    const WalkResult result = check_variant(part, offset, mp_encoding(generation), options);
    if (result.outcome != Outcome::ok) return result.outcome;
    offset = result.offset;
  }
  return Outcome::ok;
}

namespace {

// Of a value that can be read: both of its headers begin with the type's number.
Type type_of_root(std::uint8_t first, const Encoding &encoding) {
  constexpr std::uint8_t type_mask = 0x3f;
  return dialect_table(encoding.dialect).types[first & type_mask].type;
}

}  // namespace

std::uint32_t count_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation,
                                const ReadOptions &options, std::span<Type> types) {
  const std::size_t end = variants.range.end();
  const Bytes part = mp_until(bytes, end);
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  for (; count < variants.count && offset < end; ++count) {
    const WalkResult result = check_variant(part, offset, mp_encoding(generation), options);
    if (result.outcome != Outcome::ok) break;
    if (count < types.size() && offset < part.captured)
      types[count] = type_of_root(part.data[offset], mp_encoding(generation));
    offset = result.offset;
  }
  return count;
}

MpArgument read_mp_argument(Bytes bytes, const MpMessage &message, std::size_t offset, const ReadOptions &options) {
  const Bytes arguments = mp_until(bytes, message.variants.range.end());
  const Encoding encoding = mp_encoding(message.generation);
  const WalkResult whole = check_variant(arguments, offset, encoding, options);
  if (whole.outcome != Outcome::ok) return {};
  BytesSink sink;
  walk_variant(arguments, offset, encoding, options, sink);
  return {whole.offset, sink.found()};
}

Range mp_own_bytes(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  if (const MpValue *value = message.fields.find(data); value != nullptr) return value->range;
  if (message.command != rpc || message.variants.count != 1) return {};
  return read_mp_argument(bytes, message, message.variants.range.offset, options).bytes;
}

Encoding mp_encoding(Generation generation) {
  const bool is_4 = generation == Generation::godot4;
  return {.dialect = is_4 ? Dialect::godot4 : Dialect::godot3, .compact = is_4};
}

MpPrefix read_mp_prefix(Bytes packet, MpFraming framing) { return PrefixReader(packet).run(framing); }

Likeness looks_like_mp_message(Bytes bytes, Generation generation, const ReadOptions &options) {
  return judge_message(bytes, 0, generation, options);
}

Likeness looks_like_mp_packet(Bytes packet, MpFraming framing, const ReadOptions &options) {
  const MpPrefix prefix = read_mp_prefix(packet, framing);
  const bool is_cut = prefix.outcome == Outcome::truncated;
  if (prefix.outcome != Outcome::ok && !is_cut) return Likeness::none;
  if (!is_plausible(prefix.fields)) return Likeness::none;
  if (is_cut) return Likeness::neutral;
  if (prefix.has_message) {
    const Bytes message = packet.slice({prefix.range.end(), packet.reported});
    return looks_like_mp_message(message, mp_generation(framing), options);
  }
  // Only the server says who comes and goes, to whom the transport has it. (WebSocketMultiplayerPeer::_send_sys)
  const bool is_of_server = prefix.fields.integer(source) == mp_server && prefix.fields.integer(target) == 0;
  if (framing == MpFraming::websocket3 && !is_of_server) return Likeness::none;
  if (prefix.rest.length > 0 || prefix.fields.find(peer)->signed_integer() <= 0) return Likeness::none;
  return framing == MpFraming::websocket_id ? Likeness::neutral : Likeness::weak;
}

MpFraming choose_enet3_framing(Bytes packet, const ReadOptions &options) {
  const Likeness without = looks_like_mp_packet(packet, MpFraming::enet3, options);
  const Likeness with = looks_like_mp_packet(packet, MpFraming::enet3_flags, options);
  if (with > without) return MpFraming::enet3_flags;
  return without == Likeness::none ? MpFraming::none : MpFraming::enet3;
}

}  // namespace godot_codec
