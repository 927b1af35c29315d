#include "kinegrad/io/contact_record.hpp"

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

namespace {

/// The place of a ground among the attributes of a type, -1 if it takes none.
int ground_of(const ForceModel& type) {
  int place = 0;
  for (const AttributeInfo& attribute : type.attributes()) {
    if (attribute.ground) return place;
    place += attribute.size;
  }
  return -1;
}

bool is_contact(const Force& force) {
  const auto signals = force.type->signals();
  return force.type->port() == PortKind::kFramePair && !signals.empty() &&
         signals.front().name == "normal_force";
}

void append_vector(const Vec3& x, std::vector<double>& row) {
  row.insert(row.end(), x.data(), x.data() + 3);
}

}  // namespace

ContactRecord::ContactRecord(const Model& model, std::span<const double> p)
    : model_(model), r_(static_cast<std::size_t>(model.nq())) {
  for (std::size_t k = 0; k < model.forces().size(); ++k) {
    if (is_contact(model.forces()[k])) contacts_.push_back({k, ground_of(*model.forces()[k].type)});
  }
  if (contacts_.empty()) return;
  tree_ = std::make_unique<LoadedTree<double>>(model, ReferencePoint::kCom);
  tree_->set(p);
  at_ = std::make_unique<TreeState<double>>(*tree_);
  if (model.natural().empty()) return;
  natural_ = std::make_unique<NaturalMap<double>>(model);
  natural_->set_parameters(p);
  for (VecX* x : {&z_, &zdot_, &zddot_}) x->resize(model.nq());
}

std::vector<std::string> ContactRecord::columns() const {
  std::vector<std::string> out;
  for (const Contact& contact : contacts_) {
    const std::string& name = model_.forces()[contact.force].name;
    for (const char* part : {".x", ".y", ".z", ".fx", ".fy", ".fz"}) {
      out.push_back("contact:" + name + part);
    }
    if (contact.ground < 0) continue;
    for (const char* part : {".x", ".y", ".z"}) out.push_back("ground:" + name + part);
  }
  return out;
}

void ContactRecord::move(const StepState<double>& x) {
  if (!natural_) return residual<double>(*tree_, x.t, in(x.q), in(x.v), in(x.a), *at_, r_);
  natural_->expand(in(x.q), out(z_));
  natural_->expand_rates(in(x.v), out(zdot_));
  natural_->expand_rates(in(x.a), out(zddot_));
  residual<double>(*tree_, x.t, in(z_), in(zdot_), in(zddot_), *at_, r_);
}

void ContactRecord::append(const StepState<double>& x, std::vector<double>& row) {
  if (contacts_.empty()) return;
  move(x);
  for (const Contact& contact : contacts_) {
    const Force& force = model_.forces()[contact.force];
    const AttributeVector<double> p = attributes(*tree_, *at_, force);
    const Pose<double> X = frame_in_world(at_->motion, tree_->bodies.frame(force.body1, force.F));
    tree_->ports[contact.force]->each_state(
        port_site(*tree_, *at_, x.t), [&](const PortState<double>& state, int) {
          const PortVector<double> e = force.type->effort(state, p);
          const Vec3 d = state.x.head<3>(), n = e.head<3>(), f = e.tail<3>();
          const double size = f.squaredNorm();
          const Vec3 c = size > 0 ? Vec3(f.cross(n) / size) : Vec3(Vec3::Zero());
          append_vector(X.p + X.R * (d + c), row);
          append_vector(X.R * f, row);
          if (contact.ground < 0) return;
          const bool plane = p(contact.ground) == 0;
          const Vec3 foot = plane ? Vec3(d.x(), d.y(), 0) : Vec3(p.segment<3>(contact.ground + 1));
          append_vector(X.p + X.R * foot, row);
        });
  }
}

}  // namespace kinegrad
