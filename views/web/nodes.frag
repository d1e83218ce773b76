#version 300 es
precision highp float; precision highp int;
uniform float picking; flat in vec4 colour; flat in uint id; flat in int shape; out vec4 pixel;
void main() {  // 0: disc, 1: ring, 2: square, 3: cross
  vec2 at = abs(gl_PointCoord - vec2(0.5));
  float far_ = length(at);
  if (picking < 0.5 && shape == 3 && abs(at.x - at.y) > 0.12) discard;
  if (shape < 2 && far_ > 0.5) discard;
  if (picking < 0.5 && shape == 1 && far_ < 0.3) discard;
  pixel = picking > 0.5 ? vec4(float(id & 255u), float((id >> 8) & 255u), float((id >> 16) & 255u),
  255.0) / 255.0 : colour;
}
