// Joints and forces of a model, one by one.
#include "sensitivity/derivative_checks.hpp"

#include "kinegrad/assembly/signal_evaluator.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/physical.hpp"

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

/// A place where a force is evaluated.
struct PortPlace {
  std::string name;
  PortState<double> state;
};

std::vector<PortPlace> places(const CheckPoint& at, const Force& force,
                              const SignalEvaluator<double>& motion) {
  const double t = at.x.t;
  const Vec3 zero = Vec3::Zero();
  switch (force.type->port()) {
    case PortKind::kPointPair:
    case PortKind::kBodyPoint: {
      const PointMotion<double> b = motion.point_motion(force.point2);
      Vec3 r = b.r, rdot = b.rdot;
      if (force.point1 >= 0) {
        const PointMotion<double> a = motion.point_motion(force.point1);
        r -= a.r;
        rdot -= a.rdot;
      }
      return {{"", {r, rdot, t}}};
    }
    case PortKind::kJointCoordinate: {
      const JointMotion<double> m = motion.joint_motion(force.joint);
      return {{"", {m.q.segment(force.coordinate, 1), m.v.segment(force.coordinate, 1), t}}};
    }
    case PortKind::kBody: return {{"", {zero, zero, t}}};
    case PortKind::kField: break;
  }
  std::vector<PortPlace> all;
  for (std::size_t k = 1; k < at.model.bodies().size(); ++k) {
    const Body& body = at.model.bodies()[k];
    if (body.auxiliary) continue;
    const Pose<double>& X = motion.position().X_WB[k];
    const Vec3 c = X.R * vector_at(std::span<const double>(at.p), body.mass.com);
    all.push_back({" on body \"" + body.name + "\"",
                   {Vec3(X.p + c),
                    Vec3(motion.velocity().v_WB[k] + la::cross(motion.velocity().w_WB[k], c)), t}});
  }
  return all;
}

/// x, ẋ, t and the attributes of a port in one vector.
template <typename T>
VecXT<T> effort_of(const ForceModel& type, const VecXT<T>& y) {
  const int n = port_size(type.port());
  const PortState<T> state{y.head(n), y.segment(n, n), y(2 * n)};
  return type.effort(state, AttributeVector<T>(y.tail(y.size() - 2 * n - 1)));
}

std::string input_name(const ForceModel& type, Eigen::Index k) {
  const int n = port_size(type.port());
  if (k < n) return "x" + std::to_string(k + 1);
  if (k < 2 * n) return "xdot" + std::to_string(k - n + 1);
  if (k == 2 * n) return "t";
  k -= 2 * n + 1;
  for (const AttributeInfo& a : type.attributes()) {
    if (k < a.size) {
      return std::string(a.name) + (a.size > 1 ? std::to_string(k + 1) : std::string());
    }
    k -= a.size;
  }
  return {};
}

void check_force(const std::string& what, const ForceModel& type, const PortState<double>& state,
                 const AttributeVector<double>& attributes, std::vector<DerivativeCheck>& out) {
  const int n = port_size(type.port());
  VecX y(2 * n + 1 + attributes.size());
  y << state.x, state.xdot, state.t, attributes;
  ForcePartials partials;
  type.partials(state, attributes, partials);
  MatX actual(n, y.size());
  actual << partials.e_x, partials.e_xdot, partials.e_t, partials.e_p;
  compare_both(
      what, actual, [&]<typename T>(const VecXT<T>& z) { return effort_of<T>(type, z); }, y,
      [](const MatX& J) { return J; },
      [&](Eigen::Index row, Eigen::Index column) {
        return "effort " + std::to_string(row + 1) + " by " + input_name(type, column);
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
  const Tape& tape = model.force_tape();
  std::vector<double> registers(static_cast<std::size_t>(tape.register_count())),
      outputs(static_cast<std::size_t>(tape.output_count()));
  tape.evaluate<double>(motion.all_inputs(), registers, outputs);
  for (const Force& force : model.forces()) {
    AttributeVector<double> attributes =
        Eigen::Map<const VecX>(at.p.data() + force.attributes, force.type->attribute_count());
    for (const auto& [place, output] : force.variable) {
      attributes(place) = outputs[static_cast<std::size_t>(output)];
    }
    for (const PortPlace& place : places(at, force, motion)) {
      check_force("force \"" + force.name + "\"" + place.name, *force.type, place.state, attributes,
                  out);
    }
  }
}

}  // namespace kinegrad
