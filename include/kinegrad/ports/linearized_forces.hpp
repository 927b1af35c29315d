// Applied forces linearised at one state, and the derivatives of the residual of a tree with them
// (docs/theory/dynamics.md, docs/theory/ports.md). Each derivative bears the name of what it differentiates:
//
//   residual()    residual_matrices(): r_q, r_v, r_a    residual_pullback(): wᵀr_q, …, wᵀr_p   [DP-3], [DP-4]
//                 residual_tangent(): r_p dp, r_q dq + r_v dv                                  [TG-6]
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/tree/residual_matrices.hpp"
#include "kinegrad/tree/residual_pullback.hpp"
#include "kinegrad/tree/residual_tangent.hpp"

namespace kinegrad {

/// Cotangent of a number that a force tells of itself.
struct ForceSignalBar {
  int force = 0, which = 0;
  double bar = 0;
};

/// Nothing is allocated after construction.
struct LinearizedForces {
  struct Varying {  // what a force's varying attributes read
    std::vector<OutputReads> reads;
    VecX by_attribute;  // by columns of the port
  };

  /// Of a tree at a state that must stay; both must outlive the value.
  LinearizedForces(const LoadedTree<double>& tree, const TreeState<double>& x);

  AttributeVector<double> attributes_of(std::size_t force) const {
    return attributes(tree, x, tree.model().forces()[force]);
  }

  const LoadedTree<double>& tree;
  const TreeState<double>& x;
  std::vector<std::unique_ptr<PortPartials>> ports;  ///< by force
  ForceExpressionPartials expressions;
  std::vector<Varying> varying;  ///< by force
  VecX by_q, by_v;               ///< gradient of one varying attribute
  std::vector<AttributeVector<double>> changes;  ///< by force, zero between directions
};

/// A state of residual(t, q, v, a): bodies, then the forces on them.
void linearize(double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> a, LinearizedTree& L, LinearizedForces& forces);
/// Adds the applied forces on coordinates.
void add_joint_forces(const LinearizedForces& forces, VecX& tau);

/// Adds the parts of r_q and r_v that come from applied forces; without `exact` geometric stiffness is
/// left out: the cheaper Newton matrix K, C of [N-3].
template <typename Matrix>
void add_force_matrices(const LinearizedTree& L, LinearizedForces& forces, bool exact, Matrix& r_q,
                        Matrix& r_v);
/// r_q, r_v and r_a = M, exact: as full n × n matrices, or in patterns with all that
/// add_residual_pattern() says.
template <typename Matrix>
void residual_matrices(const LinearizedTree& L, LinearizedForces& forces, CompositeBodies& beyond,
                       Matrix& r_q, Matrix& r_v, Matrix& r_a);
/// Adds the entries that M can have, and those of r_q and r_v: a coordinate with its ancestors, and
/// with what a force connects them to.
void add_residual_pattern(const LinearizedForces& forces, PatternBuilder& mass,
                          PatternBuilder& equations);

/// Between begin_pullback() and finish_pullback(): adds −ẋ_w·e of the ports with their variables, attributes
/// and points, and uniform fields. Without w, those on bodies.
void pull_forces(LinearizedTree& L, LinearizedForces& forces, std::span<const double> w,
                 const ResidualCotangent& out);
/// The cotangent of the attributes of uniform fields, `weight` that of −g.
void pull_field(const LinearizedForces& forces, const Vec3& weight, std::span<double> p_bar);
/// Adds weight times the potential energy [SG-5].
void pull_potential_energy(LinearizedTree& L, LinearizedForces& forces, double weight,
                           const ResidualCotangent& out);
/// Adds what forces tell of themselves, weighted [SG-9].
void pull_force_signals(LinearizedTree& L, LinearizedForces& forces,
                        std::span<const ForceSignalBar> bars, const ResidualCotangent& out);
/// q̄ += r_qᵀw, v̄ += r_vᵀw, ā += r_aᵀw, p̄ += r_pᵀw in O(n) [DP-4].
void residual_pullback(LinearizedTree& L, LinearizedForces& forces, std::span<const double> w,
                       const ResidualCotangent& out);

/// Between begin_tangent() and finish_tangent(): adds what ports do to bodies, and to dr what they do to
/// coordinates.
void add_port_tangents(const LinearizedTree& L, LinearizedForces& forces, TreeTangent& x,
                       Eigen::Ref<VecX> dr);
/// dr += ∂r along the direction, `beyond` as sum_forces() gives it [TG-6].
void residual_tangent(const LinearizedTree& L, LinearizedForces& forces, const ForcesBeyond& beyond,
                      const ParameterDirection& direction, TreeTangent& x, Eigen::Ref<VecX> dr);

}  // namespace kinegrad
