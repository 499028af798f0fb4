// SPDX-License-Identifier: MIT
#include "godot-codec/variant/dialect.h"

#include <algorithm>
#include <array>

namespace godot_codec {
namespace {

constexpr std::uint32_t header_flags_of(HeaderFlagMeaning use, bool flag_widens_reals, bool has_typed_containers) {
  switch (use) {
    case HeaderFlagMeaning::none:
      return 0;
    case HeaderFlagMeaning::wide:
    case HeaderFlagMeaning::object_id:
      return 1U << 16;
    case HeaderFlagMeaning::wide_reals:
      return flag_widens_reals ? 1U << 16 : 0;
    case HeaderFlagMeaning::element_type:
      return has_typed_containers ? 0x3U << 16 : 0;
    case HeaderFlagMeaning::key_and_value_types:
      return has_typed_containers ? 0xfU << 16 : 0;
  }
  return 0;
}

constexpr std::size_t count_types(Dialect dialect) {
  return static_cast<std::size_t>(std::count_if(type_table.begin(), type_table.end(), [dialect](const TypeTraits &row) {
    return row.names.numbers[static_cast<std::size_t>(dialect)] != TypeNames::absent;
  }));
}

// The rows of a dialect, by type number. Does not compile if a type number is missing or used twice.
template <Dialect dialect>
constexpr auto make_type_rows(bool flag_widens_reals, bool has_typed_containers) {
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
              ~(0xffU | header_flags_of(row.shape.header_flags, flag_widens_reals, has_typed_containers))};
  }
  return rows;
}

constexpr auto godot4_types = make_type_rows<Dialect::godot4>(true, true);
constexpr auto godot3_types = make_type_rows<Dialect::godot3>(false, false);
constexpr auto docs_types = make_type_rows<Dialect::docs>(false, false);

constexpr DialectTable make_table(Dialect dialect) {
  switch (dialect) {
    case Dialect::godot4:
      return {"Godot 4", godot4_types, true, true, true, false, "^"};
    case Dialect::godot3:
      return {"Godot 3", godot3_types, false, false, false, false, "@"};
    case Dialect::docs:
      return {"docs table", docs_types, false, false, false, true, "^"};
  }
  throw "no dialect";
}

// The tables, in the order of the enumerators. Does not compile if all_dialects lacks a dialect.
constexpr std::array<DialectTable, dialect_count> make_tables() {
  std::array<DialectTable, dialect_count> all{};
  for (std::size_t i = 0; i < dialect_count; ++i) {
    if (all_dialects[i] != static_cast<Dialect>(i)) throw "all_dialects lacks a dialect";
    all[i] = make_table(all_dialects[i]);
  }
  return all;
}
constexpr std::array<DialectTable, dialect_count> tables = make_tables();

}  // namespace

const DialectTable &dialect_table(Dialect dialect) { return tables[static_cast<std::size_t>(dialect)]; }

std::string_view type_name(Dialect dialect, Type type) {
  const TypeNames &names = type_table[static_cast<std::size_t>(type)].names;
  const auto column = static_cast<std::size_t>(dialect);
  return names.numbers[column] == TypeNames::absent ? std::string_view{} : names.names[column];
}

std::uint32_t known_header_flags(Type type, Dialect dialect) {
  const DialectTable &table = dialect_table(dialect);
  return header_flags_of(shape_of(type).header_flags, table.flag_widens_reals, table.has_typed_containers);
}

}  // namespace godot_codec
