// SPDX-License-Identifier: MIT
#include "godot-codec/project/gdscript_configs.h"

#include <algorithm>
#include <utility>

#include "godot-codec/project/names.h"

namespace godot_codec::project {
namespace {

using TokenKind = Token::Kind;
using Tokens = std::span<const Token>;

constexpr std::size_t max_statement = 1000;  // tokens
constexpr std::size_t max_built = 64;        // synchronizers or configurations in a script
constexpr std::size_t max_texts = 256;       // in a list, and properties in a configuration
constexpr std::size_t max_terms = 8;         // in a text, those in brackets included
constexpr std::string_view config_class = "SceneReplicationConfig";
constexpr std::string_view synchronizer_class = "MultiplayerSynchronizer";
constexpr std::string_view config_property = "replication_config";

// The first token in no more brackets than the first that @p is_it takes; the count where there is none.
template <typename IsIt>
std::size_t find_outside(Tokens tokens, const IsIt &is_it) {
  std::size_t i = 0;
  while (i < tokens.size() && (tokens[i].depth > tokens[0].depth || !is_it(i))) ++i;
  return i;
}

std::size_t find_outside(Tokens tokens, char symbol) {
  return find_outside(tokens, [&](std::size_t i) { return tokens[i].is_symbol(symbol); });
}

// The bracket that the last token closes; 0 where there is none.
std::size_t find_last_call(Tokens tokens) {
  std::size_t open = tokens.size() - 1;
  while (open > 0 && tokens[open].depth >= tokens.back().depth) --open;
  return open;
}

// The `=` of an assignment, which is no part of `==` or `+=`.
std::size_t find_assignment(Tokens tokens) {
  return find_outside(tokens, [&](std::size_t i) {
    constexpr std::string_view others = "=!<>+-*/%&|^";
    if (!tokens[i].is_symbol('=') || i == 0 || i + 1 == tokens.size() || tokens[i + 1].is_symbol('=')) return false;
    const Token &before = tokens[i - 1];
    return before.kind != TokenKind::symbol || others.find(before.text.front()) == std::string_view::npos;
  });
}

std::vector<Tokens> split(Tokens arguments) {
  std::vector<Tokens> parts;
  while (!arguments.empty() && parts.size() < max_texts) {
    const std::size_t end = find_outside(arguments, ',');
    parts.push_back(arguments.first(end));
    arguments = arguments.subspan(std::min(end + 1, arguments.size()));
  }
  return parts;
}

bool is_new(Tokens tokens, std::string_view type) {
  return tokens.size() == 5 && tokens[0].is_word(type) && tokens[1].is_symbol('.') && tokens[2].is_word("new") &&
         tokens[3].is_symbol('(') && tokens[4].is_symbol(')');
}

// A property of the root may be written without the dot.
std::string with_node(const std::string &path) { return path.starts_with(':') ? "." + path : path; }

bool changes_config(const Token &token) {
  return token.kind == TokenKind::word &&
         (token.text.starts_with("property_set_") || token.text == "add_property" || token.text == "remove_property");
}

// `true`, `false`; nothing for all else.
std::optional<bool> flag_of(Tokens tokens) {
  if (tokens.size() != 1 || (!tokens[0].is_word("true") && !tokens[0].is_word("false"))) return std::nullopt;
  return tokens[0].is_word("true");
}

std::optional<ReplicationMode> mode_of(Tokens tokens) {
  if (tokens.empty() || tokens.size() > 3) return std::nullopt;
  const Token &name = tokens.back();
  if (name.is_word("REPLICATION_MODE_NEVER")) return ReplicationMode::never;
  if (name.is_word("REPLICATION_MODE_ALWAYS")) return ReplicationMode::always;
  if (name.is_word("REPLICATION_MODE_ON_CHANGE")) return ReplicationMode::on_change;
  return std::nullopt;
}

// Does to a property what a call says of it, as the engine does. @returns false if the call is not known
bool apply(ConfigSource::Property &property, std::string_view method, Tokens argument) {
  if (method == "property_set_replication_mode") {
    const std::optional<ReplicationMode> mode = mode_of(argument);
    if (mode) property.mode = *mode;
    return mode.has_value();
  }
  const std::optional<bool> flag = flag_of(argument);
  if (!flag) return false;
  if (method == "property_set_spawn") {
    property.is_spawned = *flag;
  } else if (method == "property_set_sync" || method == "property_set_watch") {
    property.set_mode(method == "property_set_sync" ? ReplicationMode::always : ReplicationMode::on_change, *flag);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void BuiltConfigs::begin_function(std::string_view name) {
  function_ = name;
  locals_.clear();
  loops_.clear();
}

void BuiltConfigs::begin_statement(std::size_t indent) {
  statement_.clear();
  indent_ = indent;
  while (!loops_.empty() && loops_.back().indent >= indent) loops_.pop_back();
  if (!loops_.empty() && loops_.back().body == nothing) loops_.back().body = indent;
}

// Texts that are put together from others are no longer than a multiple of the source.
bool BuiltConfigs::spend(std::size_t size) {
  const bool is_within = size <= budget_;
  budget_ -= is_within ? size : budget_;
  return is_within;
}

void BuiltConfigs::add(const Token &token) {
  constexpr std::size_t texts_by_source = 16;
  if (statement_.size() < max_statement) statement_.push_back(token);
  budget_ += texts_by_source * token.text.size();
}

// Statements of one value run under the same conditions. Those of a loop over literals run as often as it has literals,
// which are all taken at once.
std::size_t BuiltConfigs::place() const {
  if (loops_.empty()) return indent_;
  return indent_ == loops_.back().body ? loops_.front().indent : nothing;
}

void BuiltConfigs::end_statement() {
  Tokens tokens = statement_;
  while (tokens.size() > 2 && tokens[0].is_symbol('@')) {
    tokens = tokens.subspan(2);
    if (tokens[0].is_symbol('('))
      tokens = tokens.subspan(std::min(1 + find_outside(tokens.subspan(1), ')') + 1, tokens.size()));
    if (tokens.empty()) return;
  }
  const bool leaves_loop =
      std::ranges::any_of(tokens, [](const Token &each) { return each.is_word("continue") || each.is_word("break"); });
  if (leaves_loop && !loops_.empty()) loops_.back().body = 0;
  const bool is_about = std::ranges::any_of(tokens, [this](const Token &each) { return is_about_configs(each); });
  if (statement_.size() >= max_statement || !read_statement(tokens)) {
    if (is_about) note_unknown(tokens);
    // `names.append(other)`, `names += others`: the texts are not those any more.
    if (Value *changed = tokens.empty() ? nullptr : find(tokens[0])) changed->texts.clear();
  }
  statement_.clear();
}

bool BuiltConfigs::is_about_configs(const Token &token) {
  if (token.kind != TokenKind::word) return false;
  if (token.is_word(config_class) || token.is_word(config_property) || changes_config(token)) return true;
  const Value *value = find(token);
  return value != nullptr && value->config != nothing;
}

void BuiltConfigs::note_unknown(Tokens tokens) {
  are_all_known_ = false;
  const bool changes = std::ranges::any_of(tokens, changes_config);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_named = changes && tokens[i].is_symbol('$') && i + 1 < tokens.size();
    const std::size_t present = is_named ? new_present(tokens.subspan(i, 2)) : nothing;
    if (present != nothing) synchronizers_[present].is_known = false;
    const Value *value = find(tokens[i]);
    if (value == nullptr) continue;
    if (value->config != nothing) configs_[value->config].is_known = false;
    if (value->synchronizer == nothing) continue;
    Synchronizer &synchronizer = synchronizers_[value->synchronizer];
    const bool is_asked = synchronizer.built.place == BuiltSynchronizer::Place::present && !changes;
    if (!is_asked) synchronizer.is_known = false;
  }
}

BuiltConfigs::Value *BuiltConfigs::find(const Token &token) {
  if (token.kind != TokenKind::word) return nullptr;
  if (const auto local = locals_.find(token.text); local != locals_.end()) return &local->second;
  const auto member = members_.find(token.text);
  return member == members_.end() ? nullptr : &member->second;
}

// @returns whether the statement is understood, as far as it has to do with configurations
bool BuiltConfigs::read_statement(Tokens tokens) {
  if (tokens.size() > 2 && tokens[0].is_word("for")) return read_loop(tokens);
  while (!tokens.empty() && (tokens[0].is_word("var") || tokens[0].is_word("const") || tokens[0].is_word("static"))) {
    tokens = tokens.subspan(1);
    // `var config: SceneReplicationConfig`
    if (tokens.size() == 3 && tokens[1].is_symbol(':')) return true;
  }
  if (tokens.size() > 2 && tokens[0].is_word("self") && tokens[1].is_symbol('.')) tokens = tokens.subspan(2);
  const std::size_t assignment = find_assignment(tokens);
  if (assignment == tokens.size()) return read_call(tokens);
  return read_assignment(tokens.first(assignment), tokens.subspan(assignment + 1));
}

// `for property in [".:hp", ".:position"]:`, with its body in the same line or below
bool BuiltConfigs::read_loop(Tokens tokens) {
  const std::size_t colon = find_outside(tokens, ':');
  std::optional<Texts> texts;
  const std::size_t in = find_outside(tokens, [&](std::size_t i) { return tokens[i].is_word("in"); });
  // `for property: String in`
  const std::size_t end = colon < in ? colon + 1 + find_outside(tokens.subspan(colon + 1), ':') : colon;
  if (in < end) texts = texts_of(tokens.subspan(in + 1, std::min(end, tokens.size()) - in - 1));
  if (!texts) {
    locals_.erase(std::string(tokens[1].text));
    return false;
  }
  locals_[std::string(tokens[1].text)] = {std::move(*texts)};
  loops_.push_back({indent_});
  if (end + 1 >= tokens.size()) return true;
  loops_.back().body = indent_;
  return read_statement(tokens.subspan(end + 1));
}

bool BuiltConfigs::read_assignment(Tokens left, Tokens right) {
  if (left.back().is_symbol(':')) left = left.first(left.size() - 1);
  if (left.empty()) return false;
  const bool is_variable = left[0].kind == TokenKind::word && (left.size() == 1 || left[1].is_symbol(':'));
  if (!is_variable) {
    // `sync.name = …`, `$Sync.replication_config = …`
    if (left.size() < 3 || !left[left.size() - 2].is_symbol('.')) return false;
    if (Synchronizer *known = synchronizer_of(left.first(left.size() - 2))) {
      return read_property(*known, left.back().text, right);
    }
    // Before the dot and the property, `$Sync`.
    const std::size_t present =
        left.back().is_word(config_property) ? new_present(left.first(left.size() - 2)) : nothing;
    return present != nothing && read_property(synchronizers_[present], config_property, right);
  }
  const Value *before = find(left[0]);
  const bool was_text = before != nullptr && !before->texts.empty();
  Value value;
  value.place = place();
  bool is_known = true;
  if (is_new(right, config_class) && configs_.size() < max_built) {
    value.config = new_config();
  } else if (is_new(right, synchronizer_class) && synchronizers_.size() < max_built) {
    value.synchronizer = synchronizers_.size();
    synchronizers_.emplace_back();
  } else if (const std::size_t present = new_present(right); present != nothing) {
    value.synchronizer = present;
  } else if (std::optional<Texts> texts = texts_of(right); texts && !(was_text && before->place != value.place)) {
    value.texts = std::move(*texts);
  } else {
    is_known = false;
  }
  (function_.empty() ? members_ : locals_)[std::string(left[0].text)] = std::move(value);
  return is_known;
}

// A synchronizer that the scene has: `$Sync`, `get_node("Sync") as MultiplayerSynchronizer`.
std::size_t BuiltConfigs::new_present(Tokens tokens) {
  if (tokens.size() > 2 && tokens[tokens.size() - 2].is_word("as")) tokens = tokens.first(tokens.size() - 2);
  const bool is_short = tokens.size() == 2 && tokens[0].is_one_of("$%");
  const bool is_long = tokens.size() == 4 && (tokens[0].is_word("get_node") || tokens[0].is_word("get_node_or_null"));
  if ((!is_short && !is_long) || synchronizers_.size() >= max_built) return nothing;
  const Token &name = tokens[is_short ? 1 : 2];
  if (is_long && name.kind != TokenKind::string) return nothing;
  Synchronizer &present = synchronizers_.emplace_back();
  present.built.name = (is_short && tokens[0].is_symbol('%') ? "%" : "") + value_of(name);
  present.built.place = BuiltSynchronizer::Place::present;
  present.built.function = function_;
  return synchronizers_.size() - 1;
}

std::size_t BuiltConfigs::new_config() {
  configs_.push_back({{}, place(), place() != nothing});
  return configs_.size() - 1;
}

bool BuiltConfigs::read_property(Synchronizer &synchronizer, std::string_view property, Tokens right) {
  if (property == config_property) {
    synchronizer.config = is_new(right, config_class) && configs_.size() < max_built ? new_config() : config_of(right);
    synchronizer.is_known = synchronizer.is_known && synchronizer.config != nothing;
    synchronizer.has_config = true;
  } else if (property == "name" || property == "root_path") {
    const std::optional<Texts> texts = texts_of(right);
    const bool is_one = texts && texts->size() == 1;
    // Without a name, it still is one of those that are spawned with its node.
    if (property == "name") {
      synchronizer.built.name = is_one ? texts->front() : "";
      are_all_known_ = are_all_known_ && is_one;
    } else {
      synchronizer.is_known = synchronizer.is_known && is_one;
      if (is_one) synchronizer.built.root_path = texts->front();
    }
  }
  are_all_known_ = are_all_known_ && synchronizer.is_known;
  return true;
}

// @param tokens a variable alone
BuiltConfigs::Synchronizer *BuiltConfigs::synchronizer_of(Tokens tokens) {
  const Value *value = tokens.size() == 1 ? find(tokens[0]) : nullptr;
  return value == nullptr || value->synchronizer == nothing ? nullptr : &synchronizers_[value->synchronizer];
}

// @param tokens `config`, `sync.replication_config`
std::size_t BuiltConfigs::config_of(Tokens tokens) {
  if (tokens.size() == 1) {
    const Value *value = find(tokens[0]);
    return value == nullptr ? nothing : value->config;
  }
  if (tokens.size() != 3 || !tokens[1].is_symbol('.') || !tokens[2].is_word(config_property)) return nothing;
  const Synchronizer *synchronizer = synchronizer_of(tokens.first(1));
  return synchronizer == nullptr ? nothing : synchronizer->config;
}

bool BuiltConfigs::read_call(Tokens tokens) {
  if (tokens.empty() || !tokens.back().is_symbol(')')) return false;
  const std::size_t open = find_last_call(tokens);
  if (open == 0) return false;
  const Tokens inner = tokens.subspan(open + 1, tokens.size() - open - 2);
  const std::string_view method = tokens[open - 1].text;
  const Tokens object = open < 3 ? Tokens{} : tokens.first(open - 2);
  if (const std::size_t config = config_of(object); config != nothing) return read_config_call(config, method, inner);
  if (Synchronizer *known = synchronizer_of(object)) {
    if (method == "set_name") known->is_known = are_all_known_ = false;
    return true;
  }
  const std::vector<Tokens> arguments = split(inner);
  if (arguments.empty()) return false;
  if (method == "add_child") return read_added(object, arguments[0]);
  if (method != "call_deferred") return false;
  // `add_child.call_deferred(sync)`, `call_deferred("add_child", sync)`
  if (!object.empty() && object.back().is_word("add_child")) {
    return read_added(object.first(object.size() < 2 ? 0 : object.size() - 2), arguments[0]);
  }
  const std::optional<Texts> name = texts_of(arguments[0]);
  const bool adds = name && *name == Texts{"add_child"} && arguments.size() > 1;
  return adds && read_added(object, arguments[1]);
}

bool BuiltConfigs::read_added(Tokens object, Tokens argument) {
  using Place = BuiltSynchronizer::Place;
  Synchronizer *synchronizer = synchronizer_of(argument);
  if (synchronizer == nullptr) return false;
  const bool is_early = function_ == "_init" || function_ == "_enter_tree";
  synchronizer->built.function = function_;
  synchronizer->built.place = !object.empty() ? Place::elsewhere : is_early ? Place::first : Place::last;
  synchronizer->is_added = true;
  return true;
}

bool BuiltConfigs::read_config_call(std::size_t config, std::string_view method, Tokens inner) {
  const std::vector<Tokens> arguments = split(inner);
  const std::optional<Texts> paths = arguments.empty() ? std::nullopt : texts_of(arguments[0]);
  Config &changed = configs_[config];
  std::vector<ConfigSource::Property> &properties = changed.source.properties;
  if (!paths || place() != changed.place || properties.size() + paths->size() > max_texts) return false;
  for (const std::string &each : *paths) {
    const std::string path = with_node(each);
    const auto known = std::ranges::find(properties, path, &ConfigSource::Property::path);
    if (method == "add_property" && arguments.size() == 1) {
      if (!spend(path.size())) return false;
      if (known == properties.end()) properties.push_back({path});
    } else if (known == properties.end() || arguments.size() != 2 || !apply(*known, method, arguments[1])) {
      return false;
    }
  }
  return true;
}

// `".:hp"`, `^".:hp"`, `NodePath(":%s" % property)`, `[".:hp", ".:position"]`. @returns nothing where it is not known
std::optional<BuiltConfigs::Texts> BuiltConfigs::texts_of(Tokens tokens) {
  std::optional<Texts> texts = term_of(tokens);
  for (std::size_t i = 0; texts && !tokens.empty(); ++i) {
    const bool formats = tokens[0].is_symbol('%');
    if ((!formats && !tokens[0].is_symbol('+')) || i >= max_terms) return std::nullopt;
    tokens = tokens.subspan(1);
    const std::optional<Texts> right = term_of(tokens);
    if (!right || (texts->size() != 1 && right->size() != 1)) return std::nullopt;
    Texts joined;
    for (const std::string &a : *texts) {
      for (const std::string &b : *right) {
        const std::size_t place = formats ? a.find("%s") : std::string::npos;
        if (formats && place == std::string::npos) return std::nullopt;
        if (a.size() + b.size() > max_word_size || !spend(a.size() + b.size())) return std::nullopt;
        joined.push_back(formats ? std::string(a).replace(place, 2, b) : a + b);
      }
    }
    texts = std::move(joined);
  }
  return texts;
}

// @param tokens what follows is left
std::optional<BuiltConfigs::Texts> BuiltConfigs::term_of(Tokens &tokens) {
  if (!tokens.empty() && tokens[0].is_one_of("^&")) tokens = tokens.subspan(1);
  if (tokens.empty()) return std::nullopt;
  const Token first = tokens[0];
  const bool converts = tokens.size() > 1 && tokens[1].is_symbol('(') &&
                        (first.is_word("NodePath") || first.is_word("StringName") || first.is_word("String"));
  if (converts || first.is_symbol('[')) {
    tokens = tokens.subspan(converts ? 2 : 1);
    if (first.depth > max_terms) return std::nullopt;
    const std::size_t end = find_outside(tokens, converts ? ')' : ']');
    const std::vector<Tokens> parts = split(tokens.first(end));
    tokens = tokens.subspan(std::min(end + 1, tokens.size()));
    Texts texts;
    for (const Tokens each : parts) {
      const std::optional<Texts> part = texts_of(each);
      if (!part || texts.size() + part->size() > max_texts) return std::nullopt;
      texts.insert(texts.end(), part->begin(), part->end());
    }
    return texts;
  }
  tokens = tokens.subspan(1);
  if (first.kind == TokenKind::string) return Texts{value_of(first)};
  const Value *value = find(first);
  if (value == nullptr || value->texts.empty()) return std::nullopt;
  for (const std::string &each : value->texts) {
    if (!spend(each.size())) return std::nullopt;
  }
  return value->texts;
}

std::vector<BuiltSynchronizer> BuiltConfigs::take() {
  std::vector<BuiltSynchronizer> built;
  using Place = BuiltSynchronizer::Place;
  for (Synchronizer &each : synchronizers_) {
    const bool is_present = each.built.place == Place::present;
    if (is_present && !each.has_config && each.is_known) continue;
    each.is_added = each.is_added || is_present;
    const bool is_known = each.is_known && each.is_added && each.config != nothing && configs_[each.config].is_known;
    are_all_known_ = are_all_known_ && is_known;
    // A configuration that is not known takes the scene's away.
    if (!is_known && !is_present) continue;
    if (is_known) each.built.config = configs_[each.config].source;
    built.push_back(std::move(each.built));
  }
  return built;
}

}  // namespace godot_codec::project
