// SPDX-License-Identifier: MIT
/// @file
/// Reads from a declaration which values a property may have. What is not certain may have any type.
///
/// A typed variable converts what it is given (a `float` is never sent as an int), so that its type is the one on the
/// wire; one of a class is sent as null where the object is gone.
#pragma once

#include <string_view>

#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

struct Script;

/// Reads a type in GDScript: `int`, `Vector2`; other names are classes, or enums, which are ints.
[[nodiscard]] ValueTypes types_of_declared(std::string_view type);

/// The types of arguments that a parameter of a type in GDScript takes: the engine converts some
/// (Variant::can_convert_strict).
[[nodiscard]] ValueTypes types_of_argument(std::string_view type);

/// Reads a type in C#, where no class or enum of the game may have its name; another name may be any type.
[[nodiscard]] ValueTypes types_of_csharp(std::string_view type);

/// True if a name is one of the types that Variants have, in GDScript's words.
[[nodiscard]] bool is_variant_type(std::string_view name);

/// True if it is a class of Godot 4.6 that derives from Node, or Node itself.
[[nodiscard]] bool is_builtin_class(std::string_view name);

/// Finds the types that a node's property may have.
/// @param node_class a class of Godot's; nothing is known of others
/// @param has_script whether the node has one, even if that is not read
/// @param script null if it is not
[[nodiscard]] ValueTypes types_of_property(std::string_view node_class, bool has_script, const Script *script,
                                           std::string_view property);

}  // namespace godot_codec::project
