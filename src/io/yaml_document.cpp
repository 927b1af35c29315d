#include "io/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "io/yaml_text.hpp"
#include "kinegrad/base/error.hpp"

namespace kinegrad::io {

const YamlEntry* YamlNode::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [&](const YamlEntry& entry) { return entry.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

std::string_view kind_word(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull: return "nothing";
    case YamlNode::Kind::kScalar: return "a single value";
    case YamlNode::Kind::kSequence: return "a list";
    case YamlNode::Kind::kMap: break;
  }
  return "a map";
}

namespace {

/// Builds the tree from the events of the parser. Stops it by throwing as soon as a limit is met,
/// so that neither its stack nor our memory grows with a hostile file.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  const YamlNode* root() const { return root_; }
  std::deque<YamlNode> take_nodes() { return std::move(nodes_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) fail(mark, "a model file holds one YAML document, a second one starts here");
    started_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) fail(mark, "a key is missing before the colon");
    attach(remember(create(mark, YamlNode::Kind::kNull), anchor), mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) fail(mark, "an alias cannot be a key");
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) fail(mark, "the alias stands inside the node it refers to");
    count(it->second->expanded_nodes, it->second->expanded_bytes, mark);
    attach(it->second, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (expects_key()) {
      take_key(mark, value);
      return;
    }
    YamlNode* node = create(mark, YamlNode::Kind::kScalar);
    node->text = value;
    node->was_quoted = tag == "!";  // how yaml-cpp marks a scalar that is not plain
    node->expanded_bytes = value.size();
    count(0, value.size(), mark);
    attach(remember(node, anchor), mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) {
    diagnostics_.add(place(mark), message);
    diagnostics_.throw_if_any();
    throw InvalidModel(place(mark), message);  // not reached
  }

 private:
  /// A sequence or map whose end has not come yet.
  struct Open {
    YamlNode* node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    YamlEntry pending;  ///< the key that waits for its value
    bool has_pending = false;
    bool drop_pending = false;  ///< the key was there before
    std::map<std::string, int> key_lines = {};
  };

  SourceLocation place(const YAML::Mark& mark) const {
    return {file_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node->is_map() && !open_.back().has_pending;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, "YAML tags are not used in model files: remove " + shown(tag));
  }

  YamlNode* create(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.line = place(mark).line;
    node.column = place(mark).column;
    count(1, 0, mark);
    return &node;
  }

  const YamlNode* remember(const YamlNode* node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    return node;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Open& top = open_.back();
    const SourceLocation where = place(mark);
    const auto [first, is_new] = top.key_lines.emplace(key, where.line);
    if (!is_new) {
      diagnostics_.add(where, fmt::format("duplicate key {}, first given in line {}", shown(key),
                                          first->second));
      if (diagnostics_.findings().size() >= Diagnostics::kLimit) diagnostics_.throw_if_any();
    }
    top.pending = {key, where.line, where.column, nullptr};
    top.has_pending = true;
    top.drop_pending = !is_new;
    top.node->expanded_bytes += key.size();
    count(0, key.size(), mark);
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    if (expects_key()) {
      fail(mark, "a key must be a single word, not a list or a map (is a bracket never closed?)");
    }
    refuse_tag(mark, tag);
    if (open_.size() >= YamlLimits::kDepth) fail_depth(mark);
    open_.push_back({create(mark, kind), anchor, mark, {}});
  }

  void close() {
    const YamlNode* node = open_.back().node;
    const YAML::anchor_t anchor = open_.back().anchor;
    const YAML::Mark mark = open_.back().mark;
    open_.pop_back();
    attach(remember(node, anchor), mark);
  }

  /// Puts a finished node into the innermost open one.
  void attach(const YamlNode* node, const YAML::Mark& mark) {
    if (static_cast<int>(open_.size()) + node->height > YamlLimits::kDepth) fail_depth(mark);
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Open& top = open_.back();
    if (top.node->is_map()) {
      top.pending.value = node;
      if (!top.drop_pending) top.node->entries.push_back(std::move(top.pending));
      top.has_pending = false;
    } else {
      top.node->items.push_back(node);
    }
    top.node->expanded_nodes += node->expanded_nodes;
    top.node->expanded_bytes += node->expanded_bytes;
    top.node->height = std::max(top.node->height, node->height + 1);
  }

  /// Adds to what the expanded tree holds.
  void count(std::size_t nodes, std::size_t bytes, const YAML::Mark& mark) {
    node_count_ += nodes;
    byte_count_ += bytes;
    if (node_count_ > YamlLimits::kNodes + nodes_.size()) {
      fail(mark, fmt::format("more than {} values, aliases expanded", YamlLimits::kNodes));
    }
    if (byte_count_ > YamlLimits::kExpandedBytes) {
      fail(mark, fmt::format("more than {} bytes, aliases expanded", YamlLimits::kExpandedBytes));
    }
  }

  [[noreturn]] void fail_depth(const YAML::Mark& mark) {
    fail(mark, fmt::format("nested deeper than {} levels", YamlLimits::kDepth));
  }

  const std::string& file_;
  Diagnostics& diagnostics_;
  std::deque<YamlNode> nodes_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, const YamlNode*> anchors_;
  const YamlNode* root_ = nullptr;
  std::size_t node_count_ = 0;
  std::size_t byte_count_ = 0;
  bool started_ = false;
};

[[noreturn]] void fail(const std::string& file, int line, const std::string& message) {
  throw InvalidModel(SourceLocation{file, line, line > 0 ? 1 : 0}, message);
}

}  // namespace

YamlDocument parse_yaml(std::string_view text, const std::string& file_name,
                        Diagnostics& diagnostics) {
  if (text.size() > YamlLimits::kFileBytes) {
    fail(file_name, 1, fmt::format("the file is larger than {} bytes", YamlLimits::kFileBytes));
  }
  check_text(text, file_name);
  // yaml-cpp overlooks a quote that is never closed if the file ends with a line break.
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file_name, diagnostics);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    builder.fail(e.mark, "not valid YAML: " + e.msg);
  }
  if (!builder.root() || builder.root()->is_null()) fail(file_name, 1, "the file is empty");
  const YamlNode* root = builder.root();
  return YamlDocument(builder.take_nodes(), root);
}

std::string read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail(path, 0, "cannot read the model: this is a directory");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, 0, fmt::format("cannot read the model: {}", std::strerror(errno)));
  // One byte more than allowed is enough to know; an endless file (/dev/zero) is not read whole.
  std::string text(YamlLimits::kFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) fail(path, 0, "cannot read the model: reading failed");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace kinegrad::io
