#include "kinegrad/tree/tree_linearization.hpp"

namespace kinegrad {

using la::cross;

void accumulate_point_coordinates(const TreeLinearization& at, const TreeCotangent& sums, int node,
                                  int first, const Vec3& e, const Vec3& r_bar, const Vec3& rdot_bar,
                                  std::span<double> p_bar) {
  if (p_bar.empty() || !sums.active(first, 3)) return;
  Vec3 c_bar = r_bar;
  if (node >= 0) {
    const Vec3 omega = at.body(node).V.head<3>(), turn = sums.weight(node).head<3>();
    c_bar = at.body(node).R_WB.transpose() * (r_bar + cross(rdot_bar, omega) - cross(e, turn));
  }
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(first + i)] += c_bar(i);
}

Halves<double> frozen_column(const TreeLinearization& at, const TreeCotangent& sums, int node,
                             const BeyondSums& beyond) {
  const Halves<double> V(at.V_of(node)), A(at.A_of(node)), y(beyond.y);
  Halves<double> inner = force_cross(V, y);
  inner -= Halves<double>(beyond.z);
  Halves<double> G = force_cross(V, inner);
  G -= force_cross(A, y);
  G += Halves<double>(beyond.g);
  if (node >= 0) G -= force_cross(Halves<double>(sums.weight(node)), Halves<double>(beyond.f));
  return G;
}

void accumulate_frame(const TreeLinearization& at, std::span<const double> p, FrameBlock block,
                      int node, const Vec3& origin, const Halves<double>& G, double sign,
                      std::span<double> p_bar) {
  Triple<double> shift = G.v, turn = G.w + cross(G.v, Triple<double>(origin));
  if (node >= 0) {
    const Columns3<double> R_WB(at.body(node).R_WB);
    shift = R_WB.transposed_times(shift);
    turn = R_WB.transposed_times(turn);
  }
  double* to = &p_bar[static_cast<std::size_t>(block.origin())];
  to[0] += sign * shift.x;
  to[1] += sign * shift.y;
  to[2] += sign * shift.z;
  // R̄ = ½ turn~R, so that ⟨R̄, φ~R⟩ = turnᵀφ; R and R̄ are stored row by row
  turn = turn * (0.5 * sign);
  const double* R = &p[static_cast<std::size_t>(block.rotation())];
  double* R_bar = &p_bar[static_cast<std::size_t>(block.rotation())];
  for (int j = 0; j < 3; ++j) {
    const Triple<double> column = cross(turn, {R[j], R[3 + j], R[6 + j]});
    R_bar[j] += column.x;
    R_bar[3 + j] += column.y;
    R_bar[6 + j] += column.z;
  }
}

}  // namespace kinegrad
