#include "kinegrad/assembly/joint_system.hpp"

#include <utility>

#include "kinegrad/base/index.hpp"

namespace kinegrad {

namespace {

constexpr int kSmall = 100;  // coordinates of a system whose matrices are kept whole

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
JointSystem<T>::JointSystem(SharedTree<T> constants, TriadInertia inertia)
    : constants_(std::move(constants)),
      tree_(constants_.get()),
      state_(tree_),
      constraints_(tree_.bodies),
      targets_(tree_.bodies, tree_.model().initial_rows(),
               static_cast<int>(tree_.model().initial_rows().size())),
      independent_(tree_.bodies, tree_.model().independent_rows(),
                   static_cast<int>(tree_.model().independent_rows().size())),
      matrices_(tree_),
      real_(tree_, inertia),
      real_state_(real_, state_),
      real_matrices_(real_.get()),
      linearized_(real_.get().bodies, real_state_.get().motion),
      forces_(real_.get(), real_state_.get()),
      beyond_(real_.get().bodies.nodes.size()),
      euler_(euler_sets_of(tree_.model())),
      scleronomic_(!reads_time(tree_.model())),
      r_(tree_.nq()) {
  const Model& model = tree_.model();
  for (const Force& force : model.forces()) {
    if (!force.states.empty()) nearly_symmetric_ = false;
  }
  if (nq() <= kSmall) {  // larger ones get them if they are ever asked for
    r_q_.resize(nq(), nq());
    r_v_.resize(nq(), nq());
  }
}

template <Scalar T>
void JointSystem<T>::set_parameters(std::span<const T> p) {
  constants_.set(p);
  real_.update();
  constraints_.update_parameters();
  targets_.update_parameters();
  independent_.update_parameters();
}

template <Scalar T>
void JointSystem<T>::move_bodies(std::span<const T> q, std::span<const T> v, std::span<const T> a) {
  kinegrad::move_bodies(tree_.bodies, q, v, state_.motion);
  accelerate_bodies(tree_.bodies, a, state_.motion);
}

template <Scalar T>
void JointSystem<T>::evaluate(T t, std::span<const T> q, std::span<const T> v,
                              std::span<const T> a) {
  residual(tree_, t, q, v, a, state_, {r_.data(), static_cast<std::size_t>(r_.size())});
  constraints_.levels(state_.motion, t, q, v, a);  // Φ_q only if it is asked for
}

template <Scalar T>
void JointSystem<T>::place(T t, std::span<const T> q) {
  place_bodies(tree_.bodies, q, state_.motion);
  constraints_.positions(state_.motion, t, q);
}

template <Scalar T>
void JointSystem<T>::measure_targets(T t, std::span<const T> q, std::span<const T> v) {
  if (v.empty()) return targets_.positions(state_.motion, t, q);
  targets_.motion(state_.motion, t, q, v, v);  // accelerations do not matter
}

template <Scalar T>
void JointSystem<T>::measure_independent(T t, std::span<const T> q, std::span<const T> v,
                                         std::span<const T> a) {
  if (v.empty()) return independent_.positions(state_.motion, t, q);
  independent_.motion(state_.motion, t, q, v, a);
}

template <Scalar T>
void JointSystem<T>::move(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) {
  move_bodies(q, v, a);
  constraints_.levels(state_.motion, t, q, v, a);
}

template <Scalar T>
void JointSystem<T>::move_on(T t, std::span<const T> q, std::span<const T> v,
                             std::span<const T> a) {
  move_bodies(q, v, a);
  constraints_.rates(state_.motion, t, q, v, a);
}

/// At the real parts of the last evaluate(), whose accelerations may have been others.
template <Scalar T>
void JointSystem<T>::linearize_real(T t, std::span<const T> q, std::span<const T> v,
                                    std::span<const T> a) {
  if constexpr (std::is_same_v<T, double>) accelerate_bodies(tree_.bodies, a, state_.motion);
  RealState<T>& x = real_state_;
  x.evaluate(t, q, v, a);
  linearize(x.t(), x.q(), x.v(), x.a(), linearized_, forces_);
}

template <Scalar T>
TreeMatrices<double>& JointSystem<T>::real_matrices() {
  if constexpr (std::is_same_v<T, double>) {
    return matrices_;
  } else {
    return real_matrices_;
  }
}

template <Scalar T>
void JointSystem<T>::newton_matrix(T t, std::span<const T> q, std::span<const T> v,
                                   std::span<const T> a, const NewtonCoefficients& c,
                                   SparseUpper<double>& N) {
  if (!matrices_.knows_forces()) return full_newton_matrix(t, q, v, a, c, N);
  real_state_.evaluate(t, q, v, a);
  const TreeState<double>& x = real_state_.get();
  real_matrices().mass(x.motion, N);
  real_matrices().add_forces(x, real_part(t), c.c_v, c.c_q, N);
}

/// Forces that vary with the motion: their matrices, made symmetric.
template <Scalar T>
void JointSystem<T>::full_newton_matrix(T t, std::span<const T> q, std::span<const T> v,
                                        std::span<const T> a, const NewtonCoefficients& c,
                                        SparseUpper<double>& N) {
  linearize_real(t, q, v, a);
  real_matrices().mass(real_state_.get().motion, N);
  if (nq() <= kSmall) return add_symmetric_forces(c, r_q_, r_v_, N);
  if (newton_q_.value.empty()) newton_q_ = newton_v_ = N.whole_pattern();
  add_symmetric_forces(c, newton_q_, newton_v_, N);
}

template <Scalar T>
template <typename Matrix>
void JointSystem<T>::add_symmetric_forces(const NewtonCoefficients& c, Matrix& r_q, Matrix& r_v,
                                          SparseUpper<double>& N) {
  clear(r_q, nq(), nq());
  clear(r_v, nq(), nq());
  add_force_matrices(linearized_, forces_, false, r_q, r_v);
  for (int j = 0; j < nq(); ++j) {
    for (auto k = index(N.start[index(j)]); k < index(N.start[index(j) + 1]); ++k) {
      const int i = N.row[k];
      N.value[k] += 0.5 * (c.c_v * (r_v(i, j) + r_v(j, i)) + c.c_q * (r_q(i, j) + r_q(j, i)));
    }
  }
}

template <Scalar T>
void JointSystem<T>::exact_matrix(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, const NewtonCoefficients& c, MatX& N) {
  linearize_real(t, q, v, a);
  if (r_q_.size() == 0) {
    r_q_.resize(nq(), nq());
    r_v_.resize(nq(), nq());
  }
  residual_matrices(linearized_, forces_, beyond_, r_q_, r_v_, N);
  N += c.c_v * r_v_ + c.c_q * r_q_;
}

template <Scalar T>
void JointSystem<T>::exact_matrix(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, const NewtonCoefficients& c,
                                  SparseRows<double>& N) {
  linearize_real(t, q, v, a);
  if (sparse_q_.value.empty()) sparse_q_ = sparse_v_ = N;
  residual_matrices(linearized_, forces_, beyond_, sparse_q_, sparse_v_, N);
  for (std::size_t k = 0; k < N.value.size(); ++k) {
    N.value[k] += c.c_v * sparse_v_.value[k] + c.c_q * sparse_q_.value[k];
  }
}

template class JointSystem<double>;
template class JointSystem<Complex>;

}  // namespace kinegrad
