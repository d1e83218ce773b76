#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D places; uniform sampler2D looks; uniform mat4 camera; uniform float dot_; uniform uint offset;
uniform float picking; uniform vec4 fog; uniform float near; uniform float far;
flat out vec4 colour; flat out uint id; flat out int shape;
void main() {
  ivec2 t = ivec2(gl_VertexID % 2048, gl_VertexID / 2048);
  vec4 look = texelFetch(looks, t, 0);
  vec4 where = texelFetch(places, t, 0);  // and the node's number
  colour = vec4(look.rgb, 1.0); id = uint(where.w) + offset + 1u;
  int sizeAndShape = int(look.a * 255.0 + 0.5);
  shape = sizeAndShape & 3;
  float size = float(sizeAndShape >> 2) / 63.0;
  gl_Position = camera * vec4(where.xyz, 1.0);
  colour.rgb = mix(colour.rgb, fog.rgb, fog.a * clamp((gl_Position.w - near) / (far - near), 0.0, 1.0));
  gl_PointSize = max(2.0, dot_ / gl_Position.w * size) + (picking > 0.5 ? 2.0 : 0.0);
}
