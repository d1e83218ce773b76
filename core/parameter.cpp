#include <algorithm>

#include "core/file.hpp"
#include "core/units.hpp"
#include "toroid/core/registry.hpp"

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
    if (key.empty() || value.empty())
      fail_input(
          "'{}': found '{}', expected key=value{}", excerpt(text), excerpt(part),
          parse_number<std::uint64_t>(trim(part)) ? "; numbers of an extent have an x between them, as in 4x4" : "");
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

std::string Place::text() const {
  return fmt::format("'{}': {}", excerpt(spec.text()), key);
}

Type<bool> yes_or_no() {
  return one_of<bool>({{"yes", true}, {"no", false}});
}

Type<std::uint64_t> whole_bytes() {
  return {"a size such as 64KiB", [](std::string_view text, const Place& place) -> std::optional<std::uint64_t> {
            return parse_whole_bytes(text, place.text());
          }};
}

Type<std::vector<std::int32_t>> extents(std::size_t most_axes, std::int64_t most_places) {
  using Extents = std::vector<std::int32_t>;
  return {fmt::format("extents such as 8x8 or 4x8x2, up to {}, at most {} places", most_axes, most_places),
          [=](std::string_view text, const Place&) -> std::optional<Extents> {
            Extents extents;
            std::int64_t places = 1;
            for (const auto part : split(text, 'x')) {
              const auto extent = parse_number<std::int32_t>(part);
              if (!extent || *extent < 1 || *extent > most_places / places || extents.size() == most_axes)
                return std::nullopt;
              places *= *extent;
              extents.push_back(*extent);
            }
            return extents;
          }};
}

Arguments::Arguments(Spec spec, const std::vector<AnyParameter>& parameters) : spec_(std::move(spec)) {
  for (const auto& parameter : parameters) values_.emplace(parameter.name, parameter.read(spec_));
}

Type<double> duration() {
  return {"a time such as 3600s", [](std::string_view text, const Place& place) -> std::optional<double> {
            return parse_duration(text, place.text());
          }};
}

Type<double> flops() {
  // The suffixes of amounts are those of speeds: 1Gf takes a node of 1Gf one second.
  return {"flops such as 1kf", [](std::string_view text, const Place& place) -> std::optional<double> {
            return parse_speed(text, place.text());
          }};
}

Type<double> real(double low, double high) {
  return {fmt::format("a number from {} to {}", low, high),
          [=](std::string_view text, const Place&) -> std::optional<double> {
            const auto value = parse_number<double>(text);
            return value && *value >= low && *value <= high ? value : std::nullopt;
          }};
}

Spec spec_of_file(std::string_view path, const FileEntry& entry, std::string_view kind,
                  const std::vector<std::string>& names) {
  if (is_file(path)) return Spec::with_argument(entry.name, path);
  if (const auto instead = instead_of_file(path); !instead.empty()) fail_input("'{}': {}", excerpt(path), instead);
  fail_input("'{}': no such {} and no such file{}, or {}", excerpt(path), kind,
             valid_instead(trim(path.substr(0, path.find(':'))), names), entry.what);
}

}  // namespace toroid::core
