// Background gradient, and lines on the floor that keep their width in pixels and fade with distance.
uniform vec3 backgroundTop;
uniform vec3 backgroundBottom;
uniform float height;      // of the floor above the target
uniform float cellSide;        // side of a large cell
uniform vec2 cell;         // the target's place in its large cell
uniform vec2 fromOrigin;   // the target's place on the floor
uniform float reach;       // where the floor has faded away
uniform vec4 shown;        // grid, axes
uniform float pixelsPerPoint;

in vec3 rayOrigin;
in vec3 rayDirection;
in float rise;

layout (location = 0) out vec4 outColor;

const vec3 MINOR = vec3(0.235, 0.257, 0.302);
const vec3 MAJOR = vec3(0.298, 0.325, 0.380);
const vec3 AXIS_X = vec3(0.690, 0.290, 0.310);
const vec3 AXIS_Z = vec3(0.290, 0.450, 0.740);
const vec3 FLOOR = vec3(0.168, 0.184, 0.217);

// Coverage of a line at distance `d` (in widths of a pixel `w`) of half width `h` pixels.
float line(float d, float w, float h) {
    return 1.0 - clamp(d / w - h + 0.5, 0.0, 1.0);
}

// Both families of parallel lines with a period of 1; gone before they become a moire.
float grid(vec2 q, vec2 w, float h) {
    vec2 d = abs(fract(q - 0.5) - 0.5);
    vec2 seen = 1.0 - smoothstep(0.12, 0.45, w);
    return max(line(d.x, w.x, h) * seen.x, line(d.y, w.y, h) * seen.y);
}

// Breaks the bands that 8 bits make of a dark gradient (interleaved gradient noise, Jimenez 2014).
float noise() {
    return fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
}

void main() {
    vec3 color = mix(backgroundBottom, backgroundTop, rise);
    float t = (height - rayOrigin.y) / rayDirection.y;
    vec2 p = rayOrigin.xz + t * rayDirection.xz;
    vec2 w = max(fwidth(p), vec2(1e-9));
    float away = length(p) / reach;
    if (t > 0.0 && away < 1.0) {
        float steep = abs(rayDirection.y) / length(rayDirection);
        float fade = (1.0 - away) * (1.0 - away) * smoothstep(0.0, 0.12, steep);
        fade *= rayOrigin.y > height ? 1.0 : 0.45;
        float h = 0.5 * pixelsPerPoint;
        vec2 large = (p + cell) / cellSide;
        color = mix(color, FLOOR, 0.75 * fade * shown.x);
        color = mix(color, MINOR, 0.8 * fade * shown.x * grid(large * 5.0, 5.0 * w / cellSide, h));
        color = mix(color, MAJOR, min(1.0, 1.4 * fade) * shown.x * grid(large, w / cellSide, h));
        vec2 q = abs(p + fromOrigin);
        color = mix(color, AXIS_X, min(1.0, 1.5 * fade) * shown.y * line(q.y, w.y, 0.6 * pixelsPerPoint));
        color = mix(color, AXIS_Z, min(1.0, 1.5 * fade) * shown.y * line(q.x, w.x, 0.6 * pixelsPerPoint));
    }
    outColor = vec4(color + noise() / 255.0, 1.0);
}
