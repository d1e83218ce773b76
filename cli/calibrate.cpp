#include <cmath>

#include "cli/commands.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/version.hpp"
#include "core/csv.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "platforms/load.hpp"
#include "study/calibration.hpp"
#include "study/program_calibration.hpp"
#include "views/line_chart.hpp"

namespace toroid::cli {

using study::Calibration;
using study::ProgramCalibration;
using study::Residual;

namespace {

struct CalibrateOptions {
  std::string platform, output, name, json, csv, svg;
  std::vector<std::string> data, keep;
  MachineArguments what_if;
};

std::string value_text(const study::Fitted& fitted, double value) {
  if (std::isinf(value)) return "no limit";
  return fitted.is_bandwidth ? core::format_bandwidth(value) : core::format_duration(value);
}

/// A size as benchmarks choose them: in powers of two.
std::string size_text(std::uint64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

void print_properties(const Calibration& c) {
  core::Table table({"property", "fitted", "95 % confidence interval", "before"});
  for (const auto& p : c.properties)
    table.add({p.property, value_text(p, p.value.value),
               fmt::format("{} to {}", value_text(p, p.value.interval.low), value_text(p, p.value.interval.high)),
               value_text(p, p.before)});
  print(table.text());
  if (!c.handshake) return;
  const auto& h = *c.handshake;
  fmt::print(
      "\nThe handshake is of messages from {} on; those up to {} have none: the eager limit of the MPI library lies "
      "between. Simulate with --eager {}.\n",
      size_text(h.with), size_text(h.without), h.without);
}

/// Deviations of measurements that have something in common.
struct SamePair {
  std::size_t count = 0;
  double sum = 0, worst = 0;

  void add(const Residual& d) {
    ++count;
    sum += d.relative();
    if (std::abs(d.relative()) > std::abs(worst)) worst = d.relative();
  }
};

template <class Key, class KeyOf, class Name>
void print_groups(const Calibration& c, const char* heading, KeyOf key_of, Name name) {
  std::map<Key, SamePair> groups;
  for (const auto& d : c.deviations) groups[key_of(d)].add(d);
  core::Table table({heading, "measurements", "mean deviation", "worst"});
  for (const auto& [key, group] : groups)
    table.add({name(key), std::to_string(group.count),
               core::format_percent(group.sum / static_cast<double>(group.count), 2),
               core::format_percent(group.worst, 2)});
  print("\n" + table.text());
}

/// The power of four that a size is at least; -1 for none.
int size_class(const Residual& d) {
  return d.measurement.bytes == 0 ? -1 : static_cast<int>(std::log2(static_cast<double>(d.measurement.bytes)) / 2);
}

std::string size_class_name(int size) {
  if (size < 0) return "0 B";
  return fmt::format("{} to < {}", size_text(std::uint64_t{1} << 2 * size), size_text(std::uint64_t{4} << 2 * size));
}

void print_calibration(const Calibration& c) {
  print_properties(c);
  const auto& worst = c.worst();
  fmt::print("\n{} measurements; the fit is off by {:.2f} % on average, {} at worst ({} from n{} to n{}, {} hop{})\n",
             c.deviations.size(), 100 * c.mean_deviation(), core::format_percent(worst.relative(), 2),
             size_text(worst.measurement.bytes), worst.measurement.from.value(), worst.measurement.to.value(),
             worst.hops, worst.hops == 1 ? "" : "s");
  print_groups<std::int32_t>(
      c, "hops", [](const Residual& d) { return d.hops; }, [](std::int32_t hops) { return std::to_string(hops); });
  print_groups<int>(c, "size", size_class, size_class_name);
  for (const auto& note : c.notes) print(fmt::format("\nNote: {}.\n", note));
}

core::Json coefficient_json(const study::Coefficient& c) {
  const auto finite = [](double x) { return std::isfinite(x) ? core::Json(x) : core::Json(nullptr); };
  return {{"value", c.value}, {"low", finite(c.interval.low)}, {"high", finite(c.interval.high)}};
}

core::Json rows_json(const Calibration& c) {
  auto rows = core::Json::array();
  for (const auto& d : c.deviations)
    rows.push_back({{"from", d.measurement.from.value()},
                    {"to", d.measurement.to.value()},
                    {"hops", d.hops},
                    {"bytes", d.measurement.bytes},
                    {"measured_s", d.measurement.seconds},
                    {"fitted_s", d.fitted},
                    {"deviation", d.relative()}});
  return rows;
}

core::Json calibration_json(const Calibration& c) {
  core::Json json{{"schema_version", core::schema_version}};
  auto properties = core::Json::array();
  for (const auto& p : c.properties) {
    core::Json row{{"property", p.property}, {"unit", p.is_bandwidth ? "B/s" : "s"}};
    row.update(coefficient_json(p.value));
    row["before"] = p.before;
    properties.push_back(std::move(row));
  }
  json["properties"] = std::move(properties);
  json["largest_eager_bytes"] = c.handshake ? core::Json(c.handshake->without) : core::Json(nullptr);
  json["handshake_s"] = c.handshake ? coefficient_json(c.handshake->seconds) : core::Json(nullptr);
  json["mean_deviation"] = c.mean_deviation();
  json["worst_deviation"] = c.worst().relative();
  json["notes"] = c.notes;
  json["measurements"] = rows_json(c);
  json["manifest"] = {{"version", version}, {"inputs", inputs_json()}};
  return json;
}

/// Deviations over sizes, a line for each distance.
std::string deviations_svg(const Calibration& c, const std::string& machine) {
  std::map<std::int32_t, std::map<std::uint64_t, SamePair>> by_hops;
  for (const auto& d : c.deviations) by_hops[d.hops][d.measurement.bytes].add(d);
  views::LineChart chart{"What the fit is off by",        machine, "size of a message [log2 of bytes]",
                         "mean deviation of the fit [%]", {},      "above 0: the fit is slower than the measurement"};
  for (const auto& [hops, sizes] : by_hops) {
    views::Line line{fmt::format("{} hop{}", hops, hops == 1 ? "" : "s"), {}};
    for (const auto& [bytes, group] : sizes) {
      const double mean = 100 * group.sum / static_cast<double>(group.count);
      line.points.push_back({std::log2(static_cast<double>(std::max<std::uint64_t>(bytes, 1))), mean,
                             fmt::format("{}: {:+.2f} %", size_text(bytes), mean)});
    }
    chart.lines.push_back(std::move(line));
  }
  return views::line_chart_svg(chart);
}

void calibrate(const CalibrateOptions& o) {
  const auto machine = platforms::make_machine(o.what_if.apply(o.platform));
  Calibration result;
  Outputs outputs;
  outputs.add(o.output, [&] { return platforms::xml_text(result.machine, result.intervals()); });
  outputs.add(o.json, [&] { return core::json_text(calibration_json(result), 1) + "\n"; });
  outputs.add(o.csv, [&] { return core::csv_of(rows_json(result)); });
  outputs.add_svg(o.svg, [&] { return deviations_svg(result, machine.name()); });
  std::vector<study::Measurement> measurements;
  for (const auto& argument : o.data) {
    const auto more = study::read_measurements(argument, machine);
    measurements.insert(measurements.end(), more.begin(), more.end());
  }
  result = study::calibrate(machine, measurements, o.keep);
  if (!o.name.empty()) result.machine.name = o.name;
  outputs.write();
  if (!outputs.to_stdout()) print_calibration(result);
}

struct ProgramOptions {
  std::string program, json;
  std::vector<std::string> captures;
};

/// Four digits, as the fitted values have.
std::string flops_text(double flops) {
  return flops < 0 ? "-" + flops_text(-flops) : core::exact_speed(std::stod(fmt::format("{:.4g}", flops)));
}

/// The time of a computation on a core of 1 Gflop/s.
std::string time_text(double flops) {
  return core::format_duration(flops / 1e9);
}

std::string off_text(double fitted, double measured) {
  return measured > 0 ? core::format_percent(fitted / measured - 1, 1) : "-";
}

void print_calibration(const ProgramCalibration& c) {
  core::Table keys({"key", "fitted", "95 % confidence interval", "unless given"});
  for (const auto& k : c.keys)
    keys.add({k.key, flops_text(k.flops.value),
              fmt::format("{} to {}", flops_text(k.flops.interval.low), flops_text(k.flops.interval.high)),
              k.unless_given});
  print(keys.text());
  if (c.imbalance)
    print(fmt::format("\nWhat ranks compute scatters by {:.1f} % about the fit (imbalance).\n", 100 * *c.imbalance));
  if (c.noise && c.jitter) {
    const auto scatter = [&](double flops) { return 100 * std::sqrt(*c.noise / flops + *c.jitter * *c.jitter); };
    print(
        fmt::format("From one iteration to the next, a rank's computation of 10 us scatters by {:.1f} % without what "
                    "all ranks have in\ncommon, and one of 1 ms by {:.1f} % (noise and jitter).\n",
                    scatter(1e4), scatter(1e6)));
  }
  core::Table captures({"capture", "ranks", "a rank computes", "fitted", "off", "the slowest rank", "fitted", "off"});
  core::Table places({"capture", "where there is work of", "a rank computes", "fitted", "off"});
  for (const auto& fit : c.captures) {
    captures.add({fit.name, std::to_string(fit.ranks), time_text(fit.mean), time_text(fit.fitted_mean),
                  off_text(fit.fitted_mean, fit.mean), time_text(fit.greatest), time_text(fit.fitted_greatest),
                  off_text(fit.fitted_greatest, fit.greatest)});
    for (const auto& [names, flops] : fit.places)
      places.add(
          {fit.name, names, time_text(flops.first), time_text(flops.second), off_text(flops.second, flops.first)});
  }
  print("\n" + captures.text() + "\n" + places.text());
  for (const auto& note : c.notes) print(fmt::format("\nNote: {}.\n", note));
  print(fmt::format("\nThe program with these values, for cores of 1 Gflop/s:\n{}\n", c.spec));
}

core::Json calibration_json(const ProgramOptions& o, const ProgramCalibration& c) {
  core::Json json{{"schema_version", core::schema_version}, {"program", c.spec}};
  auto keys = core::Json::array();
  for (const auto& k : c.keys)
    keys.push_back({{"key", k.key},
                    {"flops", k.flops.value},
                    {"low", k.flops.interval.low},
                    {"high", k.flops.interval.high},
                    {"unless_given", k.unless_given}});
  json["keys"] = std::move(keys);
  json["imbalance"] = c.imbalance ? core::Json(*c.imbalance) : core::Json(nullptr);
  json["noise"] = c.noise ? core::Json(*c.noise) : core::Json(nullptr);
  json["jitter"] = c.jitter ? core::Json(*c.jitter) : core::Json(nullptr);
  auto captures = core::Json::array();
  for (const auto& fit : c.captures) {
    auto places = core::Json::array();
    for (const auto& [names, flops] : fit.places)
      places.push_back({{"keys", names}, {"mean_flops", flops.first}, {"fitted_mean_flops", flops.second}});
    captures.push_back({{"capture", fit.name},
                        {"program", fit.spec},
                        {"ranks", fit.ranks},
                        {"mean_flops", fit.mean},
                        {"fitted_mean_flops", fit.fitted_mean},
                        {"greatest_flops", fit.greatest},
                        {"fitted_greatest_flops", fit.fitted_greatest},
                        {"places", std::move(places)}});
  }
  json["captures"] = std::move(captures);
  json["notes"] = c.notes;
  json["manifest"] = {{"version", version},
                      {"command", "calibrate program"},
                      {"program", o.program},
                      {"from", o.captures},
                      {"inputs", inputs_json()}};
  return json;
}

void calibrate_program(const ProgramOptions& o) {
  ProgramCalibration result;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(calibration_json(o, result), 1) + "\n"; });
  std::vector<study::Capture> captures;
  for (const auto& text : o.captures) captures.push_back(study::read_capture(text));
  result = study::calibrate_program(o.program, captures);
  outputs.write();
  if (!outputs.to_stdout()) print_calibration(result);
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto* command =
      app.add_subcommand("calibrate", "fit latencies and bandwidths of a machine to the times of its ping-pongs");
  auto o = std::make_shared<CalibrateOptions>();
  // Both are required, but not beside the subcommand, so the action asks for them.
  command->add_option("PLATFORM", o->platform, platform_help);
  command->add_option(
      "DATA", o->data,
      "measured times of messages that were alone: a table with the columns from, to, bytes and one of s, "
      "ms, us, ns; or FILE@FROM,TO, what osu_latency or PingPong of IMB prints for these two nodes");
  command->add_option("--keep", o->keep, "properties that are not fitted: base-latency, latency, bandwidth");
  add_output(*command, "-o,--output", o->output,
             "write the fitted machine, with the intervals of its values, as a platform file (- for standard output)");
  command->add_option("--name", o->name, "name of the machine in that file (default: its old one)");
  add_output(*command, "--json", o->json, "write values, intervals and deviations as JSON (- for standard output)");
  add_output(*command, "--csv", o->csv, "write a line for each measurement with its deviation as CSV");
  add_output(*command, "--svg", o->svg, "draw the deviations over the sizes, a line for each distance");
  o->what_if.add_to(*command);
  add_calibrate_program(*command);
  command->callback([o, command] {
    if (!command->get_subcommands().empty()) return;
    for (const std::string name : {"PLATFORM", "DATA"})
      if (command->count(name) == 0) throw CLI::RequiredError(name);
    calibrate(*o);
  });
}

void add_calibrate_program(CLI::App& calibrate) {
  auto* command =
      calibrate.add_subcommand("program", "fit what a program computes, by phase and point, to captured runs of it");
  auto o = std::make_shared<ProgramOptions>();
  command
      ->add_option(
          "PROGRAM", o->program,
          "a generator, such as cg, with those keys of computation that are known and shall stay: cg:exchange=0f")
      ->required();
  command
      ->add_option("--from", o->captures,
                   "captured runs, each with the keys of the generator that make it the same run: "
                   "a.trace@class=A b.trace@class=W; the number of ranks is the capture's")
      ->required();
  add_output(*command, "--json", o->json, "write values, intervals and deviations as JSON (- for standard output)");
  command->callback([o] { calibrate_program(*o); });
}

}  // namespace toroid::cli
