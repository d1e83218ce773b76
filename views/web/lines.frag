#version 300 es
precision highp float; precision highp int;
uniform float picking; flat in vec4 colour; flat in uint id; out vec4 pixel;
void main() { pixel = picking > 0.5 ? vec4(float(id & 255u), float((id >> 8) & 255u), float((id >> 16) & 255u),
255.0) / 255.0 : colour; }
