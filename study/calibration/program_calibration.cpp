#include "study/calibration/program_calibration.hpp"

#include <cmath>

#include "core/units.hpp"
#include "study/calibration/captured_run.hpp"
#include "workloads/amounts.hpp"

namespace toroid::study {

Capture read_capture(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos || text.find('/', at) != std::string::npos)  // a folder's name has that @
    return {text, workloads::TraceSource(text), {}};
  return {text, workloads::TraceSource(text.substr(0, at)), text.substr(at + 1)};
}

namespace {

using workloads::Computation;
using workloads::Trace;

/// The columns `used` of a row.
std::vector<double> some(const std::vector<double>& row, const std::vector<std::size_t>& used) {
  std::vector<double> found;
  for (const auto k : used) found.push_back(row[k]);
  return found;
}

class ProgramFitter {
 public:
  ProgramFitter(const std::string& program, std::span<const Capture> captures)
      : program_(core::Spec::parse(program)), keys_(fitted_keys()) {
    if (captures.empty()) core::fail_input("no capture; expected --from FILE");
    for (const auto& capture : captures) runs_.push_back(std::make_unique<CapturedRun>(program_, capture, keys_));
    refuse_mixture();
    for (const auto& run : runs_) add_rows(*run);
  }

  ProgramCalibration run() {
    std::vector<std::size_t> used(keys_.size());
    std::iota(used.begin(), used.end(), std::size_t{0});
    refuse_without_work();
    auto fit = least_squares(rows_, measured_, weights_);
    refuse_alike(fit);
    ProgramCalibration result;
    // Values below 0 are 0, the least one first, and the others are fitted again.
    while (true) {
      const auto least =
          std::ranges::min_element(fit.coefficients, [](const auto& a, const auto& b) { return a.value < b.value; });
      if (least->value >= 0) break;
      const auto at = static_cast<std::size_t>(least - fit.coefficients.begin());
      result.notes.push_back(
          fmt::format("{} would be below 0 by these captures, and is 0: something in it goes up with "
                      "the work less than the generator says",
                      keys_[used[at]]));
      used.erase(used.begin() + static_cast<std::ptrdiff_t>(at));
      if (used.empty()) core::fail_input("no key of {} has a value above 0 by these captures", program_.name());
      std::vector<std::vector<double>> rows;
      for (const auto& row : rows_) rows.push_back(some(row, used));
      fit = least_squares(rows, measured_, weights_);
    }
    describe(fit, used, result);
    return result;
  }

 private:
  std::vector<std::string> fitted_keys() const {
    std::vector<std::string> keys;
    const auto all = workloads::computation_keys(workloads::generators().find(program_));
    if (all.empty()) core::fail_input("{} has no key that says how much it computes", program_.name());
    for (const auto& key : all)
      if (!program_.find(key.name)) keys.emplace_back(key.name);
    if (keys.empty())
      core::fail_input("'{}' gives every key that says how much it computes; expected one to be fitted",
                       core::excerpt(program_.text()));
    return keys;
  }

  /// Nanoseconds and instructions cannot be fitted together. Forms that do not tell are taken for nanoseconds.
  void refuse_mixture() const {
    const auto counted = [](const std::unique_ptr<CapturedRun>& run) {
      return run->trace().computation() == Computation::counted;
    };
    for (const auto& run : runs_)
      if (counted(run) != counted(runs_.front()))
        core::fail_input("{} has computations in {}, {} in {}; expected captures of one kind",
                         runs_.front()->capture().name, counted(runs_.front()) ? "instructions" : "nanoseconds",
                         run->capture().name, counted(run) ? "instructions" : "nanoseconds");
  }

  void add_rows(const CapturedRun& run) {
    const double weight = 1 / (run.mean() * run.mean() * run.trace().ranks());
    for (const auto& rank : run.by_rank())
      for (const auto& [work, place] : rank) {
        rows_.push_back(work);
        for (auto& w : rows_.back()) w *= place.count;
        measured_.push_back(place.flops);
        weights_.push_back(weight);
      }
  }

  void refuse_without_work() const {
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (std::ranges::all_of(rows_, [&](const auto& row) { return row[k] == 0; }))
        core::fail_input("the captured runs have no work of {}; expected another run, or a value: {}:{}=0f", keys_[k],
                         program_.name(), keys_[k]);
    if (rows_.size() <= keys_.size())
      core::fail_input("the captures have {} places that differ, for {} keys; expected another capture", rows_.size(),
                       keys_.size());
  }

  /// Key `k` and those whose work always comes with that of `k`, in fixed proportions; in the program's order, as
  /// rounding decides which of them a fit loses.
  std::vector<std::string> alike(std::size_t k, const std::vector<std::size_t>& lost) const {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < keys_.size(); ++other)
      if (std::ranges::find(lost, other) == lost.end()) others.push_back(other);
    std::vector<std::vector<double>> rows;
    std::vector<double> y;
    for (const auto& row : rows_) {
      rows.push_back(some(row, others));
      y.push_back(row[k]);
    }
    const auto fit = least_squares(rows, y, weights_);
    std::vector<std::size_t> found{k};
    for (std::size_t i = 0; i < fit.coefficients.size(); ++i) {
      double part = 0, whole = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        part = std::max(part, std::abs(fit.coefficients[i].value * rows[r][i]));
        whole = std::max(whole, y[r]);
      }
      if (part > 1e-6 * whole) found.push_back(others[i]);
    }
    if (found.size() == 1) found.push_back(k == 0 ? 1 : 0);
    std::ranges::sort(found);
    std::vector<std::string> names;
    for (const auto key : found) names.push_back(keys_[key]);
    return names;
  }

  void refuse_alike(const Regression& fit) const {
    if (fit.lost.empty()) return;
    auto others = alike(fit.lost.front(), fit.lost);
    const auto first = others.front();
    others.erase(others.begin());
    core::fail_input(
        "{} cannot tell {} from {}: their work is in the same proportion everywhere; expected one more capture, of "
        "another class, size or number of ranks, or a value for one of them: {}:{}=0f",
        runs_.size() == 1 ? "one capture" : "these captures", first, core::join(others), program_.name(), first);
  }

  /// Four digits say more than any capture.
  static double rounded(double flops) { return std::stod(fmt::format("{:.4g}", flops)); }

  void describe(const Regression& fit, const std::vector<std::size_t>& used, ProgramCalibration& result) const {
    std::vector<double> values(keys_.size(), 0.0);
    std::vector<Coefficient> coefficients(keys_.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
      coefficients[used[i]] = fit.coefficients[i];
      values[used[i]] = rounded(fit.coefficients[i].value);
    }
    Keys keys;
    const auto parameters = workloads::computation_keys(workloads::generators().find(program_));
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const auto parameter = std::ranges::find_if(parameters, [&](const auto& p) { return p.name == keys_[k]; });
      result.keys.push_back({keys_[k], coefficients[k], parameter->fallback});
      keys.emplace_back(keys_[k], core::exact_speed(values[k]));
    }
    if (may_add("imbalance")) result.imbalance = imbalance(values);
    if (may_add("noise") && may_add("jitter")) fit_noise(result);
    if (result.imbalance) keys.emplace_back("imbalance", fmt::format("{:.2g}", *result.imbalance));
    if (result.noise) keys.emplace_back("noise", core::exact_speed(std::stod(fmt::format("{:.2g}", *result.noise))));
    if (result.jitter) keys.emplace_back("jitter", fmt::format("{:.2g}", *result.jitter));
    auto all = program_.parameters();
    all.insert(all.end(), keys.begin(), keys.end());
    result.spec = spec_text(program_.name(), all);
    for (const auto& run : runs_) result.captures.push_back(fit_of(*run, values, keys));
  }

  /// Whether the generator takes the key, and the user has not given it.
  bool may_add(std::string_view key) const {
    const auto& parameters = workloads::generators().find(program_).parameters;
    return !program_.find(key) && std::ranges::any_of(parameters, [&](const auto& p) { return p.name == key; });
  }

  /// Standard deviation over ranks of measured over fitted computation; each capture about its own mean.
  double imbalance(const std::vector<double>& values) const {
    double squares = 0;
    for (const auto& run : runs_) {
      std::vector<double> ratios;
      for (const auto& rank : run->by_rank()) {
        double measured = 0, fitted = 0;
        for (const auto& [work, place] : rank) {
          measured += place.flops;
          fitted += place.count * std::inner_product(work.begin(), work.end(), values.begin(), 0.0);
        }
        if (fitted > 0) ratios.push_back(measured / fitted);
      }
      const double n = static_cast<double>(ratios.size()),
                   mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / n;
      for (const auto ratio : ratios) squares += std::pow(ratio / mean - 1, 2) / n;
    }
    return std::sqrt(squares / static_cast<double>(runs_.size()));
  }

  void fit_noise(ProgramCalibration& result) const {
    std::vector<std::vector<NoiseAtPlace>> places;
    for (const auto& run : runs_) places.push_back(run->noise());
    const auto fit = fit_scatter_over_time(places);
    if (!fit) return;
    result.noise = fit->noise;
    result.jitter = fit->jitter;
  }

  CaptureFit fit_of(const CapturedRun& run, const std::vector<double>& values, const Keys& keys) const {
    CaptureFit fit;
    fit.name = run.capture().name;
    fit.spec = run.spec(keys);
    fit.ranks = run.trace().ranks();
    for (const auto& rank : run.by_rank())
      for (const auto& [work, place] : rank) {
        auto& [measured, fitted] = fit.places[names(work)];
        measured += place.flops / fit.ranks;
        fitted += place.count * std::inner_product(work.begin(), work.end(), values.begin(), 0.0) / fit.ranks;
      }
    summarize(run.trace(), fit.mean, fit.greatest);
    summarize(*workloads::open_trace(fit.spec), fit.fitted_mean, fit.fitted_greatest);
    return fit;
  }

  /// What the ranks compute on average, and the one that computes most.
  static void summarize(const Trace& trace, double& mean, double& greatest) {
    for (const auto& rank : workloads::computation_by_rank(trace)) {
      mean += rank.amount / trace.ranks();
      greatest = std::max(greatest, rank.amount);
    }
  }

  /// The keys that have work at a place: `nonzero + piece`.
  std::string names(const std::vector<double>& work) const {
    std::vector<std::string> found;
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (work[k] != 0) found.push_back(keys_[k]);
    return fmt::format("{}", fmt::join(found, " + "));
  }

  core::Spec program_;
  std::vector<std::string> keys_;
  std::vector<std::unique_ptr<CapturedRun>> runs_;
  std::vector<std::vector<double>> rows_;  ///< work of each key, of one rank at like places
  std::vector<double> measured_, weights_;
};

}  // namespace

ProgramCalibration calibrate_program(const std::string& program, std::span<const Capture> captures) {
  return ProgramFitter(program, captures).run();
}

}  // namespace toroid::study
