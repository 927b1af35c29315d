// The forces. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/forces/actuator.hpp"
#include "kinegrad/forces/bearing_friction.hpp"
#include "kinegrad/forces/body_torque.hpp"
#include "kinegrad/forces/bushing.hpp"
#include "kinegrad/forces/calspan_tyre.hpp"
#include "kinegrad/forces/central_gravity.hpp"
#include "kinegrad/forces/field_force.hpp"
#include "kinegrad/forces/gravity.hpp"
#include "kinegrad/forces/gravity_field.hpp"
#include "kinegrad/forces/joint_force.hpp"
#include "kinegrad/forces/point_force.hpp"
#include "kinegrad/forces/sphere_on_plane.hpp"
#include "kinegrad/forces/spring_damper.hpp"
#include "kinegrad/forces/torsional_spring_damper.hpp"
#include "kinegrad/forces/translational_spring_damper.hpp"
#include "kinegrad/forces/tyre.hpp"

namespace kinegrad {

using Forces = TypeList<        //
    Gravity,                    //
    CentralGravity,             //
    GravityField,               //
    SpringDamper,               //
    TorsionalSpringDamper,      //
    TranslationalSpringDamper,  //
    Bushing,                    //
    Actuator,                   //
    SphereOnPlane,              //
    Tyre,                       //
    CalspanTyre,                //
    PointForce,                 //
    BodyTorque,                 //
    BearingFriction,            //
    JointForce>;

/// Forces that other forces are made of; no file names them.
using ForceParts = TypeList<FieldForce>;

}  // namespace kinegrad
