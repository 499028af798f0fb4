// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/embedded/embedded_decoder.h"
#include "plugin/godot/packet-godot.h"

namespace godot_plugin {
namespace {

using godot_codec::Dialect;
using godot_codec::EmbeddedDecoder;

enum DialectPreference { dialect_auto, dialect_4, dialect_3, dialect_docs };
enum RealPreference { real_flag, real_double };

constexpr std::uint32_t default_max_elements = 1000;
constexpr std::uint32_t default_max_length = 8U << 20;  // size of Godot's own encode buffer

int pref_dialect = dialect_auto;
int pref_real = real_flag;
unsigned pref_max_elements = default_max_elements;
unsigned pref_max_length = default_max_length;
ws_bool pref_open_bytes = true;

EmbeddedDecoder decoder({});  // has the options that the preferences set

void update_decoder() { decoder = EmbeddedDecoder(preferred_embedded_options()); }

}  // namespace

godot_codec::EmbeddedOptions preferred_embedded_options() {
  godot_codec::EmbeddedOptions options{{}, preferred_dialect()};
  options.read.has_double_reals = pref_real == real_double;
  return options;
}

godot_codec::ReadOptions preferred_read_options() {
  godot_codec::ReadOptions options = preferred_embedded_options().read;
  if (decodes_embedded_data()) options.decoder = &decoder;
  return options;
}

std::optional<Dialect> preferred_dialect() {
  if (pref_dialect == dialect_auto) return std::nullopt;
  return godot_codec::all_dialects[pref_dialect - dialect_4];
}

bool decodes_embedded_data() { return static_cast<bool>(pref_open_bytes); }

std::uint32_t preferred_max_elements() { return pref_max_elements; }

std::uint32_t preferred_max_length() { return pref_max_length; }

void register_godot_preferences(int proto, void (*apply)()) {
  static void (*apply_others)();
  apply_others = apply;
  module_t *module = prefs_register_protocol(proto, [] {
    update_decoder();
    apply_others();
  });
  prefs_register_static_text_preference(module, "folder", "The project folder, for names, is on the page GodotMP", "");
  begin_port_preferences(module);
  update_decoder();
}

void register_advanced_godot_preferences() {
  static const enum_val_t dialects[] = {{"auto", "Automatic", dialect_auto},
                                        {"4", "Godot 4", dialect_4},
                                        {"3", "Godot 3", dialect_3},
                                        {"docs", "Table of the documentation of 4.1 and 4.2", dialect_docs},
                                        {nullptr, nullptr, 0}};
  static_assert(std::size(dialects) == godot_codec::dialect_count + 2, "a choice for each dialect, and \"auto\"");
  static const enum_val_t reals[] = {
      {"flag", "From the packet", real_flag}, {"double", "Always 64 bits", real_double}, {nullptr, nullptr, 0}};
  module_t *module = begin_advanced_preferences("godot");
  prefs_register_enum_preference(
      module, "dialect", "Engine version",
      "Godot version that defines the Variant type numbers. Set it if types are wrong, such as a Color of Godot 3 that is shown as a Plane. Automatic: detected from the packets.",
      &pref_dialect, dialects, false);
  prefs_register_enum_preference(
      module, "real", "Size of floats in vectors",
      "Size of the numbers in vectors and matrices. Set it for a build of Godot 3 with double precision; packets of Godot 4 contain the size.",
      &pref_real, reals, false);
  prefs_register_bool_preference(
      module, "open_bytes", "Decode embedded data",
      "Shows Variants, JSON, text, pictures and compressed data in a PackedByteArray or a custom payload. Turn it off if the guesses are wrong.",
      &pref_open_bytes);
  prefs_register_uint_preference(
      module, "max_elements", "Maximum elements of a packed array",
      "Longer arrays end with one item for the remaining elements. Raise it to show or filter for later elements; 0: show all, up to the limit of the tree.",
      10, &pref_max_elements);
  prefs_register_uint_preference(
      module, "tcp.max_length", "Maximum packet length in a stream",
      "Larger length prefixes are not treated as packets. Raise it for packets of more than 8 MiB.", 10,
      &pref_max_length);
}

}  // namespace godot_plugin
