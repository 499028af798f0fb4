// SPDX-License-Identifier: MIT
#include "godot-codec/inside/json.h"

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/utf8.h"

namespace godot_codec {
namespace {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool is_whole() {
    skip_blanks();
    if (!is_next('{') && !is_next('[')) return false;
    if (!read_values()) return false;
    skip_blanks();
    return at_ == text_.size();
  }

 private:
  static constexpr unsigned max_depth = 64;

  [[nodiscard]] bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool accept(char c) {
    skip_blanks();
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  // Without recursion: a bit for each object or array around, 1 for an object.
  bool read_values() {
    std::uint64_t objects = 0;
    unsigned depth = 0;
    for (;;) {
      skip_blanks();
      const bool is_object = is_next('{');
      if (is_object || is_next('[')) {
        if (++depth > max_depth) return false;
        objects = objects << 1 | (is_object ? 1U : 0U);
        ++at_;
        if (!accept(is_object ? '}' : ']')) {
          if (is_object && !read_key()) return false;
          continue;
        }
        --depth;
        objects >>= 1;
      } else if (!read_scalar()) {
        return false;
      }
      for (;;) {
        if (depth == 0) return true;
        const bool is_in_object = (objects & 1) != 0;
        if (accept(',')) {
          if (is_in_object && !read_key()) return false;
          break;
        }
        if (!accept(is_in_object ? '}' : ']')) return false;
        --depth;
        objects >>= 1;
      }
    }
  }

  bool read_key() {
    skip_blanks();
    return read_string() && accept(':');
  }

  bool read_scalar() {
    if (is_next('"')) return read_string();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return true;
      }
    }
    return read_number();
  }

  bool read_string() {
    if (!is_next('"')) return false;
    for (++at_; at_ < text_.size(); ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < ' ') return false;
      if (c == '\\') ++at_;
    }
    return false;
  }

  bool read_number() {
    const std::size_t start = at_;
    bool has_digit = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool is_digit = c >= '0' && c <= '9';
      has_digit = has_digit || is_digit;
      if (!is_digit && std::string_view("+-.eE").find(c) == std::string_view::npos) break;
    }
    return at_ > start && has_digit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_json(std::string_view text) { return JsonReader(text).is_whole() && is_valid_utf8(text); }

}  // namespace godot_codec
