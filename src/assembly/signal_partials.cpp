#include "kinegrad/assembly/signal_partials.hpp"

#include <algorithm>

namespace kinegrad {

using Kind = SignalInput::Kind;

SignalPartials::SignalPartials(const Model& model)
    : model_(model),
      dynamics_(model, ReferencePoint::kCom),
      tree_(dynamics_),
      values_(model),
      bar_outputs_(static_cast<std::size_t>(model.signal_tape().output_count()), 0.0),
      bar_registers_(static_cast<std::size_t>(model.signal_tape().register_count())),
      bar_inputs_(model.signal_inputs().size()),
      vectors_(model.vectors().size()),
      touched_(model.vectors().size(), 0) {}

void SignalPartials::set_parameters(std::span<const double> p) {
  p_.assign(p.begin(), p.end());
  dynamics_.set_parameters(p);
}

std::string SignalPartials::refusal(int output) const {
  const std::vector<bool> used = model_.signal_tape().inputs_of(output);
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) continue;
    const SignalInput& in = model_.signal_inputs()[k];
    const auto e = static_cast<std::size_t>(in.element);
    if (in.kind == Kind::kReaction) {
      return "the reaction of joint \"" + model_.joints()[e].name + "\"";
    }
    if (in.kind == Kind::kEnergy) return "an energy";
    if (in.kind == Kind::kJoint && model_.joints()[e].cut) {
      return "a coordinate of joint \"" + model_.joints()[e].name + "\", which is cut";
    }
  }
  return {};
}

void SignalPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a, std::span<const double> lambda) {
  values_.evaluate(p_, t, q, v, a, lambda);
  dynamics_.move_bodies(q, v, a);
  tree_.linearize_motion(q, v, a);
}

VectorState SignalPartials::state_of(int vector) const {
  const BodyVector& b = model_.vectors()[static_cast<std::size_t>(vector)];
  const PointMotion<double> m = values_.point_motion(vector);
  VectorState s{dynamics_.node_of_body_[static_cast<std::size_t>(b.body)], b.is_point, m.r, m.rdot,
                m.rddot};
  if (b.is_point && s.node >= 0) s.xddot -= dynamics_.field_;
  return s;
}

/// The cotangent of one input goes to where its value came from.
void SignalPartials::pull_input(std::size_t k, double bar, const SignalCotangent& out) {
  const SignalInput& in = model_.signal_inputs()[k];
  switch (in.kind) {
    case Kind::kPhysical: out.p[static_cast<std::size_t>(in.element)] += bar; break;
    case Kind::kJoint: {
      const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
      const auto c = static_cast<std::size_t>(first + in.component);
      (in.order == 0 ? out.q : in.order == 1 ? out.v : out.a)[c] += bar;
      break;
    }
    case Kind::kVector: {
      const auto e = static_cast<std::size_t>(in.element);
      if (!touched_[e]) vectors_[e] = {};
      touched_[e] = 1;
      VectorCotangent& x = vectors_[e];
      (in.order == 0 ? x.x : in.order == 1 ? x.xdot : x.xddot)(in.component) += bar;
      break;
    }
    case Kind::kTime:
    case Kind::kReaction:
    case Kind::kEnergy: break;
  }
}

void SignalPartials::pullback(int output, double weight, const SignalCotangent& out) {
  std::fill(bar_inputs_.begin(), bar_inputs_.end(), 0.0);
  bar_outputs_[static_cast<std::size_t>(output)] = weight;
  model_.signal_tape().reverse(values_.inputs(), values_.registers(), bar_outputs_, bar_registers_,
                               bar_inputs_);
  bar_outputs_[static_cast<std::size_t>(output)] = 0;
  std::fill(touched_.begin(), touched_.end(), 0);
  for (std::size_t k = 0; k < bar_inputs_.size(); ++k) {
    if (bar_inputs_[k] != 0) pull_input(k, bar_inputs_[k], out);
  }
  if (std::find(touched_.begin(), touched_.end(), 1) == touched_.end()) return;
  const ResidualCotangent bar{out.q, out.v, out.a, out.p};
  tree_.open({}, bar);
  for (std::size_t e = 0; e < touched_.size(); ++e) {
    if (!touched_[e]) continue;
    const VectorState s = state_of(static_cast<int>(e));
    tree_.gather_vector(s, vectors_[e]);
    tree_.vector_cotangent(s, model_.vectors()[e].first, Vec3::Zero(), vectors_[e], out.p);
  }
  tree_.close({}, bar);
}

}  // namespace kinegrad
