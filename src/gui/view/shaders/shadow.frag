// One depth for all of a shadow: the first fragment of a pixel wins, so nothing is darkened twice.
in vec3 surfacePosition;

layout (location = 0) out vec4 outColor;

void main() {
    gl_FragDepth = 0.5;
    outColor = vec4(0.03, 0.035, 0.045, 0.38);
}
