in vec2 corner;
in vec3 lineFrom;
in vec3 lineTo;
in vec4 lineColor;
in float lineWidth;

out vec4 color;
noperspective out float across;
flat out float halfWidth;

void main() {
    float middle;
    gl_Position = stroke(lineFrom, lineTo, corner, lineWidth, middle);
    across = middle;
    color = lineColor;
    halfWidth = 0.5 * lineWidth;
}
