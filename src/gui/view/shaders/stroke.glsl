uniform mat4 clipFromTarget;
uniform vec2 pictureSize;

// Widens the line from `a` to `b` to `width` pixels and a soft edge of one more. `corner.x` chooses the
// end, `corner.y` the side; `across` is the distance from the middle in pixels.
vec4 stroke(vec3 a, vec3 b, vec2 corner, float width, out float across) {
    vec4 ca = clipFromTarget * vec4(a, 1.0);
    vec4 cb = clipFromTarget * vec4(b, 1.0);
    // What lies behind the eye has no place in the picture: cut the line off at the near plane.
    float na = ca.z + ca.w, nb = cb.z + cb.w;
    across = 0.0;
    if (na <= 0.0 && nb <= 0.0) return vec4(2.0, 2.0, 2.0, 1.0);
    if (na < 0.0) ca = mix(ca, cb, na / (na - nb) + 1e-4);
    if (nb < 0.0) cb = mix(cb, ca, nb / (nb - na) + 1e-4);
    vec2 pa = ca.xy / ca.w * pictureSize, pb = cb.xy / cb.w * pictureSize;
    vec2 along = pb - pa;
    float size = length(along);
    along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
    float reach = 0.5 * width + 1.0;
    across = corner.y * reach;
    vec4 c = corner.x < 0.0 ? ca : cb;
    vec2 offset = vec2(-along.y, along.x) * across * 2.0 / pictureSize;
    // A hair towards the eye, so that edges win over the faces they belong to.
    return vec4(c.xy + offset * c.w, c.z - 4e-5 * c.w, c.w);
}
