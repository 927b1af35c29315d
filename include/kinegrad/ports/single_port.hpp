// What ports with one state share (docs/theory/ports.md): N variables with rates, N efforts, and a Jacobian
// of N rows in the coordinates that move the port. A kind of port says what its variables and Jacobian
// are, how its effort acts on bodies, and what is left when the Jacobian itself turns.
#pragma once

#include <algorithm>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/ports/port_states.hpp"

namespace kinegrad {

/// The real part of a port's state.
template <typename T>
PortState<double> real_state(const PortState<T>& state) {
  PortState<double> out{PortVector<double>(state.x.size()), PortVector<double>(state.xdot.size()),
                        real_part(state.t), ForceStates<double>(state.z.size())};
  for (Eigen::Index i = 0; i < state.x.size(); ++i) out.x(i) = real_part(state.x(i));
  for (Eigen::Index i = 0; i < state.xdot.size(); ++i) out.xdot(i) = real_part(state.xdot(i));
  for (Eigen::Index i = 0; i < state.z.size(); ++i) out.z(i) = real_part(state.z(i));
  return out;
}

/// The derivatives of a number that a force tells of itself. No element is asked for them: energies and signals are
/// read by objectives only, and the complex step of the one element is exact.
struct ScalarPartials {
  double value = 0;
  PortVector<double> x, xdot;
  ForceStates<double> z;
  AttributeVector<double> attributes;
};
ScalarPartials signal_partials(const ForceModel& type, int which, const PortState<double>& state,
                               const AttributeVector<double>& attributes);
ScalarPartials energy_partials(const ForceModel& type, const PortState<double>& state,
                               const AttributeVector<double>& attributes);

/// The joints between a body and the ground, as places among the columns of a port.
struct Climb {
  int node = 0;
  int q = 0, nq = 0;
  int local = 0;  ///< of coordinate q
};
/// The sorted coordinates that move any of the bodies.
std::vector<int> columns_of(const TreeParameters<double>& tree, std::span<const int> nodes);
std::vector<Climb> climb_of(const TreeParameters<double>& tree, int node,
                            std::span<const int> columns);

template <Scalar T>
class SinglePort : public Port<T> {
 public:
  using Port<T>::Port;
  using typename Port<T>::Attributes;
  using typename Port<T>::StateVisitor;

  /// x and ẋ.
  virtual PortState<T> state(const PortSite<T>& site) const = 0;
  /// With the states of the force, which are speeds of the tree.                               [OS-4]
  PortState<T> whole_state(const PortSite<T>& site) const {
    PortState<T> out = state(site);
    const std::vector<int>& joints = this->force().states;
    if (joints.empty()) return out;
    out.z.resize(static_cast<Eigen::Index>(joints.size()));
    for (std::size_t i = 0; i < joints.size(); ++i) {
      out.z(static_cast<Eigen::Index>(i)) = site.motion.v[state_coordinate(site, joints[i])];
    }
    return out;
  }
  /// The axes in which the force gives its effort, where they are not those of the port.
  virtual Mat3T<T> axes(const PortSite<T>&) const { return Mat3T<T>::Identity(); }
  virtual void load(const PortSite<T>& site, const PortVector<T>& effort,
                    TreeLoads<T>& loads) const = 0;

  PortVector<T> effort(const PortSite<T>& site, const PortState<T>& state,
                       const Attributes& p) const {
    PortVector<T> e = this->type().effort(state, p);
    if (this->force().in_body_axes) e = (axes(site) * e).eval();
    return e;
  }

  void each_state(const PortSite<T>& site, const StateVisitor& visit) const override {
    visit(whole_state(site), -1);
  }
  void apply(const PortSite<T>& site, const Attributes& p, TreeLoads<T>& loads) const override {
    const PortState<T> at = whole_state(site);
    load(site, effort(site, at, p), loads);
    const std::vector<int>& joints = this->force().states;
    if (joints.empty()) return;
    const ForceStates<T> g = this->type().rates(at, p);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      loads.tau(static_cast<Eigen::Index>(state_coordinate(site, joints[i]))) +=
          g(static_cast<Eigen::Index>(i));
    }
  }
  T energy(const PortSite<T>& site, const Attributes& p) const override {
    return this->force().has_potential() ? this->type().energy(state(site), p) : T(0);
  }
  double power(const PortSite<T>& site, const AttributeVector<double>& p) const override {
    const PortState<T> at = whole_state(site);
    Attributes attributes(p.size());
    for (Eigen::Index i = 0; i < p.size(); ++i) attributes(i) = T(p(i));
    const PortVector<T> e = effort(site, at, attributes);
    T work(0);
    for (Eigen::Index i = 0; i < e.size(); ++i) work += e(i) * at.xdot(i);
    const bool potential = this->force().has_potential();
    return real_part(work) + (potential ? this->type().energy_rate(real_state(at), p) : 0.0);
  }

 private:
  static std::size_t state_coordinate(const PortSite<T>& site, int joint) {
    return static_cast<std::size_t>(
        site.tree.model.joints()[static_cast<std::size_t>(joint)].q_first);
  }
};

/// N: efforts of the port.
template <int N>
class SinglePartials : public PortPartials {
 public:
  using Vector = Vec<double, N>;
  using Square = Mat<double, N, N>;

  SinglePartials(const SinglePort<double>& port, const TreeParameters<double>& tree,
                 std::vector<int> columns)
      : port_(port),
        columns_(std::move(columns)),
        states_(port.force(), tree, columns_),
        J_(N, columns_.size()),
        Jdot_(N, columns_.size()),
        r_q_(columns_.size(), columns_.size()),
        r_v_(columns_.size(), columns_.size()) {}

  std::span<const int> columns() const override { return states_.empty() ? columns_ : states_.all; }

  void linearize(const Site& site, const Attributes& p, TreeLinearization& at) override {
    take(site, p);
    load(site, at);
  }
  void add_joint_forces(VecX& tau) const override {
    for (Eigen::Index i = 0; i < states_.size(); ++i) {
      tau(static_cast<Eigen::Index>(states_.coordinate(i))) += states_.g(i);
    }
  }

  /// r_q = −Jᵀ(e_x J + e_ẋ J̇) and the turning of J, r_v = −Jᵀe_ẋJ.                           [PO-2]
  void add_matrices(const Site& site, const TreeLinearization& at, bool exact,
                    PortBlockSink& sink) override {
    if (rests(exact)) return;
    jacobian(site, ColumnView::at_common_point(at));
    for (Eigen::Index j = 0; j < J_.cols(); ++j) {
      const Vector by_v = e_xdot_ * J_.col(j);
      const Vector by_q = e_x_ * J_.col(j) + e_xdot_ * Jdot_.col(j);
      for (Eigen::Index i = 0; i < J_.cols(); ++i) {
        r_q_(i, j) = -la::dot(J_.col(i), by_q);
        r_v_(i, j) = -la::dot(J_.col(i), by_v);
      }
    }
    if (exact) add_turning(site, at, r_q_);
    if (states_.empty()) return sink.add(columns_, r_q_, r_v_);
    states_.join(J_, Jdot_, r_q_, r_v_);
    sink.add(states_.all, states_.r_q, states_.r_v);
  }
  void add_attribute_column(int attribute, std::span<double> out) const override {
    const Vector by = e_p_.col(attribute);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t place = states_.empty() ? c : static_cast<std::size_t>(states_.of_port[c]);
      out[place] -= la::dot(J_.col(static_cast<Eigen::Index>(c)), by);
    }
    for (Eigen::Index i = 0; i < states_.size(); ++i) {
      out[static_cast<std::size_t>(states_.of_states[static_cast<std::size_t>(i)])] -=
          states_.g_p(i, attribute);
    }
  }
  void newton_block(const Site& site, const Attributes& p, double c_v, double c_q,
                    MatX& block) override {
    take(site, p);
    if (rests(false)) {
      block.setZero();
      return;
    }
    jacobian(site, ColumnView::at_bodies(site.motion));
    Square e = -(c_q * e_x_ + c_v * e_xdot_);
    if constexpr (N > 3) e = (0.5 * (e + e.transpose())).eval();
    if (states_.empty()) return fill_upper(e, block);
    fill_upper(e, r_v_);
    states_.newton_block(r_v_, c_v, block);
  }

  /// The share of wᵀr is −eᵀẋ_w, ẋ_w the rates of the variables in the weights' motion:
  /// x̄ = −e_xᵀẋ_w, ẋ̄ = −e_ẋᵀẋ_w, and what J's own turning leaves.                            [PO-4]
  Attributes pullback(const Site& site, const TreeLinearization& at, std::span<const double> w,
                      TreeCotangent& sums, const ResidualCotangent& out) override {
    const Vector rate = weight_rate(site, at, w, sums);
    if (states_.empty()) {
      accumulate(site, at, -(e_x_.transpose() * rate), -(e_xdot_.transpose() * rate), sums, out);
      accumulate_turning(site, at, sums, out);
      return -(e_p_.transpose() * rate);
    }
    states_.take_weights(w);
    const Vector x_bar = -(e_x_.transpose() * rate) - states_.g_x.transpose() * states_.w;
    const Vector xdot_bar = -(e_xdot_.transpose() * rate) - states_.g_xdot.transpose() * states_.w;
    accumulate(site, at, x_bar, xdot_bar, sums, out);
    accumulate_turning(site, at, sums, out);
    states_.pullback(rate, out.v);
    return -(e_p_.transpose() * rate) - states_.g_p.transpose() * states_.w;
  }
  Attributes pullback_energy(const Site& site, const TreeLinearization& at, const Attributes& p,
                             double weight, TreeCotangent& sums,
                             const ResidualCotangent& out) override {
    if (!port_.force().has_potential()) return Attributes::Zero(p.size());
    const PortState<double> state = port_.whole_state(site);
    const ScalarPartials V = energy_partials(port_.type(), state, p);
    accumulate(site, at, weight * variable_cotangent(state, V.x), weight * Vector(V.xdot), sums,
               out);
    return weight * V.attributes;
  }
  Attributes pullback_signal(const Site& site, const TreeLinearization& at, const Attributes& p,
                             int which, double weight, TreeCotangent& sums,
                             const ResidualCotangent& out) override {
    const PortState<double> state = port_.whole_state(site);
    const ScalarPartials y = signal_partials(port_.type(), which, state, p);
    accumulate(site, at, weight * variable_cotangent(state, y.x), weight * Vector(y.xdot), sums,
               out);
    for (Eigen::Index i = 0; !out.v.empty() && i < states_.size(); ++i) {
      out.v[states_.coordinate(i)] += weight * y.z(i);
    }
    return weight * y.attributes;
  }

  /// δe = e_x δx + e_ẋ δẋ + e_p δp.                                                             [PO-5]
  void tangent(const Site& site, const TreeLinearization& at, const TreeDisplacement& displacement,
               const Attributes&, const Attributes& d, TreeWrenches& wrenches,
               Eigen::Ref<VecX> dr) override {
    Vector dx, dxdot;
    variables_tangent(site, at, displacement, dx, dxdot);
    Vector de = e_x_ * dx + e_xdot_ * dxdot + e_p_ * d;
    if (!states_.empty()) {
      const ForceStates<double> dg = states_.g_x * dx + states_.g_xdot * dxdot + states_.g_p * d;
      states_.tangent(*displacement.direction, dg, de, dr);
    }
    apply_tangent(site, at, displacement, de, wrenches, dr);
  }

 protected:
  /// Effort and its partials in the axes of the port, along displacements of the port.
  void take(const Site& site, const Attributes& p) {
    const PortState<double> state = port_.whole_state(site);
    ForcePartials raw;
    effort_ = port_.type().effort(state, p);
    port_.type().partials(state, p, raw);
    e_x_ = variable_partials(state, raw.e_x);
    e_xdot_ = raw.e_xdot;
    e_p_ = raw.e_p;
    if (!states_.empty()) {
      states_.take(raw, port_.type().rates(state, p));
      states_.g_x = variable_partials(state, raw.g_x.topRows(states_.size()));
    }
    if (!port_.force().in_body_axes) return;
    if constexpr (N == 3) {
      const Mat3 R = port_.axes(site);
      effort_ = (R * effort_).eval();
      e_x_ = (R * e_x_).eval();
      e_xdot_ = (R * e_xdot_).eval();
      e_p_ = (R * e_p_).eval();
      if (!states_.empty()) states_.e_z = (R * states_.e_z).eval();
    }
  }

  /// Partials by x, of efforts or of rates of states, row by row.
  using ByVariables = Eigen::Ref<const MatX>;
  using AlongPort = Eigen::Matrix<double, Eigen::Dynamic, N, 0, kMaxPortSize, N>;
  /// e_x along displacements of the port: as the force gives it, where the variables are as many.
  virtual AlongPort variable_partials(const PortState<double>&, const ByVariables& by_x) const {
    return by_x;
  }
  /// The same of a cotangent of the variables.
  virtual Vector variable_cotangent(const PortState<double>&,
                                    const PortVector<double>& x_bar) const {
    return x_bar;
  }
  /// Subtracts the effort's wrenches from f of the bodies.
  virtual void load(const Site& site, TreeLinearization& at) const = 0;
  /// J and, where the view has rates, J̇ = ∂ẋ/∂q.
  virtual void jacobian(const Site& site, const ColumnView& view) = 0;
  /// What turns with J beyond being carried along with the bodies [PO-3].
  virtual void add_turning(const Site&, const TreeLinearization&, MatX&) {}
  virtual Vector weight_rate(const Site& site, const TreeLinearization& at,
                             std::span<const double> w, const TreeCotangent& sums) const = 0;
  virtual void accumulate(const Site& site, const TreeLinearization& at, const Vector& x_bar,
                          const Vector& xdot_bar, TreeCotangent& sums,
                          const ResidualCotangent& out) const = 0;
  virtual void accumulate_turning(const Site&, const TreeLinearization&, TreeCotangent&,
                                  const ResidualCotangent&) const {}
  virtual void variables_tangent(const Site& site, const TreeLinearization& at,
                                 const TreeDisplacement& displacement, Vector& dx,
                                 Vector& dxdot) const = 0;
  virtual void apply_tangent(const Site& site, const TreeLinearization& at,
                             const TreeDisplacement& displacement, const Vector& de,
                             TreeWrenches& wrenches, Eigen::Ref<VecX> dr) const = 0;

  const SinglePort<double>& port_;
  std::vector<int> columns_;
  PortStates<N> states_;
  Eigen::Matrix<double, N, Eigen::Dynamic> J_, Jdot_;
  Vector effort_;
  Square e_x_, e_xdot_;
  Eigen::Matrix<double, N, Eigen::Dynamic, N == 1 ? Eigen::RowMajor : Eigen::ColMajor, N,
                kMaxForceAttributes>
      e_p_;
  MatX r_q_, r_v_;

 private:
  /// Whether the force adds nothing to any matrix, as a contact that is open.
  bool rests(bool exact) const {
    return states_.empty() && port_.force().variable.empty() && e_x_.isZero(0) &&
           e_xdot_.isZero(0) && (!exact || effort_.isZero(0));
  }
  void fill_upper(const Square& e, MatX& block) const {
    for (Eigen::Index j = 0; j < J_.cols(); ++j) {
      const Vector by = e * J_.col(j);
      for (Eigen::Index i = 0; i <= j; ++i) block(i, j) = la::dot(J_.col(i), by);
    }
  }
};

}  // namespace kinegrad
