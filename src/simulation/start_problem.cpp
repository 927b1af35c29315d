#include "simulation/start_problem.hpp"

#include <limits>

namespace kinegrad {

std::string StartValues::names() const {
  std::string out;
  for (int i = 0; i < given; ++i) {
    out += (i > 0 ? ", " : "") + list[static_cast<std::size_t>(i)].name;
  }
  return out;
}

StartProblem::StartProblem(const Model& model, MechanicalSystem<double>& system,
                           std::span<const double> p, double t, const VecX& drawn)
    : model_(model), system_(system), p_(p), t_(t), drawn_(drawn), rows_(model, system, t) {
  measure();
  find_columns();
}

/// Units and scales [KP-11], [KP-12], at the drawing.
void StartProblem::measure() {
  const MechanismSize size = mechanism_size(model_, p_, in(drawn_));
  size_ = size.size;
  units_.d = coordinate_units(model_, size_);
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  units_.closed = std::max(1e-12, kRounding * size.distance / size.size);
  const EquationScale scale = openings(drawn_);
  VecX s = VecX::Ones(rows_.count());
  for (int i = 0; i < rows_.count(); ++i) {
    if (const ConstraintRow* row = rows_.equation(i)) s(i) = scale.of(*row);
  }
  rows_.set_scale(std::move(s));
}

EquationScale StartProblem::openings(const VecX& q) const {
  return EquationScale(model_, p_, t_, in(q), size_);
}

PositionKinematics<double> StartProblem::position(const VecX& q) const {
  PositionKinematics<double> out;
  position_kinematics<double>(model_, p_, in(q), out);
  return out;
}

std::vector<double> StartProblem::scales() const {
  std::vector<double> s;
  for (int i = 0; i < rows_.count(); ++i) s.push_back(rows_.scale(i));
  return s;
}

void StartProblem::find_columns() {
  rows_.place(drawn_);
  std::vector<bool> touched(static_cast<std::size_t>(system_.nq()), false);
  for (const SparseRows<double>* rows : {&system_.Phi_q(), &system_.targets_q()}) {
    for (const int column : rows->column) touched[static_cast<std::size_t>(column)] = true;
  }
  for (const int first : system_.euler_sets()) {
    bool any = false;
    for (int c = 0; c < 4; ++c) any = any || touched[static_cast<std::size_t>(first + c)];
    for (int c = 0; c < 4; ++c) touched[static_cast<std::size_t>(first + c)] = any;
  }
  for (std::size_t c = 0; c < touched.size(); ++c) {
    if (touched[c]) columns_.push_back(static_cast<int>(c));
  }
}

StartValue StartProblem::value_of(const InitialCondition& condition) const {
  if (condition.target >= 0) {
    const auto k = static_cast<std::size_t>(condition.target);
    return {-1, rows_.row_of_target(condition.target), model_.initial_targets()[k].name};
  }
  const bool touched = std::binary_search(columns_.begin(), columns_.end(), condition.coordinate);
  if (!touched) return {};
  std::string name = model_.coordinate_names()[static_cast<std::size_t>(condition.coordinate)];
  if (condition.rate) name[name.find_last_of('.') + 1] = 'v';
  return {condition.coordinate, -1, name};
}

StartValues StartProblem::positions() const {
  StartValues out;
  for (const InitialCondition& condition : model_.initial_conditions()) {
    if (condition.rate) continue;
    const StartValue value = value_of(condition);
    if (value.column >= 0 || value.row >= 0) out.list.push_back(value);
  }
  out.given = static_cast<int>(out.list.size());
  return out;
}

StartValues StartProblem::speeds(bool rests) const {
  StartValues out;
  for (const bool rate : {true, false}) {
    for (const InitialCondition& condition : model_.initial_conditions()) {
      if (condition.rate != rate) continue;
      const StartValue value = value_of(condition);
      if (value.column < 0 && value.row < 0) continue;
      if (!rate) {
        const bool moves = value.column >= 0
                               ? model_.initial_v_given()[static_cast<std::size_t>(value.column)]
                               : rows_.has_rate(value.row);
        if (moves) continue;
      }
      out.list.push_back(value);
    }
    if (rate) out.given = static_cast<int>(out.list.size());
    if (!rests) break;
  }
  return out;
}

std::vector<bool> StartProblem::held_columns(const StartValues& values,
                                             const std::vector<bool>& held) const {
  std::vector<bool> out(static_cast<std::size_t>(system_.nq()), false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (held[i] && values.list[i].column >= 0) {
      out[static_cast<std::size_t>(values.list[i].column)] = true;
    }
  }
  return out;
}

/// The equations of a level without those of points; a normalisation of parameters that are all held,
/// or out of reach, is met already.
std::vector<int> StartProblem::equations(const std::vector<bool>& held, StartLevel level) const {
  std::vector<int> out;
  for (int i = 0; i < rows_.first_target(); ++i) {
    if (level == StartLevel::kPosition && !rows_.for_positions(i)) continue;
    const int first = rows_.normalised(i);
    bool counts = first < 0;
    for (int c = first; c < first + 4 && !counts; ++c) {
      counts = !held[static_cast<std::size_t>(c)] &&
               std::binary_search(columns_.begin(), columns_.end(), c);
    }
    if (counts) out.push_back(i);
  }
  return out;
}

Selection StartProblem::select(const StartValues& values, const std::vector<bool>& held,
                               StartLevel level) const {
  const std::vector<bool> fixed = held_columns(values, held);
  Selection out;
  for (const int c : columns_) {
    if (!fixed[static_cast<std::size_t>(c)]) out.columns.push_back(c);
  }
  out.rows = equations(fixed, level);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (held[i] && values.list[i].row >= 0) out.rows.push_back(values.list[i].row);
  }
  return out;
}

/// Equations in the units of the coordinates that they reach.
MatX StartProblem::in_units(const MatX& J, const std::vector<int>& equations) const {
  MatX out;
  Selection{columns_, equations, {}}.take(J, out);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    out.col(static_cast<Eigen::Index>(j)) *= units_.d(columns_[j]);
  }
  return out;
}

IndependentRows StartProblem::independent(const MatX& J, const std::vector<int>& equations) const {
  return independent_equations(in_units(J, equations));
}

StartChoice StartProblem::choose(const VecX& q, const StartValues& values, StartLevel level) {
  rows_.place(q);
  const MatX& J = rows_.J(in(q));
  MatX C = MatX::Zero(static_cast<Eigen::Index>(values.size()),
                      static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const StartValue& value = values.list[i];
    if (value.row >= 0) {
      C.row(static_cast<Eigen::Index>(i)) = in_units(J, {value.row});
    } else {
      const auto at = std::lower_bound(columns_.begin(), columns_.end(), value.column);
      C(static_cast<Eigen::Index>(i), at - columns_.begin()) = 1;
    }
  }
  StartChoice choice;
  choice.held.assign(values.size(), true);
  std::vector<int> some = equations(held_columns(values, choice.held), level);
  if (values.size() ==
      0) {  // nothing to choose from: the basis of what is free would be a large matrix
    choice.freedom = choice.left = independent(J, some).free();
    return choice;
  }
  // Euler parameters of which not all are held any more have their normalisation again
  for (std::size_t sets = 0; sets <= system_.euler_sets().size(); ++sets) {
    choice = choose_freedoms(independent(J, some).beside(), C, values.given);
    const std::vector<int> now = equations(held_columns(values, choice.held), level);
    if (now.size() <= some.size()) break;
    some = now;
  }
  return choice;
}

int StartProblem::freedom(const VecX& q) {
  rows_.place(q);
  const std::vector<bool> none(static_cast<std::size_t>(system_.nq()), false);
  return independent(rows_.J(in(q)), equations(none, StartLevel::kPosition)).free();
}

}  // namespace kinegrad
