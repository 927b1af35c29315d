// The forces. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/forces/body_torque.hpp"
#include "kinegrad/forces/gravity.hpp"
#include "kinegrad/forces/joint_force.hpp"
#include "kinegrad/forces/point_force.hpp"
#include "kinegrad/forces/spring_damper.hpp"
#include "kinegrad/forces/torsional_spring_damper.hpp"

namespace kinegrad {

using Forces = TypeList<    //
    Gravity,                //
    SpringDamper,           //
    TorsionalSpringDamper,  //
    PointForce,             //
    BodyTorque,             //
    JointForce>;

}  // namespace kinegrad
