#include <fmt/format.h>

#include <cmath>

#include "cli/commands.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/version.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "study/calibration/program_calibration.hpp"

namespace toroid::cli {
namespace {

using study::ProgramCalibration;

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
