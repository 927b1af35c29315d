// The port on a joint coordinate (docs/theory/ports.md): x is the coordinate, e the generalised force on it.
#include "ports/kinds.hpp"

namespace kinegrad {

namespace {

/// The rate of a state is no force: the body that carries it has no energy [OS-1].
template <Scalar T>
bool moves_a_state(const TreeParameters<T>& tree, const Joint& joint) {
  const int second = tree.node_of(joint.body2);
  const TreeBody<T>& node = tree.node(second >= 0 ? second : tree.node_of(joint.body1));
  return node.auxiliary && real_part(node.J(2, 2)) != 0;
}

template <Scalar T>
class JointCoordinatePort final : public SinglePort<T> {
 public:
  explicit JointCoordinatePort(const Force& force) : SinglePort<T>(force) {}

  void place(const TreeParameters<T>& tree) override {
    const Joint& joint = tree.model.joints()[static_cast<std::size_t>(this->force().joint)];
    coordinate_ = joint.q_first + this->force().coordinate;
    works_ = !moves_a_state(tree, joint);
  }
  PortState<T> state(const PortSite<T>& site) const override {
    const auto i = static_cast<std::size_t>(coordinate_);
    PortState<T> out{PortVector<T>(1), PortVector<T>(1), site.t};
    out.x(0) = site.motion.q[i];
    out.xdot(0) = site.motion.v[i];
    return out;
  }
  void load(const PortSite<T>&, const PortVector<T>& effort, TreeLoads<T>& loads) const override {
    loads.tau(coordinate_) += effort(0);
  }
  double power(const PortSite<T>& site, const AttributeVector<double>& p) const override {
    return works_ ? SinglePort<T>::power(site, p) : 0.0;
  }
  std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const override;

 private:
  int coordinate_ = -1;
  bool works_ = true;
};

class JointCoordinatePartials final : public SinglePartials<1> {
 public:
  JointCoordinatePartials(const SinglePort<double>& port, const TreeParameters<double>& tree,
                          int coordinate)
      : SinglePartials<1>(port, tree, {coordinate}),
        coordinate_(static_cast<std::size_t>(coordinate)) {
    J_.setOnes();
    Jdot_.setZero();
  }
  bool diagonal() const override { return states_.empty(); }
  void add_joint_forces(VecX& tau) const override {
    tau(columns_.front()) += effort_(0);
    SinglePartials<1>::add_joint_forces(tau);
  }

 protected:
  void load(const Site&, TreeLinearization&) const override {}
  void jacobian(const Site&, const ColumnView&) override {}
  /// No part of a motion of the bodies alone.
  Vector weight_rate(const Site&, const TreeLinearization&, std::span<const double> w,
                     const TreeCotangent&) const override {
    return Vector(w.empty() ? 0.0 : w[coordinate_]);
  }
  void accumulate(const Site&, const TreeLinearization&, const Vector& x_bar,
                  const Vector& xdot_bar, TreeCotangent&,
                  const ResidualCotangent& out) const override {
    if (out.q.empty()) return;
    out.q[coordinate_] += x_bar(0);
    out.v[coordinate_] += xdot_bar(0);
  }
  /// Parameters alone do not move a coordinate.
  void variables_tangent(const Site&, const TreeLinearization&,
                         const TreeDisplacement& displacement, Vector& dx,
                         Vector& dxdot) const override {
    const ParameterDirection& direction = *displacement.direction;
    dx(0) = direction.of_state ? direction.dq[coordinate_] : 0.0;
    dxdot(0) = direction.of_state ? direction.dv[coordinate_] : 0.0;
  }
  void apply_tangent(const Site&, const TreeLinearization&, const TreeDisplacement&,
                     const Vector& de, TreeWrenches&, Eigen::Ref<VecX> dr) const override {
    dr(columns_.front()) -= de(0);
  }

 private:
  std::size_t coordinate_;
};

template <Scalar T>
std::unique_ptr<PortPartials> JointCoordinatePort<T>::partials(
    const TreeParameters<T>& tree) const {
  if constexpr (std::is_same_v<T, double>) {
    const Joint& joint = tree.model.joints()[static_cast<std::size_t>(this->force().joint)];
    return std::make_unique<JointCoordinatePartials>(*this, tree,
                                                     joint.q_first + this->force().coordinate);
  } else {
    return nullptr;
  }
}

}  // namespace

template <Scalar T>
std::unique_ptr<Port<T>> make_joint_coordinate_port(const Force& force) {
  return std::make_unique<JointCoordinatePort<T>>(force);
}
template std::unique_ptr<Port<double>> make_joint_coordinate_port(const Force&);
template std::unique_ptr<Port<Complex>> make_joint_coordinate_port(const Force&);

}  // namespace kinegrad
