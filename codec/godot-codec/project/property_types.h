// SPDX-License-Identifier: MIT
/// @file
/// Derives from a declaration the types that a property's values can have on the wire. Without certainty, any type is
/// possible.
///
/// A typed variable converts an assigned value, so the declared type is the type on the wire. For example, a `float` is
/// never sent as an int. A variable of a class type is sent as null after the object was freed.
#pragma once

#include <string_view>

#include "godot-codec/project/declared_settings.h"

namespace godot_codec::project {

struct Script;

/// Reads a GDScript type such as `int` or `Vector2`. Any other name is a class or an enum; an enum is sent as an int.
[[nodiscard]] ValueTypes types_of_gdscript(std::string_view type);

/// Returns the argument types that a GDScript parameter of this type accepts. Includes the types that the engine
/// converts (Variant::can_convert_strict).
[[nodiscard]] ValueTypes accepted_argument_types(std::string_view type);

/// Reads a built-in C# type. For any other name, returns all types, because it may be a class or an enum of the game.
[[nodiscard]] ValueTypes types_of_csharp(std::string_view type);

/// True if a name is a Variant type, spelled as in GDScript.
[[nodiscard]] bool is_variant_type(std::string_view name);

/// True if a name is Node, or a class of Godot 4.6 that derives from Node.
[[nodiscard]] bool is_builtin_node_class(std::string_view name);

/// Returns the types that the values of a node's property can have.
/// @param node_class a class of the engine; the properties of other classes are unknown
/// @param has_script true if the node has a script, even if the script could not be read
/// @param script null if the node has no script, or if the script could not be read
[[nodiscard]] ValueTypes types_of_property(std::string_view node_class, bool has_script, const Script *script,
                                           std::string_view property);

}  // namespace godot_codec::project
