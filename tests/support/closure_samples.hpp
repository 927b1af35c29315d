// Cut joints of every type in a mechanism where everything moves.
#pragma once

#include <string>
#include <utility>

#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "support/constraint_samples.hpp"

namespace kinegrad::test {

/// A body on a slanted hinge, a free one, and the joint between them, cut: with all coordinates zero its
/// frames meet.
inline ModelDescription closure_description(const std::string& type, const std::string& closure,
                                            bool reversed) {
  ModelBuilder builder;
  builder.gravity("weight", {0.3, -9.0, 1.0});  // the tree's accelerations leave it out
  for (const char* name : {"arm", "box"}) {
    BodySpec body;
    body.name = name;
    body.mass = 1.5;
    body.com = VectorSpec(0.1, -0.2, 0.3);
    InertiaSpec inertia;
    inertia.xx = 0.5;
    inertia.yy = 0.6;
    inertia.zz = 0.7;
    inertia.xy = 0.1;
    body.inertia = inertia;
    builder.body(body);
  }
  const VectorSpec zero(0.0, 0.0, 0.0), slanted(0.6, 0.0, 0.8), across(0.8, 0.0, -0.6);
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.type = "revolute";
  hinge.bodies = {"ground", "arm"};
  hinge.points = {zero, zero};
  hinge.axes = {slanted, slanted};
  hinge.references = {across, across};
  builder.joint(hinge);
  JointSpec flight;
  flight.name = "flight";
  flight.type = "floating";
  flight.bodies = {"ground", "box"};
  flight.points = {zero, zero};
  builder.joint(flight);
  JointSpec loop;
  loop.name = "loop";
  loop.type = type;
  loop.bodies = {"arm", "box"};
  if (reversed) std::swap(loop.bodies[0], loop.bodies[1]);
  const VectorSpec at(0.5, 0.4, -0.2), axis(2.0 / 3, -1.0 / 3, 2.0 / 3);
  loop.points = {at, at};
  if (type == "universal") {  // each body has its own axis of the two
    loop.axes = {axis, VectorSpec(1.0 / 3, -2.0 / 3, -2.0 / 3)};
  } else if (type != "spherical" && type != "fixed" && type != "floating" && type != "cartesian") {
    loop.axes = {axis, axis};
    loop.references = {VectorSpec(1.0 / 3, -2.0 / 3, -2.0 / 3),
                       VectorSpec(1.0 / 3, -2.0 / 3, -2.0 / 3)};
  }
  loop.cut = true;
  loop.closure = closure;
  builder.joint(loop);
  return builder.description();
}

inline Model closed_by(const std::string& type, const std::string& closure, bool reversed) {
  return compile_model(closure_description(type, closure, reversed));
}

struct Closure {
  const char* type;
  int minimal, redundant;  ///< rows [C-4]; 0: no redundant set
};
inline constexpr Closure kClosures[] = {
    {"fixed", 6, 9},       {"revolute", 5, 6},    {"prismatic", 5, 9},
    {"cylindrical", 4, 6}, {"universal", 4, 0},   {"planar", 3, 4},
    {"spherical", 3, 0},   {"rectangular", 4, 7}, {"cartesian", 3, 6}};

/// A mechanism with a constraint of the samples, under a uniform field.
inline std::string constrained_mechanism(const std::string& type, const std::string& fields) {
  return constraint_mechanism() +
         "forces: {weight: {type: gravity, acceleration: [1, -9, 2]}}\nconstraints:\n  c: {type: " +
         type + ", " + fields + "}\n";
}

}  // namespace kinegrad::test
