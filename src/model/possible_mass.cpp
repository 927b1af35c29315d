#include "kinegrad/model/possible_mass.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace kinegrad {

std::string mass_refusal(double m) {
  if (!std::isfinite(m)) return "the mass is not finite";
  return m < 0 ? fmt::format("the mass is negative ({:.6g} kg)", m) : "";
}

std::string inertia_refusal(const Mat3& J) {
  if (!J.allFinite()) return "the inertia is not finite";
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  if (!moments.allFinite()) return "the inertia is not finite";
  const auto text = [&] {
    return fmt::format(
        " (principal moments {:.6g}, {:.6g}, {:.6g} kg m^2 about the centre of mass)", moments(0),
        moments(1), moments(2));
  };
  constexpr double kRounding = 1e-6;
  const double slack = kRounding * moments.cwiseAbs().maxCoeff();
  if (moments(0) < -slack) return "impossible inertia: a negative moment" + text();
  if (moments(2) > moments(0) + moments(1) + slack) {
    return "impossible inertia: the largest moment exceeds the sum of the other two" + text();
  }
  return {};
}

}  // namespace kinegrad
