#include "kinegrad/io/step_events_output.hpp"

#include <fmt/format.h>

namespace kinegrad {

namespace {

std::string line(const Occurrences& occurrences, std::string_view one, std::string_view several) {
  if (occurrences.count == 0) return {};
  std::string text =
      fmt::format("  {} {}: t =", occurrences.count, occurrences.count == 1 ? one : several);
  for (std::size_t k = 0; k < occurrences.times.size(); ++k) {
    text += fmt::format("{}{:.6g}", k ? ", " : " ", occurrences.times[k]);
  }
  const bool all = static_cast<std::size_t>(occurrences.count) == occurrences.times.size();
  return text + (all ? " s\n" : ", … s\n");
}

}  // namespace

std::string step_events_text(const StepEvents& events) {
  std::string text =
      line(events.moved, "step ends elsewhere, where its constraint equations can be held",
           "steps end elsewhere, where their constraint equations can be held") +
      line(events.divided, "step was divided", "steps were divided") +
      line(events.damped, "step needed a damped Newton method",
           "steps needed a damped Newton method") +
      line(events.several, "step has several solutions", "steps have several solutions");
  if (events.left > 0) {
    text += fmt::format(
        "  Newton's method could not reach its tolerance: its last correction was up to {:.2g}\n",
        events.left);
  }
  return text;
}

}  // namespace kinegrad
