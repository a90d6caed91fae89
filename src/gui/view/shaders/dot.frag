in vec4 color;
in vec2 place; // pixels from the centre
flat in float radius;

layout (location = 0) out vec4 outColor;

void main() {
    float d = length(place);
    float cover = clamp(radius + 0.5 - d, 0.0, 1.0);
    if (cover <= 0.0) discard;
    float inside = d / max(radius, 1e-3);
    vec2 toLight = place / max(radius, 1e-3) - vec2(-0.3, 0.4);
    float shade = 1.08 - 0.30 * dot(toLight, toLight);
    float rim = smoothstep(0.62, 1.0, inside);
    vec3 ball = color.rgb * clamp(shade, 0.6, 1.1);
    outColor = vec4(mix(ball, color.rgb * 0.32, 0.75 * rim), color.a * cover);
}
