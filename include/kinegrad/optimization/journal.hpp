// Every evaluation of an optimisation, on the disk as soon as it is made: a line of JSON each, after a
// line that says what was evaluated. A run that begins with a journal asks it before it asks the model.
// Optimisers are deterministic, so they go the same way again at no cost until the journal ends, and
// arrive at the same bits as a run that was never interrupted [OP-10].
#pragma once

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kinegrad/optimization/problem.hpp"

namespace kinegrad {

class Journal {
 public:
  /// Begins a file, or goes on with one. `what` describes what is evaluated, as {key: text}: a file that
  /// says otherwise is refused. A last line that was cut short is dropped.
  /// @throws InvalidArgument
  Journal(std::string path, std::map<std::string, std::string> what, bool resume);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// The evaluation of that stage and ρ, if there was one: the same to the last bit.
  std::optional<Evaluation> find(int stage, const VecX& rho) const;
  /// Writes it down before it returns. Any thread may. False if the device refused.
  bool add(int stage, const Evaluation& evaluation);

  /// How many there were in the file.
  std::size_t resumed() const { return resumed_; }
  /// The first of them that went well, with its stage; a check that the model is still the same.
  const std::optional<std::pair<int, Evaluation>>& first() const { return first_; }
  const std::string& path() const { return path_; }

 private:
  using Key = std::pair<int, std::vector<double>>;
  void read(const std::map<std::string, std::string>& what);
  void check_header(const std::string& line, const std::map<std::string, std::string>& what) const;
  bool keep(const std::string& line);

  std::string path_;
  std::map<Key, Evaluation> known_;
  std::optional<std::pair<int, Evaluation>> first_;
  std::size_t resumed_ = 0;
  std::FILE* file_ = nullptr;
  mutable std::mutex mutex_;
};

/// Asks the journal first and tells it what it did not know.
Evaluator journaled(Evaluator evaluate, Journal& journal);

}  // namespace kinegrad
