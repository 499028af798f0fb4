// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/evidence.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "godot-codec/multiplayer/plausibility.h"
#include "godot-codec/recognise/sum.h"
#include "godot-codec/recognise/weights.h"
#include "godot-codec/variant/fingerprint.h"
#include "godot-codec/variant/inside.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {
namespace {

// ---- Variants

// Bits that make a packet strong: one in 2^30 of structured packets of other programs, which are far fewer in a
// capture.
constexpr unsigned strong_bits = 30;

// Bits that make a packet strong if the capture cuts it: only texts, booleans and single reals count.
constexpr unsigned strong_cut_bits = 40;

// A word that stands for one of many types is worth little: of small numbers, every second one is some type's.
constexpr unsigned container_bits = 2;
constexpr unsigned header_bits = 1;
constexpr unsigned flag_bits = 8;
constexpr unsigned count_bits = 5;
constexpr unsigned boolean_word_bits = 5;  // a word that is 0 or 1
constexpr unsigned real_bits = 8;          // a word that is no small number, and no text
constexpr unsigned text_bits = 5;          // a length that fits
constexpr unsigned letter_bits = 2;
constexpr std::size_t counted_letters = 6;
constexpr unsigned padding_bits = 3;

// Reals that games send are neither NaN nor tiny nor huge. Zero counts neither for nor against.
constexpr double tiny_real = 1e-6;
constexpr double huge_real = 1e8;
// A real below it is a small integer, such as a count or another value's header: its reading is wrong.
constexpr double wrong_real = 9.2e-41;
// Numbers from here on are ids and hashes, or somebody else's bytes.
constexpr std::int64_t large_number = std::int64_t{1} << 24;

// Counts what speaks for a Variant.
class EvidenceSink final : public FingerprintSink {
 public:
  void begin_value(const ValueHeader &value) {
    FingerprintSink::begin_value(value);
    const bool is_container = value.type == Type::array || value.type == Type::dictionary;
    if (value.depth == 0) root_ = value.type;
    add_structure(is_container ? container_bits : header_bits);
    if (value.header >> 16 != 0) bits_ += flag_bits;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    FingerprintSink::integer(value, field);
    if (field.field == Field::boolean) bits_ += boolean_word_bits;
    if (field.field == Field::integer && is_like_text(field)) is_like_text_ = true;
    if (field.field == Field::count && field.value > 0) add_structure(count_bits);
    take_number(field.value);
  }
  void real(const ValueHeader &value, const RealField &field) {
    FingerprintSink::real(value, field);
    if (is_usual(field.value)) bits_ += real_bits;
    take_real(field.value);
  }
  void text(const ValueHeader &value, const TextField &field) {
    FingerprintSink::text(value, field);
    take_text(field.field, field.text);
  }
  void components(const ValueHeader &value, const Components &components) {
    FingerprintSink::components(value, components);
    take_numbers(components.numbers);
  }
  void packed_array(const ValueHeader &value, const PackedArray &array) {
    FingerprintSink::packed_array(value, array);
    for (const PackedString &element : array.strings) {
      take_number(element.size);
      take_text(Field::string, element.text);
      if (element.padding.length > 0) add_structure(padding_bits);
    }
    if (array.has_cut) take_number(array.cut.size);
    if (array.has_cut && array.cut.has_text) take_text(Field::string, array.cut.text);
    // Bytes may be anything.
    if (array.numbers.kind() != NumberKind::uint8) take_numbers(array.numbers);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    FingerprintSink::padding(value, field);
    if (field.bytes.find_first_not_of('\0') == std::string_view::npos) add_structure(padding_bits);
  }

  [[nodiscard]] unsigned bits() const { return bits_; }
  // Bits for types, counts, padding and rows of reals. Small numbers, or a word and reals, look like these by chance in
  // packets that do not show how many there are.
  [[nodiscard]] unsigned bits_of_structure() const { return bits_of_structure_; }
  [[nodiscard]] Type root() const { return root_; }
  [[nodiscard]] bool has_odd_value() const { return has_odd_value_; }
  [[nodiscard]] bool has_wrong_real() const { return has_wrong_real_; }
  [[nodiscard]] bool has_text() const { return has_text_; }
  [[nodiscard]] bool has_odd_text() const { return has_odd_text_; }
  // The type and the number of an int are also a text of two characters with its length in front, and padding.
  [[nodiscard]] bool is_like_text() const { return is_like_text_ && root_ == Type::integer; }
  // Something besides the type that is not zero.
  [[nodiscard]] bool has_content() const { return has_content_; }

 private:
  void add_structure(unsigned bits) {
    bits_ += bits;
    bits_of_structure_ += bits;
  }

  static bool is_like_text(const IntegerField &field) {
    const auto is_character = [](std::int64_t byte) { return byte >= ' ' && byte <= '~'; };
    constexpr unsigned byte_size = 8;
    return field.range.length == sizeof(std::uint32_t) && is_character(field.value & 0xff) &&
           is_character(field.value >> byte_size);
  }

  static bool is_usual(double number) { return std::abs(number) > tiny_real && std::abs(number) < huge_real; }

  // The rest of a vector or an array follows its first one in other programs, too.
  void take_numbers(const Numbers &numbers) {
    numbers.visit([this](auto view) {
      for (const auto number : view) {
        if constexpr (std::is_floating_point_v<decltype(+number)>) {
          if (is_usual(number)) add_structure(real_bits);
          take_real(number);
        } else {
          take_number(number);
        }
      }
    });
  }

  void take_real(double number) {
    has_content_ = has_content_ || number != 0;
    has_odd_value_ = has_odd_value_ || (!is_usual(number) && number != 0);
    has_wrong_real_ = has_wrong_real_ || (std::abs(number) < wrong_real && number != 0);
  }

  void take_text(Field field, std::string_view text) {
    if (text.empty()) return;
    has_content_ = true;
    // Classes of the engine begin so.
    const bool is_class = field != Field::object_class || (text[0] >= 'A' && text[0] <= 'Z');
    if (is_plain_text(text) && is_class) {
      has_text_ = true;
      bits_ += text_bits + letter_bits * static_cast<unsigned>(std::min(text.size(), counted_letters));
    } else {
      has_odd_value_ = true;
      has_odd_text_ = true;
    }
  }

  void take_number(std::int64_t number) {
    has_content_ = has_content_ || number != 0;
    has_odd_value_ = has_odd_value_ || number >= large_number || number <= -large_number;
  }

  unsigned bits_ = 0;
  unsigned bits_of_structure_ = 0;
  Type root_ = Type::nil;
  bool is_like_text_ = false;
  bool has_odd_value_ = false;
  bool has_wrong_real_ = false;
  bool has_text_ = false;
  bool has_odd_text_ = false;
  bool has_content_ = false;
};

// Types whose bytes are common in other protocols: a number, a length and so many bytes; or a number and four others.
// Games hardly ever send these alone.
bool is_common(Type type) {
  switch (type) {
    case Type::packed_byte_array:
    case Type::rect2:
    case Type::rect2i:
    case Type::vector4:
    case Type::vector4i:
    case Type::plane:
    case Type::aabb:
    case Type::basis:
    case Type::projection:
    case Type::rid:
      return true;
    case Type::nil:
    case Type::boolean:
    case Type::integer:
    case Type::real:
    case Type::string:
    case Type::vector2:
    case Type::vector2i:
    case Type::vector3:
    case Type::vector3i:
    case Type::transform2d:
    case Type::quaternion:
    case Type::transform3d:
    case Type::color:
    case Type::string_name:
    case Type::node_path:
    case Type::object:
    case Type::callable:
    case Type::signal:
    case Type::dictionary:
    case Type::array:
    case Type::packed_int32_array:
    case Type::packed_int64_array:
    case Type::packed_float32_array:
    case Type::packed_float64_array:
    case Type::packed_string_array:
    case Type::packed_vector2_array:
    case Type::packed_vector3_array:
    case Type::packed_color_array:
    case Type::packed_vector4_array:
      return false;
  }
  return false;
}

// Judges a packet in one dialect.
Evidence judge_variant(Bytes packet, Dialect dialect, const WalkResult &result, const EvidenceSink &evidence) {
  // Godot 3.0 leaves old bytes in the padding of its texts. No engine of other years does.
  const bool has_old_bytes = result.notes.has(Note::padding);
  if (result.notes.intersects(never_sent_notes(dialect)) || (has_old_bytes && dialect != Dialect::godot3)) return {};
  const Type root = evidence.root();
  // A text, with its length and padding, goes with anything; numbers must be of one type.
  const std::uint32_t kind =
      evidence.has_text() ? 0 : static_cast<std::uint32_t>(root) << 8 | (static_cast<std::uint32_t>(dialect) + 1);
  // A vector, a matrix or a packed array is nothing but numbers, and other protocols send a word and numbers, too.
  const bool may_be_strong =
      !evidence.has_odd_text() && (root == Type::array || root == Type::dictionary || root == Type::object);
  // A packet that the capture cuts cannot be followed to its end.
  if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) {
    const bool is_much = may_be_strong && evidence.bits() - evidence.bits_of_structure() >= strong_cut_bits;
    return {is_much ? Likeness::weak : Likeness::neutral};
  }
  if (result.outcome != Outcome::ok || result.offset != packet.reported) return {};
  if (!evidence.has_content() || evidence.is_like_text()) return {Likeness::neutral};
  const bool is_enough = may_be_strong && packet.reported >= least_strong_size && evidence.bits() >= strong_bits;
  if (is_enough) return {Likeness::strong};
  if (evidence.has_wrong_real()) return {};
  if (evidence.has_odd_value()) return {.likeness = Likeness::neutral, .is_odd = true};
  if (has_old_bytes) return {Likeness::neutral, static_cast<std::uint32_t>(root) << 8};
  return {is_common(root) ? Likeness::neutral : Likeness::weak, kind};
}

bool is_better(const Evidence &evidence, const Evidence &best) {
  if (evidence.likeness != best.likeness) return evidence.likeness > best.likeness;
  return evidence.kind != 0 && best.is_odd;
}

// ---- ENet

constexpr unsigned strong_enet_bits = 36;
constexpr unsigned weak_enet_bits = 12;

constexpr unsigned command_bits = 4;       // number and flags
constexpr unsigned control_bits = 8;       // the channel
constexpr unsigned data_length_bits = 14;  // a length of data that end with the datagram
constexpr unsigned connect_bits = 40;      // sizes and counts within ENet's limits
constexpr unsigned repeated_seq_bits = 16;
constexpr unsigned fragment_bits = 20;

constexpr std::uint32_t least_mtu = 576;
constexpr std::uint32_t least_window = 4096;
constexpr std::uint32_t most_window = 65536;
constexpr std::uint32_t most_channels = 255;

bool is_plausible_connect(const EnetCommand &command) {
  using enum EnetField;
  const std::uint32_t mtu = command.value(connect_mtu);
  const std::uint32_t window = command.value(connect_window_size);
  const std::uint32_t channels = command.value(connect_channel_count);
  return mtu >= least_mtu && mtu <= enet_max_datagram && window >= least_window && window <= most_window &&
         channels > 0 && channels <= most_channels;
}

// Numbers begin at 1. Of a list of ones, of whatever size, all that is to be equal is equal as well.
bool is_plausible_acknowledge(const EnetCommand &command) {
  const std::uint32_t seq = command.value(EnetField::ack_seq);
  const std::uint32_t first_word = std::uint32_t{command.number} << 8 | command.channel;
  const bool is_run = seq == first_word && command.value(EnetField::ack_sent_time) == first_word;
  return seq == command.reliable_seq && seq != 0 && !is_run;
}

// A sender cuts a message into parts of one size, but for the last.
bool is_plausible_fragment(const EnetCommand &command) {
  using enum EnetField;
  const std::uint64_t length = command.value(data_length);
  const std::uint64_t start = command.value(fragment_offset);
  if (command.value(fragment_number) + 1 == command.value(fragment_count)) {
    return start + length == command.value(fragment_total_length);
  }
  return start == length * command.value(fragment_number);
}

// True if ENet sends a command to a peer whose slot it does not know.
bool may_be_to_nobody(const EnetCommand &command) {
  return command.is(EnetCommandType::connect) || command.is(EnetCommandType::disconnect);
}

// @returns 0 of a command that ENet does not send so
unsigned bits_of_command(const EnetCommand &command) {
  unsigned bits = command_bits + (command.channel == enet_control_channel ? control_bits : 0);
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::connect:
    case EnetCommandType::verify_connect:
      return is_plausible_connect(command) ? bits + connect_bits : 0;
    case EnetCommandType::acknowledge:
      return is_plausible_acknowledge(command) ? bits + repeated_seq_bits : 0;
    case EnetCommandType::send_fragment:
    case EnetCommandType::send_unreliable_fragment:
      return is_plausible_fragment(command) ? bits + fragment_bits : 0;
    case EnetCommandType::none:
    case EnetCommandType::disconnect:
    case EnetCommandType::ping:
    case EnetCommandType::send_reliable:
    case EnetCommandType::send_unreliable:
    case EnetCommandType::send_unsequenced:
    case EnetCommandType::bandwidth_limit:
    case EnetCommandType::throttle_configure:
      return bits;
  }
  return bits;
}

// ---- the high-level multiplayer

// True if a command, or the one that it relays, names a node, method or property.
bool has_mp_name(Bytes packet, MpFraming framing) {
  const auto has_name = [](const MpMessage &message) {
    using enum MpField;
    return message.fields.has(path) || message.fields.has(method) || message.fields.has(property) ||
           message.fields.has(name);
  };
  std::size_t offset = 0;
  if (framing != MpFraming::none) {
    const MpPrefix prefix = read_mp_prefix(packet, framing);
    if (!prefix.has_message) return false;
    offset = prefix.range.end();
  }
  const MpMessage message = read_mp_message(packet, offset, mp_generation(framing));
  if (message.inner.length == 0) return has_name(message);
  return has_name(read_mp_message(packet, message.inner.offset, mp_generation(framing)));
}

// ---- bytes of a game's own

Likeness likeness_inside(Bytes packet, const ReadOptions &options) {
  return options.inside == nullptr ? Likeness::none : options.inside->likeness(packet);
}

}  // namespace

Evidence variant_evidence(Bytes packet, const ReadOptions &options) {
  Evidence best;
  if (!has_variant_header(packet)) return best;
  DialectWalks walks(packet);
  for (const Dialect dialect : all_dialects) {
    EvidenceSink sink;
    const WalkResult result = walk_variant(packet, 0, {.dialect = dialect}, options, sink);
    walks.add(dialect, result, sink.fingerprint());
    const Evidence evidence = judge_variant(packet, dialect, result, sink);
    if (is_better(evidence, best)) best = evidence;
  }
  // The dialect is only asked of packets that may be a Variant.
  if (best.likeness > Likeness::neutral) best.detection = walks.finish(options);
  return best;
}

Evidence packet_evidence(Bytes packet, const ReadOptions &options) {
  Evidence evidence = variant_evidence(packet, options);
  if (evidence.likeness == Likeness::none) evidence.likeness = likeness_inside(packet, options);
  return evidence;
}

bool may_begin_packet(Bytes data, std::uint32_t max_length) {
  Cursor cursor(data);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length < sizeof length || length % sizeof length != 0 || length > max_length) return false;
  const Bytes variant = data.slice({stream_prefix_size, data.captured - stream_prefix_size});
  return variant.captured < sizeof length || has_variant_header(variant);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options) {
  Sum sum{};
  return stream_evidence(data, options, sum);
}

Evidence stream_evidence(Bytes data, const StreamOptions &options, Sum &sum) {
  const MeasureMessage measure = options.is_big_endian ? measure_big_endian_packet : measure_packet;
  const int prior = options.is_big_endian ? weights::big_endian : 0;
  Evidence last{Likeness::neutral};
  bool has_misfit = false;
  std::size_t offset = 0;
  while (offset + stream_prefix_size <= data.captured) {
    const StreamExtent extent = measure(data, offset, options.max_length);
    if (!extent.is_valid) {
      sum.add({Likeness::none});
      return {};
    }
    const std::size_t start = offset + stream_prefix_size;
    const std::size_t length = extent.length - stream_prefix_size;
    const std::size_t captured = std::min(data.captured - start, length);
    // Between Variants a game may send bytes of its own, such as put_string()'s; among them only a strong one tells.
    // Every Variant fills whole words.
    const bool may_be_variant = length % sizeof(std::uint32_t) == 0;
    if (may_be_variant && captured < sizeof(std::uint32_t)) break;
    const Bytes packet(data.data + start, captured, length);
    Evidence evidence;
    if (may_be_variant) evidence = variant_evidence(packet, options.read);
    const bool is_whole = extent.is_complete;
    if (is_whole && evidence.likeness == Likeness::none) evidence.likeness = likeness_inside(packet, options.read);
    // The length of the first packet cannot be checked, but so much else could.
    if (!is_whole && offset == 0 && evidence.likeness == Likeness::weak) {
      sum.add({Likeness::strong}, prior);
      break;
    }
    if (!is_whole && evidence.likeness != Likeness::none) break;
    sum.add(evidence, prior);
    has_misfit = has_misfit || evidence.likeness == Likeness::none;
    if (evidence.likeness == Likeness::weak) last = evidence;
    if (!is_whole) break;
    offset = start + length;
  }
  if (sum.is_settled) return {Likeness::strong};
  if (has_misfit) return {};
  return last;
}

Evidence enet_evidence(const EnetDatagram &datagram) {
  // A datagram that the capture cuts cannot be decompressed.
  if (datagram.header.is_compressed && datagram.outcome == Outcome::truncated) return {Likeness::neutral};
  if (!datagram.is_plausible()) return {};
  const EnetHeader &header = datagram.header;
  unsigned bits = 0;
  bool wants_acknowledgement = false;
  std::size_t end = datagram.run.padding.length;
  for (const EnetCommand &command : datagram.commands) {
    const unsigned more = bits_of_command(command);
    const bool is_to_nobody = header.peer_id == enet_no_peer && !may_be_to_nobody(command);
    if (more == 0 || is_to_nobody) return {};
    bits += more;
    wants_acknowledgement = wants_acknowledgement || command.wants_acknowledgement();
    end += command.range.length;
    const bool is_last = end == datagram.commands_bytes.reported;
    if (is_last && command.value(EnetField::data_length) > 0) bits += data_length_bits;
  }
  // Only what is to be acknowledged is sent with the time. In what the capture has cut off, something may be.
  if (wants_acknowledgement && !header.has_sent_time) return {};
  const bool is_cut = end < datagram.commands_bytes.reported;
  if (header.has_sent_time && !wants_acknowledgement && !is_cut) return {};
  const bool is_long = header.size + datagram.commands_bytes.reported >= least_strong_size;
  if (is_long && bits >= strong_enet_bits) return {Likeness::strong};
  const std::uint32_t slot = std::uint32_t{header.session} << 16 | header.peer_id;
  const bool is_weak = bits >= weak_enet_bits;
  return {.likeness = is_weak ? Likeness::weak : Likeness::neutral, .kind = is_weak ? slot + 1 : 0, .is_kept = true};
}

Evidence mp_greeting_evidence(Generation generation) {
  // Both generations are multiplayers, but a connection is of one.
  return {Likeness::weak, static_cast<std::uint32_t>(generation) + 1};
}

Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options) {
  if (packet.reported == 0) return {Likeness::neutral};
  const Likeness likeness = looks_like_mp_packet(packet, framing, options);
  if (likeness != Likeness::weak) return {likeness};
  const bool is_telling = packet.reported >= least_strong_size && has_mp_name(packet, framing);
  if (is_telling) return {Likeness::strong};
  return mp_greeting_evidence(mp_generation(framing));
}

}  // namespace godot_codec
