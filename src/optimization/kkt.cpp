#include "kinegrad/optimization/kkt.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kinegrad {

namespace {

/// Least squares over the chosen columns; others are zero.
VecX solve_chosen(const MatX& A, const VecX& b, const std::vector<bool>& chosen) {
  std::vector<Eigen::Index> columns;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) columns.push_back(static_cast<Eigen::Index>(i));
  }
  VecX y = VecX::Zero(A.cols());
  if (columns.empty()) return y;
  const MatX part = A(Eigen::all, columns);
  const VecX solution = part.completeOrthogonalDecomposition().solve(-b);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    y(columns[i]) = solution(static_cast<Eigen::Index>(i));
  }
  return y;
}

/// Goes from y towards the better of the chosen columns until a sign would break, and drops the column
/// that would break first. True once the whole way was gone.
bool move_within_signs(const VecX& better, const VecX& sign, std::vector<bool>& chosen, VecX& y) {
  double way = 1;
  Eigen::Index first = -1;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    if (!chosen[static_cast<std::size_t>(i)] || sign(i) * better(i) >= 0) continue;
    const double until = y(i) / (y(i) - better(i));
    if (first >= 0 && until >= way) continue;
    way = until;
    first = i;
  }
  y += way * (better - y);
  if (first < 0) return true;
  chosen[static_cast<std::size_t>(first)] = false;
  y(first) = 0;
  return false;
}

}  // namespace

VecX least_squares_signed(const MatX& A, const VecX& b, const VecX& sign) {
  VecX y = VecX::Zero(A.cols());
  std::vector<bool> chosen;
  for (Eigen::Index i = 0; i < A.cols(); ++i) chosen.push_back(sign(i) == 0);
  y = solve_chosen(A, b, chosen);
  const double small = 1e-12 * (1 + b.cwiseAbs().sum());
  for (Eigen::Index round = 0; round < 3 * A.cols(); ++round) {
    // the column along which the sum of squares falls fastest
    const VecX slope = -A.transpose() * (A * y + b);
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < A.cols(); ++i) {
      if (chosen[static_cast<std::size_t>(i)] || sign(i) * slope(i) <= small) continue;
      if (best < 0 || sign(i) * slope(i) > sign(best) * slope(best)) best = i;
    }
    if (best < 0) return y;
    chosen[static_cast<std::size_t>(best)] = true;
    while (!move_within_signs(solve_chosen(A, b, chosen), sign, chosen, y)) {
    }
  }
  return y;
}

namespace {

/// Constraints at one of their bounds, and the sign λ may have there.
struct ActiveRows {
  std::vector<Eigen::Index> rows;
  std::vector<double> signs;
};

ActiveRows active_rows(const Nlp& nlp, const VecX& c, double near) {
  ActiveRows active;
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const double above = c(i) - nlp.c_upper()(i), below = nlp.c_lower()(i) - c(i);
    if (nlp.c_lower()(i) == nlp.c_upper()(i)) {
      active.rows.push_back(i);
      active.signs.push_back(0);
    } else if (above >= -near || below >= -near) {
      active.rows.push_back(i);
      active.signs.push_back(above >= below ? 1 : -1);
    }
  }
  return active;
}

/// 1 where r counts: inside, and at a bound that r pulls away from; 0 where the bound holds it.
VecX counted(const Nlp& nlp, const VecX& x, const VecX& r, double near) {
  VecX out = VecX::Ones(r.size());
  for (Eigen::Index k = 0; k < r.size(); ++k) {
    const bool low = x(k) - nlp.lower()(k) <= near, high = nlp.upper()(k) - x(k) <= near;
    if ((low && r(k) >= 0) || (high && r(k) <= 0)) out(k) = 0;
  }
  return out;
}

/// λ of the active rows: least squares over what the bounds leave, which depends on λ; a few rounds
/// settle it.
VecX multipliers(const Nlp& nlp, const VecX& x, const NlpPoint& point, const ActiveRows& active,
                 double near) {
  const auto m = static_cast<Eigen::Index>(active.rows.size());
  const MatX J = point.c_x(active.rows, Eigen::all);
  const VecX sign = Eigen::Map<const VecX>(active.signs.data(), m);
  VecX lambda = VecX::Zero(m), counts = VecX::Ones(x.size());
  constexpr int kMostRounds = 20;
  for (int round = 0; round < kMostRounds; ++round) {
    const MatX A = counts.asDiagonal() * J.transpose();
    lambda = least_squares_signed(A, counts.cwiseProduct(point.f_x), sign);
    const VecX next = counted(nlp, x, point.f_x + J.transpose() * lambda, near);
    if (next == counts) break;
    counts = next;
  }
  return lambda;
}

}  // namespace

Kkt kkt_of(const Nlp& nlp, const VecX& x, const NlpPoint& point, double near) {
  Kkt out;
  out.lambda = VecX::Zero(point.c.size());
  const ActiveRows active = active_rows(nlp, point.c, near);
  if (!active.rows.empty()) {
    const VecX lambda = multipliers(nlp, x, point, active, near);
    for (std::size_t i = 0; i < active.rows.size(); ++i) {
      const Eigen::Index row = active.rows[i];
      out.lambda(row) = lambda(static_cast<Eigen::Index>(i));
      const double bound = active.signs[i] < 0 ? nlp.c_lower()(row) : nlp.c_upper()(row);
      const double apart = std::abs(point.c(row) - bound);
      out.complementarity = std::max(out.complementarity, std::abs(out.lambda(row)) * apart);
    }
  }
  out.r = point.f_x;
  if (point.c.size()) out.r += point.c_x.transpose() * out.lambda;
  const VecX& r = out.r;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    // [OP-5]; P(x − r) − x itself would round r away where x is large
    const double way = r(k) > 0 ? x(k) - nlp.lower()(k) : nlp.upper()(k) - x(k);
    out.stationarity = std::max(out.stationarity, std::min(std::abs(r(k)), std::max(way, 0.0)));
  }
  // std::max forgets what is no number: nobody knows whether such a point is optimal
  if (!r.allFinite()) out.stationarity = std::numeric_limits<double>::infinity();
  out.z = VecX::Zero(x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const bool low = x(k) - nlp.lower()(k) <= near, high = nlp.upper()(k) - x(k) <= near;
    if ((low && r(k) >= 0) || (high && r(k) <= 0)) out.z(k) = -r(k);
  }
  return out;
}

}  // namespace kinegrad
