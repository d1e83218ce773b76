#include "study/row.hpp"

#include <fmt/format.h>

#include <array>

namespace toroid::study {

using core::Json;

namespace {

constexpr std::array all_columns{Column{"runtime_s", &Measures::runtime},
                                 Column{"hop_bytes", &Measures::hop_bytes},
                                 Column{"hops_per_byte", &Measures::hops_per_byte},
                                 Column{"dilation_mean", &Measures::dilation_mean},
                                 Column{"dilation_max", &Measures::dilation_max},
                                 Column{"max_link_load_bytes", &Measures::max_link_load},
                                 Column{"mean_link_load_bytes", &Measures::mean_link_load},
                                 Column{"links_used", &Measures::links_used},
                                 Column{"max_link_time_s", &Measures::max_link_time},
                                 Column{"compute_share", &Measures::compute_share},
                                 Column{"latency_share", &Measures::latency_share},
                                 Column{"bandwidth_share", &Measures::bandwidth_share},
                                 Column{"sharing_share", &Measures::sharing_share}};

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

std::span<const Column> columns() {
  return all_columns;
}

std::span<const Column> proxies() {
  return std::span(all_columns).subspan(1, 8);  // behind the time, before what it is made of
}

double Column::of(const Measures& measures) const {
  return std::visit([&](auto field) { return static_cast<double>(measures.*field); }, member);
}

Measures measures_of(const netsim::Result& r) {
  const auto& path = r.critical_path;
  const auto part = [&](double seconds) { return netsim::share(seconds, r.runtime); };
  return {.runtime = r.runtime,
          .half_width = r.sampled && r.sampled->is_estimate() ? std::optional(r.sampled->half_width) : std::nullopt,
          .hop_bytes = r.hop_bytes,
          .hops_per_byte = r.hops_per_byte(),
          .dilation_mean = r.dilation_mean(),
          .dilation_max = static_cast<std::uint64_t>(r.dilation_max),
          .max_link_load = r.loads.max_bytes,
          .mean_link_load = r.loads.mean_bytes(),
          .links_used = r.loads.links,
          .max_link_time = r.loads.max_seconds,
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
  Json json = Json::object();
  for (const auto& column : all_columns)
    json[column.name] =
        measures ? std::visit([&](auto field) { return Json((*measures).*field); }, column.member) : Json();
  if (measures && measures->half_width) json[half_width_name] = *measures->half_width;
  if (measures)
    for (const auto& [purpose, seconds] : measures->exposed)
      json[fmt::format("{}{}{}", exposed_begin, purpose, exposed_end)] = seconds;
  return json;
}

std::optional<Measures> measures_from(const Json& json) {
  Measures measures;
  for (const auto& column : all_columns) {
    if (!json.is_object() || !json.contains(column.name) || !json[column.name].is_number()) return std::nullopt;
    std::visit([&](auto field) { json[column.name].get_to(measures.*field); }, column.member);
  }
  if (json.contains(half_width_name)) measures.half_width = json[half_width_name].get<double>();
  for (const auto& [key, value] : json.items())
    if (is_exposed_field(key) && value.is_number())
      measures.exposed[key.substr(exposed_begin.size(), key.size() - exposed_begin.size() - exposed_end.size())] =
          value;
  return measures;
}

}  // namespace toroid::study
