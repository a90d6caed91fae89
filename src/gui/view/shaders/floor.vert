uniform mat4 clipFromTarget;
uniform float height; // of the floor above the target
uniform float reach;  // where the floor has faded away

in vec2 corner;

out vec2 place; // on the floor, from below the target

void main() {
    place = corner * reach;
    gl_Position = clipFromTarget * vec4(place.x, height, place.y, 1.0);
}
