// A few steps of every example: what a step does wrong shows at once, and grows no further than
// its map lets it.
#pragma once

#include <string_view>

namespace kinegrad::test {

struct ExampleRun {
  const char* name;
  double step, end;
};

inline constexpr ExampleRun kExampleRuns[] = {{"five_bar", 5e-3, 0.05},
                                              {"four_bar", 5e-3, 0.05},
                                              {"slider_crank", 5e-3, 0.03},
                                              {"slider_crank_planar", 1e-2, 0.1},
                                              {"two_mass_nonholonomic", 1e-2, 0.1},
                                              {"driven_four_bar", 1e-2, 0.1},
                                              {"bricard", 5e-3, 0.03},
                                              {"rolling_disc", 5e-3, 0.05},
                                              {"double_pendulum", 1e-2, 0.1},
                                              {"pendulum", 1e-2, 0.1},
                                              {"all_joints", 5e-3, 0.02},
                                              {"heavy_top", 2e-4, 2e-3},
                                              {"free_body", 5e-3, 0.05},
                                              {"chain", 5e-3, 0.02},
                                              {"cart_pole_pid", 1e-2, 0.1},
                                              {"cart_pole_swing_up", 1e-2, 0.06},
                                              {"double_pendulum_tracking", 1e-2, 0.06},
                                              {"five_bar_equilibrium", 5e-3, 0.03},
                                              {"four_bar_path", 1e-2, 0.06},
                                              {"slider_crank_codesign", 2e-3, 0.02},
                                              {"slider_crank_friction", 1e-3, 0.01},
                                              {"governor", 1e-3, 0.02},
                                              {"cart_pole_spatial", 1e-3, 0.02},
                                              {"engine_mounts", 2e-3, 0.02},
                                              {"rolling_wheel", 5e-3, 0.05},
                                              {"bicycle_rolling", 5e-3, 0.01},
                                              {"bicycle_tyres", 2e-3, 6e-3}};

/// Tyres are stiff: fully-recursive, whose Newton's method has M alone, stops short of small tolerances there.
inline bool has_stiff_contact(std::string_view example) {
  return example == "rolling_wheel" || example == "bicycle_tyres";
}

}  // namespace kinegrad::test
