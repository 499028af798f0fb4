// SPDX-License-Identifier: MIT
#include "godot-codec/variant/walker.h"

#include <algorithm>
#include <array>

namespace godot_codec {
namespace {

constexpr std::uint32_t type_mask = 0xff;
constexpr std::uint32_t count_flag = 1U << 31;  // "shared"; of a NodePath: the format of Godot 3 and later

// The one-byte header of a compact value (SceneMultiplayer's VARIANT_META_*).
constexpr std::uint8_t compact_type_mask = 0x3f;
constexpr unsigned compact_size_shift = 6;
constexpr std::uint8_t compact_bool_flag = 1U << 7;

constexpr std::size_t header_size = 4;
constexpr std::size_t alignment = 4;
// The fewest bytes that one element can take; a count that what remains cannot hold is malformed.
constexpr std::size_t min_value_size = header_size;
constexpr std::size_t min_string_size = 4;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // the engine drops one that begins a text

// Components in the order of the wire.
template <Field first, std::size_t count>
constexpr std::array<Field, count> in_order() {
  std::array<Field, count> fields{};
  for (std::size_t i = 0; i < count; ++i) fields[i] = static_cast<Field>(static_cast<std::size_t>(first) + i);
  return fields;
}

// A basis goes row by row, but a script sees its columns: the axes. (core/io/marshalls.cpp, BASIS)
template <Field first, std::size_t count>
constexpr std::array<Field, count> basis_by_rows() {
  std::array<Field, count> fields = in_order<first, count>();
  for (std::size_t i = 0; i < 9; ++i) {
    fields[i] = static_cast<Field>(static_cast<std::size_t>(first) + (i % 3) * 3 + i / 3);
  }
  return fields;
}

constexpr auto vector2_fields = in_order<Field::vector2_x, 2>();
constexpr auto vector2i_fields = in_order<Field::vector2i_x, 2>();
constexpr auto rect2_fields = in_order<Field::rect2_position_x, 4>();
constexpr auto rect2i_fields = in_order<Field::rect2i_position_x, 4>();
constexpr auto vector3_fields = in_order<Field::vector3_x, 3>();
constexpr auto vector3i_fields = in_order<Field::vector3i_x, 3>();
constexpr auto transform2d_fields = in_order<Field::transform2d_x_x, 6>();
constexpr auto vector4_fields = in_order<Field::vector4_x, 4>();
constexpr auto vector4i_fields = in_order<Field::vector4i_x, 4>();
constexpr auto plane_fields = in_order<Field::plane_normal_x, 4>();
constexpr auto quaternion_fields = in_order<Field::quaternion_x, 4>();
constexpr auto aabb_fields = in_order<Field::aabb_position_x, 6>();
constexpr auto basis_fields = basis_by_rows<Field::basis_x_x, 9>();
constexpr auto transform3d_fields = basis_by_rows<Field::transform3d_basis_x_x, 12>();
constexpr auto projection_fields = in_order<Field::projection_x_x, 16>();
constexpr auto color_fields = in_order<Field::color_r, 4>();

// A container that the walk is inside of.
struct Frame {
  Type type;             // dictionary, array or object
  Role role;             // of the container itself
  std::uint32_t index;   // likewise
  std::uint32_t header;  // likewise
  std::size_t start;
  std::size_t entry_start;  // of the entry begun last
  std::uint32_t next;       // the child to come: an element, a key or value, a property
  std::uint32_t children;
  bool is_entry_told;  // to the sink
};
static_assert(std::is_trivially_destructible_v<Frame>);

class Walker {
 public:
  Walker(Bytes bytes, std::size_t offset, const WalkOptions &options, VariantSink &sink)
      : cursor_(bytes, offset),
        dialect_(options.dialect),
        table_(dialect_table(options.dialect)),
        double_reals_(options.double_reals),
        is_compact_(options.compact),
        max_depth_(std::min(options.limits.nesting, Limits::max_nesting)),
        sink_(sink) {}

  WalkResult run() {
    if (!is_compact_ || !read_compact_value()) read_value(Role::root, 0);
    while (running() && depth_ > 0) step(frames_[depth_ - 1]);
    // After a failure, what is open ends where the reading ended.
    while (!stopped_ && depth_ > 0) pop();
    return {cursor_.outcome(), stopped_, cursor_.offset(), notes_};
  }

 private:
  [[nodiscard]] bool running() const { return cursor_.ok() && !stopped_; }
  [[nodiscard]] bool is_muted() const { return muted_depth_ != not_muted; }

  void emit(const Event &event) {
    if (!is_muted()) tell(event);
  }

  void tell(const Event &event) {
    if (stopped_) return;
    switch (sink_.on_event(event)) {
      case Verdict::proceed:
        break;
      case Verdict::skip:
        muted_depth_ = value_depth_;
        break;
      case Verdict::stop:
        stopped_ = true;
        break;
    }
  }

  Event make(Event::Kind kind, Range range) const {
    Event event;
    event.kind = kind;
    event.type = type_;
    event.depth = value_depth_;
    event.range = range;
    return event;
  }

  Event make_field(Field field, Range range, std::uint32_t index = 0) const {
    Event event = make(Event::Kind::field, range);
    event.field = field;
    event.index = index;
    return event;
  }

  void note(Note note, Range range, std::int64_t integer = 0) {
    notes_.add(note);
    Event event = make(Event::Kind::note, range);
    event.note = note;
    event.integer = integer;
    emit(event);
  }

  void emit_integer(Field field, Range range, std::int64_t value, std::uint32_t index = 0) {
    Event event = make_field(field, range, index);
    event.integer = value;
    emit(event);
  }

  void emit_text(Field field, Range range, std::string_view text, std::uint32_t index = 0) {
    Event event = make_field(field, range, index);
    event.text = text;
    emit(event);
  }

  std::uint32_t read_u32(Field field) {
    const std::size_t start = cursor_.offset();
    const auto value = cursor_.read<std::uint32_t>();
    if (cursor_.ok()) emit_integer(field, {start, sizeof value}, value);
    return value;
  }

  void read_integer(Field field, bool is_wide, std::uint32_t index = 0) {
    const std::size_t start = cursor_.offset();
    const std::int64_t value = is_wide ? cursor_.read<std::int64_t>() : cursor_.read<std::int32_t>();
    if (cursor_.ok()) emit_integer(field, {start, cursor_.offset() - start}, value, index);
  }

  void read_real(Field field, bool is_wide, std::uint32_t index = 0) {
    const std::size_t start = cursor_.offset();
    const double value = is_wide ? cursor_.read<double>() : static_cast<double>(cursor_.read<float>());
    if (!cursor_.ok()) return;
    Event event = make_field(field, {start, cursor_.offset() - start}, index);
    event.real = value;
    event.is_single = !is_wide;
    emit(event);
  }

  void read_padding(std::size_t length, std::uint32_t index = 0) {
    const std::size_t start = cursor_.offset();
    const std::uint8_t *padding = cursor_.take(length);
    if (padding == nullptr || length == 0) return;
    emit_text(Field::padding, {start, length}, {reinterpret_cast<const char *>(padding), length}, index);
    const bool may_hold_anything = type_ == Type::node_path && !table_.clears_node_path_padding;
    if (!may_hold_anything && std::any_of(padding, padding + length, [](std::uint8_t byte) { return byte != 0; })) {
      note(Note::padding, {start, length});
    }
  }

  // What the engine takes of a text; what is behind a zero it does not even check.
  static std::string_view until_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

  // u32 length, text, padding to a multiple of 4 of the length. Elements of a PackedStringArray count a
  // terminating zero, which is shown with the padding. (marshalls.cpp, _decode_string)
  std::string_view read_string(Field field, bool may_count_zero = false, std::uint32_t index = 0) {
    const std::size_t length_at = cursor_.offset();
    const auto length = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return {};
    emit_integer(Field::string_length, {length_at, sizeof length}, length, index);
    const std::size_t padding = (alignment - length % alignment) % alignment;
    if (length > cursor_.remaining() || padding > cursor_.remaining() - length) {
      cursor_.fail(Outcome::malformed);
      return {};
    }
    Cursor ahead = cursor_;
    const auto *text = reinterpret_cast<const char *>(ahead.take(length));
    if (!ahead.ok()) {
      cursor_.fail(ahead.outcome());
      return {};
    }
    const bool counts_zero = may_count_zero && length > 0 && text[length - 1] == '\0';
    const std::size_t text_length = counts_zero ? length - 1 : length;
    const Range range{cursor_.offset(), text_length};
    cursor_.take(text_length);
    emit_text(field, range, {text, text_length}, index);
    if (!is_valid_utf8(until_zero({text, text_length}))) note(Note::invalid_utf8, range);
    read_padding(padding + (counts_zero ? 1 : 0), index);
    return {text, text_length};
  }

  void read_bool() {
    const std::size_t start = cursor_.offset();
    const auto value = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return;
    emit_integer(Field::boolean, {start, sizeof value}, value != 0 ? 1 : 0);
    if (value > 1) note(Note::bool_value, {start, sizeof value});
  }

  void read_node_path() {
    const std::size_t start = cursor_.offset();
    Cursor ahead = cursor_;
    const auto word = ahead.read<std::uint32_t>();
    if (ahead.ok() && (word & count_flag) == 0) {
      read_string(Field::node_path);
      if (cursor_.ok()) note(Note::old_node_path, {start, cursor_.offset() - start});
      return;
    }
    cursor_.take(sizeof word);
    if (!cursor_.ok()) return;
    const std::uint32_t names = word & ~count_flag;
    emit_integer(Field::node_path_name_count, {start, sizeof word}, names);
    std::uint32_t subnames = read_u32(Field::node_path_subname_count);
    const std::size_t flags_at = cursor_.offset();
    const std::uint32_t flags = read_u32(Field::node_path_flags);
    if ((flags & 2) != 0 && cursor_.ok()) {
      ++subnames;
      note(Note::obsolete_subname, {flags_at, sizeof flags});
    }
    // The engine's sum wraps around, too: there may be fewer strings than names announced.
    const std::uint32_t total = names + subnames;
    if (total > cursor_.remaining() / min_string_size) cursor_.fail(Outcome::malformed);
    for (std::uint32_t i = 0; i < total && running(); ++i) {
      const bool is_name = i < names;
      read_string(is_name ? Field::node_path_name : Field::node_path_subname, false, is_name ? i : i - names);
    }
  }

  void read_packed_bytes() {
    const std::uint32_t count = read_count(1);
    if (!cursor_.ok()) return;
    const std::size_t start = cursor_.offset();
    const auto *data = reinterpret_cast<const char *>(cursor_.take(count));
    if (!cursor_.ok()) return;
    if (count > 0) emit_text(Field::bytes, {start, count}, {data, count});
    // The engine's reader does not ask for the padding; its writer always sends it.
    const std::size_t padding = (alignment - count % alignment) % alignment;
    const std::size_t present = std::min(padding, cursor_.remaining());
    read_padding(present);
    if (present < padding) {
      note(Note::missing_padding, {cursor_.offset(), 0}, static_cast<std::int64_t>(padding - present));
    }
  }

  // The count of a packed array. Bit 31 is no flag here: the engine takes the count for negative.
  std::uint32_t read_count(std::size_t element_size) {
    const std::size_t start = cursor_.offset();
    const auto count = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return 0;
    emit_integer(Field::count, {start, sizeof count}, count);
    if (count > cursor_.remaining() / element_size) cursor_.fail(Outcome::malformed);
    return count;
  }

  // The rest of a packed array, unseen: that many numbers of one size. One by one, so that a cut has the place
  // that it has in a walk that is seen.
  [[nodiscard]] bool skip_muted(std::size_t count, std::size_t number_size) {
    if (!is_muted()) return false;
    for (std::size_t i = 0; i < count && cursor_.ok(); ++i) cursor_.take(number_size);
    return true;
  }

  void read_packed_integers(bool is_wide) {
    const std::size_t size = is_wide ? 8 : 4;
    const std::uint32_t count = read_count(size);
    for (std::uint32_t i = 0; i < count && running(); ++i) {
      if (skip_muted(count - i, size)) return;
      read_integer(Field::integer, is_wide, i);
    }
  }

  void read_packed_reals(bool is_wide) {
    const std::size_t size = is_wide ? 8 : 4;
    const std::uint32_t count = read_count(size);
    for (std::uint32_t i = 0; i < count && running(); ++i) {
      if (skip_muted(count - i, size)) return;
      read_real(Field::real, is_wide, i);
    }
  }

  void read_packed_strings() {
    const std::size_t start = cursor_.offset();
    const auto count = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return;
    emit_integer(Field::count, {start, sizeof count}, count);
    if ((count & count_flag) != 0) {
      note(Note::negative_count, {start, sizeof count});
      return;
    }
    if (count > cursor_.remaining() / min_string_size) cursor_.fail(Outcome::malformed);
    for (std::uint32_t i = 0; i < count && running(); ++i) read_string(Field::string, true, i);
  }

  void read_packed_components(Type element, bool is_wide) {
    const std::span<const Field> fields = components(element);
    const std::size_t size = is_wide ? 8 : 4;
    const std::uint32_t count = read_count(fields.size() * size);
    for (std::uint32_t i = 0; i < count && running(); ++i) {
      if (skip_muted((count - i) * fields.size(), size)) return;
      const std::size_t start = cursor_.offset();
      tell_entry(Event::Kind::begin_entry, Role::element, {start, 0}, i);
      for (const Field field : fields) read_real(field, is_wide, i);
      tell_entry(Event::Kind::end_entry, Role::element, {start, cursor_.offset() - start}, i);
    }
  }

  // Told even if the sink wants nothing more of the value: what was begun is ended.
  void tell_entry(Event::Kind kind, Role role, Range range, std::uint32_t index) {
    Event event = make(kind, range);
    event.role = role;
    event.index = index;
    tell(event);
  }

  void read_components(bool is_wide) {
    for (const Field field : components(type_)) {
      if (field_info(field).kind == FieldKind::int32) {
        read_integer(field, false);
      } else {
        read_real(field, is_wide);
      }
    }
  }

  void read_signal() {
    read_string(Field::signal_name);
    if (running()) read_integer(Field::signal_object_id, true);
  }

  // The type of a typed container's elements, keys or values.
  void read_container_type(Field field, std::uint32_t kind) {
    constexpr std::uint32_t kind_none = 0;
    constexpr std::uint32_t kind_builtin = 1;
    if (kind == kind_none || !running()) return;
    if (kind != kind_builtin) {
      read_string(field);  // 2: a class name, 3: a script's path
      return;
    }
    const std::size_t start = cursor_.offset();
    Cursor ahead = cursor_;
    const auto number = ahead.read<std::uint32_t>();
    if (ahead.ok() && number >= table_.types.size()) {
      cursor_.fail(Outcome::unsupported);
      return;
    }
    cursor_.take(sizeof number);
    if (cursor_.ok()) emit_text(field, {start, sizeof number}, table_.types[number].name);
  }

  // Count and "shared" of an Array or a Dictionary, then its children, one by one in step().
  void open_container(Frame &frame, std::uint32_t children_each) {
    const std::size_t start = cursor_.offset();
    const auto word = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return;
    const std::uint32_t count = word & ~count_flag;
    emit_integer(Field::count, {start, sizeof word}, count);
    if ((word & count_flag) != 0) emit_integer(Field::shared, {start, sizeof word}, 1);
    if (count > cursor_.remaining() / (min_value_size * children_each)) {
      cursor_.fail(Outcome::malformed);
      return;
    }
    frame.children = count * children_each;
  }

  // Godot 4's RPCs send a null or freed object as nothing but its type: encode_and_compress_variant() writes that over
  // the header of a Nil. It is one if no class name follows, which begins with a letter.
  [[nodiscard]] bool is_null_argument() const {
    if (!is_compact_ || value_depth_ != 0) return false;
    Cursor ahead = cursor_;
    const auto length = ahead.read<std::uint32_t>();
    if (ahead.ok() && (length == 0 || length > ahead.remaining())) return true;
    const auto first = static_cast<unsigned char>(ahead.read<std::uint8_t>() | 0x20);
    return ahead.ok() ? first < 'a' || first > 'z' : ahead.outcome() == Outcome::malformed;
  }

  void open_object(Frame &frame) {
    if (is_null_argument()) {
      emit_text(Field::object_class, {cursor_.offset(), 0}, {});
      return;
    }
    note(Note::full_object, {frame.start, header_size});
    std::string_view name = until_zero(read_string(Field::object_class));
    if (name == byte_order_mark) name = {};
    // An empty class name is all there is of a null object.
    if (!running() || name.empty()) return;
    const std::size_t count_at = cursor_.offset();
    const std::uint32_t count = read_u32(Field::object_property_count);
    if (!cursor_.ok()) return;
    if ((count & count_flag) != 0) {
      note(Note::negative_count, {count_at, sizeof count});
    } else if (count > cursor_.remaining() / (min_string_size + min_value_size)) {
      cursor_.fail(Outcome::malformed);
    } else {
      frame.children = count;
    }
  }

  [[nodiscard]] bool has_room() {
    if (depth_ >= max_depth_) cursor_.fail(Outcome::over_limit);
    return cursor_.ok();
  }

  Frame &begin_value(std::uint32_t number, Role role, std::uint32_t index, std::uint32_t header, Range range) {
    type_ = table_.types[number].type;
    Frame &frame = frames_[depth_++];
    frame = {type_, role, index, header, range.offset, range.offset, 0, 0, false};

    Event begin = make(Event::Kind::begin_value, range);
    begin.role = role;
    begin.index = index;
    begin.header = header;
    begin.text = table_.types[number].name;
    emit(begin);
    return frame;
  }

  // A bool or an int behind a header of one byte. @returns false where another value follows, with a header as usual
  bool read_compact_value() {
    const std::size_t start = cursor_.offset();
    Cursor ahead = cursor_;
    const auto byte = ahead.read<std::uint8_t>();
    const std::uint32_t number = byte & compact_type_mask;
    const Type type = number < table_.types.size() ? table_.types[number].type : Type::nil;
    const unsigned size = byte >> compact_size_shift;
    const bool is_short = type == Type::boolean || type == Type::integer;
    if (!ahead.ok()) cursor_.fail(ahead.outcome());
    // The engine takes the whole byte for the type then, and knows none so high.
    if (!is_short && size != 0) cursor_.fail(Outcome::malformed);
    if (!cursor_.ok()) return true;
    if (!is_short) return false;
    if (!has_room()) return true;

    cursor_ = ahead;
    const Range range{start, sizeof byte};
    begin_value(number, Role::root, 0, number, range);
    if (type == Type::boolean) {
      if ((byte & ~(compact_type_mask | compact_bool_flag)) != 0) note(Note::header_bits, range);
      emit_integer(Field::boolean, range, (byte & compact_bool_flag) != 0 ? 1 : 0);
    } else {
      read_compact_integer(size);
    }
    if (running()) pop();
    return true;
  }

  void read_compact_integer(unsigned size) {
    const std::size_t start = cursor_.offset();
    const std::int64_t value = size == 0   ? cursor_.read<std::int8_t>()
                               : size == 1 ? cursor_.read<std::int16_t>()
                               : size == 2 ? cursor_.read<std::int32_t>()
                                           : cursor_.read<std::int64_t>();
    if (cursor_.ok()) emit_integer(Field::integer, {start, cursor_.offset() - start}, value);
  }

  void read_value(Role role, std::uint32_t index) {
    value_depth_ = depth_;
    const std::size_t start = cursor_.offset();
    Cursor ahead = cursor_;
    const auto header = ahead.read<std::uint32_t>();
    if (!ahead.ok()) {
      cursor_.fail(ahead.outcome());
      return;
    }
    const std::uint32_t number = header & type_mask;
    if (number >= table_.types.size()) {
      cursor_.fail(Outcome::unsupported);
      return;
    }
    if (!has_room()) return;
    cursor_ = ahead;
    Frame &frame = begin_value(number, role, index, header, {start, header_size});
    if (value_depth_ > engine_max_nesting) note(Note::nesting, {start, header_size});
    if ((header & ~(type_mask | known_header_flags(type_, dialect_))) != 0)
      note(Note::header_bits, {start, header_size});
    if (running()) read_body(frame);
    if (running() && frame.children == 0) pop();
  }

  void read_body(Frame &frame) {
    const bool has_flag = (frame.header & header_flag_wide) != 0;
    const bool is_wide = double_reals_ || (table_.flag_widens_reals && has_flag);
    switch (type_) {
      case Type::nil:
      case Type::callable:
        break;
      case Type::boolean:
        read_bool();
        break;
      case Type::integer:
        read_integer(Field::integer, has_flag);
        break;
      case Type::real:
        read_real(Field::real, has_flag);
        break;
      case Type::string:
        read_string(Field::string);
        break;
      case Type::string_name:
        read_string(Field::string_name);
        break;
      case Type::node_path:
        read_node_path();
        break;
      case Type::rid:
        if (table_.rid_has_id) read_integer(Field::rid, true);
        break;
      case Type::object:
        if ((frame.header & header_flag_object_id) != 0) {
          read_integer(Field::object_id, true);
        } else {
          open_object(frame);
        }
        break;
      case Type::signal:
        read_signal();
        break;
      case Type::dictionary:
        if (table_.typed_containers) {
          read_container_type(Field::key_type, frame.header >> 16 & 3);
          read_container_type(Field::value_type, frame.header >> 18 & 3);
        }
        if (running()) open_container(frame, 2);
        break;
      case Type::array:
        if (table_.typed_containers) read_container_type(Field::element_type, frame.header >> 16 & 3);
        if (running()) open_container(frame, 1);
        break;
      case Type::packed_byte_array:
        read_packed_bytes();
        break;
      case Type::packed_int32_array:
      case Type::packed_int64_array:
        read_packed_integers(type_ == Type::packed_int64_array);
        break;
      case Type::packed_float32_array:
      case Type::packed_float64_array:
        read_packed_reals(type_ == Type::packed_float64_array);
        break;
      case Type::packed_string_array:
        read_packed_strings();
        break;
      case Type::packed_vector2_array:
      case Type::packed_vector3_array:
      case Type::packed_vector4_array:
      case Type::packed_color_array:
        // A color's components are floats whatever a real is.
        read_packed_components(packed_element(type_), is_wide && type_ != Type::packed_color_array);
        break;
      default:
        read_components(is_wide && type_ != Type::color);
        break;
    }
  }

  // Reads the next child of the innermost container, or leaves it.
  void step(Frame &frame) {
    value_depth_ = depth_ - 1;
    type_ = frame.type;
    const bool is_key = frame.type == Type::dictionary && frame.next % 2 == 0;
    if (is_key && frame.next > 0) end_entry(frame);
    if (frame.next == frame.children) {
      pop();
      return;
    }
    const std::uint32_t child = frame.next++;
    if (frame.type == Type::array) {
      read_value(Role::element, child);
    } else if (frame.type == Type::object) {
      read_string(Field::object_property, false, child);
      if (running()) read_value(Role::property, child);
    } else if (is_key) {
      frame.entry_start = cursor_.offset();
      frame.is_entry_told = !is_muted();
      if (frame.is_entry_told) tell_entry(Event::Kind::begin_entry, Role::value, {frame.entry_start, 0}, child / 2);
      if (running()) read_value(Role::key, child / 2);
    } else {
      read_value(Role::value, child / 2);
    }
  }

  void end_entry(const Frame &frame) {
    if (!frame.is_entry_told) return;
    tell_entry(Event::Kind::end_entry, Role::value, {frame.entry_start, cursor_.offset() - frame.entry_start},
               (frame.next - 1) / 2);
  }

  void pop() {
    const Frame &frame = frames_[--depth_];
    value_depth_ = depth_;
    type_ = frame.type;
    const bool is_cut_in_entry = frame.type == Type::dictionary && !cursor_.ok() && frame.next > 0;
    if (is_cut_in_entry) end_entry(frame);
    if (muted_depth_ == depth_) muted_depth_ = not_muted;
    Event event = make(Event::Kind::end_value, {frame.start, cursor_.offset() - frame.start});
    event.role = frame.role;
    event.index = frame.index;
    event.header = frame.header;
    emit(event);
    // A sink that wants nothing more of a value that has just ended wants nothing special.
    if (muted_depth_ == depth_) muted_depth_ = not_muted;
  }

  static constexpr std::uint32_t not_muted = ~0U;

  Cursor cursor_;
  Dialect dialect_;
  const DialectTable &table_;
  bool double_reals_;
  bool is_compact_;
  bool stopped_ = false;
  std::uint32_t max_depth_;
  std::uint32_t depth_ = 0;                // containers open, the value being read included
  std::uint32_t value_depth_ = 0;          // of the value being read
  std::uint32_t muted_depth_ = not_muted;  // of the value of which the sink wants nothing more
  Type type_ = Type::nil;                  // of the value being read
  NoteSet notes_;
  VariantSink &sink_;
  std::array<Frame, Limits::max_nesting> frames_;  // not initialised: only what is used is touched
};
static_assert(std::is_trivially_destructible_v<Walker>);

// Bytes of the UTF-8 sequence that a lead byte announces, and the range of its second byte. (Unicode, table 3-7)
struct Utf8Lead {
  std::size_t length;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

constexpr Utf8Lead utf8_lead(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

WalkResult walk_variant(Bytes bytes, std::size_t offset, const WalkOptions &options, VariantSink &sink) {
  return Walker(bytes, offset, options, sink).run();
}

WalkResult walk_compact_variant(Bytes bytes, std::size_t offset, WalkOptions options, VariantSink &sink) {
  options.compact = true;
  return walk_variant(bytes, offset, options, sink);
}

std::uint32_t known_header_flags(Type type, Dialect dialect) {
  const DialectTable &table = dialect_table(dialect);
  switch (type) {
    case Type::integer:
    case Type::real:
    case Type::object:
      return header_flag_wide;
    case Type::array:
      return table.typed_containers ? 0x3U << 16 : 0;
    case Type::dictionary:
      return table.typed_containers ? 0xfU << 16 : 0;
    case Type::vector2:
    case Type::rect2:
    case Type::vector3:
    case Type::transform2d:
    case Type::vector4:
    case Type::plane:
    case Type::quaternion:
    case Type::aabb:
    case Type::basis:
    case Type::transform3d:
    case Type::projection:
    case Type::packed_vector2_array:
    case Type::packed_vector3_array:
    case Type::packed_vector4_array:
      return table.flag_widens_reals ? header_flag_wide : 0;
    default:
      return 0;
  }
}

Type packed_element(Type type) {
  switch (type) {
    case Type::packed_byte_array:
    case Type::packed_int32_array:
    case Type::packed_int64_array:
      return Type::integer;
    case Type::packed_float32_array:
    case Type::packed_float64_array:
      return Type::real;
    case Type::packed_string_array:
      return Type::string;
    case Type::packed_vector2_array:
      return Type::vector2;
    case Type::packed_vector3_array:
      return Type::vector3;
    case Type::packed_vector4_array:
      return Type::vector4;
    case Type::packed_color_array:
      return Type::color;
    default:
      return type;
  }
}

std::span<const Field> components(Type type) {
  switch (type) {
    case Type::vector2:
      return vector2_fields;
    case Type::vector2i:
      return vector2i_fields;
    case Type::rect2:
      return rect2_fields;
    case Type::rect2i:
      return rect2i_fields;
    case Type::vector3:
      return vector3_fields;
    case Type::vector3i:
      return vector3i_fields;
    case Type::transform2d:
      return transform2d_fields;
    case Type::vector4:
      return vector4_fields;
    case Type::vector4i:
      return vector4i_fields;
    case Type::plane:
      return plane_fields;
    case Type::quaternion:
      return quaternion_fields;
    case Type::aabb:
      return aabb_fields;
    case Type::basis:
      return basis_fields;
    case Type::transform3d:
      return transform3d_fields;
    case Type::projection:
      return projection_fields;
    case Type::color:
      return color_fields;
    default:
      return {};
  }
}

std::size_t utf8_sequence_length(std::string_view text) {
  const Utf8Lead lead = text.empty() ? Utf8Lead{0, 0, 0} : utf8_lead(static_cast<std::uint8_t>(text[0]));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte < (i == 1 ? lead.second_min : 0x80) || byte > (i == 1 ? lead.second_max : 0xbf)) return 0;
  }
  return lead.length;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace godot_codec
