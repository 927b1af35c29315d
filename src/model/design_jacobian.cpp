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
  std::vector<std::vector<std::pair<int, double>>> rows(n);
  for (int j = 0; j < columns_; ++j) {
    std::fill(d_rho.begin(), d_rho.end(), 0.0);
    seed(j, d_rho);
    map.forward(rho, p, d_rho, d_p, work);
    for (std::size_t i = 0; i < n; ++i) {
      if (d_p[i] != 0) rows[i].emplace_back(j, d_p[i]);
    }
  }
  place_.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (rows[i].empty()) continue;
    place_[i] = static_cast<int>(active_.size());
    active_.push_back(static_cast<int>(i));
    for (const auto& [column, value] : rows[i]) {
      column_.push_back(column);
      value_.push_back(value);
    }
    start_.push_back(static_cast<int>(column_.size()));
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
  for (const int k : active_) add_row(k, p_bar[static_cast<std::size_t>(k)], out);
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
