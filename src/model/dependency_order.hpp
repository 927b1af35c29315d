// The order in which named expressions can be compiled when they may name each other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinegrad {

using NameIndex = std::map<std::string, std::size_t, std::less<>>;

struct DependencyOrder {
  /// Every definition after those that it names. Members of a cycle are in it too.
  std::vector<std::size_t> order;
  /// Definitions that name each other in a ring, each in the order in which they do.
  std::vector<std::vector<std::size_t>> cycles;
};

/// `texts[k]` is the expression of definition k. Without recursion: a chain of thousands of names
/// must not fill the stack. Needs no sound expressions, only their words.
DependencyOrder dependency_order(const std::vector<std::string_view>& texts,
                                 const NameIndex& index);

/// "a → b → a"; a long ring is shortened.
std::string cycle_text(const std::vector<std::string>& names);

}  // namespace kinegrad
