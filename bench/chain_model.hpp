// The chain that speed is measured on: N identical links of mass 1 and length 1, centre of mass in
// the middle, revolute about z (planar) or z and y in turn (spatial), gravity along −y.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/description.hpp"

namespace kinegrad::bench {

inline ModelDescription chain_description(int links, bool spatial) {
  ModelDescription chain;
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.0, -9.81, 0.0);
  chain.forces.push_back(weight);
  std::string before = "ground";
  for (int i = 0; i < links; ++i) {
    BodySpec link;
    link.name = "L" + std::to_string(i);
    link.mass = 1.0;
    link.com = VectorSpec(0.5, 0.0, 0.0);
    InertiaSpec inertia;
    inertia.xx = 0.001;
    inertia.yy = 1.0 / 12;
    inertia.zz = 1.0 / 12;
    link.inertia = inertia;
    JointSpec joint;
    joint.name = "J" + std::to_string(i);
    joint.type = "revolute";
    joint.bodies = {NameSpec(before), NameSpec(link.name)};
    joint.points = {VectorSpec(i == 0 ? 0.0 : 1.0, 0.0, 0.0), VectorSpec(0.0, 0.0, 0.0)};
    const char* axis = spatial && i % 2 == 1 ? "y" : "z";
    joint.axes = {axis, axis};
    before = link.name;
    chain.bodies.push_back(link);
    chain.joints.push_back(joint);
  }
  return chain;
}

/// The chain with every link on the ground by a floating joint, its own joints cut: 7N coordinates,
/// 5N rows that couple neighbours alone. It starts straight, turning about z as one body.
inline ModelDescription cut_chain_description(int links) {
  constexpr double kSpin = 0.1;
  ModelDescription chain = chain_description(links, true);
  for (JointSpec& joint : chain.joints) joint.cut = true;
  for (int i = 0; i < links; ++i) {
    JointSpec free;
    free.name = "F" + std::to_string(i);
    free.type = "floating";
    free.bodies = {NameSpec("ground"), NameSpec("L" + std::to_string(i))};
    free.cut = false;
    chain.joints.push_back(free);
    chain.initial.push_back({NameSpec(free.name + ".q"), {i * 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}});
    chain.initial.push_back(
        {NameSpec(free.name + ".v"), {0.0, kSpin * i, 0.0, 0.0, 0.0, 0.0, kSpin / 2}});
  }
  return chain;
}

/// The chain with the state it is measured at.
struct Chain {
  Chain(int links, bool spatial)
      : model(compile_model(chain_description(links, spatial))), p(model.default_physical()) {
    for (int i = 0; i < links; ++i) {
      q.push_back(0.3 * std::sin(0.7 * i + 0.1));
      v.push_back(0.2 * std::cos(0.5 * i));
    }
    a.assign(q.size(), 0.0);
    r.assign(q.size(), 0.0);
  }

  Model model;
  std::vector<double> p, q, v, a, r;
};

}  // namespace kinegrad::bench
