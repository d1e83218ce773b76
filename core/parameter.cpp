#include "core/parameter.hpp"

#include "core/units.hpp"

namespace toroid::core {

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

}  // namespace toroid::core
