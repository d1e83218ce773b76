#include "cli/tables/comparison_tables.hpp"

#include "cli/commands/simulate.hpp"
#include "cli/tables/summary_lines.hpp"

namespace toroid::cli {
namespace {

std::string_view heading(Factor factor, std::string_view machine = "machine") {
  return factor == Factor::platform ? machine : study::key_of(factor);
}

/// The factors that lines begin with, but for one that the things of a row do not have in common. Allocators and
/// algorithms are told where there are several.
std::vector<Factor> factors(const study::ComparisonSpec& s, std::optional<Factor> without = {}) {
  std::vector<Factor> all;
  for (const auto factor : {Factor::platform, Factor::trace, Factor::collectives, Factor::alloc, Factor::map})
    if (factor != without && (factor != Factor::alloc || s.placements.size() > 1) &&
        (factor != Factor::collectives || s.collectives.size() > 1))
      all.push_back(factor);
  return all;
}

std::string percent_or_dash(const std::optional<double>& share, int digits) {
  return share ? core::format_percent(*share, digits) : "-";
}

std::string_view time_in_words(const Compared& c) {
  return c.comparison.is_of_communication() ? "communication time" : "run time";
}

/// Adds `; busy nodes, nodes of random: drawn once, by seed 1, for all runs` where nodes are drawn, and a note on a
/// mapper that keeps to the order in which an allocator has drawn them.
void tell_drawn_nodes(const Compared& c, std::string& note, std::vector<std::string>& notes) {
  const auto& s = c.spec();
  std::set<std::string> lots;
  bool is_order_drawn = false;
  for (const auto& machine : c.comparison.machines())
    for (const auto& placement : s.placements) {
      lots.merge(placement.lots(machine));
      is_order_drawn |= placement.has_drawn_order(machine);
    }
  if (!lots.empty())
    note += fmt::format("; {}: drawn {}", core::join(std::vector<std::string>(lots.begin(), lots.end())),
                        s.placements.size() > 1 ? "anew by the seed of each run, as several allocators are compared"
                                                : fmt::format("once, by seed {}, for all runs", s.seed));
  if (is_order_drawn && std::ranges::any_of(s.maps, [](const auto& map) { return map.name() == "consecutive"; }))
    notes.emplace_back(
        "note: consecutive has the ranks in the order in which the nodes were drawn; what a launcher does "
        "without advice, by the numbers of nodes, is node");
}

ComparisonTable times(const Compared& c) {
  const auto& s = c.spec();
  const auto& groups = c.report.groups;
  const auto unit = time_unit(groups);
  const auto whole = whole_unit(groups);
  const auto titled = [&](const char* what) { return fmt::format("{} [{}]", what, unit.name()); };
  std::vector<std::string> titles{"runs", titled("best"), titled("mean"), titled("std dev"), "mean/best"};
  if (whole) titles.insert(titles.end(), {fmt::format("whole [{}]", whole->name()), "whole/best"});
  if (s.verify) titles.push_back(fmt::format("vs {}", netsim::reference_engine));
  GroupTable table(s, titles);
  for (const auto& group : groups) {
    const auto& times = group.times;
    std::vector<std::string> row{std::to_string(times.size()),
                                 times.empty() ? "-" : unit.format(std::ranges::min(times)), mean_or_dash(group, unit),
                                 times.size() > 1 ? unit.format(study::standard_deviation(times)) : "-",
                                 decimals_or_dash(group.normalized, 3)};
    if (whole) {
      row.push_back(group.with_computation ? whole->format(*group.with_computation) : "-");
      row.push_back(decimals_or_dash(group.whole_normalized, 3));
    }
    if (s.verify) row.push_back(percent_or_dash(group.off_reference, 3));
    table.add(group, row);
  }
  auto note = fmt::format("engine {}", s.engine.text());
  if (s.verify)
    note += fmt::format("; vs {0}: the best run beside the same by {0}, which --no-verify leaves out",
                        netsim::reference_engine);
  if (whole) note += "; whole: the median run again, with the computation that the other times leave out";
  std::vector<std::string> notes{""};
  tell_drawn_nodes(c, note, notes);
  if (const auto tokens = c.comparison.equal_tokens(); tokens && s.subject() == Factor::trace)
    note += fmt::format(
        "; mean/best, verdict and gains are of times for {:.0f} tokens: programs train on different numbers", *tokens);
  if (const auto chips = c.comparison.equal_chips(); chips && s.subject() == Factor::trace)
    note += fmt::format("; mean/best, verdict and gains are of times on {:.0f} chips: slices are not as large", *chips);
  double width = 0;
  for (const auto& group : groups)
    if (group.half_width > 0) width = std::max(width, group.half_width / study::mean(group.times));
  if (width > 0)
    note += fmt::format(
        "; run times are estimates from samples of iterations, means known to {:.2g} % or better (95 %)", 100 * width);
  ComparisonTable told{fmt::format("Predicted {}s", time_in_words(c)), table.table(), notes};
  told.notes.front() = note;
  for (const auto& remark : c.comparison.remarks()) told.notes.push_back("note: " + remark);
  return told;
}

/// `left out`, `included`, `times 0.5`
std::string how_in_words(const netsim::ComputationUse& use) {
  if (use.is_left_out()) return "left out";
  return use.scale == 1 ? "included" : fmt::format("times {}", use.scale);
}

/// What each trace computes on each machine, and what leaving that out hides; nothing where none computes.
void add_computation(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  std::vector<std::string> titles{"machine",      "trace",     "computation", "of the busiest rank",
                                  "of all ranks", "core speed"};
  const bool maps = s.subject() == Factor::map;
  if (maps)
    titles.push_back(fmt::format("a mapping gains of the whole over {}", s.labels.maps[study::map_to_gain_over(s)]));
  core::Table table(titles);
  bool any = false;
  for (std::size_t platform = 0; platform < s.labels.platforms.size(); ++platform)
    for (std::size_t trace = 0; trace < s.traces.size(); ++trace) {
      const auto& use = c.comparison.computation(platform, trace);
      if (use.all_ranks_s == 0) continue;
      any = true;
      std::vector<std::string> row{s.labels.platforms[platform],
                                   s.labels.traces[trace],
                                   how_in_words(use),
                                   core::format_duration(use.busiest_rank_s),
                                   core::format_duration(use.all_ranks_s),
                                   use.core_speed ? core::exact_speed(*use.core_speed) : "as measured"};
      const auto mean = study::mean_to_gain_over(c.comparison, c.report, platform, trace);
      if (maps) row.push_back(use.is_left_out() && mean ? percent(use.gain_at_most(*mean)) + " at most" : "-");
      table.add(row);
    }
  if (!any) return;
  tables.push_back({"Computation", table});
}

/// `96000` and `43.1 %`: the tokens of a second that a group's mean run trains on, and the MFU; dashes where its
/// computation is left out, or no run succeeded.
std::vector<std::string> rate_in_words(const Compared& c, const Group& group) {
  const auto rate = study::training_rate(c.comparison, group);
  if (!rate) return {"-", "-"};
  return {fmt::format("{:.0f}", rate->tokens_per_second), fmt::format("{:.1f} %", 100 * rate->mfu)};
}

/// How fast models are trained, and what ranks wait for meanwhile; nothing where no program tells.
void add_training(const Compared& c, Tables& tables) {
  std::set<std::string> purposes;
  for (const auto& group : c.report.groups)
    for (const auto& [purpose, seconds] : exposed_of(group)) purposes.insert(purpose);
  if (purposes.empty()) return;
  const auto& s = c.spec();
  std::vector<std::string> titles{"tokens", "memory", "tokens/s", s.paired ? "tokens/s a chip" : "tokens/s a rank",
                                  "MFU"};
  for (const auto& purpose : purposes) titles.push_back("wait for " + purpose);
  GroupTable table(s, titles);
  for (const auto& group : c.report.groups) {
    const auto work = c.comparison.trace(group.run.trace).training();
    const auto has = c.comparison.computation(group.run.platform, group.run.trace).memory_of_core();
    const auto needs = work ? work->memory.total() : 0;
    std::vector<std::string> row{work ? fmt::format("{:.0f}", work->tokens) : "-"};
    row.push_back(work ? core::format_bytes(needs) + (has > 0 && needs > has ? ": does not fit" : "") : "-");
    auto words = rate_in_words(c, group);
    const auto rate = study::training_rate(c.comparison, group);
    const double over = s.paired ? c.comparison.chips(group.run) : c.comparison.trace(group.run.trace).ranks();
    words.insert(words.begin() + 1, rate ? fmt::format("{:.1f}", rate->tokens_per_second / over) : "-");
    for (auto& word : words) row.push_back(std::move(word));
    const auto waits = exposed_of(group);
    for (const auto& purpose : purposes) {
      const auto wait = waits.find(purpose);
      row.push_back(wait == waits.end() ? "-" : core::format_duration(wait->second));
    }
    table.add(group, row);
  }
  std::vector<std::string> notes{"wait for: exposed communication, the time that a rank waits for it, on average"};
  if (c.comparison.is_of_communication()) notes.emplace_back("tokens/s and MFU need the computation: --compute trace");
  tables.push_back({"Training", table.table(), notes});
}

/// Adds which layout is best, each with its best mapper; nothing where mappers are not compared, or a program does not
/// train.
void add_layouts(const Compared& c, Tables& tables) {
  if (c.report.layouts.empty()) return;
  std::vector<double> means;
  for (const auto& one : c.report.layouts) means.push_back(one.seconds);
  const core::DurationUnit unit(means);
  const auto tokens = c.comparison.equal_tokens();
  GroupTable table(c.spec(),
                   {fmt::format("mean{} [{}]", tokens ? fmt::format(" for {:.0f} tokens", *tokens) : "", unit.name()),
                    "over the best", "tokens/s", "MFU"});
  for (const auto& one : c.report.layouts) {
    const auto& group = c.report.groups[one.group];
    std::vector<std::string> row{unit.format(one.seconds), fmt::format("{:.3f}", one.normalized)};
    for (auto& words : rate_in_words(c, group)) row.push_back(std::move(words));
    table.add(group, row);
  }
  tables.push_back({"Layouts", table.table(), {"each program with the mapper that has the lowest mean there"}});
}

/// What what-ifs leave as it was beside what they change, where readers may take it to change, too.
std::vector<std::string> left_as_before(const study::Comparison& comparison) {
  std::set<std::string> notes;
  for (std::size_t i = 0; i < comparison.spec().baselines.size(); ++i) {
    const auto& after = comparison.machines()[i].description();
    const auto& before = comparison.machines()[comparison.spec().baselines[i]].description();
    const auto changes = [&](auto property) {
      return !std::ranges::equal(after.dimensions, before.dimensions, {}, property, property);
    };
    if (changes(&platforms::Dimension::latency) && after.node.base_latency == before.node.base_latency &&
        after.node.base_latency > 0)
      notes.insert(fmt::format("note: latency is that of hops; base-latency stays {} a message; a comma joins changes",
                               core::exact_duration(after.node.base_latency)));
    if (changes(&platforms::Dimension::bandwidth) &&
        after.node.injection_bandwidth == before.node.injection_bandwidth &&
        std::isfinite(after.node.injection_bandwidth))
      notes.insert(fmt::format("note: bandwidth is that of links; injection-bandwidth stays {}; a comma joins changes",
                               core::exact_bandwidth(after.node.injection_bandwidth)));
  }
  return {notes.begin(), notes.end()};
}

/// What each what-if does to the times of its machine; nothing without any.
void add_changes(const Compared& c, Tables& tables) {
  const auto& groups = c.report.groups;
  if (c.report.changes.empty()) return;
  const auto unit = time_unit(groups);
  const bool whole = whole_unit(groups).has_value();
  std::vector<std::string> titles{fmt::format("before [{}]", unit.name()), fmt::format("after [{}]", unit.name()),
                                  "change"};
  if (whole) titles.emplace_back("of the whole");
  for (const auto& engine : c.spec().opinions) titles.push_back("change by " + engine.text());
  GroupTable table(c.spec(), titles, {}, "what-if");
  for (std::size_t i = 0; i < c.report.changes.size(); ++i) {
    const auto& change = c.report.changes[i];
    std::vector<std::string> row{mean_or_dash(groups[change.baseline], unit), mean_or_dash(groups[change.group], unit),
                                 percent_or_dash(change.relative, 2)};
    if (whole) row.push_back(percent_or_dash(change.whole, 2));
    const auto otherwise = contradiction(change.relative.value_or(0), change.whole);
    if (whole && !otherwise.empty()) row.back() += fmt::format(" ({})", otherwise);
    for (const auto& opinion : c.opinions) row.push_back(percent_or_dash(opinion.changes[i].relative, 2));
    table.add(groups[change.group], row);
  }
  tables.push_back({"What-ifs", table.table(), left_as_before(c.comparison)});
}

/// Which algorithms carried out the collectives of typical runs, which matters more than most what-ifs: a line below
/// the times, or a table by the factors on which that depends.
void add_algorithms(const Compared& c, Tables& tables) {
  std::map<study::Run, std::string> algorithms;
  for (const auto& group : c.report.groups)
    if (group.typical) algorithms[group.run] = (*c.report.rows)[*group.typical].measures->algorithms;
  std::vector<Factor> deciding;
  auto titles = std::vector<std::string>();
  for (const auto factor : factors(c.spec())) {
    std::map<study::Run, std::string> others;
    if (std::ranges::all_of(algorithms, [&](const auto& one) {
          return others.emplace(study::without({factor}, one.first), one.second).first->second == one.second;
        }))
      continue;
    deciding.push_back(factor);
    titles.emplace_back(heading(factor));
  }
  if (deciding.empty()) {
    if (!algorithms.empty() && !algorithms.begin()->second.empty())
      tables.front().notes.push_back("collectives: " + algorithms.begin()->second);
    return;
  }
  titles.emplace_back("algorithms");
  core::Table table(titles);
  std::set<std::vector<std::string>> told;
  for (const auto& [run, names] : algorithms) {
    std::vector<std::string> row;
    for (const auto factor : deciding) row.push_back(c.spec().labels.of(factor)[run.at(factor)]);
    row.push_back(names.empty() ? "none" : names);
    if (told.insert(row).second) table.add(row);
  }
  tables.push_back({"Collectives", table});
}

/// How well each proxy foretells the time; nothing where no proxy or no time varies.
void add_correlations(const Compared& c, Tables& tables) {
  const auto title = fmt::format("correlation with {}", time_in_words(c));
  core::Table table({title, "Spearman (median)", "lowest", "highest", "Pearson (median)"});
  bool any = false;
  for (std::size_t p = 0; p < c.report.correlations.size(); ++p) {
    const auto& one = c.report.correlations[p];
    any = any || one.count > 0;
    table.add({std::string(netsim::proxies()[p].name), decimals_or_dash(one.spearman_median, 2),
               decimals_or_dash(one.spearman_lowest, 2), decimals_or_dash(one.spearman_highest, 2),
               decimals_or_dash(one.pearson_median, 2)});
  }
  if (any) tables.push_back({fmt::format("What proxies tell of the {}", time_in_words(c)), table});
}

}  // namespace

GroupTable::GroupTable(const study::ComparisonSpec& s, std::vector<std::string> titles, std::optional<Factor> without,
                       const char* machine)
    : spec_(s), without_(without), table_([&] {
        std::vector<std::string> all;
        for (const auto factor : factors(s, without)) all.emplace_back(heading(factor, machine));
        std::ranges::move(titles, std::back_inserter(all));
        return all;
      }()) {}

void GroupTable::add(const Group& group, std::vector<std::string> cells) {
  std::vector<std::string> row;
  for (const auto factor : factors(spec_, without_)) row.push_back(spec_.labels.of(factor)[group.run.at(factor)]);
  std::ranges::move(cells, std::back_inserter(row));
  table_.add(row);
}

std::string decimals_or_dash(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string mean_or_dash(const Group& group, const core::DurationUnit& unit) {
  return group.times.empty() ? "-" : unit.format(study::mean(group.times));
}

core::DurationUnit time_unit(const std::vector<Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups) times.insert(times.end(), group.times.begin(), group.times.end());
  return core::DurationUnit(times);
}

std::optional<core::DurationUnit> whole_unit(const std::vector<Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups)
    if (group.with_computation) times.push_back(*group.with_computation);
  return times.empty() ? std::nullopt : std::optional(core::DurationUnit(times));
}

std::string_view contradiction(double change, const std::optional<double>& of_whole) {
  constexpr double least = 0.0005;  // the least difference that tables show
  if (!of_whole || std::abs(change) < least || std::abs(*of_whole) < least || (change > 0) == (*of_whole > 0))
    return {};
  return *of_whole > 0 ? "slower as a whole" : "faster as a whole";
}

std::vector<ComparisonTable> comparison_tables(const Compared& compared) {
  Tables tables{times(compared)};
  add_algorithms(compared, tables);
  add_computation(compared, tables);
  add_training(compared, tables);
  add_layouts(compared, tables);
  add_changes(compared, tables);
  tables.push_back(verdict_table(compared));
  add_gains(compared, tables);
  add_uncertainty(compared, tables);
  add_engines(compared, tables);
  add_correlations(compared, tables);
  return tables;
}

std::string text_of(const Tables& tables) {
  std::string text;
  for (const auto& [title, table, notes] : tables) {
    text += (text.empty() ? "" : "\n") + table.text(core::terminal_width());
    for (const auto& note : notes) text += note + "\n";
  }
  return text;
}

std::string markdown_of(const Tables& tables) {
  std::string text;
  for (const auto& [title, table, notes] : tables) {
    text += fmt::format("{}### {}\n\n{}", text.empty() ? "" : "\n", core::text_for_markdown(title), table.markdown());
    for (const auto& note : notes) text += fmt::format("\n{}\n", core::text_for_markdown(note));
  }
  return text;
}

std::string tex_of(const Tables& tables) {
  std::string text = "% needs \\usepackage{booktabs}\n";
  for (const auto& [title, table, notes] : tables) {
    auto caption = title + ".";
    for (const auto& note : notes) caption += " " + note + ".";
    text += fmt::format("\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n{}\\end{{table}}\n",
                        core::text_for_tex(caption), table.tex());
  }
  return text;
}

}  // namespace toroid::cli
