// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/evidence.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "godot-codec/variant/fingerprint.h"
#include "godot-codec/variant/inside.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {
namespace {

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
  if (evidence.likeness == Likeness::none && options.inside != nullptr) {
    evidence.likeness = options.inside->likeness(packet);
  }
  return evidence;
}

}  // namespace godot_codec
