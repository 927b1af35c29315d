#include "kinegrad/assembly/natural_system.hpp"

#include "kinegrad/assembly/natural_inertia.hpp"
#include "kinegrad/base/index.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

std::vector<int> natural_euler_sets(const NaturalBasis& basis, EulerSets tree) {
  std::vector<int> sets;
  for (const int first : tree) {
    for (const NaturalBasis::Copied& copied : basis.copied) {
      const int c = first - copied.tree;
      if (c >= 0 && c < copied.count) sets.push_back(copied.first + c);
    }
  }
  return sets;
}

template <Scalar T>
NaturalSystem<T>::NaturalSystem(const Model& model)
    : model_(model),
      tree_(model, ReferencePoint::kCom, TriadInertia::kElsewhere),
      map_(model),
      rigid_(model, map_),
      mu_(map_.basis().bodies.size()),
      euler_(natural_euler_sets(map_.basis(), tree_.euler_sets())),
      tree_M_(tree_.pattern()),
      r_(nq()),
      Phi_(tree_.Phi()),
      Phi_dot_(tree_.Phi_dot()),
      Phi_ddot_(tree_.Phi_ddot()),
      z_(model.nq()),
      zdot_(model.nq()),
      zddot_(model.nq()),
      force_(model.nq()),
      tree_exact_(tree_.pattern().whole_pattern()),
      row_congruence_(nq()) {
  rows_.analyse(tree_.constraints(), map_.G(), rigid_.columns(rows()));
  independent_rows_.analyse(tree_.independent_q(), map_.G(), {}, independent_q_);
  std::vector<std::set<int>> diagonal(index(nq()));
  pattern_ = SparseUpper<T>(diagonal);
  // the triples of a body are coupled by forces on it, which the pattern of the tree has
  congruence_.analyse(tree_M_, map_.G(), pattern_);
  M_ = pattern_;
  tree_N_.start = tree_M_.start;
  tree_N_.row = tree_M_.row;
  tree_N_.value.assign(tree_M_.value.size(), 0.0);
}

template <Scalar T>
void NaturalSystem<T>::set_parameters(std::span<const T> p) {
  tree_.set_parameters(p);
  map_.set_parameters(p);
  rows_.forget();
  M_.set_zero();
  const NaturalBasis& basis = map_.basis();
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const NaturalBody& body = basis.bodies[b];
    mu_[b] = natural_inertia(p, model_.bodies()[index(body.body)].mass);
    const Mat<T, 4, 4> own = map_.gamma(b).transpose() * mu_[b] * map_.gamma(b);
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 4; ++l) {
        const int i = basis.elements[index(body.element[index(k)])].first;
        const int j = basis.elements[index(body.element[index(l)])].first;
        if (i < 0 || j < i) continue;
        for (int c = 0; c < 3; ++c) M_.at(i + c, j + c) += own(k, l);
      }
    }
  }
}

template <Scalar T>
void NaturalSystem<T>::expand(std::span<const T> q, std::span<const T> v, std::span<const T> a) {
  map_.expand(q, out(z_));
  map_.expand_rates(v, out(zdot_));
  map_.expand_rates(a, out(zddot_));
}

template <Scalar T>
void NaturalSystem<T>::take_places(std::span<const T> q) {
  Phi_ = tree_.Phi();
  rigid_.values(q, Phi_);
  q_ = Eigen::Map<const VecXT<T>>(q.data(), nq());
  mapped_ = false;
}

/// Φ_q, for those who ask for it.
template <Scalar T>
void NaturalSystem<T>::map_rows() const {
  rows_.apply(tree_.constraints(), tree_.state().motion, map_.G());
  rigid_.slopes(in(q_), rows_.Phi_q());
  mapped_ = true;
}

template <Scalar T>
void NaturalSystem<T>::take_rates(std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a) {
  Phi_dot_ = tree_.Phi_dot();
  Phi_ddot_ = tree_.Phi_ddot();
  rigid_.rates(q, v, a, Phi_dot_, Phi_ddot_);
}

/// [NC-6].
template <Scalar T>
void NaturalSystem<T>::evaluate(T t, std::span<const T> q, std::span<const T> v,
                                std::span<const T> a) {
  expand(q, v, a);
  tree_.evaluate(t, in(z_), in(zdot_), in(zddot_));
  force_ = tree_.r();
  const Vec3T<T>& g = tree_.state().motion.field;
  energy_ = tree_.kinetic_energy();
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const int first = map_.basis().bodies[b].tree;
    Mat<T, 3, 4> x = Eigen::Map<const Mat<T, 3, 4>>(zddot_.data() + first);
    x.col(0) -= g;
    Eigen::Map<Mat<T, 3, 4>>(force_.data() + first) += x * mu_[b];
    const Mat<T, 3, 4> speed = Eigen::Map<const Mat<T, 3, 4>>(zdot_.data() + first);
    const Mat<T, 3, 4> momentum = speed * mu_[b];
    for (int k = 0; k < 12; ++k) energy_ += T(0.5) * speed(k) * momentum(k);
  }
  r_.setConstant(T(0));
  map_.pull(in(force_), out(r_));
  take_places(q);
  take_rates(q, v, a);
}

template <Scalar T>
void NaturalSystem<T>::move(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) {
  expand(q, v, a);
  tree_.move(t, in(z_), in(zdot_), in(zddot_));
  take_places(q);
  take_rates(q, v, a);
}

template <Scalar T>
void NaturalSystem<T>::move_on(T t, std::span<const T> q, std::span<const T> v,
                               std::span<const T> a) {
  expand(q, v, a);
  tree_.move_on(t, in(z_), in(zdot_), in(zddot_));
  take_rates(q, v, a);
}

template <Scalar T>
void NaturalSystem<T>::place(T t, std::span<const T> q) {
  map_.expand(q, out(z_));
  tree_.place(t, in(z_));
  take_places(q);
}

/// Starts are found in joint coordinates: there are no targets here.
template <Scalar T>
void NaturalSystem<T>::measure_targets(T, std::span<const T>, std::span<const T>) {}

template <Scalar T>
void NaturalSystem<T>::measure_independent(T t, std::span<const T> q, std::span<const T> v,
                                           std::span<const T> a) {
  map_.expand(q, out(z_));
  if (v.empty()) {
    tree_.measure_independent(t, in(z_), {}, {});
  } else {
    map_.expand_rates(v, out(zdot_));
    map_.expand_rates(a, out(zddot_));
    tree_.measure_independent(t, in(z_), in(zdot_), in(zddot_));
  }
  independent_rows_.apply(tree_.independent_q(), map_.G(), independent_q_);
}

template <Scalar T>
template <typename U>
void NaturalSystem<T>::add_mass(SparseUpper<U>& N) const {
  for (std::size_t k = 0; k < M_.value.size(); ++k) {
    if constexpr (std::is_same_v<U, T>) {
      N.value[k] += M_.value[k];
    } else {
      N.value[k] += real_part(M_.value[k]);
    }
  }
}

template <Scalar T>
void NaturalSystem<T>::mass_matrix(SparseUpper<T>& M) {
  M.set_zero();
  add_mass(M);
  if (map_.basis().copied.empty()) return;
  tree_.mass_matrix(tree_M_);  // of states
  congruence_.add(tree_M_, map_.G(), M);
}

template <Scalar T>
void NaturalSystem<T>::newton_matrix(T t, std::span<const T>, std::span<const T>,
                                     std::span<const T>, const NewtonCoefficients& c,
                                     SparseUpper<double>& N) {
  N.set_zero();
  add_mass(N);
  tree_.newton_matrix(t, in(z_), in(zdot_), in(zddot_), c, tree_N_);
  congruence_.add(tree_N_, map_.G(), N);
}

template <Scalar T>
template <typename Matrix>
void NaturalSystem<T>::add_exact(T t, const NewtonCoefficients& c, Matrix& N) {
  tree_exact_.set_zero();
  tree_.exact_matrix(t, in(z_), in(zdot_), in(zddot_), c, tree_exact_);
  row_congruence_.add(tree_exact_, map_.G(), N);
  for (int j = 0; j < nq(); ++j) {
    for (auto k = index(M_.start[index(j)]); k < index(M_.start[index(j) + 1]); ++k) {
      const double x = real_part(M_.value[k]);
      N(M_.row[k], j) += x;
      if (M_.row[k] != j) N(j, M_.row[k]) += x;
    }
  }
}

template <Scalar T>
void NaturalSystem<T>::exact_matrix(T t, std::span<const T>, std::span<const T>, std::span<const T>,
                                    const NewtonCoefficients& c, MatX& N) {
  N.setZero(nq(), nq());
  add_exact(t, c, N);
}

template <Scalar T>
void NaturalSystem<T>::exact_matrix(T t, std::span<const T>, std::span<const T>, std::span<const T>,
                                    const NewtonCoefficients& c, SparseRows<double>& N) {
  N.set_zero();
  add_exact(t, c, N);
}

template class NaturalSystem<double>;
template class NaturalSystem<Complex>;

}  // namespace kinegrad
