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

vec4 rows[4];

void addBone(uint bone, float weight) {
    ivec2 at = ivec2(4 * int(bone % 256u), int(bone / 256u));
    for (int i = 0; i < 4; i++) {
        rows[i] += weight * texelFetch(palette, at + ivec2(i, 0), 0);
    }
}

void main() {
    for (int i = 0; i < 4; i++) {
        rows[i] = vec4(0.0);
    }
    addBone(bones.x, weights.x);
    if (weights.y > 0.0) addBone(bones.y, weights.y);
    if (weights.z > 0.0) addBone(bones.z, weights.z);
    if (weights.w > 0.0) addBone(bones.w, weights.w);
    vec4 p = vec4(position, 1.0);
    vec3 moved = vec3(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p));
    if (squash.w > 0.0) {
        float above = moved.y - squash.y;
        moved = vec3(moved.x + squash.x * above, squash.y, moved.z - squash.z * above);
    }
    surfacePosition = moved;
    surfaceNormal = vec3(dot(rows[0].xyz, normal), dot(rows[1].xyz, normal), dot(rows[2].xyz, normal));
    surfaceUv = vec2(uv.x, 1.0 - uv.y); // three-d uploads pictures upside down
    surfaceColor = vertexColor;
    jointColor = rows[3].rgb;
    gl_Position = clipFromTarget * vec4(moved, 1.0);
}
