#include "toroid/platforms/description.hpp"

#include <algorithm>

#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

constexpr std::string_view of_all = ".*";  ///< behind the beginning of several names

std::string_view behind_dot(std::string_view name) {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool is_name(const Description& m, std::string_view name) {
  const auto dot = name.find('.');
  const auto all = property_help();
  const auto any = [&](const auto& fits) { return std::ranges::any_of(all, fits); };
  if (any([&](const PropertyHelp& p) { return p.name == name; })) return true;
  if (dot == std::string_view::npos) return false;
  if (name.ends_with(of_all))
    return any([&](const PropertyHelp& p) { return p.name.starts_with(name.substr(0, dot + 1)); });
  const bool has_dimension =
      std::ranges::any_of(m.dimensions, [&](const Dimension& d) { return d.name == name.substr(0, dot); });
  return has_dimension && any([&](const PropertyHelp& p) { return p.of_dimension && p.name == behind_dot(name); });
}

std::optional<Source> source_of(const Description& m, std::string_view property) {
  const auto& sources = m.provenance.sources;
  const auto group = std::string(property.substr(0, property.find('.'))) + std::string(of_all);
  for (const auto name : {property, behind_dot(property), std::string_view(group)})
    if (const auto found = sources.find(name); found != sources.end()) return found->second;
  return std::nullopt;
}

/// What a property that adds to another one changes.
std::string changed_by(std::string_view name) {
  constexpr std::string_view adds = "fail-";
  auto property = canonical_property(name);
  return property.starts_with(adds) ? fmt::format("failed-{}s", property.substr(adds.size())) : property;
}

}  // namespace

std::uint64_t Router::headers(std::uint64_t bytes) const {
  const auto data = static_cast<std::uint64_t>(packet_bytes), header = static_cast<std::uint64_t>(header_bytes);
  const auto packets = std::max<std::uint64_t>(1, bytes / data + (bytes % data > 0 ? 1 : 0));
  std::uint64_t all = 0;
  return __builtin_mul_overflow(packets, header, &all) ? std::numeric_limits<std::uint64_t>::max() : all;
}

template <>
const Words<Routing>& words() {
  static const Words<Routing> all{{"dimension-order", Routing::dimension_order},
                                  {"adaptive", Routing::adaptive},
                                  {"longest-first", Routing::longest_first}};
  return all;
}

template <>
const Words<Ties>& words() {
  static const Words<Ties> all{{"rule", Ties::rule}, {"split", Ties::split}};
  return all;
}

template <>
const Words<Rings>& words() {
  static const Words<Rings> all{{"classes", Rings::classes}, {"bubble", Rings::bubble}};
  return all;
}

template <>
const Words<Arbitration>& words() {
  static const Words<Arbitration> all{{"round-robin", Arbitration::round_robin}, {"age", Arbitration::age}};
  return all;
}

template <>
const Words<Order>& words() {
  static const Words<Order> all{{"pair", Order::pair}, {"node", Order::node}, {"shared", Order::shared}};
  return all;
}

std::int32_t torus_count(const Description& m) {
  constexpr std::size_t of_torus = 3;
  return m.dimensions.size() == of_torus + 1 && m.dimensions.back().name == "torus" ? m.dimensions.back().extent : 1;
}

Cabling folded_cabling(std::int32_t extent) {
  Cabling order;
  for (std::int32_t place = 0; place < extent; place += 2) order.push_back(place);
  for (std::int32_t place = extent - 1 - extent % 2; place > 0; place -= 2) order.push_back(place);
  return order;
}

std::string_view PropertyHelp::unit() const {
  return quantity == Quantity::bandwidth  ? "Bps"
         : quantity == Quantity::duration ? "s"
         : quantity == Quantity::speed    ? "f"
                                          : "";
}

template <>
const Words<Source>& words() {
  static const Words<Source> all{{"measured", Source::measured},
                                 {"published", Source::published},
                                 {"estimate", Source::estimate},
                                 {"chosen", Source::chosen}};
  return all;
}

Provenance parse_provenance(const Description& m, std::string_view text, std::string_view what) {
  Provenance provenance;
  for (const auto& part : core::split(text, ';')) {
    const auto colon = part.find(':');
    const auto word = core::trim(part.substr(0, colon));
    const auto& all = words<Source>();
    const auto source = std::ranges::find_if(all, [&](const auto& known) { return known.first == word; });
    if (colon == std::string_view::npos || source == all.end())
      core::fail_input(
          "{}: found '{}', expected a source and properties, as in published: shape bandwidth; estimate: latency", what,
          core::excerpt(core::trim(part)));
    for (const auto& name : core::words(part.substr(colon + 1))) {
      const auto property = canonical_property(name);
      if (!is_name(m, property)) {
        const auto nearest = suggest_property(m, property);
        core::fail_input("{}: unknown property '{}'{}", what, core::excerpt(name),
                         nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
      }
      if (!provenance.sources.try_emplace(property, source->second).second)
        core::fail_input("{}: found '{}' twice, expected one source for each property", what, property);
    }
  }
  return provenance;
}

std::string provenance_text(const Provenance& provenance) {
  std::vector<std::string> parts;
  for (const auto& [word, source] : words<Source>()) {
    std::string names;
    for (const auto& [name, of] : provenance.sources)
      if (of == source) names += " " + name;
    if (!names.empty()) parts.push_back(fmt::format("{}:{}", word, names));
  }
  return core::join(parts, "; ");
}

void choose_properties(Description& m, const std::vector<std::pair<std::string, std::string>>& properties) {
  set_properties(m, properties);
  for (const auto& [name, value] : properties) {
    const auto property = changed_by(name);
    auto& sources = m.provenance.sources;
    if (property == "provenance") continue;
    if (property == behind_dot(property))  // of all dimensions, whatever was said of one
      std::erase_if(sources, [&](const auto& known) { return known.first.ends_with("." + property); });
    sources[property] = Source::chosen;
  }
}

std::vector<SourcedProperty> sourced_properties(const Description& m) {
  constexpr std::array<std::string_view, 5> words_alone{"description", "dimensions", "node-names", "placements",
                                                        "provenance"};
  std::vector<SourcedProperty> all;
  for (const auto& [property, value, is_default] : all_properties(m))
    if (std::ranges::find(words_alone, property) == words_alone.end())
      all.push_back({property, value, source_of(m, property), is_default});
  return all;
}

}  // namespace toroid::platforms
