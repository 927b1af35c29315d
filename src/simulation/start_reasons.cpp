#include "simulation/start_reasons.hpp"

#include <fmt/format.h>

namespace kinegrad {

namespace {

/// What moves an equation's coordinates.
enum class Movers { kParallelHinges, kHinges, kOthers };

Movers movers_of(StartProblem& problem, const Selection& free, int row, const VecX& q) {
  const Model& model = problem.model();
  const PositionKinematics<double> position = problem.position(q);
  problem.rows().place(problem.drawn());
  const MatX& J = problem.rows().J(in(problem.drawn()));
  std::optional<Vec3> axis;
  Movers out = Movers::kParallelHinges;
  for (std::size_t k = 0; k < model.topology().nodes.size(); ++k) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(model.topology().nodes[k].joint)];
    for (int c = joint.q_first; c < joint.q_first + joint.type->nq(); ++c) {
      if (!std::binary_search(free.columns.begin(), free.columns.end(), c)) continue;
      if (!(std::abs(J(row, c)) * problem.units().d(c) > kStartRank)) continue;
      if (joint.type->name() != "revolute") return Movers::kOthers;
      const Vec3 z = position.X_WF[k].R.col(2);
      constexpr double kParallel = 1e-6;
      if (axis && z.cross(*axis).norm() > kParallel) out = Movers::kHinges;
      axis = z;
    }
  }
  return out;
}

struct Gap {
  int row = 0;  // of the constraint that is open most
  double value = 0;
  std::string text;
  bool length = false;
};

/// What is left of the constraint that is open most: all its equations of the same unit together.
Gap gap_at(StartProblem& problem, const Selection& free, const VecX& q) {
  StartRows<double>& rows = problem.rows();
  rows.place(q);
  const VecX phi = values_of(rows, q, free);
  int worst = 0;
  largest(phi, &worst);
  Gap gap;
  gap.row = free.rows[static_cast<std::size_t>(worst)];
  const ConstraintRow* equation = rows.equation(gap.row);
  if (!equation) {
    gap.text = fmt::format("{:.3g}", phi(worst));
    return gap;
  }
  const EquationScale scale = problem.openings(q);
  const char* unit = scale.opened(*equation, 1).unit;
  double squares = 0;
  for (std::size_t i = 0; i < free.rows.size(); ++i) {
    const ConstraintRow* other = rows.equation(free.rows[i]);
    if (!other || rows.is_target(free.rows[i]) != rows.is_target(gap.row)) continue;
    if (other != equation &&
        (rows.is_target(gap.row) || other->constraint != equation->constraint)) {
      continue;
    }
    const double value = phi(static_cast<Eigen::Index>(i)) * rows.scale(free.rows[i]);
    const EquationScale::Opening opening = scale.opened(*other, value);
    if (std::string_view(opening.unit) == unit) squares += opening.value * opening.value;
  }
  gap.value = std::sqrt(squares);
  gap.length = std::string_view(unit) == " m";
  gap.text = fmt::format("{:.3g}{}", gap.value, unit);
  return gap;
}

/// Some free coordinates that would take the freedoms that are left.
std::string free_names(StartProblem& problem, const PositionSearch& search) {
  StartValues more = search.values();
  const int given = more.given;
  for (const int c : problem.columns()) {
    more.list.push_back({c, -1, problem.model().coordinate_names()[static_cast<std::size_t>(c)]});
  }
  const StartChoice choice = problem.choose(search.found().q, more, StartLevel::kPosition);
  std::string names;
  for (std::size_t i = static_cast<std::size_t>(given); i < more.size(); ++i) {
    if (choice.held[i]) names += (names.empty() ? "" : ", ") + more.list[i].name;
  }
  return names;
}

std::string surplus_names(const PositionSearch& search) {
  std::string names;
  for (std::size_t i = 0; i < search.values().size(); ++i) {
    if (search.found().choice.held[i]) continue;
    names += (names.empty() ? "" : ", ") + search.values().list[i].name;
  }
  return names;
}

std::string freedoms(int n) { return fmt::format("{} degree{} of freedom", n, n == 1 ? "" : "s"); }

}  // namespace

std::string reason_open(StartProblem& problem, const PositionSearch& search) {
  const StartAttempt& a = search.found();
  if (a.upside_down) {
    return fmt::format(
        "the loops close only where a joint that is cut, and that a force reads, is half a turn from where its "
        "bodies are; {} other guesses were tried. Give that joint a guess nearer to where its bodies are, or cut "
        "the loop at another joint",
        search.guesses());
  }
  Selection free = problem.select(search.values(), a.choice.held, StartLevel::kPosition);
  VecX q = a.q;
  approach(problem.rows(), problem.units(), free, q);
  const Gap gap = gap_at(problem, free, q);
  const std::string given = search.values().given ? " with the values that initial gives (" +
                                                        search.values().names() + ")"
                                                  : "";
  std::string why = "no motion of its joints brings it nearer";
  const Movers movers = movers_of(problem, free, gap.row, q);
  if (gap.length && movers == Movers::kParallelHinges) {
    why = "its links lie in line there, too short or too long by as much";
  } else if (gap.length && movers == Movers::kHinges) {
    why = "its links can stretch or fold no further, too short or too long by as much";
  }
  return fmt::format(
      "{} cannot be closed{}: at the closest approach it stays open by {}, from the initial configuration and {} "
      "other guesses; {}. Try other lengths or placements{}, or a guess nearer to where it closes",
      problem.rows().name(gap.row), given, gap.text, search.guesses(), why,
      search.values().given ? " or initial values" : "");
}

std::string reason_contradiction(StartProblem& problem, const PositionSearch& search) {
  const StartAttempt& a = search.found();
  const StartValue& value = search.values().list[static_cast<std::size_t>(a.worst)];
  std::string off;
  if (value.column >= 0) {
    off = fmt::format("{} at {:.9g}, not {:.9g}", value.name, a.q(value.column),
                      problem.drawn()(value.column));
  } else {
    problem.rows().place(a.q);
    VecX all;
    problem.rows().positions(in(a.q), all);
    const double open = all(value.row) * problem.rows().scale(value.row);
    off = fmt::format("{} off by {}", value.name,
                      problem.openings(a.q).opening(*problem.rows().equation(value.row), open));
  }
  return fmt::format(
      "initial gives {}, too many for {}, and they contradict each other or the constraints, which "
      "put {}; correct it, leave it out, or write it under guess",
      search.values().names(), freedoms(problem.freedom(a.q)), off);
}

std::string reason_misplaced(StartProblem& problem, const PositionSearch& search) {
  return fmt::format(
      "initial gives {}, too many: the constraints and the other values fix {} already, and leave "
      "{} "
      "that initial does not give, for example {}",
      search.values().names(), surplus_names(search), freedoms(search.found().choice.left),
      free_names(problem, search));
}

}  // namespace kinegrad
