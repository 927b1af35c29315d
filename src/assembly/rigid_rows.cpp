#include "kinegrad/assembly/rigid_rows.hpp"

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

template <Scalar T>
RigidRows<T>::RigidRows(const Model& model, const NaturalMap<T>& map) : map_(map) {
  NaturalMap<double> drawn(model);
  drawn.set_parameters(model.default_physical());
  for (const RigidRow& row : map.basis().rows) {
    const NaturalBody& body = map.basis().bodies[index(row.body)];
    const double sizes =
        drawn.local(body, row.i).norm() * drawn.local(body, row.j).norm();  // holomorphic: a size
    factor_.push_back((row.i == row.j ? 0.5 : 1) / sizes);  // holomorphic: numbers that stay
  }
}

template <Scalar T>
typename RigidRows<T>::Side RigidRows<T>::side(const RigidRow& row, int k) const {
  const NaturalBody& body = map_.basis().bodies[index(row.body)];
  Side side;
  side.element[side.count++] = body.element[index(k)];
  if (map_.basis().elements[index(side.element[0])].is_point) {
    side.element[side.count++] = body.element[0];
  }
  return side;
}

template <Scalar T>
std::vector<std::set<int>> RigidRows<T>::columns(int rows) const {
  std::vector<std::set<int>> columns(index(rows));
  for (const RigidRow& row : map_.basis().rows) {
    for (const int k : {row.i, row.j}) {
      const Side s = side(row, k);
      for (int n = 0; n < s.count; ++n) {
        const int first = map_.basis().elements[index(s.element[n])].first;
        for (int c = 0; c < 3 && first >= 0; ++c) columns[index(row.row)].insert(first + c);
      }
    }
  }
  return columns;
}

template <Scalar T>
T RigidRows<T>::value(const RigidRow& row, const Vec3T<T>& e_i, const Vec3T<T>& e_j) const {
  const NaturalBody& body = map_.basis().bodies[index(row.body)];
  const T local = la::dot(map_.local(body, row.i), map_.local(body, row.j));
  return T(factor(row)) * (la::dot(e_i, e_j) - local);
}

template <Scalar T>
void RigidRows<T>::values(std::span<const T> q, VecXT<T>& Phi) const {
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    Phi(row.row) =
        value(row, map_.direction(body, row.i, q, true), map_.direction(body, row.j, q, true));
  }
}

template <Scalar T>
void RigidRows<T>::slopes(std::span<const T> q, SparseRows<T>& Phi_q) const {
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const Vec3T<T> e_i = map_.direction(body, row.i, q, true);
    const Vec3T<T> e_j = map_.direction(body, row.j, q, true);
    const T half(factor(row));
    const auto first = Phi_q.column.begin() + Phi_q.start[index(row.row)];
    const auto last = Phi_q.column.begin() + Phi_q.start[index(row.row) + 1];
    std::fill(Phi_q.value.begin() + (first - Phi_q.column.begin()),
              Phi_q.value.begin() + (last - Phi_q.column.begin()), T(0));
    const auto add = [&](int k, const Vec3T<T>& other) {
      const Side s = side(row, k);
      for (int n = 0; n < s.count; ++n) {
        const int column = map_.basis().elements[index(s.element[n])].first;
        if (column < 0) continue;
        const auto at = std::lower_bound(first, last, column) - Phi_q.column.begin();
        for (int c = 0; c < 3; ++c) {  // the three are side by side
          Phi_q.value[static_cast<std::size_t>(at + c)] += half * other(c) * T(s.sign[n]);
        }
      }
    };
    add(row.i, e_j);
    add(row.j, e_i);
  }
}

template <Scalar T>
void RigidRows<T>::rates(std::span<const T> q, std::span<const T> v, std::span<const T> a,
                         VecXT<T>& Phi_dot, VecXT<T>& Phi_ddot) const {
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const auto of = [&](int k, std::span<const T> x, bool place) {
      return map_.direction(body, k, x, place);
    };
    const Vec3T<T> e_i = of(row.i, q, true), e_j = of(row.j, q, true);
    const Vec3T<T> v_i = of(row.i, v, false), v_j = of(row.j, v, false);
    const T half(factor(row));
    Phi_dot(row.row) = half * (la::dot(v_i, e_j) + la::dot(e_i, v_j));
    Phi_ddot(row.row) = half * (la::dot(of(row.i, a, false), e_j) + T(2) * la::dot(v_i, v_j) +
                                la::dot(e_i, of(row.j, a, false)));
  }
}

template class RigidRows<double>;
template class RigidRows<Complex>;

}  // namespace kinegrad
