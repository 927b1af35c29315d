// Derivatives of a stage by whatever costs less (docs/theory/step_derivatives.md): by recursion where q and v are
// given and M⁻¹ costs O(n) [ST-11], by matrices [ST-3] otherwise. Forwards the recursion makes a sweep per parameter,
// where matrices are made once: many parameters of a short chain are better served by these.
#pragma once

#include "kinegrad/formulations/recursive_stage.hpp"
#include "kinegrad/formulations/stage_partials.hpp"

namespace kinegrad {

class ChosenStage final : public SolvedStage {
 public:
  /// The system must outlive the object.
  ChosenStage(SystemPartials& system, const StageRule& rule);

  int integrated() const override { return matrices_.integrated(); }
  bool linearize(const StagePoint& x, double c_q, double c_v,
                 const CoordinateSelection* selection) override;
  void take_parameters(const DesignJacobian& design) override;
  void tangent(const MatX& dy, const MatX& dydot, StateTangent& out) override;
  Rates rates(const StateTangent& x) const override { return {x.v, x.a}; }
  void adjoint(StateCotangent& x, const IntegratedCotangent& integrated, std::span<double> y,
               std::span<double> ydot, std::span<double> p) override;
  void tangent_at(StateTangent& x) override;
  void adjoint_at(StateCotangent& x, std::span<double> p) override;

  // what only stages with matrices are asked for
  void linearize_lift(const StagePoint& x) override { matrices_.linearize_lift(x); }
  void take_lift_parameters(const DesignJacobian& design) override {
    matrices_.take_lift_parameters(design);
  }
  void lift_tangent(const StateTangent& x, const MatX& dw_integrated, MatX& dw) override {
    matrices_.lift_tangent(x, dw_integrated, dw);
  }
  void lift_adjoint(StateCotangent& x, const VecX& w, VecX& w_integrated,
                    std::span<double> p) override {
    matrices_.lift_adjoint(x, w, w_integrated, p);
  }
  const PatternMatrix& mass() const override { return matrices_.mass(); }
  const StageRows& rows() const override { return matrices_.rows(); }

 private:
  bool sweeps_pay(int parameters) const;

  SystemPartials& system_;
  bool independent_;  // the rule of independent coordinates
  StagePartials matrices_;
  std::optional<RecursiveStage> recursive_;
  bool by_recursion_ = false;  // of the stage linearised last
  StagePoint x_;
  VecX q_bar_, v_bar_;
};

/// Whether m responses by recursion cost less than a matrix of n + m.
bool responses_pay(int n, int m);

}  // namespace kinegrad
