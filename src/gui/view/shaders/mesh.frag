// One program for each way of painting: TEXTURED, JOINT_COLORS, or neither for a plain tint.
// A soft surface that leaves the stage to the bones: sky and key light, and a rim that draws its outline.
uniform vec3 eye;
uniform vec3 parallelBack; // towards the eye where rays are parallel, else zero
uniform vec3 tint;
uniform vec4 baseColor;
uniform sampler2D baseTexture;
uniform float opacity;

in vec3 surfacePosition;
in vec3 surfaceNormal;
in vec2 surfaceUv;
in vec4 surfaceColor;
in vec3 jointColor;

layout (location = 0) out vec4 outColor;

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
#elif defined(JOINT_COLORS)
    vec3 color = jointColor * (0.42 + 0.20 * sky + 0.34 * key + 0.15 * rim);
#else
    vec3 color = tint * (0.46 + 0.16 * sky + 0.30 * key + 0.32 * rim);
#endif
    outColor = vec4(color, opacity);
}
