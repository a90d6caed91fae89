uniform vec3 backgroundTop;
uniform vec3 backgroundBottom;
uniform float pictureHeight;

// The background of this pixel. The noise breaks the bands that 8 bits make of a dark gradient
// (interleaved gradient noise, Jimenez 2014).
vec3 background() {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return mix(backgroundBottom, backgroundTop, gl_FragCoord.y / pictureHeight) + noise / 255.0;
}
