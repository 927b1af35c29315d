"""The equilibrium of the Iltis as the minimum of its potential energy, written out by itself: four unknowns (height and pitch of the cabin, angles of the A-arms in front and
rear, left and right alike), four-bar linkages by circles, tie rods by one angle about the steering axis."""

from math import atan2, cos, hypot, sin, sqrt

G = 9.81
RADII = (0.36432522, 0.36381217)


def turn_x(a, v):
    return [v[0], cos(a) * v[1] - sin(a) * v[2], sin(a) * v[1] + cos(a) * v[2]]


def turn_about(axis, a, v):
    """Rodrigues' formula."""
    n = sqrt(sum(k * k for k in axis))
    u = [k / n for k in axis]
    uxv = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    uv = sum(a_ * b for a_, b in zip(u, v))
    return [cos(a) * v[k] + sin(a) * uxv[k] + (1 - cos(a)) * uv * u[k] for k in range(3)]


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def corner(front, angle):
    """Top of the hub, ends of the damper, centre of mass of the arm and centre of the wheel in the cabin's axes."""
    x, sign = (0.97, 1) if front else (-1.047, -1)
    arm, leaf = [x, 0.259, -0.268], [x, 0.1585, 0.03]
    low0, top0, wheel0 = [x, 0.572, -0.341], [x, 0.488, -0.039], [x, 0.615, -0.214]
    foot0, mount = [x + sign * 0.075, 0.5, -0.329], [x + sign * 0.075, 0.297, 0.062]
    low = plus(arm, turn_x(angle, minus(low0, arm)))
    foot = plus(arm, turn_x(angle, minus(foot0, arm)))
    middle = plus(arm, [k / 2 for k in minus(low, arm)])
    r1, r2 = (hypot(top0[1] - p[1], top0[2] - p[2]) for p in (leaf, low0))
    dy, dz = low[1] - leaf[1], low[2] - leaf[2]
    d = hypot(dy, dz)
    along = (r1 * r1 - r2 * r2 + d * d) / (2 * d)
    across = sqrt(r1 * r1 - along * along)  # the top is above the line
    top = [x, leaf[1] + (along * dy - across * dz) / d, leaf[2] + (along * dz + across * dy) / d]
    axis, axis0 = minus(top, low), minus(top0, low0)
    lean = atan2(axis[2], axis[1]) - atan2(axis0[2], axis0[1])
    tie0, rack = [x - sign * 0.14, 0.448, -0.039], [x - sign * 0.14, 0.07, 0.03]
    length = sum(k * k for k in minus(tie0, rack))

    def open_by(steer):
        tie = plus(low, turn_about(axis, steer, turn_x(lean, minus(tie0, low0))))
        return sum(k * k for k in minus(tie, rack)) - length

    a, b = 0.0, 1e-4  # secants
    for _ in range(12):
        fa, fb = open_by(a), open_by(b)
        if fb == fa:
            break
        a, b = b, b - fb * (b - a) / (fb - fa)
    wheel = plus(low, turn_about(axis, b, turn_x(lean, minus(wheel0, low0))))
    return top, foot, mount, middle, wheel


def forces(x, k_leaf, l_leaf):
    """Potential energy; and leaf, damper and tyre forces in front and rear."""
    z, pitch, front, rear = x
    height = lambda p: 0.57 + z - sin(pitch) * p[0] + cos(pitch) * p[2]
    energy, found = 1260 * G * z, []
    for angle, is_front, radius in ((front, True, RADII[0]), (rear, False, RADII[1])):
        top, foot, mount, middle, wheel = corner(is_front, angle)
        length, Z = 0.037 - top[2], sqrt(sum(k * k for k in minus(foot, mount)))
        depth = radius - height(wheel)
        energy += 2 * (6 * G * height(middle) + 57.35 * G * height(wheel) + k_leaf / 2 * (length - l_leaf) ** 2 + 460000 / 2 * depth**2)
        energy += 2 * Z * (-4.0092e6 + Z * (2.8397e7 / 2 + Z * (-6.7061e7 / 3 + Z * 5.2796e7 / 4)))
        found.append((k_leaf * (length - l_leaf), -4.0092e6 + Z * (2.8397e7 + Z * (-6.7061e7 + Z * 5.2796e7)), 460000 * depth))
    return energy, found


def solve(A, b):
    """Gauss."""
    n = len(b)
    A = [row[:] + [b[k]] for k, row in enumerate(A)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(A[k][i]))
        A[i], A[p] = A[p], A[i]
        for k in range(i + 1, n):
            f = A[k][i] / A[i][i]
            A[k] = [u - f * v for u, v in zip(A[k], A[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (A[i][n] - sum(A[i][k] * x[k] for k in range(i + 1, n))) / A[i][i]
    return x


def equilibrium(k_leaf=35906, l_leaf=0.152):
    """Height, pitch, and the forces; Newton's method on differences of fourth order of the energy."""
    x, h = [0.0] * 4, 1e-3

    def slope(x, i):
        at = lambda s: forces([v + (s if k == i else 0) for k, v in enumerate(x)], k_leaf, l_leaf)[0]
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    for _ in range(12):
        f = [slope(x, i) for i in range(4)]
        J = [[(slope([v + (1e-4 if k == j else 0) for k, v in enumerate(x)], i) - slope([v - (1e-4 if k == j else 0) for k, v in enumerate(x)], i)) / 2e-4
              for j in range(4)] for i in range(4)]
        x = minus(x, solve(J, f))
    (leaf_f, damper_f, tyre_f), (leaf_r, damper_r, tyre_r) = forces(x, k_leaf, l_leaf)[1]
    return {"cabin_z": x[0], "cabin_pitch": x[1], "tyre_front": tyre_f, "tyre_rear": tyre_r, "damper_front": damper_f, "damper_rear": damper_r,
            "leaf_front": leaf_f, "leaf_rear": leaf_r}
