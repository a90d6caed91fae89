in vec3 boneHead;
in vec3 boneAlong; // from head to tail
in vec3 boneSide;  // across, as long as half the width
in vec4 boneColor;

// A corner of the unit octahedron at its place on this bone.
vec3 onBone(vec3 corner) {
    vec3 other = normalize(cross(boneSide, boneAlong)) * length(boneSide);
    return boneHead + boneAlong * corner.y + boneSide * corner.x + other * corner.z;
}
