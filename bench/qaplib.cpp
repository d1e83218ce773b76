// The search of the mapper `tabu` on instances of QAPLIB: how far above the best known value it is after given times
// on one core.
//
//   qaplib FOLDER [INSTANCE ...] [--seconds 1 10] [--seeds 3]
//
// FOLDER holds NAME.dat (size, two matrices) and bkv.csv (columns instance, n, bkv), and may hold bkv_extra.csv with
// instances from elsewhere, such as Drezner's. Without instances: all of both.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "bench/measure.hpp"
#include "core/file.hpp"
#include "core/table.hpp"
#include "mapping/search/tabu_search.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"

namespace {

using namespace toroid;

std::vector<double> numbers(const std::string& path) {
  std::vector<double> all;
  core::LineReader reader(path);
  while (const auto line = reader.next()) {
    std::string text(*line);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == ',' || c == '\r'; }, ' ');
    for (const auto part : core::split(text, ' ')) {
      if (part.empty()) continue;
      const auto number = core::parse_number<double>(part);
      if (!number) core::fail_input_at(path, reader.line(), "found '{}', expected a number", part);
      all.push_back(*number);
    }
  }
  return all;
}

mapping::Qap read_instance(const std::string& path) {
  const auto all = numbers(path);
  const auto n = all.empty() ? 0 : static_cast<std::size_t>(all[0]);
  if (all.size() != 1 + 2 * n * n)
    core::fail_input("{}: found {} numbers, expected a size n and two matrices of n*n", path, all.size());
  const auto middle = all.begin() + 1 + static_cast<std::ptrdiff_t>(n * n);
  return {n, {all.begin() + 1, middle}, {middle, all.end()}};
}

/// Instances and their best known values, in the order of the file.
std::vector<std::pair<std::string, double>> read_best_known(const std::string& path) {
  std::vector<std::pair<std::string, double>> all;
  core::LineReader reader(path);
  reader.next();
  while (const auto line = reader.next()) {
    const auto parts = core::split(*line, ',');
    const auto value = parts.size() < 3 ? std::nullopt : core::parse_number<double>(parts[2]);
    if (!value) core::fail_input_at(path, reader.line(), "expected instance,n,bkv,...");
    all.emplace_back(parts[0], *value);
  }
  return all;
}

struct Outcome {
  std::vector<double> costs;  ///< lowest at each of the given times
  double found_s = 0;         ///< when the best known value was reached
  double iterations = 0;      ///< per second
};

Outcome search(const mapping::Qap& problem, double best_known, const std::vector<double>& seconds, std::uint64_t seed) {
  constexpr auto endless = std::numeric_limits<std::int64_t>::max();
  Outcome outcome;
  outcome.found_s = std::numeric_limits<double>::infinity();
  const double start = bench::cpu_seconds();
  double last = 0;
  mapping::SearchBudget budget{endless, [&](double least) {
                                 last = bench::cpu_seconds() - start;
                                 while (outcome.costs.size() < seconds.size() && last >= seconds[outcome.costs.size()])
                                   outcome.costs.push_back(least);
                                 if (least <= best_known) outcome.found_s = std::min(outcome.found_s, last);
                                 return least <= best_known || outcome.costs.size() == seconds.size();
                               }};
  core::Random random(seed, "bench/qaplib");
  const auto assignment = mapping::memetic_search(problem, budget, random);
  const double reached = problem.cost(assignment);
  if (reached <= best_known) outcome.found_s = std::min(outcome.found_s, bench::cpu_seconds() - start);
  outcome.costs.resize(seconds.size(), reached);
  outcome.iterations = static_cast<double>(endless - budget.iterations) / last;
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"quadratic assignment problems of QAPLIB"};
  std::string folder;
  std::vector<std::string> names;
  std::vector<double> seconds{1, 10};
  std::uint64_t seeds = 3;
  app.add_option("folder", folder)->required();
  app.add_option("instances", names);
  app.add_option("--seconds", seconds, "ascending")->capture_default_str();
  app.add_option("--seeds", seeds)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    auto best_known = read_best_known(folder + "/bkv.csv");
    if (const auto extra = folder + "/bkv_extra.csv"; std::filesystem::exists(extra)) {
      const auto more = read_best_known(extra);
      best_known.insert(best_known.end(), more.begin(), more.end());
    }
    for (const auto& name : names)
      if (std::none_of(best_known.begin(), best_known.end(), [&](const auto& known) { return known.first == name; }))
        core::fail_input("'{}': found no such instance in bkv.csv or bkv_extra.csv of {}", name, folder);
    std::vector<std::string> columns{"instance", "best known"};
    for (const double s : seconds) columns.push_back(fmt::format("mean gap % at {} s", s));
    columns.insert(columns.end(), {"worst gap %", "found", "mean s to find", "iterations/s"});
    core::Table table(columns);
    for (const auto& [name, value] : best_known) {
      if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
      const auto problem = read_instance(folder + "/" + name + ".dat");
      std::vector<double> gaps(seconds.size());
      double worst = 0, found_s = 0, iterations = 0;
      std::uint64_t found = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto outcome = search(problem, value, seconds, seed);
        for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] += 100 * (outcome.costs[i] / value - 1);
        worst = std::max(worst, 100 * (outcome.costs.back() / value - 1));
        iterations += outcome.iterations;
        if (outcome.found_s > seconds.back()) continue;
        ++found;
        found_s += outcome.found_s;
      }
      std::vector<std::string> row{name, fmt::format("{}", value)};
      for (const double gap : gaps) row.push_back(fmt::format("{:.3f}", gap / static_cast<double>(seeds)));
      row.push_back(fmt::format("{:.3f}", worst));
      row.push_back(fmt::format("{}/{}", found, seeds));
      row.push_back(found == 0 ? "-" : fmt::format("{:.2f}", found_s / static_cast<double>(found)));
      row.push_back(fmt::format("{:.0f}", iterations / static_cast<double>(seeds)));
      table.add(row);
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "qaplib: {}\n", error.what());
    return 1;
  }
}
