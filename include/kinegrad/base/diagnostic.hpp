// Where something stands in a model file, and what is wrong with it there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinegrad {

/// A place in a model file. Lines and columns count from 1; 0 means "not from a file".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return line > 0; }
};

/// One finding about a model: where, and a sentence that names the element.
struct Diagnostic {
  SourceLocation where;
  std::string message;

  /// "FILE:LINE: message", or the message alone when the model was built in C++.
  std::string text() const;
};

/// Collects findings so that one run of `check` reports all of them. Stops storing after `kLimit`.
class Diagnostics {
 public:
  static constexpr std::size_t kLimit = 50;

  void add(SourceLocation where, std::string message);
  bool empty() const { return findings_.empty(); }
  const std::vector<Diagnostic>& findings() const { return findings_; }

  /// @throws InvalidModel with every finding, if there is any.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> findings_;
};

/// The candidate nearest to `name` by edit distance, or empty when none is near enough to suggest.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// ` (did you mean "x"?)`, or an empty string when nothing is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace kinegrad
