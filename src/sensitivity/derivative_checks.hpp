// What the parts of the derivative checker share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/sensitivity/derivative_checker.hpp"

namespace kinegrad {

/// Exact derivatives differ by rounding, extrapolated differences by what they lose themselves.
inline constexpr double kExact = 1e-10, kDifferences = 1e-6;

/// Names of an entry's row and column.
using EntryName = std::function<std::string(Eigen::Index row, Eigen::Index column)>;

/// Compares blocks, relative to the size of the second but not below 1.
DerivativeCheck compare(std::string what, std::string against, double allowed, const MatX& actual,
                        const MatX& expected, const EntryName& name);

/// Where things are compared: a state at parameters ρ, p = P(ρ).
struct CheckPoint {
  const Model& model;
  std::vector<double> rho, p;
  StepState<double> x;
};

void check_joints(const CheckPoint& at, std::vector<DerivativeCheck>& out);
void check_forces(const CheckPoint& at, std::vector<DerivativeCheck>& out);
void check_system(const CheckPoint& at, ReferencePoint point, std::vector<DerivativeCheck>& out);
/// Of models without rows, in coordinates of a tree.
void check_accelerations(const CheckPoint& at, ReferencePoint point,
                         std::vector<DerivativeCheck>& out);
void check_objectives(const CheckPoint& at, std::vector<DerivativeCheck>& out);

}  // namespace kinegrad
