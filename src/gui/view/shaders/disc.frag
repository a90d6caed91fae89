uniform float rimWidth; // pixels

in vec2 place;
in vec4 color;

layout (location = 0) out vec4 outColor;

void main() {
    float d = length(place);
    float w = max(fwidth(d), 1e-6);
    float inside = clamp((1.0 - d) / w + 0.5, 0.0, 1.0);
    float rim = clamp(0.5 * rimWidth - abs(1.0 - d) / w + 0.5, 0.0, 1.0);
    float alpha = max(rim, inside * color.a);
    if (alpha <= 0.0) discard;
    outColor = vec4(color.rgb, alpha);
}
