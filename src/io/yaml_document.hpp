// A YAML file as a small tree that remembers where each thing stands.
//
// The only door to yaml-cpp. Its event interface is used instead of its nodes because those accept
// duplicate keys and expand aliases without bound. Aliases are not copied here: an alias points to
// the anchored node, and what the expanded tree would hold is counted and limited, so that no input
// costs more than its size.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"

namespace kinegrad::io {

struct YamlNode;

/// One `key: value` of a map, with the place of the key.
struct YamlEntry {
  std::string key;
  int line = 0;
  int column = 0;
  const YamlNode* value = nullptr;  ///< never null
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  std::string text;         ///< of a scalar, quotes removed
  bool was_quoted = false;  ///< "yes" is text where a bare yes would be a boolean
  int line = 0;             ///< from 1
  int column = 0;
  std::vector<const YamlNode*> items;  ///< of a sequence
  std::vector<YamlEntry> entries;      ///< of a map, in file order, no key twice

  /// What this node holds once its aliases are expanded.
  std::size_t expanded_nodes = 1;
  std::size_t expanded_bytes = 0;
  int height = 1;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_map() const { return kind == Kind::kMap; }

  /// The entry of that key, or null.
  const YamlEntry* find(std::string_view key) const;
};

/// "a list", "a map", … : how a message calls what stands there.
std::string_view kind_word(const YamlNode& node);

/// What a file may hold at most. Far above any model, low enough that reading takes no time.
struct YamlLimits {
  static constexpr std::size_t kFileBytes = std::size_t{4} << 20;
  static constexpr std::size_t kNodes = 100'000;  ///< that aliases add to those of the file
  static constexpr std::size_t kExpandedBytes = std::size_t{8} << 20;
  static constexpr int kDepth = 64;
};

/// Owns the nodes of one file.
class YamlDocument {
 public:
  explicit YamlDocument(std::deque<YamlNode> nodes, const YamlNode* root)
      : nodes_(std::move(nodes)), root_(root) {}
  YamlDocument(YamlDocument&&) = default;
  YamlDocument(const YamlDocument&) = delete;

  const YamlNode& root() const { return *root_; }

 private:
  std::deque<YamlNode> nodes_;  // a deque: nodes point at each other, and must not move
  const YamlNode* root_;
};

/// Parses one document. Duplicate keys are added to `diagnostics` and the first one kept; whatever
/// makes the rest unreadable is thrown. @throws InvalidModel
YamlDocument parse_yaml(std::string_view text, const std::string& file_name,
                        Diagnostics& diagnostics);

/// The bytes of a file, up to the limit. @throws InvalidModel if it cannot be read.
std::string read_text_file(const std::string& path);

}  // namespace kinegrad::io
