#include "study/calibration/captured_run.hpp"

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

/// The keys, each with its value in flops.
template <class Value>
Keys values(const std::vector<std::string>& keys, Value value) {
  Keys all;
  for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], core::exact_speed(value(k)));
  return all;
}

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
    return std::any_of(keys.begin(), keys.end(), [&](const auto& given) { return given.first == key; });
  };
  const auto& parameters = workloads::generators().entry(core::Spec::parse(name_)).parameters;
  const bool has_ranks =
      std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.name == "ranks"; });
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
    if (std::all_of(work.begin(), work.end(), [](double w) { return w == 0; })) continue;
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
  if (std::all_of(by_rank_.begin(), by_rank_.end(), [](const auto& places) { return places.empty(); }))
    core::fail_input("{} has no work of the keys that are to be fitted ({})", spec, core::join(fitted_));
  core::fail_input("{} has no computation besides what {} says; expected a run that was captured with computation",
                   capture_.name, spec);
}

}  // namespace toroid::study
