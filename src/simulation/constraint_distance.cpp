#include "kinegrad/simulation/constraint_distance.hpp"

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "kinegrad/math/rank_rule.hpp"
#include "kinegrad/math/small_ldlt.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Unit equations, one a column, and what they are open by; those that vanish are left out.
class UnitEquations {
 public:
  explicit UnitEquations(const VecX& units) : units_(units) {}

  /// Entries are (coordinate, value); `name` is what the equation is called later on, `remaining` as [RK-1].
  void add(const std::vector<std::pair<int, double>>& entries, double value, int name,
           double remaining = 1) {
    double square = 0;
    for (const auto& [j, x] : entries) square += x * units_(j) * x * units_(j);
    const double length = std::sqrt(square);
    if (!(length > 0) || !std::isfinite(length)) return;
    threshold_ = std::max(threshold_, rank::least_pivot(1, remaining));  // holomorphic: real
    const auto k = static_cast<int>(phi_.size());
    for (const auto& [j, x] : entries) {
      if (x != 0) triplets_.emplace_back(j, k, x * units_(j) / length);
    }
    phi_.push_back(value / length);
    names_.push_back(name);
  }
  ConstraintDistance distance() const;
  bool surely_closed(double least, double distance) const;

 private:
  const VecX& units_;
  std::vector<Eigen::Triplet<double>> triplets_;
  std::vector<double> phi_;
  std::vector<int> names_;
  double threshold_ = rank::kDependent;  // [RK-3], the strictest of all
};

/// |Δ| = |R⁻ᵀφ_I| because Q is orthogonal.                                                    [LO-4]
ConstraintDistance UnitEquations::distance() const {
  ConstraintDistance out;
  for (const double x : phi_) out.open = std::max(out.open, std::abs(x));
  if (phi_.empty()) return out;
  Sparse J(units_.size(), static_cast<Eigen::Index>(phi_.size()));
  J.setFromTriplets(triplets_.begin(), triplets_.end());
  J.makeCompressed();
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(threshold_);
  qr.compute(J);
  if (qr.info() != Eigen::Success) return out;
  const Sparse R = qr.matrixR();
  VecX b(qr.rank());
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    const int column = qr.colsPermutation().indices()(k);
    double sum = phi_[static_cast<std::size_t>(column)], pivot = 0;
    for (Sparse::InnerIterator it(R, k); it; ++it) {
      if (it.row() < k) sum -= it.value() * b(it.row());
      if (it.row() == k) pivot = it.value();
    }
    b(k) = sum / pivot;
    const int name = names_[static_cast<std::size_t>(column)];
    if (name >= 0) out.independent.push_back(name);
    if (std::abs(pivot) >= out.least) continue;
    out.least = std::abs(pivot);
    out.equation = name;
  }
  std::sort(out.independent.begin(), out.independent.end());
  out.distance = b.norm();
  return out;
}

/// JᵀJ = LDLᵀ has the squares of R's diagonal in D, and |Δ|² = φᵀ(JᵀJ)⁻¹φ.                       [LO-6]
bool UnitEquations::surely_closed(double least, double distance) const {
  const auto m = static_cast<int>(phi_.size());
  std::vector<std::vector<std::pair<int, double>>> by_coordinate(
      static_cast<std::size_t>(units_.size()));
  for (const auto& x : triplets_) {
    by_coordinate[static_cast<std::size_t>(x.row())].emplace_back(x.col(), x.value());
  }
  SmallLdlt<double> products;
  products.resize(m);
  for (const auto& equations : by_coordinate) {
    for (std::size_t a = 0; a < equations.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        products.at(equations[a].first, equations[b].first) +=
            equations[a].second * equations[b].second;
      }
    }
  }
  if (!products.factorize(m)) return false;
  for (int k = 0; k < m; ++k) {
    if (!(products.at(k, k) * least * least <= 1)) return false;  // the inverse of the pivot
  }
  std::vector<double> y = phi_;
  products.solve(y);
  double square = 0;
  for (std::size_t k = 0; k < y.size(); ++k) square += y[k] * phi_[k];
  return square <= distance * distance;
}

/// The first `count` constraint equations, or some of them, and the normalisations of Euler parameters.
UnitEquations equations_of(const MechanicalSystem<double>& system, int count, const VecX& values,
                           const VecX& q, const VecX& normalisations, const VecX& units,
                           const std::vector<int>* only) {
  UnitEquations out(units);
  std::vector<std::pair<int, double>> entries;
  Eigen::Index set = 0;
  for (const int first : system.euler_sets()) {
    entries.clear();
    for (int k = first; k < first + 4; ++k) entries.emplace_back(k, q(k));
    out.add(entries, normalisations(set++), -1);
  }
  for (int i = 0; i < count; ++i) {
    // what has lost most of its terms says little, and drift decides about it
    const double remaining = system.remaining(i);
    if (!(remaining > rank::kClear)) continue;
    if (only && !std::binary_search(only->begin(), only->end(), i)) continue;
    entries.clear();
    system.Phi_q().each(i, [&](int j, double x) { entries.emplace_back(j, x); });
    out.add(entries, values(i), i, remaining);
  }
  return out;
}

UnitEquations equations_of_positions(MechanicalSystem<double>& system, double t, const VecX& q,
                                     const VecX& units, const std::vector<int>* only) {
  system.place(t, in(q));
  const EulerSets sets = system.euler_sets();
  VecX lengths(static_cast<Eigen::Index>(sets.size()));
  for (std::size_t e = 0; e < sets.size(); ++e) {
    lengths(static_cast<Eigen::Index>(e)) = 0.5 * (q.segment<4>(sets[e]).squaredNorm() - 1);
  }
  return equations_of(system, system.holonomic(), system.Phi(), q, lengths, units, only);
}

}  // namespace

ConstraintDistance distance_of_positions(MechanicalSystem<double>& system, double t, const VecX& q,
                                         const VecX& units, const std::vector<int>* only) {
  return equations_of_positions(system, t, q, units, only).distance();
}

bool surely_closed(MechanicalSystem<double>& system, double t, const VecX& q, const VecX& units,
                   double least, double distance) {
  return equations_of_positions(system, t, q, units, nullptr).surely_closed(least, distance);
}

ConstraintDistance distance_of_speeds(MechanicalSystem<double>& system, double t, const VecX& q,
                                      const VecX& v, const VecX& units,
                                      const std::vector<int>* only) {
  const VecX none = VecX::Zero(v.size());
  system.move(t, in(q), in(v), in(none));
  const EulerSets sets = system.euler_sets();
  VecX rates(static_cast<Eigen::Index>(sets.size()));
  for (std::size_t e = 0; e < sets.size(); ++e) {
    rates(static_cast<Eigen::Index>(e)) = q.segment<4>(sets[e]).dot(v.segment<4>(sets[e]));
  }
  return equations_of(system, system.rows(), system.Phi_dot(), q, rates, units, only).distance();
}

}  // namespace kinegrad
