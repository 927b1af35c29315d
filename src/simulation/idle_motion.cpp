#include "kinegrad/simulation/idle_motion.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// The equations of [IM-1], each of the size of its largest entry.
MatX equations(MechanicalSystem<double>& system, double t, const VecX& q) {
  const Eigen::Index n = q.size();
  const auto sets = system.euler_sets();
  system.place(t, in(q));
  MatX K = MatX::Zero(n + system.rows() + static_cast<Eigen::Index>(sets.size()), n);
  SparseUpper<double> M = system.pattern();
  system.mass_matrix(M);
  for (int j = 0; j < M.size(); ++j) {
    const auto first = static_cast<std::size_t>(M.start[static_cast<std::size_t>(j)]);
    const auto end = static_cast<std::size_t>(M.start[static_cast<std::size_t>(j) + 1]);
    for (std::size_t k = first; k < end; ++k) K(M.row[k], j) = K(j, M.row[k]) = M.value[k];
  }
  VecX row(n);
  for (int i = 0; i < system.rows(); ++i) {
    row.setZero();
    system.Phi_q().add_row(i, 1, out(row));
    K.row(n + i) = row.transpose();
  }
  Eigen::Index next = n + system.rows();
  for (const int first : sets) K.row(next++).segment<4>(first) = q.segment<4>(first).transpose();
  // units of mass and of inertia, and small links beside large ones, are no reason for an idle motion
  constexpr double kNothing = 1e-14;
  const double largest = K.topRows(n).cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    const double size = K.row(i).cwiseAbs().maxCoeff();
    if (size > (i < n ? kNothing * largest : 0)) {
      K.row(i) /= size;
    } else {
      K.row(i).setZero();
    }
  }
  return K;
}

/// The body that coordinate i moves relative to what carries it.
int body_of(const Model& model, int i) {
  int tree = i;
  for (const NaturalElement& element : model.natural().elements) {
    if (element.first < 0 || i < element.first || i >= element.first + 3) continue;
    return model.natural().bodies[static_cast<std::size_t>(element.owner)].body;
  }
  for (const NaturalBasis::Copied& copied : model.natural().copied) {
    if (i >= copied.first && i < copied.first + copied.count) tree = copied.tree + i - copied.first;
  }
  for (const TreeNode& node : model.topology().nodes) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    if (tree >= joint.q_first && tree < joint.q_first + joint.type->nq()) return node.body;
  }
  return -1;
}

}  // namespace

std::string idle_motion(const Model& model, MechanicalSystem<double>& system, double t,
                        const VecX& q) {
  constexpr Eigen::Index kMost = 300;  // coordinates: a fraction of a second
  if (q.size() > kMost || !q.allFinite()) return {};
  const MatX K = equations(system, t, q);
  if (!K.allFinite()) return {};
  Eigen::FullPivLU<MatX> lu(K);
  constexpr double kRank = 1e-11;  // rounding of products of a few hundred terms
  lu.setThreshold(kRank);
  if (lu.rank() == q.size()) return {};
  const MatX idle = lu.kernel();
  std::vector<std::string> bodies;
  for (Eigen::Index k = 0; k < idle.cols(); ++k) {
    Eigen::Index worst = 0;
    idle.col(k).cwiseAbs().maxCoeff(&worst);
    const int body = body_of(model, static_cast<int>(worst));
    if (body <= 0 || model.bodies()[static_cast<std::size_t>(body)].auxiliary) continue;
    const std::string& name = model.bodies()[static_cast<std::size_t>(body)].name;
    if (std::find(bodies.begin(), bodies.end(), name) == bodies.end()) bodies.push_back(name);
  }
  if (bodies.empty()) return {};
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t k = 0; k < std::min(kShown, bodies.size()); ++k) {
    names += (k ? ", \"" : "\"") + bodies[k] + "\"";
  }
  if (bodies.size() > kShown) names += " and others";
  return ": body " + names +
         " can move, and has no mass or inertia that resists: give it some, or a joint that does "
         "not "
         "let it move so (a point mass cannot turn: cartesian, prismatic)";
}

}  // namespace kinegrad
