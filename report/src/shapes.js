// The shapes of a model as meshes.

import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, Float32BufferAttribute, Group, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, Quaternion, SphereGeometry, Vector3,
} from 'three';

const Y = new Vector3(0, 1, 0);  // the axis of three's cylinders

export const vector = (numbers) => new Vector3(...(numbers ?? [0, 0, 0]));

/** Lays a geometry along y from one point to another. */
export function between(geometry, from, to) {
  const along = to.clone().sub(from);
  const middle = from.clone().add(to).multiplyScalar(0.5);
  const turn = new Quaternion().setFromUnitVectors(Y, along.clone().normalize());
  return geometry.applyMatrix4(new Matrix4().compose(middle, turn, new Vector3(1, 1, 1)));
}

/** Puts a geometry into the frame of a shape: position and rotation, row by row. */
function framed(geometry, {position, rotation}) {
  const r = rotation ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [x, y, z] = position ?? [0, 0, 0];
  return geometry.applyMatrix4(new Matrix4().set(
    r[0], r[1], r[2], x, r[3], r[4], r[5], y, r[6], r[7], r[8], z, 0, 0, 0, 1));
}

const ends = (shape) => [vector(shape.from), vector(shape.to)];

const GEOMETRIES = {
  box: (shape) => framed(new BoxGeometry(...shape.size), shape),
  cylinder(shape) {
    const [from, to] = ends(shape);
    return between(new CylinderGeometry(shape.radius, shape.radius, from.distanceTo(to), 32), from, to);
  },
  capsule(shape) {
    const [from, to] = ends(shape);
    return between(new CapsuleGeometry(shape.radius, from.distanceTo(to), 12, 32), from, to);
  },
  sphere(shape) {
    const at = vector(shape.center);
    return new SphereGeometry(shape.radius, 32, 20).translate(at.x, at.y, at.z);
  },
  mesh(shape) {
    if (!shape.triangles) return null;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(shape.triangles, 3));
    geometry.scale(shape.scale ?? 1, shape.scale ?? 1, shape.scale ?? 1);
    geometry.computeVertexNormals();
    return framed(geometry, shape);
  },
};

/** Two diameters on each face of a disc, so that its spin shows. */
function spokes(shape) {
  const [from, to] = ends(shape);
  const height = from.distanceTo(to);
  if (shape.type !== 'cylinder' || 2 * shape.radius < height) return null;
  const r = shape.radius;
  const points = [];
  for (const y of [-0.502 * height, 0.502 * height]) points.push(-r, y, 0, r, y, 0, 0, y, -r, 0, y, r);
  const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(between(geometry, from, to), new LineBasicMaterial({color: 0xffffff, transparent: true, opacity: 0.6}));
}

/** Meshes of all shapes that can be drawn; null if there is none. */
export function shapeMeshes(shapes, materialOf) {
  const group = new Group();
  for (const shape of shapes ?? []) {
    const geometry = GEOMETRIES[shape.type]?.(shape);
    if (geometry) group.add(new Mesh(geometry, materialOf(shape.color)));
    const marks = geometry && spokes(shape);
    if (marks) group.add(marks);
  }
  return group.children.length ? group : null;
}
