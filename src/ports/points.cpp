// Ports on points (docs/theory/ports.md): between two, x = r₂ − r₁ with the force e on point 2 and −e on
// point 1, or on one, whose counterpart is then the origin of the world. World axes, or for a single point
// those of its body.
#include "ports/kinds.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

namespace {

template <Scalar T>
class PointPort final : public SinglePort<T> {
 public:
  explicit PointPort(const Force& force) : SinglePort<T>(force) {}

  void place(const TreeParameters<T>& tree) override {
    const Force& force = this->force();
    first_ = force.point1 < 0 ? BodyPlace<T>() : tree.place(force.point1);
    second_ = tree.place(force.point2);
  }
  PortState<T> state(const PortSite<T>& site) const override {
    const PointState<T> a = point_state(site.motion, first_), b = point_state(site.motion, second_);
    return {(b.r - a.r).eval(), (b.rdot - a.rdot).eval(), site.t};
  }
  Mat3T<T> axes(const PortSite<T>& site) const override {
    return body_rotation(site.tree, site.motion, second_.node);
  }
  void load(const PortSite<T>& site, const PortVector<T>& effort,
            TreeLoads<T>& loads) const override {
    const Vec3T<T> e = effort;
    if (first_.node >= 0)
      loads.add_force(site.motion, first_.node, point_state(site.motion, first_).r, -e);
    loads.add_force(site.motion, second_.node, point_state(site.motion, second_).r, e);
  }
  std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const override;

  const BodyPlace<T>& first() const { return first_; }
  const BodyPlace<T>& second() const { return second_; }

 private:
  BodyPlace<T> first_, second_;
};

class PointPartials final : public SinglePartials<3> {
 public:
  PointPartials(const PointPort<double>& port, const TreeParameters<double>& tree, int first,
                int second)
      : SinglePartials<3>(port, tree, columns_of(tree, std::array{first, second})),
        points_(port),
        climbs_{climb_of(tree, first, columns_), climb_of(tree, second, columns_)} {}

 protected:
  void load(const Site& site, TreeLinearization& at) const override {
    each_end(site, at.x0, [&](const End& end) {
      if (end.node < 0) return;
      at.bodies[static_cast<std::size_t>(end.node)].f -= wrench_at(end.r, end.sign * effort_);
    });
  }

  /// ∂r/∂q = u + w×r, ∂ṙ/∂q = u̇ + ẇ×r + w×ṙ of each point [K-5], [K-6].
  void jacobian(const Site& site, const ColumnView& view) override {
    J_.setZero();
    if (view.Sdot) Jdot_.setZero();
    each_end(site, Vec3::Zero(), [&](const End& end) {
      for (const Climb& climb : climbs_[end.index]) {
        const Vec3 lever = end.r - view.origin(climb.node);
        for (int c = 0; c < climb.nq; ++c) {
          const auto S = view.S.col(climb.q + c);
          J_.col(climb.local + c) += end.sign * field_at(S, lever);
          if (!view.Sdot) continue;
          const Vec3 w = S.head<3>();
          Jdot_.col(climb.local + c) +=
              end.sign * (field_at(view.Sdot->col(climb.q + c), lever) + cross(w, end.rdot));
        }
      }
    });
  }

  /// [DP-5]: S_iᵀ times the wrench of w_j×e at r, for all pairs of columns before a point.
  void add_turning(const Site& site, const TreeLinearization& at, MatX& r_q) override {
    if (port_.force().in_body_axes) return;
    each_end(site, at.x0, [&](const End& end) {
      const Vec3 e = end.sign * effort_;
      for (const Climb& j : climbs_[end.index]) {
        for (int b = 0; b < j.nq; ++b) {
          const Twist<double> F = wrench_at(end.r, cross(at.S.col(j.q + b).head<3>(), e));
          for (const Climb& i : climbs_[end.index]) {
            for (int c = 0; c < i.nq; ++c) {
              r_q(i.local + c, j.local + b) += dot(at.S.col(i.q + c), F);
            }
          }
        }
      }
    });
  }

  Vec3 weight_rate(const Site& site, const TreeLinearization& at, std::span<const double>,
                   const TreeCotangent& sums) const override {
    Vec3 rate = Vec3::Zero();
    each_end(site, at.x0, [&](const End& end) {
      if (end.node >= 0) rate += end.sign * field_at(sums.weight(end.node), end.r);
    });
    return rate;
  }
  void accumulate(const Site& site, const TreeLinearization& at, const Vec3& x_bar,
                  const Vec3& xdot_bar, TreeCotangent& sums,
                  const ResidualCotangent& out) const override {
    const Vec3 none = Vec3::Zero();
    each_end(site, at.x0, [&](const End& end) {
      const Vec3 r_bar = end.sign * x_bar, rdot_bar = end.sign * xdot_bar;
      accumulate_point(end.node, end.r, end.rdot, none, r_bar, rdot_bar, sums);
      if (end.first < 0) return;
      accumulate_point_coordinates(at, sums, end.node, end.first, none, r_bar, rdot_bar, out.p);
    });
  }
  /// The lever of a force that keeps its direction; one in body axes turns with its body.
  void accumulate_turning(const Site& site, const TreeLinearization& at, TreeCotangent& sums,
                          const ResidualCotangent& out) const override {
    const Vec3 none = Vec3::Zero();
    each_end(site, at.x0, [&](const End& end) {
      const Vec3 e = end.sign * effort_;
      if (!port_.force().in_body_axes) {
        accumulate_point(end.node, end.r, end.rdot, e, none, none, sums);
      }
      if (end.first < 0) return;
      accumulate_point_coordinates(at, sums, end.node, end.first, e, none, none, out.p);
    });
  }

  void variables_tangent(const Site& site, const TreeLinearization& at,
                         const TreeDisplacement& displacement, Vec3& dx,
                         Vec3& dxdot) const override {
    dx = dxdot = Vec3::Zero();
    each_end(site, at.x0, [&](const End& end) {
      const PointTangent d =
          point_tangent(at, displacement, end.node, end.r, end.rdot, own(at, displacement, end));
      dx += end.sign * d.x;
      dxdot += end.sign * d.xdot;
    });
  }
  void apply_tangent(const Site& site, const TreeLinearization& at,
                     const TreeDisplacement& displacement, const Vec3& de, TreeWrenches& wrenches,
                     Eigen::Ref<VecX>) const override {
    const bool carried = port_.force().in_body_axes;
    each_end(site, at.x0, [&](const End& end) {
      if (end.node < 0) return;
      const Vec3 e = end.sign * effort_;
      const Vec3 turned = carried ? Vec3(Vec3::Zero()) : displacement.turned(end.node, e);
      wrenches.add_force(end.node, end.r, turned - end.sign * de);
      wrenches.add_moment(end.node, cross(e, own(at, displacement, end)));
    });
  }

 private:
  struct End {
    std::size_t index;
    int node, vector, first;  // first: of its coordinates in p, -1: it has none
    double sign;
    Vec3 r, rdot;  // r from x0
  };
  template <typename Visit>
  void each_end(const Site& site, const Vec3& x0, const Visit& visit) const {
    const Force& force = port_.force();
    const auto one = [&](std::size_t index, int vector, const BodyPlace<double>& place,
                         double sign) {
      const PointState<double> s = point_state(site.motion, place);
      const int first =
          vector < 0 ? -1 : site.tree.model.vectors()[static_cast<std::size_t>(vector)].first;
      visit(End{index, place.node, vector, first, sign, s.r - x0, s.rdot});
    };
    if (force.point1 >= 0) one(0, force.point1, points_.first(), -1);
    one(1, force.point2, points_.second(), 1);
  }
  /// What the coordinates of the point in its body change, in world axes.
  static Vec3 own(const TreeLinearization& at, const TreeDisplacement& displacement,
                  const End& end) {
    const Vec3& c = displacement.own[static_cast<std::size_t>(end.vector)];
    return end.node < 0 ? c : Vec3(at.body(end.node).R_WB * c);
  }

  const PointPort<double>& points_;
  std::array<std::vector<Climb>, 2> climbs_;
};

template <Scalar T>
std::unique_ptr<PortPartials> PointPort<T>::partials(const TreeParameters<T>& tree) const {
  if constexpr (std::is_same_v<T, double>) {
    const auto node = [&](int vector) {
      return vector < 0 ? -1
                        : tree.node_of(tree.model.vectors()[static_cast<std::size_t>(vector)].body);
    };
    return std::make_unique<PointPartials>(*this, tree, node(this->force().point1),
                                           node(this->force().point2));
  } else {
    return nullptr;
  }
}

}  // namespace

template <Scalar T>
std::unique_ptr<Port<T>> make_point_pair_port(const Force& force) {
  return std::make_unique<PointPort<T>>(force);
}
template <Scalar T>
std::unique_ptr<Port<T>> make_body_point_port(const Force& force) {
  return std::make_unique<PointPort<T>>(force);
}
template std::unique_ptr<Port<double>> make_point_pair_port(const Force&);
template std::unique_ptr<Port<Complex>> make_point_pair_port(const Force&);
template std::unique_ptr<Port<double>> make_body_point_port(const Force&);
template std::unique_ptr<Port<Complex>> make_body_point_port(const Force&);

}  // namespace kinegrad
