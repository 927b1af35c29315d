#include "kinegrad/formulations/solved_stage.hpp"

#include "kinegrad/formulations/chosen_stage.hpp"
#include "kinegrad/formulations/named_stage_partials.hpp"

namespace kinegrad {

void StateTangent::resize(int n, int m, int parameters) {
  for (MatX* x : {&q, &v, &a, &own}) x->setZero(n, parameters);
  lambda.setZero(m, parameters);
}

void StateCotangent::set_zero(int n, int m) {
  for (VecX* x : {&q, &v, &a, &own}) x->setZero(n);
  lambda.setZero(m);
}

StateCotangent& StateCotangent::operator+=(const StateCotangent& other) {
  q += other.q;
  v += other.v;
  a += other.a;
  lambda += other.lambda;
  own += other.own;
  return *this;
}

void IntegratedCotangent::set_zero(int n) {
  for (VecX* x : {&y, &ydot, &yddot, &own}) x->setZero(n);
}

RowSet row_set(const StageRule& rule) {
  return rule.named.empty() ? RowSet::kConstraints : RowSet::kWithIndependent;
}

std::unique_ptr<SolvedStage> make_solved_stage(SystemPartials& system, const StageRule& rule) {
  if (!rule.named.empty()) return std::make_unique<NamedStagePartials>(system, rule.named);
  return std::make_unique<ChosenStage>(system, rule);
}

}  // namespace kinegrad
