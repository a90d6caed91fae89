// Lines on the floor that keep their width in pixels and fade with distance.
uniform float cellSide;      // of a large cell
uniform vec2 cell;           // the target's place in its large cell
uniform vec2 fromOrigin;     // the target's place on the floor
uniform float height;
uniform float reach;
uniform vec3 eye;
uniform float flatSteepness; // sine of the angle of parallel rays, 0 for a perspective
uniform vec2 shown;          // grid, axes
uniform float pixelsPerPoint;

in vec2 place;

layout (location = 0) out vec4 outColor;

const vec3 MINOR = vec3(0.235, 0.257, 0.302);
const vec3 MAJOR = vec3(0.298, 0.325, 0.380);
const vec3 AXIS_X = vec3(0.690, 0.290, 0.310);
const vec3 AXIS_Z = vec3(0.290, 0.450, 0.740);
const vec3 FLOOR = vec3(0.168, 0.184, 0.217);

// Coverage of both families of parallel lines with a period of 1 and `half` pixels on either side; `w` is
// the size of a pixel. They are gone before they become a moire.
float grid(vec2 q, vec2 w, float halfWidth) {
    vec2 d = abs(fract(q - 0.5) - 0.5);
    vec2 seen = clamp((0.45 - w) * 3.0, 0.0, 1.0);
    vec2 cover = (1.0 - clamp(d / w - halfWidth + 0.5, 0.0, 1.0)) * seen;
    return max(cover.x, cover.y);
}

void main() {
    vec2 w = max(fwidth(place), vec2(1e-9));
    vec3 toEye = eye - vec3(place.x, height, place.y);
    float steep = flatSteepness > 0.0 ? flatSteepness : abs(toEye.y) * inversesqrt(dot(toEye, toEye));
    float left = max(1.0 - length(place) / reach, 0.0);
    float fade = left * left * clamp(steep * 8.0, 0.0, 1.0) * (toEye.y > 0.0 ? 1.0 : 0.45);
    float halfWidth = 0.5 * pixelsPerPoint;
    vec2 large = (place + cell) / cellSide;
    vec2 pixel = w / cellSide;
    vec3 color = background();
    color = mix(color, FLOOR, 0.75 * fade * shown.x);
    color = mix(color, MINOR, 0.8 * fade * shown.x * grid(large * 5.0, 5.0 * pixel, halfWidth));
    color = mix(color, MAJOR, min(1.0, 1.4 * fade) * shown.x * grid(large, pixel, halfWidth));
    vec2 axis = 1.0 - clamp(abs(place + fromOrigin) / w - 0.6 * pixelsPerPoint + 0.5, 0.0, 1.0);
    axis *= min(1.0, 1.5 * fade) * shown.y;
    color = mix(color, AXIS_X, axis.y);
    color = mix(color, AXIS_Z, axis.x);
    outColor = vec4(color, 1.0);
}
