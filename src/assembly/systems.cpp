#include "kinegrad/assembly/systems.hpp"

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/assembly/natural_partials.hpp"
#include "kinegrad/assembly/natural_system.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<MechanicalSystem<T>> make_system(const Model& model, ReferencePoint point) {
  if (!model.natural().empty()) return std::make_unique<NaturalSystem<T>>(model);
  return std::make_unique<JointSystem<T>>(model, point);
}

std::unique_ptr<SystemPartials> make_plain_partials(const Model& model, ReferencePoint point,
                                                    RowSet rows) {
  if (!model.natural().empty()) return std::make_unique<NaturalPartials>(model, rows);
  return std::make_unique<JointPartials>(model, point, TriadInertia::kHere, rows);
}

template std::unique_ptr<MechanicalSystem<double>> make_system<double>(const Model&,
                                                                       ReferencePoint);
template std::unique_ptr<MechanicalSystem<Complex>> make_system<Complex>(const Model&,
                                                                         ReferencePoint);

}  // namespace kinegrad
