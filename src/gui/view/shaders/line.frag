in vec4 color;
noperspective in float across;
flat in float halfWidth;

layout (location = 0) out vec4 outColor;

void main() {
    float cover = clamp(halfWidth + 0.5 - abs(across), 0.0, 1.0);
    if (cover <= 0.0) discard;
    outColor = vec4(color.rgb, color.a * cover);
}
