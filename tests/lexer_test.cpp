// SPDX-License-Identifier: MIT
// The tokens of each language that the lexer reads.
#include "godot-codec/core/lexer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace godot_codec::test {
namespace {

constexpr std::array languages = {Language::gdscript, Language::csharp, Language::resource,
                                  Language::format_description};

// Writes words as they are, strings in <>, symbols in ''. Before the first token of a line: line number and
// indentation; then the number of open brackets, as a superscript.
std::string tokens_of(std::string_view source, Language language) {
  Lexer lexer(source, language);
  std::string text;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (!text.empty()) text += ' ';
    if (token.begins_line) text += std::to_string(token.line) + "/" + std::to_string(token.indent) + ":";
    if (token.depth > 0) text += std::to_string(token.depth) + "^";
    if (token.is_raw) text += "raw";
    const std::string_view around = token.kind == TokenKind::string ? "<>" : token.is_word() ? "" : "''";
    text.append(around.substr(0, 1)).append(token.text == "\n" ? "\\n" : token.text);
    if (!around.empty()) text += around[1];
  }
  return text;
}

TEST(Lexer, GdScriptIsTokenized) {
  EXPECT_EQ(tokens_of("\xef\xbb\xbfvar a := 1.5 # not\n\tb(\n\"c\")\\\n + 'd'\n", Language::gdscript),
            "1/0:var a ':' '=' 1 '.' 5 2/4:b '(' 1^<c> 1^')' '+' <d>");
  EXPECT_EQ(tokens_of(R"(r"a\" b" "" """c"d""" '''e''' ' \' f)", Language::gdscript),
            R"(1/0:raw<a\" b> <> <c"d> <e> < \' f>)");
  EXPECT_EQ(tokens_of("\"a\n\\\"b\" c\nd", Language::gdscript), "1/0:<a\n\\\"b> c 3/0:d");
}

TEST(Lexer, CSharpIsTokenized) {
  EXPECT_EQ(tokens_of("#if x\na /* b\n */ c // d\n { # e }", Language::csharp), "2/0:a c 4/1:'{' '#' e '}'");
  EXPECT_EQ(tokens_of(R"("a\"b" 'c' @"d""e" $"f{g["h"]}i" """j"k""" @class)", Language::csharp),
            R"(1/0:<a\"b> <c> raw<d""e> raw<f{g["h"]}i> <j"k> '@' class)");
  EXPECT_EQ(tokens_of("\"a\nb\n#c\n@\"d\ne\"", Language::csharp), "1/0:<a> 2/0:b 4/0:raw<d\ne>");
}

TEST(Lexer, ResourceFilesAreTokenized) {
  EXPECT_EQ(tokens_of("[a b=-1.5e+3] ; c\nd/e = &\"f\\\"\ng\"", Language::resource),
            "1/0:'[' 1^a 1^b 1^'=' 1^-1.5e+3 1^']' 2/0:d '/' e '=' '&' <f\\\"\ng>");
}

TEST(Lexer, CustomFormatFilesAreTokenized) {
  EXPECT_EQ(tokens_of("a: -1 >= 2 # b\n  \"c\\\"d\" != \"e\nf", Language::format_description),
            "1/0:a ':' -1 '>=' 2 '\\n' 2/2:<c\\\"d> '!=' '\"e' '\\n' 3/0:f");
}

// Would take minutes if the time grew with the square of the text length.
TEST(Lexer, TimeIsLinear) {
  constexpr std::size_t size = 1U << 20;
  for (const std::string_view part :
       {"\\", "@", "$", "r", "\"", "'", "\\\"", "\"\\", "\"\n", "$\"{", "/*", "#", "(", " "}) {
    std::string source = "\"";
    while (source.size() < size) source += part;
    for (const std::size_t start : {0U, 1U}) {
      for (const Language language : languages) {
        Lexer lexer(std::string_view(source).substr(start), language);
        std::size_t count = 0;
        while (lexer.next().kind != TokenKind::end) ++count;
        EXPECT_LE(count, source.size());
      }
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
