// Settings of the constrained formulations, with the defaults of the command line.
#pragma once

namespace kinegrad {

struct FormulationOptions {
  /// α: the penalty of the penalty formulation and of ALI3-P. 0 stands for the formulation's own:
  /// 1e12 for ali3p, where a large one costs no digits, 1e9 for penalty.
  double penalty = 0;
  /// Ω and ξ of Φ̈ + 2ξΩΦ̇ + Ω²Φ where constraints are held at acceleration level. A negative Ω
  /// stands for the formulation's own: 10 for penalty and fully-recursive, 0 for index1.
  double stabilisation_frequency = -1;
  double stabilisation_damping = 1;
  /// ϖ: the part of the last step's multipliers a step of ALI3-P starts with.
  double multiplier_start = 0.99;
  /// ς: projections of ALI3-P take ςα as their penalty.
  double projection_scale = 1;
  /// Projections repeated until the constraints hold to round-off; else solved once.
  bool iterative_projections = true;

  /// @throws InvalidArgument
  void validate() const;
};

}  // namespace kinegrad
