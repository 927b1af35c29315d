// Joints and forces of a model, one by one.
#include "sensitivity/derivative_checks.hpp"

#include <algorithm>
#include <numeric>

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

namespace {

constexpr double kRiddersStep = 1e-3;

/// Both independent Jacobians of f against what an element says.
template <typename F>
void compare_both(const std::string& what, const MatX& actual, const F& f, const VecX& y,
                  const std::function<MatX(const MatX&)>& use, const EntryName& name,
                  std::vector<DerivativeCheck>& out) {
  out.push_back(
      compare(what, "complex step", kExact, actual, use(complex_step_jacobian(f, y)), name));
  const MatX differences =
      ridders_jacobian([&](const VecX& x) { return VecX(f(x)); }, y, kRiddersStep).jacobian;
  out.push_back(compare(what, "differences", kDifferences, actual, use(differences), name));
}

/// Twist columns from the derivatives of a pose, nine entries of R by columns and then p.
MatX twists(const Pose<double>& X, const MatX& slopes) {
  MatX H(6, slopes.cols());
  for (Eigen::Index c = 0; c < slopes.cols(); ++c) {
    const VecX slope = slopes.col(c);
    const Mat3 W = Eigen::Map<const Mat3>(slope.data()) * X.R.transpose();
    const Vec3 w(W(2, 1), W(0, 2), W(1, 0));
    H.col(c).head<3>() = w;
    H.col(c).tail<3>() = Vec3(slope.tail<3>()) - la::cross(w, X.p);
  }
  return H;
}

/// [J-1] and [J-2]: H is the derivative of the pose, Ḣ that of H along the motion, Ḧ that of Ḣ.
void check_joint(const std::string& what, const JointModel& type, const JointMotion<double>& at,
                 std::vector<DerivativeCheck>& out) {
  const int n = type.nq();
  const auto name = [](Eigen::Index row, Eigen::Index column) {
    return "row " + std::to_string(row + 1) + " of q" + std::to_string(column + 1);
  };
  const auto pose = [&]<typename T>(const VecXT<T>& q) {
    const Pose<T> X = type.pose(JointVector<T>(q));
    VecXT<T> y(12);
    y << Eigen::Map<const VecXT<T>>(X.R.data(), 9), X.p;
    return y;
  };
  const auto columns = [&]<typename T>(const JointColumns<T>& H) {
    return VecXT<T>(Eigen::Map<const VecXT<T>>(H.data(), H.size()));
  };
  const auto unfold = [&](const VecX& y) { return MatX(Eigen::Map<const MatX>(y.data(), 6, n)); };
  const Pose<double> X = type.pose(at.q);
  compare_both(
      what + ", motion", type.motion(at.q), pose, at.q, [&](const MatX& J) { return twists(X, J); },
      name, out);
  const auto motion = [&]<typename T>(const VecXT<T>& q) {
    return columns.template operator()<T>(type.motion(JointVector<T>(q)));
  };
  compare_both(
      what + ", motion_dot", type.motion_dot(at.q, at.v), motion, at.q,
      [&](const MatX& J) { return unfold(J * at.v); }, name, out);
  VecX y(2 * n), ydot(2 * n);
  y << at.q, at.v;
  ydot << at.v, at.a;
  const auto motion_dot = [&]<typename T>(const VecXT<T>& z) {
    return columns.template operator()<T>(
        type.motion_dot(JointVector<T>(z.head(n)), JointVector<T>(z.tail(n))));
  };
  compare_both(
      what + ", motion_ddot", type.motion_ddot(at.q, at.v, at.a), motion_dot, y,
      [&](const MatX& J) { return unfold(J * ydot); }, name, out);
}

/// Effort and rates of states as functions of x, ẋ, t, the attributes and the states z of a port in one vector.
template <typename T>
VecXT<T> effort_of(const ForceModel& type, int states, const VecXT<T>& y) {
  const int nx = port_variables(type.port()), n = port_size(type.port());
  const PortState<T> state{y.head(nx), y.segment(nx, n), y(nx + n), y.tail(states)};
  AttributeVector<T> p = y.segment(nx + n + 1, type.attribute_count());
  int place = 0;  // of words, which differences would change to others
  for (const AttributeInfo& attribute : type.attributes()) {
    if (!attribute.words.empty()) p(place) = T(std::round(real_part(p(place))));
    place += attribute.size;
  }
  VecXT<T> out(n + states);
  out << type.effort(state, p), type.rates(state, p).head(states);
  return out;
}

std::string input_name(const ForceModel& type, Eigen::Index k) {
  const int nx = port_variables(type.port()), n = port_size(type.port());
  if (k < nx) return "x" + std::to_string(k + 1);
  if (k < nx + n) return "xdot" + std::to_string(k - nx + 1);
  if (k == nx + n) return "t";
  k -= nx + n + 1;
  for (const AttributeInfo& a : type.attributes()) {
    if (k < a.size) {
      return std::string(a.name) + (a.size > 1 ? std::to_string(k + 1) : std::string());
    }
    k -= a.size;
  }
  return std::string(type.states()[static_cast<std::size_t>(k)].name);
}

/// Optional numbers that nobody gave and nothing moves: 0 may stand for another value there, and beside it for itself.
std::vector<int> not_given(const Force& force, const AttributeVector<double>& attributes,
                           const std::vector<char>& moved) {
  std::vector<int> places;
  int place = 0;
  for (const AttributeInfo& info : force.type->attributes()) {
    for (int k = place; k < place + info.size; ++k) {
      const bool varies = std::any_of(force.variable.begin(), force.variable.end(),
                                      [&](const auto& varying) { return varying.first == k; });
      const bool still = !varies && !moved[static_cast<std::size_t>(force.attributes + k)];
      if (!info.required && still && attributes(k) == 0) places.push_back(k);
    }
    place += info.size;
  }
  return places;
}

void check_force(const std::string& what, const ForceModel& type, const PortState<double>& state,
                 const AttributeVector<double>& attributes, const std::vector<int>& held,
                 std::vector<DerivativeCheck>& out) {
  const int n = port_size(type.port());
  const auto ns = static_cast<int>(state.z.size());
  VecX y(port_variables(type.port()) + n + 1 + attributes.size() + ns);
  y << state.x, state.xdot, state.t, attributes, state.z;
  ForcePartials d;
  type.partials(state, attributes, d);
  MatX actual(n + ns, y.size());
  actual.topLeftCorner(n, y.size() - ns) << d.e_x, d.e_xdot, d.e_t, d.e_p;
  if (ns > 0) {
    actual.topRightCorner(n, ns) = d.e_z.leftCols(ns);
    actual.bottomRows(ns) << d.g_x.topRows(ns), d.g_xdot.topRows(ns), d.g_t.head(ns),
        d.g_p.topRows(ns), d.g_z.topLeftCorner(ns, ns);
  }
  const int first = port_variables(type.port()) + n + 1;
  for (const int k : held) actual.col(first + k).setZero();
  compare_both(
      what, actual,
      [&]<typename T>(VecXT<T> z) {
        for (const int k : held) z(first + k) = T(0);
        return effort_of<T>(type, ns, z);
      },
      y, [](const MatX& J) { return J; },
      [&](Eigen::Index row, Eigen::Index column) {
        const std::string of =
            row < n ? "effort " + std::to_string(row + 1) : "rate " + std::to_string(row - n + 1);
        return of + " by " + input_name(type, column);
      },
      out);
}

}  // namespace

void check_joints(const CheckPoint& at, std::vector<DerivativeCheck>& out) {
  SignalEvaluator<double> motion(at.model);
  motion.evaluate(at.p, at.x.t, in(at.x.q), in(at.x.v), in(at.x.a), in(at.x.lambda));
  for (std::size_t j = 0; j < at.model.joints().size(); ++j) {
    const Joint& joint = at.model.joints()[j];
    if (joint.type->nq() == 0) continue;
    const std::string what = "joint \"" + joint.name + "\"";
    const JointMotion<double> m = motion.joint_motion(static_cast<int>(j));
    check_joint(what, *joint.type, m, out);
    check_joint(what + " reversed", joint.type->reversed(), m, out);
  }
}

void check_forces(const CheckPoint& at, std::vector<DerivativeCheck>& out) {
  const Model& model = at.model;
  SignalEvaluator<double> motion(model);
  motion.evaluate(at.p, at.x.t, in(at.x.q), in(at.x.v), in(at.x.a), in(at.x.lambda));
  LoadedTree<double> tree(model, ReferencePoint::kCom);
  tree.set(at.p);
  TreeState<double> x(tree);
  std::vector<double> r(static_cast<std::size_t>(model.nq()));
  residual<double>(tree, at.x.t, motion.tree_q(), motion.tree_v(), motion.tree_a(), x, r);
  std::vector<int> all(at.rho.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<char> moved = model.design_map().moved_by(at.rho, all);
  for (std::size_t i = 0; i < model.forces().size(); ++i) {
    const Force& force = model.forces()[i];
    tree.ports[i]->each_state(
        port_site(tree, x, at.x.t), [&](const PortState<double>& state, int body) {
          std::string what = "force \"" + force.name + "\"";
          if (body >= 0) {
            what += " on body \"" + model.bodies()[static_cast<std::size_t>(body)].name + "\"";
          }
          const AttributeVector<double> numbers = attributes(tree, x, force);
          check_force(what, *force.type, state, numbers, not_given(force, numbers, moved), out);
        });
  }
}

}  // namespace kinegrad
