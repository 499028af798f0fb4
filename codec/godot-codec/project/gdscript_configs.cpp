// SPDX-License-Identifier: MIT
#include "godot-codec/project/gdscript_configs.h"

#include <algorithm>
#include <utility>

#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

using TokenKind = TokenKind;
using Tokens = std::span<const Token>;

constexpr std::size_t max_statement = 1000;  // maximum number of tokens per statement
constexpr std::size_t max_built = 64;        // maximum number of synchronizers, and of configs, per script
constexpr std::size_t max_texts = 256;       // maximum number of texts per list, and of properties per config
constexpr std::size_t max_operands = 8;      // maximum number of operands per text, and nesting of brackets
constexpr std::string_view config_class = "SceneReplicationConfig";
constexpr std::string_view synchronizer_class = "MultiplayerSynchronizer";
constexpr std::string_view config_property = "replication_config";
constexpr std::string_view root_property = "root_path";

// Finds the first token that @p is_it accepts, skipping tokens in brackets.
// @returns the token's index; the number of tokens if no token is accepted
template <typename IsIt>
std::size_t find_top_level(Tokens tokens, const IsIt &is_it) {
  std::size_t i = 0;
  while (i < tokens.size() && (tokens[i].depth > tokens[0].depth || !is_it(i))) ++i;
  return i;
}

std::size_t find_top_level(Tokens tokens, char symbol) {
  return find_top_level(tokens, [&](std::size_t i) { return tokens[i].is_symbol(symbol); });
}

// Returns the index of the bracket that the last token closes; 0 if it closes none.
std::size_t find_last_call(Tokens tokens) {
  std::size_t open = tokens.size() - 1;
  while (open > 0 && tokens[open].depth >= tokens.back().depth) --open;
  return open;
}

// Returns the index of the `=` of an assignment. Skips operators such as `==` and `+=`.
std::size_t find_assignment(Tokens tokens) {
  return find_top_level(tokens, [&](std::size_t i) {
    constexpr std::string_view others = "=!<>+-*/%&|^";
    if (!tokens[i].is_symbol('=') || i == 0 || i + 1 == tokens.size() || tokens[i + 1].is_symbol('=')) return false;
    const Token &before = tokens[i - 1];
    return before.kind != TokenKind::symbol || others.find(before.text.front()) == std::string_view::npos;
  });
}

std::vector<Tokens> split(Tokens arguments) {
  std::vector<Tokens> parts;
  while (!arguments.empty() && parts.size() < max_texts) {
    const std::size_t end = find_top_level(arguments, ',');
    parts.push_back(arguments.first(end));
    arguments = arguments.subspan(std::min(end + 1, arguments.size()));
  }
  return parts;
}

bool is_new(Tokens tokens, std::string_view type) {
  return tokens.size() == 5 && tokens[0].is_word(type) && tokens[1].is_symbol('.') && tokens[2].is_word("new") &&
         tokens[3].is_symbol('(') && tokens[4].is_symbol(')');
}

// A property path of the root node may lack the dot. Returns the path with the dot.
std::string with_node(const std::string &path) { return path.starts_with(':') ? "." + path : path; }

bool edits_list(std::string_view word) {
  return word.starts_with("property_set_") || word == "add_property" || word == "remove_property";
}

bool is_setter(std::string_view word) { return word == "set_replication_config" || word == "set_root_path"; }

bool is_property(std::string_view word) { return word == config_property || word == root_property; }

bool is_getter(std::string_view method) {
  return method.starts_with("property_get_") || method == "get_properties" || method == "has_property";
}

// True if a token is a member of an object other than `self`.
bool is_member(Tokens tokens, std::size_t i) {
  return i > 0 && tokens[i - 1].is_symbol('.') && !(i > 1 && tokens[i - 2].is_word("self"));
}

bool is_called_by_engine(std::string_view function) {
  return function == "_init" || function == "_enter_tree" || function == "_ready";
}

// Returns the value of a literal `true` or `false`; nullopt for any other expression.
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

// Applies a method of SceneReplicationConfig to a property, as the engine does.
// @returns false if the call is not understood
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

void ConfigEvaluator::begin_function(std::string_view name) {
  function_ = name;
  function_indent_ = indent_;
  exits_ = 0;
  locals_.clear();
  loops_.clear();
  blocks_.clear();
}

void ConfigEvaluator::begin_statement(std::size_t indent) {
  statement_.clear();
  mentions_config_ = is_declared_ = uses_variable_ = false;
  indent_ = indent;
  if (indent <= function_indent_) function_.clear();
  while (!blocks_.empty() && blocks_.back().indent > indent) blocks_.pop_back();
  if (blocks_.empty() || blocks_.back().indent < indent) {
    const bool is_first_in_tree = blocks_.empty() && is_called_by_engine(function_);
    blocks_.push_back({indent, is_first_in_tree ? engine_callback_block : ++last_block_});
  }
  while (!loops_.empty() && loops_.back().indent >= indent) loops_.pop_back();
  if (!loops_.empty() && loops_.back().body == no_index) loops_.back().body = blocks_.back().id;
}

// Limits the total size of composed texts to a multiple of the source's size.
// @returns false if the limit is reached
bool ConfigEvaluator::use_budget(std::size_t size) {
  const bool is_within = size <= budget_;
  budget_ -= is_within ? size : budget_;
  return is_within;
}

void ConfigEvaluator::add(const Token &token) {
  constexpr std::size_t texts_by_source = 16;
  if (statement_.size() < max_statement) statement_.push_back(token);
  budget_ += texts_by_source * token.text.size();
}

// Returns the id of the block that contains the statement, which is the body of a function or a condition. A loop over
// literals is not a block, because all its iterations are evaluated at once.
std::size_t ConfigEvaluator::block_id() const {
  if (blocks_.empty()) return no_index;
  if (loops_.empty()) return blocks_.back().id;
  return blocks_.back().id == loops_.back().body ? loops_.front().block : no_index;
}

// True if the block that set the value has not ended. After its end, it is unknown whether the block was executed.
bool ConfigEvaluator::is_value_valid(const VariableValue &value) const {
  return value.block == class_block ||
         std::ranges::any_of(blocks_, [&](const Block &each) { return each.id == value.block; });
}

void ConfigEvaluator::end_statement() {
  Tokens tokens = statement_;
  while (tokens.size() > 1 && tokens[0].is_symbol('@')) {
    is_exported_ = is_exported_ || tokens[1].text.starts_with("export");
    tokens = tokens.subspan(2);
    if (!tokens.empty() && tokens[0].is_symbol('('))
      tokens = tokens.subspan(std::min(1 + find_top_level(tokens.subspan(1), ')') + 1, tokens.size()));
  }
  if (tokens.empty()) return;
  const auto has_word = [&](std::string_view word) {
    return std::ranges::any_of(tokens, [&](const Token &each) { return each.is_word(word); });
  };
  if ((has_word("continue") || has_word("break")) && !loops_.empty()) loops_.back().body = 0;
  mentions_config_ = std::ranges::any_of(tokens, [this](const Token &each) { return mentions_config(each); });
  if (statement_.size() >= max_statement || !read_statement(tokens)) {
    if (mentions_config_) record_unknown_change(tokens);
    // The statement may have changed texts, such as `names.append(other)` or `names += others`.
    if (VariableValue *changed = find(tokens[0])) changed->texts.clear();
  }
  if (has_word("return") || has_word("await")) ++exits_;
  is_exported_ = false;
  statement_.clear();
}

bool ConfigEvaluator::mentions_config(const Token &token) {
  if (token.kind == TokenKind::symbol) return false;
  if (edits_list(token.text) || is_setter(token.text) || is_property(token.text)) return true;
  if (token.is_word(config_class)) return true;
  const VariableValue *value = find(token);
  return value != nullptr && value->config != no_index;
}

// True if the root_path in a statement belongs to a SceneMultiplayer.
bool ConfigEvaluator::is_multiplayer(Tokens tokens) {
  return std::ranges::any_of(tokens, [this](const Token &each) {
    if (each.kind != TokenKind::word) return false;
    const VariableValue *value = find(each);
    return (each.text.find("ultiplayer") != std::string_view::npos && !each.is_word(synchronizer_class)) ||
           (value != nullptr && value->is_multiplayer);
  });
}

// Determines what a statement that was not understood may change. It may be lists (by add_property() and similar
// calls), or properties of synchronizers.
ConfigEvaluator::PossibleChange ConfigEvaluator::find_possible_change(Tokens tokens) {
  PossibleChange change;
  const bool is_by_name = std::ranges::any_of(tokens, [](const Token &each) {
    return each.is_word() && (each.text.starts_with("set") || each.text.starts_with("call"));
  });
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token &each = tokens[i];
    const bool is_text = each.kind == TokenKind::string;
    if (is_text ? !is_by_name : !each.is_word()) continue;
    const bool is_set = i + 1 < tokens.size() && tokens[i + 1].is_symbol('=') &&
                        (i + 2 == tokens.size() || !tokens[i + 2].is_symbol('='));
    const bool is_other_variable = !is_member(tokens, i) && find(each) != nullptr;
    change.is_of_list = change.is_of_list || edits_list(each.text);
    change.is_of_property = change.is_of_property || is_setter(each.text) ||
                            (is_property(each.text) && (is_text || (is_set && !is_other_variable)));
  }
  return change;
}

// Returns the synchronizer that a token refers to, in a statement that was not understood.
std::size_t ConfigEvaluator::referenced_synchronizer(Tokens tokens, std::size_t i, bool is_changed) {
  const bool is_operator = i > 0 && (tokens[i - 1].kind != TokenKind::symbol || tokens[i - 1].is_one_of(")]"));
  const VariableValue *value = find(tokens[i]);
  if (is_changed && tokens[i].is_one_of("$%") && i + 1 < tokens.size() && !is_operator) {
    return existing_synchronizer(tokens.subspan(i, 2));
  }
  const bool is_own = tokens[i].is_word() && is_property(tokens[i].text) && value == nullptr && !is_member(tokens, i);
  if (is_changed && is_own) return existing_synchronizer(".");
  if (value == nullptr || value->synchronizer == no_index) return no_index;
  const bool is_present =
      synchronizers_[value->synchronizer].built.position == ScriptSynchronizer::TreePosition::existing;
  return is_changed || !is_present ? value->synchronizer : no_index;
}

void ConfigEvaluator::record_unknown_change(Tokens tokens) {
  const PossibleChange change = find_possible_change(tokens);
  const bool is_changed = change.is_of_list || change.is_of_property;
  bool has_target = is_multiplayer(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const VariableValue *value = find(tokens[i]);
    if (value != nullptr && value->config != no_index) {
      const bool only_reads = i + 2 < tokens.size() && tokens[i + 1].is_symbol('.') && is_getter(tokens[i + 2].text);
      if (!only_reads) configs_[value->config].is_known = false;
      has_target = has_target || !change.is_of_property;
    }
    const std::size_t synchronizer = referenced_synchronizer(tokens, i, is_changed);
    if (synchronizer == no_index) continue;
    synchronizers_[synchronizer].is_known = false;
    synchronizers_[synchronizer].built.function = function_;
    // The target is known in `$Sync.replication_config` and `sync.set(…)`. It is unknown if it is the result of
    // `$Box.get_child(0)`.
    const std::size_t dot = i + (tokens[i].kind == TokenKind::symbol ? 2 : 1);
    const std::string_view member = dot + 1 < tokens.size() && tokens[dot].is_symbol('.') ? tokens[dot + 1].text : "";
    has_target = has_target || is_property(tokens[i].text) || is_property(member) || member.starts_with("set") ||
                 member.starts_with("call");
  }
  are_all_known_ = false;
  if (is_changed && !has_target) changes_others_ = true;
}

ConfigEvaluator::VariableValue *ConfigEvaluator::find(const Token &token) {
  if (token.kind != TokenKind::word) return nullptr;
  if (const auto local = locals_.find(token.text); local != locals_.end()) return &local->second;
  const auto member = members_.find(token.text);
  return member == members_.end() ? nullptr : &member->second;
}

// @returns false if the statement may change a config or a root in a way that was not understood
bool ConfigEvaluator::read_statement(Tokens tokens) {
  if (tokens.size() > 2 && tokens[0].is_word("for")) return read_loop(tokens);
  if (tokens[0].is_word("return")) return read_return(tokens.subspan(1));
  while (!tokens.empty() && (tokens[0].is_word("var") || tokens[0].is_word("const") || tokens[0].is_word("static"))) {
    is_declared_ = true;
    uses_variable_ = uses_variable_ || (function_.empty() && tokens[0].is_word("var"));
    tokens = tokens.subspan(1);
    // This is a declaration without a value: `var config: SceneReplicationConfig`.
    if (tokens.size() == 3 && tokens[1].is_symbol(':')) {
      if (is_multiplayer(tokens.subspan(2)))
        (function_.empty() ? members_ : locals_)[std::string(tokens[0].text)].is_multiplayer = true;
      return true;
    }
  }
  if (tokens.size() > 2 && tokens[0].is_word("self") && tokens[1].is_symbol('.')) tokens = tokens.subspan(2);
  const std::size_t assignment = find_assignment(tokens);
  if (assignment == tokens.size()) return read_call(tokens);
  return read_assignment(tokens.first(assignment), tokens.subspan(assignment + 1));
}

// Records the result of a function. The result is known if the function ends with `return config` and has no other
// return.
bool ConfigEvaluator::read_return(Tokens tokens) {
  const bool is_plain = blocks_.size() == 1 && exits_ == 0;
  const std::size_t config = is_plain && !tokens.empty() ? config_of(tokens) : no_index;
  const auto [known, is_new] = returned_.try_emplace(function_, config);
  if (!is_new) known->second = no_index;
  return config != no_index;
}

// Reads a loop such as `for property in [".:hp", ".:position"]:`. The body may begin in the same line.
bool ConfigEvaluator::read_loop(Tokens tokens) {
  const std::size_t colon = find_top_level(tokens, ':');
  std::optional<Texts> texts;
  const std::size_t in = find_top_level(tokens, [&](std::size_t i) { return tokens[i].is_word("in"); });
  // The loop variable may have a type: `for property: String in`.
  const std::size_t end = colon < in ? colon + 1 + find_top_level(tokens.subspan(colon + 1), ':') : colon;
  if (in < end) texts = evaluate_texts(tokens.subspan(in + 1, std::min(end, tokens.size()) - in - 1));
  if (!texts) {
    locals_.erase(std::string(tokens[1].text));
    return false;
  }
  locals_[std::string(tokens[1].text)] = {std::move(*texts)};
  locals_[std::string(tokens[1].text)].is_variable = uses_variable_;
  // A loop in the line of a function's head is not in a block yet.
  const std::size_t block = blocks_.empty() ? no_index : blocks_.back().id;
  loops_.push_back({indent_, loops_.empty() ? block : loops_.front().block, no_index});
  if (end + 1 >= tokens.size()) return true;
  loops_.back().body = block;
  return read_statement(tokens.subspan(end + 1));
}

bool ConfigEvaluator::read_assignment(Tokens left, Tokens right) {
  if (left.back().is_symbol(':')) left = left.first(left.size() - 1);
  if (left.empty()) return false;
  const std::string_view property = left.back().text;
  const bool is_own = left.size() == 1 && is_property(property) && !is_declared_ && find(left[0]) == nullptr;
  if (is_own) return read_property(existing_synchronizer("."), property, right);
  const bool is_variable = left[0].kind == TokenKind::word && (left.size() == 1 || left[1].is_symbol(':'));
  if (!is_variable) {
    // This is a property of another object: `sync.name = …`, `$Sync.replication_config = …`.
    if (left.size() < 3 || !left[left.size() - 2].is_symbol('.')) return false;
    const Tokens object = left.first(left.size() - 2);
    const bool is_of_multiplayer = property == root_property && is_multiplayer(object);
    const std::size_t known = is_of_multiplayer ? no_index : synchronizer_of(object);
    return is_of_multiplayer || (known != no_index && read_property(known, property, right));
  }
  const VariableValue *before = is_declared_ ? nullptr : find(left[0]);
  const bool was_text = before != nullptr && !before->texts.empty();
  const bool is_of_class = function_.empty() || (before != nullptr && members_.contains(left[0].text));
  VariableValue value;
  value.block = function_.empty() ? class_block : block_id();
  value.is_multiplayer = is_multiplayer(left) || is_multiplayer(right);
  bool is_known = true;
  if (const std::size_t config = config_of(right); config != no_index) {
    value.config = config;
  } else if (is_new(right, synchronizer_class) && synchronizers_.size() < max_built) {
    value.synchronizer = synchronizers_.size();
    synchronizers_.emplace_back();
  } else if (const std::size_t known = existing_synchronizer(right); known != no_index) {
    value.synchronizer = known;
  } else if (std::optional<Texts> texts = evaluate_texts(right); texts && !(was_text && before->block != value.block)) {
    if (!is_exported_) value.texts = std::move(*texts);
    value.is_variable = uses_variable_ || (is_of_class && !function_.empty());
  } else {
    is_known = false;
  }
  (is_of_class ? members_ : locals_)[std::string(left[0].text)] = std::move(value);
  return is_known;
}

// Returns the synchronizer of a node in the scene: `$Sync`, `get_node("Sync") as MultiplayerSynchronizer`.
std::size_t ConfigEvaluator::existing_synchronizer(Tokens tokens) {
  if (tokens.size() > 2 && tokens.front().is_symbol('(') && tokens.back().is_symbol(')'))
    tokens = tokens.subspan(1, tokens.size() - 2);
  if (tokens.size() > 2 && tokens[tokens.size() - 2].is_word("as")) tokens = tokens.first(tokens.size() - 2);
  const bool is_short = tokens.size() == 2 && tokens[0].is_one_of("$%");
  const bool is_long = tokens.size() == 4 && (tokens[0].is_word("get_node") || tokens[0].is_word("get_node_or_null"));
  if (!is_short && !is_long) return no_index;
  const Token &name = tokens[is_short ? 1 : 2];
  if (is_long && name.kind != TokenKind::string) return no_index;
  return existing_synchronizer((is_short && tokens[0].is_symbol('%') ? "%" : "") + value_of(name));
}

std::size_t ConfigEvaluator::existing_synchronizer(const std::string &name) {
  const auto is_same = [&](const Synchronizer &each) {
    return each.built.position == ScriptSynchronizer::TreePosition::existing && each.built.name == name;
  };
  const auto known = std::ranges::find_if(synchronizers_, is_same);
  if (known != synchronizers_.end()) return static_cast<std::size_t>(known - synchronizers_.begin());
  if (synchronizers_.size() >= max_built) return no_index;
  Synchronizer &added = synchronizers_.emplace_back();
  added.built.name = name;
  added.built.position = ScriptSynchronizer::TreePosition::existing;
  return synchronizers_.size() - 1;
}

std::size_t ConfigEvaluator::new_config() {
  Config &added = configs_.emplace_back();
  added.block = block_id();
  added.is_known = added.block != no_index;
  return configs_.size() - 1;
}

bool ConfigEvaluator::read_property(std::size_t index, std::string_view property, Tokens right) {
  Synchronizer &synchronizer = synchronizers_[index];
  const bool is_present = synchronizer.built.position == ScriptSynchronizer::TreePosition::existing;
  if (is_property(property)) {
    synchronizer.is_known = synchronizer.is_known && !(is_present && blocks_.size() > 1);
    synchronizer.is_certain = synchronizer.is_certain && block_id() == engine_callback_block && exits_ == 0;
    if (is_present) synchronizer.built.function = function_;
  }
  if (property == config_property) {
    const bool is_second = synchronizer.built.has_config;
    const std::size_t config = config_of(right);
    synchronizer.config = config;
    synchronizer.is_known = synchronizer.is_known && config != no_index && !is_second;
    synchronizer.built.has_config = true;
    if (config != no_index) configs_[config].exits_at_assignment = exits_;
  } else if (property == "name" || property == root_property) {
    const std::optional<Texts> texts = evaluate_texts(right);
    const bool is_one = texts && texts->size() == 1;
    // An unnamed synchronizer is kept, because it still belongs to the synchronizers that are spawned with its node.
    if (property == "name") {
      synchronizer.built.name = is_one ? texts->front() : "";
      are_all_known_ = are_all_known_ && is_one;
    } else {
      synchronizer.is_known = synchronizer.is_known && is_one && !uses_variable_;
      if (is_one) synchronizer.built.root_path = texts->front();
    }
  }
  are_all_known_ = are_all_known_ && synchronizer.is_known;
  return true;
}

// @param tokens a single variable, or the path of a node in the scene
std::size_t ConfigEvaluator::synchronizer_of(Tokens tokens) {
  const VariableValue *value = tokens.size() == 1 ? find(tokens[0]) : nullptr;
  if (value != nullptr) return is_value_valid(*value) ? value->synchronizer : no_index;
  if (tokens.size() == 1 && tokens[0].is_word("self")) return existing_synchronizer(".");
  return mentions_config_ ? existing_synchronizer(tokens) : no_index;
}

// Accepts `config`, `sync.replication_config`, `make_config()` and `SceneReplicationConfig.new()`.
std::size_t ConfigEvaluator::config_of(Tokens tokens) {
  if (tokens.empty()) return no_index;
  const VariableValue *value = tokens.size() == 1 ? find(tokens[0]) : nullptr;
  if (value != nullptr) return is_value_valid(*value) ? value->config : no_index;
  const bool is_full = configs_.size() >= max_built;
  if (is_new(tokens, config_class)) return is_full ? no_index : new_config();
  if (tokens.size() > 2 && tokens[0].is_word("self") && tokens[1].is_symbol('.')) tokens = tokens.subspan(2);
  if (mentions_config_ && tokens.size() == 3 && tokens[0].is_word() && tokens[1].is_symbol('(') &&
      tokens[2].is_symbol(')') && !is_full) {
    const std::size_t made = new_config();
    configs_[made].function = tokens[0].text;
    return made;
  }
  if (!tokens.back().is_word(config_property)) return no_index;
  const bool is_own = tokens.size() == 1;
  if (!is_own && (tokens.size() < 3 || !tokens[tokens.size() - 2].is_symbol('.'))) return no_index;
  const std::size_t synchronizer =
      is_own ? existing_synchronizer(".") : synchronizer_of(tokens.first(tokens.size() - 2));
  if (synchronizer == no_index) return no_index;
  const bool is_present = synchronizers_[synchronizer].built.position == ScriptSynchronizer::TreePosition::existing;
  if (synchronizers_[synchronizer].config == no_index && is_present && !is_full) {
    const std::size_t of_scene = new_config();
    configs_[of_scene].is_scene_config = true;
    synchronizers_[synchronizer].config = of_scene;
  }
  return synchronizers_[synchronizer].config;
}

bool ConfigEvaluator::read_call(Tokens tokens) {
  if (tokens.empty() || !tokens.back().is_symbol(')')) return false;
  const std::size_t open = find_last_call(tokens);
  if (open == 0) return false;
  const Tokens inner = tokens.subspan(open + 1, tokens.size() - open - 2);
  const std::string_view method = tokens[open - 1].text;
  const Tokens object = open < 3 ? Tokens{} : tokens.first(open - 2);
  if (const std::size_t config = config_of(object); config != no_index) return read_config_call(config, method, inner);
  const std::vector<Tokens> arguments = split(inner);
  const std::size_t known = object.empty() && mentions_config_ && method.starts_with("set") ? existing_synchronizer(".")
                                                                                            : synchronizer_of(object);
  if (known != no_index && mentions_config_) {
    const std::optional<Texts> property = arguments.size() == 2 ? evaluate_texts(arguments[0]) : std::nullopt;
    if (method == "set" && property && property->size() == 1)
      return read_property(known, property->front(), arguments[1]);
    return method.starts_with("set_") && is_property(method.substr(4)) && read_property(known, method.substr(4), inner);
  }
  if (known != no_index) {
    if (method == "set_name") synchronizers_[known].is_known = are_all_known_ = false;
    return true;
  }
  if (arguments.empty()) return false;
  if (method == "add_child") return read_added(object, arguments[0]);
  if (method != "call_deferred") return false;
  // Deferred calls have two forms: `add_child.call_deferred(sync)`, `call_deferred("add_child", sync)`.
  if (!object.empty() && object.back().is_word("add_child")) {
    return read_added(object.first(object.size() < 2 ? 0 : object.size() - 2), arguments[0]);
  }
  const std::optional<Texts> name = evaluate_texts(arguments[0]);
  const bool adds = name && *name == Texts{"add_child"} && arguments.size() > 1;
  return adds && read_added(object, arguments[1]);
}

bool ConfigEvaluator::read_added(Tokens object, Tokens argument) {
  using TreePosition = ScriptSynchronizer::TreePosition;
  const std::size_t synchronizer = synchronizer_of(argument);
  if (synchronizer == no_index || synchronizers_[synchronizer].built.position == TreePosition::existing) return false;
  const bool is_before_ready = function_ == "_init" || function_ == "_enter_tree";
  Synchronizer &added = synchronizers_[synchronizer];
  added.built.function = function_;
  added.built.position = !object.empty()   ? TreePosition::elsewhere
                         : is_before_ready ? TreePosition::first
                                           : TreePosition::last;
  added.is_added = true;
  return true;
}

bool ConfigEvaluator::read_config_call(std::size_t config, std::string_view method, Tokens inner) {
  const std::vector<Tokens> arguments = split(inner);
  const std::optional<Texts> paths = arguments.empty() ? std::nullopt : evaluate_texts(arguments[0]);
  Config &changed = configs_[config];
  std::vector<ConfigSource::Property> &properties = changed.source.properties;
  if (is_getter(method)) return true;
  const bool may_not_run =
      block_id() != changed.block || (changed.exits_at_assignment != no_index && changed.exits_at_assignment != exits_);
  if (!paths || may_not_run || changed.is_scene_config || !changed.function.empty()) return changed.is_known = false;
  if (properties.size() + paths->size() > max_texts) return changed.is_known = false;
  changed.uses_variables = changed.uses_variables || uses_variable_;
  for (const std::string &each : *paths) {
    const std::string path = with_node(each);
    const auto known = std::ranges::find(properties, path, &ConfigSource::Property::path);
    if (method == "add_property" && arguments.size() == 1) {
      if (!use_budget(path.size())) return changed.is_known = false;
      if (known == properties.end()) properties.push_back({path});
    } else if (known == properties.end() || arguments.size() != 2 || !apply(*known, method, arguments[1])) {
      return changed.is_known = false;
    }
  }
  return true;
}

// Evaluates a list of texts, such as `".:hp"`, `^".:hp"`, `NodePath(":%s" % property)`, `[".:hp", ".:position"]`.
// @returns nullopt if a value is unknown
std::optional<ConfigEvaluator::Texts> ConfigEvaluator::evaluate_texts(Tokens tokens) {
  std::optional<Texts> texts = evaluate_operand(tokens);
  for (std::size_t i = 0; texts && !tokens.empty(); ++i) {
    const bool formats = tokens[0].is_symbol('%');
    if ((!formats && !tokens[0].is_symbol('+')) || i >= max_operands) return std::nullopt;
    tokens = tokens.subspan(1);
    const std::optional<Texts> right = evaluate_operand(tokens);
    if (!right || (texts->size() != 1 && right->size() != 1)) return std::nullopt;
    Texts joined;
    for (const std::string &a : *texts) {
      for (const std::string &b : *right) {
        const std::size_t place = formats ? a.find("%s") : std::string::npos;
        if (formats && place == std::string::npos) return std::nullopt;
        if (a.size() + b.size() > max_word_size || !use_budget(a.size() + b.size())) return std::nullopt;
        joined.push_back(formats ? std::string(a).replace(place, 2, b) : a + b);
      }
    }
    texts = std::move(joined);
  }
  return texts;
}

// Evaluates the first operand. @param tokens is advanced past the operand
std::optional<ConfigEvaluator::Texts> ConfigEvaluator::evaluate_operand(Tokens &tokens) {
  if (!tokens.empty() && tokens[0].is_one_of("^&")) tokens = tokens.subspan(1);
  if (tokens.empty()) return std::nullopt;
  const Token first = tokens[0];
  const bool converts = tokens.size() > 1 && tokens[1].is_symbol('(') &&
                        (first.is_word("NodePath") || first.is_word("StringName") || first.is_word("String"));
  if (converts || first.is_symbol('[')) {
    tokens = tokens.subspan(converts ? 2 : 1);
    if (first.depth > max_operands) return std::nullopt;
    const std::size_t end = find_top_level(tokens, converts ? ')' : ']');
    const std::vector<Tokens> parts = split(tokens.first(end));
    tokens = tokens.subspan(std::min(end + 1, tokens.size()));
    Texts texts;
    for (const Tokens each : parts) {
      const std::optional<Texts> part = evaluate_texts(each);
      if (!part || texts.size() + part->size() > max_texts) return std::nullopt;
      texts.insert(texts.end(), part->begin(), part->end());
    }
    return texts;
  }
  tokens = tokens.subspan(1);
  if (first.kind == TokenKind::string) return Texts{value_of(first)};
  const VariableValue *value = find(first);
  if (value == nullptr || value->texts.empty() || !is_value_valid(*value)) return std::nullopt;
  uses_variable_ = uses_variable_ || value->is_variable;
  for (const std::string &each : value->texts) {
    if (!use_budget(each.size())) return std::nullopt;
  }
  return value->texts;
}

std::vector<ScriptSynchronizer> ConfigEvaluator::take() {
  std::vector<ScriptSynchronizer> built;
  for (Synchronizer &each : synchronizers_) {
    const bool is_present = each.built.position == ScriptSynchronizer::TreePosition::existing;
    const Config *assigned = each.config == no_index ? nullptr : &configs_[each.config];
    const Config *list = assigned;
    if (assigned != nullptr && !assigned->function.empty()) {
      const auto returned = returned_.find(assigned->function);
      const bool is_known = returned != returned_.end() && returned->second != no_index && assigned->is_known;
      list = is_known ? &configs_[returned->second] : nullptr;
      each.built.list_function = assigned->function;
      // Calls of functions are followed one level deep only.
      if (list != nullptr && !list->function.empty()) list = nullptr;
    }
    const bool is_list_known = list != nullptr && list->is_known;
    if (is_present && !each.built.has_config) {
      const bool is_changed = !each.is_known || (list != nullptr && !list->is_known);
      if (!is_changed && each.built.root_path.empty()) continue;
      each.built.changes_scene_list = is_changed;
      each.is_known = !is_changed;
    } else {
      each.is_known = each.is_known && is_list_known && (each.is_added || is_present);
    }
    are_all_known_ = are_all_known_ && each.is_known;
    if (!is_present && !each.is_added) continue;
    const bool is_assumed = (is_present && !each.is_certain) || (list != nullptr && list->uses_variables);
    each.built.uses_variables = list != nullptr && list->uses_variables;
    each.built.certainty = !each.is_known ? Certainty::unknown : is_assumed ? Certainty::assumed : Certainty::known;
    if (each.is_known && list != nullptr) each.built.config = list->source;
    built.push_back(std::move(each.built));
  }
  return built;
}

}  // namespace godot_codec::project
