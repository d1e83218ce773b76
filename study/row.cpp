#include "study/row.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "netsim/result_json.hpp"

namespace toroid::study {

using core::Json;

namespace {

constexpr const char* runtime_name = "runtime_s";

/// A part of the critical path under its name in results.
struct ShareField {
  const char* name;
  double Measures::*share;
};

constexpr std::array shares{
    ShareField{"compute_share", &Measures::compute_share}, ShareField{"latency_share", &Measures::latency_share},
    ShareField{"bandwidth_share", &Measures::bandwidth_share}, ShareField{"sharing_share", &Measures::sharing_share}};

constexpr const char* half_width_name = "runtime_half_width_s";
constexpr std::string_view exposed_begin = "exposed_", exposed_end = "_s";

bool is_exposed_field(std::string_view name) {
  return name.starts_with(exposed_begin) && name.ends_with(exposed_end);
}

std::map<std::string, double> exposed_of(const netsim::Result& r) {
  std::map<std::string, double> seconds;
  for (const auto& [purpose, blocked] : r.exposed)
    seconds[purpose.empty() ? "other" : purpose] +=
        (blocked.transfer + blocked.wait) / static_cast<double>(r.ranks.size());
  return seconds;
}

}  // namespace

Measures measures_of(const netsim::Result& r) {
  const auto& path = r.critical_path;
  const auto part = [&](double seconds) { return netsim::share(seconds, r.runtime); };
  std::vector<netsim::MetricValue> proxies;
  for (const auto& proxy : netsim::proxies()) proxies.push_back(proxy.of(r, r.loads));
  return {.runtime = r.runtime,
          .half_width = r.sampled && r.sampled->is_estimate() ? std::optional(r.sampled->half_width) : std::nullopt,
          .proxies = std::move(proxies),
          .compute_share = part(path.compute),
          .latency_share = part(path.latency),
          .bandwidth_share = part(path.bandwidth),
          .sharing_share = part(path.sharing),
          .exposed = exposed_of(r)};
}

bool is_optional_field(std::string_view name) {
  return is_exposed_field(name) || name == half_width_name;
}

Json measures_json(const std::optional<Measures>& measures) {
  const auto or_null = [&](auto value_of) { return measures ? Json(value_of(*measures)) : Json(); };
  Json json{{runtime_name, or_null([](const Measures& m) { return m.runtime; })}};
  for (std::size_t p = 0; p < netsim::proxies().size(); ++p)
    json[netsim::proxies()[p].name] = or_null([&](const Measures& m) { return netsim::metric_json(m.proxies[p]); });
  for (const auto& [name, share] : shares) json[name] = or_null([&](const Measures& m) { return m.*share; });
  if (measures && measures->half_width) json[half_width_name] = *measures->half_width;
  if (measures)
    for (const auto& [purpose, seconds] : measures->exposed)
      json[fmt::format("{}{}{}", exposed_begin, purpose, exposed_end)] = seconds;
  return json;
}

std::optional<Measures> measures_from(const Json& json) {
  const auto has_number = [&](std::string_view name) {
    return json.is_object() && json.contains(name) && json[name].is_number();
  };
  if (!has_number(runtime_name)) return std::nullopt;
  Measures measures{.runtime = json[runtime_name]};
  for (std::size_t p = 0; p < measures.proxies.size(); ++p) {
    const auto name = netsim::proxies()[p].name;
    if (!has_number(name)) return std::nullopt;
    const auto& value = json[name];
    measures.proxies[p] = value.is_number_float() ? netsim::MetricValue(value.get<double>())
                                                  : netsim::MetricValue(value.get<std::uint64_t>());
  }
  for (const auto& [name, share] : shares) {
    if (!has_number(name)) return std::nullopt;
    measures.*share = json[name];
  }
  if (json.contains(half_width_name)) measures.half_width = json[half_width_name].get<double>();
  for (const auto& [key, value] : json.items())
    if (is_exposed_field(key) && value.is_number())
      measures.exposed[key.substr(exposed_begin.size(), key.size() - exposed_begin.size() - exposed_end.size())] =
          value;
  return measures;
}

}  // namespace toroid::study
