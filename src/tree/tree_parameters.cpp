#include "kinegrad/tree/tree_parameters.hpp"

#include <algorithm>

namespace kinegrad {

namespace {

int first_euler_parameter(const JointModel& joint) {
  const auto coordinates = joint.coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    if (coordinates[c].kind == CoordinateKind::kEulerParameter) return static_cast<int>(c);
  }
  return -1;
}

}  // namespace

std::vector<int> euler_sets_of(const Model& model) {
  std::vector<int> sets;
  for (const TreeNode& node : model.topology().nodes) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    const int first = first_euler_parameter(*joint.type);
    if (first >= 0) sets.push_back(joint.q_first + first);
  }
  return sets;
}

template <Scalar T>
TreeParameters<T>::TreeParameters(const Model& of, ReferencePoint at, TriadInertia inertia)
    : model(of),
      point(at),
      p(static_cast<std::size_t>(of.design_map().physical_count())),
      nodes(of.topology().nodes.size()),
      node_of_body(of.bodies().size(), -1),
      X_MB(nodes.size()),
      run_start(nodes.size()) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const TreeNode& tree_node = model.topology().nodes[k];
    node_of_body[static_cast<std::size_t>(tree_node.body)] = static_cast<int>(k);
    const Joint& joint = model.joints()[static_cast<std::size_t>(tree_node.joint)];
    TreeBody<T>& node = nodes[k];
    node.parent = node_of(tree_node.parent);
    node.q = joint.q_first;
    node.nq = joint.type->nq();
    node.auxiliary = model.bodies()[static_cast<std::size_t>(tree_node.body)].auxiliary;
    node.joint = tree_node.reversed ? &joint.type->reversed() : joint.type;
    node.euler = first_euler_parameter(*joint.type);
    node.elsewhere = inertia == TriadInertia::kElsewhere && joint.type->carries_natural();
    // walked backwards, such a joint is itself with z reversed (set())
    node.simple = joint.type->simple_motion();
    const bool straight = node.parent == static_cast<int>(k) - 1 && k > 0;
    run_start[k] = straight ? run_start[k - 1] : static_cast<int>(k);
    if (straight) {
      nodes[k - 1].run = true;
    } else if (node.parent >= 0) {
      nodes[static_cast<std::size_t>(node.parent)].fork = true;
    }
  }
}

template <Scalar T>
void TreeParameters<T>::set(std::span<const T> from) {
  std::copy(from.begin(), from.end(), p.begin());
  const std::span<const T> numbers(p);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const TreeNode& tree_node = model.topology().nodes[k];
    const Joint& joint = model.joints()[static_cast<std::size_t>(tree_node.joint)];
    const Body& body = model.bodies()[static_cast<std::size_t>(tree_node.body)];
    TreeBody<T>& node = nodes[k];
    Pose<T> X_PF = frame_at(numbers, tree_node.reversed ? joint.M : joint.F);
    Pose<T> X_BM = frame_at(numbers, tree_node.reversed ? joint.F : joint.M);
    if (tree_node.reversed && !node.general()) {
      // R_x(π) on both sides: R_z(−q) becomes R_z(q) and −q z becomes q z
      X_PF.R.template rightCols<2>() *= T(-1);
      X_BM.R.template rightCols<2>() *= T(-1);
    }
    const Pose<T> X_MF =
        node.parent < 0 ? X_PF : X_MB[static_cast<std::size_t>(node.parent)] * X_PF;
    node.R_PF = X_MF.R;
    node.p_PF = X_MF.p;
    node.p_CF = X_MF.p;
    if (node.parent >= 0) node.p_CF -= nodes[static_cast<std::size_t>(node.parent)].c;
    node.mass = numbers[static_cast<std::size_t>(body.mass.mass)];
    node.m = node.elsewhere ? T(0) : node.mass;
    node.c = X_BM.inverse() * vector_at(numbers, body.mass.com);
    const Mat3T<T> RJ = X_BM.R.transpose() * inertia_at(numbers, body.mass.inertia);
    node.J = RJ * X_BM.R;
    if (node.elsewhere) node.J.setConstant(T(0));
    X_MB[k] = X_BM.inverse();
  }
}

template <Scalar T>
BodyPlace<T> TreeParameters<T>::place(int vector) const {
  const BodyVector& v = model.vectors()[static_cast<std::size_t>(vector)];
  const int k = node_of(v.body);
  const Vec3T<T> c = vector_at(std::span<const T>(p), v.first);
  if (k < 0) return {k, c};
  const Pose<T>& X = X_MB[static_cast<std::size_t>(k)];
  return {k, v.is_point ? X * c : (X.R * c).eval()};
}

template <Scalar T>
BodyFrame<T> TreeParameters<T>::frame(int body, FrameBlock block) const {
  const int k = node_of(body);
  const Pose<T> X = frame_at(std::span<const T>(p), block);
  return {k, k < 0 ? X : X_MB[static_cast<std::size_t>(k)] * X};
}

template struct TreeParameters<double>;
template struct TreeParameters<Complex>;

}  // namespace kinegrad
