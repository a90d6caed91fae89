// One program for each way of painting: TEXTURED, HEATED by the error of the surface, or neither for a plain tint.
// A soft surface that leaves the stage to the bones: sky and key light, and a rim that draws its outline.
uniform vec3 eye;
uniform vec3 parallelBack; // towards the eye where rays are parallel, else zero
uniform vec3 tint;
uniform vec4 baseColor;
uniform sampler2D baseTexture;
uniform float opacity;
uniform float heatRange;   // the error at which the ramp ends
uniform vec3 heatRamp[6];  // in equal steps, and the colour of what is beyond

in vec3 surfacePosition;
in vec3 surfaceNormal;
in vec2 surfaceUv;
in vec4 surfaceColor;
in float surfaceError;

layout (location = 0) out vec4 outColor;

#if defined(HEATED)
vec3 heat(float share) {
    if (!(share <= 1.0)) {
        return heatRamp[5];
    }
    float at = 4.0 * share;
    int below = min(int(at), 3);
    return mix(heatRamp[below], heatRamp[below + 1], at - float(below));
}
#endif

const vec3 KEY = vec3(0.36, 0.80, 0.48);

void main() {
    vec3 view = parallelBack == vec3(0.0) ? normalize(eye - surfacePosition) : parallelBack;
    float size = length(surfaceNormal);
    vec3 n = size > 1e-12 ? surfaceNormal / size : view;
    float facing = dot(n, view);
    n = facing < 0.0 ? -n : n; // both sides are drawn
    facing = abs(facing);
    float sky = 0.5 + 0.5 * n.y;
    float key = max(dot(n, KEY), 0.0);
    float rim = (1.0 - facing) * (1.0 - facing);
#if defined(TEXTURED)
    vec3 base = baseColor.rgb * surfaceColor.rgb * texture(baseTexture, surfaceUv).rgb;
    vec3 color = base * (0.52 + 0.20 * sky + 0.38 * key) + 0.05 * rim;
#elif defined(HEATED)
    // Light shading: form is to be seen, and the colour to be read.
    vec3 color = heat(surfaceError / heatRange) * (0.62 + 0.14 * sky + 0.22 * key + 0.10 * rim);
#else
    vec3 color = tint * (0.46 + 0.16 * sky + 0.30 * key + 0.32 * rim);
#endif
    outColor = vec4(color, opacity);
}
