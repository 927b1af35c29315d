// A state on complex numbers, for steps in one of them, and names of the numbers.
#pragma once

#include <string>
#include <vector>

#include "kinegrad/math/views.hpp"
#include "sensitivity/derivative_checks.hpp"

namespace kinegrad {

/// Everything a state consists of: q, v, a, λ, ρ, and p of them.
class ComplexPoint {
 public:
  explicit ComplexPoint(const CheckPoint& at);

  /// Calls `visit` with a step in one number of a part.
  template <typename Visit>
  void step(VecXT<Complex> ComplexPoint::*part, Eigen::Index k, const Visit& visit) {
    Complex& x = (this->*part)(k);
    const Complex here = x;
    x += Complex(0, kComplexStep);
    if (part == &ComplexPoint::rho) update();
    visit();
    x = here;
    if (part == &ComplexPoint::rho) update();
  }

 private:
  void update() { model_.design_map().evaluate<Complex>(in(rho), out(p), work_); }
  const Model& model_;

 public:
  VecXT<Complex> q, v, a, lambda, rho, p;
  double t;

 private:
  DesignMap::Workspace<Complex> work_;
};

using Part = VecXT<Complex> ComplexPoint::*;

inline constexpr const char* kComplex = "complex step";

/// The derivative that a result of a step carries.
VecX slope(const VecXT<Complex>& y);
/// ρ̄ from p̄.
std::vector<double> pulled_to_rho(const CheckPoint& at, std::span<const double> p_bar);
/// "A.q", "the speed of A.q", "L".
std::string name_of(const Model& model, Part part, Eigen::Index k);
/// "equation 2 by A.q".
EntryName by(const Model& model, Part part, std::string row);

}  // namespace kinegrad
