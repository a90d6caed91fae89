in vec3 surfacePosition;
in vec4 color;

layout (location = 0) out vec4 outColor;

const vec3 KEY = vec3(0.36, 0.80, 0.48);

void main() {
    vec3 n = normalize(cross(dFdx(surfacePosition), dFdy(surfacePosition))); // flat
    float light = 0.72 + 0.34 * dot(n, KEY);
    outColor = vec4(color.rgb * clamp(light, 0.4, 1.06), color.a);
}
