// SPDX-License-Identifier: MIT
#include "godot-codec/variant/variant_types.h"

#include <algorithm>

namespace godot_codec {
namespace {

constexpr std::size_t most_components = [] {
  std::size_t most = 0;
  for (const TypeTraits &row : type_table) most = std::max<std::size_t>(most, row.shape.component_count);
  return most;
}();

using WireOrder = std::array<VariantField, most_components>;

constexpr auto wire_orders = [] {
  std::array<WireOrder, type_count> orders{};
  for (std::size_t type = 0; type < type_count; ++type) {
    const TypeShape &shape = type_table[type].shape;
    for (std::size_t i = 0; i < shape.component_count; ++i) {
      orders[type][i] =
          static_cast<VariantField>(static_cast<std::size_t>(shape.first_component) + script_index(shape, i));
    }
  }
  return orders;
}();

}  // namespace

std::span<const VariantField> components_of(Type type) {
  return std::span(wire_orders[static_cast<std::size_t>(type)]).first(shape_of(type).component_count);
}

}  // namespace godot_codec
