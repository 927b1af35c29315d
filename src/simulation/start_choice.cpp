#include "simulation/start_choice.hpp"

#include "kinegrad/simulation/start_rank.hpp"

namespace kinegrad {

StartChoice choose_freedoms(const MatX& Z, const MatX& C, int given) {
  constexpr double kWell = 1e-3;  // values that determine well come before those that barely do
  StartChoice out;
  out.held.assign(static_cast<std::size_t>(C.rows()), false);
  out.freedom = static_cast<int>(Z.cols());
  std::vector<VecX> basis;
  const auto ask = [&](Eigen::Index i, double bar) {
    if (out.held[static_cast<std::size_t>(i)]) return;
    VecX worth = Z.transpose() * C.row(i).transpose();
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough for orthogonality
      for (const VecX& e : basis) worth -= e.dot(worth) * e;
    }
    if (!(worth.norm() > bar)) return;  // values are scaled as equations are
    out.held[static_cast<std::size_t>(i)] = true;
    basis.push_back(worth.normalized());
  };
  for (const bool first : {true, false}) {
    for (const double bar : {kWell, kStartRank}) {
      for (Eigen::Index i = first ? 0 : given; i < (first ? given : C.rows()); ++i) ask(i, bar);
    }
  }
  out.left = out.freedom - static_cast<int>(basis.size());
  return out;
}

}  // namespace kinegrad
