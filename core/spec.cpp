#include "core/spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::core {
namespace {

/// How deep in parentheses the text ends; the least depth on the way goes to `least`.
int depth_at_end(std::string_view text, int& least) {
  int depth = least = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    least = std::min(least, depth);
  }
  return depth;
}

bool is_balanced(std::string_view text) {
  int least = 0;
  return depth_at_end(text, least) == 0 && least == 0;
}

}  // namespace

std::string_view unwrap(std::string_view value) {
  if (value.size() < 2 || value.front() != '(' || value.back() != ')') return value;
  const auto inside = value.substr(1, value.size() - 2);
  return is_balanced(inside) ? inside : value;
}

Spec Spec::parse(std::string_view text, bool repeats) {
  Spec spec;
  spec.text_ = text;
  const auto colon = text.find(':');
  spec.name_ = trim(text.substr(0, colon));
  if (spec.name_.empty()) fail_input("'{}': expected name[:argument][,key=value]...", text);
  if (colon == std::string_view::npos) return spec;
  if (!is_balanced(text)) fail_input("'{}': the parentheses do not match", excerpt(text));
  for (const auto part : split(text.substr(colon + 1), ',')) {
    if (trim(part).empty())
      fail_input("'{}': found nothing after a colon or comma, expected key=value or an argument", excerpt(text));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos && spec.argument_.empty() && spec.parameters_.empty()) {
      spec.argument_ = trim(part);
      continue;
    }
    const auto key = trim(part.substr(0, equals));
    const auto value = equals == std::string_view::npos ? std::string_view{} : unwrap(trim(part.substr(equals + 1)));
    if (key.empty() || value.empty()) fail_input("'{}': found '{}', expected key=value", excerpt(text), excerpt(part));
    if (!repeats && spec.find(key)) fail_input("'{}': '{}' is given twice", excerpt(text), excerpt(key));
    spec.parameters_.emplace_back(key, value);
  }
  return spec;
}

Spec Spec::inside(const Spec& outer, std::string_view text) {
  if (outer.nested_ == most_nested)
    fail_input("'{}': more than {} specs within each other", excerpt(text), most_nested);
  auto spec = parse(text);
  spec.nested_ = outer.nested_ + 1;
  return spec;
}

Spec Spec::with_argument(std::string_view name, std::string_view argument) {
  Spec spec;
  spec.text_ = fmt::format("{}:{}", name, argument);
  spec.name_ = name;
  spec.argument_ = argument;
  return spec;
}

std::optional<std::string> Spec::find(std::string_view key) const {
  for (const auto& [name, value] : parameters_)
    if (name == key) return value;
  return std::nullopt;
}

}  // namespace toroid::core
