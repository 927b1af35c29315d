// The port of a field (docs/theory/ports.md): x is the centre of mass of every body that is matter, e a force
// per unit mass. A uniform field is no force but the acceleration of the frame [D-5]; it has derivatives
// with respect to its attributes alone.
#include "ports/kinds.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

namespace {

template <Scalar T>
class FieldPort final : public Port<T> {
 public:
  using typename Port<T>::Attributes;
  using typename Port<T>::StateVisitor;
  explicit FieldPort(const Force& force) : Port<T>(force), uniform_(force.type->uniform()) {}

  void place(const TreeParameters<T>&) override {}
  void each_state(const PortSite<T>& site, const StateVisitor& visit) const override {
    each_body(site, [&](std::size_t k, const PointState<T>& s) {
      visit({s.r, s.rdot, site.t}, site.tree.model.topology().nodes[k].body);
    });
  }
  void add_field(const Attributes& p, Vec3T<T>& field) const override {
    if (!uniform_) return;
    const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
    field += this->type().effort({zero, zero, T(0)}, p);
  }
  void apply(const PortSite<T>& site, const Attributes& p, TreeLoads<T>& loads) const override {
    if (uniform_) return;
    each_body(site, [&](std::size_t k, const PointState<T>& s) {
      const Vec3T<T> e = this->type().effort({s.r, s.rdot, site.t}, p);
      loads.add_force(site.motion, static_cast<int>(k), s.r, e * site.tree.nodes[k].mass);
    });
  }
  T energy(const PortSite<T>& site, const Attributes& p) const override {
    T sum(0);
    each_body(site, [&](std::size_t k, const PointState<T>& s) {
      sum += this->type().energy({s.r, s.rdot, site.t}, p) * site.tree.nodes[k].mass;
    });
    return sum;
  }
  double power(const PortSite<T>& site, const AttributeVector<double>& p) const override {
    if (this->type().uniform() && this->type().has_energy()) return 0;  // identically
    double sum = 0;
    each_body(site, [&](std::size_t k, const PointState<T>& s) {
      const PortState<double> state = real_state(PortState<T>{s.r, s.rdot, site.t});
      const double work =
          Vec3(this->type().effort(state, p)).dot(Vec3(state.xdot));  // holomorphic: double only
      sum += real_part(site.tree.nodes[k].mass) * (work + this->type().energy_rate(state, p));
    });
    return sum;
  }
  std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const override;

  /// visit(node, state of its centre of mass); what is not matter is left out.
  template <typename Visit>
  void each_body(const PortSite<T>& site, const Visit& visit) const {
    for (std::size_t k = 0; k < site.tree.nodes.size(); ++k) {
      if (site.tree.nodes[k].auxiliary) continue;
      visit(k, point_state(site.motion, {static_cast<int>(k), site.tree.nodes[k].c}));
    }
  }

 private:
  bool uniform_;
};

class FieldPartials final : public PortPartials {
 public:
  explicit FieldPartials(const FieldPort<double>& port, const TreeParameters<double>& tree)
      : port_(port), at_bodies_(port.type().uniform() ? 0 : tree.nodes.size()) {
    Eigen::Index most = 0;
    for (std::size_t k = 0; k < at_bodies_.size(); ++k) {
      Body& b = at_bodies_[k];
      if (tree.nodes[k].auxiliary) continue;
      b.columns = columns_of(tree, std::array{static_cast<int>(k)});
      most = std::max(most, static_cast<Eigen::Index>(b.columns.size()));
    }
    J_.resize(3, most);
    r_q_.resize(most, most);
    r_v_.resize(most, most);
  }

  std::span<const int> columns() const override { return {}; }

  void linearize(const Site& site, const Attributes& p, TreeLinearization& at) override {
    if (port_.type().uniform()) return;
    port_.each_body(site, [&](std::size_t k, const PointState<double>& s) {
      Body& b = at_bodies_[k];
      const PortState<double> state{s.r, s.rdot, site.t};
      b.m = site.tree.nodes[k].mass;
      b.c = s.r - at.x0;
      b.cdot = s.rdot;
      b.e = port_.type().effort(state, p);
      port_.type().partials(state, p, b.partials);
      at.bodies[k].f -= wrench_at(b.c, b.m * b.e);
    });
  }

  /// As a force m e on the centre of mass of each body [DP-5].
  void add_matrices(const Site& site, const TreeLinearization& at, bool exact,
                    PortBlockSink& sink) override {
    if (port_.type().uniform()) return;
    port_.each_body(site, [&](std::size_t k, const PointState<double>&) {
      const Body& b = at_bodies_[k];
      const auto n = static_cast<Eigen::Index>(b.columns.size());
      const Mat3 e_x = b.m * b.partials.e_x, e_xdot = b.m * b.partials.e_xdot;
      for (Eigen::Index j = 0; j < n; ++j) {
        J_.col(j) = field_at(at.S.col(b.columns[static_cast<std::size_t>(j)]), b.c);
      }
      for (Eigen::Index j = 0; j < n; ++j) {
        const int column = b.columns[static_cast<std::size_t>(j)];
        const Vec3 w = at.S.col(column).head<3>();
        const Vec3 rate = field_at(at.Sdot.col(column), b.c) + cross(w, b.cdot);
        Vec3 by_q = e_x * J_.col(j) + e_xdot * rate;
        if (exact) by_q -= cross(w, Vec3(b.m * b.e));
        const Vec3 by_v = e_xdot * J_.col(j);
        for (Eigen::Index i = 0; i < n; ++i) {
          r_q_(i, j) = -dot(J_.col(i), by_q);
          r_v_(i, j) = -dot(J_.col(i), by_v);
        }
      }
      sink.add(b.columns, r_q_.topLeftCorner(n, n), r_v_.topLeftCorner(n, n));
    });
  }
  void add_attribute_column(int, std::span<double>) const override {}
  void newton_block(const Site&, const Attributes&, double, double, MatX&) override {}

  Attributes pullback(const Site& site, const TreeLinearization& at, std::span<const double>,
                      TreeCotangent& sums, const ResidualCotangent& out) override {
    Attributes bar = Attributes::Zero(port_.type().attribute_count());
    if (port_.type().uniform()) return bar;  // pullback_field()
    port_.each_body(site, [&](std::size_t k, const PointState<double>&) {
      const Body& b = at_bodies_[k];
      const auto node = static_cast<int>(k);
      const Vec3 v_w = field_at(sums.weight(node), b.c), e = b.m * b.e;
      const Vec3 r_bar = -b.m * (b.partials.e_x.transpose() * v_w);
      const Vec3 rdot_bar = -b.m * (b.partials.e_xdot.transpose() * v_w);
      accumulate_point(node, b.c, b.cdot, e, r_bar, rdot_bar, sums);
      bar -= b.m * (b.partials.e_p.transpose() * v_w);
      if (out.p.empty()) return;
      const MassBlock& mass = mass_of(site, k);
      out.p[static_cast<std::size_t>(mass.mass)] -= v_w.dot(b.e);
      accumulate_point_coordinates(at, sums, node, mass.com, e, r_bar, rdot_bar, out.p);
    });
    return bar;
  }

  /// Uniform or not: an energy per unit mass at every centre of mass [SG-5].
  Attributes pullback_energy(const Site& site, const TreeLinearization& at, const Attributes& p,
                             double weight, TreeCotangent& sums,
                             const ResidualCotangent& out) override {
    const Vec3 none = Vec3::Zero();
    Attributes bar = Attributes::Zero(p.size());
    port_.each_body(site, [&](std::size_t k, const PointState<double>& s) {
      const ScalarPartials V = energy_partials(port_.type(), {s.r, s.rdot, site.t}, p);
      const double m = weight * site.tree.nodes[k].mass;
      const Vec3 r_bar = m * V.x, rdot_bar = m * V.xdot;
      const auto node = static_cast<int>(k);
      accumulate_point(node, s.r - at.x0, s.rdot, none, r_bar, rdot_bar, sums);
      bar += m * V.attributes;
      if (out.p.empty()) return;
      const MassBlock& mass = mass_of(site, k);
      out.p[static_cast<std::size_t>(mass.mass)] += weight * V.value;
      accumulate_point_coordinates(at, sums, node, mass.com, none, r_bar, rdot_bar, out.p);
    });
    return bar;
  }
  void pullback_field(const Attributes& p, const Vec3& weight,
                      std::span<double> p_bar) const override {
    if (!port_.type().uniform()) return;
    const Attributes bar = uniform_partials(p).e_p.transpose() * weight;
    for (Eigen::Index m = 0; m < bar.size(); ++m) {
      p_bar[static_cast<std::size_t>(port_.force().attributes + m)] -= bar(m);
    }
  }

  void tangent(const Site& site, const TreeLinearization& at, const TreeDisplacement& displacement,
               const Attributes& p, const Attributes& d, TreeWrenches& wrenches,
               Eigen::Ref<VecX>) override {
    if (port_.type().uniform()) {
      uniform_tangent(site, at, uniform_partials(p).e_p * d, wrenches);
    } else {
      varying_tangent(site, at, displacement, d, wrenches);
    }
  }

 private:
  struct Body {  // the field at its centre of mass
    double m = 0;
    Vec3 c, cdot, e;  // c from x₀
    ForcePartials partials;
    std::vector<int> columns;
  };
  static const MassBlock& mass_of(const Site& site, std::size_t k) {
    const Model& model = site.tree.model;
    return model.bodies()[static_cast<std::size_t>(model.topology().nodes[k].body)].mass;
  }
  ForcePartials uniform_partials(const Attributes& p) const {
    ForcePartials out;
    const Vec3 zero = Vec3::Zero();
    port_.type().partials({zero, zero, 0.0}, p, out);
    return out;
  }

  /// δg on every body that is moved here.
  static void uniform_tangent(const Site& site, const TreeLinearization& at, const Vec3& dg,
                              TreeWrenches& wrenches) {
    for (std::size_t k = 0; k < site.tree.nodes.size(); ++k) {
      const BodyMotion<double>& s = site.motion.bodies[k];
      const Vec3 c = s.r_WM + s.R_WM * site.tree.nodes[k].c - at.x0;
      wrenches.add_force(static_cast<int>(k), c, -site.tree.nodes[k].m * dg);
    }
  }
  void varying_tangent(const Site& site, const TreeLinearization& at,
                       const TreeDisplacement& displacement, const Attributes& d,
                       TreeWrenches& wrenches) const {
    auto mass = displacement.direction->masses.begin();
    port_.each_body(site, [&](std::size_t k, const PointState<double>&) {
      const auto node = static_cast<int>(k);
      const Body& b = at_bodies_[k];
      double dm = 0;
      Vec3 own = Vec3::Zero();
      while (mass != displacement.direction->masses.end() && mass->node < node) ++mass;
      if (mass != displacement.direction->masses.end() && mass->node == node) {
        dm = mass->m;
        own = at.body(node).R_WB * mass->c;
      }
      const PointTangent dc = point_tangent(at, displacement, node, b.c, b.cdot, own);
      const Vec3 change = dm * b.e + b.m * (b.partials.e_x * dc.x + b.partials.e_xdot * dc.xdot +
                                            b.partials.e_p * d);
      const Vec3 e = b.m * b.e;
      wrenches.add_force(node, b.c, displacement.turned(node, e) - change);
      wrenches.add_moment(node, cross(e, own));
    });
  }

  const FieldPort<double>& port_;
  std::vector<Body> at_bodies_;  // by node; none in a uniform field
  Eigen::Matrix3Xd J_;
  MatX r_q_, r_v_;
};

template <Scalar T>
std::unique_ptr<PortPartials> FieldPort<T>::partials(const TreeParameters<T>& tree) const {
  if constexpr (std::is_same_v<T, double>) {
    return std::make_unique<FieldPartials>(*this, tree);
  } else {
    return nullptr;
  }
}

}  // namespace

template <Scalar T>
std::unique_ptr<Port<T>> make_field_port(const Force& force) {
  return std::make_unique<FieldPort<T>>(force);
}
template std::unique_ptr<Port<double>> make_field_port(const Force&);
template std::unique_ptr<Port<Complex>> make_field_port(const Force&);

}  // namespace kinegrad
