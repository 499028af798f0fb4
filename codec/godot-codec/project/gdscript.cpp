// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "godot-codec/core/lexer.h"
#include "godot-codec/core/path.h"
#include "godot-codec/project/gdscript_authority.h"
#include "godot-codec/project/limits.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/script.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

using TokenKind = TokenKind;

void apply_argument(RpcConfig &config, std::string_view text) {
  if (text == "any_peer") config.mode = RpcMode::any_peer;
  if (text == "authority") config.mode = RpcMode::authority;
  if (text == "call_local") config.is_call_local = true;
  if (text == "call_remote") config.is_call_local = false;
  if (text == "unreliable") config.transfer = TransferMode::unreliable;
  if (text == "unreliable_ordered") config.transfer = TransferMode::unreliable_ordered;
  if (text == "reliable") config.transfer = TransferMode::reliable;
}

bool is_number_part(std::string_view text) {
  return text.find_first_not_of("0123456789_.+-eE") == std::string_view::npos;
}

// True if a constant of a type has this type itself: true for Vector2.ZERO, false for Vector2.AXIS_X.
bool is_value_of_type(std::string_view type, std::string_view constant) {
  constexpr std::array<std::string_view, 12> constants = {"BACK", "DOWN", "FORWARD", "IDENTITY", "INF", "LEFT",
                                                          "MAX",  "MIN",  "ONE",     "RIGHT",    "UP",  "ZERO"};
  const bool is_upper = !constant.empty() && constant.front() >= 'A' && constant.front() <= 'Z';
  return (type == "Color" && is_upper) || std::binary_search(constants.begin(), constants.end(), constant);
}

constexpr std::string_view add_scene = "add_spawnable_scene";
constexpr std::string_view add_child = "add_child";
constexpr std::string_view spawner_class = "MultiplayerSpawner";

// Returns what a word does with spawned nodes or scenes, if anything. The first argument of `call_deferred("add_child",
// …)` is checked later.
std::optional<SpawnStatement::Action> action_of(const Token &token) {
  using Action = SpawnStatement::Action;
  if (token.is_word("spawn_function") || token.is_word("set_spawn_function")) return Action::set_function;
  if (token.is_word(add_scene)) return Action::add_scene;
  if (token.is_word(add_child) || token.is_word("call_deferred")) return Action::add_child;
  return std::nullopt;
}

// True if the source contains a word. Fast, because the search algorithm skips most characters.
bool has(std::string_view source, std::string_view word) {
  return std::search(source.begin(), source.end(), std::boyer_moore_horspool_searcher(word.begin(), word.end())) !=
         source.end();
}

// Parses GDScript. Lines that are indented deeper than the members of a class are bodies of functions and accessors. In
// bodies, only certain calls and names are recorded.
class GdReader {
 public:
  explicit GdReader(std::string_view source)
      : source_(source),
        lexer_(source, Language::gdscript),
        token_(lexer_.next()),
        has_spawners_(has(source, spawner_class)),
        has_moves_(has(source, "name = ") || has(source, "reparent")),
        has_spawn_statements_(has(source, "spawn_function") || has(source, add_scene) || has(source, add_child)),
        has_authority_(has(source, "set_multiplayer_authority") || has(source, "set_network_master")),
        has_configs_(has(source, "eplication") || has(source, "root_path") || has(source, "add_property") ||
                     has(source, "remove_property")),
        has_bodies_(has_spawn_statements_ || has_authority_ || has_configs_ || has_moves_ ||
                    has(source, "rpc_config") || has(source, "load") || has(source, "change_scene") ||
                    has(source, "set_script") || has(source, ".tscn") || has(source, ".scn") || has(source, "uid://")) {
    result_.classes.emplace_back();
    open_.push_back({.index = 0, .header_indent = 0, .indent = 0, .is_known = true});
  }

  ScriptSource read() {
    while (token_.kind != TokenKind::end) read_line();
    end_statement();
    if (configures_any_) configure_named();
    result_.classes.front().spawners = std::move(made_spawners_);
    result_.classes.front().synchronizers = configs_.take();
    result_.classes.front().builds_configs = !configs_.are_all_known();
    result_.classes.front().changes_configs = configs_.changes_others();
    for (ScriptClass &each : result_.classes) {
      keep_used_members(each);
      for (RpcDeclaration &method : each.methods) apply_constants(method);
    }
    return std::move(result_);
  }

 private:
  struct OpenClass {
    std::size_t index = 0;
    std::size_t header_indent = 0;
    std::size_t indent = 0;  // of its members
    bool is_known = false;   // true if `indent` has been determined
    bool is_closed = false;  // true if its only member was in the line of its header
  };

  // Keeps only the members that are relevant to created scenes. Many scripts call add_child(). If a class creates
  // scenes in no other way, only the calling functions and the members that they use are relevant.
  static void keep_used_members(ScriptClass &each) {
    const auto adds = [](const SpawnStatement &statement) {
      return statement.action == SpawnStatement::Action::add_child;
    };
    if (!std::ranges::all_of(each.spawn_statements, adds)) return;
    std::map<std::string, MemberUses, std::less<>> used;
    std::vector<std::string> pending;
    for (const SpawnStatement &statement : each.spawn_statements) {
      pending.push_back(statement.spawner);
      pending.push_back(statement.function);
    }
    while (!pending.empty()) {
      auto member = each.uses.extract(pending.back());
      pending.pop_back();
      if (member.empty()) continue;
      const auto &[kept, is_new, rest] = used.insert(std::move(member));
      const std::string function = function_of_part(kept->first);
      pending.push_back(function);
      for (const std::string &word : kept->second.words) {
        pending.push_back(word);
        pending.push_back(part_key(function, word));
      }
    }
    each.uses = std::move(used);
  }

  ScriptClass &current() { return result_.classes[open_.back().index]; }
  [[nodiscard]] bool is_line_end() const { return token_.begins_line; }

  Token take() {
    third_last_ = std::exchange(before_last_, std::exchange(last_, token_));
    token_ = lexer_.next();
    record_use(last_);
    return last_;
  }

  // ---- created scenes

  // Begins the member with the name in the next token. The tokens that follow belong to this member.
  void begin_member() { member_ = is_line_end() ? std::string_view{} : token_.text.substr(0, max_word_size); }

  void record_use(const Token &token) {
    if (has_spawn_statements_ || has_moves_) record_variable(token);
    if (has_spawners_) record_spawner(token);
    if (has_moves_) record_move(token);
    record_load(token);
    if (token.kind == TokenKind::string) {
      record_text(value_of(token));
    } else if (token.kind == TokenKind::word) {
      if (has_spawn_statements_) record_word(std::string(token.text));
    }
    if (has_authority_) authority_.add(token);
    if (has_configs_) configs_.add(token);
    if (has_spawn_statements_) record_spawn_statement(token);
  }

  void end_statement() {
    current().authority = std::max(current().authority, authority_.end_statement());
    configs_.end_statement();
    end_spawner();
    part_key_.clear();
    token_index_ = 0;
    is_declared_ = false;
  }

  // Records a spawner that the script creates, and its name: `spawner = MultiplayerSpawner.new()`, `spawner.name =
  // "Spawner"`.
  void record_spawner(const Token &token) {
    const std::string &variable = variable_of_statement_.empty() ? variable_ : variable_of_statement_;
    if (token.is_word("new") && before_last_.is_symbol('.') && before_dot_.is_word(spawner_class)) {
      made_spawners_[variable];
    } else if (named_ && !token.is_symbol('&')) {
      const bool is_text = token.kind == TokenKind::string;
      const auto constant = literals_.find(token.text);
      if (is_text || constant != literals_.end()) named_->second = is_text ? value_of(token) : constant->second;
      // A name that consists of several tokens is unknown, because it is computed.
      if (++named_tokens_ > 1) named_->second.clear();
    } else if (token_index_ == 4 && token.is_symbol('=') && before_last_.is_word("name")) {
      named_.emplace(variable, "");
      named_tokens_ = 0;
    }
  }

  // Records nodes that the script renames or reparents: `name = "Ball2"`, `$Ball.name = "Ball2"`,
  // `$Ball.reparent($Box)`. Ignores nodes that the function has just created, because they had no path before.
  void record_move(const Token &token) {
    const bool is_made = token.is_word("instantiate") || token.is_word("new") || token.is_word("duplicate");
    const bool is_named = indent_ > 0 && token.is_symbol('=') && before_last_.is_word("name") && !token_.is_symbol('=');
    const bool is_own = token_index_ == 2 || (token_index_ == 4 && variable_of_statement_.empty());
    const bool is_others =
        token_index_ > 4 || (token_index_ == 4 && !is_own && !created_variables_.contains(variable_of_statement_));
    if (is_made) created_variables_.insert(variable_of_statement_);
    if (is_named && is_own) current().renames_itself = true;
    if (token.is_word("reparent") || (is_named && is_others)) result_.classes.front().moves_others = true;
  }

  // Detects loads of a computed path: `load("res://%s.tscn" % kind)`, `ResourceLoader.load(path)`,
  // `get_tree().change_scene_to_file(path)`. If a string in the argument has the extension of another file type, no
  // scene is loaded.
  void record_load(const Token &token) {
    if (token.is_word("set_script")) current().sets_scripts = true;
    if (token.is_word("clear_spawnable_scenes")) current().clears_spawnable = true;
    const bool is_call = before_last_.is_word("load") ? !third_last_.is_symbol('.') || is_loader_
                                                      : before_last_.is_word("load_threaded_request") ||
                                                            before_last_.is_word("change_scene_to_file");
    if (token.is_symbol('.')) is_loader_ = before_last_.is_word("ResourceLoader");
    if (token.is_symbol('(') && is_call) {
      load_ = {.depth = token.depth, .is_literal = true, .may_be_scene = true};
    } else if (load_ && token.depth > load_->depth && !(token.depth == load_->depth + 1 && token.is_one_of(",)"))) {
      const auto constant = token.is_word() ? literals_.find(token.text) : literals_.end();
      const bool is_text = token.kind == TokenKind::string || constant != literals_.end();
      const std::string extension = extension_of(constant != literals_.end() ? constant->second
                                                 : is_text                   ? value_of(token)
                                                                             : "");
      const bool is_scene = extension == "tscn" || extension == "scn";
      load_->may_be_scene = load_->may_be_scene && (extension.empty() || is_scene);
      load_->is_literal = load_->is_literal && is_text;
    } else if (load_) {
      if (!load_->is_literal && load_->may_be_scene) {
        current().loads_unknown = true;
        for_each_use([](MemberUses &uses) { uses.loads_unknown = true; });
      }
      load_.reset();
    }
  }

  void end_spawner() {
    const auto spawner = named_ ? made_spawners_.find(named_->first) : made_spawners_.end();
    if (spawner != made_spawners_.end()) spawner->second.insert(std::move(named_->second));
    named_.reset();
    variable_of_statement_.clear();
  }

  void record_text(const std::string &text) {
    last_text_ = last_name(text);
    if (last_text_.starts_with('%')) last_text_.erase(0, 1);  // `get_node("%Players")`
    if (has_spawn_statements_) record_word(last_text_);
    if (!is_scene_path(text)) return;
    std::vector<std::string> &scenes = current().scenes;
    if (scenes.size() >= max_named_scenes) return;
    if (std::ranges::find(scenes, text) == scenes.end()) scenes.push_back(text);
    if (!has_spawn_statements_) return;
    for_each_use([&](MemberUses &uses) { uses.scenes.push_back(text); });
  }

  void record_word(const std::string &word) {
    if (word.size() > max_word_size) return;
    for_each_use([&](MemberUses &uses) { uses.words.insert(word); });
  }

  // Calls @p note for the current member, and for the part of it that is being read.
  template <typename Note>
  void for_each_use(const Note &note) {
    note(current().uses[member_]);
    if (!part_key_.empty()) note(current().uses[part_key_]);
    if (!lambda_.empty()) note(current().uses[lambda_]);
  }

  // Returns the key of a part of the current member. Empty if a name is too long to be useful.
  [[nodiscard]] std::string key_of_part(std::string_view name) const {
    constexpr std::size_t longest = 64;
    return member_.size() <= longest && name.size() <= longest ? part_key(member_, name) : std::string();
  }

  // Detects a statement that assigns to a local variable. The statement becomes a part of the function, with a key such
  // as `make:player`.
  void record_variable(const Token &token) {
    if (token.kind == TokenKind::word && (token_index_ == 0 || is_declared_) && !token.is_word("self")) {
      is_declared_ = token_index_ == 0 && (token.is_word("var") || token.is_word("for"));
      if (token_index_ > 0) part_key_ = key_of_part(token.text);
      variable_of_statement_ = token.text;
    } else if (token_index_ == 1 && token.is_symbol('=')) {
      part_key_ = key_of_part(variable_of_statement_);
    }
    ++token_index_;
  }

  // Records assignments of spawn functions, and calls that add scenes or nodes: `spawn_function = f`,
  // `$Spawner.set_spawn_function(f)`, `spawner.spawn_function = Callable(self, "f")`, `… = func…`,
  // `$Spawner.add_spawnable_scene(…)`, `$Players.add_child(…)`.
  void record_spawn_statement(const Token &token) {
    if (const std::optional<SpawnStatement::Action> action = action_of(token)) {
      spawn_statement_.emplace();
      spawn_statement_->function = member_;
      spawn_statement_->action = *action;
      if (before_last_.is_symbol('.') && !before_dot_.is_word("self")) {
        spawn_statement_->spawner = spawner_before_dot();
        spawn_statement_->is_literal =
            is_path_before_dot_ || (before_dot_.kind != TokenKind::word && last_text_ != ")");
      }
      if (token.is_word(add_child)) finish_add_child();
    } else if (spawn_statement_ && spawn_statement_->action == SpawnStatement::Action::add_child) {
      if (token.is_symbol('(')) return;
      if (token.kind == TokenKind::string && last_text_ == add_child) finish_add_child();
      spawn_statement_.reset();
    } else if (spawn_statement_ && spawn_statement_->action == SpawnStatement::Action::add_scene) {
      record_added_scene(token);
    } else if (spawn_statement_ && token.begins_line) {
      spawn_statement_.reset();
    } else if (spawn_statement_ && token.kind == TokenKind::string) {
      finish_spawn_statement(last_text_);
    } else if (spawn_statement_ && token.kind == TokenKind::word && !token.is_word("Callable") &&
               !token.is_word("self")) {
      // The value may be a lambda that creates the nodes: `func(data): …`.
      if (token.is_word("func")) lambda_ = key_of_part(std::to_string(token.line));
      lambda_indent_ = indent_;
      finish_spawn_statement(!token.is_word("func") ? std::string(token.text) : lambda_.empty() ? member_ : lambda_);
    }
    if (token.is_symbol('.')) {
      before_dot_ = before_last_;
      is_path_before_dot_ = is_path_;
    }
    // A path without quotes, such as `$A/B`.
    is_path_ = token.is_one_of("$%") || (is_path_ && (token.is_symbol('/') || token.kind == TokenKind::word));
    // The node that a call returns is unknown, except for a call with a literal path such as get_node("A/Spawner").
    const bool ends_call = token.is_one_of(")]");
    if (ends_call && before_last_.kind != TokenKind::string) last_text_ = ")";
  }

  // Reads the argument of add_spawnable_scene(). Unless the argument is a single string, the scene is unknown.
  void record_added_scene(const Token &token) {
    if (token.is_symbol('(') && spawn_statement_->scene.empty()) return;
    if (token.kind == TokenKind::string && spawn_statement_->scene.empty()) {
      spawn_statement_->scene = value_of(token);
      return;
    }
    if (!token.is_symbol(')')) spawn_statement_->scene.clear();
    finish_spawn_statement(std::string(member_));
  }

  // Completes an add_child() statement. The rest of the statement contains what is added, so it becomes a part of the
  // function.
  void finish_add_child() {
    part_key_ = key_of_part(std::to_string(token_.line));
    if (!part_key_.empty()) current().uses[part_key_];
    finish_spawn_statement(part_key_.empty() ? member_ : part_key_);
  }

  // Returns the last word of the expression before the dot. For `$"A/Spawner"` and `get_node("A/Spawner")`, returns the
  // last component of the path.
  [[nodiscard]] std::string spawner_before_dot() const {
    return before_dot_.kind == TokenKind::word ? std::string(before_dot_.text) : last_text_;
  }

  void finish_spawn_statement(std::string function) {
    spawn_statement_->function = std::move(function);
    std::vector<SpawnStatement> &statements = current().spawn_statements;
    const bool is_known = std::ranges::find(statements, *spawn_statement_) != statements.end();
    if (!is_known && statements.size() < max_named_scenes) statements.push_back(*spawn_statement_);
    spawn_statement_.reset();
  }

  void read_line() {
    const std::size_t indent = token_.indent;
    end_statement();
    indent_ = indent;
    if (indent <= lambda_indent_) lambda_.clear();
    while (open_.size() > 1 && leaves(open_.back(), indent)) {
      open_.pop_back();
      annotation_.reset();
      member_.clear();
    }
    authority_.begin_statement(indent);
    configs_.begin_statement(indent);
    OpenClass &open = open_.back();
    if (!open.is_known) {
      open.indent = indent;
      open.is_known = true;
    }
    token_.begins_line = false;
    if (open.is_closed || indent > open.indent) {
      record_body();
      skip_line(false);
    } else {
      read_members();
    }
  }

  static bool leaves(const OpenClass &open, std::size_t indent) {
    return indent <= open.header_indent || (open.is_known && indent < open.indent);
  }

  // Records whether the body of a function does anything. Strings, `pass` and `return` do nothing.
  void record_body() {
    if (body_ == nullptr || is_line_end()) return;
    const bool is_idle = token_.is_word("pass") || token_.is_word("return") || token_.kind == TokenKind::string;
    if (is_idle) take();
    if (!is_idle || !is_line_end()) body_->is_empty = false;
  }

  void read_members() {
    variable_.clear();
    body_ = nullptr;
    while (!is_line_end()) {
      if (token_.is_symbol('@')) {
        read_annotation();
      } else if (token_.is_symbol(';') || token_.is_word("static")) {
        take();
      } else if (token_.is_word("class_name")) {
        take();
        const std::string name = take_name();
        if (open_.size() == 1) current().name = name;
      } else if (token_.is_word("extends")) {
        take();
        ClassReference base = take_reference();
        current().base = std::move(base);
      } else if (token_.is_word("func")) {
        read_function();
      } else if (is_mode_of_godot3(token_)) {
        const RemoteCallers callers = callers_of(take().text);
        if (token_.is_word("func") || token_.is_word("var")) next_callers_ = callers;
      } else if (token_.is_word("class")) {
        read_class();
      } else if (token_.is_word("const")) {
        read_constant();
      } else if (token_.is_word("var")) {
        read_variable();
      } else {
        annotation_.reset();
        skip_line(true);
      }
    }
  }

  std::string take_name() {
    return token_.kind == TokenKind::word && !is_line_end() ? std::string(take().text) : std::string();
  }

  ClassReference take_reference() {
    ClassReference reference;
    if (is_line_end()) return reference;
    if (token_.kind == TokenKind::string) {
      reference.path = value_of(take());
    } else if (token_.kind == TokenKind::word) {
      reference.names.push_back(take_name());
    }
    take_names(reference);
    return reference;
  }

  void take_names(ClassReference &reference) {
    while (!is_line_end() && token_.is_symbol('.') && !reference.empty()) {
      take();
      if (std::string name = take_name(); !name.empty()) reference.names.push_back(std::move(name));
    }
  }

  void read_annotation() {
    take();
    const bool is_rpc = token_.is_word("rpc");
    take_name();
    RpcDeclaration method;
    if (!is_line_end() && token_.is_symbol('(')) read_arguments(method);
    if (is_rpc) annotation_ = std::move(method);
  }

  // Applies arguments that are constants. A constant from another file has an unknown value. It may be the RPC mode, so
  // the mode becomes unknown.
  void apply_constants(RpcDeclaration &method) const {
    for (const auto &[argument, name] : method.constants) {
      const auto found = literals_.find(name);
      if (found == literals_.end()) {
        method.config.mode = RpcMode::unknown;
      } else {
        apply_argument(method.config, found->second);
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), method.config.channel);
      }
    }
  }

  // Reads the arguments of an annotation: strings, which may be concatenated with +, and the channel.
  void read_arguments(RpcDeclaration &method) {
    RpcConfig &config = method.config;
    const std::size_t depth = take().depth;
    std::string text;
    while (!is_line_end() && token_.depth > depth) {
      const Token token = take();
      if (token.kind == TokenKind::string) {
        text += value_of(token);
      } else if (token.kind == TokenKind::word) {
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), config.channel);
        if (token.text.front() > '9') method.constants.emplace_back("", token.text);
      } else if (!token.is_symbol('+')) {
        apply_argument(config, text);
        text.clear();
      }
    }
  }

  // True for the keywords of Godot 3 that precede `func` or `var` and let other peers use the member (GDScriptParser).
  static bool is_mode_of_godot3(const Token &token) {
    static constexpr std::string_view words[] = {"remote", "sync",       "master",     "slave",
                                                 "puppet", "remotesync", "mastersync", "puppetsync"};
    return std::ranges::any_of(words, [&](std::string_view word) { return token.is_word(word); });
  }

  static RemoteCallers callers_of(std::string_view word) {
    return word.starts_with("puppet") || word == "slave" ? RemoteCallers::master : RemoteCallers::anyone;
  }

  void read_function() {
    const std::uint32_t line = take().line;
    const RemoteCallers callers = std::exchange(next_callers_, RemoteCallers::none);
    if (annotation_) annotation_->line = token_.line;
    begin_member();
    if (const std::string name = take_name(); !name.empty()) {
      authority_.begin_function(name);
      configs_.begin_function(name);
      created_variables_.clear();
      current().functions.push_back(name);
      if (annotation_) annotation_->name = name;
      if (annotation_) current().methods.push_back(std::move(*annotation_));
      std::optional<FunctionHead> head = read_head();
      if (head) head->callers = callers;
      if (head) head->line = line;
      if (head) head->is_empty = true;
      if (head) body_ = &current().heads.insert_or_assign(name, std::move(*head)).first->second;
    }
    annotation_.reset();
    while (!is_line_end() && !token_.is_symbol(':')) take();
    if (!is_line_end()) take();
    record_body();
    skip_line(false);
  }

  // Reads the parameters of a function, such as `(amount: int, by := "nobody", ...others)`.
  std::optional<FunctionHead> read_head() {
    if (is_line_end() || !token_.is_symbol('(')) return std::nullopt;
    enum class Part : std::uint8_t { name, type, value };
    const std::size_t depth = take().depth + 1;
    FunctionHead head;
    BasicParameter<std::string> parameter;
    Part part = Part::name;
    while (token_.kind != TokenKind::end && token_.depth >= depth) {
      const Token token = take();
      const bool is_outer = token.depth == depth;
      if (is_outer && token.is_one_of(",)")) {
        if (!head.has_rest && !parameter.name.empty()) add_parameter(head, std::move(parameter));
        parameter = {};
        part = Part::name;
      } else if (is_outer && token.is_symbol('=')) {
        parameter.is_optional = true;
        part = Part::value;
      } else if (part == Part::name && token.is_symbol(':')) {
        part = Part::type;
      } else if (part == Part::name && token.is_symbol('.')) {
        head.has_rest = true;
      } else if (part != Part::value) {
        (part == Part::name ? parameter.name : parameter.type) += token.text;
      }
    }
    if (head.parameters.size() > max_parameters) return std::nullopt;
    return head;
  }

  static void add_parameter(FunctionHead &head, BasicParameter<std::string> parameter) {
    parameter.types = types_of_argument(parameter.type);
    head.parameters.push_back(std::move(parameter));
  }

  void read_class() {
    OpenClass open{.index = open_.back().index, .header_indent = open_.back().indent};
    take();
    annotation_.reset();
    member_.clear();
    ScriptClass added;
    added.name = take_name();
    added.outer = open.index;
    if (!is_line_end() && token_.is_word("extends")) {
      take();
      added.base = take_reference();
    }
    if (!is_line_end() && token_.is_symbol(':')) take();
    // As in the engine, an annotation in the line of a class's header ends this class and belongs to the next member.
    const bool is_over = !is_line_end() && token_.is_symbol('@');
    const bool is_too_deep = open_.size() > max_class_depth;
    open.is_closed = !is_line_end() || is_too_deep;
    if (!is_too_deep) open.index = add_class(std::move(added));
    if (!is_over) open_.push_back(open);
  }

  std::size_t add_class(ScriptClass added) {
    const std::size_t index = result_.classes.size();
    current().inner.emplace(added.name, index);
    result_.classes.push_back(std::move(added));
    return index;
  }

  // Reads a constant that refers to a class, with or without a type: `const Base = preload("base.gd").Inner`, `const
  // Alias = Other`.
  void read_constant() {
    take();
    annotation_.reset();
    begin_member();
    const std::string name = take_name();
    while (!is_line_end() && !token_.is_one_of("=;")) take();
    if (is_line_end() || token_.is_symbol(';')) return;
    take();
    ClassReference value;
    std::string literal(token_.text);
    if (token_.is_word("preload")) {
      take();
      if (token_.is_symbol('(')) take();
      if (token_.kind == TokenKind::string) value.path = value_of(take());
      if (token_.is_symbol(')')) take();
      take_names(value);
    } else if (token_.kind == TokenKind::word) {
      value = take_reference();
    } else if (token_.kind == TokenKind::string) {
      literal = value_of(take());
    }
    const bool is_whole = is_line_end() || token_.is_symbol(';');
    if (is_whole) literals_.emplace(name, std::move(literal));
    if (is_whole && !value.empty()) current().constants.emplace(name, std::move(value));
    if (!is_whole) skip_line(true);
  }

  // Reads a variable with or without accessors: `var hp: int = 3`, `var hp := 3`.
  void read_variable() {
    DeclaredVariable declared{{}, std::exchange(next_callers_, RemoteCallers::none), take().line};
    annotation_.reset();
    begin_member();
    variable_ = take_name();
    if (!variable_.empty() && !is_line_end() && token_.is_symbol(':')) {
      take();
      declared.types = read_type();
    }
    if (!variable_.empty()) current().variables.insert_or_assign(variable_, declared);
    skip_line(true);
  }

  // Reads the type after the colon of a variable.
  ValueTypes read_type() {
    if (is_line_end()) return {};
    if (token_.is_symbol('=')) {
      take();
      const ValueTypes types = read_literal();
      return is_literal_end() ? types : ValueTypes{};
    }
    // This is an accessor, not a type: `var hp: set = set_hp`.
    if (token_.kind != TokenKind::word || token_.is_word("get") || token_.is_word("set")) return {};
    const std::string_view name = take().text;
    // The type may be a class or an enum: `Outer.Inner`, `Node.ProcessMode`.
    return types_of_declared(!is_line_end() && token_.is_symbol('.') ? "" : name);
  }

  [[nodiscard]] bool is_literal_end() const { return is_line_end() || token_.is_one_of(";:"); }

  // Returns the type of a literal, which is known without the game's classes.
  ValueTypes read_literal() {
    if (is_line_end()) return {};
    if (token_.kind == TokenKind::string) return read_plain(Type::string);
    if (token_.is_word("true") || token_.is_word("false")) return read_plain(Type::boolean);
    if (token_.is_symbol('[')) return read_in_brackets({Type::array});
    if (token_.is_symbol('{')) return read_in_brackets({Type::dictionary});
    if (token_.is_one_of("&^")) {
      const Type type = take().is_symbol('&') ? Type::string_name : Type::node_path;
      return token_.kind == TokenKind::string ? read_plain(type) : ValueTypes{};
    }
    if (token_.kind == TokenKind::word && is_variant_type(token_.text)) return read_value_of_type();
    return read_number();
  }

  // Reads a value that begins with its type: `Vector2(1, 2)`, `Vector2.ZERO`.
  ValueTypes read_value_of_type() {
    const std::string_view type = take().text;
    if (is_line_end()) return {};
    if (token_.is_symbol('(')) return read_in_brackets(types_of_declared(type));
    if (!token_.is_symbol('.')) return {};
    take();
    return is_value_of_type(type, take_name()) ? types_of_declared(type) : ValueTypes{};
  }

  // Reads numbers, with + and - before them and between them.
  ValueTypes read_number() {
    Type type = Type::integer;
    bool has_digits = false;
    for (; !is_literal_end(); take_body_token()) {
      const bool is_word = token_.kind == TokenKind::word;
      const bool is_digits = is_word && token_.text.front() >= '0' && token_.text.front() <= '9';
      const bool is_hexadecimal = is_digits && (token_.text.starts_with("0x") || token_.text.starts_with("0b"));
      if (is_hexadecimal) {
        has_digits = true;
        continue;
      }
      if (!is_number_part(token_.text) || (is_word && !is_digits) || token_.kind == TokenKind::string) return {};
      if (token_.text.find_first_of(".eE") != std::string_view::npos) type = Type::real;
      has_digits = has_digits || is_digits;
    }
    return has_digits ? ValueTypes{type} : ValueTypes{};
  }

  ValueTypes read_plain(Type type) {
    take_body_token();
    return {type};
  }

  ValueTypes read_in_brackets(const ValueTypes &types) {
    const std::size_t depth = token_.depth;
    do {
      take_body_token();
    } while (token_.kind != TokenKind::end && token_.depth > depth);
    return types;
  }

  // Takes a token of a value or of a function's body.
  void take_body_token() {
    const bool is_of_other_node = last_.is_symbol('.') && !before_last_.is_word("self");
    const Token token = take();
    if (token.is_word("rpc_config") || token.is_word("rset_config")) read_configuration(is_of_other_node);
    // The getter is a function, so its result may have any type.
    if (token.is_word("get") && token_.is_symbol('=')) current().variables[variable_].types = {};
  }

  // Skips to the end of the line.
  // @param is_member a semicolon outside of brackets also ends the line
  void skip_line(bool is_member) {
    // If only accessors of a variable are relevant (see take_body_token()), other lines are skipped without parsing.
    if (!is_member && !has_bodies_ && variable_.empty() && !is_line_end()) token_ = lexer_.next_line();
    while (!is_line_end() && !(is_member && token_.depth == 0 && token_.is_symbol(';'))) take_body_token();
  }

  // Handles an rpc_config() call with a name from a variable. The call may mean any method of the script with a name
  // that the source contains in quotes. The MD5 decides which of them.
  void configure_named() {
    for (ScriptClass &each : result_.classes) {
      for (const std::string &function : each.functions) {
        if (!has(source_, '"' + function + '"') || each.configured_elsewhere.size() >= max_named_scenes) continue;
        RpcDeclaration method{function, {}, 0};
        method.config.mode = RpcMode::unknown;
        each.configured_elsewhere.emplace(function, std::move(method));
      }
      for (const auto &[name, method] : each.configured) {
        if (method) each.configured_elsewhere.emplace(name, *method);
      }
    }
  }

  // Reads the arguments of rpc_config(): `("name", {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER, …})`, `(&"name",
  // null)`.
  void read_configuration(bool is_of_other_node) {
    if (!token_.is_symbol('(')) return;
    const std::size_t depth = take().depth;
    if (token_.is_symbol('&')) take();
    if (token_.kind != TokenKind::string) {
      configures_any_ = true;
      return;
    }
    RpcDeclaration method{value_of(token_), {}, token_.line};
    take();
    if (!token_.is_symbol(',')) return;
    method.config.mode = RpcMode::unknown;
    std::size_t nulls = 0;
    std::size_t others = 0;
    while (token_.kind != TokenKind::end && token_.depth > depth) {
      const Token token = take();
      if (token.is_word("RPC_MODE_ANY_PEER")) method.config.mode = RpcMode::any_peer;
      if (token.is_word("RPC_MODE_AUTHORITY")) method.config.mode = RpcMode::authority;
      if (token.is_word("RPC_MODE_DISABLED")) method.config.mode = RpcMode::disabled;
      if (token.kind != TokenKind::symbol) ++(token.is_word("null") ? nulls : others);
    }
    // The last call for a name counts. With null, it removes the method from the list.
    const std::string name = method.name;
    if (is_of_other_node) {
      if (current().configured_elsewhere.size() < max_named_scenes) {
        current().configured_elsewhere.insert_or_assign(name, std::move(method));
      }
      return;
    }
    current().configured[name] =
        nulls == 1 && others == 0 ? std::nullopt : std::optional<RpcDeclaration>(std::move(method));
  }

  std::string_view source_;
  Lexer lexer_;
  Token token_, last_, before_last_, third_last_;
  ScriptSource result_;
  AuthorityCalls authority_;
  ConfigEvaluator configs_;
  std::vector<OpenClass> open_;
  std::optional<RpcDeclaration> annotation_;                  // the @rpc annotation before the next member
  std::map<std::string, std::string, std::less<>> literals_;  // values of constants that are strings or numbers, by
                                                              // name
  std::string variable_;                                      // the variable that the accessors may belong to; empty:
                                                              // none
  FunctionHead *body_ = nullptr;                              // the function whose body is being read; null: none
  bool configures_any_ = false;                       // true if a call of rpc_config() takes the method's name from a
                                                      // variable
  RemoteCallers next_callers_ = RemoteCallers::none;  // Godot 3: the keyword for the next member
  const bool has_spawners_;                           // true if the source mentions MultiplayerSpawner
  const bool has_moves_;                              // true if the source may rename or reparent nodes
  const bool has_spawn_statements_;
  const bool has_authority_;  // true if the source may set the authority
  const bool has_configs_;    // true if the source mentions SceneReplicationConfig or its members
  const bool has_bodies_;     // true if the bodies of functions are relevant
  std::string member_;        // the member that is being read; empty: none
  std::string part_key_;      // key of the part of the member that is being read; empty: none
  std::string lambda_;        // key of the lambda that is being read; empty: none
  std::size_t lambda_indent_ = 0;
  std::size_t indent_ = 0;       // of the current line
  std::size_t token_index_ = 0;  // index of the next token in its statement
  bool is_declared_ = false;     // true if the statement begins with `var` or `for`
  std::string variable_of_statement_;
  std::map<std::string, std::set<std::string>, std::less<>> made_spawners_;  // names given to each spawner, by variable
  std::optional<std::pair<std::string, std::string>> named_;  // the variable with the node that the statement renames,
                                                              // and the name
  std::size_t named_tokens_ = 0;
  std::set<std::string, std::less<>> created_variables_;  // local variables that hold a node which the function has
                                                          // created
  // The argument of a call that loads a resource, as far as it has been read.
  struct Load {
    std::size_t depth = 0;
    bool is_literal = false;
    bool may_be_scene = false;
  };
  std::optional<Load> load_;
  bool is_loader_ = false;  // true if the word before the last dot was ResourceLoader
  std::string last_text_;   // last component of the last literal path
  bool is_path_ = false;    // true if the last tokens are `$` and a path
  bool is_path_before_dot_ = false;
  Token before_dot_;                               // the token before the last dot
  std::optional<SpawnStatement> spawn_statement_;  // incomplete while the name of its function is missing
};

}  // namespace

bool is_scene_path(std::string_view text) {
  if (text.size() > max_node_path_size) return false;
  if (text.starts_with("uid://")) return true;
  const std::string_view name = last_name(text);
  // In "res://" + name + ".tscn", the part ".tscn" has no name before the dot, so it is not a path.
  return name.rfind('.') > 0 && (name.ends_with(".tscn") || name.ends_with(".scn"));
}

ScriptSource read_gdscript(std::string_view source) { return GdReader(source).read(); }

}  // namespace godot_codec::project
