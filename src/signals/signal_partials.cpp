#include "kinegrad/signals/signal_partials.hpp"

#include <algorithm>
#include <utility>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

using Kind = SignalInput::Kind;

SignalPartials::SignalPartials(SharedTree<double> constants)
    : shared_(std::move(constants)),
      constants_(shared_.get()),
      model_(constants_.model()),
      state_(constants_),
      own_(constants_.bodies, state_.motion),
      forces_(constants_, state_),
      inputs_(model_.signal_inputs().size(), 0.0),
      registers_(static_cast<std::size_t>(model_.signal_tape().register_count())),
      outputs_(static_cast<std::size_t>(model_.signal_tape().output_count())),
      places_(model_.vectors().size()),
      r_(static_cast<std::size_t>(model_.nq())),
      bar_outputs_(static_cast<std::size_t>(model_.signal_tape().output_count()), 0.0),
      bar_registers_(static_cast<std::size_t>(model_.signal_tape().register_count())),
      bar_inputs_(model_.signal_inputs().size()),
      vectors_(model_.vectors().size()),
      touched_(model_.vectors().size(), 0),
      reaction_bars_(model_.joints().size(), Twist<double>::Zero()),
      joint_bars_(model_.joints().size()) {
  bool plain = true;
  for (const int k : model_.signal_tape().plain_inputs()) {
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(k)];
    if (in.kind != Kind::kPhysical) moving_.push_back(k);
    plain = plain && in.kind != Kind::kReaction && in.kind != Kind::kEnergy &&
            in.kind != Kind::kForce && in.kind != Kind::kMultiplier;
    if (in.kind == Kind::kJoint) {
      plain = plain && !model_.joints()[static_cast<std::size_t>(in.element)].cut;
    }
  }
  if (!plain) values_ = std::make_unique<SignalEvaluator<double>>(model_, &constants_);
  if (values_ && values_->reactions()) {
    reactions_ = std::make_unique<ReactionPartials>(own_, forces_);
  }
  if (model_.natural().empty()) return;
  natural_ = std::make_unique<NaturalMap<double>>(model_);
  gamma_bar_ = std::make_unique<NaturalCotangent>(*natural_);
  for (VecX* x : {&z_, &zdot_, &zddot_, &z_bar_, &zdot_bar_, &zddot_bar_}) x->resize(model_.nq());
}

void SignalPartials::set_parameters(std::span<const double> p) {
  p_.assign(p.begin(), p.end());
  shared_.set(p);
  if (natural_) natural_->set_parameters(p);
  if (reactions_) reactions_->update_parameters();
  for (std::size_t e = 0; e < places_.size(); ++e) {
    places_[e] = constants_.bodies.place(static_cast<int>(e)).c;
  }
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const SignalInput& in = model_.signal_inputs()[k];
    if (in.kind == Kind::kPhysical) inputs_[k] = p[static_cast<std::size_t>(in.element)];
  }
}

void SignalPartials::set_active(std::span<const char> p_active) {
  kinegrad::set_active(constants_.bodies, p_active, own_.sums);
}

void SignalPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a, std::span<const double> lambda,
                               LinearizedTree* there) {
  tree_ = there && !natural_ && !reactions_ ? there : &own_;
  if (values_) values_->evaluate(p_, t, q, v, a, lambda);
  std::span<const double> z = q, zdot = v, zddot = a;
  if (natural_) {
    expand(q, v, a);
    z = in(z_);
    zdot = in(zdot_);
    zddot = in(zddot_);
  }
  if (reactions_) {
    residual<double>(constants_, t, z, zdot, zddot, state_, r_);
    kinegrad::linearize(t, z, zdot, zddot, own_, forces_);
    reactions_->linearize(t, z, zdot, zddot, lambda);
  } else if (tree_ == &own_) {
    move_bodies(constants_.bodies, z, zdot, state_.motion);
    accelerate_bodies(constants_.bodies, zddot, state_.motion);
    linearize_motion(z, zdot, zddot, own_);
  }
  if (!values_) read_inputs(t, z, zdot, zddot);
}

/// From natural coordinates to those of the tree.
void SignalPartials::expand(std::span<const double> q, std::span<const double> v,
                            std::span<const double> a) {
  q_.assign(q.begin(), q.end());
  v_.assign(v.begin(), v.end());
  a_.assign(a.begin(), a.end());
  natural_->expand(q, out(z_));
  natural_->expand_rates(v, out(zdot_));
  natural_->expand_rates(a, out(zddot_));
}

void SignalPartials::read_inputs(double t, std::span<const double> q, std::span<const double> v,
                                 std::span<const double> a) {
  for (const int k : moving_) {
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(k)];
    double& value = inputs_[static_cast<std::size_t>(k)];
    if (in.kind == Kind::kTime) {
      value = t;
    } else if (in.kind == Kind::kJoint) {
      const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
      const auto i = static_cast<std::size_t>(first + in.component);
      value = (in.order == 0 ? q : in.order == 1 ? v : a)[i];
    } else {
      const VectorState s = state_of(in.element);
      value = (in.order == 0 ? s.x : in.order == 1 ? s.xdot : s.xddot)(in.component);
      if (in.order == 2 && s.is_point && s.node >= 0) value += tree_->motion.field(in.component);
    }
  }
  model_.signal_tape().evaluate<double>(inputs_, registers_, outputs_);
}

VectorState SignalPartials::state_of(int vector) const {
  const BodyVector& b = model_.vectors()[static_cast<std::size_t>(vector)];
  const int node = tree_->tree.node_of_body[static_cast<std::size_t>(b.body)];
  return vector_state(tree_->motion, node, b.is_point, places_[static_cast<std::size_t>(vector)]);
}

void SignalPartials::clear() {
  std::fill(touched_.begin(), touched_.end(), 0);
  for (Twist<double>& bar : reaction_bars_) bar.setZero();
  for (JointBar& bar : joint_bars_) bar.touched = false;
  force_bars_.clear();
  kinetic_bar_ = potential_bar_ = 0;
  reads_tree_ = reads_reactions_ = false;
}

/// Coordinates of the tree are part of the state, those of a cut joint are read from its frames.
void SignalPartials::pull_joint_input(const SignalInput& in, double bar,
                                      const SignalCotangent& out) {
  const Joint& joint = model_.joints()[static_cast<std::size_t>(in.element)];
  if (!joint.cut) {
    const auto c = static_cast<std::size_t>(joint.q_first + in.component);
    (in.order == 0 ? out.q : in.order == 1 ? out.v : out.a)[c] += bar;
    return;
  }
  JointBar& cut = joint_bars_[static_cast<std::size_t>(in.element)];
  if (!cut.touched) {
    for (JointVector<double>* x : {&cut.motion.q, &cut.motion.v, &cut.motion.a}) {
      x->setZero(joint.type->nq());
    }
  }
  cut.touched = reads_tree_ = true;
  (in.order == 0 ? cut.motion.q : in.order == 1 ? cut.motion.v : cut.motion.a)(in.component) += bar;
}

/// The cotangent of one input goes to where its value came from.
void SignalPartials::pull_input(std::size_t k, double bar, const SignalCotangent& out) {
  const SignalInput& in = model_.signal_inputs()[k];
  const auto e = static_cast<std::size_t>(in.element);
  switch (in.kind) {
    case Kind::kTime: break;
    case Kind::kPhysical: out.p[e] += bar; break;
    case Kind::kJoint: pull_joint_input(in, bar, out); break;
    case Kind::kVector: {
      if (!touched_[e]) vectors_[e] = {};
      touched_[e] = 1;
      VectorCotangent& x = vectors_[e];
      (in.order == 0 ? x.x : in.order == 1 ? x.xdot : x.xddot)(in.component) += bar;
      reads_tree_ = true;
      break;
    }
    case Kind::kReaction:  // force first for people, moment first in a twist
      reaction_bars_[e]((in.component + 3) % 6) += bar;
      reads_tree_ = reads_reactions_ = true;
      break;
    case Kind::kEnergy:
      if (in.component != 2) kinetic_bar_ += bar;
      if (in.component != 1) potential_bar_ += bar;
      reads_tree_ = true;
      break;
    case Kind::kForce:
      force_bars_.push_back({in.element, in.component, bar});
      reads_tree_ = true;
      break;
    case Kind::kMultiplier: out.lambda[e] -= bar; break;
  }
}

void SignalPartials::gather_vectors(const SignalCotangent& out) {
  for (std::size_t e = 0; e < touched_.size(); ++e) {
    if (!touched_[e]) continue;
    const VectorState s = state_of(static_cast<int>(e));
    pull_vector(*tree_, s, vectors_[e]);
    pull_vector_coordinates(*tree_, s, model_.vectors()[e].first, Vec3::Zero(), vectors_[e], out.p);
  }
}

void SignalPartials::pullback(int output, double weight, const SignalCotangent& out) {
  gamma_bar_ ? pull_natural(output, weight, out) : pull_output(output, weight, out);
}

/// From the tree's coordinates to natural ones.
void SignalPartials::pull_natural(int output, double weight, const SignalCotangent& to) {
  for (VecX* x : {&z_bar_, &zdot_bar_, &zddot_bar_}) x->setZero();
  pull_output(output, weight, {out(z_bar_), out(zdot_bar_), out(zddot_bar_), to.lambda, to.p});
  natural_->pull(in(z_bar_), to.q);
  natural_->pull(in(zdot_bar_), to.v);
  natural_->pull(in(zddot_bar_), to.a);
  gamma_bar_->clear();
  gamma_bar_->add(in(z_bar_), q_, true, to.p);
  gamma_bar_->add(in(zdot_bar_), v_, false, {});
  gamma_bar_->add(in(zddot_bar_), a_, false, {});
  gamma_bar_->pull(p_, to.p);
}

void SignalPartials::pull_output(int output, double weight, const SignalCotangent& out) {
  clear();
  bar_outputs_[static_cast<std::size_t>(output)] = weight;
  model_.signal_tape().reverse(inputs(), registers(), bar_outputs_, bar_registers_, bar_inputs_);
  bar_outputs_[static_cast<std::size_t>(output)] = 0;
  const auto take = [&](int input) {  // and leave zero behind
    const auto k = static_cast<std::size_t>(input);
    const double bar = std::exchange(bar_inputs_[k], 0.0);
    if (bar != 0) pull_input(k, bar, out);
  };
  for (const int input : model_.signal_tape().plain_inputs()) take(input);
  if (model_.signal_tape().has_splines()) {
    model_.signal_tape().each_spline_input(registers(), take);
  }
  if (!reads_tree_) return;
  const ResidualCotangent bar{out.q, out.v, out.a, out.p};
  begin_pullback(*tree_, {}, out.p);
  gather_vectors(out);
  if (reads_reactions_) {
    reactions_->gather(reaction_bars_, *values_->reactions(), out.lambda, bar);
  }
  if (kinetic_bar_ != 0) pull_kinetic_energy(*tree_, kinetic_bar_, out.p);
  if (potential_bar_ != 0) pull_potential_energy(*tree_, forces_, potential_bar_, bar);
  if (!force_bars_.empty()) pull_force_signals(*tree_, forces_, force_bars_, bar);
  for (std::size_t j = 0; j < joint_bars_.size(); ++j) {
    if (!joint_bars_[j].touched) continue;
    pull_joint_motion(*tree_, model_.joints()[j], joint_bars_[j].motion, out.p);
  }
  finish_pullback(*tree_, {}, bar);
}

}  // namespace kinegrad
