#include "kinegrad/simulation/mobility.hpp"

#include <algorithm>

#include "kinegrad/assembly/coordinate_change.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/row_span.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/initial_state.hpp"

namespace kinegrad {

namespace {

/// The start in the coordinates of the model.
VecX drawn_or_assembled(const Model& model, std::span<const double> p, Mobility& out) {
  const Model& joints = model.start();
  const auto system = make_system<double>(joints, ReferencePoint::kCom);
  system->set_parameters(parameters_of_start(model, p));
  VecX q = Eigen::Map<const VecX>(p.data() + joints.initial_q(), joints.nq());
  VecX v = Eigen::Map<const VecX>(p.data() + joints.initial_v(), joints.nq());
  const KinematicReport start = assemble_start<double>(joints, *system, 0, q, v);
  out.assembled = start.solved;
  out.message = start.message;
  if (&joints == &model) return q;
  VecX changed, speeds;
  FromJointCoordinates<double>(model).convert(p, in(q), in(v), changed, speeds);
  return changed;
}

}  // namespace

Mobility mobility_of(const Model& model, std::span<const double> p) {
  Mobility out;
  if (model.constraint_rows().empty()) {  // also where it has thousands of bodies
    out.freedom = model.state_size() - static_cast<int>(euler_sets_of(model).size());
    out.position_freedom = out.freedom;
    return out;
  }
  // dense orthogonalisation costs rows × coordinates², seconds from here on
  constexpr double kMostWork = 5e7;
  const double rows = static_cast<double>(model.constraint_rows().size()), n0 = model.state_size();
  if (rows * n0 * n0 > kMostWork) {
    out.rows = static_cast<int>(model.constraint_rows().size());
    out.assembled = false;
    out.freedom = out.position_freedom = out.rank = -1;
    out.message = "too many rows and coordinates to count degrees of freedom here";
    return out;
  }
  const auto owner = make_system<double>(model, ReferencePoint::kCom);
  MechanicalSystem<double>& system = *owner;
  system.set_parameters(p);
  const VecX q = drawn_or_assembled(model, p, out);
  const auto n = static_cast<std::size_t>(model.state_size());
  system.place(0, {q.data(), n});
  RowSpan span;
  for (const int first : system.euler_sets()) {
    VecX row = VecX::Zero(model.state_size());
    row.segment<4>(first) = q.segment<4>(first);
    span.add(row, 1);
  }
  const int normalisations = span.rank();
  std::vector<int> dependent(model.constraints().size(), 0);
  for (int i = 0; i < system.rows(); ++i) {
    VecX row = VecX::Zero(model.state_size());
    system.Phi_q().add_row(i, 1, {row.data(), n});
    const int constraint = model.constraint_rows()[static_cast<std::size_t>(i)].constraint;
    if (!span.add(row, system.remaining(i))) ++dependent[static_cast<std::size_t>(constraint)];
    if (i + 1 == system.holonomic()) out.position_freedom = model.state_size() - span.rank();
  }
  if (system.holonomic() == 0) out.position_freedom = model.state_size() - normalisations;
  out.rows = system.rows();
  out.rank = span.rank() - normalisations;
  out.freedom = model.state_size() - span.rank();
  for (std::size_t c = 0; c < dependent.size(); ++c) {
    if (dependent[c]) out.redundant.push_back({static_cast<int>(c), dependent[c]});
  }
  return out;
}

}  // namespace kinegrad
