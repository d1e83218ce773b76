// toroid advise with --chips: which slice of which generation of TPUs, and which layout of a training there.

#include "cli/commands/advise.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "study/advice/slice_layouts.hpp"

namespace toroid::cli {
namespace {

using study::SliceAdvice;
using study::SliceLayout;

constexpr std::size_t most_rows = 20;

struct Generation {
  const platforms::SliceFamily& family;
  SliceAdvice advice;
};

const platforms::SliceFamily& family_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& family : platforms::slice_families()) {
    if (family.name == name) return family;
    names.emplace_back(family.name);
  }
  core::fail_input("'{}': expected {} without a shape, as --chips looks for one", core::excerpt(name),
                   core::either(names));
}

double tokens_of_chip(const SliceLayout& one) {
  return one.tokens_per_second() / one.chips;
}

std::string table_of(const std::vector<Generation>& all) {
  std::vector<const SliceLayout*> kept;
  for (const auto& [family, advice] : all)
    for (std::size_t i = 0; i < std::min(advice.kept.size(), most_rows); ++i) kept.push_back(&advice.kept[i]);
  // A layout at a peak that nobody has measured is no match for one at what trainings reach.
  std::ranges::stable_sort(kept, std::greater(),
                           [](auto* one) { return std::pair(one->efficiency.is_measured(), tokens_of_chip(*one)); });
  core::Table table({"slice", "data", "fsdp", "tensor", "sequences", "micro-batches", "memory", "step", "likely",
                     "all hidden", "all exposed", "tokens/s", "a chip", "MFU", "waits for tensor", "fsdp", "data"});
  for (const auto* one : kept) {
    const auto [low, high] = one->interval();
    std::vector<std::string> row{one->machine,
                                 std::to_string(one->data),
                                 std::to_string(one->fsdp),
                                 std::to_string(one->tensor),
                                 std::to_string(one->group_batch),
                                 std::to_string(one->micro_batches),
                                 core::format_bytes(one->work.memory.total()),
                                 core::format_duration(one->step()),
                                 fmt::format("{} to {}", core::format_duration(low), core::format_duration(high)),
                                 core::format_duration(one->hidden()),
                                 core::format_duration(one->exposed()),
                                 fmt::format("{:.0f}", one->tokens_per_second()),
                                 fmt::format("{:.0f}", tokens_of_chip(*one)),
                                 fmt::format("{:.0f} %", 100 * one->mfu())};
    const auto waits = one->waits();
    for (const auto* purpose : {"tensor", "fsdp", "data"}) {
      const auto found = waits.find(purpose);
      row.push_back(found == waits.end() ? "-" : core::format_duration(found->second));
    }
    table.add(row);
  }
  return table.text();
}

std::string too_large_in_words(const SliceAdvice& advice) {
  const auto& least = advice.too_large.front();
  const bool recomputes = core::Spec::parse(least.program).find("recompute") == "full";
  return fmt::format("the least takes {} of {}, one sequence at a time; {}",
                     core::format_bytes(least.work.memory.total()), core::format_bytes(least.memory),
                     recomputes ? "what trainings keep on the host is not modelled" : "recompute=full takes less");
}

/// What is known of the layouts of a generation, of which nothing says which is best.
std::string said_of(const Generation& one) {
  const auto& [family, advice] = one;
  std::string said;
  const auto add = [&](std::string_view label, std::string_view text) { said += advice_line(label, text); };
  if (advice.kept.empty()) {
    add("advice", fmt::format("{}: no layout fits into memory: {}", family.name, too_large_in_words(advice)));
    return said;
  }
  const auto& first = advice.kept.front();
  add("advice", advice.kept.size() == 1
                    ? fmt::format("{}: {}", first.machine,
                                  advice.losers > 0 ? "the others are slower, with all messages hidden and with none"
                                  : advice.too_large.empty() ? "no other layout of whole axes divides the batch"
                                                             : "no other layout fits")
                    : fmt::format("{}: {} layouts are ties: none is more than {:.0f} % slower than another both with "
                                  "all messages hidden and with none",
                                  family.name, advice.kept.size(), 100 * study::tie));
  if (advice.kept.size() > most_rows)
    add("", fmt::format("the {} with the shortest steps are shown; --json has all", most_rows));
  add("next", fmt::format("toroid map {} --mesh data={},fsdp={},tensor={} --map jax --format jax -o devices.json",
                          first.machine, first.data, first.fsdp, first.tensor));
  const bool has_overlap = core::Spec::parse(first.program).find("overlap").has_value();
  add("", fmt::format("toroid simulate {} {}{} --map jax:mesh={}x{}x{} --compute trace --engine fluid", first.machine,
                      first.program, has_overlap ? "" : ",overlap=gathers", first.data, first.fsdp, first.tensor));
  add("left out",
      fmt::format("slower at both bounds: {}; too large for the memory: {}{}", advice.losers, advice.too_large.size(),
                  advice.too_large.empty() ? std::string() : ", of which " + too_large_in_words(advice)));
  const auto& e = family.efficiency;
  add("computation", e.is_measured()
                         ? fmt::format("at {:.0f} % of the peak of {}; all hidden at {:.0f} %, all exposed at {:.0f} "
                                       "%, which fit measured trainings if they hid all messages, or none",
                                       100 * e.best, core::exact_speed(first.peak), 100 * e.hidden, 100 * e.exposed)
                         : fmt::format("at the peak of {}, which no program reaches: nobody has measured a training",
                                       core::exact_speed(first.peak)));
  if (first.work.attention != "causal")
    add("", "attention counted in full: attention=causal counts the half that language models use");
  if (advice.rate > 0)
    add("",
        fmt::format("matmul-rate={}, which measured trainings reached, instead of the one that is given", advice.rate));
  return said;
}

/// How many chips of the first generation a chip of another one is worth. Both ends are those of intervals.
std::string worth(const Generation& first, const Generation& other) {
  if (first.advice.kept.empty() || other.advice.kept.empty()) return {};
  for (const auto* one : {&first, &other})
    if (!one->family.efficiency.is_measured())
      return advice_line("chips",
                         fmt::format("{} and {} are not compared: nobody has measured what a chip of {} reaches",
                                     first.family.name, other.family.name, one->family.name));
  const auto &a = first.advice.kept.front(), &b = other.advice.kept.front();
  const auto [a_low, a_high] = a.interval();
  const auto [b_low, b_high] = b.interval();
  const double ratio = a.step() * a.chips / (b.step() * b.chips) * b.work.tokens / a.work.tokens;
  return advice_line(
      "chips", fmt::format("a chip of {} does the work of {:.2f} of {}, {:.2f} to {:.2f}: take it where "
                           "it costs less than that many",
                           other.family.name, ratio, first.family.name, ratio * a_low / a.step() * b.step() / b_high,
                           ratio * a_high / a.step() * b.step() / b_low));
}

}  // namespace

void advise_on_chips(const AdviseOptions& o) {
  if (!o.batch) core::fail_input("--chips: expected --batch, the sequences of a step, too");
  std::vector<std::string> platforms{o.platform};
  platforms.insert(platforms.end(), o.subjects.begin(), o.subjects.end() - 1);
  const auto chips = static_cast<std::int32_t>(*o.chips), batch = static_cast<std::int32_t>(*o.batch);
  std::vector<Generation> all;
  for (const auto& name : platforms) {
    const auto& family = family_of(name);
    if (std::ranges::any_of(all, [&](const auto& one) { return &one.family == &family; }))
      core::fail_input("'{}' is given twice", name);
    all.push_back({family, study::advise_on_slices({family, chips, batch, o.subjects.back()})});
  }
  std::vector<SliceAdvice> advice;
  for (const auto& one : all) advice.push_back(one.advice);
  auto json = study::slice_advice_json(advice);
  json["schema_version"] = core::schema_version;
  json["manifest"] = {{"toroid", version},      {"command", "advise"},        {"arguments", o.arguments},
                      {"platforms", platforms}, {"trace", o.subjects.back()}, {"inputs", inputs_json()}};
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  outputs.write();
  if (outputs.to_stdout()) return;
  if (std::ranges::all_of(advice, [](const auto& one) { return one.kept.empty(); }))
    throw core::SimulationError("no layout fits into memory: " + too_large_in_words(advice.front()));
  std::string said;
  for (const auto& one : all) said += said_of(one);
  for (std::size_t i = 1; i < all.size(); ++i) said += worth(all.front(), all[i]);
  said += advice_line("times", fmt::format("by closed formulas: rings along whole axes. {} chips{}: what a chip costs, "
                                           "you know",
                                           chips, all.size() > 1 ? " of each generation" : ""));
  print(said + "\n" + table_of(all));
}

}  // namespace toroid::cli
