// The forces. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/forces/actuator.hpp"
#include "kinegrad/forces/bearing_friction.hpp"
#include "kinegrad/forces/body_torque.hpp"
#include "kinegrad/forces/bump_stop.hpp"
#include "kinegrad/forces/bushing.hpp"
#include "kinegrad/forces/calspan_tyre.hpp"
#include "kinegrad/forces/central_gravity.hpp"
#include "kinegrad/forces/field_force.hpp"
#include "kinegrad/forces/gravity.hpp"
#include "kinegrad/forces/gravity_field.hpp"
#include "kinegrad/forces/joint_force.hpp"
#include "kinegrad/forces/joint_friction.hpp"
#include "kinegrad/forces/leaf_spring.hpp"
#include "kinegrad/forces/nonlinear_spring.hpp"
#include "kinegrad/forces/point_force.hpp"
#include "kinegrad/forces/sphere_on_cylinder.hpp"
#include "kinegrad/forces/sphere_on_plane.hpp"
#include "kinegrad/forces/sphere_on_sphere.hpp"
#include "kinegrad/forces/spring_damper.hpp"
#include "kinegrad/forces/torsional_spring_damper.hpp"
#include "kinegrad/forces/translational_spring_damper.hpp"
#include "kinegrad/forces/tyre.hpp"
#include "kinegrad/forces/wheel_on_plane.hpp"

namespace kinegrad {

using Forces = TypeList<           //
    Gravity,                       //
    CentralGravity,                //
    GravityField,                  //
    SpringDamper,                  //
    TorsionalSpringDamper,         //
    TranslationalSpringDamper,     //
    NonlinearSpring,               //
    TranslationalNonlinearSpring,  //
    TorsionalNonlinearSpring,      //
    AxialNonlinearSpring,          //
    LeafSpring,                    //
    TranslationalLeafSpring,       //
    TorsionalLeafSpring,           //
    AxialLeafSpring,               //
    BumpStop,                      //
    TranslationalBumpStop,         //
    TorsionalBumpStop,             //
    AxialBumpStop,                 //
    ReboundStop,                   //
    TranslationalReboundStop,      //
    TorsionalReboundStop,          //
    AxialReboundStop,              //
    Bushing,                       //
    Actuator,                      //
    SphereOnPlane,                 //
    SphereOnCylinder,              //
    SphereOnSphere,                //
    WheelOnPlane,                  //
    Tyre,                          //
    CalspanTyre,                   //
    PointForce,                    //
    BodyTorque,                    //
    BearingFriction,               //
    JointFriction,                 //
    JointForce>;

/// Forces that other forces are made of; no file names them.
using ForceParts =
    TypeList<FieldForce, LawForce<NonlinearSpring, PointLaw>,
             LawForce<TranslationalNonlinearSpring, LengthLaw>,
             LawForce<TorsionalNonlinearSpring, AngleLaw>, LawForce<AxialNonlinearSpring, AxisLaw>>;

}  // namespace kinegrad
