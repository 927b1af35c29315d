#include "kinegrad/tree/mass_matrix.hpp"

#include "tree/motion_sweep.hpp"

namespace kinegrad {

namespace {

/// Where the first body of the tree is: the origin of its frame M.
template <Scalar T>
Vec3T<T> first_place(const TreeParameters<T>& tree, std::span<const T> q) {
  const TreeBody<T>& node = tree.nodes[0];
  if (node.simple == SimpleMotion::kTurn) return node.p_PF;
  if (node.simple == SimpleMotion::kShift) {
    return node.p_PF + node.R_PF.col(2) * q[static_cast<std::size_t>(node.q)];
  }
  const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
  return node.p_PF + node.R_PF * node.joint->pose(qj).p;
}

}  // namespace

template <Scalar T>
void mass_matrix(const TreeParameters<T>& tree, std::span<const T> q,
                 MassMatrixWorkspace<T>& workspace,
                 Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& M) {
  TreeMotion<T>& motion = workspace.motion;
  std::vector<RigidInertia<T>>& composite = workspace.composite;
  Vec3T<T> ground = Vec3T<T>::Constant(T(0));
  if (tree.point == ReferencePoint::kCom && !tree.nodes.empty()) ground = -first_place(tree, q);
  sweep_motion<ReferencePoint::kOrigin, false>(tree, q, {}, ground, motion);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) composite[k] = motion.bodies[k].I;
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const int parent = tree.nodes[k].parent;
    if (parent >= 0) composite[static_cast<std::size_t>(parent)] += composite[k];
  }
  M.template triangularView<Eigen::Upper>().setZero();
  workspace.S_rows = motion.S.transpose();
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Twist<T> F = composite[k] * motion.S.col(i);
      for (int b = 0; b <= c; ++b) M(node.q + b, i) = la::dot(motion.S.col(node.q + b), F);
      // straight runs of ancestors have contiguous columns
      for (int j = node.parent; j >= 0;) {
        const TreeBody<T>& last = tree.node(j);
        const TreeBody<T>& first = tree.node(tree.run_start[static_cast<std::size_t>(j)]);
        const int length = last.q + last.nq - first.q;
        M.col(i).segment(first.q, length).noalias() =
            workspace.S_rows.middleRows(first.q, length).lazyProduct(F);
        j = first.parent;
      }
    }
  }
}

template void mass_matrix(const TreeParameters<double>&, std::span<const double>,
                          MassMatrixWorkspace<double>&, MatX&);
template void mass_matrix(const TreeParameters<Complex>&, std::span<const Complex>,
                          MassMatrixWorkspace<Complex>&,
                          Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>&);

}  // namespace kinegrad
