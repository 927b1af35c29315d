// A contact (docs/theory/contact.md, [CT]): a geometry, a law of the normal force and a law of friction, which know nothing of each other.
//
//   geometry:   δ, δ̇, sliding velocity v in the tangent plane, and the wrench [n; f] of forces (F, f₁, f₂) at the contact
//   laws:       F = F(δ, δ̇),   (f₁, f₂) = −F φ(v, z),   ż = g(v, z)                                  [CT-1]
//
// A geometry G is a struct with
//   static constexpr std::array<AttributeInfo, …> own     its attributes; those of the laws follow, then that of a ground
//   static constexpr bool has_ground                      whether it may stand on a ground z = g(x, y)
//   static constexpr std::array<int, …> reads             entries of x that it reads
//   template <typename T> struct Touch                    Touch(x, ẋ, p): depth, closing, slide[2], radius, wrench(F, f₁, f₂)
//   static double contact_radius(p), std::string refuses(p, given)
// Partials: geometry and laws by jets of their own, joined by the chain rule; in the attributes of the laws the wrench is linear.
#pragma once

#include "kinegrad/forces/contact/normal_laws.hpp"
#include "kinegrad/forces/contact/tangent_plane.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/forces/friction/all.hpp"
#include "kinegrad/math/jet.hpp"

namespace kinegrad {

namespace contact {

inline constexpr int kNormal = 8;  ///< attributes of the normal law, the word first
inline constexpr std::array<AttributeInfo, kNormal> kNormalInfo{
    {{.name = "normal_law",
      .unit = "1",
      .required = false,
      .description = "law of the normal force; hunt-crossley if not given",
      .words = kNormalWords.view()},
     {"stiffness", "N/m^n", 1, false, "K of K δⁿ"},
     {"exponent", "1", 1, false, "n; 1.5 (kelvin-voigt: 1) if not given"},
     {"dissipation", "s/m", 1, false,
      "χ: 3 (1 − e)/2 over the speed of the impact, e its restitution (hunt-crossley, hertz)"},
     {"damping", "N s/m", 1, false, "D of kelvin-voigt"},
     {"rebound", "1", 1, false, "part of the damping while opening (kelvin-voigt); 1 if not given"},
     {"ramp_depth", "m", 1, false,
      "penetration at which damping and bristles are whole; 1e-4 if not given"},
     {"modulus", "N/m^2", 1, false, "E* of hertz: K = 4/3 E* √R"}}};
inline constexpr int kStart = 3;  ///< of the states
inline constexpr int kLaws = kNormal + friction::kAttributes + kStart;

/// Attributes of a geometry, of the laws, and of a ground.
template <typename G>
inline constexpr int kCount = static_cast<int>(G::own.size()) + kLaws + (G::has_ground ? 1 : 0);

template <typename G>
constexpr std::array<AttributeInfo, kCount<G>> attributes_of() {
  std::array<AttributeInfo, kCount<G>> out;
  auto to = std::copy(G::own.begin(), G::own.end(), out.begin());
  to = std::copy(kNormalInfo.begin(), kNormalInfo.end(), to);
  to = std::copy(friction::kAttributeInfo.begin(), friction::kAttributeInfo.end(), to);
  *to++ = {"bristle_x", "m", 1, false, "deflection of the bristles at the start"};
  *to++ = {"bristle_y", "m", 1, false, "the same along the other direction"};
  *to++ = friction::kDwellInfo;
  if constexpr (G::has_ground) {
    *to = {.name = "ground",
           .unit = "m",
           .size = kGround,
           .required = false,
           .description =
               "height of the ground over the plane, an expression of x and y in the first frame",
           .variable = true,
           .ground = true};
  }
  return out;
}

/// What the laws read beside their attributes.
template <typename T>
struct LawInput {
  T depth, closing, slide[2], radius, z[3];
};
template <typename T>
struct LawOutput {
  T load = T(0.0), along[2] = {T(0.0), T(0.0)};
  Vec<T, 3> rate = Vec<T, 3>::Constant(T(0.0));
};

/// [CT-1], the attributes of the laws at p[first …].
template <typename T, typename P>
LawOutput<T> laws(const LawInput<T>& in, const P& p, int first) {
  const auto word = [&](int k) { return static_cast<int>(real_part(p(k))); };
  const NormalNumbers<T> normal{p(first + 1), p(first + 2), p(first + 3), p(first + 4),
                                p(first + 5), p(first + 6), p(first + 7), in.radius};
  LawOutput<T> out;
  out.load = normal_force<T>(word(first), in.depth, in.closing, normal);
  const int law = word(first + kNormal);
  const bool loaded = real_part(out.load) > 0;
  if (!loaded && friction::state_count<2>(law) == 0) return out;
  friction::Input<2, T> slides;
  for (int i = 0; i < 2; ++i) slides.v(i) = in.slide[i];
  for (int i = 0; i < 3; ++i) slides.z(i) = in.z[i];
  slides.closed = ramp<T>(in.depth, or_else<T>(normal.ramp, KelvinVoigt::kRampDepth));
  const friction::Output<2, T> rubs =
      friction::evaluate<2, T>(law, slides, friction::numbers<T>(p, first + kNormal));
  out.rate = rubs.rate;
  if (!loaded) return out;
  for (int i = 0; i < 2; ++i) out.along[i] = -(out.load * rubs.phi(i));
  return out;
}

/// What contacts tell: forces along t₁ and t₂ on the second body, the velocity of its surface along them, and δ, negative in
/// the air.                                                                                      [SG-9]
inline constexpr int kSignals = 6;
inline constexpr std::array<ForceSignal, kSignals> kSignalInfo{{{"normal_force", "N"},
                                                                {"friction_x", "N"},
                                                                {"friction_y", "N"},
                                                                {"slip_x", "m/s"},
                                                                {"slip_y", "m/s"},
                                                                {"penetration", "m"}}};

/// Where contacts have branches; a geometry may have one more.                                   [KN-4]
inline constexpr int kBranches = 6;
inline constexpr std::array<SwitchInfo, kBranches> kSwitchInfo{
    {{"it touches", "take hunt-crossley or hertz with an exponent above 1"},
     {"it lets go", "take less damping"},
     {"closing turns into opening", "take rebound: 1"},
     friction::kSwitches[0],
     friction::kSwitches[1],
     {"the directions of its bristles turn over", "turn the first frame"}}};

/// Why values of the laws make no sense, empty if they do.
inline std::string refusal(const Eigen::Ref<const VecX>& p, int first, double radius,
                           const std::function<bool(std::string_view)>& given) {
  const int law = static_cast<int>(p(first));
  const bool hertz = law == word_place(kNormalWords.view(), "hertz");
  const bool damper = law >= word_place(kNormalWords.view(), "kelvin-voigt");
  if (hertz && !(p(first + 7) > 0)) return "needs modulus, which must be positive";
  if (hertz && !(radius > 0)) return "hertz needs a radius";
  if (!hertz && !given("stiffness")) return "needs stiffness";
  if (hertz && (given("stiffness") || given("exponent"))) {
    return "hertz has modulus instead of stiffness and exponent";
  }
  if (!hertz && given("modulus")) return "modulus belongs to hertz";
  if (!(p(first + 1) >= 0)) return "stiffness must not be negative";
  if (given("exponent") && !(p(first + 2) >= 1)) return "exponent must be at least 1";
  if (!(p(first + 3) >= 0)) return "dissipation must not be negative";
  if (damper && given("dissipation")) return "dissipation belongs to hunt-crossley and hertz";
  if (!damper && (given("damping") || given("rebound"))) {
    return "damping and rebound belong to kelvin-voigt";
  }
  if (!(p(first + 4) >= 0)) return "damping must not be negative";
  if (given("rebound") && !(p(first + 5) > 0 && p(first + 5) <= 1)) {
    return "rebound must be above 0 and at most 1";
  }
  if (given("ramp_depth") && !(p(first + 6) > 0)) return "ramp_depth must be positive";
  const bool ramps = law == word_place(kNormalWords.view(), "kelvin-voigt") ||
                     static_cast<int>(p(first + kNormal)) ==
                         word_place(friction::kWords.view(), "static");
  if (given("ramp_depth") && !ramps) {
    return "ramp_depth belongs to the normal law kelvin-voigt and to static friction";
  }
  const int start = first + kNormal + friction::kAttributes;
  const std::string_view bristles[] = {"bristle_x", "bristle_y"};
  const std::string wrong = friction::start_refusal(static_cast<int>(p(first + kNormal)),
                                                    p(start + kStart - 1), bristles, given);
  return wrong.empty() ? friction::refusal(p, first + kNormal, given) : wrong;
}

}  // namespace contact

/// The force F of a geometry G.
template <typename F, typename G>
struct Contact {
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr auto attributes = contact::attributes_of<G>();
  static constexpr std::array<StateInfo, 3> states{
      {{"zx", "m", "bristle_x"}, {"zy", "m", "bristle_y"}, {"dwell", "1", "dwell"}}};
  static constexpr int kOwn = static_cast<int>(G::own.size());
  static constexpr int kSize = kOwn + contact::kLaws + (G::has_ground ? contact::kGround : 0);
  static constexpr int kPlace = kOwn + contact::kLaws;  ///< of the ground in p

  static int state_count(const Vec<double, kSize>& p) {
    return friction::state_count<2>(static_cast<int>(p(kOwn + contact::kNormal)));
  }
  static constexpr int bristles = 2;
  static double carried(const ForceStates<double>& z, const AttributeVector<double>& p) {
    return friction::carried<2>(static_cast<int>(p(kOwn + contact::kNormal)), z,
                                friction::numbers<double>(p, kOwn + contact::kNormal));
  }
  static std::string refusal(const Vec<double, kSize>& p,
                             const std::function<bool(std::string_view)>& given) {
    const std::string own = G::refuses(p, given);
    return own.empty() ? contact::refusal(p, kOwn, G::contact_radius(p), given) : own;
  }

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<F, T>& in) {
    const typename G::template Touch<T> touch(in.x, in.xdot, in.p);
    if (!(real_part(touch.depth) > 0)) return Vec<T, 6>::Constant(T(0.0));
    const contact::LawOutput<T> at = contact::laws<T>(law_input(touch, in), in.p, kOwn);
    if (!(real_part(at.load) > 0)) return Vec<T, 6>::Constant(T(0.0));
    return touch.wrench(at.load, at.along[0], at.along[1]);
  }
  template <typename T>
  static Vec<T, 3> rate(const ForceInput<F, T>& in) {
    const typename G::template Touch<T> touch(in.x, in.xdot, in.p);
    return contact::laws<T>(law_input(touch, in), in.p, kOwn).rate;
  }
  template <typename T>
  static T energy(const ForceInput<F, T>& in) {
    const typename G::template Touch<T> touch(in.x, in.xdot, in.p);
    const auto p = [&](int k) { return in.p(kOwn + k); };
    const contact::NormalNumbers<T> normal{p(1), p(2), p(3), p(4), p(5), p(6), p(7), touch.radius};
    return contact::normal_potential<T>(static_cast<int>(real_part(p(0))), touch.depth, normal);
  }

  static constexpr auto signals = contact::kSignalInfo;
  template <typename T>
  static Vec<T, contact::kSignals> signal_values(const ForceInput<F, T>& in) {
    const typename G::template Touch<T> touch(in.x, in.xdot, in.p);
    const contact::LawOutput<T> at = contact::laws<T>(law_input(touch, in), in.p, kOwn);
    Vec<T, contact::kSignals> out;
    out << at.load, at.along[0], at.along[1], touch.slide[0], touch.slide[1], touch.depth;
    return out;
  }

  static constexpr auto switches = contact::kSwitchInfo;
  static Vec<double, contact::kBranches> switch_values(const ForceInput<F, double>& in) {
    Vec<double, contact::kBranches> out =
        Vec<double, contact::kBranches>::Constant(std::numeric_limits<double>::quiet_NaN());
    const typename G::template Touch<double> touch(in.x, in.xdot, in.p);
    const auto p = [&](int k) { return in.p(kOwn + k); };
    const contact::NormalNumbers<double> numbers{p(1), p(2), p(3), p(4),
                                                 p(5), p(6), p(7), touch.radius};
    const contact::NormalSwitches normal =
        contact::normal_switches(static_cast<int>(p(0)), touch.depth, touch.closing, numbers);
    out(0) = touch.depth;
    out(1) = normal.lets_go;
    out(2) = normal.turns;
    if constexpr (requires { touch.turns_over; }) out(5) = touch.turns_over;
    friction::Input<2, double> slides;
    slides.v << touch.slide[0], touch.slide[1];
    slides.z = in.z;
    slides.closed =
        contact::ramp(touch.depth, contact::or_else(p(6), contact::KelvinVoigt::kRampDepth));
    out.template segment<2>(3) =
        friction::switch_values<2>(static_cast<int>(p(contact::kNormal)), slides,
                                   friction::numbers<double>(in.p, kOwn + contact::kNormal));
    if (!(normal.lets_go > 0)) out(4) = std::numeric_limits<double>::quiet_NaN();
    return out;
  }

  static void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setZero();
    out.e_z.setZero();
    out.g_x.setZero();
    out.g_xdot.setZero();
    out.g_t.setZero();
    out.g_p.setZero();
    out.g_z.setZero();
    const ForceInput<F, GJet> seeded = geometry_jets(in);
    const typename G::template Touch<GJet> touch(seeded.x, seeded.xdot, seeded.p);
    if (!(touch.depth.value > 0) && state_count(in.p) == 0) return;
    const contact::LawOutput<LJet> at = law_jets(in, touch);
    join(in, touch, at, out);
  }

 private:
  static constexpr int kReads = static_cast<int>(G::reads.size());
  static constexpr int kGeometry = kReads + 6 + kOwn + (G::has_ground ? contact::kGround - 1 : 0);
  static constexpr int kLawInputs = 8;
  static constexpr int kLawWidth = kLawInputs + contact::kLaws;
  using GJet = Jet<kGeometry + kGeometry % 2>;
  using LJet = Jet<kLawWidth + kLawWidth % 2>;

  template <typename T>
  static contact::LawInput<T> law_input(const typename G::template Touch<T>& touch,
                                        const ForceInput<F, T>& in) {
    return {touch.depth,
            touch.closing,
            {touch.slide[0], touch.slide[1]},
            touch.radius,
            {in.z(0), in.z(1), in.z(2)}};
  }

  /// Derivatives along what the geometry reads: x, ẋ, its attributes, the ground.
  static ForceInput<F, GJet> geometry_jets(const ForceInput<F, double>& in) {
    ForceInput<F, GJet> out;
    for (int k = 0; k < 12; ++k) out.x(k) = GJet(in.x(k));
    for (int k = 0; k < kReads; ++k) out.x(read(k)) = GJet::variable(in.x(read(k)), k);
    for (int k = 0; k < 6; ++k) out.xdot(k) = GJet::variable(in.xdot(k), kReads + k);
    for (int k = 0; k < kSize; ++k) out.p(k) = GJet(in.p(k));
    for (int k = 0; k < kOwn; ++k) out.p(k) = GJet::variable(in.p(k), kReads + 6 + k);
    if constexpr (G::has_ground) {
      for (int k = 1; k < contact::kGround; ++k) {
        out.p(kPlace + k) = GJet::variable(in.p(kPlace + k), kReads + 5 + kOwn + k);
      }
    }
    out.t = GJet(in.t);
    return out;
  }
  static constexpr int read(int k) { return G::reads[static_cast<std::size_t>(k)]; }

  /// Derivatives along δ, δ̇, v, R, z and the attributes of the laws.
  static contact::LawOutput<LJet> law_jets(const ForceInput<F, double>& in,
                                           const typename G::template Touch<GJet>& touch) {
    contact::LawInput<LJet> at{
        LJet::variable(touch.depth.value, 0),
        LJet::variable(touch.closing.value, 1),
        {LJet::variable(touch.slide[0].value, 2), LJet::variable(touch.slide[1].value, 3)},
        LJet::variable(touch.radius.value, 4),
        {LJet::variable(in.z(0), 5), LJet::variable(in.z(1), 6), LJet::variable(in.z(2), 7)}};
    Vec<LJet, contact::kLaws> p;
    for (int k = 0; k < contact::kLaws; ++k) {
      p(k) = LJet::variable(in.p(kOwn + k), kLawInputs + k);
    }
    return contact::laws<LJet>(at, p, 0);
  }

  /// The chain rule; the wrench is linear in what the laws give.
  static void join(const ForceInput<F, double>& in, const typename G::template Touch<GJet>& touch,
                   const contact::LawOutput<LJet>& at, ForceStructPartials<F>& out) {
    const auto along_geometry = [&](const LJet& y) {
      return GJet(y.value, touch.depth.derivatives * y.derivatives(0) +
                               touch.closing.derivatives * y.derivatives(1) +
                               touch.slide[0].derivatives * y.derivatives(2) +
                               touch.slide[1].derivatives * y.derivatives(3) +
                               touch.radius.derivatives * y.derivatives(4));
    };
    for (int i = 0; i < 3; ++i) {
      spread(along_geometry(at.rate(i)), out.g_x.row(i), out.g_xdot.row(i), out.g_p.row(i));
      for (int k = 0; k < 3; ++k) out.g_z(i, k) = at.rate(i).derivatives(5 + k);
      for (int k = 0; k < contact::kLaws; ++k) {
        out.g_p(i, kOwn + k) = at.rate(i).derivatives(kLawInputs + k);
      }
    }
    if (!(at.load.value > 0)) return;
    const Vec<GJet, 6> e = touch.wrench(along_geometry(at.load), along_geometry(at.along[0]),
                                        along_geometry(at.along[1]));
    for (int i = 0; i < 6; ++i) spread(e(i), out.e_x.row(i), out.e_xdot.row(i), out.e_p.row(i));
    const typename G::template Touch<double> here(in.x, in.xdot, in.p);
    const auto column = [&](int k) {
      return here.wrench(at.load.derivatives(k), at.along[0].derivatives(k),
                         at.along[1].derivatives(k));
    };
    for (int k = 0; k < 3; ++k) out.e_z.col(k) = column(5 + k);
    for (int k = 0; k < contact::kLaws; ++k) out.e_p.col(kOwn + k) = column(kLawInputs + k);
  }

  /// The derivatives of a jet of the geometry to where they belong.
  static void spread(const GJet& y, auto&& by_x, auto&& by_xdot, auto&& by_p) {
    for (int k = 0; k < kReads; ++k) by_x(read(k)) = y.derivatives(k);
    for (int k = 0; k < 6; ++k) by_xdot(k) = y.derivatives(kReads + k);
    for (int k = 0; k < kOwn; ++k) by_p(k) = y.derivatives(kReads + 6 + k);
    if constexpr (G::has_ground) {
      for (int k = 1; k < contact::kGround; ++k) {
        by_p(kPlace + k) = y.derivatives(kReads + 5 + kOwn + k);
      }
    }
  }
};

}  // namespace kinegrad
