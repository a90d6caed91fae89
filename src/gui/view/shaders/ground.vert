// Rays of the corners; those of all pixels lie linearly between.
uniform vec3 across;
uniform vec3 upward;
uniform vec3 eye;
uniform float parallel;

in vec2 corner;

out vec3 rayOrigin;
out vec3 rayDirection;
out float rise;

void main() {
    vec3 plane = across * corner.x + upward * corner.y; // through the target, which is the origin
    rayOrigin = mix(eye, plane + eye, parallel);
    rayDirection = mix(plane - eye, -eye, parallel);
    rise = 0.5 + 0.5 * corner.y;
    gl_Position = vec4(corner, 0.0, 1.0);
}
