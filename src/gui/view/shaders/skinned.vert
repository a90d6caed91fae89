// Moves a vertex by up to four bones; see skinned_mesh.rs for the palette.
uniform mat4 clipFromTarget;
uniform sampler2D palette;
uniform vec4 squash; // w > 0: press onto the floor at height y, slanted by x and z (a shadow)

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 vertexColor;
in uvec4 bones;
in vec4 weights;

out vec3 surfacePosition;
out vec3 surfaceNormal;
out vec2 surfaceUv;
out vec4 surfaceColor;
out vec3 jointColor;

vec4 row0 = vec4(0.0), row1 = vec4(0.0), row2 = vec4(0.0);

void addBone(uint bone, float weight) {
    ivec2 at = ivec2(4 * int(bone % 256u), int(bone / 256u));
    row0 += weight * texelFetch(palette, at, 0);
    row1 += weight * texelFetch(palette, at + ivec2(1, 0), 0);
    row2 += weight * texelFetch(palette, at + ivec2(2, 0), 0);
#if defined(JOINT_COLORS)
    jointColor += weight * texelFetch(palette, at + ivec2(3, 0), 0).rgb;
#endif
}

void main() {
    jointColor = vec3(0.0);
    addBone(bones.x, weights.x);
    addBone(bones.y, weights.y);
    addBone(bones.z, weights.z);
    addBone(bones.w, weights.w);
    vec4 p = vec4(position, 1.0);
    vec3 moved = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
    if (squash.w > 0.0) {
        float above = moved.y - squash.y;
        moved = vec3(moved.x + squash.x * above, squash.y, moved.z - squash.z * above);
    }
    surfacePosition = moved;
    surfaceNormal = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));
    surfaceUv = vec2(uv.x, 1.0 - uv.y); // three-d uploads pictures upside down
    surfaceColor = vertexColor;
    gl_Position = clipFromTarget * vec4(moved, 1.0);
}
