// Every evaluation of an optimisation, on the disk as soon as it is made: a line of JSON each, after a
// line that says what was evaluated. A run that begins with a journal asks it before it asks the model.
// Optimisers are deterministic, so they go the same way again at no cost until the journal ends, and
// the result is bit-identical to that of a run that was never interrupted [OP-10].
//
// A journal is believed, so it is checked: every line has the sizes of the problem, finite numbers and a
// sum over its characters; no two lines contradict each other.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kinegrad/optimization/problem.hpp"

namespace kinegrad {

/// What a journal must be about.
struct JournalSubject {
  std::map<std::string, std::string> what;  ///< {key: text}: what is evaluated, and how
  Eigen::Index parameters = 0, objectives = 0;
  int stages = 1;
};

class Journal {
 public:
  /// Begins a file, or goes on with one. A file about something else, or with a line that is not an
  /// evaluation, is refused with the line; a last line that was cut short is dropped. A file that was
  /// there and is begun anew is kept under old_path(). No other process can have it at the same time.
  /// @throws InvalidArgument
  Journal(std::string path, JournalSubject subject, bool resume);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The evaluation of that stage and ρ, if the file had one: the same to the last bit.
  std::optional<Evaluation> find(int stage, const VecX& rho) const;
  /// Writes it down before it returns. Any thread may. Empty, or why the device refused.
  [[nodiscard]] std::string add(int stage, const Evaluation& evaluation);

  /// How many there were in the file.
  std::size_t resumed() const { return resumed_; }
  /// The first of them that went well; a check that the model is still the same.
  struct Entry {
    int stage = 0;
    VecX rho;
  };
  const std::optional<Entry>& first() const { return first_; }
  /// The line of the file that has the evaluation, 0 if none has.
  long line_of(int stage, const VecX& rho) const;
  const std::string& path() const { return path_; }

  /// Where a journal that is begun anew leaves the one that was there.
  static std::string old_path(const std::string& path) { return path + "~"; }

 private:
  using Key = std::pair<int, std::vector<double>>;
  struct Known {
    Evaluation evaluation;
    long line = 0;
  };
  void begin();
  void go_on();
  void read();
  void check_header(const std::string& line) const;
  void take(const std::string& line, long number);
  [[noreturn]] void refuse(long number, const std::string& why) const;

  std::string path_;
  JournalSubject subject_;
  std::map<Key, Known> known_;
  std::optional<Entry> first_;
  std::size_t resumed_ = 0;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  mutable std::mutex mutex_;
};

/// Asks the journal first and tells it what it did not know.
Evaluator journaled(Evaluator evaluate, Journal& journal);

/// Evaluates a point of the file once more: "FILE:LINE: how they differ", empty if they do not, if the file has
/// no such point, or if the evaluation was stopped.
std::string disagreement(const Journal& journal, int stage, const VecX& rho,
                         const Evaluator& evaluate, const std::function<bool()>& go_on);

}  // namespace kinegrad
