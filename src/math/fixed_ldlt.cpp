#include "kinegrad/math/fixed_ldlt.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

/// Unknowns that an unknown is coupled with, as eliminations go on.
class Graph {
 public:
  Graph(int size, std::span<const std::pair<int, int>> entries)
      : coupled_(index(size), std::vector<char>(index(size), 0)), degree_(index(size), 0) {
    for (const auto& [i, j] : entries) couple(i, j);
  }
  int size() const { return static_cast<int>(degree_.size()); }
  bool coupled(int i, int j) const { return coupled_[index(i)][index(j)] != 0; }
  int degree(int i) const { return degree_[index(i)]; }

  /// Removes an unknown and couples those that it was coupled with; returns them.
  std::vector<int> eliminate(int k) {
    std::vector<int> others;
    for (int i = 0; i < size(); ++i) {
      if (coupled(k, i)) others.push_back(i);
    }
    for (const int i : others) {
      coupled_[index(i)][index(k)] = 0;
      --degree_[index(i)];
      for (const int j : others) couple(i, j);
    }
    return others;
  }

 private:
  void couple(int i, int j) {
    if (i == j || coupled(i, j)) return;
    coupled_[index(i)][index(j)] = coupled_[index(j)][index(i)] = 1;
    ++degree_[index(i)];
    ++degree_[index(j)];
  }
  std::vector<std::vector<char>> coupled_;
  std::vector<int> degree_;
};

/// For each unknown of the border, how many inner ones it waits for; and by inner unknown, who waits for it.
struct Waiting {
  std::vector<int> left;
  std::vector<std::vector<int>> by_inner;

  Waiting(int size, int inner, std::span<const std::pair<int, int>> entries)
      : left(index(size), 0), by_inner(index(inner)) {
    for (auto [i, j] : entries) {
      if (i < j) std::swap(i, j);
      if (i < inner || j >= inner) continue;
      std::vector<int>& waiting = by_inner[index(j)];
      if (std::find(waiting.begin(), waiting.end(), i) != waiting.end()) continue;
      waiting.push_back(i);
      ++left[index(i)];
    }
  }
};

}  // namespace

/// Ascending positions below each diagonal. Of equal degrees one that the last unknown is coupled with comes first, so that
/// columns alike are neighbours.
std::vector<std::vector<int>> FixedElimination::find_fill(
    int inner, std::span<const std::pair<int, int>> entries) {
  const int n = static_cast<int>(position.size());
  Graph graph(n, entries);
  Waiting waiting(n, inner, entries);
  std::vector<char> done(index(n), 0), near(index(n), 0);
  std::vector<std::vector<int>> below;
  for (int p = 0; p < n; ++p) {
    int best = -1;
    const auto better = [&](int i) {
      if (best < 0 || graph.degree(i) != graph.degree(best)) {
        return best < 0 || graph.degree(i) < graph.degree(best);
      }
      return near[index(i)] > near[index(best)];
    };
    for (int i = 0; i < n; ++i) {
      if (!done[index(i)] && waiting.left[index(i)] == 0 && better(i)) best = i;
    }
    done[index(best)] = 1;
    position[index(best)] = p;
    order.push_back(best);
    if (best < inner) {
      for (const int i : waiting.by_inner[index(best)]) --waiting.left[index(i)];
    }
    below.push_back(graph.eliminate(best));
    std::fill(near.begin(), near.end(), char{0});
    for (const int i : below.back()) near[index(i)] = 1;
  }
  for (std::vector<int>& column : below) {
    for (int& i : column) i = position[index(i)];
    std::sort(column.begin(), column.end());
  }
  return below;
}

void FixedElimination::analyse(int size, int inner, std::span<const std::pair<int, int>> entries) {
  *this = {};
  position.assign(index(size), 0);
  store(find_fill(inner, entries));
}

namespace {

/// Adds a pair to runs, of which those from `first` on may go on.
void extend(std::vector<FixedElimination::Run>& runs, std::size_t first, int from, int to) {
  if (runs.size() > first && runs.back().from + runs.back().count == from &&
      runs.back().to + runs.back().count == to) {
    ++runs.back().count;
  } else {
    runs.push_back({from, to, 1});
  }
}

}  // namespace

void FixedElimination::store(const std::vector<std::vector<int>>& below) {
  for (int p = 0; p < size(); ++p) {
    start.push_back(static_cast<int>(row.size()));
    row.push_back(p);
    row.insert(row.end(), below[index(p)].begin(), below[index(p)].end());
  }
  start.push_back(static_cast<int>(row.size()));
  for (int p = 0; p < size(); ++p) {
    const int end = start[index(p) + 1];
    first_rows.push_back(static_cast<int>(rows.size()));
    first_update.push_back(static_cast<int>(updates.size()));  // of the diagonal: none
    for (int k = start[index(p)] + 1; k < end; ++k) {
      extend(rows, index(first_rows.back()), k, row[index(k)]);
      first_update.push_back(static_cast<int>(updates.size()));
      int to = start[index(row[index(k)])];
      for (int i = k; i < end; ++i) {
        while (row[index(to)] != row[index(i)]) ++to;
        extend(updates, index(first_update.back()), i, to);
      }
    }
  }
  first_rows.push_back(static_cast<int>(rows.size()));
  first_update.push_back(static_cast<int>(updates.size()));
}

int FixedElimination::place(int i, int j) const {
  int column = position[index(i)], at = position[index(j)];
  if (column > at) std::swap(column, at);
  const auto first = row.begin() + start[index(column)], end = row.begin() + start[index(column) + 1];
  const auto it = std::lower_bound(first, end, at);
  KINEGRAD_ASSERT(it != end && *it == at);
  return static_cast<int>(it - row.begin());
}

double FixedElimination::products() const {
  double sum = 0;
  for (const Run& run : updates) sum += run.count;
  return sum;
}

}  // namespace kinegrad
