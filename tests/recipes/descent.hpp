// The optimiser of docs/howto/add_an_optimizer.md.
#pragma once

#include "kinegrad/optimization/optimizer.hpp"

namespace kinegrad {

class Descent final : public Optimizer {
 public:
  OptimizerResult minimize(Nlp& nlp) override {
    VecX x = nlp.start();
    NlpPoint here = nlp.at(x);
    for (double step = 1; !nlp.finished() && step > 1e-12;) {
      const VecX trial = (x - step * here.f_x).cwiseMax(nlp.lower()).cwiseMin(nlp.upper());
      const NlpPoint& there = nlp.at(trial);
      if (there.failed || there.f >= here.f) {
        step /= 4;  // a failed point is nothing but too far
        continue;
      }
      x = trial;
      here = there;
      step *= 2;
    }
    return {nlp.finished() ? OptimizerEnd::kFinished : OptimizerEnd::kNoDescent, {}};
  }
};

}  // namespace kinegrad
