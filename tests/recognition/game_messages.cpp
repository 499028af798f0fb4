// SPDX-License-Identifier: MIT
#include "game_messages.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace recognition {
namespace {

// Type numbers in Godot 3 and in Godot 4: core/variant.h, core/variant/variant.h.
struct TypeNumber {
  int godot3;
  int godot4;
};
constexpr int absent = -1;
constexpr TypeNumber vector2{5, 5};
constexpr TypeNumber vector2i{absent, 6};
constexpr TypeNumber rect2{6, 7};
constexpr TypeNumber rect2i{absent, 8};
constexpr TypeNumber vector3{7, 9};
constexpr TypeNumber vector3i{absent, 10};
constexpr TypeNumber transform2d{8, 11};
constexpr TypeNumber vector4{absent, 12};
constexpr TypeNumber vector4i{absent, 13};
constexpr TypeNumber plane{9, 14};
constexpr TypeNumber quaternion{10, 15};
constexpr TypeNumber aabb{11, 16};
constexpr TypeNumber basis{12, 17};
constexpr TypeNumber transform3d{13, 18};
constexpr TypeNumber projection{absent, 19};
constexpr TypeNumber color{14, 20};
constexpr TypeNumber string_name{absent, 21};
constexpr TypeNumber node_path{15, 22};
constexpr TypeNumber object{17, 24};
constexpr TypeNumber dictionary{18, 27};
constexpr TypeNumber array{19, 28};
constexpr TypeNumber bytes{20, 29};
constexpr TypeNumber integers{21, 30};
constexpr TypeNumber long_integers{absent, 31};
constexpr TypeNumber reals{22, 32};
constexpr TypeNumber long_reals{absent, 33};
constexpr TypeNumber strings{23, 34};
constexpr TypeNumber vectors2{24, 35};
constexpr TypeNumber vectors3{25, 36};
constexpr TypeNumber colors{26, 37};
constexpr TypeNumber vectors4{absent, 38};

constexpr std::uint32_t wide = 1U << 16;

class Message {
 public:
  Message(Random &random, Engine engine) : random_(random), engine_(engine) {}

  void any_container() {
    if (random_.one_in(2)) {
      any_dictionary(0);
    } else {
      any_array(0);
    }
  }
  void any_value(unsigned depth = 0);
  // Adds the content alone, in a Dictionary or in an Array.
  void holder_of(const std::string &content) {
    const std::uint32_t kind = up_to(2);
    if (kind > 0) header(kind == 1 ? dictionary : array);
    if (kind > 0) word(1);
    if (kind == 1) word(4);
    if (kind == 1) text("data");
    array_of(content);
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::uint32_t up_to(std::uint32_t most) { return random_.between(0, most); }
  void word(std::uint64_t value) { put(bytes_, value, 4); }
  void header(TypeNumber type, std::uint32_t flags = 0) {
    word(static_cast<std::uint32_t>(engine_ == Engine::godot3 ? type.godot3 : type.godot4) | flags);
  }
  [[nodiscard]] bool has(TypeNumber type) const { return engine_ == Engine::godot4 || type.godot3 != absent; }

  // --- Numbers

  // Components of vectors: positions, directions, sizes, colours.
  float any_single();
  double any_double();
  void single() { put_float(bytes_, any_single()); }
  void singles(std::uint32_t count) {
    for (; count > 0; --count) single();
  }
  std::int64_t any_integer();
  void integer();
  void real();
  std::uint32_t any_count() { return random_.one_in(5) ? 0 : random_.one_in(8) ? up_to(40) : random_.between(1, 6); }

  // --- Texts

  std::string any_text();
  void text(std::string_view text, char padding = '\0') {
    word(text.size());
    bytes_ += text;
    while (bytes_.size() % 4 != 0) bytes_ += padding;
  }
  void path();

  // --- Vectors and matrices

  void plain(TypeNumber type, std::uint32_t count) {
    header(type);
    const std::uint32_t kind = up_to(7);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (kind == 0) put_float(bytes_, 0);
      if (kind == 1) put_float(bytes_, i == 0 ? 1.0F : 0.0F);
      if (kind > 1) single();
    }
  }
  void plain_integers(TypeNumber type, std::uint32_t count) {
    header(type);
    for (; count > 0; --count) word(static_cast<std::uint64_t>(any_integer()));
  }
  void any_color();
  void any_basis();
  void any_transform(TypeNumber type, bool is_3d);
  void any_projection();

  // --- Packed arrays

  void any_bytes();
  void any_packed();
  // Adds 32-bit words, as a byte array or as an array of numbers.
  void array_of(const std::string &content) {
    const std::uint32_t kind = up_to(3);
    header(kind > 1 ? bytes : kind == 1 ? integers : reals);
    word(kind > 1 ? content.size() : content.size() / 4);
    bytes_ += content;
  }

  // --- Containers

  void any_key();
  void any_dictionary(unsigned depth);
  void any_array(unsigned depth);

  Random &random_;
  Engine engine_;
  std::string bytes_;
};

float Message::any_single() {
  constexpr float pi = 3.14159265F;
  const auto share = static_cast<float>(static_cast<double>(random_.word() >> 40) / (1 << 24));  // 0 to 1
  switch (up_to(15)) {
    case 0:
    case 1:
      return 0;
    case 2:
      return random_.one_in(2) ? 1.0F : -1.0F;
    case 3:
      return static_cast<float>(up_to(2000)) - 1000;
    case 4:
      return static_cast<float>(up_to(4000)) / 4 - 500;
    case 5:
      return static_cast<float>(up_to(100)) / 100;
    case 6:
      return std::sin(share * 2 * pi);
    case 7:
      return std::cos(static_cast<float>(up_to(4)) * pi / 2);  // almost zero, like the cosine of a right angle
    case 8:
      return share;
    case 9:
      return share * 1e6F;
    case 10:
      return share * 1e-4F;
    case 11:
      // A number that a game has multiplied by a small factor in every frame.
      return random_.one_in(4) ? std::ldexp(share, -static_cast<int>(random_.between(20, 149))) : share / 8;
    case 12:
      if (random_.one_in(8)) return std::numeric_limits<float>::infinity();
      if (random_.one_in(8)) return std::numeric_limits<float>::quiet_NaN();
      return random_.one_in(8) ? -0.0F : 0.5F;
    default:
      return (share - 0.5F) * 2000;
  }
}

double Message::any_double() {
  const auto share = static_cast<double>(random_.word() >> 11) / 9007199254740992.0;
  switch (up_to(4)) {
    case 0:
      return static_cast<double>(any_single());
    case 1:
      return share;
    case 2:
      return static_cast<double>(up_to(100000)) / 100;
    case 3:
      return 1.6e9 + share * 1e8;  // a time
    default:
      return (share - 0.5) * 2000;
  }
}

std::int64_t Message::any_integer() {
  switch (up_to(7)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return -static_cast<std::int64_t>(up_to(100));
    case 3:
      return static_cast<std::int64_t>(up_to(0x7fffffff));  // a peer's id
    case 4:
      return static_cast<std::int64_t>(up_to(100000));
    default:
      return static_cast<std::int64_t>(up_to(40));
  }
}

// Uses 64 bits if the integer does not fit into 32 bits. (marshalls.cpp, encode_variant(), INT)
void Message::integer() {
  if (!random_.one_in(10)) {
    word(2);
    word(static_cast<std::uint64_t>(any_integer()));
    return;
  }
  word(2 | wide);
  const std::uint64_t large = std::uint64_t{1} << 32 | random_.word();
  put(bytes_, random_.one_in(2) ? large : 1'700'000'000'000 + up_to(1000000), 8);
}

// Uses 64 bits if 32 bits cannot hold the value exactly, which includes every NaN. (marshalls.cpp, encode_variant(),
// FLOAT)
void Message::real() {
  const double number = any_double();
  if (number == static_cast<double>(static_cast<float>(number))) {
    word(3);
    put_float(bytes_, static_cast<float>(number));
  } else {
    word(3 | wide);
    put(bytes_, std::bit_cast<std::uint64_t>(number), 8);
  }
}

std::string Message::any_text() {
  static constexpr std::array<std::string_view, 16> usual{"id",   "pos",  "position", "hp", "name", "velocity",
                                                          "type", "data", "x",        "y",  "move", "player_joined",
                                                          "jump", "rot",  "team",     "t"};
  static constexpr std::array<std::string_view, 6> other{"Grüße aus Köln", "こんにちは", "gg :-)", "😀",
                                                         "Hello, world!",  "a\tb\nc"};
  switch (up_to(7)) {
    case 0:
      return {};
    case 1:
      return word_of_text(random_, 20);
    case 2: {
      std::string chat = word_of_text(random_);
      for (std::uint32_t left = up_to(6); left > 0; --left) chat += ' ' + word_of_text(random_);
      return chat + (random_.one_in(2) ? "!" : "");
    }
    case 3:
      return std::string(random_.any(other));
    case 4:
      return "Player" + std::to_string(up_to(100));
    case 5:
      return "res://" + word_of_text(random_) + ".tscn";
    default:
      return std::string(random_.any(usual));
  }
}

// Writes names and sub-names. For padding, Godot 3 sends the previous content of its buffer.
void Message::path() {
  const std::uint32_t names = random_.between(1, 4);
  const std::uint32_t subnames = up_to(1);
  header(node_path);
  word(0x80000000U | names);
  word(subnames);
  word(up_to(1));
  const bool is_clean = engine_ == Engine::godot4 || random_.one_in(2);
  for (std::uint32_t i = 0; i < names + subnames; ++i) {
    text(word_of_text(random_), is_clean ? '\0' : static_cast<char>(up_to(255)));
  }
}

void Message::any_color() {
  header(color);
  for (int i = 0; i < 3; ++i) put_float(bytes_, random_.one_in(3) ? 1.0F : static_cast<float>(up_to(255)) / 255);
  put_float(bytes_, random_.one_in(4) ? 0.5F : 1.0F);
}

// Three rows: the identity, rotated about an axis and scaled, or arbitrary numbers.
void Message::any_basis() {
  const std::uint32_t kind = up_to(5);
  const float angle = static_cast<float>(up_to(360)) * 3.14159265F / 180;
  const float scale = random_.one_in(2) ? 1.0F : static_cast<float>(random_.between(1, 30)) / 10;
  const float sine = std::sin(angle) * scale;
  const float cosine = std::cos(angle) * scale;
  const std::array<float, 9> turned{cosine, 0, sine, 0, scale, 0, -sine, 0, cosine};
  for (std::size_t i = 0; i < turned.size(); ++i) {
    if (kind == 0) put_float(bytes_, 0);
    if (kind == 1) put_float(bytes_, i % 4 == 0 ? 1.0F : 0.0F);
    if (kind == 2) single();
    if (kind > 2) put_float(bytes_, turned.at(i));
  }
}

void Message::any_transform(TypeNumber type, bool is_3d) {
  header(type);
  if (is_3d) {
    any_basis();
    singles(3);
    return;
  }
  const float angle = static_cast<float>(up_to(360)) * 3.14159265F / 180;
  for (const float part : {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)}) {
    put_float(bytes_, part);
  }
  singles(2);
}

void Message::any_projection() {
  header(projection);
  const std::uint32_t kind = up_to(3);
  for (std::uint32_t i = 0; i < 16; ++i) {
    if (kind == 0) put_float(bytes_, i % 5 == 0 ? 1.0F : 0.0F);
    if (kind == 1) put_float(bytes_, 0);
    if (kind > 1) single();
  }
}

void Message::any_bytes() {
  const std::uint32_t count = random_.one_in(2) ? any_count() : up_to(100);
  header(bytes);
  word(count);
  const std::uint32_t kind = up_to(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    bytes_ += static_cast<char>(kind == 0 ? 0 : kind == 1 ? up_to(9) : up_to(255));
  }
  while (bytes_.size() % 4 != 0) bytes_ += '\0';
}

void Message::any_packed() {
  struct Row {
    TypeNumber type;
    std::uint32_t width;
  };
  static constexpr std::array<Row, 8> of_singles{
      {{reals, 1}, {vectors2, 2}, {vectors3, 3}, {colors, 4}, {vectors4, 4}, {reals, 1}, {vectors2, 2}, {vectors3, 3}}};
  const std::uint32_t count = any_count();
  const std::uint32_t kind = up_to(7);
  if (kind < 3) {
    header(integers);
    word(count);
    for (std::uint32_t i = 0; i < count; ++i) word(static_cast<std::uint64_t>(any_integer()));
  } else if (kind == 3) {
    header(strings);
    word(count);
    for (std::uint32_t i = 0; i < count; ++i) text(any_text() + '\0');
  } else if (kind == 4 && engine_ == Engine::godot4) {
    const bool is_real = random_.one_in(2);
    header(is_real ? long_reals : long_integers);
    word(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      put(bytes_, is_real ? std::bit_cast<std::uint64_t>(any_double()) : static_cast<std::uint64_t>(any_integer()), 8);
    }
  } else {
    Row row = random_.any(of_singles);
    if (!has(row.type)) row = of_singles[0];
    header(row.type);
    word(count);
    singles(count * row.width);
  }
}

void Message::any_key() {
  const std::uint32_t kind = up_to(9);
  if (kind == 0) return any_value(2);
  if (kind < 4) return integer();
  word(engine_ == Engine::godot4 && kind == 4 ? 21 : 4);
  text(any_text());
}

void Message::any_dictionary(unsigned depth) {
  const std::uint32_t count = any_count();
  header(dictionary);
  word(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    any_key();
    any_value(depth + 1);
  }
}

void Message::any_array(unsigned depth) {
  const std::uint32_t count = any_count();
  // A typed array, which scripts can declare in 4.0 and later. Or an array with elements of one type by chance.
  if (engine_ == Engine::godot4 && random_.one_in(8)) {
    header(array, wide);
    word(2);
    word(count);
    for (std::uint32_t i = 0; i < count; ++i) integer();
    return;
  }
  header(array);
  word(count);
  if (random_.one_in(3)) {
    const std::size_t start = bytes_.size();
    any_value(depth + 1);
    const std::string value = bytes_.substr(start);
    bytes_.resize(start);
    for (std::uint32_t i = 0; i < count; ++i) bytes_ += value;
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) any_value(depth + 1);
}

void Message::any_value(unsigned depth) {
  constexpr unsigned deepest = 3;
  switch (up_to(engine_ == Engine::godot4 ? 31 : 25)) {
    case 0:
      return word(0);
    case 1:
    case 2:
      word(1);
      return word(up_to(1));
    case 3:
    case 4:
    case 5:
      return integer();
    case 6:
    case 7:
    case 8:
      return real();
    case 9:
    case 10:
    case 11:
      word(4);
      return text(any_text());
    case 12:
    case 13:
      return plain(vector2, 2);
    case 14:
    case 15:
      return plain(vector3, 3);
    case 16:
      return random_.one_in(2) ? plain(rect2, 4) : plain(aabb, 6);
    case 17:
      return random_.one_in(2) ? plain(plane, 4) : plain(quaternion, 4);
    case 18:
      header(basis);
      return any_basis();
    case 19:
      return any_transform(transform3d, true);
    case 20:
      return any_transform(transform2d, false);
    case 21:
      return any_color();
    case 22:
      if (random_.one_in(2)) return path();
      header(object, wide);  // null: an object without id
      return put(bytes_, 0, 8);
    case 23:
      return any_bytes();
    case 24:
      return any_packed();
    case 25:
      if (depth >= deepest) return word(0);
      return random_.one_in(2) ? any_dictionary(depth) : any_array(depth);
    case 26:
      return plain_integers(vector2i, 2);
    case 27:
      return plain_integers(vector3i, 3);
    case 28:
      return random_.one_in(2) ? plain_integers(rect2i, 4) : plain_integers(vector4i, 4);
    case 29:
      return plain(vector4, 4);
    case 30:
      return any_projection();
    default:
      header(string_name);
      return text(any_text());
  }
}

}  // namespace

std::string game_container(Random &random, Engine engine) {
  Message message(random, engine);
  message.any_container();
  return message.take();
}

std::string game_value(Random &random, Engine engine) {
  Message message(random, engine);
  message.any_value();
  return message.take();
}

std::string game_array_of_bytes(Random &random, Engine engine) {
  const Engine other = random.one_in(2) ? Engine::godot3 : Engine::godot4;
  const std::string content = random.one_in(2) ? game_value(random, other) : game_container(random, other);
  Message message(random, engine);
  message.holder_of(content);
  return message.take();
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace recognition
