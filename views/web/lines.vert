#version 300 es
precision highp float; precision highp int; precision highp usampler2D; precision highp sampler2D;
uniform sampler2D places; uniform usampler2D segments; uniform sampler2D looks;
uniform mat4 camera; uniform vec2 size; uniform float picking; uniform vec4 fog; uniform float thick;
uniform float near; uniform float far;
flat out vec4 colour; flat out uint id;
ivec2 at(int i, int width) { return ivec2(i % width, i / width); }
void main() {
  int segment = gl_VertexID / 4, corner = gl_VertexID % 4;  // around the ribbon, from where it begins
  uvec4 s = texelFetch(segments, at(segment, 2048), 0);
  vec3 a = texelFetch(places, at(int(s.x), 2048), 0).xyz, b = texelFetch(places, at(int(s.y), 2048), 0).xyz;
  vec4 look = texelFetch(looks, at(segment, 2048), 0);
  colour = vec4(look.rgb, 1.0); id = s.z + 1u;
  float width = look.a * 255.0 / 16.0;
  vec3 step_ = normalize(b - a);
  vec3 from = a + 0.13 * step_, to = b - 0.13 * step_;
  if ((s.w & 4u) != 0u) { from = a - 0.13 * step_; to = a - 0.58 * step_; }
  if ((s.w & 8u) != 0u) { from = b + 0.58 * step_; to = b + 0.13 * step_; }
  bool isHead = (s.w & 32u) != 0u;
  if (isHead) {
    vec3 middle = 0.5 * (from + to), half_ = 0.2 * normalize(to - from);
    from = middle - half_;
    to = middle + half_;
  }
  vec4 p = camera * vec4(from, 1.0), q = camera * vec4(to, 1.0);
  vec2 along = (q.xy / q.w - p.xy / p.w) * size;
  float pixels = 0.5 * length(along);
  along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);
  vec2 side = vec2(along.y, -along.x);
  bool isEnd = corner == 1 || corner == 2;
  float sign_ = corner < 2 ? -1.0 : 1.0;
  float w = (picking > 0.5 ? max(width, 5.0) : 0.6 * width) * thick;
  float taper = isEnd ? 0.45 : 1.0;
  vec4 point = isEnd ? q : p;
  // Links of both directions lie side by side: their inner edges along the axis, the outer ones towards a point.
  float edge = sign_ > 0.0 ? 0.7 + w * (picking > 0.5 ? 1.0 : taper) : 0.7;
  float middle_ = 0.5 * sign_ * (isHead ? (isEnd ? 0.0 : min(max(0.9 * pixels, 1.9 * w), 2.5 * w + 6.0)) : w);
  vec2 shift = side * ((s.w & 1u) == 1u ? middle_ : edge);
  gl_Position = point + vec4(2.0 * shift / size * point.w, 0.0, 0.0);
  colour.rgb = mix(colour.rgb, fog.rgb, fog.a * clamp((point.w - near) / (far - near), 0.0, 1.0));
}
