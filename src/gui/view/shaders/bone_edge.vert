uniform float edgeWidth;

in vec3 edgeFrom;
in vec3 edgeTo;
in vec2 corner;

out vec4 color;
noperspective out float across;
flat out float halfWidth;

void main() {
    float middle;
    gl_Position = stroke(onBone(edgeFrom), onBone(edgeTo), corner, edgeWidth, middle);
    across = middle;
    color = boneColor;
    halfWidth = 0.5 * edgeWidth;
}
