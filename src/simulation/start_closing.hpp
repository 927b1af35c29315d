// Newton's steps that close the loops of a start [KP-1], and the closest approach of loops that cannot be
// closed (docs/theory/kinematic_problems.md).
#pragma once

#include <Eigen/Cholesky>

#include "simulation/start_rows.hpp"

namespace kinegrad {

/// The units of coordinates [KP-11], and what counts as closed.
struct StartUnits {
  VecX d;
  double closed = 1e-12;  ///< |Φ/s|
  /// On complex numbers: the largest derivative of a parameter. Derivatives of coordinates that are
  /// rounding beside it are zero.
  double derivative = 0;

  /// The length of a change in those units.
  double size(const VecX& change, const std::vector<int>& columns) const {
    double sum = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double x = change(static_cast<Eigen::Index>(j)) / d(columns[j]);
      sum += x * x;
    }
    return std::sqrt(sum);
  }
};

template <Scalar T>
class Closing {
 public:
  /// Both must outlive the object.
  Closing(StartRows<T>& rows, const StartUnits& units) : rows_(rows), units_(units) {}

  /// [KP-1]: steps of least change, at most half a unit, halved until Φ falls. False if Φ is left.
  bool close(Selection& free, VecXT<T>& q) {
    constexpr int kIterations = 200;
    constexpr double kLargestStep = 0.5, kLast = 1e-8;
    rows_.place(q);
    VecXT<T> phi = values_of(rows_, q, free);
    open_ = real_of(phi).norm();  // holomorphic: a size
    double moved = 1, derivative_moved = 1;
    for (iterations_ = 0; iterations_ < kIterations; ++iterations_) {
      const double derivative = 1e-14 * (derivative_size(q) + units_.derivative);
      const bool derivative_done =
          derivative_size(phi) <= derivative || derivative_moved <= derivative;
      // a start that is drawn exactly closed has a derivative all the same
      if (derivative_done && (open_ == 0 || (open_ <= units_.closed && moved < kLast))) return true;
      const VecXT<T> step = least_change(free, q, VecXT<T>(-phi));
      const double size = units_.size(real_of(step), free.columns);
      double part = std::min(1.0, kLargestStep / std::max(size, 1e-300));
      if (!shorten(free, step, q, phi, part)) break;
      moved = size * part;
      derivative_moved = derivative_size(step) * part;
    }
    constexpr double kStalled = 1e3;  // no step helps any more: rounding, or a double solution
    return open_ <= kStalled * units_.closed;
  }
  double open() const { return open_; }  ///< |Φ/s| that is left
  int iterations() const { return iterations_; }

  /// The shortest change in the columns that meets b in the sense of least squares.
  VecXT<T> least_change(Selection& free, const VecXT<T>& q, const VecXT<T>& b) {
    const MatX& J = rows_.J(in(q));
    free.take(J);
    const PartSolver solver(free.part, size_of_whole(J));
    return by_parts(b, [&](const VecX& x) -> VecX { return solver.solve(x); });
  }

 private:
  bool shorten(const Selection& free, const VecXT<T>& step, VecXT<T>& q, VecXT<T>& phi,
               double& part) {
    const VecXT<T> before = q;
    for (int halvings = 0; halvings < 30; ++halvings, part *= 0.5) {
      q = before;
      free.add(VecXT<T>(step * T(part)), q);
      rows_.place(q);
      phi = values_of(rows_, q, free);
      const double now = real_of(phi).norm();  // holomorphic: a size
      if (now < open_ * (1 - 1e-4 * part) || now <= units_.closed) {
        open_ = now;
        return true;
      }
    }
    q = before;
    rows_.place(q);
    return false;
  }

  StartRows<T>& rows_;
  const StartUnits& units_;
  double open_ = 0;
  int iterations_ = 0;
};

/// To where |Φ/s| is least nearby, by steps that are shortened and turned downhill (Levenberg and
/// Marquardt): what is left there no motion of the free coordinates takes away.
inline void approach(StartRows<double>& rows, const StartUnits& units, Selection& free, VecX& q) {
  constexpr int kIterations = 200;
  constexpr double kThere = 1e-10;
  double mu = 1e-3;
  rows.place(q);
  VecX phi = values_of(rows, q, free);
  const VecX d = Selection::pick(units.d, free.columns);
  for (int k = 0; k < kIterations && mu < 1e12; ++k) {
    rows.place(q);
    free.take(rows.J(in(q)));
    const MatX J = free.part * d.asDiagonal();
    MatX A = J.transpose() * J;
    A.diagonal().array() += mu;
    const VecX step = d.asDiagonal() * A.llt().solve(-J.transpose() * phi);  // holomorphic: real
    VecX there = q;
    free.add(step, there);
    rows.place(there);
    const VecX now = values_of(rows, there, free);
    if (now.norm() < phi.norm()) {
      q = there;
      phi = now;
      mu = std::max(0.2 * mu, 1e-12);
      if (units.size(step, free.columns) < kThere) break;
    } else {
      mu *= 5;
    }
  }
  rows.place(q);
}

}  // namespace kinegrad
