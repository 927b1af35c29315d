// The lines of a journal as text. Every line of an evaluation ends with a sum over its characters, so that
// a line that was changed does not pass for an evaluation; lines without one are older than sums.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kinegrad/optimization/problem.hpp"

namespace kinegrad::journal {

/// The first line.
std::string header_line(const std::map<std::string, std::string>& what);
/// {key: text} of it; nothing if it is not the first line of a journal.
std::optional<std::map<std::string, std::string>> read_header(const std::string& line);

std::string evaluation_line(int stage, const Evaluation& evaluation);

struct Line {
  int stage = 0;
  Evaluation evaluation;
  std::string wrong;  ///< why it is none; empty: it is one
};
/// Never throws. ψ_ρ has a row per objective and a column per parameter; all numbers are finite.
Line read_evaluation(const std::string& line);

/// The same numbers, or the same failure.
bool same_answer(const Evaluation& a, const Evaluation& b);

}  // namespace kinegrad::journal
