#include "kinegrad/ports/force_expressions.hpp"

#include <algorithm>
#include <utility>

namespace kinegrad {

using la::cross;
using Kind = SignalInput::Kind;

template <Scalar T>
ForceExpressions<T>::ForceExpressions(const Model& of)
    : model(of), inputs(of.signal_inputs().size(), T(0)) {
  const auto vector_of = [&](int element) -> Vector& {
    const auto it = std::find_if(vectors.begin(), vectors.end(),
                                 [&](const Vector& x) { return x.element == element; });
    if (it != vectors.end()) return *it;
    Vector& vector = vectors.emplace_back();
    vector.element = element;
    vector.is_point = model.vectors()[static_cast<std::size_t>(element)].is_point;
    return vector;
  };
  for (std::size_t k = 0; k < model.force_inputs().size(); ++k) {
    const SignalInput& in = input(k);
    if (in.kind != Kind::kPhysical) moving.push_back(k);
    if (in.kind != Kind::kVector) continue;
    const int of_rates = in.order == 0 ? 0 : 3;
    vector_of(in.element).inputs[static_cast<std::size_t>(of_rates + in.component)] =
        model.force_inputs()[k];
  }
  std::stable_partition(moving.begin(), moving.end(),
                        [&](std::size_t k) { return input(k).kind != Kind::kVector; });
}

template <Scalar T>
void ForceExpressions<T>::place(const TreeParameters<T>& tree) {
  ++placed;
  // splines make thousands of inputs
  const SignalInput* const signals = model.signal_inputs().data();
  const T* const p = tree.p.data();
  T* const values = inputs.data();
  for (const int of : model.force_inputs()) {
    if (signals[of].kind == Kind::kPhysical) values[of] = p[signals[of].element];
  }
  for (Vector& vector : vectors) vector.place = tree.place(vector.element);
}

namespace {

template <Scalar T>
PointState<T> state_of(const PortSite<T>& site, const typename ForceExpressions<T>::Vector& x) {
  return x.is_point ? point_state(site.motion, x.place) : direction_state(site.motion, x.place);
}

}  // namespace

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
    if (in.kind == Kind::kVector) break;
    T& value = x.inputs[static_cast<std::size_t>(model.force_inputs()[k])];
    if (in.kind == Kind::kTime) {
      value = site.t;
    } else {
      const int first = model.joints()[static_cast<std::size_t>(in.element)].q_first;
      const auto i = static_cast<std::size_t>(first + in.component);
      value = in.order == 0 ? site.motion.q[i] : site.motion.v[i];
    }
  }
  for (const Vector& vector : vectors) {
    const PointState<T> s = state_of(site, vector);
    for (int c = 0; c < 3; ++c) {
      const int r = vector.inputs[static_cast<std::size_t>(c)];
      const int rdot = vector.inputs[static_cast<std::size_t>(3 + c)];
      if (r >= 0) x.inputs[static_cast<std::size_t>(r)] = s.r(c);
      if (rdot >= 0) x.inputs[static_cast<std::size_t>(rdot)] = s.rdot(c);
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

OutputReads ForceExpressionPartials::reads(const TreeParameters<double>& tree, int output) const {
  OutputReads out;
  const auto is_coordinate = [&](std::size_t k) { return x_.input(k).kind == Kind::kJoint; };
  if (x_.vectors.empty() && std::none_of(x_.moving.begin(), x_.moving.end(), is_coordinate)) {
    return out;
  }
  const std::vector<bool> read = x_.model.force_tape().inputs_of(output);
  const auto reads = [&](int input) {
    return input >= 0 && static_cast<std::size_t>(input) < read.size() &&
           read[static_cast<std::size_t>(input)];
  };
  for (const int input : x_.model.force_tape().plain_inputs()) {
    const Kind kind = x_.model.signal_inputs()[static_cast<std::size_t>(input)].kind;
    if (reads(input) && kind != Kind::kJoint && kind != Kind::kVector) out.others.push_back(input);
  }
  for (const std::size_t k : x_.moving) {
    if (!is_coordinate(k) || !reads(x_.model.force_inputs()[k])) continue;
    out.scalars.push_back(k);
    out.columns.push_back(coordinate(x_.input(k)));
  }
  for (std::size_t k = 0; k < x_.vectors.size(); ++k) {
    const Vector& vector = x_.vectors[k];
    if (std::none_of(vector.inputs.begin(), vector.inputs.end(), reads)) continue;
    out.vectors.push_back(k);
    const int body = x_.model.vectors()[static_cast<std::size_t>(vector.element)].body;
    tree.each_column(tree.node_of(body), [&](int c) { out.columns.push_back(c); });
  }
  std::sort(out.columns.begin(), out.columns.end());
  out.columns.erase(std::unique(out.columns.begin(), out.columns.end()), out.columns.end());
  return out;
}

double ForceExpressionPartials::take(int input) {
  return input < 0 ? 0 : std::exchange(bar_inputs_[static_cast<std::size_t>(input)], 0.0);
}

ForceExpressionPartials::VectorBar ForceExpressionPartials::take(const Vector& vector) {
  VectorBar bar;
  for (int c = 0; c < 3; ++c) {
    bar.r(c) = take(vector.inputs[static_cast<std::size_t>(c)]);
    bar.rdot(c) = take(vector.inputs[static_cast<std::size_t>(3 + c)]);
  }
  return bar;
}

/// ∂r/∂q = u + w×r, ∂ṙ/∂q = u̇ + ẇ×r + w×ṙ of a point, the turns alone of a direction [K-5], [K-6]; the cotangents
/// of r and ṙ as a force and its moment on every column.
void ForceExpressionPartials::gradient(const Values& x, const PortSite<double>& site,
                                       const TreeLinearization& at, int output,
                                       const OutputReads& reads, VecX& by_q, VecX& by_v) {
  clear();
  bar_outputs_[static_cast<std::size_t>(output)] = 1;
  const Tape& tape = x_.model.force_tape();
  tape.reverse(x.inputs, x.registers, bar_outputs_, bar_registers_, bar_inputs_);
  for (const int input : reads.others) take(input);
  if (tape.has_splines()) tape.each_spline_input(x.registers, [&](int input) { take(input); });
  for (const int c : reads.columns) by_q(c) = by_v(c) = 0;
  for (const std::size_t k : reads.scalars) {
    const SignalInput& in = x_.input(k);
    (in.order == 0 ? by_q : by_v)(coordinate(in)) += take(x_.model.force_inputs()[k]);
  }
  for (const std::size_t k : reads.vectors) {
    const Vector& vector = x_.vectors[k];
    const VectorBar bar = take(vector);
    if (!bar.any()) continue;
    const PointState<double> s = state_of(site, vector);
    const Vec3 lever = vector.is_point ? Vec3(s.r - at.x0) : s.r;
    Twist<double> by_S, by_Sdot;
    by_S << cross(lever, bar.r) + cross(s.rdot, bar.rdot), vector.is_point ? bar.r : Vec3::Zero();
    by_Sdot << cross(lever, bar.rdot), vector.is_point ? bar.rdot : Vec3::Zero();
    site.tree.each_column(vector.place.node, [&](int c) {
      by_q(c) += by_S.dot(at.S.col(c)) + by_Sdot.dot(at.Sdot.col(c));
      by_v(c) += by_Sdot.dot(at.S.col(c));
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

/// Backwards through the tape from bar_outputs_. The cotangents of all inputs are zero again afterwards.
void ForceExpressionPartials::pullback(const Values& x, const PortSite<double>& site,
                                       const TreeLinearization& at, TreeCotangent& sums,
                                       const ResidualCotangent& out) {
  if (bar_outputs_.empty()) return;
  x_.model.force_tape().reverse(x.inputs, x.registers, bar_outputs_, bar_registers_, bar_inputs_);
  for (const std::size_t k : x_.moving) {
    const SignalInput& in = x_.input(k);
    if (in.kind == Kind::kVector) break;
    const double bar = take(x_.model.force_inputs()[k]);
    if (in.kind != Kind::kJoint || out.q.empty()) continue;
    (in.order == 0 ? out.q : out.v)[static_cast<std::size_t>(coordinate(in))] += bar;
  }
  for (const Vector& vector : x_.vectors) {
    const VectorBar bar = take(vector);
    if (bar.any()) pull_vector(site, at, vector, bar, sums, out);
  }
  pull_parameters(x, out.p);
}

/// Of a spline only the values in use are visited, so the cost does not grow with their number.
void ForceExpressionPartials::pull_parameters(const Values& x, std::span<double> p_bar) {
  const auto parameter = [&](int input) {
    const double bar = take(input);
    if (bar == 0 || p_bar.empty()) return;
    const SignalInput& in = x_.model.signal_inputs()[static_cast<std::size_t>(input)];
    p_bar[static_cast<std::size_t>(in.element)] += bar;
  };
  const Tape& tape = x_.model.force_tape();
  for (const int input : tape.plain_inputs()) parameter(input);
  if (tape.has_splines()) tape.each_spline_input(x.registers, parameter);
}

void ForceExpressionPartials::pull_vector(const PortSite<double>& site, const TreeLinearization& at,
                                          const Vector& vector, const VectorBar& bar,
                                          TreeCotangent& sums, const ResidualCotangent& out) const {
  const Vec3 none = Vec3::Zero();
  const PointState<double> s = state_of(site, vector);
  const int node = vector.place.node;
  if (vector.is_point) {
    accumulate_point(node, s.r - at.x0, s.rdot, none, bar.r, bar.rdot, sums);
  } else if (node >= 0) {
    sums.at(node).g.head<3>() += cross(s.r, bar.r) + cross(s.rdot, bar.rdot);
    sums.at(node).z.head<3>() += cross(s.r, bar.rdot);
  }
  const int first = x_.model.vectors()[static_cast<std::size_t>(vector.element)].first;
  accumulate_point_coordinates(at, sums, node, first, none, bar.r, bar.rdot, out.p);
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
    if (in.kind == Kind::kVector) break;
    double& d = set(x_.model.force_inputs()[k]);
    d = 0;
    if (in.kind != Kind::kJoint || !displacement.direction->of_state) continue;
    const ParameterDirection& direction = *displacement.direction;
    d = (in.order == 0 ? direction.dq
                       : direction.dv)[static_cast<std::size_t>(coordinate(in))];
  }
  for (const Vector& vector : x_.vectors) {
    const PointState<double> s = state_of(site, vector);
    const int node = vector.place.node;
    const Vec3& c = displacement.own[static_cast<std::size_t>(vector.element)];
    const Vec3 own = at.rotation(node) * c;
    PointTangent change;
    if (vector.is_point) {
      change = point_tangent(at, displacement, node, s.r - at.x0, s.rdot, own);
    } else {
      change.x = own + displacement.turned(node, s.r);
      if (node >= 0) change.xdot = cross(Vec3(at.body(node).V.head<3>()), own);
      if (displacement.moves(node)) {
        change.xdot +=
            cross(displacement.of(node).Xdot.w.vector(), s.r) + displacement.turned(node, s.rdot);
      }
    }
    for (int i = 0; i < 3; ++i) {
      const int r = vector.inputs[static_cast<std::size_t>(i)];
      const int rdot = vector.inputs[static_cast<std::size_t>(3 + i)];
      if (r >= 0) set(r) = change.x(i);
      if (rdot >= 0) set(rdot) = change.xdot(i);
    }
  }
  x_.model.force_tape().forward(x.inputs, x.registers, d_inputs_, d_registers_, d_outputs_);
  for (const InputChange& change : changes) set(change.input) = 0;
}

}  // namespace kinegrad
