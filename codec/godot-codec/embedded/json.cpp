// SPDX-License-Identifier: MIT
#include <cstddef>

#include "godot-codec/core/utf8.h"
#include "godot-codec/embedded/embedded_format.h"

namespace godot_codec {
namespace {

class JsonValidator {
 public:
  explicit JsonValidator(std::string_view text) : text_(text) {}

  bool is_document() {
    skip_blanks();
    if (!is_next_any_of("{[") || !read_value(0)) return false;
    skip_blanks();
    return offset_ == text_.size();
  }

 private:
  static constexpr unsigned max_depth = 64;

  [[nodiscard]] bool is_next_any_of(std::string_view any) const {
    return offset_ < text_.size() && any.find(text_[offset_]) != std::string_view::npos;
  }
  bool accept(char c) {
    skip_blanks();
    if (!is_next_any_of({&c, 1})) return false;
    ++offset_;
    return true;
  }
  void skip_blanks() {
    while (is_next_any_of(" \t\r\n")) ++offset_;
  }

  bool read_value(unsigned depth) {
    if (accept('{')) return read_elements('}', depth + 1);
    if (accept('[')) return read_elements(']', depth + 1);
    return is_next_any_of("\"") ? read_string() : read_word() || read_number();
  }

  // Reads the elements of an object or array up to its end.
  bool read_elements(char end, unsigned depth) {
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
      if (!text_.substr(offset_).starts_with(word)) continue;
      offset_ += word.size();
      return true;
    }
    return false;
  }

  bool read_string() {
    if (!is_next_any_of("\"")) return false;
    for (++offset_; offset_ < text_.size(); ++offset_) {
      const auto c = static_cast<unsigned char>(text_[offset_]);
      if (c == '"') {
        ++offset_;
        return true;
      }
      if (c < ' ') return false;
      if (c == '\\') ++offset_;
    }
    return false;
  }

  bool read_number() {
    bool has_digit = false;
    for (; is_next_any_of("0123456789+-.eE"); ++offset_) has_digit = has_digit || is_next_any_of("0123456789");
    return has_digit;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
};

}  // namespace

bool is_json(std::string_view text) { return JsonValidator(text).is_document() && is_valid_utf8(text); }

}  // namespace godot_codec
