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

bool solved_start_tangent(StagePartials& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, const DesignJacobian& design,
                          StateTangent& x) {
  if (!stage.linearize(stage_point(x0), 0, 0, selection)) return false;
  stage.take_parameters(design);
  const MatX dq = x.q, dv = x.v;
  stage.tangent(dq, dv, x);
  return true;
}

bool solved_start_adjoint(StagePartials& stage, const StepState<double>& x0,
                          const CoordinateSelection* selection, StateCotangent& x,
                          std::span<double> p) {
  if (!stage.linearize(stage_point(x0), 0, 0, selection)) return false;
  VecX q = VecX::Zero(x.q.size()), v = q;
  stage.adjoint(x, out(q), out(v), p);
  x.q = q;
  x.v = v;
  return true;
}

}  // namespace kinegrad
