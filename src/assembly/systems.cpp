#include "kinegrad/assembly/systems.hpp"

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/assembly/natural_partials.hpp"
#include "kinegrad/assembly/natural_system.hpp"
#include "kinegrad/assembly/reactive_partials.hpp"

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

std::unique_ptr<SystemPartials> make_system_partials(const Model& model, ReferencePoint point,
                                                     RowSet rows) {
  auto plain = make_plain_partials(model, point, rows);
  if (model.reactive_forces().empty()) return plain;
  return std::make_unique<ReactivePartials>(model, std::move(plain));
}

std::unique_ptr<SystemPartials> make_system_partials(const LoadedTree<double>& constants,
                                                     RowSet rows) {
  auto plain = std::make_unique<JointPartials>(constants, rows);
  if (constants.model().reactive_forces().empty()) return plain;
  return std::make_unique<ReactivePartials>(constants.model(), std::move(plain));
}

template std::unique_ptr<MechanicalSystem<double>> make_system<double>(const Model&,
                                                                       ReferencePoint);
template std::unique_ptr<MechanicalSystem<Complex>> make_system<Complex>(const Model&,
                                                                         ReferencePoint);

}  // namespace kinegrad
