// SPDX-License-Identifier: MIT
#include "godot-codec/layout/walker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "godot-codec/variant/variant_text.h"

namespace godot_codec {
namespace {

constexpr std::size_t bits_of_byte = 8;

double half_to_double(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1f;
  const int fraction = half & 0x3ff;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) return sign * (fraction == 0 ? INFINITY : NAN);
  return sign * std::ldexp(exponent == 0 ? fraction : fraction | 0x400, std::max(exponent, 1) - 25);
}

std::uint64_t load_integer(const std::uint8_t *start, std::size_t size, bool is_big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << bits_of_byte | start[is_big_endian ? i : size - 1 - i];
  return value;
}

// Walks over data by a layout. Trivially destructible, because a sink may leave by longjmp.
class LayoutWalker {
 public:
  LayoutWalker(const LayoutData &data, LayoutSink *sink)
      : data_(data), bytes_(data.bytes), sink_(sink), end_bit_(data.bytes.reported * bits_of_byte) {}

  LayoutWalkResult run(const Layout &layout) {
    walk_fields(layout.fields);
    result_.offset = (bit_offset_ + bits_of_byte - 1) / bits_of_byte;
    return result_;
  }

 private:
  bool fail(const LayoutNode &node, Outcome outcome) {
    if (result_.failed_node == nullptr) {
      result_.failed_node = &node;
      result_.outcome = outcome;
    }
    return false;
  }

  void align() { bit_offset_ = (bit_offset_ + bits_of_byte - 1) / bits_of_byte * bits_of_byte; }

  // Number of whole bytes up to the end of the data or group.
  [[nodiscard]] std::size_t remaining_bytes() const {
    return (end_bit_ - std::min(bit_offset_, end_bit_)) / bits_of_byte;
  }

  // Takes whole bytes.
  // @returns null, after calling fail(), if they are not in the data or not captured
  const std::uint8_t *take(const LayoutNode &node, std::uint64_t size) {
    align();
    const std::size_t offset = bit_offset_ / bits_of_byte;
    if (size > remaining_bytes()) {
      fail(node, Outcome::malformed);
      return nullptr;
    }
    if (size > bytes_.captured - std::min(offset, bytes_.captured)) {
      fail(node, Outcome::truncated);
      return nullptr;
    }
    bit_offset_ += static_cast<std::size_t>(size) * bits_of_byte;
    return bytes_.data + offset;
  }

  bool walk_fields(const std::vector<LayoutNode> &nodes) {
    return std::ranges::all_of(nodes, [&](const LayoutNode &node) { return walk_node(node); });
  }

  [[nodiscard]] bool is_present(const LayoutNode &node) const {
    if (!node.condition) return true;
    const LayoutCondition &condition = *node.condition;
    const std::int64_t value = slot_values_[condition.slot];
    if (condition.is_bit_test)
      return (static_cast<std::uint64_t>(value) & static_cast<std::uint64_t>(condition.number)) != 0;
    if (value == condition.number) return condition.accepts_equal;
    return value < condition.number ? condition.accepts_less : condition.accepts_greater;
  }

  // Returns the value of a count; 0 if it is negative. If the count extends to the end of the data, returns the number
  // of bytes up to there.
  [[nodiscard]] std::uint64_t resolve_count(const LayoutCount &count) const {
    if (count.source == LayoutCount::Source::to_end) return remaining_bytes();
    if (count.source == LayoutCount::Source::number) return count.number;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(slot_values_[count.slot], 0));
  }

  bool walk_node(const LayoutNode &node) {
    if (!is_present(node)) return true;
    if (!node.count) return walk_element(node, 0);
    if (sink_ != nullptr) sink_->begin_list(node);
    const bool is_valid = walk_elements(node);
    if (sink_ != nullptr) sink_->end_list(node);
    return is_valid;
  }

  bool walk_elements(const LayoutNode &node) {
    const bool is_to_end = node.count->source == LayoutCount::Source::to_end;
    const std::uint64_t count = is_to_end ? UINT64_MAX : resolve_count(*node.count);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (is_to_end && is_at_end(node)) return true;
      const std::size_t before = bit_offset_;
      if (!walk_element(node, static_cast<std::uint32_t>(i))) return false;
      // The element is empty, so all further elements would be empty, too.
      if (bit_offset_ == before) return true;
    }
    return true;
  }

  [[nodiscard]] bool is_at_end(const LayoutNode &node) const {
    const std::size_t left = end_bit_ - std::min(bit_offset_, end_bit_);
    return node.type == LayoutFieldType::bits || node.type == LayoutFieldType::group ? left == 0 : left < bits_of_byte;
  }

  bool walk_element(const LayoutNode &node, std::uint32_t index) {
    if (++value_count_ > layout_max_values) return fail(node, Outcome::over_limit);
    if (node.type == LayoutFieldType::group) return walk_group(node, index);
    if (node.type != LayoutFieldType::bits) align();
    LayoutValue value;
    value.node = &node;
    value.index = index;
    value.bit_offset = bit_offset_;
    if (!read_value(node, value)) return false;
    value.bit_length = bit_offset_ - value.bit_offset;
    if (node.slot) slot_values_[*node.slot] = static_cast<std::int64_t>(value.integer);
    if (differs_from_constant(node, value)) result_.has_constant_mismatch = true;
    find_value_name(node, value);
    if (sink_ != nullptr) sink_->value(value);
    return true;
  }

  static bool differs_from_constant(const LayoutNode &node, const LayoutValue &value) {
    if (node.constant) return static_cast<std::int64_t>(value.integer) != *node.constant;
    return node.constant_text && value.text != *node.constant_text;
  }

  void find_value_name(const LayoutNode &node, LayoutValue &value) const {
    if (sink_ == nullptr || node.is_flags) return;
    const std::vector<LayoutValueName> &names = data_.file.fields()[node.field].names;
    const auto found = std::ranges::find(names, static_cast<std::int64_t>(value.integer), &LayoutValueName::number);
    if (found != names.end()) value.name = &*found;
  }

  bool walk_group(const LayoutNode &node, std::uint32_t index) {
    const std::size_t end = end_bit_;
    if (node.length && !limit_to_group(node)) return false;
    LayoutValue group;
    group.node = &node;
    group.index = index;
    group.bit_offset = bit_offset_;
    if (sink_ != nullptr) sink_->begin_group(group);
    const bool is_valid = walk_fields(node.fields);
    if (is_valid && node.length && bit_offset_ < end_bit_) {
      align();
      if (bit_offset_ < end_bit_ && sink_ != nullptr)
        sink_->trailing_bytes({bit_offset_ / bits_of_byte, (end_bit_ - bit_offset_) / bits_of_byte});
      bit_offset_ = end_bit_;
    }
    group.bit_length = bit_offset_ - group.bit_offset;
    if (sink_ != nullptr) sink_->end_group(group);
    end_bit_ = end;
    return is_valid;
  }

  // Limits the walk to the bytes of a group with a given size.
  bool limit_to_group(const LayoutNode &node) {
    align();
    const std::uint64_t size = resolve_count(*node.length);
    if (size > remaining_bytes()) return fail(node, Outcome::malformed);
    end_bit_ = bit_offset_ + static_cast<std::size_t>(size) * bits_of_byte;
    return true;
  }

  bool read_value(const LayoutNode &node, LayoutValue &value) {
    switch (node.type) {
      case LayoutFieldType::unsigned_number:
      case LayoutFieldType::signed_number:
        return read_number(node, value);
      case LayoutFieldType::varint:
        return read_varint(node, value);
      case LayoutFieldType::bits:
        return read_bits(node, value);
      case LayoutFieldType::real:
        return read_real(node, value);
      case LayoutFieldType::text: {
        const std::uint8_t *start = take(node, sizeof(std::uint32_t));
        return start != nullptr &&
               read_text(node, value, load_integer(start, sizeof(std::uint32_t), node.is_big_endian));
      }
      case LayoutFieldType::text_of_length:
      case LayoutFieldType::data:
        return read_text(node, value, resolve_count(*node.length));
      case LayoutFieldType::text_until_zero:
        return read_until_zero(node, value);
      case LayoutFieldType::variant:
        return read_variant(node, value);
      case LayoutFieldType::group:
        break;
    }
    return false;
  }

  bool read_number(const LayoutNode &node, LayoutValue &value) {
    const std::uint8_t *start = take(node, node.size);
    if (start == nullptr) return false;
    value.integer = load_integer(start, node.size, node.is_big_endian);
    if (node.type == LayoutFieldType::signed_number) {
      const unsigned unused = static_cast<unsigned>(64 - node.size * bits_of_byte);
      value.integer = static_cast<std::uint64_t>(static_cast<std::int64_t>(value.integer << unused) >> unused);
    }
    return true;
  }

  bool read_varint(const LayoutNode &node, LayoutValue &value) {
    constexpr unsigned most_bytes = 10;
    for (unsigned i = 0; i < most_bytes; ++i) {
      const std::uint8_t *start = take(node, 1);
      if (start == nullptr) return false;
      value.integer |= static_cast<std::uint64_t>(*start & 0x7f) << std::min(7 * i, 63U);
      if ((*start & 0x80) == 0) return true;
    }
    return fail(node, Outcome::malformed);
  }

  bool read_bits(const LayoutNode &node, LayoutValue &value) {
    const auto count = static_cast<std::size_t>(node.length->number);
    if (bit_offset_ > end_bit_ || count > end_bit_ - bit_offset_) return fail(node, Outcome::malformed);
    if (bit_offset_ + count > bytes_.captured * bits_of_byte) return fail(node, Outcome::truncated);
    for (std::size_t i = 0; i < count; ++i, ++bit_offset_) {
      const std::size_t place = bit_offset_ % bits_of_byte;
      const std::size_t shift = node.is_big_endian ? bits_of_byte - 1 - place : place;
      const std::uint64_t bit = bytes_.data[bit_offset_ / bits_of_byte] >> shift & 1;
      value.integer = node.is_big_endian ? value.integer << 1 | bit : value.integer | bit << i;
    }
    return true;
  }

  bool read_real(const LayoutNode &node, LayoutValue &value) {
    const std::uint8_t *start = take(node, node.size);
    if (start == nullptr) return false;
    const std::uint64_t bits = load_integer(start, node.size, node.is_big_endian);
    if (node.size == sizeof(std::uint16_t)) {
      value.real = half_to_double(static_cast<std::uint16_t>(bits));
    } else if (node.size == sizeof(float)) {
      value.real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else {
      value.real = std::bit_cast<double>(bits);
    }
    return true;
  }

  bool read_text(const LayoutNode &node, LayoutValue &value, std::uint64_t size) {
    const std::uint8_t *start = take(node, size);
    if (start == nullptr) return false;
    value.text = {reinterpret_cast<const char *>(start), static_cast<std::size_t>(size)};
    value.content = {bit_offset_ / bits_of_byte - value.text.size(), value.text.size()};
    return true;
  }

  bool read_until_zero(const LayoutNode &node, LayoutValue &value) {
    const std::size_t offset = bit_offset_ / bits_of_byte;
    const std::size_t end = std::min(end_bit_ / bits_of_byte, bytes_.captured);
    const std::uint8_t *const start = bytes_.data + std::min(offset, end);
    const std::uint8_t *const zero = std::find(start, bytes_.data + end, std::uint8_t{0});
    if (zero == bytes_.data + end) {
      return fail(node, end < end_bit_ / bits_of_byte ? Outcome::truncated : Outcome::malformed);
    }
    if (!read_text(node, value, static_cast<std::uint64_t>(zero - start))) return false;
    bit_offset_ += bits_of_byte;
    return true;
  }

  // True if a length prefix precedes a Variant of exactly this length, as far as the Variant is captured.
  [[nodiscard]] bool has_length_prefix(const LayoutNode &node, std::size_t offset) {
    constexpr std::size_t max_checked_bytes = std::size_t{1}
                                              << 20;  // limits the cost if the data contains many Variants
    constexpr std::size_t length_size = sizeof(std::uint32_t);
    const std::size_t end = end_bit_ / bits_of_byte;
    if (offset + length_size > std::min(end, bytes_.captured)) return false;
    const std::uint64_t length = load_integer(bytes_.data + offset, length_size, node.is_big_endian);
    const std::size_t start = offset + length_size;
    if (length > end - start || checked_bytes_ > max_checked_bytes) return false;
    checked_bytes_ += static_cast<std::size_t>(length);
    const std::size_t value_end = start + static_cast<std::size_t>(length);
    const WalkResult result = check_variant(bytes_.slice({0, value_end}), start, data_.encoding, data_.options);
    return result.outcome == Outcome::truncated || (result.outcome == Outcome::ok && result.offset == value_end);
  }

  bool read_variant(const LayoutNode &node, LayoutValue &value) {
    std::size_t offset = bit_offset_ / bits_of_byte;
    if (has_length_prefix(node, offset)) {
      offset += sizeof(std::uint32_t);
      value.integer = 1;  // means: has a length prefix
    }
    const WalkResult result =
        check_variant(bytes_.slice({0, end_bit_ / bits_of_byte}), offset, data_.encoding, data_.options);
    if (result.outcome != Outcome::ok) return fail(node, result.outcome);
    value.content = {offset, result.offset - offset};
    bit_offset_ = result.offset * bits_of_byte;
    return true;
  }

  const LayoutData &data_;
  const Bytes bytes_;
  LayoutSink *sink_;
  LayoutWalkResult result_;
  std::size_t bit_offset_ = 0;
  std::size_t end_bit_;  // in bits
  std::uint32_t value_count_ = 0;
  std::size_t checked_bytes_ = 0;  // number of bytes that has_length_prefix() has checked so far
  std::array<std::int64_t, LayoutFile::max_slots> slot_values_{};
};
static_assert(std::is_trivially_destructible_v<LayoutWalker>);

// ---- Text

class LayoutTextSink final : public LayoutSink {
 public:
  LayoutTextSink(TextBuffer &buffer, const LayoutData &data) : buffer_(buffer), data_(data) {}

  void begin_list(const LayoutNode &node) override {
    write_name(node);
    buffer_.append("[");
    is_first_item_ = true;
    is_in_list_ = true;
  }
  void end_list(const LayoutNode & /*node*/) override {
    buffer_.append("]");
    is_first_item_ = false;
    is_in_list_ = false;
  }
  void begin_group(const LayoutValue &group) override {
    write_name(*group.node);
    buffer_.append("{");
    is_first_item_ = true;
    is_in_list_ = false;
  }
  void end_group(const LayoutValue &group) override {
    buffer_.append("}");
    is_first_item_ = false;
    is_in_list_ = group.node->count.has_value();
  }
  void value(const LayoutValue &value) override {
    // Omits constants without a name, because they only distinguish formats.
    const bool is_constant = value.node->constant || value.node->constant_text;
    if (is_constant && value.name == nullptr) return;
    write_name(*value.node);
    append_layout_value(buffer_, value, data_);
  }
  void trailing_bytes(Range /*range*/) override {}

 private:
  void write_name(const LayoutNode &node) {
    if (!is_first_item_) buffer_.append(", ");
    is_first_item_ = false;
    if (is_in_list_) return;
    buffer_.append(node.name);
    buffer_.append(": ");
  }

  TextBuffer &buffer_;
  const LayoutData &data_;
  bool is_first_item_ = true;
  bool is_in_list_ = false;
};
static_assert(std::is_trivially_destructible_v<LayoutTextSink>);

void append_hex(TextBuffer &buffer, std::string_view data) {
  constexpr std::size_t max_bytes = 8;
  for (const char c : data.substr(0, max_bytes)) buffer.append_hex(static_cast<std::uint8_t>(c));
  if (data.size() > max_bytes) buffer.append("\u2026");
}

// Appends the names of the set flags, such as "jumping|crouching". Appends set bits without a name as a number.
void append_flags(TextBuffer &buffer, const LayoutValue &value, LayoutFields fields) {
  std::uint64_t rest = value.integer;
  const char *separator = "";
  for (const auto &[mask, field] : value.node->flags) {
    if ((value.integer & mask) == 0) continue;
    rest &= ~mask;
    const std::string_view path = fields[field].path;
    buffer.append(separator);
    buffer.append(path.substr(path.rfind('.') + 1));
    separator = "|";
  }
  if (rest == 0 && value.integer != 0) return;
  buffer.append(separator);
  buffer.append_unsigned(rest);
}

}  // namespace

LayoutWalkResult walk_layout(const Layout &layout, const LayoutData &data, LayoutSink *sink) {
  return LayoutWalker(data, sink).run(layout);
}

const Layout *find_port_layout(std::uint16_t port, const LayoutData &data) {
  return choose_layout(data, [port](const Layout &layout) { return layout.method.empty() && layout.port == port; });
}

LayoutWalkResult append_layout_text(TextBuffer &buffer, const Layout &layout, const LayoutData &data) {
  LayoutTextSink text(buffer, data);
  buffer.append("{");
  const LayoutWalkResult result = walk_layout(layout, data, &text);
  buffer.append("}");
  return result;
}

void append_layout_value(TextBuffer &buffer, const LayoutValue &value, const LayoutData &data) {
  const LayoutNode &node = *value.node;
  switch (data.file.fields()[node.field].kind) {
    case LayoutFieldKind::unsigned_number:
    case LayoutFieldKind::signed_number:
      if (node.is_flags) return append_flags(buffer, value, data.file.fields());
      if (value.name != nullptr) return buffer.append_escaped(value.name->name, false);
      if (node.type == LayoutFieldType::signed_number)
        return buffer.append_integer(static_cast<std::int64_t>(value.integer));
      return buffer.append_unsigned(value.integer);
    case LayoutFieldKind::real:
      return buffer.append_real(value.real, node.size != sizeof(double), false);
    case LayoutFieldKind::text: {
      constexpr std::size_t longest = 64;
      return buffer.append_quoted(value.text, longest);
    }
    case LayoutFieldKind::opaque_bytes:
      return append_hex(buffer, value.text);
    case LayoutFieldKind::variant:
      append_variant(buffer, data.bytes, value.content.offset, data.encoding, data.options, TextStyle::brief);
      return;
    case LayoutFieldKind::group:
    case LayoutFieldKind::boolean:
      return;
  }
}

}  // namespace godot_codec
