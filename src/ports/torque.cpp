// The port on a body (docs/theory/ports.md): no position, ẋ = ω of the body, and a torque e on it, in world
// axes or in the body's.
#include "ports/kinds.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

namespace {

template <Scalar T>
class TorquePort final : public SinglePort<T> {
 public:
  explicit TorquePort(const Force& force) : SinglePort<T>(force) {}

  void place(const TreeParameters<T>& tree) override { node_ = tree.node_of(this->force().body); }
  PortState<T> state(const PortSite<T>& site) const override {
    const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
    return {zero, node_ < 0 ? zero : Vec3T<T>(site.motion.body(node_).V.template head<3>()),
            site.t};
  }
  Mat3T<T> axes(const PortSite<T>& site) const override {
    return body_rotation(site.tree, site.motion, node_);
  }
  void load(const PortSite<T>&, const PortVector<T>& effort, TreeLoads<T>& loads) const override {
    loads.add_torque(node_, effort);
  }
  std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const override;

 private:
  int node_ = -1;
};

class TorquePartials final : public SinglePartials<3> {
 public:
  TorquePartials(const SinglePort<double>& port, const TreeParameters<double>& tree, int node)
      : SinglePartials<3>(port, tree, columns_of(tree, std::array{node})), node_(node) {}

 protected:
  void load(const Site&, TreeLinearization& at) const override {
    if (node_ >= 0) at.bodies[static_cast<std::size_t>(node_)].f.head<3>() -= effort_;
  }
  /// ∂ω/∂v = w, ∂ω/∂q = ẇ + w×ω.
  void jacobian(const Site& site, const ColumnView& view) override {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      const Vec3 w = view.S.col(columns_[c]).head<3>(), omega = site.motion.body(node_).V.head<3>();
      J_.col(i) = w;
      if (view.Sdot) Jdot_.col(i) = view.Sdot->col(columns_[c]).head<3>() + cross(w, omega);
    }
  }
  /// A torque in world axes does not turn with the body [DP-5].
  void add_turning(const Site&, const TreeLinearization&, MatX& r_q) override {
    if (port_.force().in_body_axes) return;
    for (Eigen::Index j = 0; j < J_.cols(); ++j) {
      const Vec3 turned = cross(J_.col(j), effort_);
      for (Eigen::Index i = 0; i < J_.cols(); ++i) r_q(i, j) += dot(J_.col(i), turned);
    }
  }
  Vec3 weight_rate(const Site&, const TreeLinearization&, std::span<const double>,
                   const TreeCotangent& sums) const override {
    return node_ < 0 ? Vec3(Vec3::Zero()) : Vec3(sums.weight(node_).head<3>());
  }
  void accumulate(const Site&, const TreeLinearization& at, const Vec3&, const Vec3& xdot_bar,
                  TreeCotangent& sums, const ResidualCotangent&) const override {
    if (node_ < 0) return;
    const Vec3 omega = at.body(node_).V.head<3>();
    sums.at(node_).z.head<3>() += xdot_bar;
    sums.at(node_).g.head<3>() += cross(omega, xdot_bar);
  }
  void accumulate_turning(const Site&, const TreeLinearization&, TreeCotangent& sums,
                          const ResidualCotangent&) const override {
    if (node_ < 0 || port_.force().in_body_axes) return;
    const Vec3 turn = sums.weight(node_).head<3>();
    sums.at(node_).g.head<3>() += cross(effort_, turn);
  }
  void variables_tangent(const Site&, const TreeLinearization& at,
                         const TreeDisplacement& displacement, Vec3& dx,
                         Vec3& dxdot) const override {
    dx = dxdot = Vec3::Zero();
    if (!displacement.moves(node_)) return;
    const BodyDisplacement& d = displacement.of(node_);
    const Vec3 omega = at.body(node_).V.head<3>();
    dxdot = d.Xdot.w.vector() + displacement.turned(node_, omega);
  }
  void apply_tangent(const Site&, const TreeLinearization&, const TreeDisplacement& displacement,
                     const Vec3& de, TreeWrenches& wrenches, Eigen::Ref<VecX>) const override {
    const Vec3 turned =
        port_.force().in_body_axes ? Vec3(Vec3::Zero()) : displacement.turned(node_, effort_);
    wrenches.add_moment(node_, turned - de);
  }

 private:
  int node_;
};

template <Scalar T>
std::unique_ptr<PortPartials> TorquePort<T>::partials(const TreeParameters<T>& tree) const {
  if constexpr (std::is_same_v<T, double>) {
    return std::make_unique<TorquePartials>(*this, tree, tree.node_of(this->force().body));
  } else {
    return nullptr;
  }
}

}  // namespace

template <Scalar T>
std::unique_ptr<Port<T>> make_torque_port(const Force& force) {
  return std::make_unique<TorquePort<T>>(force);
}
template std::unique_ptr<Port<double>> make_torque_port(const Force&);
template std::unique_ptr<Port<Complex>> make_torque_port(const Force&);

}  // namespace kinegrad
