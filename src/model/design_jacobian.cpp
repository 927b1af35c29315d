#include "kinegrad/model/design_jacobian.hpp"

#include <algorithm>
#include <atomic>

#include "kinegrad/base/index.hpp"

namespace kinegrad {

namespace {

long next_number() {
  static std::atomic<long> last{0};
  return ++last;
}

}  // namespace

template <typename Seed>
DesignJacobian::DesignJacobian(const DesignMap& map, std::span<const double> rho, int columns,
                               const Seed& seed)
    : columns_(columns), number_(next_number()) {
  const auto n = static_cast<std::size_t>(map.physical_count());
  auto work = map.make_workspace<double>();
  std::vector<double> p(n), d_rho(rho.size()), d_p(n);
  map.evaluate<double>(rho, p, work);
  struct Entry {
    int row, column;
    double value;
  };
  std::vector<Entry> entries;  // column by column
  std::vector<int> counts(n, 0);
  for (int j = 0; j < columns_; ++j) {
    std::fill(d_rho.begin(), d_rho.end(), 0.0);
    seed(j, d_rho);
    map.forward(rho, p, d_rho, d_p, work);
    for (std::size_t i = 0; i < n; ++i) {
      if (d_p[i] == 0) continue;
      entries.push_back({static_cast<int>(i), j, d_p[i]});
      ++counts[i];
    }
  }
  place_.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (counts[i] == 0) continue;
    place_[i] = static_cast<int>(active_.size());
    active_.push_back(static_cast<int>(i));
    start_.push_back(start_.back() + counts[i]);
  }
  column_.resize(entries.size());
  value_.resize(entries.size());
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for (const Entry& entry : entries) {
    const std::size_t at = index(next[index(place_[index(entry.row)])]++);
    column_[at] = entry.column;
    value_[at] = entry.value;
  }
}

DesignJacobian::DesignJacobian(const DesignMap& map, std::span<const double> rho,
                               std::span<const int> parameters)
    : DesignJacobian(
          map, rho, static_cast<int>(parameters.size()),
          [&](int j, std::vector<double>& d_rho) { d_rho[index(parameters[index(j)])] = 1; }) {}

DesignJacobian DesignJacobian::along(const DesignMap& map, std::span<const double> rho,
                                     std::span<const double> d_rho) {
  return DesignJacobian(map, rho, 1, [&](int, std::vector<double>& direction) {
    direction.assign(d_rho.begin(), d_rho.end());
  });
}

void DesignJacobian::pull(std::span<const double> p_bar, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  add_pulled(p_bar, Eigen::Map<Eigen::RowVectorXd>(out.data(), columns_));
}

void DesignJacobian::column(int j, std::span<double> dp) const {
  std::fill(dp.begin(), dp.end(), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    for (auto e = static_cast<std::size_t>(start_[i]); e < static_cast<std::size_t>(start_[i + 1]);
         ++e) {
      if (column_[e] == j) dp[static_cast<std::size_t>(active_[i])] = value_[e];
    }
  }
}

void DesignJacobian::add_pulled(std::span<const double> p_bar, Row out) const {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const double s = p_bar[index(active_[i])];
    if (s == 0) continue;
    for (std::size_t e = index(start_[i]); e < index(start_[i + 1]); ++e) {
      out(column_[e]) += s * value_[e];
    }
  }
}

void DesignJacobian::add_row(int k, double s, Row out) const {
  const int place = place_[static_cast<std::size_t>(k)];
  if (place < 0) return;
  const auto i = static_cast<std::size_t>(place);
  for (auto e = static_cast<std::size_t>(start_[i]); e < static_cast<std::size_t>(start_[i + 1]);
       ++e) {
    out(column_[e]) += s * value_[e];
  }
}

}  // namespace kinegrad
