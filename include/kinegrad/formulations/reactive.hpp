// Formulations of mechanisms whose forces read reactions (docs/theory/reactive_forces.md): accelerations, multipliers and
// implicit stages by Newton's method with the whole matrix [RL-3].
//
//   index1, penalty, index3   the equations of their rules, as Bordered has them without such forces
//   semi-recursive            open chains: there are no multipliers
//   ali3p                     f = 0 and Φ = 0, then speeds projected in the metric of the masses [AL-3], then
//                             accelerations and multipliers anew from f = 0 and Φ̈ = 0 at (q, v)           [RL-5]
//   matrix-r                  independent coordinates; the multipliers of the pivots among the unknowns
#pragma once

#include <optional>

#include "kinegrad/formulations/bordered.hpp"
#include "kinegrad/formulations/matrix_r.hpp"
#include "kinegrad/formulations/reactive_newton.hpp"

namespace kinegrad {

template <Scalar T>
class ReactiveSaddle final : public Formulation<T> {
 public:
  /// The model must outlive the object; `projected`: the system whose speeds are projected, where the rule does.
  ReactiveSaddle(const Model& model, ReactiveParts<T> parts, const BorderRule& rule,
                 const FormulationOptions& options,
                 std::unique_ptr<MechanicalSystem<T>> projected = nullptr);

  std::string_view name() const override { return rule_.name; }
  int nq() const override { return newton_.system().nq(); }
  int multipliers() const override { return newton_.system().rows(); }
  EulerSets euler_sets() const override { return newton_.system().euler_sets(); }
  std::string_view refuses_explicit() const override { return rule_.refuses_explicit; }
  std::string_view needs_damping() const override {
    return newton_.system().holonomic() ? rule_.needs_damping : std::string_view{};
  }
  StageRule stage_rule() const override { return stage_rule_; }
  void set_parameters(std::span<const T> p) override;
  bool several() const override { return newton_.several(); }
  bool settled() const override { return newton_.settled(); }
  bool begin_step(T t, std::span<const T> q, std::span<const T> v) override;
  void begin_stage() override { newton_.begin_stage(); }
  void reduce(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a, std::span<T> y,
              std::span<T> ydot, std::span<T> yddot) override {
    newton_.begin_with(a);
    Formulation<T>::reduce(t, q, v, a, y, ydot, yddot);
  }
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  bool finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
              std::span<T> lambda) override;
  T kinetic_energy() const override { return newton_.system().kinetic_energy(); }

 private:
  BorderRule rule_;
  StageRule stage_rule_;
  ReactiveNewton<T> newton_;
  std::optional<Bordered<T>> projection_;  // of speeds
  VecXT<T> a_, lambda_;                    // what it makes of them, where Newton's method begins
};

template <Scalar T>
class ReactiveMatrixR final : public Formulation<T> {
 public:
  /// `system` is for the independent coordinates.
  ReactiveMatrixR(const Model& model, ReactiveParts<T> parts,
                  std::unique_ptr<MechanicalSystem<T>> system);

  std::string_view name() const override { return reduction_.name(); }
  int nq() const override { return reduction_.nq(); }
  int multipliers() const override { return reduction_.multipliers(); }
  EulerSets euler_sets() const override { return reduction_.euler_sets(); }
  StageRule stage_rule() const override { return reduction_.stage_rule(); }
  const CoordinateSelection* selection() const override { return reduction_.selection(); }
  void restore(const CoordinateSelection& selection) override { reduction_.restore(selection); }
  void set_parameters(std::span<const T> p) override;
  bool several() const override { return newton_.several(); }
  bool settled() const override { return newton_.settled(); }
  double open() const override { return reduction_.open(); }
  int integrated() const override { return reduction_.integrated(); }
  bool expands_from_guess() const override { return reduction_.expands_from_guess(); }
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool begin_step(T t, std::span<const T> q, std::span<const T> v) override;
  void begin_stage() override {
    newton_.begin_stage();
    reduction_.begin_stage();
  }
  void reduce(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a, std::span<T> y,
              std::span<T> ydot, std::span<T> yddot) override {
    newton_.begin_with(a);
    reduction_.reduce(t, q, v, a, y, ydot, yddot);
  }
  bool expand(T t, std::span<const T> y, std::span<const T> ydot, std::span<T> q,
              std::span<T> v) override {
    return reduction_.expand(t, y, ydot, q, v);
  }
  bool lift(T t, std::span<const T> q, std::span<const T> v, std::span<const T> yddot,
            std::span<T> a) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  bool finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
              std::span<T> lambda) override;
  T kinetic_energy() const override { return newton_.system().kinetic_energy(); }

 private:
  void rest_others(std::span<T> lambda);

  MatrixR<T> reduction_;
  ReactiveNewton<T> newton_;
  std::vector<T> yddot_;     // that the accelerations were lifted from
  std::vector<char> pivot_;  // by constraint equation
};

}  // namespace kinegrad
