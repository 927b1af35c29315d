#include "kinegrad/assembly/tree_constraints.hpp"

#include <algorithm>
#include <set>

#include "assembly/constraint_products.hpp"
#include "kinegrad/tree/halves.hpp"

namespace kinegrad {

using la::cross;
using la::dot;
using Product = ConstraintTerm::Product;

namespace {

template <typename T>
Vec3T<T> unit(int k) {
  Vec3T<T> e = Vec3T<T>::Constant(T(0));
  e(k) = T(1);
  return e;
}

}  // namespace

template <Scalar T>
TreeConstraints<T>::TreeConstraints(const TreeParameters<T>& tree)
    : TreeConstraints(tree, tree.model.constraint_rows(), tree.model.holonomic_rows()) {}

template <Scalar T>
TreeConstraints<T>::TreeConstraints(const TreeParameters<T>& tree,
                                    const std::vector<ConstraintRow>& sources, int holonomic)
    : tree_(tree), model_(tree.model), holonomic_(holonomic) {
  x_.inputs.assign(model_.signal_inputs().size(), T(0));
  x_.registers.resize(static_cast<std::size_t>(model_.constraint_tape().register_count()));
  x_.outputs.resize(static_cast<std::size_t>(model_.constraint_tape().output_count()));
  e_.rows.resize(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) build_row(sources[i], e_.rows[i]);
  for (const int input : model_.constraint_inputs()) {
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(input)];
    e_.input_slot.push_back(in.kind == SignalInput::Kind::kVector ? slot_of(in.element) : -1);
  }
  x_.g.resize(e_.weights.size());
  build_moves();
  build_pattern();
  const auto m = static_cast<Eigen::Index>(e_.rows.size());
  Phi_.setConstant(holonomic_, T(0));
  Phi_dot_.setConstant(m, T(0));
  Phi_ddot_.setConstant(m, T(0));
}

template <Scalar T>
int TreeConstraints<T>::slot_of(int vector) {
  if (vector < 0) return -1;
  const BodyVector& v = model_.vectors()[static_cast<std::size_t>(vector)];
  // a vector made by one constraint is among the last, if it is there: thousands of loops stay cheap
  constexpr std::ptrdiff_t kLast = 64;
  const auto size = static_cast<std::ptrdiff_t>(e_.slot_vector.size());
  const auto first = e_.slot_vector.begin() + (v.hidden && size > kLast ? size - kLast : 0);
  const auto it = std::find(first, e_.slot_vector.end(), vector);
  if (it != e_.slot_vector.end()) return static_cast<int>(it - e_.slot_vector.begin());
  Slot& slot = x_.slots.emplace_back();
  slot.node = tree_.node_of_body[static_cast<std::size_t>(v.body)];
  slot.is_point = v.is_point;
  e_.slot_vector.push_back(vector);
  return static_cast<int>(x_.slots.size()) - 1;
}

template <Scalar T>
int TreeConstraints<T>::weight_of(const Row& row, int slot) {
  if (slot < 0) return -1;
  for (auto w = static_cast<std::size_t>(row.first_weight); w < e_.weights.size(); ++w) {
    if (e_.weights[w].slot == slot) return static_cast<int>(w);
  }
  e_.weights.push_back({slot, 0, 0});
  return static_cast<int>(e_.weights.size()) - 1;
}

template <Scalar T>
void TreeConstraints<T>::build_row(const ConstraintRow& source, Row& row) {
  row.first_term = static_cast<int>(e_.terms.size());
  row.first_weight = static_cast<int>(e_.weights.size());
  row.first_slope = static_cast<int>(e_.slopes.size());
  row.expression = source.expression;
  const auto pair = [&](const WorldVector& v) { return Pair{slot_of(v.plus), slot_of(v.minus)}; };
  // the slots of a world vector have their weights side by side
  const auto weights = [&](const Pair& p) {
    const int first = static_cast<int>(e_.weights.size());
    if (p.plus < 0) return -1;
    e_.weights.push_back({p.plus, 0, 0});
    if (p.minus >= 0) e_.weights.push_back({p.minus, 0, 0});
    return first;
  };
  for (const ConstraintTerm& t : source.terms) {
    Term term{t.product, pair(t.A), pair(t.B), t.axis, t.factor, -1, -1};
    term.weight_A = weights(term.A);
    term.weight_B = weights(term.B);
    e_.terms.push_back(term);
  }
  row.terms = static_cast<int>(e_.terms.size()) - row.first_term;
  if (row.expression >= 0) {
    const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
    for (const ConstraintSlope& slope : e.slopes) {
      ConstraintLayout::SlopeUse use{slope.output, -1, slope.component, -1};
      if (slope.coordinate) {
        // the column, until the pattern is known
        use.value = model_.joints()[static_cast<std::size_t>(slope.element)].q_first;
        use.value += slope.component;
      } else {
        use.weight = weight_of(row, slot_of(slope.element));
      }
      e_.slopes.push_back(use);
    }
  }
  row.slopes = static_cast<int>(e_.slopes.size()) - row.first_slope;
  row.weights = static_cast<int>(e_.weights.size()) - row.first_weight;
}

/// The columns that move the points of the equations, from their bodies to the ground.
template <Scalar T>
void TreeConstraints<T>::build_moves() {
  for (Slot& slot : x_.slots) {
    slot.first_move = static_cast<int>(e_.moves.size());
    if (!slot.is_point) continue;
    for (int k = slot.node; k >= 0; k = tree_.nodes[static_cast<std::size_t>(k)].parent) {
      const auto& node = tree_.nodes[static_cast<std::size_t>(k)];
      for (int c = 0; c < node.nq; ++c) e_.moves.push_back({k, node.q + c});
    }
  }
  moved_.resize(e_.moves.size());
}

/// The columns a row can have: those of the ancestors of its slots, and its own coordinates.
template <Scalar T>
void TreeConstraints<T>::build_pattern() {
  Phi_q_.columns = model_.nq();
  for (Row& row : e_.rows) {
    std::set<int> columns;
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      const Slot& slot =
          x_.slots[static_cast<std::size_t>(e_.weights[static_cast<std::size_t>(w)].slot)];
      for (int k = slot.node; k >= 0; k = tree_.nodes[static_cast<std::size_t>(k)].parent) {
        const auto& node = tree_.nodes[static_cast<std::size_t>(k)];
        for (int c = 0; c < node.nq; ++c) columns.insert(node.q + c);
      }
    }
    for (int s = row.first_slope; s < row.first_slope + row.slopes; ++s) {
      const ConstraintLayout::SlopeUse& use = e_.slopes[static_cast<std::size_t>(s)];
      if (use.weight < 0) columns.insert(use.value);
    }
    const int first = Phi_q_.start.back();
    const auto place = [&](int column) {
      return first + static_cast<int>(std::distance(columns.begin(), columns.find(column)));
    };
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      ConstraintLayout::Weight& weight = e_.weights[static_cast<std::size_t>(w)];
      const Slot& slot = x_.slots[static_cast<std::size_t>(weight.slot)];
      weight.climb = static_cast<int>(e_.climbs.size());
      weight.place = static_cast<int>(e_.places.size());
      for (int k = slot.node; k >= 0; k = tree_.nodes[static_cast<std::size_t>(k)].parent) {
        const auto& node = tree_.nodes[static_cast<std::size_t>(k)];
        if (node.nq > 0) e_.climbs.push_back({k, place(node.q)});
        for (int c = 0; c < node.nq; ++c) e_.places.push_back({node.q + c, place(node.q + c)});
      }
      weight.climb_end = static_cast<int>(e_.climbs.size());
      weight.place_end = static_cast<int>(e_.places.size());
    }
    for (int s = row.first_slope; s < row.first_slope + row.slopes; ++s) {
      ConstraintLayout::SlopeUse& use = e_.slopes[static_cast<std::size_t>(s)];
      if (use.weight < 0) use.value = place(use.value);
    }
    Phi_q_.column.insert(Phi_q_.column.end(), columns.begin(), columns.end());
    Phi_q_.start.push_back(static_cast<int>(Phi_q_.column.size()));
  }
  Phi_q_.value.assign(Phi_q_.column.size(), T(0));
  term_sizes_.assign(Phi_q_.value.size(), 0.0);
  first_sizes_ = term_sizes_;
  remaining_.assign(e_.rows.size(), 1.0);
  weight_sizes_.assign(e_.weights.size(), 0.0);
  sized_inputs_.resize(x_.inputs.size());
  sized_registers_.resize(x_.registers.size());
  sized_outputs_.resize(x_.outputs.size());
}

template <Scalar T>
void TreeConstraints<T>::update_parameters() {
  for (std::size_t s = 0; s < x_.slots.size(); ++s)
    x_.slots[s].c = tree_.place(e_.slot_vector[s]).c;
  first_known_ = false;
}

template <Scalar T>
void TreeConstraints<T>::place_slots(const Motion& at, bool moving) {
  for (Slot& slot : x_.slots) {
    if (slot.node < 0) {
      slot.x = slot.c;
      slot.xdot.setConstant(T(0));
      slot.xddot.setConstant(T(0));
      continue;
    }
    const BodyMotion<T>& s = at.bodies[static_cast<std::size_t>(slot.node)];
    Triple<T> x = Columns3<T>(s.R_WM) * Triple<T>(slot.c);
    Triple<T> lever = x;
    if (slot.is_point) {
      x += Triple<T>(s.r_WM);
      lever = x - Triple<T>(s.o);
    }
    x.store(slot.x);
    if (!moving) continue;
    const Halves<T> V(s.V), A(s.A);
    Triple<T> xdot = cross(V.w, lever);
    if (slot.is_point) xdot += V.v;
    xdot.store(slot.xdot);
    // A is the spatial acceleration less the uniform fields; ω×ẋ makes it that of the point
    Triple<T> xddot = cross(A.w, lever) + cross(V.w, xdot);
    if (slot.is_point) xddot += A.v + Triple<T>(at.field);
    xddot.store(slot.xddot);
  }
}

template <Scalar T>
void TreeConstraints<T>::read_inputs(T t, std::span<const T> q, std::span<const T> v,
                                     std::span<const T> a, bool moving) {
  if (x_.outputs.empty()) return;
  const auto& inputs = model_.constraint_inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto index = static_cast<std::size_t>(inputs[k]);
    const SignalInput& in = model_.signal_inputs()[index];
    T& value = x_.inputs[index];
    if (in.order > 0 && !moving) {
      value = T(0);
      continue;
    }
    switch (in.kind) {
      case SignalInput::Kind::kTime: value = t; break;
      case SignalInput::Kind::kPhysical:
        value = tree_.p[static_cast<std::size_t>(in.element)];
        break;
      case SignalInput::Kind::kJoint: {
        const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
        const auto i = static_cast<std::size_t>(first + in.component);
        value = in.order == 0 ? q[i] : in.order == 1 ? v[i] : a[i];
        break;
      }
      case SignalInput::Kind::kVector: {
        const Slot& s = x_.slots[static_cast<std::size_t>(e_.input_slot[k])];
        value = (in.order == 0 ? s.x : in.order == 1 ? s.xdot : s.xddot)(in.component);
        break;
      }
      case SignalInput::Kind::kReaction:
      case SignalInput::Kind::kForce:
      case SignalInput::Kind::kMultiplier:
      case SignalInput::Kind::kEnergy: break;  // refused when the model is compiled
    }
  }
  model_.constraint_tape().template evaluate<T>(x_.inputs, x_.registers, x_.outputs);
}

template <Scalar T>
[[gnu::always_inline]] inline void TreeConstraints<T>::add_weight(int weight, const Pair& pair, const Vec3T<T>& g) {
  const auto w = static_cast<std::size_t>(weight);
  x_.g[w] += g;
  if (pair.minus >= 0) x_.g[w + 1] -= g;
}

/// s A_k: most rows of most loops.
template <Scalar T>
void TreeConstraints<T>::evaluate_component(const Term& term, Eigen::Index i) {
  const auto add = [&](int slot, int weight, double factor) {
    const Slot& x = x_.slots[static_cast<std::size_t>(slot)];
    x_.g[static_cast<std::size_t>(weight)](term.axis) += T(factor);
    Phi_(i) += T(factor) * x.x(term.axis);
  };
  add(term.A.plus, term.weight_A, term.factor);
  if (term.A.minus >= 0) add(term.A.minus, term.weight_A + 1, -term.factor);
}

/// Φ of row i [C-1] and its weights g.
template <Scalar T>
void TreeConstraints<T>::evaluate_terms(std::size_t i) {
  const Row& row = e_.rows[i];
  const auto index = static_cast<Eigen::Index>(i);
  const auto position = [&](const Pair& pair) -> Vec3T<T> {
    const Vec3T<T>& a = x_.slots[static_cast<std::size_t>(pair.plus)].x;
    if (pair.minus < 0) return a;
    return a - x_.slots[static_cast<std::size_t>(pair.minus)].x;
  };
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[static_cast<std::size_t>(k)];
    const T s(term.factor);
    if (term.product == Product::kComponent) {
      evaluate_component(term, index);
      continue;
    }
    const Vec3T<T> A = position(term.A), B = position(term.B);
    Phi_(index) += s * product<T>(term.product, term.axis, A, B);
    if (term.product == Product::kDot) {
      add_weight(term.weight_A, term.A, B * s);
      add_weight(term.weight_B, term.B, A * s);
    } else {  // e·(A×B): e·(dA×B) = dA·(B×e), e·(A×dB) = dB·(e×A)
      const Vec3T<T> e = unit<T>(term.axis) * s;
      add_weight(term.weight_A, term.A, cross(B, e));
      add_weight(term.weight_B, term.B, cross(e, A));
    }
  }
  if (row.expression < 0) return;
  const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
  if (e.value[0] >= 0) Phi_(index) += x_.outputs[static_cast<std::size_t>(e.value[0])];
  for (int k = row.first_slope; k < row.first_slope + row.slopes; ++k) {
    const ConstraintLayout::SlopeUse& use = e_.slopes[static_cast<std::size_t>(k)];
    if (use.weight < 0) continue;
    x_.g[static_cast<std::size_t>(use.weight)](use.component) +=
        x_.outputs[static_cast<std::size_t>(use.output)];
  }
}

/// u + w×(r − o) of all points and columns.
template <Scalar T>
void TreeConstraints<T>::move_points(const Motion& at) const {
  for (std::size_t s = 0; s < x_.slots.size(); ++s) {
    const Slot& slot = x_.slots[s];
    if (!slot.is_point) continue;
    const auto end = s + 1 < x_.slots.size() ? static_cast<std::size_t>(x_.slots[s + 1].first_move)
                                             : e_.moves.size();
    const Triple<T> r(slot.x);
    for (auto k = static_cast<std::size_t>(slot.first_move); k < end; ++k) {
      const ConstraintLayout::Move& move = e_.moves[k];
      const Halves<T> S(at.S.col(move.column));
      const Triple<T> o(at.bodies[static_cast<std::size_t>(move.node)].o);
      moved_[k] = S.v + cross(S.w, r - o);
    }
  }
}

/// [C-2].
template <Scalar T>
void TreeConstraints<T>::gather(const Motion& at) const {
  gathered_ = true;
  T* const values = Phi_q_.value.data();
  std::fill(Phi_q_.value.begin(), Phi_q_.value.end(), T(0));
  move_points(at);
  for (std::size_t w = 0; w < e_.weights.size(); ++w) {
    const ConstraintLayout::Weight& weight = e_.weights[w];
    const Slot& slot = x_.slots[static_cast<std::size_t>(weight.slot)];
    const Triple<T> g(x_.g[w]);
    const ConstraintLayout::Place* place = e_.places.data() + weight.place;
    const ConstraintLayout::Place* const end = e_.places.data() + weight.place_end;
    if (slot.is_point) {
      const Triple<T>* moved = moved_.data() + slot.first_move;
      for (; place != end; ++place) values[place->value] += dot(*moved++, g);
    } else {
      const Triple<T> turned = cross(Triple<T>(slot.x), g);
      for (; place != end; ++place) {
        values[place->value] +=
            dot(Triple<T>(at.S.col(place->column).template head<3>()), turned);
      }
    }
  }
  for (const ConstraintLayout::SlopeUse& use : e_.slopes) {
    if (use.weight < 0) values[use.value] += x_.outputs[static_cast<std::size_t>(use.output)];
  }
  judge(at);
}

template <Scalar T>
void TreeConstraints<T>::positions(const Motion& at, T t, std::span<const T> q) {
  place_slots(at, false);
  read_inputs(t, q, {}, {}, false);
  Phi_.setConstant(T(0));
  for (Vec3T<T>& g : x_.g) g.setConstant(T(0));
  for (std::size_t i = 0; i < e_.rows.size(); ++i) evaluate_terms(i);
  gather(at);
}

template <Scalar T>
void TreeConstraints<T>::motion(const Motion& at, T t, std::span<const T> q,
                                std::span<const T> v, std::span<const T> a) {
  levels(at, t, q, v, a);
  gather(at);
}

template <Scalar T>
void TreeConstraints<T>::levels(const Motion& at, T t, std::span<const T> q,
                                std::span<const T> v, std::span<const T> a) {
  place_slots(at, true);
  read_inputs(t, q, v, a, true);
  Phi_.setConstant(T(0));
  for (Vec3T<T>& g : x_.g) g.setConstant(T(0));
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    evaluate_terms(i);
    evaluate_rates(i);
  }
  gathered_ = false;
}

/// Φ̇ and Φ̈ of row i [C-3].
template <Scalar T>
void TreeConstraints<T>::evaluate_rates(std::size_t i) {
  const Row& row = e_.rows[i];
  T rate(0), second(0);
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[static_cast<std::size_t>(k)];
    const T s(term.factor);
    if (term.product == Product::kComponent) {
      const Slot& plus = x_.slots[static_cast<std::size_t>(term.A.plus)];
      T xdot = plus.xdot(term.axis), xddot = plus.xddot(term.axis);
      if (term.A.minus >= 0) {
        const Slot& minus = x_.slots[static_cast<std::size_t>(term.A.minus)];
        xdot -= minus.xdot(term.axis);
        xddot -= minus.xddot(term.axis);
      }
      rate += s * xdot;
      second += s * xddot;
      continue;
    }
    const World A = world(term.A), B = world(term.B);
    const auto times = [&](const Vec3T<T>& x, const Vec3T<T>& y) {
      return s * product<T>(term.product, term.axis, x, y);
    };
    rate += times(A.xdot, B.x) + times(A.x, B.xdot);
    second += times(A.xddot, B.x) + times(A.xdot, B.xdot) * T(2) + times(A.x, B.xddot);
  }
  if (row.expression >= 0) {
    const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
    rate += x_.outputs[static_cast<std::size_t>(e.value[1])];
    second += x_.outputs[static_cast<std::size_t>(e.value[2])];
  }
  Phi_dot_(static_cast<Eigen::Index>(i)) = rate;
  Phi_ddot_(static_cast<Eigen::Index>(i)) = second;
}

template <Scalar T>
void TreeConstraints<T>::rates(const Motion& at, T t, std::span<const T> q,
                                std::span<const T> v, std::span<const T> a) {
  place_slots(at, true);
  read_inputs(t, q, v, a, true);
  for (std::size_t i = 0; i < e_.rows.size(); ++i) evaluate_rates(i);
}

template <Scalar T>
void TreeConstraints<T>::add_wrenches(std::span<const T> lambda, std::span<Twist<T>> W) const {
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    const Row& row = e_.rows[i];
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      const Slot& slot =
          x_.slots[static_cast<std::size_t>(e_.weights[static_cast<std::size_t>(w)].slot)];
      if (slot.node < 0) continue;
      const Vec3T<T> f = x_.g[static_cast<std::size_t>(w)] * lambda[i];
      Twist<T>& F = W[static_cast<std::size_t>(slot.node)];
      F.template head<3>() += cross(slot.x, f);
      if (slot.is_point) F.template tail<3>() += f;
    }
  }
}

template <Scalar T>
Twist<T> TreeConstraints<T>::wrench(int constraint, int body, std::span<const T> lambda,
                                    const Vec3T<T>& at) const {
  Twist<T> F = Twist<T>::Constant(T(0));
  const int node = tree_.node_of_body[static_cast<std::size_t>(body)];
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    if (model_.constraint_rows()[i].constraint != constraint) continue;
    const Row& row = e_.rows[i];
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      const Slot& slot =
          x_.slots[static_cast<std::size_t>(e_.weights[static_cast<std::size_t>(w)].slot)];
      if (slot.node != node) continue;
      const Vec3T<T> f = x_.g[static_cast<std::size_t>(w)] * lambda[i];
      F.template head<3>() += cross(slot.is_point ? (slot.x - at).eval() : slot.x, f);
      if (slot.is_point) F.template tail<3>() += f;
    }
  }
  return F;
}

template class TreeConstraints<double>;
template class TreeConstraints<Complex>;

}  // namespace kinegrad
