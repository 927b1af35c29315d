#include "kinegrad/assembly/natural_map.hpp"

#include <algorithm>

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

/// By cofactors: holomorphic, and finite wherever the directions are independent.
template <typename T>
Mat3T<T> inverse(const Mat3T<T>& B) {
  const Vec3T<T> a = B.col(0), b = B.col(1), c = B.col(2);
  const Vec3T<T> bc = la::cross(b, c), ca = la::cross(c, a), ab = la::cross(a, b);
  const T d = T(1) / la::dot(a, bc);
  Mat3T<T> C;
  C.row(0) = bc.transpose() * d;
  C.row(1) = ca.transpose() * d;
  C.row(2) = ab.transpose() * d;
  return C;
}

}  // namespace

template <Scalar T>
NaturalMap<T>::NaturalMap(const Model& model)
    : model_(model),
      basis_(model.natural()),
      tree_nq_(model.nq()),
      gamma_(basis_.bodies.size(), Gamma::Constant(T(0))) {
  build_G();
}

/// The pattern; entries of copied coordinates stay 1.
template <Scalar T>
void NaturalMap<T>::build_G() {
  struct Entry {
    int column;
    int source;  // -1: 1
  };
  std::vector<std::vector<Entry>> rows(index(tree_nq_));
  for (std::size_t b = 0; b < basis_.bodies.size(); ++b) {
    const NaturalBody& body = basis_.bodies[b];
    for (int k = 0; k < 4; ++k) {
      const int first = basis_.elements[index(body.element[index(k)])].first;
      if (first < 0) continue;
      for (int row = 0; row < 4; ++row) {
        for (int c = 0; c < 3; ++c) {
          rows[index(body.tree + 3 * row + c)].push_back(
              {first + c, static_cast<int>(sources_.size())});
        }
        sources_.push_back({b, row, k});
      }
    }
  }
  for (const NaturalBasis::Copied& copied : basis_.copied) {
    for (int c = 0; c < copied.count; ++c) {
      rows[index(copied.tree + c)].push_back({copied.first + c, -1});
    }
  }
  G_.columns = basis_.nq;
  for (auto& row : rows) {
    std::sort(row.begin(), row.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (const Entry& entry : row) {
      G_.column.push_back(entry.column);
      entries_.push_back(entry.source);
    }
    G_.start.push_back(static_cast<int>(G_.column.size()));
  }
  G_.value.assign(G_.column.size(), T(1));
}

template <Scalar T>
Vec3T<T> NaturalMap<T>::local(const NaturalBody& body, int k, std::span<const T> p) const {
  const Vec3T<T> s = vector_at(p, body.local[index(k)]);
  if (!basis_.elements[index(body.element[index(k)])].is_point) return s;
  return s - vector_at(p, body.local[0]);
}

/// [NC-2] but for the 1 of element 0 in r.
template <Scalar T>
typename NaturalMap<T>::Gamma NaturalMap<T>::gamma_of(const NaturalBody& body, const Mat3T<T>& C,
                                                      const Vec3T<T>& Cs) const {
  Gamma G = Gamma::Constant(T(0));
  for (int k = 1; k <= 3; ++k) {
    const bool point = basis_.elements[index(body.element[index(k)])].is_point;
    G(0, k) = -Cs(k - 1);
    if (point) G(0, 0) += Cs(k - 1);
    for (int j = 1; j <= 3; ++j) {
      G(j, k) = C(k - 1, j - 1);
      if (point) G(j, 0) -= C(k - 1, j - 1);
    }
  }
  return G;
}

/// dC = −C dB̄ C.
template <Scalar T>
typename NaturalMap<T>::Gamma NaturalMap<T>::gamma_change(std::size_t b,
                                                          std::span<const T> dp) const {
  const NaturalBody& body = basis_.bodies[b];
  Mat3T<T> C, dB;
  for (int k = 1; k <= 3; ++k) {
    C.row(k - 1) = gamma_[b].col(k).template tail<3>().transpose();
    dB.col(k - 1) = local(body, k, dp);
  }
  const Mat3T<T> dC = C * dB * C * T(-1);
  const Vec3T<T> s = vector_at(std::span<const T>(p_), body.local[0]);
  const Vec3T<T> ds = vector_at(dp, body.local[0]);
  return gamma_of(body, dC, dC * s + C * ds);
}

template <Scalar T>
void NaturalMap<T>::set_parameters(std::span<const T> p) {
  p_.assign(p.begin(), p.end());
  for (std::size_t b = 0; b < gamma_.size(); ++b) {
    const NaturalBody& body = basis_.bodies[b];
    Mat3T<T> B;
    for (int k = 1; k <= 3; ++k) B.col(k - 1) = local(body, k);
    const Mat3T<T> C = inverse(B);
    const Vec3T<T> s = vector_at(std::span<const T>(p_), body.local[0]);
    gamma_[b] = gamma_of(body, C, C * s);
    gamma_[b](0, 0) += T(1);
  }
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    if (entries_[k] < 0) continue;
    const Source& source = sources_[index(entries_[k])];
    G_.value[k] = gamma_[source.body](source.row, source.column);
  }
}

template <Scalar T>
Vec3T<T> NaturalMap<T>::element(int e, std::span<const T> q, bool place) const {
  const NaturalElement& element = basis_.elements[index(e)];
  if (element.first >= 0) return vector_at(q, element.first);
  if (!place) return Vec3T<T>::Constant(T(0));
  return vector_at(std::span<const T>(p_), element.ground);
}

template <Scalar T>
Vec3T<T> NaturalMap<T>::direction(const NaturalBody& body, int k, std::span<const T> q,
                                  bool place) const {
  const int e = body.element[index(k)];
  if (!basis_.elements[index(e)].is_point) return element(e, q, place);
  return element(e, q, place) - element(body.element[0], q, place);
}

template <Scalar T>
void NaturalMap<T>::expand(std::span<const T> q, std::span<T> z, bool place) const {
  for (std::size_t b = 0; b < gamma_.size(); ++b) {
    const NaturalBody& body = basis_.bodies[b];
    Mat<T, 3, 4> x;
    for (int k = 0; k < 4; ++k) x.col(k) = element(body.element[index(k)], q, place);
    Eigen::Map<Mat<T, 3, 4>>(z.data() + body.tree) = x * gamma_[b].transpose();
  }
  for (const NaturalBasis::Copied& copied : basis_.copied) {
    std::copy_n(q.begin() + copied.first, copied.count, z.begin() + copied.tree);
  }
}

template <Scalar T>
void NaturalMap<T>::pull(std::span<const T> z, std::span<T> y) const {
  for (std::size_t b = 0; b < gamma_.size(); ++b) {
    const NaturalBody& body = basis_.bodies[b];
    const Mat<T, 3, 4> x = Eigen::Map<const Mat<T, 3, 4>>(z.data() + body.tree) * gamma_[b];
    for (int k = 0; k < 4; ++k) {
      const int first = basis_.elements[index(body.element[index(k)])].first;
      if (first < 0) continue;
      for (int c = 0; c < 3; ++c) y[index(first + c)] += x(c, k);
    }
  }
  for (const NaturalBasis::Copied& copied : basis_.copied) {
    for (int c = 0; c < copied.count; ++c) y[index(copied.first + c)] += z[index(copied.tree + c)];
  }
}

template <Scalar T>
void NaturalMap<T>::reduce(std::span<const T> z, std::span<T> q) const {
  for (const NaturalElement& element : basis_.elements) {
    if (element.first < 0) continue;
    const NaturalBody& body = basis_.bodies[index(element.owner)];
    const auto triples = Eigen::Map<const Mat<T, 3, 4>>(z.data() + body.tree);
    const Vec3T<T> s = vector_at(std::span<const T>(p_), body.local[index(element.slot)]);
    Vec3T<T> x = triples.template rightCols<3>() * s;
    if (element.is_point) x += triples.col(0);
    for (int c = 0; c < 3; ++c) q[index(element.first + c)] = x(c);
  }
  for (const NaturalBasis::Copied& copied : basis_.copied) {
    std::copy_n(z.begin() + copied.tree, copied.count, q.begin() + copied.first);
  }
}

template <Scalar T>
void NaturalMap<T>::pull_reduction(std::span<const T> q_bar, std::span<const T> z,
                                   std::span<T> z_bar, std::span<T> p_bar) const {
  for (const NaturalElement& element : basis_.elements) {
    if (element.first < 0) continue;
    const NaturalBody& body = basis_.bodies[index(element.owner)];
    const auto triples = Eigen::Map<const Mat<T, 3, 4>>(z.data() + body.tree);
    auto bar = Eigen::Map<Mat<T, 3, 4>>(z_bar.data() + body.tree);
    const int local = body.local[index(element.slot)];
    const Vec3T<T> s = vector_at(std::span<const T>(p_), local);
    const Vec3T<T> x_bar = vector_at(q_bar, element.first);
    bar.template rightCols<3>() += x_bar * s.transpose();
    if (element.is_point) bar.col(0) += x_bar;
    for (int c = 0; c < 3; ++c) {
      const Vec3T<T> axis = triples.col(1 + c);
      p_bar[index(local + c)] += la::dot(axis, x_bar);
    }
  }
  for (const NaturalBasis::Copied& copied : basis_.copied) {
    for (int c = 0; c < copied.count; ++c) {
      z_bar[index(copied.tree + c)] += q_bar[index(copied.first + c)];
    }
  }
}

NaturalCotangent::NaturalCotangent(const NaturalMap<double>& map)
    : map_(map), gamma_(map.basis().bodies.size()) {
  clear();
}

void NaturalCotangent::clear() {
  for (auto& G : gamma_) G.setZero();
}

void NaturalCotangent::add(std::span<const double> z_bar, std::span<const double> x, bool place,
                           std::span<double> p_bar) {
  const NaturalBasis& basis = map_.basis();
  for (std::size_t b = 0; b < gamma_.size(); ++b) {
    const NaturalBody& body = basis.bodies[b];
    const auto bar = Eigen::Map<const Mat<double, 3, 4>>(z_bar.data() + body.tree);
    for (int k = 0; k < 4; ++k) {
      const int e = body.element[index(k)];
      gamma_[b].col(k) += bar.transpose() * map_.element(e, x, place);
      const NaturalElement& element = basis.elements[index(e)];
      if (!place || element.first >= 0) continue;
      const Vec3 own = bar * map_.gamma(b).col(k);
      for (int c = 0; c < 3; ++c) p_bar[index(element.ground + c)] += own(c);
    }
  }
}

/// dC = −C dB̄ C of [NC-2].
void NaturalCotangent::pull(std::span<const double> p, std::span<double> p_bar) const {
  const NaturalBasis& basis = map_.basis();
  for (std::size_t b = 0; b < gamma_.size(); ++b) {
    const NaturalBody& body = basis.bodies[b];
    const Mat<double, 4, 4>& bar = gamma_[b];
    const Vec3 s = vector_at(p, body.local[0]);
    Mat3 C, C_bar;
    Vec3 Cs_bar;
    for (int k = 1; k <= 3; ++k) {
      const bool point = basis.elements[index(body.element[index(k)])].is_point;
      Cs_bar(k - 1) = (point ? bar(0, 0) : 0) - bar(0, k);
      for (int j = 1; j <= 3; ++j) {
        C(k - 1, j - 1) = map_.gamma(b)(j, k);
        C_bar(k - 1, j - 1) = bar(j, k) - (point ? bar(j, 0) : 0) + Cs_bar(k - 1) * s(j - 1);
      }
    }
    const Mat3 B_bar = -C.transpose() * C_bar * C.transpose();
    Vec3 s_bar = C.transpose() * Cs_bar;
    const auto add = [&](int slot, const Vec3& x) {
      for (int c = 0; c < 3; ++c) p_bar[index(body.local[index(slot)] + c)] += x(c);
    };
    for (int k = 1; k <= 3; ++k) {
      add(k, B_bar.col(k - 1));
      const bool point = basis.elements[index(body.element[index(k)])].is_point;
      if (point) s_bar -= B_bar.col(k - 1);
    }
    add(0, s_bar);
  }
}

template class NaturalMap<double>;
template class NaturalMap<Complex>;

}  // namespace kinegrad
