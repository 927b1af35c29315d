#include "kinegrad/integrators/step_partials.hpp"

namespace kinegrad {

void StepPartials::nodes(const StepRecord& record, std::vector<RecordedNode>& out) const {
  out.clear();
  out.push_back({0.5 * record.h, record.x0, 0});
  out.push_back({0.5 * record.h, record.x1, RecordedNode::kEnd});
}

}  // namespace kinegrad
