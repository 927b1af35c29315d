// Derivatives with one sign that is wrong, for tests of those who check derivatives: of a system, hence of
// stages, steps and starts, or of a force element.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kinegrad/assembly/system_partials.hpp"
#include "kinegrad/model/force_model.hpp"

namespace kinegrad::test {

/// What of a system is wrong.
enum class Flip {
  kNothing,
  kEquationsByQ,
  kEquationsByV,
  kMass,
  kRowsByQ,
  kRowRatesByQ,
  kRowAccelerationsByQ,
  kRowAccelerationsByV,
  kEquationsByParameters,  // forwards alone
  kRowsByParameters,       // forwards alone
  kPulledQ,                // backwards alone
  kPulledV,
  kPulledParameters,
};
inline constexpr int kFlips = 13;

/// Hands everything on, but for the sign of the largest entry of one answer.
class FlippedPartials final : public SystemPartials {
 public:
  FlippedPartials(std::unique_ptr<SystemPartials> right, Flip flip)
      : right_(std::move(right)), flip_(flip) {}

  int nq() const override { return right_->nq(); }
  int rows() const override { return right_->rows(); }
  int holonomic() const override { return right_->holonomic(); }
  int physical() const override { return right_->physical(); }
  EulerSets euler_sets() const override { return right_->euler_sets(); }
  void set_parameters(std::span<const double> p) override { right_->set_parameters(p); }
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda) override {
    right_->linearize(t, q, v, a, lambda);
  }
  void linearize_motion(double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> a) override {
    right_->linearize_motion(t, q, v, a);
  }
  const VecX& f() const override { return right_->f(); }
  const VecX& Phi() const override { return right_->Phi(); }
  const VecX& Phi_dot() const override { return right_->Phi_dot(); }
  const VecX& Phi_ddot() const override { return right_->Phi_ddot(); }
  LinearizedTree* tree() override { return right_->tree(); }
  SystemPattern pattern() const override { return right_->pattern(); }
  std::size_t mass_entries() const override { return right_->mass_entries(); }
  void matrices(MatX& f_q, MatX& f_v, MatX& f_a) override {
    right_->matrices(f_q, f_v, f_a);
    flip(Flip::kEquationsByQ, f_q);
    flip(Flip::kEquationsByV, f_v);
    flip(Flip::kMass, f_a);
  }
  void matrices(SparseRows<double>& f_q, SparseRows<double>& f_v,
                SparseRows<double>& f_a) override {
    right_->matrices(f_q, f_v, f_a);
  }
  void jacobians(RowJacobians& out, RowLevels levels) override {
    right_->jacobians(out, levels);
    flip(Flip::kRowsByQ, out.Phi_q);
    flip(Flip::kRowRatesByQ, out.Phidot_q);
    flip(Flip::kRowAccelerationsByQ, out.Phiddot_q);
    flip(Flip::kRowAccelerationsByV, out.Phiddot_v);
  }
  double remaining(int row) const override { return right_->remaining(row); }
  void jacobians(const SparseRowJacobians& out, RowLevels levels) override {
    right_->jacobians(out, levels);
  }
  void pullback(std::span<const double> w, const LevelCotangent& levels,
                const ResidualCotangent& out) override {
    pull(out, [&](const ResidualCotangent& bar) { right_->pullback(w, levels, bar); });
  }
  void linearize_accelerations(double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> a) override {
    right_->linearize_accelerations(t, q, v, a);
  }
  void pullback_accelerations(std::span<const double> a_bar, std::span<double> q_bar,
                              std::span<double> v_bar, std::span<double> p_bar) override {
    pull({q_bar, v_bar, {}, p_bar}, [&](const ResidualCotangent& bar) {
      right_->pullback_accelerations(a_bar, bar.q, bar.v, bar.p);
    });
  }
  void linearize_inertia(std::span<const double> u, std::span<const double> lambda) override {
    right_->linearize_inertia(u, lambda);
  }
  void inertia_matrix(MatX& f_q) override {
    right_->inertia_matrix(f_q);
    flip(Flip::kEquationsByQ, f_q);
  }
  void inertia_matrix(SparseRows<double>& f_q) override { right_->inertia_matrix(f_q); }
  void pullback_inertia(std::span<const double> w, const ResidualCotangent& out) override {
    pull(out, [&](const ResidualCotangent& bar) { right_->pullback_inertia(w, bar); });
  }
  void tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) override {
    right_->tangents(design, f_p, levels);
    if (f_p) flip(Flip::kEquationsByParameters, *f_p);
    if (!levels) return;
    flip(Flip::kRowsByParameters, levels->Phi);
    flip(Flip::kRowsByParameters, levels->Phi_dot);
    flip(Flip::kRowsByParameters, levels->Phi_ddot);
  }
  void inertia_tangents(const DesignJacobian& design, MatX& f_p) override {
    right_->inertia_tangents(design, f_p);
  }
  void set_active(std::span<const char> p_active) override { right_->set_active(p_active); }
  void target_jacobians(RowJacobians& out) override { right_->target_jacobians(out); }
  void pullback_targets(const LevelCotangent& levels, const ResidualCotangent& out) override {
    right_->pullback_targets(levels, out);
  }

 private:
  template <typename Matrix>
  void flip(Flip which, Matrix&& A) const {
    if (flip_ != which || A.size() == 0) return;
    Eigen::Index i = 0, j = 0;
    A.cwiseAbs().maxCoeff(&i, &j);
    A(i, j) = -A(i, j);
  }
  /// What a pull-back adds, with a wrong sign in one entry of it.
  template <typename Pull>
  void pull(const ResidualCotangent& out, const Pull& right) const {
    VecX before[3];
    const std::span<double> parts[] = {out.q, out.v, out.p};
    const Flip flips[] = {Flip::kPulledQ, Flip::kPulledV, Flip::kPulledParameters};
    for (int k = 0; k < 3; ++k) before[k] = read_of(parts[k]);
    right(out);
    for (int k = 0; k < 3; ++k) {
      if (flip_ != flips[k] || parts[k].empty()) continue;
      VecX added = read_of(parts[k]) - before[k];
      flip(flips[k], added);
      Eigen::Map<VecX>(parts[k].data(), added.size()) = before[k] + added;
    }
  }
  static VecX read_of(std::span<double> x) {
    return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
  }

  std::unique_ptr<SystemPartials> right_;
  Flip flip_;
};

/// A type of force named "flipped-…" whose partials by x, by ẋ or by one of its attributes have the wrong sign.
class FlippedForce final : public ForceModel {
 public:
  enum class By { kX, kXdot, kAttribute };
  FlippedForce(const ForceModel& right, By by, int attribute = 0)
      : right_(right),
        name_("flipped-" + std::string(right.name())),
        by_(by),
        attribute_(attribute) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return right_.summary(); }
  PortKind port() const override { return right_.port(); }
  std::span<const AttributeInfo> attributes() const override { return right_.attributes(); }
  std::span<const StateInfo> states() const override { return right_.states(); }
  int state_count(const AttributeVector<double>& p) const override { return right_.state_count(p); }
  ForceStates<double> rates(const PortState<double>& state,
                            const AttributeVector<double>& p) const override {
    return right_.rates(state, p);
  }
  ForceStates<Complex> rates(const PortState<Complex>& state,
                             const AttributeVector<Complex>& p) const override {
    return right_.rates(state, p);
  }
  PortVector<double> effort(const PortState<double>& state,
                            const AttributeVector<double>& attributes) const override {
    return right_.effort(state, attributes);
  }
  PortVector<Complex> effort(const PortState<Complex>& state,
                             const AttributeVector<Complex>& attributes) const override {
    return right_.effort(state, attributes);
  }
  void partials(const PortState<double>& state, const AttributeVector<double>& attributes,
                ForcePartials& out) const override {
    right_.partials(state, attributes, out);
    if (by_ == By::kX) out.e_x *= -1;
    if (by_ == By::kXdot) out.e_xdot *= -1;
    if (by_ == By::kAttribute) out.e_p.col(attribute_ % out.e_p.cols()) *= -1;
  }
  double energy(const PortState<double>& state,
                const AttributeVector<double>& attributes) const override {
    return right_.energy(state, attributes);
  }
  Complex energy(const PortState<Complex>& state,
                 const AttributeVector<Complex>& attributes) const override {
    return right_.energy(state, attributes);
  }
  bool has_hand_partials() const override { return right_.has_hand_partials(); }
  std::optional<CoordinateKind> coordinate_kind() const override {
    return right_.coordinate_kind();
  }
  bool uniform() const override { return right_.uniform(); }

 private:
  const ForceModel& right_;
  std::string name_;
  By by_;
  int attribute_;
};

}  // namespace kinegrad::test
