// What the start of a run has to meet: equations, each divided by its scale [KP-12], which of them and of
// the coordinates count, and the sizes that the search is judged by.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/simulation/nearest.hpp"
#include "kinegrad/simulation/start_rank.hpp"

namespace kinegrad {

/// The equations of all constraints and normalisations and of what the file gives of points, at one
/// configuration. Values and Jacobians are divided by the scales of the equations.
template <Scalar T>
class StartRows {
 public:
  /// Both must outlive the object.
  StartRows(const Model& model, MechanicalSystem<T>& system, double t)
      : model_(model), system_(system), sets_(system.euler_sets()), t_(t) {
    J_.resize(count(), system.nq());
    scale_ = VecX::Ones(count());
  }

  /// s_i by which equations are divided; ones if it is not called.
  void set_scale(VecX scale) { scale_ = std::move(scale); }
  double scale(int row) const { return scale_(row); }

  int count() const { return first_target() + static_cast<int>(model_.initial_targets().size()); }
  /// Rows from here on are initial values of points.
  int first_target() const { return system_.rows() + static_cast<int>(sets_.size()); }
  bool is_target(int row) const { return row >= first_target(); }
  bool is_rate_target(int row) const { return is_target(row) && target(row).rate; }
  /// A component whose place is given and whose rate is given as well.
  bool has_rate(int row) const {
    const auto term = [&](int i) -> const ConstraintTerm& {
      return model_.initial_rows()[static_cast<std::size_t>(target(i).row)].terms.front();
    };
    for (int i = first_target(); i < count(); ++i) {
      if (!target(i).rate) continue;
      if (term(i).A.plus == term(row).A.plus && term(i).axis == term(row).axis) return true;
    }
    return false;
  }

  /// Rows that hold for positions; the others are for speeds.
  bool for_positions(int row) const {
    if (is_target(row)) return !target(row).rate;
    return row < system_.holonomic() || row >= system_.rows();
  }

  void place(const VecXT<T>& q) {
    system_.place(T(t_), in(q));
    system_.measure_targets(T(t_), in(q), {});
  }

  /// The real part of the Jacobian where the system is placed.
  const MatX& J(std::span<const T> q) {
    fill(q, J_, [](const T& x) { return real_part(x); });
    return J_;
  }
  /// With its derivative.
  typename Nearest<T>::Matrix exact_J(std::span<const T> q) const {
    typename Nearest<T>::Matrix J(count(), system_.nq());
    fill(q, J, [](const T& x) { return x; });
    return J;
  }

  void positions(std::span<const T> q, VecXT<T>& out) const {
    out.setConstant(count(), T(0));
    out.head(system_.holonomic()) = system_.Phi();
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets_[e]);
      out(system_.rows() + static_cast<int>(e)) = (la::squared_norm(p) - T(1)) * T(0.5);
    }
    for (int i = first_target(); i < count(); ++i) {
      if (target(i).rate) continue;
      out(i) = system_.targets()(target(i).row) - system_.parameter(target(i).value);
    }
    divide(out);
  }
  void velocities(std::span<const T> q, std::span<const T> v, VecXT<T>& out) const {
    out.resize(count());
    out.head(system_.rows()) = system_.Phi_dot();
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets_[e]);
      const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + sets_[e]);
      out(system_.rows() + static_cast<int>(e)) = la::dot(p, pdot);
    }
    for (int i = first_target(); i < count(); ++i) {
      out(i) = system_.targets_dot()(target(i).row);
      if (target(i).rate) out(i) -= system_.parameter(target(i).value);
    }
    divide(out);
  }

  /// The equation behind a row, none behind a normalisation.
  const ConstraintRow* equation(int row) const {
    if (is_target(row)) return &model_.initial_rows()[static_cast<std::size_t>(target(row).row)];
    if (row >= system_.rows()) return nullptr;
    return &model_.constraint_rows()[static_cast<std::size_t>(row)];
  }
  /// The Euler parameters that a normalisation is of, first of four; -1: it is another equation.
  int normalised(int row) const {
    if (row < system_.rows() || is_target(row)) return -1;
    return sets_[static_cast<std::size_t>(row - system_.rows())];
  }
  int row_of_target(int target) const { return first_target() + target; }

  /// "the loop at joint "J2"", …
  std::string name(int row) const {
    if (is_target(row)) return "the initial value of " + target(row).name;
    if (row >= system_.rows()) {
      const int first = sets_[static_cast<std::size_t>(row - system_.rows())];
      return "the normalisation of " + model_.coordinate_names()[static_cast<std::size_t>(first)];
    }
    const int c = model_.constraint_rows()[static_cast<std::size_t>(row)].constraint;
    const Constraint& constraint = model_.constraints()[static_cast<std::size_t>(c)];
    return (constraint.joint >= 0 ? "the loop at joint \"" : "constraint \"") + constraint.name +
           "\"";
  }

 private:
  template <typename Matrix, typename Part>
  void fill(std::span<const T> q, Matrix& J, const Part& part) const {
    J.setZero();
    const auto take = [&](const SparseRows<T>& from, int row, int to) {
      const auto i = static_cast<std::size_t>(row);
      for (auto k = static_cast<std::size_t>(from.start[i]);
           k < static_cast<std::size_t>(from.start[i + 1]); ++k) {
        J(to, from.column[k]) = part(from.value[k]);
      }
    };
    const SparseRows<T>& Phi_q = system_.Phi_q();
    for (int i = 0; i < Phi_q.rows(); ++i) take(Phi_q, i, i);
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      for (int c = 0; c < 4; ++c) {
        J(system_.rows() + static_cast<int>(e), sets_[e] + c) =
            part(q[static_cast<std::size_t>(sets_[e] + c)]);
      }
    }
    for (int i = first_target(); i < count(); ++i) take(system_.targets_q(), target(i).row, i);
    for (int i = 0; i < count(); ++i) J.row(i) /= scale_(i);
  }
  void divide(VecXT<T>& values) const {
    for (Eigen::Index i = 0; i < values.size(); ++i) values(i) /= scale_(i);
  }

  const InitialTarget& target(int row) const {
    return model_.initial_targets()[static_cast<std::size_t>(row - first_target())];
  }

  const Model& model_;
  MechanicalSystem<T>& system_;
  EulerSets sets_;
  double t_;
  MatX J_;
  VecX scale_;
};

inline VecX real_of(const VecX& x) { return x; }
inline VecX real_of(const VecXT<Complex>& x) { return x.real(); }  // holomorphic: a size
inline double derivative_size(const VecX&) { return 0; }
inline double derivative_size(const VecXT<Complex>& x) {
  return x.size() ? x.imag().cwiseAbs().maxCoeff() : 0;  // holomorphic: a size
}

/// The columns of J that may change, of the rows that count.
struct Selection {
  std::vector<int> columns, rows;
  MatX part;

  template <typename Matrix>
  void take(const Matrix& J, Matrix& out) const {
    out.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = J(rows[i], columns[j]);
      }
    }
  }
  void take(const MatX& J) { take(J, part); }
  /// With its derivative, where the rows are placed.
  template <typename T>
  typename Nearest<T>::Matrix exact(const StartRows<T>& from, const VecXT<T>& q) const {
    typename Nearest<T>::Matrix J;
    take(from.exact_J(in(q)), J);
    return J;
  }
  /// The same columns, and those of the rows that span all; `part` must be taken.
  Selection independent(MatX& beside) const {
    const IndependentRows chosen = independent_equations(part);
    Selection out{columns, {}, {}};
    for (const int i : chosen.rows) out.rows.push_back(rows[static_cast<std::size_t>(i)]);
    beside = chosen.beside();
    return out;
  }
  /// The entries of x in the columns.
  template <typename T>
  VecXT<T> of(const VecXT<T>& x) const {
    return pick(x, columns);
  }
  template <typename T>
  static VecXT<T> pick(const VecXT<T>& x, const std::vector<int>& which) {
    VecXT<T> some(static_cast<Eigen::Index>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) {
      some(static_cast<Eigen::Index>(i)) = x(which[i]);
    }
    return some;
  }
  /// Adds a change of the columns.
  template <typename T>
  void add(const VecXT<T>& change, VecXT<T>& x) const {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      x(columns[j]) += change(static_cast<Eigen::Index>(j));
    }
  }
};

/// The values of some rows where the system is placed.
template <Scalar T>
VecXT<T> values_of(const StartRows<T>& rows, const VecXT<T>& q, const Selection& some) {
  VecXT<T> all;
  rows.positions(in(q), all);
  return Selection::pick(all, some.rows);
}

/// Largest entry; NaN counts as infinite.
inline double largest(const VecX& x, int* where = nullptr) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value = std::isfinite(x(i)) ? std::abs(x(i)) : HUGE_VAL;
    if (value <= most) continue;
    most = value;
    if (where) *where = static_cast<int>(i);
  }
  return most;
}

}  // namespace kinegrad
