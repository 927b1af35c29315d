#include "kinegrad/simulation/equation_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kinegrad/math/sized.hpp"

namespace kinegrad {

namespace {

/// The box around points.
struct Box {
  Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
  void add(const Vec3& x) {
    if (!x.allFinite()) return;
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  bool empty() const { return !(low(0) <= high(0)); }
  double diagonal() const { return empty() ? 0 : (high - low).norm(); }
  double distance() const { return empty() ? 0 : low.cwiseAbs().cwiseMax(high.cwiseAbs()).norm(); }
};

Vec3 at(std::span<const double> p, int first) { return Eigen::Map<const Vec3>(p.data() + first); }

/// Points of the ground, and points far away, count where an equation reads them: those that only signals know may be
/// anywhere.
std::vector<bool> read_points(const Model& model) {
  std::vector<bool> read(model.vectors().size(), false);
  const auto mark = [&](int vector) {
    if (vector >= 0) read[static_cast<std::size_t>(vector)] = true;
  };
  for (const auto* rows : {&model.constraint_rows(), &model.initial_rows()}) {
    for (const ConstraintRow& row : *rows) {
      for (const ConstraintTerm& term : row.terms) {
        for (const WorldVector& v : {term.A, term.B}) {
          mark(v.plus);
          mark(v.minus);
        }
      }
    }
  }
  for (const ConstraintExpression& e : model.constraint_expressions()) {
    for (const ConstraintSlope& slope : e.slopes) {
      if (!slope.coordinate) mark(slope.element);
    }
  }
  return read;
}

/// Of a mechanism whose joints and points are all in one place: its bodies' centres of mass and radii
/// of gyration; else a metre.
double size_of_bodies(const Model& model, std::span<const double> p) {
  double size = 0;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Body& body = model.bodies()[b];
    if (body.auxiliary || body.mass.mass < 0) continue;
    const double mass = p[static_cast<std::size_t>(body.mass.mass)];
    size = std::max(size, at(p, body.mass.com).norm());
    if (mass > 0) {
      size = std::max(size, std::sqrt(at(p, body.mass.inertia).cwiseAbs().maxCoeff() / mass));
    }
  }
  return size > 0 && std::isfinite(size) ? size : 1;
}

}  // namespace

MechanismSize mechanism_size(const Model& model, std::span<const double> p,
                             std::span<const double> q) {
  PositionKinematics<double> position;
  position_kinematics<double>(model, p, q, position);
  Box box;
  const auto auxiliary = [&](int body) {
    return model.bodies()[static_cast<std::size_t>(body)].auxiliary;
  };
  const auto add = [&](int body, const Vec3& x) {
    const Pose<double>& X = position.X_WB[static_cast<std::size_t>(body)];
    box.add(X.p + X.R * x);
  };
  for (const Joint& joint : model.joints()) {
    if (auxiliary(joint.body1) || auxiliary(joint.body2)) continue;
    if (joint.type->name() != "floating") add(joint.body1, at(p, joint.F.origin()));
    add(joint.body2, at(p, joint.M.origin()));
  }
  const std::vector<bool> read = read_points(model);
  const auto each_point = [&](bool of_equations,
                              const std::function<void(int, const Vec3&)>& visit) {
    for (std::size_t k = 0; k < model.vectors().size(); ++k) {
      const BodyVector& v = model.vectors()[k];
      const bool counts = of_equations || v.body != 0;
      if (v.is_point && !auxiliary(v.body) && read[k] == of_equations && counts) {
        visit(v.body, at(p, v.first));
      }
    }
  };
  each_point(true, add);
  constexpr double kPoint = 1e-12;  // of its distance: all in one place
  constexpr double kFar = 1e3;      // of the size of what equations read
  const bool extended = box.diagonal() > kPoint * box.distance();
  const double reach = extended ? kFar * box.diagonal() : HUGE_VAL;
  const Vec3 centre = extended ? Vec3(0.5 * (box.low + box.high)) : Vec3(Vec3::Zero());
  each_point(false, [&](int body, const Vec3& x) {
    const Pose<double>& X = position.X_WB[static_cast<std::size_t>(body)];
    if (!extended || (X.p + X.R * x - centre).norm() <= reach) add(body, x);
  });
  MechanismSize out;
  out.size = box.diagonal();
  if (!(out.size > kPoint * box.distance())) out.size = size_of_bodies(model, p);
  out.distance = std::max(out.size, box.distance());
  return out;
}

EquationScale::EquationScale(const Model& model, std::span<const double> p, double t,
                             std::span<const double> q, double size)
    : model_(model), size_(size), motion_(model) {
  const std::vector<double> zero(q.size(), 0.0);
  motion_.move(p, q, zero, zero);
  inputs_.assign(model.signal_inputs().size(), 0.0);
  for (const int k : model.constraint_inputs()) {
    const SignalInput& in = model.signal_inputs()[static_cast<std::size_t>(k)];
    double& value = inputs_[static_cast<std::size_t>(k)];
    if (in.order > 0) continue;  // slopes do not read rates
    switch (in.kind) {
      case SignalInput::Kind::kTime: value = t; break;
      case SignalInput::Kind::kPhysical: value = p[static_cast<std::size_t>(in.element)]; break;
      case SignalInput::Kind::kJoint:
        value = motion_.joint_motion(in.element).q(in.component);
        break;
      case SignalInput::Kind::kVector:
        value = motion_.point_motion(in.element).r(in.component);
        break;
      case SignalInput::Kind::kReaction:
      case SignalInput::Kind::kForce:
      case SignalInput::Kind::kMultiplier:
      case SignalInput::Kind::kEnergy: break;  // no constraint reads these
    }
  }
  if (model.constraint_tape().output_count() > 0) take_path_sizes();
}

bool EquationScale::is_point(int vector) const {
  return model_.vectors()[static_cast<std::size_t>(vector)].is_point;
}

EquationScale::Extent EquationScale::extent(const WorldVector& vector) const {
  Vec3 x = motion_.point_motion(vector.plus).r;
  if (vector.minus >= 0) x -= motion_.point_motion(vector.minus).r;
  if (!is_point(vector.plus)) return {x.norm(), x.norm(), false};
  constexpr double kNear = 1e-3;  // points that meet still move by ℓ
  return {std::max(x.norm(), kNear * size_), size_, true};
}

void EquationScale::add(const ConstraintTerm& term, Sums& sums) const {
  const Extent A = extent(term.A);
  const bool single = term.product == ConstraintTerm::Product::kComponent;
  const Extent B = single ? Extent{1, 0, false} : extent(term.B);
  const double f = std::abs(term.factor);
  sums.scale += f * (A.reach * B.length + A.length * B.reach);
  (A.points ? sums.per_metre : sums.per_radian) += f * (A.points ? 1 : A.length) * B.length;
  if (single) return;
  (B.points ? sums.per_metre : sums.per_radian) += f * (B.points ? 1 : B.length) * A.length;
}

/// |∂E/∂x| of all expressions, over all paths by absolute values [EX-8]: an expression that cancels identically
/// has the size of its terms, not that of their rounding. One pass of the tape for everything that is read.
void EquationScale::take_path_sizes() {
  const Tape& tape = model_.constraint_tape();
  std::vector<Sized> inputs(inputs_.begin(), inputs_.end()),
      registers(static_cast<std::size_t>(tape.register_count())),
      outputs(static_cast<std::size_t>(tape.output_count()));
  for (const int k : model_.constraint_inputs()) {
    std::vector<double>& sizes = path_sizes_.emplace_back();
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(k)];
    const bool moves =
        in.kind == SignalInput::Kind::kJoint || in.kind == SignalInput::Kind::kVector;
    if (!moves || in.order > 1) continue;
    inputs[static_cast<std::size_t>(k)].size = 1;
    tape.evaluate<Sized>(inputs, registers, outputs);
    inputs[static_cast<std::size_t>(k)].size = 0;
    for (const Sized& x : outputs) sizes.push_back(x.size);
  }
}

/// |∂E/∂x| of what a slope belongs to.
double EquationScale::path_size(const ConstraintExpression& expression,
                                const ConstraintSlope& slope) const {
  const int order = expression.value[0] >= 0 ? 0 : 1;
  const auto output = static_cast<std::size_t>(expression.value[static_cast<std::size_t>(order)]);
  const auto kind = slope.coordinate ? SignalInput::Kind::kJoint : SignalInput::Kind::kVector;
  const auto& all = model_.constraint_inputs();
  double size = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(all[k])];
    const bool same = in.kind == kind && in.order == order && in.element == slope.element &&
                      in.component == slope.component;
    if (same) size += path_sizes_[k][output];
  }
  return size;
}

void EquationScale::add(const ConstraintExpression& expression, const ConstraintSlope& slope,
                        Sums& sums) const {
  const double value = path_size(expression, slope);
  if (!std::isfinite(value)) return;
  if (!slope.coordinate) {
    const bool point = is_point(slope.element);
    sums.scale += value * (point ? size_ : 1);
    (point ? sums.per_metre : sums.per_radian) += value;
    return;
  }
  const Joint& joint = model_.joints()[static_cast<std::size_t>(slope.element)];
  const auto c = static_cast<std::size_t>(slope.component);
  const bool length = joint.type->coordinates()[c].kind == CoordinateKind::kLength;
  sums.scale += value * unit_of_coordinate(model_, joint, slope.component, size_);
  (length ? sums.per_metre : sums.per_radian) += value;
}

EquationScale::Sums EquationScale::sums(const ConstraintRow& row) const {
  Sums sums;
  for (const ConstraintTerm& term : row.terms) add(term, sums);
  if (row.expression >= 0) {
    const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
    for (const ConstraintSlope& slope : e.slopes) add(e, slope, sums);
  }
  if (!(sums.scale > 0) || !std::isfinite(sums.scale)) sums.scale = 1;
  return sums;
}

EquationScale::Opening EquationScale::opened(const ConstraintRow& row, double value) const {
  const Sums s = sums(row);
  if (s.per_metre > 0) return {std::abs(value) / s.per_metre, " m"};
  if (s.per_radian > 0) return {std::abs(value) / s.per_radian, " rad"};
  return {std::abs(value), ""};
}

std::string EquationScale::opening(const ConstraintRow& row, double value) const {
  const Opening o = opened(row, value);
  return fmt::format("{:.3g}{}", o.value, o.unit);
}

}  // namespace kinegrad
