// The kinds of ports: how a force may be attached (docs/theory/ports.md). A kind is a line here and a file of
// src/ports (docs/howto/add_a_port.md).
#pragma once

namespace kinegrad {

/// What a file gives to attach a force.
enum class PortAttachment {
  kTwoPoints,        ///< points
  kPoint,            ///< point, and in which axes
  kBody,             ///< body, and in which axes
  kJointCoordinate,  ///< joint
  kTwoFrames,        ///< bodies, and their frames as those of a joint [P-2]
  kNowhere,          ///< it acts on all bodies
};

/// kName, the NAME of make_NAME_port() in src/ports, the number of rates ẋ and of efforts, the number of
/// variables x, the attachment. With more variables than rates x is a pose: a place (3) and a rotation row by
/// row (9).
#define KINEGRAD_PORT_KINDS(X)                                  \
  X(kPointPair, point_pair, 3, 3, kTwoPoints)                   \
  X(kJointCoordinate, joint_coordinate, 1, 1, kJointCoordinate) \
  X(kBodyPoint, body_point, 3, 3, kPoint)                       \
  X(kBody, torque, 3, 3, kBody)                                 \
  X(kField, field, 3, 3, kNowhere)                              \
  X(kFramePair, frame_pair, 6, 12, kTwoFrames)

#define KINEGRAD_PORT_NAME(kind, ...) kind,
enum class PortKind { KINEGRAD_PORT_KINDS(KINEGRAD_PORT_NAME) };
#undef KINEGRAD_PORT_NAME

struct PortInfo {
  int size;
  int variables;
  PortAttachment attachment;
};

constexpr PortInfo port_info(PortKind port) {
#define KINEGRAD_PORT_INFO(kind, file, size, variables, attachment) \
  {size, variables, PortAttachment::attachment},
  constexpr PortInfo kInfos[] = {KINEGRAD_PORT_KINDS(KINEGRAD_PORT_INFO)};
#undef KINEGRAD_PORT_INFO
  return kInfos[static_cast<int>(port)];
}

/// Number of rates ẋ and of efforts.
constexpr int port_size(PortKind port) { return port_info(port).size; }
/// Number of variables x.
constexpr int port_variables(PortKind port) { return port_info(port).variables; }
constexpr PortAttachment port_attachment(PortKind port) { return port_info(port).attachment; }

}  // namespace kinegrad
