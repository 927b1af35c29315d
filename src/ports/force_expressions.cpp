#include "kinegrad/ports/force_expressions.hpp"

#include <algorithm>
#include <utility>

namespace kinegrad {

using la::cross;
using Kind = SignalInput::Kind;

template <Scalar T>
ForceExpressions<T>::ForceExpressions(const Model& of)
    : model(of), places(of.force_inputs().size()), inputs(of.signal_inputs().size(), T(0)) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (input(k).kind != Kind::kPhysical) moving.push_back(k);
  }
}

template <Scalar T>
void ForceExpressions<T>::place(const TreeParameters<T>& tree) {
  ++placed;
  // splines make thousands of inputs
  const int* const of = model.force_inputs().data();
  const SignalInput* const signals = model.signal_inputs().data();
  const T* const p = tree.p.data();
  T* const values = inputs.data();
  for (std::size_t k = 0; k < places.size(); ++k) {
    const SignalInput& in = signals[of[k]];
    if (in.kind == Kind::kPhysical) values[of[k]] = p[in.element];
    if (in.kind == Kind::kVector) places[k] = tree.place(in.element);
  }
}

template <Scalar T>
ForceExpressionValues<T>::ForceExpressionValues(const ForceExpressions<T>& of)
    : inputs(of.inputs),
      registers(static_cast<std::size_t>(of.model.force_tape().register_count())),
      outputs(static_cast<std::size_t>(of.model.force_tape().output_count())) {}

template <Scalar T>
void ForceExpressions<T>::evaluate(const PortSite<T>& site, ForceExpressionValues<T>& x) const {
  if (x.outputs.empty()) return;
  if (x.placed != placed) x.inputs = inputs;
  x.placed = placed;
  for (const std::size_t k : moving) {
    const SignalInput& in = input(k);
    T& value = x.inputs[static_cast<std::size_t>(model.force_inputs()[k])];
    switch (in.kind) {
      case Kind::kTime: value = site.t; break;
      case Kind::kJoint: {
        const int first = model.joints()[static_cast<std::size_t>(in.element)].q_first;
        const auto i = static_cast<std::size_t>(first + in.component);
        value = in.order == 0 ? site.motion.q[i] : site.motion.v[i];
        break;
      }
      case Kind::kVector: {
        const bool is_point = model.vectors()[static_cast<std::size_t>(in.element)].is_point;
        const PointState<T> s = is_point ? point_state(site.motion, places[k])
                                         : direction_state(site.motion, places[k]);
        value = in.order == 0 ? s.r(in.component) : s.rdot(in.component);
        break;
      }
      case Kind::kPhysical:  // set with the parameters
      case Kind::kReaction:
      case Kind::kForce:
      case Kind::kMultiplier:
      case Kind::kEnergy: break;  // refused when the model is compiled
    }
  }
  model.force_tape().template evaluate<T>(x.inputs, x.registers, x.outputs);
}

template <Scalar T>
AttributeVector<T> ForceExpressions<T>::attributes(const TreeParameters<T>& tree,
                                                   const Force& force,
                                                   const ForceExpressionValues<T>& x) const {
  AttributeVector<T> a =
      Eigen::Map<const VecXT<T>>(tree.p.data() + force.attributes, force.type->attribute_count());
  for (const auto& [place, output] : force.variable) {
    a(place) = x.outputs[static_cast<std::size_t>(output)];
  }
  return a;
}

template struct ForceExpressions<double>;
template struct ForceExpressions<Complex>;
template struct ForceExpressionValues<double>;
template struct ForceExpressionValues<Complex>;

ForceExpressionPartials::ForceExpressionPartials(const ForceExpressions<double>& expressions)
    : x_(expressions),
      bar_outputs_(static_cast<std::size_t>(x_.model.force_tape().output_count()), 0.0),
      bar_registers_(static_cast<std::size_t>(x_.model.force_tape().register_count())),
      bar_inputs_(x_.inputs.size(), 0.0),
      d_inputs_(x_.inputs.size(), 0.0),
      d_registers_(bar_registers_.size()),
      d_outputs_(bar_outputs_.size(), 0.0) {}

std::vector<int> ForceExpressionPartials::columns(const TreeParameters<double>& tree,
                                                  int output) const {
  std::vector<int> out;
  const bool still = std::none_of(x_.moving.begin(), x_.moving.end(), [&](std::size_t k) {
    return x_.input(k).kind == Kind::kJoint || x_.input(k).kind == Kind::kVector;
  });
  if (still) return out;
  const std::vector<bool> read = x_.model.force_tape().inputs_of(output);
  for (const std::size_t k : x_.moving) {
    const auto input = static_cast<std::size_t>(x_.model.force_inputs()[k]);
    if (input >= read.size() || !read[input]) continue;
    const SignalInput& in = x_.input(k);
    if (in.kind == Kind::kJoint) {
      out.push_back(x_.model.joints()[static_cast<std::size_t>(in.element)].q_first + in.component);
    } else if (in.kind == Kind::kVector) {
      const int body = x_.model.vectors()[static_cast<std::size_t>(in.element)].body;
      tree.each_column(tree.node_of(body), [&](int c) { out.push_back(c); });
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Backwards through the tape from bar_outputs_: on_moving(k, bar) for inputs that move,
/// on_parameter(entry of p, bar) for the others. Of a spline only the values in use are visited, so the
/// cost does not grow with their number; the bars are zero again afterwards.
template <typename Moving, typename Physical>
void ForceExpressionPartials::reverse(const Values& x, const Moving& on_moving,
                                      const Physical& on_parameter) {
  const Tape& tape = x_.model.force_tape();
  tape.reverse(x.inputs, x.registers, bar_outputs_, bar_registers_, bar_inputs_);
  const auto take = [&](int input) {
    return std::exchange(bar_inputs_[static_cast<std::size_t>(input)], 0.0);
  };
  for (const std::size_t k : x_.moving) {
    const double bar = take(x_.model.force_inputs()[k]);
    if (bar != 0) on_moving(k, bar);
  }
  const auto parameter = [&](int input) {
    const double bar = take(input);
    if (bar == 0) return;
    on_parameter(x_.model.signal_inputs()[static_cast<std::size_t>(input)].element, bar);
  };
  for (const int input : tape.plain_inputs()) parameter(input);
  if (tape.has_splines()) tape.each_spline_input(x.registers, parameter);
}

void ForceExpressionPartials::gradient(const Values& x, const PortSite<double>& site,
                                       const TreeLinearization& at, int output,
                                       std::span<const int> columns, VecX& by_q, VecX& by_v) {
  clear();
  bar_outputs_[static_cast<std::size_t>(output)] = 1;
  for (const int c : columns) by_q(c) = by_v(c) = 0;
  reverse(
      x, [&](std::size_t k, double bar) { add_gradient(site, at, k, bar, by_q, by_v); },
      [](int, double) {});
}

/// ∂r/∂q = u + w×r, ∂ṙ/∂q = u̇ + ẇ×r + w×ṙ of a point, the turns alone of a direction [K-5], [K-6].
void ForceExpressionPartials::add_gradient(const PortSite<double>& site,
                                           const TreeLinearization& at, std::size_t k, double bar,
                                           VecX& by_q, VecX& by_v) const {
  const SignalInput& in = x_.input(k);
  if (in.kind == Kind::kJoint) {
    const int c = x_.model.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
    (in.order == 0 ? by_q : by_v)(c) += bar;
  } else if (in.kind == Kind::kVector) {
    const PointState<double> s = state(site, k);
    const bool point = is_point(in);
    const Vec3 lever = point ? Vec3(s.r - at.x0) : s.r;
    site.tree.each_column(x_.places[k].node, [&](int c) {
      const Vec3 w = at.S.col(c).head<3>(), wdot = at.Sdot.col(c).head<3>();
      Vec3 x = cross(w, lever), xdot = cross(wdot, lever) + cross(w, s.rdot);
      if (point) {
        x += at.S.col(c).tail<3>();
        xdot += at.Sdot.col(c).tail<3>();
      }
      by_q(c) += bar * (in.order == 0 ? x : xdot)(in.component);
      if (in.order != 0) by_v(c) += bar * x(in.component);
    });
  }
}

void ForceExpressionPartials::clear() { std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0); }

void ForceExpressionPartials::add_cotangent(const Force& force, AttributeVector<double> bar,
                                            std::span<double> p_bar) {
  for (const auto& [place, output] : force.variable) {
    bar_outputs_[static_cast<std::size_t>(output)] += bar(place);
    bar(place) = 0;
  }
  if (p_bar.empty()) return;
  for (Eigen::Index m = 0; m < bar.size(); ++m) {
    p_bar[static_cast<std::size_t>(force.attributes + m)] += bar(m);
  }
}

void ForceExpressionPartials::pullback(const Values& x, const PortSite<double>& site,
                                       const TreeLinearization& at, TreeCotangent& sums,
                                       const ResidualCotangent& out) {
  if (bar_outputs_.empty()) return;
  reverse(
      x, [&](std::size_t k, double bar) { pull_input(site, at, k, bar, sums, out); },
      [&](int element, double bar) {
        if (!out.p.empty()) out.p[static_cast<std::size_t>(element)] += bar;
      });
}

/// One input of the tape that is not a parameter.
void ForceExpressionPartials::pull_input(const PortSite<double>& site, const TreeLinearization& at,
                                         std::size_t k, double bar, TreeCotangent& sums,
                                         const ResidualCotangent& out) const {
  const SignalInput& in = x_.input(k);
  if (in.kind == Kind::kJoint) {
    const int c = x_.model.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
    if (!out.q.empty()) (in.order == 0 ? out.q : out.v)[static_cast<std::size_t>(c)] += bar;
  } else if (in.kind == Kind::kVector) {
    const Vec3 none = Vec3::Zero(), component = bar * Vec3::Unit(in.component);
    const Vec3 r_bar = in.order == 0 ? component : none;
    const Vec3 rdot_bar = in.order == 0 ? none : component;
    const PointState<double> s = state(site, k);
    const int node = x_.places[k].node;
    if (is_point(in)) {
      accumulate_point(node, s.r - at.x0, s.rdot, none, r_bar, rdot_bar, sums);
    } else if (node >= 0) {
      sums.at(node).g.head<3>() += cross(s.r, r_bar) + cross(s.rdot, rdot_bar);
      sums.at(node).z.head<3>() += cross(s.r, rdot_bar);
    }
    const int first = x_.model.vectors()[static_cast<std::size_t>(in.element)].first;
    accumulate_point_coordinates(at, sums, node, first, none, r_bar, rdot_bar, out.p);
  }
}

/// Forwards through the tape, from parameters and from the vectors it reads.
void ForceExpressionPartials::forward(const Values& x, const PortSite<double>& site,
                                      const TreeLinearization& at,
                                      const TreeDisplacement& displacement) {
  const auto set = [&](int input) -> double& { return d_inputs_[static_cast<std::size_t>(input)]; };
  const std::vector<InputChange>& changes = displacement.direction->force_inputs;
  for (const InputChange& change : changes) set(change.input) = change.d;
  for (const std::size_t k : x_.moving) {
    const SignalInput& in = x_.input(k);
    double& d = set(x_.model.force_inputs()[k]);
    d = 0;
    if (in.kind == Kind::kJoint && displacement.direction->of_state) {
      const int first = x_.model.joints()[static_cast<std::size_t>(in.element)].q_first;
      const ParameterDirection& direction = *displacement.direction;
      d = (in.order == 0 ? direction.dq
                         : direction.dv)[static_cast<std::size_t>(first + in.component)];
    }
    if (in.kind != Kind::kVector) continue;
    const PointState<double> s = state(site, k);
    const int node = x_.places[k].node;
    const Vec3& c = displacement.own[static_cast<std::size_t>(in.element)];
    const Vec3 own = at.rotation(node) * c;
    PointTangent change;
    if (is_point(in)) {
      change = point_tangent(at, displacement, node, s.r - at.x0, s.rdot, own);
    } else {
      change.x = own + displacement.turned(node, s.r);
      if (node >= 0) change.xdot = cross(Vec3(at.body(node).V.head<3>()), own);
      if (displacement.moves(node)) {
        change.xdot +=
            cross(displacement.of(node).Xdot.w.vector(), s.r) + displacement.turned(node, s.rdot);
      }
    }
    d = (in.order == 0 ? change.x : change.xdot)(in.component);
  }
  x_.model.force_tape().forward(x.inputs, x.registers, d_inputs_, d_registers_, d_outputs_);
  for (const InputChange& change : changes) set(change.input) = 0;
}

}  // namespace kinegrad
