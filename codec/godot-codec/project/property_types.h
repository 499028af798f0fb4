// SPDX-License-Identifier: MIT
/// @file
/// What a declaration says of the values that a property may have. What is not certain may have any type.
///
/// A typed variable converts what it is given (a `float` is never sent as an int), so that its type is the one on the
/// wire; one of a class is sent as null where the object is gone.
#pragma once

#include <string_view>

#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

struct Script;

/// Of a type as GDScript writes it: `int`, `Vector2`; other names are classes, or enums, which are ints.
[[nodiscard]] ValueTypes types_of_declared(std::string_view type);

/// Of arguments for a parameter of a type as GDScript writes it: the engine converts some
/// (Variant::can_convert_strict).
[[nodiscard]] ValueTypes types_of_argument(std::string_view type);

/// The same of a type as C# writes it, where no class or enum of the game's may have that name: of others any.
[[nodiscard]] ValueTypes types_of_csharp(std::string_view type);

/// Whether a name is one of the types that Variants have, as GDScript writes them.
[[nodiscard]] bool is_variant_type(std::string_view name);

/// Whether it is a class of Godot 4.6's from Node on.
[[nodiscard]] bool is_builtin_class(std::string_view name);

/// Of a node's property.
/// @param node_class Godot's; of another one nothing is known
/// @param has_script whether the node has one, even if that is not read
/// @param script null if it is not
[[nodiscard]] ValueTypes types_of_property(std::string_view node_class, bool has_script, const Script *script,
                                           std::string_view property);

}  // namespace godot_codec::project
