#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

template <Scalar T>
SignalEvaluator<T>::SignalEvaluator(const Model& model, const LoadedTree<T>* constants)
    : MotionReader<T>(model),
      model_(model),
      inputs_(model.signal_inputs().size()),
      registers_(static_cast<std::size_t>(model.signal_tape().register_count())),
      outputs_(static_cast<std::size_t>(model.signal_tape().output_count())) {
  using Kind = SignalInput::Kind;
  const auto sort = [&](std::size_t k) {
    const SignalInput& in = model.signal_inputs()[k];
    if (in.kind != Kind::kPhysical) return moving_.push_back(k);
    numbers_.emplace_back(k, static_cast<std::size_t>(in.element));
  };
  if (model.signal_tape().has_splines()) {
    for (std::size_t k = 0; k < inputs_.size(); ++k) sort(k);
  } else {  // other tapes may have thousands of inputs that signals do not read
    for (const int k : model.signal_tape().plain_inputs()) sort(static_cast<std::size_t>(k));
  }
  for (const SignalInput& in : model.signal_inputs()) {
    const bool motion = in.kind == Kind::kTime || in.kind == Kind::kPhysical ||
                        in.kind == Kind::kJoint || in.kind == Kind::kVector;
    if (reactions_ || motion) continue;
    const bool fits = constants && constants->bodies.point == ReferencePoint::kCom;
    reactions_ = std::make_unique<JointReactions<T>>(
        SharedTree<T>(model, ReferencePoint::kCom, fits ? constants : nullptr));
  }
}

template <Scalar T>
void SignalEvaluator<T>::evaluate(std::span<const T> p, T t, std::span<const T> q,
                                  std::span<const T> v, std::span<const T> a,
                                  std::span<const T> lambda) {
  this->move(p, q, v, a);
  p_ = p;
  t_ = t;
  if (reactions_) {
    reactions_->evaluate(p, t, this->tree_q(), this->tree_v(), this->tree_a(), lambda);
  }
  for (const auto& [k, number] : numbers_) inputs_[k] = p[number];
  for (const std::size_t k : moving_) inputs_[k] = input_value(model_.signal_inputs()[k]);
  model_.signal_tape().template evaluate<T>(inputs_, registers_, outputs_);
}

template <Scalar T>
std::vector<T> SignalEvaluator<T>::all_inputs() const {
  std::vector<T> all;
  for (const SignalInput& input : model_.signal_inputs()) all.push_back(input_value(input));
  return all;
}

template <Scalar T>
T SignalEvaluator<T>::signal(int k) const {
  return output(model_.signals()[static_cast<std::size_t>(k)].output);
}

template <Scalar T>
T SignalEvaluator<T>::input_value(const SignalInput& input) const {
  switch (input.kind) {
    case SignalInput::Kind::kTime: return t_;
    case SignalInput::Kind::kPhysical: return p_[static_cast<std::size_t>(input.element)];
    case SignalInput::Kind::kJoint: {
      const JointMotion<T> motion = this->joint_motion(input.element);
      const JointVector<T>& x = input.order == 0   ? motion.q
                                : input.order == 1 ? motion.v
                                                   : motion.a;
      return x(input.component);
    }
    case SignalInput::Kind::kVector: {
      const PointMotion<T> motion = this->point_motion(input.element);
      const Vec3T<T>& x = input.order == 0   ? motion.r
                          : input.order == 1 ? motion.rdot
                                             : motion.rddot;
      return x(input.component);
    }
    case SignalInput::Kind::kReaction:  // force first for people, moment first in a twist
      return reactions_->reaction(input.element)((input.component + 3) % 6);
    case SignalInput::Kind::kEnergy: {
      const T kinetic = input.component == 2 ? T(0) : reactions_->kinetic_energy();
      return input.component == 1 ? kinetic : kinetic + reactions_->potential_energy(t_);
    }
    case SignalInput::Kind::kForce:
      return reactions_->force_signal(input.element, input.component, t_);
    case SignalInput::Kind::kMultiplier: return reactions_->multiplier(input.element);
  }
  return T(0);
}

template class SignalEvaluator<double>;
template class SignalEvaluator<Complex>;

}  // namespace kinegrad
