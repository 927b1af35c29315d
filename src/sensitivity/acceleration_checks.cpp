// Derivatives of the accelerations of an open chain by recursion ([DA]), at one state.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "kinegrad/assembly/acceleration_partials.hpp"
#include "kinegrad/tree/mass_matrix.hpp"
#include "sensitivity/complex_point.hpp"

namespace kinegrad {

namespace {

/// Accelerations with a step in one number.
MatX slopes(LoadedTree<Complex>& tree, ComplexPoint& x, Part part) {
  TreeState<Complex> state(tree);
  ArticulatedBodies<Complex> articulated(tree.bodies);
  VecXT<Complex> a(x.q.size());
  MatX result(a.size(), (x.*part).size());
  for (Eigen::Index k = 0; k < result.cols(); ++k) {
    x.step(part, k, [&] {
      tree.set(in(x.p));
      accelerations<Complex>(tree, x.t, in(x.q), in(x.v), state, articulated, out(a));
      result.col(k) = slope(a);
    });
  }
  return result;
}

MatX whole_mass(const TreeParameters<double>& tree, const VecX& q) {
  MatX M = MatX::Zero(q.size(), q.size());
  MassMatrixWorkspace<double> workspace(tree);
  mass_matrix(tree, in(q), workspace, M);
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  return M;
}

/// Both sides solve with the mass matrix: its condition times rounding, for some hundred operations in
/// each of some ten joints. Along Euler parameters it is singular.
double allowed_for(const MatX& M) {
  constexpr double kNull = 1e-12;
  const VecX size = M.selfadjointView<Eigen::Upper>().eigenvalues().cwiseAbs();
  const double largest = size.maxCoeff();
  double smallest = largest;
  for (const double x : size) {
    if (x > kNull * largest) smallest = std::min(smallest, x);
  }
  return std::max(kExact, 1000 * std::numeric_limits<double>::epsilon() * largest / smallest);
}

/// a_τ is M⁻¹, across Euler parameters: M a_τ M = M.
DerivativeCheck compare_inverse(const Model& model, std::string what, double allowed,
                                const MatX& a_tau, const MatX& M) {
  const double size = M.cwiseAbs().maxCoeff();
  return compare(std::move(what), "mass matrix", allowed, M * a_tau * M / size, M / size,
                 [&](Eigen::Index i, Eigen::Index k) {
                   return "between " + name_of(model, &ComplexPoint::q, i) + " and " +
                          name_of(model, &ComplexPoint::q, k);
                 });
}

/// ā = 1 for one acceleration after the other: the rows of a_q, a_v, a_τ and a_ρ once more.
struct Rows {
  MatX a_q, a_v, a_tau, a_rho;
};

Rows pulled_back(const CheckPoint& at, AccelerationPartials& partials) {
  const Eigen::Index n = at.x.q.size();
  Rows rows{MatX(n, n), MatX(n, n), MatX(n, n), MatX(n, static_cast<Eigen::Index>(at.rho.size()))};
  for (Eigen::Index i = 0; i < n; ++i) {
    const VecX a_bar = VecX::Unit(n, i);
    VecX q = VecX::Zero(n), v = q, tau = q, p = VecX::Zero(read(at.p).size());
    partials.pullback(in(a_bar), {out(q), out(v), out(tau), out(p)});
    rows.a_q.row(i) = q;
    rows.a_v.row(i) = v;
    rows.a_tau.row(i) = tau;
    rows.a_rho.row(i) = read(pulled_to_rho(at, in(p)));
  }
  return rows;
}

}  // namespace

void check_accelerations(const CheckPoint& at, ReferencePoint point,
                         std::vector<DerivativeCheck>& out) {
  const Model& model = at.model;
  const bool open_chain = model.natural().empty() && model.constraint_rows().empty();
  if (!open_chain || model.nq() == 0) return;
  LoadedTree<double> tree(model, point);
  tree.set(at.p);
  TreeState<double> state(tree);
  ArticulatedBodies<double> articulated(tree.bodies);
  LinearizedTree linearized(tree.bodies, state.motion);
  LinearizedForces forces(tree, state);
  AccelerationPartials partials(linearized, forces, articulated);
  VecX a(model.nq());
  accelerations(tree, at.x.t, in(at.x.q), in(at.x.v), state, articulated, kinegrad::out(a));
  partials.linearize(at.x.t, in(at.x.q), in(at.x.v), in(a));
  const MatX a_x = partials.matrices();
  const Rows rows = pulled_back(at, partials);
  const MatX M = whole_mass(tree.bodies, at.x.q);
  const double allowed = allowed_for(M);

  LoadedTree<Complex> complex_tree(model, point);
  ComplexPoint x(at);
  const Eigen::Index n = model.nq();
  const std::string what = "accelerations, ", pulled = " pulled back";
  const auto add = [&](const std::string& name, const MatX& actual, const MatX& expected,
                       Part part) {
    out.push_back(
        compare(what + name, kComplex, allowed, actual, expected, by(model, part, "acceleration")));
  };
  const MatX a_q = slopes(complex_tree, x, &ComplexPoint::q);
  add("a_q", a_x.leftCols(n), a_q, &ComplexPoint::q);
  add("a_q" + pulled, rows.a_q, a_q, &ComplexPoint::q);
  const MatX a_v = slopes(complex_tree, x, &ComplexPoint::v);
  add("a_v", a_x.middleCols(n, n), a_v, &ComplexPoint::v);
  add("a_v" + pulled, rows.a_v, a_v, &ComplexPoint::v);
  const auto add_forces = [&](const std::string& name, const MatX& a_tau) {
    out.push_back(compare_inverse(model, what + name, allowed, a_tau, M));
  };
  add_forces("a_tau", a_x.rightCols(n));
  add_forces("a_tau" + pulled, rows.a_tau);
  if (at.rho.empty()) return;
  add("by parameters", rows.a_rho, slopes(complex_tree, x, &ComplexPoint::rho), &ComplexPoint::rho);
}

}  // namespace kinegrad
