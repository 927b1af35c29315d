// The port between two frames (docs/theory/ports.md, [FP]): the place and the axes of marker 2 in the frame of
// marker 1, their rates, and a wrench between the two bodies at the origin of marker 2:
//
//   d = R₁ᵀ(r₂ − r₁),  R = R₁ᵀR₂;     ẋ = [R₁ᵀ(ω₂ − ω₁); ḋ];     e = [n; f], axes of marker 1      [FP-1]
//
// Everything is seen from body 1, so what moves both bodies alike changes nothing. With Δ = S₂ − S₁ the
// relative column of a coordinate and D = Δ̇ − V₂×Δ its rate, r₂ from the common point x₀,          [FP-2]
//
//   R₁δθ = Δ_w,   R₁δd = Δ(r₂) = Δ_v + Δ_w×r₂,   R₁δω = D_w,   R₁δḋ = D(r₂) + ω₁₂×Δ(r₂)
//
// The wrench F = [R₁n; R₁f] at r₂ acts on body 2 and −F on body 1. Beyond being carried along with
// their bodies, these change by                                                                    [FP-3]
//
//   body 2:  wrench at r₂ of (R₁δn − Δ_w×N, R₁δf − Δ_w×f)      body 1:  −wrench of (R₁δn, R₁δf) − [Δ(r₂)×f; 0]
#include "ports/kinds.hpp"

namespace kinegrad {

using la::cross;
using la::dot;

namespace {

template <Scalar T>
class FramePairPort final : public SinglePort<T> {
 public:
  explicit FramePairPort(const Force& force) : SinglePort<T>(force) {}

  void place(const TreeParameters<T>& tree) override {
    first_ = tree.frame(this->force().body1, this->force().F);
    second_ = tree.frame(this->force().body2, this->force().M);
  }
  /// x: d, then R row by row; ẋ: ω, then ḋ.
  PortState<T> state(const PortSite<T>& site) const override {
    const Pose<T> X1 = frame_in_world(site.motion, first_),
                  X2 = frame_in_world(site.motion, second_);
    const Vec3T<T> w1 = turn_of(site, first_.node), w2 = turn_of(site, second_.node);
    const Vec3T<T> d = X2.p - X1.p;
    const Vec3T<T> rate = velocity(site, second_.node, X2.p) - velocity(site, first_.node, X2.p);
    const Mat3T<T> R = X1.R.transpose() * X2.R;
    PortState<T> out{PortVector<T>(12), PortVector<T>(6), site.t};
    out.x.template head<3>() = X1.R.transpose() * d;
    for (int i = 0; i < 3; ++i) out.x.template segment<3>(3 + 3 * i) = R.row(i).transpose();
    out.xdot.template head<3>() = X1.R.transpose() * (w2 - w1);
    out.xdot.template tail<3>() = X1.R.transpose() * rate;
    return out;
  }
  void load(const PortSite<T>& site, const PortVector<T>& effort,
            TreeLoads<T>& loads) const override {
    const Mat3T<T> R1 = frame_in_world(site.motion, first_).R;
    const Vec3T<T> r2 = frame_in_world(site.motion, second_).p;
    const Vec3T<T> n = R1 * effort.template head<3>(), f = R1 * effort.template tail<3>();
    loads.add_torque(second_.node, n);
    loads.add_force(site.motion, second_.node, r2, f);
    loads.add_torque(first_.node, -n);
    loads.add_force(site.motion, first_.node, r2, -f);
  }
  std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const override;

  const BodyFrame<T>& first() const { return first_; }
  const BodyFrame<T>& second() const { return second_; }

 private:
  static Vec3T<T> turn_of(const PortSite<T>& site, int node) {
    if (node < 0) return Vec3T<T>::Constant(T(0));
    return site.motion.body(node).V.template head<3>();
  }
  /// Of the place r as a point of the body.
  static Vec3T<T> velocity(const PortSite<T>& site, int node, const Vec3T<T>& r) {
    if (node < 0) return Vec3T<T>::Constant(T(0));
    const BodyMotion<T>& s = site.motion.body(node);
    return s.V.template tail<3>() + cross(s.V.template head<3>(), (r - s.o).eval());
  }

  BodyFrame<T> first_, second_;
};

/// A wrench at the place r from its moment there and its force.
Halves<double> wrench(const Vec3& r, const Vec3& moment, const Vec3& force) {
  return {Triple<double>(moment + cross(r, force)), Triple<double>(force)};
}

class FramePairPartials final : public SinglePartials<6> {
 public:
  FramePairPartials(const FramePairPort<double>& port, const TreeParameters<double>& tree,
                    int first, int second)
      : SinglePartials<6>(port, tree, columns_of(tree, std::array{first, second})),
        frames_(port),
        first_(first),
        second_(second),
        on_first_(columns_.size(), 0),
        on_second_(columns_.size(), 0),
        node_(columns_.size(), -1) {
    const auto mark = [&](int node, std::vector<char>& on) {
      for (const Climb& climb : climb_of(tree, node, columns_)) {
        for (int c = 0; c < climb.nq; ++c) {
          on[static_cast<std::size_t>(climb.local + c)] = 1;
          node_[static_cast<std::size_t>(climb.local + c)] = climb.node;
        }
      }
    };
    mark(first, on_first_);
    mark(second, on_second_);
  }

 protected:
  /// δR = δθ~R: the nine numbers of R along the three turns [FP-4].
  static Mat<double, 12, 6> displaced_variables(const PortState<double>& state) {
    Mat<double, 12, 6> out = Mat<double, 12, 6>::Zero();
    out.block<3, 3>(0, 3).setIdentity();
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) {
        const Vec3 column(state.x(3 + j), state.x(6 + j), state.x(9 + j));
        const Vec3 turned = cross(Vec3(Vec3::Unit(k)), column);
        for (int i = 0; i < 3; ++i) out(3 + 3 * i + j, k) = turned(i);
      }
    }
    return out;
  }
  AlongPort variable_partials(const PortState<double>& state,
                              const ByVariables& by_x) const override {
    return by_x * displaced_variables(state);
  }
  Vector variable_cotangent(const PortState<double>& state,
                            const PortVector<double>& x_bar) const override {
    return displaced_variables(state).transpose() * x_bar;
  }

  void load(const Site& site, TreeLinearization& at) const override {
    const Frames x(*this, site, at.x0);
    const Halves<double> F = x.force(effort_);
    const auto subtract = [&](int node, double sign) {
      if (node < 0) return;
      Twist<double>& f = at.bodies[static_cast<std::size_t>(node)].f;
      Halves<double> sum(f);
      sum.add(F, -sign);
      sum.store(f);
    };
    subtract(second_, 1);
    subtract(first_, -1);
  }

  /// [FP-2].
  void jacobian(const Site& site, const ColumnView& view) override {
    const Pose<double> X1 = frame_in_world(site.motion, frames_.first());
    const Vec3 r2 = frame_in_world(site.motion, frames_.second()).p;
    const Mat3 to_first = X1.R.transpose();
    const Vec3 omega = turn(site, second_) - turn(site, first_);
    const Twist<double> V2 = view.x0 ? motion_at(site, second_, *view.x0) : Twist<double>::Zero();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      const double sign = relative(c);
      J_.col(i).setZero();
      if (view.Sdot) Jdot_.col(i).setZero();
      if (sign == 0) continue;
      const Vec3 lever = r2 - view.origin(node_[c]);
      const Twist<double> S = sign * view.S.col(columns_[c]);
      const Vec3 moved = field_at(S, lever);
      J_.col(i).head<3>() = to_first * S.head<3>();
      J_.col(i).tail<3>() = to_first * moved;
      if (!view.Sdot) continue;
      const Twist<double> D = sign * view.Sdot->col(columns_[c]) - twist_cross(V2, S);
      Jdot_.col(i).head<3>() = to_first * D.head<3>();
      Jdot_.col(i).tail<3>() = to_first * (field_at(D, lever) + cross(omega, moved));
    }
  }

  /// S₂ᵢᵀ(wrench at r₂ of Δ_w×N, Δ_w×f) + S₁ᵢᵀ[Δ(r₂)×f; 0] of [FP-3].
  void add_turning(const Site& site, const TreeLinearization& at, MatX& r_q) override {
    const Frames x(*this, site, at.x0);
    const Vec3 N = x.R1 * effort_.head<3>(), f = x.R1 * effort_.tail<3>();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const double sign = relative(j);
      if (sign == 0) continue;
      const Twist<double> S = sign * at.S.col(columns_[j]);
      const Vec3 w = S.head<3>();
      const Halves<double> second = wrench(x.r2, cross(w, N), cross(w, f));
      const Halves<double> first(Triple<double>(cross(field_at(S, x.r2), f)),
                                 Triple<double>::zero());
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Halves<double> S_i(at.S.col(columns_[i]));
        double sum = 0;
        if (on_second_[i]) sum += power(S_i, second);
        if (on_first_[i]) sum += power(S_i, first);
        r_q(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += sum;
      }
    }
  }

  Vector weight_rate(const Site& site, const TreeLinearization& at, std::span<const double>,
                     const TreeCotangent& sums) const override {
    const Frames x(*this, site, at.x0);
    const Twist<double> W = weight_of(sums, second_) - weight_of(sums, first_);
    Vector out;
    out << x.R1.transpose() * W.head<3>(), x.R1.transpose() * field_at(W, x.r2);
    return out;
  }

  /// Δᵀg + Δ̇ᵀz with z = wrench of ẋ̄ at r₂ and g = wrench of (θ̄, d̄ + ḋ̄×ω₁₂) + V₂×*z.            [FP-5]
  void accumulate(const Site& site, const TreeLinearization& at, const Vector& x_bar,
                  const Vector& xdot_bar, TreeCotangent& sums,
                  const ResidualCotangent& out) const override {
    const Frames x(*this, site, at.x0);
    const Vec3 omega = at.V_of(second_).head<3>() - at.V_of(first_).head<3>();
    const Vec3 rate_bar = x.R1 * xdot_bar.tail<3>();
    const Halves<double> z = wrench(x.r2, x.R1 * xdot_bar.head<3>(), rate_bar);
    Halves<double> g =
        wrench(x.r2, x.R1 * x_bar.head<3>(), x.R1 * x_bar.tail<3>() + cross(rate_bar, omega));
    g += force_cross(Halves<double>(at.V_of(second_)), z);
    add_share(site, at, x, Halves<double>::zero(), z, g, sums, out);
  }
  /// g = [N×W₂_w + f×W₂(r₂); 0] + wrench at r₂ of (0, f×W₁_w), and what carries the wrench.       [FP-6]
  void accumulate_turning(const Site& site, const TreeLinearization& at, TreeCotangent& sums,
                          const ResidualCotangent& out) const override {
    const Frames x(*this, site, at.x0);
    const Vec3 N = x.R1 * effort_.head<3>(), f = x.R1 * effort_.tail<3>();
    const Twist<double> W1 = weight_of(sums, first_), W2 = weight_of(sums, second_);
    Halves<double> g = wrench(x.r2, Vec3::Zero(), cross(f, Vec3(W1.head<3>())));
    g.w += Triple<double>(cross(N, Vec3(W2.head<3>())) + cross(f, field_at(W2, x.r2)));
    add_share(site, at, x, x.force(effort_), Halves<double>::zero(), g, sums, out);
  }

  void variables_tangent(const Site& site, const TreeLinearization& at,
                         const TreeDisplacement& displacement, Vector& dx,
                         Vector& dxdot) const override {
    const Frames x(*this, site, at.x0);
    const Displaced one = displaced(at, displacement, first_, port_.force().F, x.r1);
    const Displaced two = displaced(at, displacement, second_, port_.force().M, x.r2);
    Halves<double> X = two.X, D = two.Xdot;
    X -= one.X;
    D -= one.Xdot;
    const Halves<double> V2(at.V_of(second_));
    D -= motion_cross(V2, X);
    const Triple<double> r2(x.r2);
    const Vec3 omega = at.V_of(second_).head<3>() - at.V_of(first_).head<3>();
    const Vec3 moved = (X.v + cross(X.w, r2)).vector();
    const Vec3 rate = (D.v + cross(D.w, r2)).vector();
    dx << x.R1.transpose() * X.w.vector(), x.R1.transpose() * moved;
    dxdot << x.R1.transpose() * D.w.vector(), x.R1.transpose() * (rate + cross(omega, moved));
  }
  void apply_tangent(const Site& site, const TreeLinearization& at,
                     const TreeDisplacement& displacement, const Vector& de, TreeWrenches& wrenches,
                     Eigen::Ref<VecX>) const override {
    const Frames x(*this, site, at.x0);
    const Displaced one = displaced(at, displacement, first_, port_.force().F, x.r1);
    const Displaced two = displaced(at, displacement, second_, port_.force().M, x.r2);
    Halves<double> X = two.X;
    X -= one.X;
    const Vec3 w = X.w.vector(), moved = (X.v + cross(X.w, Triple<double>(x.r2))).vector();
    const Vec3 N = x.R1 * effort_.head<3>(), f = x.R1 * effort_.tail<3>();
    const Vec3 dN = x.R1 * de.head<3>(), df = x.R1 * de.tail<3>();
    const Halves<double> F = x.force(effort_);
    Halves<double> on_second = wrench(x.r2, cross(w, N) - dN, cross(w, f) - df);
    on_second -= force_cross(two.own, F);
    wrenches.add(second_, on_second);
    Halves<double> on_first = wrench(x.r2, dN, df);
    on_first.w += Triple<double>(cross(moved, f));
    on_first += force_cross(one.own, F);
    wrenches.add(first_, on_first);
  }

 private:
  struct Frames {  // in the world, origins from x₀
    Mat3 R1;
    Vec3 r1, r2;
    Frames(const FramePairPartials& of, const Site& site, const Vec3& x0) {
      const Pose<double> X1 = frame_in_world(site.motion, of.frames_.first());
      R1 = X1.R;
      r1 = X1.p - x0;
      r2 = frame_in_world(site.motion, of.frames_.second()).p - x0;
    }
    Halves<double> force(const Vector& effort) const {
      return wrench(r2, R1 * effort.head<3>(), R1 * effort.tail<3>());
    }
  };
  struct Displaced {  // of a marker: with its body and by itself
    Halves<double> X, Xdot, own;
  };

  static Vec3 turn(const Site& site, int node) {
    return node < 0 ? Vec3(Vec3::Zero()) : Vec3(site.motion.body(node).V.head<3>());
  }
  static Twist<double> motion_at(const Site& site, int node, const Vec3& x0) {
    Twist<double> V = Twist<double>::Zero();
    if (node < 0) return V;
    const BodyMotion<double>& s = site.motion.body(node);
    V = s.V;
    V.tail<3>() += cross(Vec3(s.V.head<3>()), Vec3(x0 - s.o));
    return V;
  }
  /// +1 where a coordinate moves body 2 alone, −1 body 1 alone, 0 both.
  double relative(std::size_t c) const { return on_second_[c] - on_first_[c]; }
  static Twist<double> weight_of(const TreeCotangent& sums, int node) {
    return node < 0 ? Twist<double>::Zero() : sums.weight(node);
  }

  /// ±(z, g) on the bodies, and on the frames of the markers as columns that are fixed in them, which
  /// carry ∓F along.
  void add_share(const Site& site, const TreeLinearization& at, const Frames& x,
                 const Halves<double>& F, const Halves<double>& z, const Halves<double>& g,
                 TreeCotangent& sums, const ResidualCotangent& out) const {
    const auto share = [&](int node, FrameBlock block, const Vec3& origin, double sign) {
      BeyondSums own;
      own.y.setZero();
      const auto scaled = [&](const Halves<double>& from, double factor, Twist<double>& to) {
        Halves<double> sum = Halves<double>::zero();
        sum.add(from, factor);
        sum.store(to);
      };
      scaled(F, -sign, own.f);
      scaled(z, sign, own.z);
      scaled(g, sign, own.g);
      if (node >= 0) {
        sums.at(node).z += own.z;
        sums.at(node).g += own.g;
      }
      if (out.p.empty() || !sums.active(block.first, FrameBlock::kSize)) return;
      accumulate_frame(at, site.tree.p, block, node, origin, frozen_column(at, sums, node, own), 1,
                       out.p);
    };
    share(second_, port_.force().M, x.r2, 1);
    share(first_, port_.force().F, x.r1, -1);
  }

  /// The displacement of a marker: that of its body, and its own as a frozen column [K-8].
  static Displaced displaced(const TreeLinearization& at, const TreeDisplacement& displacement,
                             int node, FrameBlock block, const Vec3& origin) {
    Displaced out{Halves<double>::zero(), Halves<double>::zero(), Halves<double>::zero()};
    if (displacement.moves(node)) {
      out.X = displacement.of(node).X;
      out.Xdot = displacement.of(node).Xdot;
    }
    const MarkerChange* change = displacement.marker(block);
    if (!change) return out;
    const Mat3 R = at.rotation(node);
    const Triple<double> w(R * change->turn), u(R * change->shift);
    out.own = {w, u + cross(Triple<double>(origin), w)};
    out.X += out.own;
    out.Xdot += motion_cross(Halves<double>(at.V_of(node)), out.own);
    return out;
  }

  const FramePairPort<double>& frames_;
  int first_, second_;
  std::vector<char> on_first_, on_second_;
  std::vector<int> node_;  // by column: whose joint it is of
};

template <Scalar T>
std::unique_ptr<PortPartials> FramePairPort<T>::partials(const TreeParameters<T>& tree) const {
  if constexpr (std::is_same_v<T, double>) {
    return std::make_unique<FramePairPartials>(*this, tree, tree.node_of(this->force().body1),
                                               tree.node_of(this->force().body2));
  } else {
    return nullptr;
  }
}

}  // namespace

template <Scalar T>
std::unique_ptr<Port<T>> make_frame_pair_port(const Force& force) {
  return std::make_unique<FramePairPort<T>>(force);
}
template std::unique_ptr<Port<double>> make_frame_pair_port(const Force&);
template std::unique_ptr<Port<Complex>> make_frame_pair_port(const Force&);

}  // namespace kinegrad
