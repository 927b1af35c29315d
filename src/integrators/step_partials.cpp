#include "kinegrad/integrators/step_partials.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

void StepPartials::nodes(const StepRecord& record, std::vector<RecordedNode>& out) const {
  out.clear();
  out.push_back({0.5 * record.h, record.x0, 0});
  out.push_back({0.5 * record.h, record.x1, RecordedNode::kEnd});
}

StagePoint stage_point(const StepState<double>& x) {
  return {x.t, in(x.q), in(x.v), in(x.a), in(x.lambda)};
}

StagePoint point_before(const StepRecord& record) {
  const StepState<double>&x = *record.before, &x1 = *record.x1;
  return {x1.t, in(x1.q), in(x.v), in(x.a), in(x.lambda)};
}

StagePoint lagging_point(const StepState<double>& x) {
  return {x.t, in(x.q), in(x.v), in(x.own), in(x.lambda)};
}

bool solved_start_tangent(SolvedStage& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, const DesignJacobian& design,
                          StateTangent& x) {
  if (!stage.linearize(stage_point(x0), 0, 0, selection)) return false;
  stage.take_parameters(design);
  stage.tangent_at(x);
  return true;
}

bool solved_start_adjoint(SolvedStage& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, StateCotangent& x,
                          std::span<double> p) {
  if (!stage.linearize(stage_point(x0), 0, 0, selection)) return false;
  stage.adjoint_at(x, p);
  return true;
}

}  // namespace kinegrad
