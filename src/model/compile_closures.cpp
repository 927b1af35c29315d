// The equations that take the place of the joints cut out of loops (docs/theory/constraints.md).
#include <algorithm>

#include "model/model_compiler.hpp"

namespace kinegrad {

int ModelCompiler::hidden_vector(int body, int first, bool is_point) {
  BodyVector vector;
  vector.body = body;
  vector.first = first;
  vector.is_point = is_point;
  vector.hidden = true;
  vector.where = element_where_;
  model_.vectors_.push_back(std::move(vector));
  return static_cast<int>(model_.vectors_.size()) - 1;
}

namespace {

using Product = ConstraintTerm::Product;

/// Writes the rows of one closure.
class ClosureRows {
 public:
  ClosureRows(int constraint, std::vector<ConstraintRow>& rows)
      : constraint_(constraint), rows_(rows) {}

  void dot(const WorldVector& A, const WorldVector& B) { add({{Product::kDot, A, B, 0, 1}}); }
  void components(const WorldVector& A) {
    for (int k = 0; k < 3; ++k) add({{Product::kComponent, A, {}, k, 1}});
  }
  void difference(const WorldVector& A, const WorldVector& B) {
    for (int k = 0; k < 3; ++k) {
      add({{Product::kComponent, A, {}, k, 1}, {Product::kComponent, B, {}, k, -1}});
    }
  }
  int count() const { return count_; }
  void cross(const WorldVector& A, const WorldVector& B) {
    for (int k = 0; k < 3; ++k) add({{Product::kCross, A, B, k, 1}});
  }

 private:
  void add(std::vector<ConstraintTerm> terms) {
    ConstraintRow row;
    row.constraint = constraint_;
    row.terms = std::move(terms);
    rows_.push_back(std::move(row));
    ++count_;
  }

  int constraint_;
  int count_ = 0;
  std::vector<ConstraintRow>& rows_;
};

}  // namespace

/// Column i of R, which p holds row by row.
int ModelCompiler::axis_of(FrameBlock frame, int i, const std::string& name) {
  const auto [place, isnew] = axes_.try_emplace({frame.first, i}, -1);
  if (!isnew) return place->second;
  Sym3 e;
  for (int k = 0; k < 3; ++k) e(k) = p_[static_cast<std::size_t>(frame.rotation() + 3 * k + i)];
  return place->second = add_physical(name + static_cast<char>('x' + i), "", e);
}

void ModelCompiler::close_joint(int index, bool redundant, int of) {
  const Joint& joint = model_.joints_[static_cast<std::size_t>(index)];
  ClosureRows rows(static_cast<int>(model_.constraints_.size()), model_.constraint_rows_);
  const auto axis = [&](bool second, int i) {
    const int first = axis_of(second ? joint.M : joint.F, i, joint.name + (second ? ".M." : ".F."));
    return WorldVector{hidden_vector(second ? joint.body2 : joint.body1, first, false), -1};
  };
  const WorldVector d{hidden_vector(joint.body2, joint.M.origin(), true),
                      hidden_vector(joint.body1, joint.F.origin(), true)};
  for (const ClosurePiece& piece : joint.type->closure(redundant)) {
    using Kind = ClosurePiece::Kind;
    if (is_implied(of < 0 ? index : of, piece)) continue;
    switch (piece.kind) {
      case Kind::kCoincident: rows.components(d); break;
      case Kind::kOffset: rows.dot(d, axis(false, piece.i)); break;
      case Kind::kDot: rows.dot(axis(false, piece.i), axis(true, piece.j)); break;
      case Kind::kSame: rows.difference(axis(true, piece.i), axis(false, piece.i)); break;
      case Kind::kAligned: rows.cross(axis(false, piece.i), d); break;
    }
  }
  if (rows.count() > 0) model_.constraints_.push_back({joint.name, "closure", index, joint.where});
}

/// The joint that was cut, or the weld of a marker in its place.
void ModelCompiler::close_loop(const Loop& loop) {
  const auto k = static_cast<std::size_t>(loop.cut_joint);
  const bool redundant =
      k < description_.joints.size() && description_.joints[k].closure == "redundant";
  const auto weld = welds_.find(loop.cut_joint);
  close_joint(loop.cut_joint, redundant, weld == welds_.end() ? -1 : weld->second);
}

void ModelCompiler::compile_closures() {
  for (const Loop& loop : model_.topology_.loops) {
    const Joint& joint = model_.joints_[static_cast<std::size_t>(loop.cut_joint)];
    guard("joint \"" + joint.name + "\"", joint.where, [&] { close_loop(loop); });
  }
}

void ModelCompiler::order_rows() {
  auto& rows = model_.constraint_rows_;
  const auto first = std::stable_partition(rows.begin(), rows.end(),
                                           [](const ConstraintRow& row) { return row.holonomic; });
  model_.holonomic_rows_ = static_cast<int>(first - rows.begin());
}

}  // namespace kinegrad
