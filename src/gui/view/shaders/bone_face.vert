uniform mat4 clipFromTarget;

in vec3 corner;

out vec3 surfacePosition;
out vec4 color;

void main() {
    surfacePosition = onBone(corner);
    color = boneColor;
    gl_Position = clipFromTarget * vec4(surfacePosition, 1.0);
}
