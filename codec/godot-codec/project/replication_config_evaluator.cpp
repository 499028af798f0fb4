// SPDX-License-Identifier: MIT
#include "godot-codec/project/replication_config_evaluator.h"

#include <algorithm>
#include <utility>

#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

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

std::vector<Tokens> split_arguments(Tokens arguments) {
  std::vector<Tokens> parts;
  while (!arguments.empty() && parts.size() < max_texts) {
    const std::size_t end = find_top_level(arguments, ',');
    parts.push_back(arguments.first(end));
    arguments = arguments.subspan(std::min(end + 1, arguments.size()));
  }
  return parts;
}

bool is_new_call(Tokens tokens, std::string_view type) {
  return tokens.size() == 5 && tokens[0].is_word(type) && tokens[1].is_symbol('.') && tokens[2].is_word("new") &&
         tokens[3].is_symbol('(') && tokens[4].is_symbol(')');
}

bool is_list_edit(std::string_view word) {
  return word.starts_with("property_set_") || word == "add_property" || word == "remove_property";
}

bool is_synchronizer_setter(std::string_view word) {
  return word == "set_replication_config" || word == "set_root_path";
}

bool is_synchronizer_property(std::string_view word) { return word == config_property || word == root_property; }

bool is_config_getter(std::string_view method) {
  return method.starts_with("property_get_") || method == "get_properties" || method == "has_property";
}

bool is_called_by_engine(std::string_view function) {
  return function == "_init" || function == "_enter_tree" || function == "_ready";
}

// Returns the value of a literal `true` or `false`; nullopt for any other expression.
std::optional<bool> bool_literal_of(Tokens tokens) {
  if (tokens.size() != 1 || (!tokens[0].is_word("true") && !tokens[0].is_word("false"))) return std::nullopt;
  return tokens[0].is_word("true");
}

std::optional<ReplicationMode> replication_mode_of(Tokens tokens) {
  if (tokens.empty() || tokens.size() > 3) return std::nullopt;
  const Token &name = tokens.back();
  if (name.is_word("REPLICATION_MODE_NEVER")) return ReplicationMode::never;
  if (name.is_word("REPLICATION_MODE_ALWAYS")) return ReplicationMode::always;
  if (name.is_word("REPLICATION_MODE_ON_CHANGE")) return ReplicationMode::on_change;
  return std::nullopt;
}

// Applies a method of SceneReplicationConfig to a property, as the engine does.
// @returns false if the call is not understood
bool apply_config_method(ParsedReplicationConfig::Property &property, std::string_view method, Tokens argument) {
  if (method == "property_set_replication_mode") {
    const std::optional<ReplicationMode> mode = replication_mode_of(argument);
    if (mode) property.mode = *mode;
    return mode.has_value();
  }
  const std::optional<bool> flag = bool_literal_of(argument);
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

void ReplicationConfigEvaluator::begin_block(std::size_t indent, std::string_view new_function) {
  mentions_config_ = is_declaration_ = uses_class_variable_ = false;
  indent_ = indent;
  if (indent <= function_indent_) function_name_.clear();
  while (!blocks_.empty() && blocks_.back().indent > indent) blocks_.pop_back();
  if (blocks_.empty() || blocks_.back().indent < indent) {
    const bool is_first_in_tree = blocks_.empty() && is_called_by_engine(function_name_);
    blocks_.push_back({indent, is_first_in_tree ? engine_callback_block : ++last_block_id_});
  }
  while (!loops_.empty() && loops_.back().indent >= indent) loops_.pop_back();
  if (!loops_.empty() && loops_.back().body_block == no_index) loops_.back().body_block = blocks_.back().id;
  if (new_function.empty()) return;
  function_name_ = new_function;
  function_indent_ = indent_;
  exit_count_ = 0;
  local_variables_.clear();
  loops_.clear();
  blocks_.clear();
}

// Limits the total size of composed texts to a multiple of the source's size.
// @returns false if the limit is reached
bool ReplicationConfigEvaluator::use_budget(std::size_t size) {
  const bool is_within = size <= text_budget_;
  text_budget_ -= is_within ? size : text_budget_;
  return is_within;
}

// Returns the id of the block that contains the statement, which is the body of a function or a condition. A loop over
// literals is not a block, because all its iterations are evaluated at once.
std::size_t ReplicationConfigEvaluator::current_block_id() const {
  if (blocks_.empty()) return no_index;
  if (loops_.empty()) return blocks_.back().id;
  return blocks_.back().id == loops_.back().body_block ? loops_.front().block : no_index;
}

// True if the block that set the value has not ended. After its end, it is unknown whether the block was executed.
bool ReplicationConfigEvaluator::is_value_valid(const VariableValue &value) const {
  return value.block == class_block ||
         std::ranges::any_of(blocks_, [&](const Block &each) { return each.id == value.block; });
}

void ReplicationConfigEvaluator::add_statement(Tokens statement, std::size_t indent, std::string_view new_function) {
  constexpr std::size_t texts_by_source = 16;
  begin_block(indent, new_function);
  for (const Token &each : statement) text_budget_ += texts_by_source * each.text.size();
  Tokens tokens = statement;
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
  if ((has_word("continue") || has_word("break")) && !loops_.empty()) loops_.back().body_block = 0;
  mentions_config_ = std::ranges::any_of(tokens, [this](const Token &each) { return mentions_config(each); });
  if (statement.size() >= max_statement || !read_statement(tokens)) {
    if (mentions_config_) record_unknown_change(tokens);
    // The statement may have changed texts, such as `names.append(other)` or `names += others`.
    if (VariableValue *changed = find_variable(tokens[0])) changed->texts.clear();
  }
  if (has_word("return") || has_word("await")) ++exit_count_;
  is_exported_ = false;
}

bool ReplicationConfigEvaluator::mentions_config(const Token &token) {
  if (token.kind == TokenKind::symbol) return false;
  if (is_list_edit(token.text) || is_synchronizer_setter(token.text) || is_synchronizer_property(token.text))
    return true;
  if (token.is_word(config_class)) return true;
  const VariableValue *value = find_variable(token);
  return value != nullptr && value->config != no_index;
}

// True if the root_path in a statement belongs to a SceneMultiplayer.
bool ReplicationConfigEvaluator::is_multiplayer(Tokens tokens) {
  return std::ranges::any_of(tokens, [this](const Token &each) {
    if (each.kind != TokenKind::word) return false;
    const VariableValue *value = find_variable(each);
    return (each.text.find("ultiplayer") != std::string_view::npos && !each.is_word(synchronizer_class)) ||
           (value != nullptr && value->is_multiplayer);
  });
}

// Determines what a statement that was not understood may change: lists (by add_property() and similar calls), or
// properties of synchronizers.
ReplicationConfigEvaluator::PossibleChange ReplicationConfigEvaluator::find_possible_change(Tokens tokens) {
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
    const bool is_other_variable = !is_member_of_other(tokens, i) && find_variable(each) != nullptr;
    change.changes_list = change.changes_list || is_list_edit(each.text);
    change.changes_property = change.changes_property || is_synchronizer_setter(each.text) ||
                              (is_synchronizer_property(each.text) && (is_text || (is_set && !is_other_variable)));
  }
  return change;
}

// Returns the synchronizer that a token refers to, in a statement that was not understood.
std::size_t ReplicationConfigEvaluator::find_referenced_synchronizer(Tokens tokens, std::size_t i, bool is_changed) {
  const bool is_operator = i > 0 && (tokens[i - 1].kind != TokenKind::symbol || tokens[i - 1].is_one_of(")]"));
  const VariableValue *value = find_variable(tokens[i]);
  if (is_changed && tokens[i].is_one_of("$%") && i + 1 < tokens.size() && !is_operator) {
    return get_existing_synchronizer(tokens.subspan(i, 2));
  }
  const bool is_own = tokens[i].is_word() && is_synchronizer_property(tokens[i].text) && value == nullptr &&
                      !is_member_of_other(tokens, i);
  if (is_changed && is_own) return get_existing_synchronizer(".");
  if (value == nullptr || value->synchronizer == no_index) return no_index;
  return is_changed || !synchronizers_[value->synchronizer].is_in_scene() ? value->synchronizer : no_index;
}

void ReplicationConfigEvaluator::record_unknown_change(Tokens tokens) {
  const PossibleChange change = find_possible_change(tokens);
  const bool is_changed = change.changes_list || change.changes_property;
  bool has_target = is_multiplayer(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const VariableValue *value = find_variable(tokens[i]);
    if (value != nullptr && value->config != no_index) {
      const bool only_reads =
          i + 2 < tokens.size() && tokens[i + 1].is_symbol('.') && is_config_getter(tokens[i + 2].text);
      if (!only_reads) configs_[value->config].is_known = false;
      has_target = has_target || !change.changes_property;
    }
    const std::size_t synchronizer = find_referenced_synchronizer(tokens, i, is_changed);
    if (synchronizer == no_index) continue;
    synchronizers_[synchronizer].is_known = false;
    synchronizers_[synchronizer].function = function_name_;
    // The target is known in `$Sync.replication_config` and `sync.set(…)`. It is unknown in `$Box.get_child(0).set(…)`.
    const std::size_t dot = i + (tokens[i].kind == TokenKind::symbol ? 2 : 1);
    const std::string_view member = dot + 1 < tokens.size() && tokens[dot].is_symbol('.') ? tokens[dot + 1].text : "";
    has_target = has_target || is_synchronizer_property(tokens[i].text) || is_synchronizer_property(member) ||
                 member.starts_with("set") || member.starts_with("call");
  }
  are_all_known_ = false;
  if (is_changed && !has_target) changes_unknown_synchronizers_ = true;
}

ReplicationConfigEvaluator::VariableValue *ReplicationConfigEvaluator::find_variable(const Token &token) {
  if (token.kind != TokenKind::word) return nullptr;
  if (const auto local = local_variables_.find(token.text); local != local_variables_.end()) return &local->second;
  const auto member = class_variables_.find(token.text);
  return member == class_variables_.end() ? nullptr : &member->second;
}

// @returns false if the statement may change a config or a root in a way that was not understood
bool ReplicationConfigEvaluator::read_statement(Tokens tokens) {
  if (tokens.size() > 2 && tokens[0].is_word("for")) return read_loop(tokens);
  if (tokens[0].is_word("return")) return read_return(tokens.subspan(1));
  while (!tokens.empty() && (tokens[0].is_word("var") || tokens[0].is_word("const") || tokens[0].is_word("static"))) {
    is_declaration_ = true;
    uses_class_variable_ = uses_class_variable_ || (function_name_.empty() && tokens[0].is_word("var"));
    tokens = tokens.subspan(1);
    // This is a declaration without a value: `var config: SceneReplicationConfig`.
    if (tokens.size() == 3 && tokens[1].is_symbol(':')) {
      if (is_multiplayer(tokens.subspan(2))) {
        (function_name_.empty() ? class_variables_ : local_variables_)[std::string(tokens[0].text)].is_multiplayer =
            true;
      }
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
bool ReplicationConfigEvaluator::read_return(Tokens tokens) {
  const bool is_plain = blocks_.size() == 1 && exit_count_ == 0;
  const std::size_t config = is_plain && !tokens.empty() ? find_config(tokens) : no_index;
  const auto [known, is_new_call] = returned_configs_.try_emplace(function_name_, config);
  if (!is_new_call) known->second = no_index;
  return config != no_index;
}

// Reads a loop such as `for property in [".:hp", ".:position"]:`. The body may begin in the same line.
bool ReplicationConfigEvaluator::read_loop(Tokens tokens) {
  const std::size_t colon = find_top_level(tokens, ':');
  std::optional<Texts> texts;
  const std::size_t in = find_top_level(tokens, [&](std::size_t i) { return tokens[i].is_word("in"); });
  // The loop variable may have a type: `for property: String in`.
  const std::size_t end = colon < in ? colon + 1 + find_top_level(tokens.subspan(colon + 1), ':') : colon;
  if (in < end) texts = evaluate_texts(tokens.subspan(in + 1, std::min(end, tokens.size()) - in - 1));
  if (!texts) {
    local_variables_.erase(std::string(tokens[1].text));
    return false;
  }
  local_variables_[std::string(tokens[1].text)] = {std::move(*texts)};
  local_variables_[std::string(tokens[1].text)].is_class_variable = uses_class_variable_;
  // A loop in the line of a function's head is not in a block yet.
  const std::size_t block = blocks_.empty() ? no_index : blocks_.back().id;
  loops_.push_back({indent_, loops_.empty() ? block : loops_.front().block, no_index});
  if (end + 1 >= tokens.size()) return true;
  loops_.back().body_block = block;
  return read_statement(tokens.subspan(end + 1));
}

bool ReplicationConfigEvaluator::read_assignment(Tokens left, Tokens right) {
  if (left.back().is_symbol(':')) left = left.first(left.size() - 1);
  if (left.empty()) return false;
  const std::string_view property = left.back().text;
  const bool is_own =
      left.size() == 1 && is_synchronizer_property(property) && !is_declaration_ && find_variable(left[0]) == nullptr;
  if (is_own) return read_property(get_existing_synchronizer("."), property, right);
  const bool is_variable = left[0].kind == TokenKind::word && (left.size() == 1 || left[1].is_symbol(':'));
  if (!is_variable) {
    // This is a property of another object: `sync.name = …`, `$Sync.replication_config = …`.
    if (left.size() < 3 || !left[left.size() - 2].is_symbol('.')) return false;
    const Tokens object = left.first(left.size() - 2);
    const bool is_of_multiplayer = property == root_property && is_multiplayer(object);
    const std::size_t known = is_of_multiplayer ? no_index : find_synchronizer(object);
    return is_of_multiplayer || (known != no_index && read_property(known, property, right));
  }
  const VariableValue *before = is_declaration_ ? nullptr : find_variable(left[0]);
  const bool was_text = before != nullptr && !before->texts.empty();
  const bool is_of_class = function_name_.empty() || (before != nullptr && class_variables_.contains(left[0].text));
  VariableValue value;
  value.block = function_name_.empty() ? class_block : current_block_id();
  value.is_multiplayer = is_multiplayer(left) || is_multiplayer(right);
  bool is_known = true;
  if (const std::size_t config = find_config(right); config != no_index) {
    value.config = config;
  } else if (is_new_call(right, synchronizer_class) && synchronizers_.size() < max_built) {
    value.synchronizer = synchronizers_.size();
    synchronizers_.emplace_back();
  } else if (const std::size_t known = get_existing_synchronizer(right); known != no_index) {
    value.synchronizer = known;
  } else if (std::optional<Texts> texts = evaluate_texts(right); texts && !(was_text && before->block != value.block)) {
    if (!is_exported_) value.texts = std::move(*texts);
    value.is_class_variable = uses_class_variable_ || (is_of_class && !function_name_.empty());
  } else {
    is_known = false;
  }
  (is_of_class ? class_variables_ : local_variables_)[std::string(left[0].text)] = std::move(value);
  return is_known;
}

// Returns the synchronizer of a node in the scene: `$Sync`, `get_node("Sync") as MultiplayerSynchronizer`.
std::size_t ReplicationConfigEvaluator::get_existing_synchronizer(Tokens tokens) {
  if (tokens.size() > 2 && tokens.front().is_symbol('(') && tokens.back().is_symbol(')'))
    tokens = tokens.subspan(1, tokens.size() - 2);
  if (tokens.size() > 2 && tokens[tokens.size() - 2].is_word("as")) tokens = tokens.first(tokens.size() - 2);
  const bool is_short = tokens.size() == 2 && tokens[0].is_one_of("$%");
  const bool is_long = tokens.size() == 4 && (tokens[0].is_word("get_node") || tokens[0].is_word("get_node_or_null"));
  if (!is_short && !is_long) return no_index;
  const Token &name = tokens[is_short ? 1 : 2];
  if (is_long && name.kind != TokenKind::string) return no_index;
  return get_existing_synchronizer((is_short && tokens[0].is_symbol('%') ? "%" : "") + string_value_of(name));
}

std::size_t ReplicationConfigEvaluator::get_existing_synchronizer(const std::string &name) {
  const auto is_same = [&](const EvaluatedSynchronizer &each) { return each.is_in_scene() && each.name == name; };
  const auto known = std::ranges::find_if(synchronizers_, is_same);
  if (known != synchronizers_.end()) return static_cast<std::size_t>(known - synchronizers_.begin());
  if (synchronizers_.size() >= max_built) return no_index;
  EvaluatedSynchronizer &added = synchronizers_.emplace_back();
  added.name = name;
  added.position = ScriptSynchronizer::TreePosition::existing;
  return synchronizers_.size() - 1;
}

std::size_t ReplicationConfigEvaluator::add_config() {
  EvaluatedConfig &added = configs_.emplace_back();
  added.block = current_block_id();
  added.is_known = added.block != no_index;
  return configs_.size() - 1;
}

bool ReplicationConfigEvaluator::read_property(std::size_t index, std::string_view property, Tokens right) {
  EvaluatedSynchronizer &synchronizer = synchronizers_[index];
  const bool is_present = synchronizer.is_in_scene();
  if (is_synchronizer_property(property)) {
    synchronizer.is_known = synchronizer.is_known && !(is_present && blocks_.size() > 1);
    synchronizer.is_always_executed =
        synchronizer.is_always_executed && current_block_id() == engine_callback_block && exit_count_ == 0;
    if (is_present) synchronizer.function = function_name_;
  }
  if (property == config_property) {
    const bool is_second = synchronizer.has_config;
    const std::size_t config = find_config(right);
    synchronizer.assigned_config = config;
    synchronizer.is_known = synchronizer.is_known && config != no_index && !is_second;
    synchronizer.has_config = true;
    if (config != no_index) configs_[config].exits_at_assignment = exit_count_;
  } else if (property == "name" || property == root_property) {
    const std::optional<Texts> texts = evaluate_texts(right);
    const bool is_one = texts && texts->size() == 1;
    // An unnamed synchronizer is kept, because it still belongs to the synchronizers that are spawned with its node.
    if (property == "name") {
      synchronizer.name = is_one ? texts->front() : "";
      are_all_known_ = are_all_known_ && is_one;
    } else {
      synchronizer.is_known = synchronizer.is_known && is_one && !uses_class_variable_;
      if (is_one) synchronizer.root_path = texts->front();
    }
  }
  are_all_known_ = are_all_known_ && synchronizer.is_known;
  return true;
}

// @param tokens a single variable, or the path of a node in the scene
std::size_t ReplicationConfigEvaluator::find_synchronizer(Tokens tokens) {
  const VariableValue *value = tokens.size() == 1 ? find_variable(tokens[0]) : nullptr;
  if (value != nullptr) return is_value_valid(*value) ? value->synchronizer : no_index;
  if (tokens.size() == 1 && tokens[0].is_word("self")) return get_existing_synchronizer(".");
  return mentions_config_ ? get_existing_synchronizer(tokens) : no_index;
}

// Accepts `config`, `sync.replication_config`, `make_config()` and `SceneReplicationConfig.new()`.
std::size_t ReplicationConfigEvaluator::find_config(Tokens tokens) {
  if (tokens.empty()) return no_index;
  const VariableValue *value = tokens.size() == 1 ? find_variable(tokens[0]) : nullptr;
  if (value != nullptr) return is_value_valid(*value) ? value->config : no_index;
  const bool is_full = configs_.size() >= max_built;
  if (is_new_call(tokens, config_class)) return is_full ? no_index : add_config();
  if (tokens.size() > 2 && tokens[0].is_word("self") && tokens[1].is_symbol('.')) tokens = tokens.subspan(2);
  if (mentions_config_ && tokens.size() == 3 && tokens[0].is_word() && tokens[1].is_symbol('(') &&
      tokens[2].is_symbol(')') && !is_full) {
    const std::size_t made = add_config();
    configs_[made].function = tokens[0].text;
    return made;
  }
  if (!tokens.back().is_word(config_property)) return no_index;
  const bool is_own = tokens.size() == 1;
  if (!is_own && (tokens.size() < 3 || !tokens[tokens.size() - 2].is_symbol('.'))) return no_index;
  const std::size_t synchronizer =
      is_own ? get_existing_synchronizer(".") : find_synchronizer(tokens.first(tokens.size() - 2));
  if (synchronizer == no_index) return no_index;
  const bool is_present = synchronizers_[synchronizer].is_in_scene();
  if (synchronizers_[synchronizer].assigned_config == no_index && is_present && !is_full) {
    const std::size_t of_scene = add_config();
    configs_[of_scene].is_scene_config = true;
    synchronizers_[synchronizer].assigned_config = of_scene;
  }
  return synchronizers_[synchronizer].assigned_config;
}

bool ReplicationConfigEvaluator::read_call(Tokens tokens) {
  if (tokens.empty() || !tokens.back().is_symbol(')')) return false;
  const std::size_t open = find_last_call(tokens);
  if (open == 0) return false;
  const Tokens inner = tokens.subspan(open + 1, tokens.size() - open - 2);
  const std::string_view method = tokens[open - 1].text;
  const Tokens object = open < 3 ? Tokens{} : tokens.first(open - 2);
  if (const std::size_t config = find_config(object); config != no_index)
    return read_config_call(config, method, inner);
  const std::vector<Tokens> arguments = split_arguments(inner);
  const std::size_t known = object.empty() && mentions_config_ && method.starts_with("set")
                                ? get_existing_synchronizer(".")
                                : find_synchronizer(object);
  if (known != no_index && mentions_config_) {
    const std::optional<Texts> property = arguments.size() == 2 ? evaluate_texts(arguments[0]) : std::nullopt;
    if (method == "set" && property && property->size() == 1)
      return read_property(known, property->front(), arguments[1]);
    return method.starts_with("set_") && is_synchronizer_property(method.substr(4)) &&
           read_property(known, method.substr(4), inner);
  }
  if (known != no_index) {
    if (method == "set_name") synchronizers_[known].is_known = are_all_known_ = false;
    return true;
  }
  if (arguments.empty()) return false;
  if (method == "add_child") return read_add_child(object, arguments[0]);
  if (method != "call_deferred") return false;
  // Deferred calls have two forms: `add_child.call_deferred(sync)`, `call_deferred("add_child", sync)`.
  if (!object.empty() && object.back().is_word("add_child")) {
    return read_add_child(object.first(object.size() < 2 ? 0 : object.size() - 2), arguments[0]);
  }
  const std::optional<Texts> name = evaluate_texts(arguments[0]);
  const bool adds = name && *name == Texts{"add_child"} && arguments.size() > 1;
  return adds && read_add_child(object, arguments[1]);
}

bool ReplicationConfigEvaluator::read_add_child(Tokens object, Tokens argument) {
  using TreePosition = ScriptSynchronizer::TreePosition;
  const std::size_t synchronizer = find_synchronizer(argument);
  if (synchronizer == no_index || synchronizers_[synchronizer].is_in_scene()) return false;
  const bool is_before_ready = function_name_ == "_init" || function_name_ == "_enter_tree";
  EvaluatedSynchronizer &added = synchronizers_[synchronizer];
  added.function = function_name_;
  added.position = !object.empty()   ? TreePosition::elsewhere
                   : is_before_ready ? TreePosition::first
                                     : TreePosition::last;
  added.is_added = true;
  return true;
}

bool ReplicationConfigEvaluator::read_config_call(std::size_t config, std::string_view method, Tokens inner) {
  const std::vector<Tokens> arguments = split_arguments(inner);
  const std::optional<Texts> paths = arguments.empty() ? std::nullopt : evaluate_texts(arguments[0]);
  EvaluatedConfig &changed = configs_[config];
  std::vector<ParsedReplicationConfig::Property> &properties = changed.source.properties;
  if (is_config_getter(method)) return true;
  const bool may_not_run = current_block_id() != changed.block ||
                           (changed.exits_at_assignment != no_index && changed.exits_at_assignment != exit_count_);
  if (!paths || may_not_run || changed.is_scene_config || !changed.function.empty()) return changed.is_known = false;
  if (properties.size() + paths->size() > max_texts) return changed.is_known = false;
  changed.uses_class_variables = changed.uses_class_variables || uses_class_variable_;
  for (const std::string &each : *paths) {
    const std::string path = each.starts_with(':') ? "." + each : each;  // a property of the root node: `:hp`
    const auto known = std::ranges::find(properties, path, &ParsedReplicationConfig::Property::path);
    if (method == "add_property" && arguments.size() == 1) {
      if (!use_budget(path.size())) return changed.is_known = false;
      if (known == properties.end()) properties.push_back({path});
    } else if (known == properties.end() || arguments.size() != 2 ||
               !apply_config_method(*known, method, arguments[1])) {
      return changed.is_known = false;
    }
  }
  return true;
}

// Evaluates a list of texts, such as `".:hp"`, `^".:hp"`, `NodePath(":%s" % property)`, `[".:hp", ".:position"]`.
// @returns nullopt if a value is unknown
std::optional<ReplicationConfigEvaluator::Texts> ReplicationConfigEvaluator::evaluate_texts(Tokens tokens) {
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
std::optional<ReplicationConfigEvaluator::Texts> ReplicationConfigEvaluator::evaluate_operand(Tokens &tokens) {
  if (!tokens.empty() && tokens[0].is_one_of("^&")) tokens = tokens.subspan(1);
  if (tokens.empty()) return std::nullopt;
  const Token first = tokens[0];
  const bool converts = tokens.size() > 1 && tokens[1].is_symbol('(') &&
                        (first.is_word("NodePath") || first.is_word("StringName") || first.is_word("String"));
  if (converts || first.is_symbol('[')) {
    tokens = tokens.subspan(converts ? 2 : 1);
    if (first.depth > max_operands) return std::nullopt;
    const std::size_t end = find_top_level(tokens, converts ? ')' : ']');
    const std::vector<Tokens> parts = split_arguments(tokens.first(end));
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
  if (first.kind == TokenKind::string) return Texts{string_value_of(first)};
  const VariableValue *value = find_variable(first);
  if (value == nullptr || value->texts.empty() || !is_value_valid(*value)) return std::nullopt;
  uses_class_variable_ = uses_class_variable_ || value->is_class_variable;
  for (const std::string &each : value->texts) {
    if (!use_budget(each.size())) return std::nullopt;
  }
  return value->texts;
}

std::vector<ScriptSynchronizer> ReplicationConfigEvaluator::take_synchronizers() {
  std::vector<ScriptSynchronizer> built;
  for (EvaluatedSynchronizer &each : synchronizers_) {
    const bool is_present = each.is_in_scene();
    const EvaluatedConfig *assigned = each.assigned_config == no_index ? nullptr : &configs_[each.assigned_config];
    const EvaluatedConfig *list = assigned;
    if (assigned != nullptr && !assigned->function.empty()) {
      const auto returned = returned_configs_.find(assigned->function);
      const bool is_known = returned != returned_configs_.end() && returned->second != no_index && assigned->is_known;
      list = is_known ? &configs_[returned->second] : nullptr;
      each.config_function = assigned->function;
      // Calls of functions are followed one level deep only.
      if (list != nullptr && !list->function.empty()) list = nullptr;
    }
    const bool is_list_known = list != nullptr && list->is_known;
    if (is_present && !each.has_config) {
      const bool is_changed = !each.is_known || (list != nullptr && !list->is_known);
      if (!is_changed && each.root_path.empty()) continue;
      each.changes_scene_config = is_changed;
      each.is_known = !is_changed;
    } else {
      each.is_known = each.is_known && is_list_known && (each.is_added || is_present);
    }
    are_all_known_ = are_all_known_ && each.is_known;
    if (!is_present && !each.is_added) continue;
    const bool is_assumed = (is_present && !each.is_always_executed) || (list != nullptr && list->uses_class_variables);
    each.uses_class_variables = list != nullptr && list->uses_class_variables;
    each.certainty = !each.is_known ? Certainty::unknown : is_assumed ? Certainty::assumed : Certainty::known;
    if (each.is_known && list != nullptr) each.config = list->source;
    built.push_back(std::move(static_cast<ScriptSynchronizer &>(each)));
  }
  return built;
}

}  // namespace godot_codec::project
