// Derivatives of a Runge-Kutta step, any tableau, explicit [ERK-1] or ESDIRK [DRK-1]
// (docs/theory/step_derivatives.md). Every stage is differentiated as it was solved, with c_v = hγ, c_q = (hγ)², the end
// of an implicit step with what the formulation does there:
//
//   dẏ̂_i = dẏ₀ + h Σ_{j<i} a_ij dÿ_j        dŷ_i = dy₀ + h Σ_{j<i} a_ij dẏ_j + hγ dẏ̂_i              [SD-4]
#pragma once

#include <optional>

#include "kinegrad/integrators/reduction_partials.hpp"
#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

class RungeKuttaPartials final : public StepPartials {
 public:
  /// The tableau must outlive the object.
  RungeKuttaPartials(const Tableau& tableau, const StageRule& rule,
                     const SystemPartialsFactory& make_system);

  void nodes(const StepRecord& record, std::vector<RecordedNode>& out) const override;
  bool start_tangent(const StepState<double>& x0, const CoordinateSelection* selection,
                     const DesignJacobian& design, StateTangent& x) override;
  bool start_adjoint(const StepState<double>& x0, const CoordinateSelection* selection,
                     StateCotangent& x, std::span<double> p) override;
  bool tangent(const StepRecord& record, const DesignJacobian& design, StateTangent& x,
               const VisitTangent& visit) override;
  bool linearize(const StepRecord& record) override;
  void adjoint(StateCotangent& x, std::span<double> p, const VisitCotangent& visit) override;
  SystemPartials* at_end() override { return at_end_; }
  SystemPartials* at_stage(int stage) override {
    return named_ ? nullptr : stages_[static_cast<std::size_t>(stage - 1)].system.get();
  }

 private:
  struct Stage {
    std::unique_ptr<SystemPartials> system;
    std::unique_ptr<SolvedStage> partials;
  };
  int stages() const { return tableau_.stages(); }
  /// Stages that are solved: all but the first, and the end where it is not the last of them.
  int solved() const { return stages() - (tableau_.first_same_as_last ? 1 : 0); }
  const StepState<double>& state(const StepRecord& record, int stage) const;
  std::span<const double> weights(int stage) const;
  bool implicit() const { return tableau_.gamma != 0; }
  bool linearize_end(const StepRecord& record);
  void pull_stage(int stage, StateCotangent& x, std::span<double> p);

  const Tableau& tableau_;
  bool named_;                 // the systems have equations for named coordinates, too [ST-8]
  bool projects_;              // an implicit step ends with projections
  bool ends_only_;             // integrands are evaluated at the ends of steps alone
  std::vector<Stage> stages_;  // [i − 1]: stage i; the last one the end
  std::unique_ptr<SystemPartials> finish_system_;
  std::optional<FinishPartials> finish_;  // of implicit steps
  SystemPartials* at_end_ = nullptr;
  double h_ = 0;
  std::vector<MatX> dk_q_, dk_v_;
  std::vector<IntegratedCotangent> k_;  // of the stages' ẏ and ÿ; the end has none
  StateTangent stage_tangent_;
  StateCotangent stage_cotangent_;
  MatX dy_, dydot_;
  VecX y_, ydot_;
  ReductionPartials reduction_;
  IntegratedCotangent start_;
};

}  // namespace kinegrad
