// The closed place nearest to a drawing [KP-7] (docs/theory/kinematic_problems.md). Newton's steps within
// the rows, whose matrix may be rough and real; what must vanish has its derivative.
#pragma once

#include <Eigen/Cholesky>

#include "simulation/start_closing.hpp"

namespace kinegrad {

template <Scalar T>
class NearestPlace {
 public:
  /// The coordinates that may change and the equations that count; all must outlive the object.
  NearestPlace(StartRows<T>& rows, const StartUnits& units, Selection& free)
      : rows_(rows), units_(units), free_(free) {}

  /// From a closed place to the nearest one; false, and nowhere, if none is found.
  bool go(const VecXT<T>& drawn, VecXT<T>& q) {
    constexpr int kIterations = 100;
    constexpr double kThere = 1e-14, kEnough = 1e-10;
    const VecXT<T> closed = q;
    Pull& pull = pull_;
    double left = HUGE_VAL;
    for (int k = 0; k < kIterations; ++k) {
      if (!take_pull(drawn, q, pull)) break;
      const double before = left;
      left = left_of(pull, q);
      // as far as rounding lets it
      if (left <= kThere || (left <= kEnough && left >= 0.5 * before)) break;
      if (!step_nearer(drawn, pull, q)) break;
    }
    rows_.place(q);
    const double open = real_of(values_of(rows_, q, free_)).norm();  // holomorphic: a size
    if (left <= kEnough && open <= 1e3 * units_.closed) return true;
    q = closed;
    return false;
  }
  /// Independent equations that hold it there, and what they hold it with.
  const std::vector<int>& rows() const { return pull_.some.rows; }
  const VecXT<T>& multipliers() const { return pull_.multipliers; }

 private:
  /// What draws a closed place to the drawing: along the rows, which hold it, and beside them.
  struct Pull {
    Selection some;  // independent rows
    MatX beside;
    VecXT<T> free, multipliers;
  };

  /// In units of the coordinates; of the derivative as part of that of the coordinates.
  double left_of(const Pull& pull, const VecXT<T>& q) const {
    const double of_free = derivative_size(pull.free);
    const double derivative = of_free / (derivative_size(q) + of_free + units_.derivative + 1e-300);
    const double size = units_.size(real_of(pull.free), free_.columns);
    return std::max(size, derivative);
  }

  bool take_pull(const VecXT<T>& drawn, const VecXT<T>& q, Pull& pull) {
    rows_.place(q);
    free_.take(rows_.J(in(q)));
    pull.some = free_.independent(pull.beside);
    if (!nearest_.take(pull.some.exact(rows_, q))) return false;
    const auto l = static_cast<Eigen::Index>(pull.some.rows.size());
    nearest_.solve(free_.of(VecXT<T>(drawn - q)), VecXT<T>::Constant(l, T(0)));
    pull.free = nearest_.change();
    pull.multipliers = nearest_.multipliers();
    return true;
  }

  /// Zᵀ(I + (Jᵀμ)_q)Z by differences, of the real parts; I where that leads to no minimum.
  // holomorphic: real
  Eigen::LLT<MatX> curvature(const Pull& pull, const VecXT<T>& q) {
    constexpr double kStep = 1e-6;
    const VecX mu = real_of(pull.multipliers);
    const MatX& Z = pull.beside;
    MatX change(Z.rows(), Z.cols()), J;
    for (Eigen::Index j = 0; j < Z.cols(); ++j) {
      for (const double side : {kStep, -kStep}) {
        VecXT<T> there = q;
        pull.some.add(VecXT<T>((side * Z.col(j)).template cast<T>()), there);
        rows_.place(there);
        pull.some.take(rows_.J(in(there)), J);
        const VecX force = J.transpose() * mu;
        if (side > 0) {
          change.col(j) = force;
        } else {
          change.col(j) -= force;
        }
      }
    }
    MatX K = Z.transpose() * change / (2 * kStep);
    K = 0.5 * (K + K.transpose()).eval();
    K.diagonal().array() += 1;
    Eigen::LLT<MatX> factor(K);  // holomorphic: real
    if (factor.info() != Eigen::Success) factor.compute(MatX::Identity(K.rows(), K.cols()));
    return factor;
  }

  /// A step of Newton's beside the rows, closed again and halved until the drawing is nearer.
  bool step_nearer(const VecXT<T>& drawn, const Pull& pull, VecXT<T>& q) {
    constexpr double kLargestStep = 0.5, kSurely = 1e-5;
    const Eigen::LLT<MatX> factor = curvature(pull, q);  // holomorphic: real
    const auto newton = [&](const VecX& x) -> VecX {
      return pull.beside * factor.solve(pull.beside.transpose() * x);
    };
    const VecXT<T> step = by_parts(pull.free, newton);
    const double size = units_.size(real_of(step), pull.some.columns);
    const double far = real_of(VecXT<T>(q - drawn)).norm();  // holomorphic: a size
    double part = std::min(1.0, kLargestStep / std::max(size, 1e-300));
    const VecXT<T> before = q;
    for (int halvings = 0; halvings < 20; ++halvings, part *= 0.5) {
      q = before;
      pull.some.add(VecXT<T>(step * T(part)), q);
      if (!close(pull.some, q)) continue;
      const double now = real_of(VecXT<T>(q - drawn)).norm();  // holomorphic: a size
      if (now < far || size <= kSurely) return true;
    }
    return false;
  }

  /// Newton's steps of least change from nearby, the derivative with them.
  bool close(const Selection& some, VecXT<T>& q) {
    constexpr int kIterations = 12;
    constexpr double kLast = 1e-8;
    const VecXT<T> zero = VecXT<T>::Constant(static_cast<Eigen::Index>(some.columns.size()), T(0));
    for (int k = 0; k < kIterations; ++k) {
      rows_.place(q);
      if (!nearest_.take(some.exact(rows_, q))) return false;
      nearest_.solve(zero, VecXT<T>(-values_of(rows_, q, some)));
      const VecXT<T> step = nearest_.change();
      const double size = units_.size(real_of(step), some.columns);
      if (!(size < 1)) return false;
      some.add(step, q);
      // of what such a step leaves over nothing is to be seen
      const double derivative = derivative_size(q) + units_.derivative;
      if (size <= kLast && derivative_size(step) <= kLast * derivative) break;
    }
    rows_.place(q);
    return real_of(values_of(rows_, q, some)).norm() <= units_.closed;  // holomorphic: a size
  }

  StartRows<T>& rows_;
  const StartUnits& units_;
  Selection& free_;
  Nearest<T> nearest_;
  Pull pull_;
};

}  // namespace kinegrad
