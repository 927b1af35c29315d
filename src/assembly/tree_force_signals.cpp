// The pull-back of what forces tell of themselves (docs/theory/signals.md, [SG-9]).
#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

/// As energies: through the variables of the port, and through expressions of attributes.
void TreePartials::gather_force_signals(std::span<const ForceSignalBar> bars,
                                        const ResidualCotangent& out) {
  const PortSite<double> site = d_.site(at_.t);
  expressions_.clear();
  for (const ForceSignalBar& one : bars) {
    const auto k = static_cast<std::size_t>(one.force);
    const Force& force = model_.forces()[k];
    expressions_.add_cotangent(
        force,
        ports_[k]->pullback_signal(site, at_, d_.attributes(force), one.which, one.bar, sums_, out),
        out.p);
  }
  expressions_.pullback(site, at_, sums_, out);
}

}  // namespace kinegrad
