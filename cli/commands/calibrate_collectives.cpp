#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "core/csv.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "platforms/xml.hpp"
#include "study/calibration/collective_calibration.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::cli {
namespace {

using study::CollectiveCalibration;
using study::FittedProperty;
using study::FittedTime;

struct CollectivesOptions {
  std::string platform, output, name, json, csv;
  std::vector<std::string> data, shapes, without, fit = {"overhead", "bandwidth"};
  mapping::MapperChoice map = "consecutive";
  netsim::EngineChoice engine = "fluid";
  netsim::ReplayTexts replay;
  std::size_t workers = 0;
  MachineArguments what_if;
};

std::string value_text(const FittedProperty& p, double value) {
  if (p.quantity == platforms::Quantity::bandwidth) return core::format_bandwidth(value);
  return p.quantity == platforms::Quantity::duration && value >= 1e-9 ? core::format_duration(value) : p.text(value);
}

struct Told : CollectiveCalibration {
  std::vector<std::pair<std::string, std::size_t>> left_out;
};

double quantile(std::vector<double> ratios, double share) {
  std::ranges::sort(ratios);
  return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1) + 0.5)];
}

std::string range_text(const std::vector<double>& ratios) {
  return fmt::format("{:.2f} to {:.2f}", quantile(ratios, 0.05), quantile(ratios, 0.95));
}

void print_collectives(const Told& c) {
  core::Table properties({"property", "fitted", "90 % interval", "before", "follows from"});
  for (const auto& p : c.properties) {
    std::vector<std::string> curves;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, p.follows.size()); ++i)
      curves.push_back(fmt::format("{} ({:.0f} %)", p.follows[i].first, 100 * p.follows[i].second));
    properties.add({p.property, value_text(p, p.value),
                    fmt::format("{} to {}", value_text(p, p.interval.low), value_text(p, p.interval.high)),
                    p.before ? value_text(p, *p.before) : "no limit", core::join(curves)});
  }
  print(properties.text());
  std::vector<double> all, errors;
  std::map<std::string, std::vector<double>> curves;
  for (const auto& time : c.times) {
    all.push_back(time.ratio());
    errors.push_back(std::exp(std::abs(std::log(time.ratio()))) - 1);
    curves[time.time.curve()].push_back(time.ratio());
  }
  print(fmt::format(
      "\n{} times, of which half are off by {:.1f} % or less; simulated over measured, 5 to 95 % of them: {}\n",
      all.size(), 100 * quantile(errors, 0.5), range_text(all)));
  core::Table table({"collective", "times", "simulated over measured, median", "5 to 95 %"});
  for (const auto& [name, ratios] : curves)
    table.add({name, std::to_string(ratios.size()), fmt::format("{:.2f}", quantile(ratios, 0.5)), range_text(ratios)});
  print("\n" + table.text());
  for (const auto& [rule, count] : c.left_out)
    print(fmt::format("\nThe rule {} left out {} time{}.\n", rule, count, count == 1 ? "" : "s"));
}

const core::Object<FittedProperty> fitted_property_object{
    "fitted property",
    {{"property", "text", "its name", &FittedProperty::property},
     {"unit", "text", "of the values", [](auto& p) { return platforms::unit_of(p.quantity); }},
     {"value", "number", "the estimate", &FittedProperty::value},
     {"low", "number", "lower end of the 90 % interval", [](auto& p) { return p.interval.low; }},
     {"high", "number", "upper end", [](auto& p) { return p.interval.high; }},
     {"before", "number or null", "what the machine had; null: no limit",
      [](auto& p) { return p.before ? core::Json(*p.before) : core::Json(); }},
     {"follows", "share by name", "how much of what the times say of it each collective says", [](auto& p) {
        auto shares = core::Json::object();
        for (const auto& [curve, share] : p.follows) shares[curve] = share;
        return shares;
      }}}};

const core::Object<FittedTime> fitted_time_object{
    "fitted time",
    {{"shape", "text", "as the table has it", [](auto& t) { return t.time.shape; }},
     {"collective", "text", "that was measured", [](auto& t) { return to_string(t.time.kind); }},
     {"algorithm", "text", "empty: by the rule", [](auto& t) { return t.time.algorithm; }},
     {"bytes", "bytes", "as the table has them", [](auto& t) { return t.time.bytes; }},
     {"measured_s", "seconds", "as measured", [](auto& t) { return t.time.seconds; }},
     {"fitted_s", "seconds", "by the fit", &FittedTime::fitted},
     {"weight", "share", "below 1: it is far off", &FittedTime::weight}}};

const core::Object<Told> collectives_object{
    "collective calibration",
    {core::version_field<Told>(),
     {"properties", "list of fitted property", "the properties that were fitted",
      [](auto& c) { return fitted_property_object.list(c.properties); }},
     {"rounds", "count", "of the fit", &Told::rounds},
     {"left_out", "count by name", "how many times each rule left out",
      [](auto& c) {
        auto rules = core::Json::object();
        for (const auto& [rule, count] : c.left_out) rules[rule] = count;
        return rules;
      }},
     {"times", "list of fitted time", "every time beside the fit",
      [](auto& c) { return fitted_time_object.list(c.times); }},
     core::field<Told>(core::manifest_text, [](auto&) {
       return core::Json{{"version", version}, {"inputs", inputs_json()}};
     })}};

/// NAME=PLATFORM, and @MAPPER behind it.
study::MeasuredShape shape_of(const std::string& text, const CollectivesOptions& o) {
  const auto equals = text.find('='), at = text.rfind('@');
  if (equals == std::string::npos || equals == 0)
    core::fail_input("--shape: found '{}', expected NAME=PLATFORM or NAME=PLATFORM@MAPPER", core::excerpt(text));
  const auto platform = text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1);
  return {text.substr(0, equals), o.what_if.apply(platform),
          at == std::string::npos ? o.map : mapping::MapperChoice(std::string_view(text).substr(at + 1))};
}

void calibrate_collectives(const CollectivesOptions& o) {
  Told result;
  platforms::Description machine;
  Outputs outputs;
  outputs.add(o.output, [&] {
    std::vector<platforms::PropertyInterval> intervals;
    for (const auto& p : result.properties)
      intervals.push_back({p.property, p.quantity, p.interval.low, p.interval.high, p.value});
    return platforms::xml_text(machine, intervals);
  });
  outputs.add(o.json, [&] { return core::json_text(collectives_object(result), 1) + "\n"; });
  outputs.add(o.csv, [&] { return core::csv_of(fitted_time_object.list(result.times)); });
  const auto platform = o.what_if.apply(o.platform);
  study::CollectiveCalibrationRequest request{{}, o.fit, o.replay.options(), o.engine, o.workers};
  request.shapes.push_back({"", platform, o.map});
  for (const auto& text : o.shapes) request.shapes.push_back(shape_of(text, o));
  std::map<std::string, std::size_t> nodes;
  for (const auto& shape : request.shapes)
    if (!nodes.emplace(shape.name, mapping::all_nodes(platforms::Machine(shape.platform.describe())).size()).second)
      core::fail_input("--shape: found '{}' twice", core::excerpt(shape.name));
  std::vector<study::TimesLeftOut> rules;
  for (const auto& text : o.without) rules.emplace_back(text);
  std::vector<study::CollectiveTime> times;
  for (const auto& argument : o.data) {
    const auto more = study::read_collective_times(argument, rules, nodes);
    times.insert(times.end(), more.all.begin(), more.all.end());
    for (std::size_t i = 0; i < more.left_out.size(); ++i) {
      if (i == result.left_out.size()) result.left_out.emplace_back(more.left_out[i].first, 0);
      result.left_out[i].second += more.left_out[i].second;
    }
  }
  static_cast<CollectiveCalibration&>(result) = study::calibrate_collectives(request, times);
  machine = platforms::MachineSource(platform).describe();
  for (const auto& p : result.properties) {
    platforms::set_property(machine, p.property, p.text(p.value));
    machine.provenance.sources[p.property] = platforms::Source::measured;
  }
  if (!o.name.empty()) machine.name = o.name;
  outputs.write();
  if (!outputs.to_stdout()) print_collectives(result);
}

Options collectives_options(CollectivesOptions& o) {
  return {
      platform_argument(o.platform),
      {"DATA", o.data, required,
       "measured times: a table with the columns collective, bytes and one of s, ms, us, ns, and shape, algorithm and "
       "ranks where times differ in them; or what a benchmark of OSU or IMB prints, with @ALGORITHM behind its name"},
      {"--fit", o.fit, common,
       "properties that are fitted: overhead, base-latency, latency, handshake, bandwidth, ..."},
      {"--shape", o.shapes, common,
       "machines of times that have a shape, and where ranks are there: 4x4x4=torus:4x4x4, 8x8=mesh:8x8@nodes.txt"},
      {"--map", o.map, common, "mapper, or a file with the node of each rank, where no shape says another"},
      {"--without", o.without, common, "times that are left out, by rules: algorithm=bruck, bytes>64MiB"},
      {"--engine", o.engine, common, "what simulates the collectives"},
      replay_options(o.replay),
      workers_option(o.workers, "worker processes (default: as many as there are cores)"),
      {"-o,--output", o.output, common, output_file(),
       "write the fitted machine, with the intervals of its values, as a platform file (- for standard output)"},
      {"--name", o.name, "name of the machine in that file (default: its old one)"},
      {"--json", o.json, common, output_file(), "write values, intervals and times as JSON (- for standard output)"},
      {"--csv", o.csv, common, output_file(), "write a line for each time beside the fit as CSV"},
      machine_options(o.what_if),
  };
}

}  // namespace

std::vector<core::ObjectText> collective_calibration_objects() {
  return {collectives_object, fitted_property_object, fitted_time_object};
}

void add_calibrate_collectives(CLI::App& calibrate) {
  add_command<CollectivesOptions>(calibrate, "collectives",
                                  "fit properties of a machine to measured times of collectives, by simulation",
                                  collectives_options, calibrate_collectives);
}

}  // namespace toroid::cli
