uniform mat4 clipFromTarget;

in vec2 corner;
in vec3 discCenter;
in float discRadius;
in vec4 discColor;

out vec2 place;
out vec4 color;

void main() {
    place = corner * 1.15;
    color = discColor;
    gl_Position = clipFromTarget * vec4(discCenter + vec3(place.x, 0.0, place.y) * discRadius, 1.0);
}
