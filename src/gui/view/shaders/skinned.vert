// Moves a vertex by its bones in two poses; see skinned_mesh.rs for the palette and the bones beyond four.
uniform mat4 clipFromTarget;
uniform float factor; // of the way from the right pose to the other
uniform sampler2D palette;
uniform sampler2D more; // a bone and its weight a texel
uniform vec4 squash; // w > 0: press onto the floor at height y, slanted by x and z (a shadow)

in vec3 position;
in vec3 way; // by which morph targets take the position off the right one
in vec3 normal;
in vec2 uv;
in vec4 vertexColor;
in uvec4 bones;
in vec4 weights;
in uvec4 span; // low and high half of the first texel in more, and how many

out vec3 surfacePosition;
out vec3 surfaceNormal;
out vec2 surfaceUv;
out vec4 surfaceColor;
out float surfaceError;

vec4 row0 = vec4(0.0), row1 = vec4(0.0), row2 = vec4(0.0);
vec4 right0 = vec4(0.0), right1 = vec4(0.0), right2 = vec4(0.0);

void addBone(uint bone, float weight) {
    ivec2 at = ivec2(8 * int(bone % 128u), int(bone / 128u));
    right0 += weight * texelFetch(palette, at, 0);
    right1 += weight * texelFetch(palette, at + ivec2(1, 0), 0);
    right2 += weight * texelFetch(palette, at + ivec2(2, 0), 0);
    row0 += weight * texelFetch(palette, at + ivec2(4, 0), 0);
    row1 += weight * texelFetch(palette, at + ivec2(5, 0), 0);
    row2 += weight * texelFetch(palette, at + ivec2(6, 0), 0);
}

void main() {
    addBone(bones.x, weights.x);
    addBone(bones.y, weights.y);
    addBone(bones.z, weights.z);
    addBone(bones.w, weights.w);
    int first = int(span.x) + 65536 * int(span.y);
    for (int k = first; k < first + int(span.z); ++k) {
        vec2 bone = texelFetch(more, ivec2(k % 1024, k / 1024), 0).xy;
        addBone(uint(bone.x), bone.y);
    }
    vec4 p = vec4(position, 1.0);
    // The difference of the matrices, not of the places: those are large numbers that are nearly the same.
    vec3 turned = vec3(dot(right0.xyz, way), dot(right1.xyz, way), dot(right2.xyz, way));
    vec3 off = vec3(dot(row0 - right0, p), dot(row1 - right1, p), dot(row2 - right2, p)) + turned;
    surfaceError = length(off);
    vec3 moved = vec3(dot(right0, p), dot(right1, p), dot(right2, p)) - turned + factor * off;
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
