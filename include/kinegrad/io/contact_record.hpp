// Where bodies touch during a run, for the report: of every contact and tyre the place and the force on its second body, in the world,
// and the foot of that body on the ground (docs/howto/report.md). The wrench [n; f] at marker 2 acts along the line through
//
//   c = f×n/|f|²  from marker 2
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kinegrad/assembly/natural_map.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/ports/loaded_tree.hpp"

namespace kinegrad {

class ContactRecord {
 public:
  /// The model must outlive the object.
  ContactRecord(const Model& model, std::span<const double> p);

  bool empty() const { return contacts_.empty(); }
  /// "contact:NAME.x" … "contact:NAME.fz", then "ground:NAME.x" … of those on a plane or ground.
  std::vector<std::string> columns() const;
  /// Adds the numbers of a state to the row.
  void append(const StepState<double>& x, std::vector<double>& row);

 private:
  struct Contact {
    std::size_t force;
    int ground;  ///< place of its ground among the attributes, -1: it has none
  };
  void move(const StepState<double>& x);

  const Model& model_;
  std::vector<Contact> contacts_;
  std::unique_ptr<LoadedTree<double>> tree_;     // where there are contacts
  std::unique_ptr<TreeState<double>> at_;
  std::unique_ptr<NaturalMap<double>> natural_;  // where the state has natural coordinates
  VecX z_, zdot_, zddot_;
  std::vector<double> r_;
};

}  // namespace kinegrad
