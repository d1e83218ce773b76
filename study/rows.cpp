#include "toroid/study/rows.hpp"

#include <cmath>

#include "study/documents/fields.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::study {

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

constexpr const char *half_width_name = "runtime_half_width_s", *algorithms_name = "algorithms";
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

using MaybeMeasures = std::optional<Measures>;

const core::Object<MaybeMeasures>& measures_object() {
  static const auto types = types_or_null(netsim::proxies());
  static const core::Object<MaybeMeasures> object = [] {
    const auto of = [](auto get) { return [get](const MaybeMeasures& m) { return m ? Json(get(*m)) : Json(); }; };
    std::vector<core::Field<MaybeMeasures>> fields{
        {runtime_name, "seconds or null", "predicted run time", of([](const Measures& m) { return m.runtime; })}};
    for (std::size_t p = 0; p < types.size(); ++p) {
      const auto& proxy = netsim::proxies()[p];
      fields.push_back({proxy.name, types[p], proxy.is_of_links() ? "as in loads" : "as in traffic",
                        of([p](const Measures& m) { return netsim::metric_json(m.proxies[p]); })});
    }
    for (const auto& [name, share] : shares)
      fields.push_back(
          {name, "share or null", "as in critical path", of([share = share](const Measures& m) { return m.*share; })});
    fields.push_back({algorithms_name, "text or null", "of the program's collectives",
                      of([](const Measures& m) { return m.algorithms; })});
    fields.push_back(
        {half_width_name, "seconds or null", "only of estimates from samples of iterations, at 95 % confidence",
         [](const MaybeMeasures& m) { return m && m->half_width ? Json(*m->half_width) : core::absent(); }});
    fields.push_back({"exposed_PURPOSE_s", "seconds or null",
                      "mean wait of a rank, for each purpose; in CSV for all purposes of the study",
                      [](const MaybeMeasures& m) {
                        Json all = Json::object();
                        if (m)
                          for (const auto& [purpose, seconds] : m->exposed)
                            all[fmt::format("{}{}{}", exposed_begin, purpose, exposed_end)] = seconds;
                        return all;
                      }});
    return core::Object<MaybeMeasures>("measures", std::move(fields));
  }();
  return object;
}

void add(Group& group, std::span<const Row> all, std::size_t index) {
  const auto& row = all[index];
  if (!row.measures) {
    ++group.failed;
    return;
  }
  const double time = row.measures->runtime;
  group.times.push_back(time);
  group.repetitions.push_back(row.run.repetition);
  if (!group.best || time < all[*group.best].measures->runtime) group.best = index;
  if (row.verified_runtime) group.off_reference = *row.verified_runtime > 0 ? time / *row.verified_runtime - 1 : 0;
  if (row.with_computation) group.with_computation = row.with_computation;
}

/// The row with the median time; of two in the middle the one with the lower time.
std::optional<std::size_t> typical_of(const Group& group, std::size_t first_row) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    if (group.rows[i].measures) order.push_back(i);
  if (order.empty()) return std::nullopt;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return group.rows[a].measures->runtime < group.rows[b].measures->runtime;
  });
  return first_row + order[(order.size() - 1) / 2];
}

/// Samples of different runs are wrong independently of each other.
double half_width_of(const Group& group) {
  double squares = 0;
  for (const auto& row : group.rows)
    if (row.measures) squares += std::pow(row.measures->half_width.value_or(0), 2);
  return group.times.empty() ? 0 : std::sqrt(squares) / static_cast<double>(group.times.size());
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
          .exposed = exposed_of(r),
          .algorithms = netsim::collectives_in_words(r.collectives)};
}

bool is_optional_field(std::string_view name) {
  return is_exposed_field(name) || name == half_width_name;
}

Json measures_json(const std::optional<Measures>& measures) {
  TOROID_ASSERT(!measures || measures->proxies.size() == netsim::proxies().size());
  return measures_object()(measures);
}

core::ObjectText measures_text() {
  return measures_object();
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
  if (!json.contains(algorithms_name) || !json[algorithms_name].is_string()) return std::nullopt;
  measures.algorithms = json[algorithms_name];
  if (json.contains(half_width_name)) measures.half_width = json[half_width_name].get<double>();
  for (const auto& [key, value] : json.items())
    if (is_exposed_field(key) && value.is_number())
      measures.exposed[key.substr(exposed_begin.size(), key.size() - exposed_begin.size() - exposed_end.size())] =
          value;
  return measures;
}

std::map<std::string, double> exposed_of(const Group& group) {
  std::map<std::string, double> seconds;
  for (const auto& row : group.rows)
    if (row.measures)
      for (const auto& [purpose, waited] : row.measures->exposed)
        seconds[purpose] += waited / static_cast<double>(group.times.size());
  return seconds;
}

std::vector<Group> groups_of(std::span<const Row> rows) {
  std::vector<Group> groups;
  for (std::size_t begin = 0, i = 0; i < rows.size(); ++i) {
    const auto& run = rows[i].run;
    if (groups.empty() || run.repetition == 0) {  // a part may begin within a group
      begin = i;
      groups.push_back({.run = run});
      groups.back().run.repetition = 0;
    }
    TOROID_ASSERT(without({}, groups.back().run) == without({}, run));
    groups.back().rows = rows.subspan(begin, i + 1 - begin);
    add(groups.back(), rows, i);
  }
  for (auto& group : groups) {
    TOROID_ASSERT(group.times.size() == group.repetitions.size() &&
                  group.times.size() + group.failed == group.rows.size());
    TOROID_ASSERT_HEAVY(std::ranges::is_sorted(group.repetitions));
    group.typical = typical_of(group, static_cast<std::size_t>(group.rows.data() - rows.data()));
    group.half_width = half_width_of(group);
  }
  return groups;
}

}  // namespace toroid::study
