#include "kinegrad/assembly/joint_motion.hpp"

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

template <Scalar T>
JointMotion<T> joint_motion_of(const JointModel& type, const RelativeMotion<T>& relative) {
  JointMotion<T> motion;
  motion.q = type.coordinates_of(relative.X_FM);
  motion.v = type.speeds_of(motion.q, relative.V);
  const Twist<T> rest = relative.Vdot - type.motion_dot(motion.q, motion.v) * motion.v;
  motion.a = type.speeds_of(motion.q, rest);
  const auto coordinates = type.coordinates();
  for (int c = 0; c < type.nq(); ++c) {
    if (coordinates[static_cast<std::size_t>(c)].kind != CoordinateKind::kEulerParameter) continue;
    const Vec<T, 4> p = motion.q.template segment<4>(c), pdot = motion.v.template segment<4>(c);
    motion.a.template segment<4>(c) -= p * la::squared_norm(pdot);
    break;
  }
  return motion;
}

namespace {

/// bar · imaginary part of the motion, over the step.
double slope(const JointMotion<double>& bar, const JointMotion<Complex>& motion) {
  double sum = 0;
  for (Eigen::Index c = 0; c < bar.q.size(); ++c) {
    sum += bar.q(c) * motion.q(c).imag() + bar.v(c) * motion.v(c).imag() +
           bar.a(c) * motion.a(c).imag();
  }
  return sum / kComplexStep;
}

/// The pose turned and shifted a little along direction i of a twist in F.
Pose<Complex> moved(const Pose<Complex>& X, int i) {
  Vec3T<Complex> step = Vec3T<Complex>::Constant(Complex(0));
  step(i % 3) = Complex(0, kComplexStep);
  if (i >= 3) return {X.R, (X.p + step).eval()};
  return {(X.R + la::skew(step) * X.R).eval(), (X.p + la::cross(step, X.p)).eval()};
}

}  // namespace

RelativeCotangent pull_joint_motion(const JointModel& type, const RelativeMotion<double>& relative,
                                    const JointMotion<double>& bar) {
  const RelativeMotion<Complex> at{
      {relative.X_FM.R.cast<Complex>(), relative.X_FM.p.cast<Complex>()},
      relative.V.cast<Complex>(),
      relative.Vdot.cast<Complex>()};
  RelativeCotangent out;
  for (int i = 0; i < 6; ++i) {
    RelativeMotion<Complex> x = at;
    x.X_FM = moved(at.X_FM, i);
    out.X(i) = slope(bar, joint_motion_of(type, x));
    x = at;
    x.V(i) += Complex(0, kComplexStep);
    out.V(i) = slope(bar, joint_motion_of(type, x));
    x = at;
    x.Vdot(i) += Complex(0, kComplexStep);
    out.Vdot(i) = slope(bar, joint_motion_of(type, x));
  }
  return out;
}

template JointMotion<double> joint_motion_of(const JointModel&, const RelativeMotion<double>&);
template JointMotion<Complex> joint_motion_of(const JointModel&, const RelativeMotion<Complex>&);

}  // namespace kinegrad
