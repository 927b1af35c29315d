#include "simulation/rest_linearization.hpp"

namespace kinegrad {

RestLinearization::RestLinearization(const RestEquations& at)
    : K_(at.K()), equations_(at.equations()) {
  const MatX& Z = equations_.null_space();
  if (Z.cols() > 0) reduced_.compute(Z.transpose() * K_ * Z);
}

VecX RestLinearization::solve(const VecX& g, const VecX& b) const {
  const MatX& Z = equations_.null_space();
  VecX y = equations_.correction(b);
  if (Z.cols() > 0) y -= Z * reduced_.solve(Z.transpose() * (g + K_ * y));
  return y;
}

RestLinearization::Cotangent RestLinearization::solve_transposed(const VecX& y_bar) const {
  const MatX& Z = equations_.null_space();
  Cotangent out{VecX::Zero(y_bar.size()), {}};
  if (Z.cols() > 0) {
    const VecX along = Z.transpose() * y_bar;
    const VecX u = reduced_.transpose().solve(along);
    out.g = -(Z * u);
  }
  out.b = equations_.correction_transposed(y_bar + K_.transpose() * out.g);
  return out;
}

}  // namespace kinegrad
