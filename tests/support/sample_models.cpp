#include "support/sample_models.hpp"

#include <cmath>

#include "kinegrad/assembly/coordinate_change.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad::test {

Model example(const std::string& name, CoordinateSet coordinates) {
  return compile_model(read_model_yaml(source_path("examples/" + name + ".yaml")),
                       builtin_catalogue(), coordinates);
}

std::vector<FrameBlock> frames_of(const Model& model) {
  std::vector<FrameBlock> out;
  for (const Joint& joint : model.joints()) out.insert(out.end(), {joint.F, joint.M});
  for (const Force& force : model.forces()) {
    if (force.body2 >= 0) out.insert(out.end(), {force.F, force.M});
  }
  return out;
}

double uniform(std::mt19937_64& rng) { return std::uniform_real_distribution<double>(-1, 1)(rng); }

namespace {

VectorSpec random_vector(std::mt19937_64& rng, double scale) {
  return {scale * uniform(rng), scale * uniform(rng), scale * uniform(rng)};
}

VectorSpec random_unit(std::mt19937_64& rng) {
  Vec3 u;
  do {
    u << uniform(rng), uniform(rng), uniform(rng);
  } while (u.norm() < 0.2);
  u.normalize();
  return {u(0), u(1), u(2)};
}

BodySpec random_body(std::mt19937_64& rng, const std::string& name) {
  BodySpec body;
  body.name = name;
  body.mass = NumberSpec("a*" + std::to_string(1.5 + uniform(rng)));
  body.com = VectorSpec(NumberSpec(uniform(rng)), NumberSpec("0.3*b"), NumberSpec(uniform(rng)));
  // J = ∫(|r|² I − rrᵀ)dm of a few random points is a possible inertia
  Mat3 J = 0.1 * Mat3::Identity();
  for (int i = 0; i < 4; ++i) {
    const Vec3 r(uniform(rng), uniform(rng), uniform(rng));
    J += 0.2 * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  InertiaSpec inertia;
  inertia.xx = J(0, 0);
  inertia.yy = J(1, 1);
  inertia.zz = J(2, 2);
  inertia.xy = J(0, 1);
  inertia.xz = J(0, 2);
  inertia.yz = J(1, 2);
  body.inertia = inertia;
  body.points.push_back(
      {"P", {NumberSpec("c"), NumberSpec(uniform(rng)), NumberSpec(uniform(rng))}, {}});
  body.vectors.push_back({"u", random_unit(rng), {}});
  return body;
}

}  // namespace

ModelDescription random_tree(unsigned seed, int bodies) {
  std::mt19937_64 rng(seed);
  static const char* const kTypes[] = {"revolute",  "prismatic", "universal", "cylindrical",
                                       "spherical", "floating",  "planar",    "fixed"};
  ModelDescription d;
  d.name = "random tree " + std::to_string(seed);
  d.parameters = {{"a", 1.2, "kg", "", {}, {}, {}},
                  {"b", 0.7, "m", "", {}, {}, {}},
                  {"c", -0.4, "m", "", {}, {}, {}}};
  for (int i = 0; i < bodies; ++i) {
    const std::string name = "B" + std::to_string(i + 1);
    d.bodies.push_back(random_body(rng, name));
    JointSpec joint;
    joint.name = "J" + std::to_string(i + 1);
    const std::string type = kTypes[rng() % 8];
    joint.type = type;
    const int parent = static_cast<int>(rng() % static_cast<unsigned>(i + 1));
    const std::string parent_name = parent == 0 ? "ground" : "B" + std::to_string(parent);
    // some joints are declared from the child's side, so that the tree walks them backwards
    if (rng() % 2) {
      joint.bodies = {parent_name, name};
    } else {
      joint.bodies = {name, parent_name};
    }
    VectorSpec designed = random_vector(rng, 0.5);
    designed.entries[0] = NumberSpec("b - " + std::to_string(0.5 * uniform(rng)));
    joint.points = {designed, random_vector(rng, 0.5)};
    if (type != "spherical" && type != "floating" && type != "fixed") {
      VectorSpec axis("cos(0.3*c)", "0", "sin(0.3*c)");
      joint.axes = {axis, random_unit(rng)};
    }
    d.joints.push_back(joint);
  }
  return d;
}

SampleState random_state(const Model& model, std::mt19937_64& rng) {
  SampleState s;
  s.p = model.default_physical();
  const Model& start = model.start();
  const auto first = s.p.begin() + start.initial_q();
  s.q.assign(first, first + start.nq());
  for (double& q : s.q) q += 0.7 * uniform(rng);
  if (&start != &model) {  // bodies there, then coordinates that no body fits
    const std::vector<double> rest(s.q.size(), 0.0);
    VecX q, v;
    FromJointCoordinates<double>(model).convert(s.p, s.q, rest, q, v);
    s.q.assign(q.data(), q.data() + q.size());
    for (double& x : s.q) x += 0.1 * uniform(rng);
  }
  for (int i = 0; i < model.state_size(); ++i) {
    s.v.push_back(uniform(rng));
    s.a.push_back(uniform(rng));
  }
  return s;
}

}  // namespace kinegrad::test
