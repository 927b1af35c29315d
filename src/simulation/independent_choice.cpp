#include "kinegrad/simulation/independent_choice.hpp"

#include <fmt/format.h>

#include "kinegrad/formulations/normalised_rows.hpp"
#include "kinegrad/math/complete_pivoting.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

MatX independent_q(const Model& model, const MechanicalSystem<double>& system) {
  MatX B = MatX::Zero(static_cast<Eigen::Index>(model.independent().size()), system.nq());
  for (Eigen::Index k = 0; k < B.rows(); ++k) {
    const IndependentCoordinate& y = model.independent()[static_cast<std::size_t>(k)];
    VecX row = VecX::Zero(system.nq());
    if (y.coordinate >= 0) {
      row(y.coordinate) = 1;
    } else {
      system.independent_q().add_row(y.row, 1, out(row));
    }
    B.row(k) = row;
  }
  return B;
}

int rank_of(const MatX& A) {
  CompletePivoting pivoting(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  pivoting.matrix() = A;
  pivoting.start();
  for (int i = 0; i < static_cast<int>(A.rows()); ++i) pivoting.line_up(i);
  pivoting.eliminate(pivoting.lined_up());
  return pivoting.rank();
}

}  // namespace

std::string independent_names(const Model& model) {
  std::string names;
  for (const IndependentCoordinate& y : model.independent()) {
    names += (names.empty() ? "" : ", ") + y.name;
  }
  return names;
}

std::string independent_refusal(const Model& model, MechanicalSystem<double>& system, double t,
                                const VecX& q) {
  system.place(t, in(q));
  system.measure_independent(t, in(q), {}, {});
  NormalisedRows<double> rows(system);
  rows.fill(in(q));
  const MatX& J = rows.J();
  const MatX B = independent_q(model, system);
  const int freedom = system.nq() - rank_of(J), named = static_cast<int>(B.rows());
  const std::string which = "analysis.independent names " + independent_names(model);
  if (named != freedom) {
    return fmt::format("{}, too {}: the mechanism starts with {} degree{} of freedom, {} {}", which,
                       named > freedom ? "many" : "few", freedom, freedom == 1 ? "" : "s",
                       named > freedom ? "leave out" : "name",
                       named > freedom ? fmt::format("{}", named - freedom)
                                       : fmt::format("{} more", freedom - named));
  }
  MatX S(J.rows() + B.rows(), J.cols());
  S << J, B;
  if (rank_of(S) == system.nq()) return {};
  return which +
         ", which cannot describe the motion from where it starts: there they do not move "
         "independently of each other, choose others";
}

}  // namespace kinegrad
