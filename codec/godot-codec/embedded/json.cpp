// SPDX-License-Identifier: MIT
#include <cstddef>

#include "godot-codec/core/utf8.h"
#include "godot-codec/embedded/embedded.h"

namespace godot_codec {
namespace {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool is_whole() {
    skip_blanks();
    if (!is_next("{[") || !read_value(0)) return false;
    skip_blanks();
    return at_ == text_.size();
  }

 private:
  static constexpr unsigned max_depth = 64;

  [[nodiscard]] bool is_next(std::string_view any) const {
    return at_ < text_.size() && any.find(text_[at_]) != std::string_view::npos;
  }
  bool accept(char c) {
    skip_blanks();
    if (!is_next({&c, 1})) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (is_next(" \t\r\n")) ++at_;
  }

  bool read_value(unsigned depth) {
    if (accept('{')) return read_values('}', depth + 1);
    if (accept('[')) return read_values(']', depth + 1);
    return is_next("\"") ? read_string() : read_word() || read_number();
  }

  // Reads the elements of an object or array up to its end.
  bool read_values(char end, unsigned depth) {
    if (depth > max_depth) return false;
    if (accept(end)) return true;
    do {
      if (end == '}' && !read_key()) return false;
      if (!read_value(depth)) return false;
    } while (accept(','));
    return accept(end);
  }

  bool read_key() {
    skip_blanks();
    return read_string() && accept(':');
  }

  bool read_word() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  bool read_string() {
    if (!is_next("\"")) return false;
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
    bool has_digit = false;
    for (; is_next("0123456789+-.eE"); ++at_) has_digit = has_digit || is_next("0123456789");
    return has_digit;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_json(std::string_view text) { return JsonReader(text).is_whole() && is_valid_utf8(text); }

}  // namespace godot_codec
