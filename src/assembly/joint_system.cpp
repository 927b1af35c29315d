#include "kinegrad/assembly/joint_system.hpp"

namespace kinegrad {

namespace {

/// Whether a constraint reads the time.
bool reads_time(const Model& model) {
  for (const int input : model.constraint_inputs()) {
    const SignalInput& in = model.signal_inputs()[static_cast<std::size_t>(input)];
    if (in.kind == SignalInput::Kind::kTime) return true;
  }
  return false;
}

}  // namespace

template <Scalar T>
JointSystem<T>::JointSystem(const Model& model, ReferencePoint point)
    : dynamics_(model, point),
      constraints_(dynamics_),
      real_(model, point),
      partials_(real_),
      euler_(euler_sets_of(model)),
      scleronomic_(!reads_time(model)),
      r_(model.nq()),
      r_q_(model.nq(), model.nq()),
      r_v_(model.nq(), model.nq()) {
  const auto n = static_cast<std::size_t>(model.nq());
  for (auto* x : {&real_q_, &real_v_, &real_a_, &real_r_}) x->resize(n);
}

template <Scalar T>
void JointSystem<T>::set_parameters(std::span<const T> p) {
  dynamics_.set_parameters(p);
  constraints_.update_parameters();
  std::vector<double> real(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) real[k] = real_part(p[k]);
  real_.set_parameters(real);
}

template <Scalar T>
void JointSystem<T>::evaluate(T t, std::span<const T> q, std::span<const T> v,
                              std::span<const T> a) {
  dynamics_.residual(t, q, v, a, {r_.data(), static_cast<std::size_t>(r_.size())});
  constraints_.motion(t, q, v, a);
}

template <Scalar T>
void JointSystem<T>::place(T t, std::span<const T> q) {
  dynamics_.place_bodies(q);
  constraints_.positions(t, q);
}

template <Scalar T>
void JointSystem<T>::mass_matrix(std::span<const T> q, Matrix& M) {
  if constexpr (std::is_same_v<T, double>) {
    real_.mass_matrix(q, M);
  } else {
    dynamics_.mass_matrix(q, M);
  }
}

template <Scalar T>
void JointSystem<T>::newton_matrix(T t, std::span<const T> q, std::span<const T> v,
                                   std::span<const T> a, const NewtonCoefficients& c, MatX& N) {
  for (std::size_t k = 0; k < real_q_.size(); ++k) {
    real_q_[k] = real_part(q[k]);
    real_v_[k] = real_part(v[k]);
    real_a_[k] = real_part(a[k]);
  }
  real_.residual(real_part(t), real_q_, real_v_, real_a_, real_r_);
  partials_.linearize(real_part(t), real_q_, real_v_, real_a_);
  if (c.exact) {
    partials_.matrices(r_q_, r_v_, N);
  } else {
    partials_.force_matrices(r_q_, r_v_);
    real_.mass_matrix(real_q_, N);
    N.triangularView<Eigen::StrictlyLower>() = N.transpose();
  }
  N += c.c_v * r_v_ + c.c_q * r_q_;
}

template class JointSystem<double>;
template class JointSystem<Complex>;

}  // namespace kinegrad
