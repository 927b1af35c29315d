// A chain whose links all float on the ground, the joints between them cut: 7 coordinates and 5 rows
// per link, and matrices that couple neighbours alone.
#pragma once

#include <string>

#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/description.hpp"

namespace kinegrad::test {

/// Links of length L and mass m, hinged about z and y in turn, straight along x at first, the first of
/// them turning with the speed w; a spring of stiffness k from the last tip to the ground. The objective
/// reads the motion of the last link and of one in the middle. Two links at least.
inline ModelDescription cut_chain(int links) {
  ModelDescription d;
  d.name = "cut chain";
  const auto parameter = [&](const char* name, double value) {
    ParameterSpec p;
    p.name = name;
    p.value = value;
    d.parameters.push_back(p);
  };
  parameter("m", 1.2);
  parameter("L", 0.8);
  parameter("w", 0.7);
  parameter("k", 400.0);
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.4, -9.81, 1.0);
  d.forces.push_back(weight);
  std::string before = "ground";
  for (int i = 0; i < links; ++i) {
    const std::string number = std::to_string(i);
    BodySpec link;
    link.name = "B" + number;
    link.mass = "m";
    link.com = VectorSpec("L/2", 0.01, -0.02);
    InertiaSpec J;
    J.xx = 0.02;
    J.yy = J.zz = "m*L^2/12";
    link.inertia = J;
    link.points = {{"tip", VectorSpec("L", 0.0, 0.0), {}}};
    d.bodies.push_back(link);
    JointSpec hinge;
    hinge.name = "J" + number;
    hinge.type = "revolute";
    hinge.bodies = {NameSpec(before), NameSpec(link.name)};
    hinge.points = {i == 0 ? VectorSpec(0.0, 0.0, 0.0) : VectorSpec("L", 0.0, 0.0),
                    VectorSpec(0.0, 0.0, 0.0)};
    const char* axis = i % 2 == 1 ? "y" : "z";
    hinge.axes = {axis, axis};
    hinge.cut = true;
    d.joints.push_back(hinge);
    JointSpec flight;
    flight.name = "F" + number;
    flight.type = "floating";
    flight.bodies = {"ground", NameSpec(link.name)};
    flight.points = {VectorSpec(NumberSpec(number + "*L"), 0.0, 0.0), VectorSpec(0.0, 0.0, 0.0)};
    flight.cut = false;
    d.joints.push_back(flight);
    before = link.name;
  }
  d.initial.push_back({"F0.v7", {"w/2"}});
  d.points.push_back({"O", VectorSpec(0.0, -1.0, 0.5), {}});
  ForceSpec spring;
  spring.name = "spring";
  spring.type = "spring-damper";
  spring.points = {"O", NameSpec(before + ".tip")};
  spring.numbers["stiffness"] = "k";
  spring.numbers["damping"] = 0.3;
  spring.numbers["length"] = NumberSpec(std::to_string(links) + "*L - 0.3");
  d.forces.push_back(spring);
  ObjectiveSpec objective;
  objective.name = "psi";
  const std::string middle = "B" + std::to_string(links / 2) + ".tip";
  objective.integral = NumberSpec("100*(" + middle + ".vy^2 + " + before + ".tip.vz)");
  objective.terminal = NumberSpec(before + ".tip.vy + B1.tip.vy + 10*" + middle + ".y");
  d.objectives.push_back(objective);
  return d;
}

}  // namespace kinegrad::test
