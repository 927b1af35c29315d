// Trees with forces, and the mass matrix that their accelerations are solved with.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "kinegrad/model/compile.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"
#include "support/moving_tree.hpp"
#include "support/sample_models.hpp"

namespace kinegrad::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr ReferencePoint kBothPoints[] = {ReferencePoint::kCom, ReferencePoint::kOrigin};

inline std::span<const double> view(const VecX& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline Eigen::Map<const VecX> map(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// n numbers that show if they were not written.
inline std::vector<double> poisoned(int n) { return std::vector<double>(std::size_t(n), kNaN); }

/// A bushing with full matrices; its frames are given in the initial configuration.
inline ForceSpec sample_bushing(const std::string& name, const std::string& first,
                                const std::string& second) {
  ForceSpec out;
  out.name = name;
  out.type = "bushing";
  out.frames.bodies = {NameSpec(first), NameSpec(second)};
  out.frames.point = VectorSpec("a", 0.2, "b*c");
  out.frames.axis = VectorSpec(0.6, 0.0, 0.8);
  for (int i = 0; i < 36; ++i) {
    const bool diagonal = i % 7 == 0;
    out.matrices["stiffness"].push_back(diagonal ? NumberSpec("20*a") : NumberSpec(0.1 * (i % 5)));
    out.matrices["damping"].push_back(diagonal ? NumberSpec("2*b") : NumberSpec(0.05 * (i % 4)));
  }
  out.vectors["force"] = VectorSpec("a", 1.0, -0.5);
  out.vectors["torque"] = VectorSpec(0.2, "c", 0.1);
  return out;
}

/// random_tree() with gravity, a spring between the first and the last body, one from the second
/// body to the ground, a torsional spring in every revolute joint, and for half
/// of the seeds bushings between bodies and to the ground; attributes and geometry depend on the
/// parameters a, b, c. Two bodies at least.
inline ModelDescription loaded_tree(unsigned seed, int bodies) {
  ModelDescription d = random_tree(seed, bodies);
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.3, "-9*a", 1.0);
  d.forces.push_back(weight);
  ForceSpec spring;
  spring.name = "spring";
  spring.type = "spring-damper";
  spring.points = {"B1.P", NameSpec("B" + std::to_string(bodies) + ".P")};
  spring.numbers["stiffness"] = "20*b";
  spring.numbers["damping"] = "3*a";
  spring.numbers["length"] = "c + 1";
  d.forces.push_back(spring);
  d.points.push_back({"O", VectorSpec("b", 0.3, 1.0), {}});
  spring.name = "stay";
  spring.points = {"O", "B2.P"};
  d.forces.push_back(spring);
  if (seed % 2 == 0) {
    d.forces.push_back(sample_bushing("mount", "B1", "B" + std::to_string(bodies)));
    d.forces.push_back(sample_bushing("foot", "ground", "B2"));
    d.forces.push_back(sample_bushing("hand", "B2", "ground"));
  }
  for (const JointSpec& joint : d.joints) {
    if (joint.type.name != "revolute") continue;
    ForceSpec coil;
    coil.name = "coil_" + joint.name;
    coil.type = "torsional-spring-damper";
    coil.joint = NameSpec(joint.name);
    coil.numbers["stiffness"] = "5*a";
    coil.numbers["damping"] = "b";
    coil.numbers["angle"] = "c";
    d.forces.push_back(coil);
  }
  return d;
}

/// The whole of M(q), from its upper triangle.
inline MatX full_mass(MovingTree<double>& dynamics, std::span<const double> q) {
  MatX M = MatX::Constant(dynamics.nq(), dynamics.nq(), kNaN);
  dynamics.mass_matrix(q, M);
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  return M;
}

/// M + Σ κ p pᵀ, κ the trace of the block of M [FO-1].
inline MatX completed_mass(MovingTree<double>& dynamics, std::span<const double> q) {
  MatX M = full_mass(dynamics, q);
  for (int first : euler_sets_of(dynamics.model())) {
    const Eigen::Map<const Vec<double, 4>> p(q.data() + first);
    const double kappa = M.block<4, 4>(first, first).trace();
    M.block<4, 4>(first, first) += kappa * p * p.transpose();
  }
  return M;
}

/// Largest distance of a body's frame or centre of mass from the world origin.
inline double reach(const Model& model, const SampleState& s) {
  SignalEvaluator<double> kinematics(model);
  kinematics.evaluate(s.p, 0, s.q, s.v, s.a);
  double largest = 0;
  for (const Pose<double>& X : kinematics.position().X_WB) largest = std::max(largest, X.p.norm());
  return largest + 1;  // centres of mass are within 1 m or so of the frames
}

inline std::vector<Complex> complexified(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

/// Distance over the size of what is expected, infinite where something is not a number.
inline double relative(const MatX& actual, const MatX& expected) {
  const double error = (actual - expected).norm() / std::max(1.0, expected.norm());
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// check(model, state, name) of trees with forces: the example with all joints, then random ones.
template <typename Check>
void for_loaded_trees(unsigned seed, const Check& check) {
  std::mt19937_64 rng(seed);
  const Model all = example("all_joints");
  for (int k = 0; k < 5; ++k) check(all, random_state(all, rng), "all joints");
  for (unsigned tree = 500; tree < 540; ++tree) {
    const Model model = compile_model(loaded_tree(tree, 2 + int(tree % 9)));
    if (model.nq() == 0) continue;
    check(model, random_state(model, rng), "seed " + std::to_string(tree));
  }
}

}  // namespace kinegrad::test
