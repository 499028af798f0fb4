// SPDX-License-Identifier: MIT
#include "godot-codec/variant/dialect.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace godot_codec {
namespace {

constexpr std::uint32_t header_flags_of(const TypeShape &shape, bool has_godot4_flags) {
  return shape.header_flags.is_only_godot4 && !has_godot4_flags ? 0 : shape.header_flags.bits;
}

constexpr std::size_t count_types(Dialect dialect) {
  return static_cast<std::size_t>(std::count_if(type_table.begin(), type_table.end(), [dialect](const TypeTraits &row) {
    return row.names.numbers[static_cast<std::size_t>(dialect)] != TypeNames::absent;
  }));
}

// The rows of a dialect, by type number. Does not compile if a type number is missing or used twice.
template <Dialect dialect>
constexpr auto make_type_rows(bool has_godot4_flags) {
  constexpr auto column = static_cast<std::size_t>(dialect);
  std::array<TypeRow, count_types(dialect)> rows{};
  for (std::size_t type = 0; type < type_count; ++type) {
    const TypeTraits &row = type_table[type];
    const int number = row.names.numbers[column];
    if (number == TypeNames::absent) continue;
    TypeRow &target = rows.at(static_cast<std::size_t>(number));
    if (!target.name.empty()) throw "a number that stands twice";
    if (row.names.names[column].empty()) throw "a dialect without a column in TypeNames";
    target = {static_cast<Type>(type), row.shape.body, row.names.names[column],
              ~(0xffU | header_flags_of(row.shape, has_godot4_flags))};
  }
  return rows;
}

constexpr auto godot4_types = make_type_rows<Dialect::godot4>(true);
constexpr auto godot3_types = make_type_rows<Dialect::godot3>(false);
constexpr auto docs_types = make_type_rows<Dialect::docs>(false);

// By Dialect.
constexpr DialectTable tables[] = {{"Godot 4", godot4_types, true, true, false, "^"},
                                   {"Godot 3", godot3_types, false, false, false, "@"},
                                   {"docs table", docs_types, false, false, true, "^"}};
static_assert(std::size(tables) == dialect_count && std::ranges::is_sorted(all_dialects));

}  // namespace

const DialectTable &dialect_table(Dialect dialect) { return tables[static_cast<std::size_t>(dialect)]; }

std::string_view type_name(Dialect dialect, Type type) {
  const TypeNames &names = type_table[static_cast<std::size_t>(type)].names;
  const auto column = static_cast<std::size_t>(dialect);
  return names.numbers[column] == TypeNames::absent ? std::string_view{} : names.names[column];
}

std::uint32_t known_header_flags(Type type, Dialect dialect) {
  return header_flags_of(shape_of(type), dialect_table(dialect).has_godot4_flags);
}

}  // namespace godot_codec
