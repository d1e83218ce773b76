#include "core/quantities.hpp"

#include "core/units.hpp"

namespace toroid::core {

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

}  // namespace toroid::core
