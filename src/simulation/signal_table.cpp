#include "kinegrad/simulation/signal_table.hpp"

#include <algorithm>
#include <utility>

#include "kinegrad/base/diagnostic.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

namespace {

std::vector<double> physical_at(const Model& model, const VecX& rho) {
  const DesignMap& map = model.design_map();
  if (rho.size() != map.parameter_count()) {
    throw InvalidArgument("simulate: the model has " + std::to_string(map.parameter_count()) +
                          " independent parameters, not " + std::to_string(rho.size()));
  }
  std::vector<double> p(static_cast<std::size_t>(map.physical_count()));
  auto work = map.make_workspace<double>();
  map.evaluate<double>(in(rho), p, work);
  return p;
}

}  // namespace

VecX SignalTable::column(std::string_view name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) {
    throw InvalidArgument("there is no signal \"" + std::string(name) + "\"" +
                          suggestion(name, names));
  }
  return values.col(it - names.begin());
}

SignalTable simulate(const Model& model, const VecX& rho, RunOptions options) {
  if (options.step == 0) options.step = model.analysis().step;
  if (options.end == 0) options.end = model.analysis().end;
  SignalTable table;
  table.names = {"t"};
  for (const Signal& signal : model.signals()) table.names.push_back(signal.name);
  const std::vector<double> p = physical_at(model, rho);
  SignalEvaluator<double> signals(model);
  std::vector<double> numbers;  // row by row
  const auto keep = [&](const StepState<double>& x) {
    signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
    numbers.push_back(x.t);
    for (std::size_t k = 0; k < model.signals().size(); ++k) {
      numbers.push_back(signals.signal(static_cast<int>(k)));
    }
    return true;
  };
  table.report = Simulator(model, options).run(p, keep);
  const auto columns = static_cast<Eigen::Index>(table.names.size());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  table.values = Eigen::Map<const Rows>(
      numbers.data(), static_cast<Eigen::Index>(numbers.size()) / columns, columns);
  return table;
}

SignalTable simulate(const Model& model, RunOptions options) {
  return simulate(model, model.default_rho(), std::move(options));
}

}  // namespace kinegrad
