#include "kinegrad/simulation/coordinate_choice.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/formulations/all.hpp"
#include "kinegrad/math/linear_solver.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad {

namespace {

/// [GC-5] in µs, from the table of bench/README.md.
double step_cost(const Model& model, const CoordinateSize& size) {
  const auto bodies = static_cast<double>(model.topology().nodes.size());
  const double unknowns = size.coordinates + size.rows;
  const double per_body = model.coordinate_set() == CoordinateSet::kJoint       ? 0.5
                          : model.coordinate_set() == CoordinateSet::kCartesian ? 2.0
                                                                                : 3.0;
  const double evaluation = per_body * bodies + 0.1 * size.rows;
  if (model.constraints().empty()) return evaluation;  // O(n), whatever the coordinates
  const auto entries = static_cast<double>(size.mass_entries + 2 * size.row_entries + size.rows);
  const bool sparse = entries < static_cast<double>(sparse_limit(static_cast<int>(unknowns)));
  constexpr double kDense = 2e-4, kSparse = 3e-2;
  return evaluation + (sparse ? kSparse * entries : kDense * unknowns * unknowns * unknowns / 3);
}

}  // namespace

CoordinateSize coordinate_size(const Model& model) {
  const auto system = make_system<double>(model, ReferencePoint::kCom);
  CoordinateSize size;
  size.name = coordinate_set_name(model.coordinate_set());
  size.coordinates = system->nq();
  size.normalisations = static_cast<int>(system->euler_sets().size());
  size.rows = system->rows();
  size.mass_entries = 2 * static_cast<long>(system->pattern().value.size()) - system->nq();
  size.row_entries = static_cast<long>(system->Phi_q().value.size());
  size.step = step_cost(model, size);
  return size;
}

std::vector<CoordinateSize> coordinate_sizes(const ModelDescription& description,
                                             const Catalogue& catalogue) {
  std::vector<CoordinateSize> sizes;
  for (const CoordinateSet set :
       {CoordinateSet::kJoint, CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    sizes.push_back(coordinate_size(compile_model(description, catalogue, set)));
  }
  return sizes;
}

const std::string& fastest(const std::vector<CoordinateSize>& sizes) {
  return std::min_element(
             sizes.begin(), sizes.end(),
             [](const CoordinateSize& a, const CoordinateSize& b) { return a.step < b.step; })
      ->name;
}

}  // namespace kinegrad
