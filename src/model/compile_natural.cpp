// The choice of points and unit vectors that describe every body, and what joints share of them
// (docs/theory/global_coordinates.md, [NC]).
#include <algorithm>
#include <cmath>

#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

using PieceKind = ClosurePiece::Kind;

/// What the two bodies of a joint have in common.
struct Common {
  bool point = false;  ///< Fo and Mo
  bool axis = false;   ///< z of F and of M
};

Common common_of(const JointModel& type) {
  Common common;
  int perpendicular = 0;
  for (const ClosurePiece& piece : type.closure(false)) {
    if (piece.kind == PieceKind::kCoincident) common.point = true;
    if (piece.kind == PieceKind::kSame && piece.i == 2) common.axis = true;
    if (piece.kind != PieceKind::kDot) continue;
    // z of one frame is perpendicular to x and y of the other
    if ((piece.j == 2 && piece.i < 2) || (piece.i == 2 && piece.j < 2)) ++perpendicular;
  }
  common.axis = common.axis || perpendicular >= 2;
  return common;
}

}  // namespace

/// Directions of a body that are far from each other's plane.
class ModelCompiler::Directions {
 public:
  int count() const { return count_; }
  /// Length of what is new in a direction, over its own.
  double novelty(Vec3 d) const {
    const double length = d.norm();
    if (!(length > 0)) return 0;
    for (int k = 0; k < count_; ++k) d -= e_[k].dot(d) * e_[k];
    return d.norm() / length;
  }
  void take(Vec3 d) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < count_; ++k) d -= e_[k].dot(d) * e_[k];
    }
    e_[count_++] = d.normalized();
  }

 private:
  Vec3 e_[3];
  int count_ = 0;
};

Vec3 ModelCompiler::value_at(int first) const {
  const auto k = static_cast<std::size_t>(first);
  return {p_[k].value(), p_[k + 1].value(), p_[k + 2].value()};
}

/// Points and axes that joints share, by body; those on the ground first, because they need no
/// coordinates. Joints whose reaction is asked for keep all of their rows, and share nothing.
void ModelCompiler::find_candidates(const Model& start) {
  std::set<int> asked;
  for (const SignalInput& input : start.signal_inputs()) {
    if (input.kind == SignalInput::Kind::kReaction) asked.insert(input.element);
  }
  for (std::size_t j = 0; j < start.joints().size(); ++j) {
    const Joint& joint = start.joints()[j];
    if (asked.contains(static_cast<int>(j))) continue;
    const auto body = [&](int b) -> const Body& {
      return start.bodies()[static_cast<std::size_t>(b)];
    };
    if (body(joint.body1).auxiliary || body(joint.body2).auxiliary) continue;
    const Common common = common_of(*joint.type);
    const auto add = [&](bool point) {
      NaturalCandidate c;
      c.joint = static_cast<int>(j);
      c.is_point = point;
      c.body = {joint.body1, joint.body2};
      c.local = point ? std::array{joint.F.origin(), joint.M.origin()}
                      : std::array{axis_of(joint.F, 2, joint.name + ".F."),
                                   axis_of(joint.M, 2, joint.name + ".M.")};
      candidates_.push_back(c);
    };
    if (common.point) add(true);
    if (common.axis) add(false);
  }
  std::stable_sort(
      candidates_.begin(), candidates_.end(),
      [](const NaturalCandidate& a, const NaturalCandidate& b) { return a.fixed() > b.fixed(); });
}

/// How far a body reaches: to its joints, or as far as its inertia tells.
double ModelCompiler::size_of(int body, const Vec3& origin) const {
  double size = 0;
  for (const NaturalCandidate& c : candidates_) {
    for (const std::size_t side : {0u, 1u}) {
      if (!c.is_point || c.body[side] != body) continue;
      size = std::max(size, (value_at(c.local[side]) - origin).norm());
    }
  }
  const MassBlock& mass = model_.bodies_[static_cast<std::size_t>(body)].mass;
  const double m = p_[static_cast<std::size_t>(mass.mass)].value();
  const double J = value_at(mass.inertia).sum();
  return m > 0 && J > 0 ? std::max(size, std::sqrt(J / m)) : size;
}

/// Four elements for a body: candidates as far as they are good, then its own axes.
ModelCompiler::NaturalChoice ModelCompiler::choose_elements(int body) {
  constexpr double kGood = 0.3;  // sine of the angle to what is there: the inverse is small then
  NaturalChoice choice;
  Directions directions;
  const auto side = [&](const NaturalCandidate& c) { return c.body[0] == body ? 0u : 1u; };
  const auto mine = [&](const NaturalCandidate& c) { return c.body[side(c)] == body; };
  choice.local[0] = world_.origin();
  for (std::size_t k = 0; k < candidates_.size() && choice.candidate[0] < 0; ++k) {
    if (!mine(candidates_[k]) || !candidates_[k].is_point) continue;
    choice.candidate[0] = static_cast<int>(k);
    choice.local[0] = candidates_[k].local[side(candidates_[k])];
  }
  const Vec3 origin = value_at(choice.local[0]);
  const double size = size_of(body, origin);
  bool moves = choice.candidate[0] < 0 ||
               !candidates_[static_cast<std::size_t>(choice.candidate[0])].fixed();
  for (std::size_t k = 0; k < candidates_.size() && directions.count() < 3; ++k) {
    const NaturalCandidate& c = candidates_[k];
    if (!mine(c) || static_cast<int>(k) == choice.candidate[0]) continue;
    const int local = c.local[side(c)];
    const Vec3 d = value_at(local) - (c.is_point ? origin : Vec3(Vec3::Zero()));
    constexpr double kFar = 0.05;  // of the body: nearer points would be a poor direction
    const bool far = !c.is_point || d.norm() > kFar * size;
    if (!far || directions.novelty(d) < kGood) continue;
    if (directions.count() == 2 && !moves && c.fixed()) continue;  // a state has to have something
    moves = moves || !c.fixed();
    directions.take(d);
    const auto slot = static_cast<std::size_t>(directions.count());
    choice.candidate[slot] = static_cast<int>(k);
    choice.local[slot] = local;
    choice.is_point[slot] = c.is_point;
  }
  while (directions.count() < 3) {
    int best = 0;
    for (int i = 1; i < 3; ++i) {
      // of equal ones the last: y and z are the usual axes beside a link along x
      if (directions.novelty(Vec3::Unit(i)) >= directions.novelty(Vec3::Unit(best))) best = i;
    }
    directions.take(Vec3::Unit(best));
    choice.local[static_cast<std::size_t>(directions.count())] = world_.rotation() + 3 * best;
  }
  return choice;
}

/// Elements of all bodies; one that both bodies of a joint have chosen is the same.
void ModelCompiler::make_elements() {
  NaturalBasis& basis = model_.natural_;
  std::map<int, NaturalChoice> choices;  // by body
  for (const TreeNode& node : model_.topology_.nodes) {
    if (model_.joints_[static_cast<std::size_t>(node.joint)].type->name() != "triad") continue;
    choices.emplace(node.body, choose_elements(node.body));
  }
  for (const auto& [body, choice] : choices) {
    for (const int c : choice.candidate) {
      if (c >= 0) ++candidates_[static_cast<std::size_t>(c)].chosen;
    }
  }
  std::map<int, int> shared;  // candidate, element
  for (const TreeNode& node : model_.topology_.nodes) {
    const auto found = choices.find(node.body);
    if (found == choices.end()) continue;
    const NaturalChoice& choice = found->second;
    const std::string& name = model_.bodies_[static_cast<std::size_t>(node.body)].name;
    NaturalBody body;
    body.body = node.body;
    body.tree = model_.joints_[static_cast<std::size_t>(node.joint)].q_first;
    body.local = choice.local;
    for (std::size_t slot = 0; slot < 4; ++slot) {
      const int c = choice.candidate[slot];
      const bool joined = c >= 0 && candidates_[static_cast<std::size_t>(c)].is_shared();
      if (joined && shared.contains(c)) {
        body.element[slot] = shared[c];
        continue;
      }
      NaturalElement element;
      element.is_point = choice.is_point[slot];
      element.owner = static_cast<int>(basis.bodies.size());
      element.slot = static_cast<int>(slot);
      element.name = name + (slot == 0 ? ".origin" : ".axis" + std::to_string(slot));
      if (slot > 0 && element.is_point) element.name = name + ".point" + std::to_string(slot);
      if (joined) {
        const NaturalCandidate& candidate = candidates_[static_cast<std::size_t>(c)];
        const std::string& joint = model_.joints_[static_cast<std::size_t>(candidate.joint)].name;
        element.name = joint + (element.is_point ? "" : ".axis");
        if (candidate.fixed()) element.ground = candidate.local[candidate.body[0] == 0 ? 0 : 1];
        shared[c] = static_cast<int>(basis.elements.size());
      }
      body.element[slot] = static_cast<int>(basis.elements.size());
      basis.elements.push_back(std::move(element));
    }
    basis.bodies.push_back(body);
  }
}

/// e_i·e_j of every body, but for what is constant and for unit vectors that have their length from
/// another body [NC-3].
void ModelCompiler::make_rigid_rows() {
  NaturalBasis& basis = model_.natural_;
  std::set<int> normed;
  for (std::size_t b = 0; b < basis.bodies.size(); ++b) {
    const NaturalBody& body = basis.bodies[b];
    const auto element = [&](int slot) -> const NaturalElement& {
      return basis.elements[static_cast<std::size_t>(body.element[static_cast<std::size_t>(slot)])];
    };
    const auto moves = [&](int slot) {
      const bool from_point = element(slot).is_point && element(0).ground < 0;
      return element(slot).ground < 0 || from_point;
    };
    const int constraint = static_cast<int>(model_.constraints_.size());
    const auto before = basis.rows.size();
    for (int i = 1; i <= 3; ++i) {
      for (int j = i; j <= 3; ++j) {
        if (!moves(i) && !moves(j)) continue;
        const int own = body.element[static_cast<std::size_t>(i)];
        if (i == j && !element(i).is_point && !normed.insert(own).second) continue;
        ConstraintRow row;
        row.constraint = constraint;
        row.rigid = static_cast<int>(basis.rows.size());
        model_.constraint_rows_.push_back(std::move(row));
        basis.rows.push_back({static_cast<int>(b), i, j, -1});
      }
    }
    if (basis.rows.size() == before) continue;
    const Body& own = model_.bodies_[static_cast<std::size_t>(body.body)];
    model_.constraints_.push_back({own.name, "rigid", -1, own.where});
  }
}

/// Coordinates: three of each element off the ground, then the tree's own.
void ModelCompiler::number_natural() {
  NaturalBasis& basis = model_.natural_;
  std::vector<std::string> names;
  for (NaturalElement& element : basis.elements) {
    if (element.ground >= 0) continue;
    element.first = static_cast<int>(names.size());
    for (const char* axis : {".x", ".y", ".z"}) names.push_back(element.name + axis);
  }
  for (const TreeNode& node : model_.topology_.nodes) {
    const Joint& joint = model_.joints_[static_cast<std::size_t>(node.joint)];
    if (joint.type->name() == "triad" || joint.type->nq() == 0) continue;
    basis.copied.push_back({static_cast<int>(names.size()), joint.q_first, joint.type->nq()});
    for (int c = 0; c < joint.type->nq(); ++c) {
      const auto k = static_cast<std::size_t>(joint.q_first + c);
      names.push_back(model_.coordinate_names_[k]);
    }
  }
  basis.nq = static_cast<int>(names.size());
  model_.coordinate_names_ = std::move(names);
  for (IndependentCoordinate& chosen : model_.independent_) {
    for (const NaturalBasis::Copied& copied : basis.copied) {
      const int c = chosen.coordinate - copied.tree;
      if (chosen.coordinate < 0 || c < 0 || c >= copied.count) continue;
      chosen.coordinate = copied.first + c;
      break;
    }
  }
}

bool ModelCompiler::is_implied(int joint, const ClosurePiece& piece) const {
  for (const NaturalCandidate& c : candidates_) {
    if (c.joint != joint || !c.is_shared()) continue;
    if (c.is_point && piece.kind == PieceKind::kCoincident) return true;
    if (c.is_point) continue;
    if (piece.kind == PieceKind::kSame && piece.i == 2) return true;
    if (piece.kind == PieceKind::kDot && (piece.i == 2) != (piece.j == 2)) return true;
  }
  return false;
}

}  // namespace kinegrad
