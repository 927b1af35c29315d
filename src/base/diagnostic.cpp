#include "kinegrad/base/diagnostic.hpp"

#include <algorithm>
#include <numeric>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

std::string Diagnostic::text() const {
  if (where.file.empty()) return message;
  if (!where.known()) return where.file + ": " + message;
  return where.file + ":" + std::to_string(where.line) + ": " + message;
}

void Diagnostics::add(SourceLocation where, std::string message) {
  if (findings_.size() < kLimit) findings_.push_back({std::move(where), std::move(message)});
}

void Diagnostics::throw_if_any() const {
  if (empty()) return;
  std::vector<Diagnostic> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.where.line < b.where.line;
  });
  throw InvalidModel(std::move(sorted));
}

namespace {

/// Levenshtein distance, or `limit` if it is not below it. Given up as soon as that is known: a file
/// may hold thousands of names.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference >= limit) return limit;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
    if (*std::min_element(row.begin(), row.end()) >= limit) return limit;
  }
  return std::min(row.back(), limit);
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;  // a longer name is no typing slip, and would cost time
  if (name.empty() || name.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(name, candidate, best_distance);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string{} : " (did you mean \"" + nearest + "\"?)";
}

}  // namespace kinegrad
