uniform mat4 clipFromTarget;
uniform vec2 pictureSize;
uniform float pixelsPerUnit; // at w = 1
uniform vec3 eye;
uniform vec3 parallelBack;

in vec2 corner;
in vec3 dotCenter;
in vec4 dotColor;
in vec3 dotSize; // radius in units, least and most pixels

out vec4 color;
out vec2 place;
flat out float radius;

void main() {
    vec4 c = clipFromTarget * vec4(dotCenter, 1.0);
    float wanted = dotSize.x * pixelsPerUnit / max(c.w, 1e-9);
    radius = clamp(wanted, dotSize.y, dotSize.z);
    place = corner * (radius + 1.0);
    color = dotColor;
    // The front of the ball decides what hides it, not its middle.
    vec3 toEye = parallelBack == vec3(0.0) ? normalize(eye - dotCenter) : parallelBack;
    float reach = radius / max(pixelsPerUnit, 1e-9) * c.w;
    vec4 front = clipFromTarget * vec4(dotCenter + 1.5 * reach * toEye, 1.0);
    c.z = front.w > 0.0 ? front.z / front.w * c.w : c.z;
    c.xy += place * 2.0 / pictureSize * c.w;
    gl_Position = c;
}
