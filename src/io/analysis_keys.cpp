// Keys of the sections `analysis` and `optimize`, whose words are the entries of formulations, integrators, methods, …
#include "io/key_words.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::io {

using namespace key_words;

const KeyTable& analysis_keys() {
  static const KeyTable table{
      "analysis",
      {
          {"coordinates", kWord, kOptional, "Coordinates of the motion.",
           names_of(coordinate_sets())},
          {"formulation", kWord, kOptional, "How accelerations are found.",
           names_of(formulations())},
          {"integrator", kWord, kOptional, "How a step is closed.", names_of(integrators())},
          {"step",
           kConstant,
           kOptional,
           "Time step, of adaptive methods the distance of the samples; --step if not given.",
           {},
           1,
           "s"},
          {"end", kConstant, kOptional, "Time at the end; --end if not given.", {}, 1, "s"},
          {"independent", kMotions, kOptional,
           "Degrees of freedom that matrix-r integrates: joint coordinates (joint.q) and "
           "coordinates "
           "of points (P.x), as many as there are; its own choice if not given."},
          {"steps",
           kWord,
           kOptional,
           "Who decides about the sizes of steps: all of the step's size, or adaptive by the "
           "tolerance; dopri5, esdirk3 and esdirk4 are adaptive if nothing is said, others fixed.",
           {"fixed", "adaptive"}},
          {"start",
           kWord,
           kOptional,
           "Where a run starts: as the initial values say, or where the forces balance at rest, "
           "with the speeds of the initial values; given if not given.",
           {"given", "equilibrium"}},
          {"tolerance", kConstant, kOptional,
           "Tolerance of the iterations or, of adaptive steps, of the local error."},
          {"max_step",
           kConstant,
           kOptional,
           "Largest of adaptive steps; a tenth of the run if not given.",
           {},
           1,
           "s"},
          {"min_step",
           kConstant,
           kOptional,
           "Smallest of adaptive steps: a run that needs smaller ones fails; no limit if not "
           "given.",
           {},
           1,
           "s"},
      }};
  return table;
}

namespace {

/// Those of `kinegrad gradient`, or one that suits the numbers of parameters and objectives.
std::vector<std::string> method_words() {
  std::vector<std::string> out = names_of(gradient_methods());
  out.insert(out.begin(), "auto");
  return out;
}

}  // namespace

const KeyTable& optimize_keys() {
  static const KeyTable table{
      "optimize",
      {
          {"minimize", kMinimize, kOptional,
           "An objective, weights of several ({a: 1, b: 0.5}), or the largest of several "
           "({minimax: [a, b]}); not needed if the model has one objective only."},
          {"parameters", kParameterNames, kOptional,
           "Parameters to change; all that have bounds if not given."},
          {"constraints", kObjectiveRanges, kOptional,
           "Objectives that must stay in a range: {a: {at_most: 3}}."},
          {"optimizer", kWord, kOptional,
           "Who searches; lbfgsb (slsqp with constraints or minimax) if not given.",
           names_of(optimizers())},
          {"method", kWord, kOptional,
           "How gradients are found; auto: forward or adjoint, what costs less; auto if not given.",
           method_words()},
          {"tolerance", kConstant, kOptional,
           "Of the projected gradient in scaled variables; 1e-7 if not given."},
          {"objective_tolerance", kConstant, kOptional,
           "Ends when the cost changes by less, relatively; 1e-12 if not given."},
          {"parameter_tolerance", kConstant, kOptional,
           "Ends when the parameters change by less, in units of their scale; 1e-10 if not given."},
          {"constraint_tolerance", kConstant, kOptional,
           "How far a constraint may be missed, in its unit; 1e-8 if not given."},
          {"evaluations", kConstant, kOptional,
           "Most simulations of one start and horizon; 500 if not given."},
          {"seconds",
           kConstant,
           kOptional,
           "Most time for everything; no limit if not given.",
           {},
           1,
           "s"},
          {"scale", kScale, kOptional,
           "What parameters change by, about; automatic: a tenth of the range of "
           "their bounds, or of their value; automatic if not given."},
          {"starts", kConstant, kOptional,
           "Number of starts; the first is the file's, the others lie between the bounds; 1 if not "
           "given."},
          {"seed", kConstant, kOptional, "Which of many sets of starts; 1 if not given."},
          {"horizons",
           kConstants,
           kOptional,
           "Shorter ends of the run to be solved first, each from the optimum before; none if not "
           "given.",
           {},
           1,
           "s"},
      }};
  return table;
}

const KeyTable& objective_range_keys() {
  static const KeyTable table{"objective-range",
                              {
                                  {"at_least", kConstant, kOptional, "Its lower bound."},
                                  {"at_most", kConstant, kOptional, "Its upper bound."},
                                  {"equals", kConstant, kOptional, "The value it must have."},
                              }};
  return table;
}
}  // namespace kinegrad::io
