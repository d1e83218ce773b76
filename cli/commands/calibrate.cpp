#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "core/csv.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "platforms/xml.hpp"
#include "study/calibration/calibration.hpp"
#include "study/calibration/program_calibration.hpp"

namespace toroid::cli {
namespace {

using study::Calibration;
using study::ProgramCalibration;
using study::Residual;

struct CalibrateOptions {
  std::string platform, output, name, json, csv;
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

const core::Object<Residual> measurement_object{
    "measurement",
    {{"from", "count", "node", [](auto& d) { return d.measurement.from; }},
     {"to", "count", "node", [](auto& d) { return d.measurement.to; }},
     {"hops", "count", "between them", &Residual::hops},
     {"bytes", "bytes", "of the message", [](auto& d) { return d.measurement.bytes; }},
     {"measured_s", "seconds", "as measured", [](auto& d) { return d.measurement.seconds; }},
     {"fitted_s", "seconds", "by the fit", &Residual::fitted},
     {"deviation", "number", "measured over fitted, minus 1", &Residual::relative}}};

core::Json finite(double number) {
  return std::isfinite(number) ? core::Json(number) : core::Json();
}

const core::Object<study::Coefficient> estimate_object{
    "estimate",
    {{"value", "number", "the estimate", &study::Coefficient::value},
     {"low", "number or null", "end of the 95 % confidence interval; null: open",
      [](auto& c) { return finite(c.interval.low); }},
     {"high", "number or null", "upper end; null: open", [](auto& c) { return finite(c.interval.high); }}}};

const core::Object<study::Fitted> fitted_object{
    "fitted",
    {{"property", "text", "its name", &study::Fitted::property},
     {"unit", "text", "B/s or s", [](auto& f) { return f.is_bandwidth ? "B/s" : "s"; }},
     {"...", "fields of estimate", "what it was fitted to", [](auto& f) { return estimate_object(f.value); }},
     {"before", "number or null", "what the machine had", &study::Fitted::before}}};

const core::Object<Calibration> calibration_object{
    "calibration",
    {core::version_field<Calibration>(),
     {"properties", "list of fitted", "the properties that were fitted",
      [](auto& c) { return fitted_object.list(c.properties); }},
     {"largest_eager_bytes", "bytes or null", "sent eagerly; null if the fit finds no such step",
      [](auto& c) { return c.handshake ? core::Json(c.handshake->without) : core::Json(); }},
     {"handshake_s", "estimate or null", "what larger messages take more",
      [](auto& c) { return c.handshake ? estimate_object(c.handshake->seconds) : core::Json(); }},
     {"mean_deviation", "share", "of measurements from the fit, without signs", &Calibration::mean_deviation},
     {"worst_deviation", "number", "the largest of them, with its sign", [](auto& c) { return c.worst().relative(); }},
     {"notes", "list of text", "what the measurements cannot tell", &Calibration::notes},
     {"measurements", "list of measurement", "every measurement beside the fit",
      [](auto& c) { return measurement_object.list(c.deviations); }},
     core::field<Calibration>(core::manifest_text, [](auto&) {
       return core::Json{{"version", version}, {"inputs", inputs_json()}};
     })}};

void calibrate(const CalibrateOptions& o) {
  for (const auto& [name, is_given] : {std::pair("PLATFORM", !o.platform.empty()), {"DATA", !o.data.empty()}})
    if (!is_given) core::fail_input("{} is required (see --help)", name);
  const auto machine = platforms::make_machine(o.what_if.apply(o.platform));
  Calibration result;
  Outputs outputs;
  outputs.add(o.output, [&] { return platforms::xml_text(result.machine, result.intervals()); });
  outputs.add(o.json, [&] { return core::json_text(calibration_object(result), 1) + "\n"; });
  outputs.add(o.csv, [&] { return core::csv_of(measurement_object.list(result.deviations)); });
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

// toroid calibrate program

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

void print_program(const ProgramCalibration& c) {
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

struct ToldPlaces {
  std::string keys;
  double mean, fitted_mean;
};

const core::Object<ToldPlaces> places_object{
    "fitted places",
    {{"keys", "text", "that have work there", &ToldPlaces::keys},
     {"mean_flops", "number", "that a rank computes there, on average", &ToldPlaces::mean},
     {"fitted_mean_flops", "number", "by the fit, without imbalance and noise", &ToldPlaces::fitted_mean}}};

const core::Object<study::CaptureFit> capture_object{
    "fitted capture",
    {{"capture", "text", "as it was given", &study::CaptureFit::name},
     {"program", "text", "the run, by the generator with the fitted values", &study::CaptureFit::spec},
     {"ranks", "count", "of the run", &study::CaptureFit::ranks},
     {"mean_flops", "number", "that a rank computes, on average", &study::CaptureFit::mean},
     {"fitted_mean_flops", "number", "the same by the generator", &study::CaptureFit::fitted_mean},
     {"greatest_flops", "number", "of the rank that computes most", &study::CaptureFit::greatest},
     {"fitted_greatest_flops", "number", "the same by the generator", &study::CaptureFit::fitted_greatest},
     {"places", "list of fitted places", "by the keys that have work there", [](auto& fit) {
        core::Json all = core::Json::array();
        for (const auto& [keys, flops] : fit.places) all.push_back(places_object({keys, flops.first, flops.second}));
        return all;
      }}}};

const core::Object<study::FittedKey> key_object{
    "fitted key",
    {{"key", "text", "its name", &study::FittedKey::key},
     {"flops", "number", "for a unit of its work", [](auto& k) { return k.flops.value; }},
     {"low", "number", "lower end of the 95 % confidence interval", [](auto& k) { return k.flops.interval.low; }},
     {"high", "number", "upper end", [](auto& k) { return k.flops.interval.high; }},
     {"unless_given", "text", "what the generator takes without the key", &study::FittedKey::unless_given}}};

struct ToldProgram : ProgramCalibration {
  core::Json manifest;
};

const core::Object<ToldProgram> program_object{
    "program calibration",
    {core::version_field<ToldProgram>(),
     {"program", "text", "the generator with the given and the fitted values", &ToldProgram::spec},
     {"keys", "list of fitted key", "the keys that were fitted", [](auto& c) { return key_object.list(c.keys); }},
     {"imbalance", "number or null",
      "standard deviation over ranks of measured over fitted computation; null: no such key, or it was given",
      &ToldProgram::imbalance},
     {"noise", "number or null",
      "variance over mean, in flops, of what a rank computes at a place, from iteration to iteration, without what all "
      "ranks have in common; null: as imbalance, or fewer than three iterations",
      &ToldProgram::noise},
     {"jitter", "number or null",
      "standard deviation over mean of that, beside noise: m flops have a variance of noise m + (jitter m)^2",
      &ToldProgram::jitter},
     {"captures", "list of fitted capture", "the captured runs beside the fit",
      [](auto& c) { return capture_object.list(c.captures); }},
     {"notes", "list of text", "what the captures cannot tell", &ToldProgram::notes},
     core::field<ToldProgram>(core::manifest_text, [](auto& c) { return c.manifest; })}};

void calibrate_program(const ProgramOptions& o) {
  ProgramCalibration result;
  Outputs outputs;
  outputs.add(o.json, [&] {
    const core::Json manifest{{"version", version},
                              {"command", "calibrate program"},
                              {"program", o.program},
                              {"from", o.captures},
                              {"inputs", inputs_json()}};
    return core::json_text(program_object({result, manifest}), 1) + "\n";
  });
  std::vector<study::Capture> captures;
  for (const auto& text : o.captures) captures.push_back(study::read_capture(text));
  result = study::calibrate_program(o.program, captures);
  outputs.write();
  if (!outputs.to_stdout()) print_program(result);
}

Options calibrate_options(CalibrateOptions& o) {
  auto platform = platform_argument(o.platform);
  platform.is_required = false;  // nor are the data: neither stands beside the subcommand, so the action asks for them
  return {
      std::move(platform),
      {"DATA", o.data,
       "measured times of messages that were alone: a table with the columns from, to, bytes and one of s, ms, us, ns; "
       "or FILE@FROM,TO, what osu_latency or PingPong of IMB prints for these two nodes"},
      {"--keep", o.keep, like({"base-latency", "latency", "bandwidth"}),
       "properties that are not fitted: base-latency, latency, bandwidth"},
      {"-o,--output", o.output, output_file(),
       "write the fitted machine, with the intervals of its values, as a platform file (- for standard output)"},
      {"--name", o.name, "name of the machine in that file (default: its old one)"},
      {"--json", o.json, output_file(), "write values, intervals and deviations as JSON (- for standard output)"},
      {"--csv", o.csv, output_file(), "write a line for each measurement with its deviation as CSV"},
      machine_options(o.what_if),
  };
}

Options calibrate_program_options(ProgramOptions& o) {
  return {
      {"PROGRAM", o.program, trace_name(), required,
       "a generator, such as cg, with those keys of computation that are known and shall stay: cg:exchange=0f"},
      {"--from", o.captures, required,
       "captured runs, each with the keys of the generator that make it the same run: a.trace@class=A b.trace@class=W; "
       "the number of ranks is the capture's"},
      {"--json", o.json, output_file(), "write values, intervals and deviations as JSON (- for standard output)"},
  };
}

}  // namespace

std::vector<core::ObjectText> calibration_objects() {
  return {calibration_object, fitted_object, program_object,  key_object,
          capture_object,     places_object, estimate_object, measurement_object};
}

void add_calibrate(CLI::App& app) {
  auto& command = add_command<CalibrateOptions>(
      app, "calibrate", "fit latencies and bandwidths of a machine to the times of its ping-pongs", calibrate_options,
      calibrate);
  add_command<ProgramOptions>(command, "program",
                              "fit what a program computes, by phase and point, to captured runs of it",
                              calibrate_program_options, calibrate_program);
  add_calibrate_collectives(command);
}

}  // namespace toroid::cli
