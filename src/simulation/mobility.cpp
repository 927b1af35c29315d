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

/// Ranks of the normalisations, with them of the constraints on positions, and of all.
struct Ranks {
  int normalisations = 0, positions = 0, all = 0;
};

/// Equation by equation at a configuration; depends(i) is called for those that follow from others. [KP-4]
template <typename Depends>
Ranks count_ranks(MechanicalSystem<double>& system, double t, const VecX& q,
                  const Depends& depends) {
  const auto n = static_cast<std::size_t>(q.size());
  system.place(t, {q.data(), n});
  RowSpan span;
  VecX row;
  for (const int first : system.euler_sets()) {
    row = VecX::Zero(q.size());
    row.segment<4>(first) = q.segment<4>(first);
    span.add(row, 1);
  }
  Ranks out{span.rank(), span.rank(), 0};
  for (int i = 0; i < system.rows(); ++i) {
    row = VecX::Zero(q.size());
    system.Phi_q().add_row(i, 1, {row.data(), n});
    if (!span.add(row, system.remaining(i))) depends(i);
    if (i + 1 == system.holonomic()) out.positions = span.rank();
  }
  out.all = span.rank();
  return out;
}

}  // namespace

int constraint_rank(MechanicalSystem<double>& system, double t, const VecX& q) {
  const Ranks ranks = count_ranks(system, t, q, [](int) {});
  return ranks.all - ranks.normalisations;
}

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
    out.message = "too many equations and coordinates to count degrees of freedom here";
    return out;
  }
  const auto owner = make_system<double>(model, ReferencePoint::kCom);
  MechanicalSystem<double>& system = *owner;
  system.set_parameters(p);
  const VecX q = drawn_or_assembled(model, p, out);
  std::vector<int> dependent(model.constraints().size(), 0);
  const Ranks ranks = count_ranks(system, 0, q, [&](int i) {
    const int constraint = model.constraint_rows()[static_cast<std::size_t>(i)].constraint;
    ++dependent[static_cast<std::size_t>(constraint)];
  });
  out.q = q;
  out.rows = system.rows();
  out.rank = ranks.all - ranks.normalisations;
  out.position_freedom = model.state_size() - ranks.positions;
  out.freedom = model.state_size() - ranks.all;
  for (std::size_t c = 0; c < dependent.size(); ++c) {
    if (dependent[c]) out.redundant.push_back({static_cast<int>(c), dependent[c]});
  }
  return out;
}

}  // namespace kinegrad
