#include "study/calibration/captured_run.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "core/units.hpp"
#include "workloads/amounts.hpp"
#include "workloads/diff.hpp"

namespace toroid::study {

using workloads::Rank;
using workloads::Trace;

namespace {

/// Flops of a rank before each of its operations that computes nothing, and after the last.
std::vector<double> computations(const Trace& trace, Rank rank) {
  std::vector<double> all{0};
  const auto stream = trace.open(rank);
  workloads::Operation op;
  while (stream->next(op)) {
    if (op.kind == workloads::OpKind::compute)
      all.back() += op.amount;
    else if (op.kind != workloads::OpKind::sleep)
      all.push_back(0);
  }
  return all;
}

/// The round of each of computations(), counted from 1; 0: it is in none.
std::vector<std::size_t> rounds_of_computations(const Trace& trace, Rank rank) {
  const auto [first, length, count] = trace.rounds(rank);
  std::vector<std::size_t> all;
  const auto stream = trace.open(rank);
  workloads::Operation op;
  for (std::uint64_t at = 0; stream->next(op); ++at) {
    if (op.kind == workloads::OpKind::compute || op.kind == workloads::OpKind::sleep) continue;
    const bool is_in_round = count >= 2 && at >= first && at < first + length * count;
    all.push_back(is_in_round ? (at - first) / length + 1 : 0);
  }
  all.push_back(0);
  return all;
}

template <class Value>
Keys values(const std::vector<std::string>& keys, Value value) {
  Keys all;
  for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], core::exact_speed(value(k)));
  return all;
}

/// The places of all runs, and how well a variance of k (m + r m^2) meets theirs.
class NoiseProfile {
 public:
  explicit NoiseProfile(std::span<const std::vector<NoiseAtPlace>> runs) {
    double counted = 0;
    for (const auto& run : runs) counted += run.empty() ? 0 : 1;
    for (const auto& run : runs) {
      double whole = 0;
      for (const auto& at : run) whole += at.mean * at.samples;
      for (const auto& at : run) places_.push_back({at, at.mean * at.samples / whole / counted});
    }
  }

  std::size_t places() const { return places_.size(); }
  /// The best k where the variance is k times that of a mean.
  template <class Variance>
  double factor(Variance of) const {
    double sum = 0;
    for (const auto& [at, share] : places_) sum += share * at.variance / of(at.mean);
    return sum;
  }
  double noise(double r) const {
    return factor([r](double m) { return m + r * m * m; });
  }
  /// The deviance for that r with its best k, but for a constant.
  double deviance(double r) const {
    double sum = std::log(noise(r));
    for (const auto& [at, share] : places_) sum += share * std::log(at.mean + r * at.mean * at.mean);
    return sum;
  }
  /// Below the first, m^2 counts for nothing at any place; above the second, m does.
  std::pair<double, double> range() const {
    const auto [least, most] =
        std::ranges::minmax_element(places_, [](const auto& a, const auto& b) { return a.at.mean < b.at.mean; });
    return {1e-4 / most->at.mean, 1e4 / least->at.mean};
  }

 private:
  struct Place {
    NoiseAtPlace at;
    double share;  ///< the share of what all runs compute; the shares' sum is 1
  };
  std::vector<Place> places_;
};

}  // namespace

std::string spec_text(const std::string& name, const Keys& keys) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : keys) texts.push_back(key + "=" + value);
  return texts.empty() ? name : fmt::format("{}:{}", name, fmt::join(texts, ","));
}

CapturedRun::CapturedRun(const core::Spec& program, const Capture& capture, const std::vector<std::string>& fitted)
    : capture_(capture), trace_(capture.trace.open()), name_(program.name()), own_(own_keys(program)), fitted_(fitted) {
  const auto generated = generator({});
  check_same(*generated);
  const auto given = generator(values(fitted_, [](std::size_t) { return 0.0; }));
  std::vector<std::unique_ptr<Trace>> units;
  for (std::size_t k = 0; k < fitted_.size(); ++k)
    units.push_back(generator(values(fitted_, [&](std::size_t other) { return other == k ? 1.0 : 0.0; })));
  for (const Rank rank : core::ids<Rank>(trace_->ranks())) collect(rank, *given, units);
  refuse_without_computation();
}

std::string CapturedRun::spec(const Keys& more) const {
  auto all = own_;
  all.insert(all.end(), more.begin(), more.end());
  return spec_text(name_, all);
}

Keys CapturedRun::own_keys(const core::Spec& program) const {
  auto keys = program.parameters();
  if (!capture_.keys.empty()) {
    const auto more = core::Spec::parse(name_ + ":" + capture_.keys).parameters();
    keys.insert(keys.end(), more.begin(), more.end());
  }
  const auto is_given = [&](std::string_view key) {
    return std::ranges::any_of(keys, [&](const auto& given) { return given.first == key; });
  };
  const auto& parameters = workloads::generators().entry(core::Spec::parse(name_)).parameters;
  const bool has_ranks = std::ranges::any_of(parameters, [](const auto& p) { return p.name == "ranks"; });
  if (has_ranks && !is_given("ranks") && !is_given("grid")) keys.emplace_back("ranks", std::to_string(trace_->ranks()));
  return keys;
}

std::unique_ptr<Trace> CapturedRun::generator(const Keys& more) const {
  auto all = own_;
  std::erase_if(all, [](const auto& key) { return key.first == "noise" || key.first == "jitter"; });
  all.insert(all.end(), more.begin(), more.end());
  return workloads::open_trace(spec_text(name_, all));
}

void CapturedRun::check_same(const Trace& generated) const {
  if (generated.ranks() != trace_->ranks())
    core::fail_input(
        "{} has {} ranks, {} has {}; expected the keys of the captured run behind the file: FILE@KEY=VALUE",
        capture_.name, trace_->ranks(), spec({}), generated.ranks());
  const auto differences = workloads::first_differences(*trace_, generated, {});
  if (differences.empty()) return;
  const auto& d = differences.front();
  core::fail_input(
      "{} is not {}: rank {} does '{}' ({}), the generator '{}'; expected the keys of the captured run behind the "
      "file: FILE@KEY=VALUE",
      capture_.name, spec({}), d.rank.value(), d.a.operation, d.a.place.empty() ? "at its end" : d.a.place,
      d.b.operation);
}

/// A place ends where the generator computes next: what was measured since the place before is measured there.
void CapturedRun::collect(Rank rank, const Trace& given, const std::vector<std::unique_ptr<Trace>>& units) {
  const auto measured = computations(*trace_, rank), known = computations(given, rank);
  std::vector<std::vector<double>> of_unit;
  for (const auto& unit : units) {
    of_unit.push_back(computations(*unit, rank));
    for (std::size_t i = 0; i < known.size(); ++i) of_unit.back()[i] -= known[i];
  }
  const auto round = rounds_of_computations(given, rank);
  std::vector<std::vector<double>> by_round;
  std::map<std::vector<double>, Places> places;
  Places* last = nullptr;
  double waiting = 0, whole = 0;  // measured since the last place: without what given keys say, and with that
  std::vector<double> work(units.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    waiting += measured[i] - known[i];
    whole += measured[i];
    for (std::size_t k = 0; k < units.size(); ++k) work[k] = of_unit[k][i];
    if (std::ranges::all_of(work, [](double w) { return w == 0; })) continue;
    last = &places[work];
    ++last->count;
    last->flops += std::exchange(waiting, 0.0);
    const double taken = std::exchange(whole, 0.0);
    if (round[i] > 1) {  // what comes at the end of a round is measured in the next: the first may have no such place
      by_round.resize(std::max(by_round.size(), round[i] - 1));
      by_round[round[i] - 2].push_back(taken);
    }
  }
  if (last != nullptr) last->flops += waiting;
  for (const auto& [key, place] : places) mean_ += place.flops / trace_->ranks();
  by_rank_.push_back(std::move(places));
  noise_.add(by_round);
}

void CapturedRun::refuse_without_computation() const {
  if (mean_ > 0) return;
  const auto spec = spec_text(name_, own_);
  if (std::ranges::all_of(by_rank_, [](const auto& places) { return places.empty(); }))
    core::fail_input("{} has no work of the keys that are to be fitted ({})", spec, core::join(fitted_));
  core::fail_input("{} has no computation besides what {} says; expected a run that was captured with computation",
                   capture_.name, spec);
}

void CapturedNoise::add(const std::vector<std::vector<double>>& rounds) {
  if (rounds.size() < 2 || rounds.front().empty()) return;
  const auto places = rounds.front().size();
  if (std::ranges::any_of(rounds, [&](const auto& round) { return round.size() != places; })) return;
  auto& group = groups_[{rounds.size(), places}];
  group.rounds.resize(rounds.size(), std::vector<Sums>(places));
  ++group.ranks;
  for (std::size_t p = 0; p < places; ++p) {
    double mean = 0;
    for (const auto& round : rounds) mean += round[p] / static_cast<double>(rounds.size());
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      auto& sums = group.rounds[r][p];
      sums.xx += rounds[r][p] * rounds[r][p];
      sums.xm += rounds[r][p] * mean;
      sums.mm += mean * mean;
      sums.m += mean;
    }
  }
}

std::vector<NoiseAtPlace> CapturedNoise::places() const {
  std::vector<NoiseAtPlace> all;
  for (const auto& [shape, group] : groups_) {
    const auto [rounds, places] = shape;
    if (group.ranks < 2) continue;
    for (std::size_t p = 0; p < places; ++p) {
      NoiseAtPlace at{.samples = (group.ranks - 1) * static_cast<double>(rounds - 1)};  // both means were fitted
      for (const auto& round : group.rounds) {
        const auto& [xx, xm, mm, m] = round[p];
        if (m > 0)
          at.variance += std::max(0.0, xx - xm * xm / mm);  // about the factor xm / mm that all ranks have here
        at.mean += m / (group.ranks * static_cast<double>(rounds));
      }
      at.variance /= at.samples;
      if (at.mean > 0) all.push_back(at);
    }
  }
  return all;
}

std::optional<ScatterOverTime> fit_scatter_over_time(std::span<const std::vector<NoiseAtPlace>> runs) {
  const NoiseProfile profile(runs);
  if (profile.places() == 0) return std::nullopt;
  constexpr double least_square = 1e-12;  // below that, differences are of rounding
  const double jitter_alone = profile.factor([](double m) { return m * m; });
  if (jitter_alone < least_square) return ScatterOverTime{};
  const double noise_alone = profile.noise(0);
  if (profile.places() < 3) return ScatterOverTime{noise_alone, 0};

  // There may be more than one dip: the deepest of a grid of logarithms, then between its neighbours.
  constexpr int steps = 200;
  const auto [first, last] = profile.range();
  const double step = std::log(last / first) / steps;
  const auto deviance = [&](double log_r) { return profile.deviance(std::exp(log_r)); };
  int best = 0;
  for (int i = 1; i <= steps; ++i)
    if (deviance(std::log(first) + step * i) < deviance(std::log(first) + step * best)) best = i;
  if (best == 0) return ScatterOverTime{noise_alone, 0};
  if (best == steps) return ScatterOverTime{0, std::sqrt(jitter_alone)};
  const double middle = std::log(first) + step * best;
  const double r = std::exp(boost::math::tools::brent_find_minima(deviance, middle - step, middle + step, 30).first);
  return ScatterOverTime{profile.noise(r), std::sqrt(profile.noise(r) * r)};
}

}  // namespace toroid::study
