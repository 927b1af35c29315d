#include "kinegrad/assembly/systems.hpp"

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/assembly/natural_partials.hpp"
#include "kinegrad/assembly/natural_system.hpp"

namespace kinegrad {

template <Scalar T>
std::unique_ptr<LoadedTree<T>> make_constants(const Model& model, ReferencePoint point) {
  if (!model.natural().empty()) return nullptr;
  return std::make_unique<LoadedTree<T>>(model, point);
}

template <Scalar T>
std::unique_ptr<MechanicalSystem<T>> make_system(const Model& model, ReferencePoint point,
                                                 const LoadedTree<T>* constants) {
  if (!model.natural().empty()) return std::make_unique<NaturalSystem<T>>(model);
  return std::make_unique<JointSystem<T>>(SharedTree<T>(model, point, constants));
}

std::unique_ptr<SystemPartials> make_plain_partials(const Model& model, ReferencePoint point,
                                                    RowSet rows) {
  if (!model.natural().empty()) return std::make_unique<NaturalPartials>(model, rows);
  return std::make_unique<JointPartials>(model, point, TriadInertia::kHere, rows);
}

#define KINEGRAD_INSTANTIATE(T)                                                              \
  template std::unique_ptr<LoadedTree<T>> make_constants<T>(const Model&, ReferencePoint);   \
  template std::unique_ptr<MechanicalSystem<T>> make_system<T>(const Model&, ReferencePoint, \
                                                               const LoadedTree<T>*)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
