// What the ports of a tree do along a direction of the parameters or of the state ([DP-5] forwards).
#include "kinegrad/assembly/tree_tangents.hpp"

namespace kinegrad {

/// Changes of the attributes of the forces that the direction touches: their own numbers, and what
/// comes out of the force tape for those that vary.
void TreeTangents::change_attributes() {
  const ParameterDirection& direction = *displaced_.direction;
  for (const AttributeChange& change : direction.attributes) {
    attributes_[static_cast<std::size_t>(change.force)] = change.d;
  }
  bool variable = false;
  for (const int i : direction.forces) {
    variable |= !model_.forces()[static_cast<std::size_t>(i)].variable.empty();
  }
  if (!variable) return;
  ForceExpressionPartials& expressions = forces_->expressions;
  expressions.forward(forces_->x.expressions, port_site(forces_->tree, forces_->x, L_.at.t), L_.at,
                      displaced_);
  for (const int i : direction.forces) {
    for (const auto& [place, output] : model_.forces()[static_cast<std::size_t>(i)].variable) {
      attributes_[static_cast<std::size_t>(i)](place) = expressions.change(output);
    }
  }
}

void TreeTangents::add_ports(Eigen::Ref<VecX> dr) {
  change_attributes();
  const PortSite<double> site = port_site(forces_->tree, forces_->x, L_.at.t);
  for (const int i : displaced_.direction->forces) {
    const auto index = static_cast<std::size_t>(i);
    AttributeVector<double>& d = attributes_[index];
    forces_->ports[index]->tangent(site, L_.at, displaced_, forces_->attributes_of(index), d,
                                   wrenches_, dr);
    d.setZero();
  }
}

}  // namespace kinegrad
