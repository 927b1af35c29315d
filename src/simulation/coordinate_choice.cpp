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
  const CoordinateSet set = model.coordinate_set();
  const double per_body = set == CoordinateSet::kJoint       ? 0.6
                          : set == CoordinateSet::kCartesian ? 4
                                                             : 16;
  constexpr double kRow = 0.1, kDense = 4e-4, kSparse = 0.04;
  const auto bodies = static_cast<double>(model.topology().nodes.size());
  const int unknowns = size.coordinates + size.rows;
  const auto entries = static_cast<double>(size.mass_entries + 2 * size.row_entries + size.rows);
  const bool sparse =
      !model.constraints().empty() && entries < static_cast<double>(sparse_limit(unknowns));
  return per_body * bodies + kRow * size.rows +
         (sparse ? kSparse * entries : kDense * std::pow(unknowns, 3));
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
