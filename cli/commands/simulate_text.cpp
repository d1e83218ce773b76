// What `simulate` prints, and its tables of jobs: of one TRACE, and of several jobs.

#include "cli/commands/simulate.hpp"
#include "cli/tables/summary_lines.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "platforms/document.hpp"
#include "toroid/netsim/result_json.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::cli {

namespace {

// --- one TRACE ---

std::string busiest_links(const SimulateOptions& o, const mapping::Machine& machine, const netsim::Result& r) {
  core::Table table({"busiest links", "bytes", "mean use", "peak use", "most flows"});
  const auto links = r.bottlenecks();
  if (links.empty() || o.busiest == 0) return {};
  for (std::size_t i = 0; i < std::min(o.busiest, links.size()); ++i)
    table.add({machine.link_name(links[i].link), core::format_bytes(static_cast<double>(links[i].bytes)),
               percent(links[i].mean_utilization), r.utilization_window ? percent(links[i].peak_utilization) : "-",
               std::to_string(links[i].peak_flows)});
  return "\n" + table.text();
}

/// What the time depends on besides the machine: the engine, its routes, the order of messages.
std::string network_line(const SimulateOptions& o, const netsim::Result& r) {
  const auto setting = [&](std::string_view name, std::string_view otherwise) {
    for (const auto& [key, value] : r.engine_settings)
      if (key == name) return value;
    return std::string(otherwise);
  };
  const auto order = o.replay.order.empty() ? setting("order", "") : o.replay.order;
  return fmt::format("network        {}, {} routes; a node sends {}\n", o.engine.text(),
                     setting("routing", "dimension-order"), order_in_words(netsim::parse_order(order)));
}

/// `iterations 12 to 250 repeat iteration 11`.
std::string in_words(const netsim::RepeatedIterations& repeated) {
  const auto& [first, count, period, messages] = repeated;
  const auto iterations = [](std::uint64_t from, std::uint64_t number) {
    return number == 1 ? fmt::format("iteration {}", from)
                       : fmt::format("iterations {} to {}", from, from + number - 1);
  };
  return fmt::format("{} repeat{} {}", iterations(first, count), count == 1 ? "s" : "",
                     iterations(first - period, period));
}

double share_of_messages(const netsim::Result& r, std::uint64_t messages) {
  return netsim::share(static_cast<double>(messages), static_cast<double>(r.messages));
}

/// How many iterations are simulated, and how well that tells the time; nothing where no sample was wanted.
std::string sampled_lines(const netsim::Result& r) {
  if (!r.sampled) return {};
  const auto& s = *r.sampled;
  if (!s.is_estimate()) return fmt::format("sampled        no, all is simulated: {}\n", s.why_whole);
  double messages = 0;
  for (const auto& repeated : r.repeated) messages += share_of_messages(r, repeated.messages);
  return fmt::format(
      "sampled        {} of {} iterations are simulated, in {} clusters after {} to warm up; {} of the messages "
      "are left out\n"
      "known to       {} either way, {:.2g} % of the run time (95 % confidence; {:.2g} % wanted)\n"
      "estimates      the run time, what it is made of, what ranks do, and the use of links\n",
      s.iterations - s.left_out, s.iterations, s.clusters, s.warm_up, percent(messages),
      core::format_duration(s.half_width), 100 * netsim::share(s.half_width, r.runtime), 100 * s.wanted);
}

/// What ranks do on average. The critical path never waits: where a rank waits for its partner, the path is the
/// partner's.
std::string waits_line(const netsim::Result& r) {
  const auto parts = study::means_of_ranks(r);
  const auto part = [&](std::size_t i) { return percent(netsim::share(parts[i].seconds, r.runtime)); };
  return fmt::format("ranks          on average compute {}, wait for messages on their way {}, for a partner {}\n",
                     part(0), part(1), part(2));
}

/// What ranks wait for, on average, by the purpose of the messages; nothing where the program does not tell purposes.
std::string exposed_table(const netsim::Result& r) {
  if (r.exposed.empty()) return {};
  core::Table table({"exposed communication", "on its way", "for a partner", "of the time"});
  const auto ranks = static_cast<double>(r.ranks.size());
  for (const auto& [purpose, blocked] : r.exposed)
    table.add({purpose.empty() ? "other" : purpose, core::format_duration(blocked.transfer / ranks),
               core::format_duration(blocked.wait / ranks),
               percent(netsim::share((blocked.transfer + blocked.wait) / ranks, r.runtime))});
  return "\n" + table.text();
}

/// What the words of a summary mean, as in docs/reference/glossary.md.
constexpr std::string_view words =
    "latency: until first bytes arrive, and what cores take for a message; bandwidth: a rank's own messages at full\n"
    "speed; sharing: what other messages added, on the same links, pair of nodes or card; for a partner: until "
    "another\n"
    "rank sends or receives, or the run ends\n";

/// How well it is known what computation reaches, where that is an interval from which nothing is drawn.
std::string efficiency_line(const SimulateOptions& o) {
  if (o.draws > 0) return {};
  for (const auto& interval : platforms::intervals_of(o.platform))
    if (interval.property == "efficiency")
      return fmt::format("uncertain      the efficiency, {} to {}: --uncertainty 20 tells what that does to the time\n",
                         percent(interval.low), percent(interval.high));
  return {};
}

std::string summary_of_one(const SimulateOptions& o, const Outcome& outcome) {
  const auto& [run, r, nodes, computations, explanations, notes, v, drawn, drawn_times, real_seconds, seconds_of_run,
               faster_ways] = outcome;
  const auto& [machine, trace, computation] = std::tie(run->machine, run->job().trace, computations.front());
  const bool is_estimate = r.sampled && r.sampled->is_estimate();
  std::string text = fmt::format("{:<14} {}{}\n", time_in_words(computation), core::format_duration(r.runtime),
                                 is_estimate ? " +- " + core::format_duration(r.sampled->half_width) : std::string());
  text += fmt::format("placed         {} ranks on {}, map {}\n", r.ranks.size(), o.platform, o.map.text());
  text += computation_lines(computation, r.runtime);
  text += coverage_line(workloads::recording_of(trace));
  const auto training = training_line(trace.training(), computation, trace.ranks(), r.runtime);
  text += training;
  if (training.find("\nefficiency") != std::string::npos) text += efficiency_line(o);
  text += network_line(o, r);
  text += remark_lines(netsim::named_remarks(o.engine, machine, drawn.properties()));
  text += mapper_lines(notes);
  if (!r.collectives.empty()) text += fmt::format("collectives    {}\n", netsim::collectives_in_words(r.collectives));
  text += traffic_lines(r, r.loads);
  const auto part = [&](double seconds) { return percent(netsim::share(seconds, r.runtime)); };
  const auto& path = r.critical_path;
  text += fmt::format("critical path  compute {}, latency {}, bandwidth {}, sharing {}\n", part(path.compute),
                      part(path.latency), part(path.bandwidth), part(path.sharing));
  for (const auto& repeated : r.repeated)
    if (!repeated.is_sampled())
      text += fmt::format("repeats        {}, {} of the messages\n", in_words(repeated),
                          percent(share_of_messages(r, repeated.messages)));
  text += sampled_lines(r);
  text += waits_line(r);
  text += exposed_table(r);
  text += busiest_links(o, machine, r);
  if (o.draws > 0) text += uncertainty_text(drawn, drawn_times, o.engine);
  if (o.explain) text += text_of(*explanations.front(), machine, r);
  if (v)
    text += fmt::format(
        "\nverification   {}'s run time is {}; {} differs by {:+.4f} %, in the end of a rank by up to {:.4f} %\n",
        v->engine, core::format_duration(v->runtime), o.engine.text(), 100 * v->deviation, 100 * v->rank_deviation_max);
  if (r.sampled && r.sampled->is_estimate() && (v || o.draws > 0))
    text +=
        "\nwhole runs     the run above is a sample; those it is compared with, and those on drawn machines, are "
        "whole\n";
  text += o.events.too_late(r.runtime);
  text += fmt::format("\n{}", words);
  if (!o.events.at.empty()) text += "where an event makes a link fail or slower, that adds to sharing, too\n";
  text += fmt::format("\nsimulated in {}\n", core::format_duration(real_seconds));
  for (const auto& way : faster_ways) text += fmt::format("({})\n", way);
  return text;
}

// --- several jobs ---

using netsim::JobOutcome;

std::string name_of(const netsim::PlacedJob& job) {
  return core::excerpt(job.name);
}

std::string duration_or_dash(const std::optional<double>& seconds) {
  return seconds ? core::format_duration(*seconds) : "-";
}

std::string share_or_dash(const std::optional<double>& seconds, double time) {
  return seconds ? percent(netsim::share(*seconds, time)) : "-";
}

std::string jobs_table(const netsim::Run& request, const netsim::Result& result,
                       const std::vector<cosim::Allocation>& nodes) {
  core::Table table(
      {"job", "ranks", "nodes", "start", "end", "rounds", "run time", "alone", "slowdown", "sharing", "with others"});
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = result.jobs[i];
    const bool is_cut = job.how == JobOutcome::killed || job.how == JobOutcome::failed;
    const auto slowdown = job.slowdown();
    const auto part = [&](double seconds) { return percent(netsim::share(seconds, job.total())); };
    table.add({name_of(request.jobs[i]), std::to_string(job.rank_count), std::to_string(nodes[i].size()),
               core::format_duration(job.start),
               core::format_duration(job.end) + (is_cut ? fmt::format(" ({})", to_string(job.how)) : ""),
               std::to_string(job.rounds.size()), duration_or_dash(job.runtime()), duration_or_dash(job.alone),
               slowdown ? fmt::format("{:.3f}", *slowdown) : "-", part(job.critical_path.sharing),
               result.is_attributed() ? part(job.critical_path.others) : "-"});
  }
  return table.text();
}

/// What computation the run times of jobs have, or leave out, by job; nothing for jobs without any.
std::string computations_text(const netsim::Run& request, const std::vector<netsim::ComputationUse>& computations) {
  std::string text;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& use = computations[i];
    if (use.all_ranks_s == 0) continue;
    text += fmt::format("{} {}: {}\n", name_of(request.jobs[i]),
                        use.is_left_out() ? "leaves out computation" : "computes", amount_in_words(use));
  }
  return text.empty() ? text : "\n" + text;
}

/// How much of each job repeats what came before, so that it was not simulated; nothing if nothing does.
std::string repeats_text(const netsim::Run& request, const netsim::Result& result) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = result.jobs[i];
    if (job.repeated == 0) continue;
    const auto share = netsim::share(static_cast<double>(job.repeated), static_cast<double>(job.messages));
    parts.push_back(fmt::format("{} of the messages of {}", percent(share), name_of(request.jobs[i])));
  }
  if (parts.empty()) return {};
  return fmt::format("repeats: {} are in iterations that repeat earlier ones\n", core::join(parts));
}

/// A line for each job that lost time, a column for each job that it lost time to, then what all these explain.
std::string contention_table(const netsim::Run& request, const netsim::Result& result) {
  if (!result.is_attributed()) return fmt::format("who slows whom cannot be said: {}\n", result.why_not_shared);
  const bool with_changes = !request.changes.changes.empty();
  std::vector<std::string> header{"run time lost by"};
  for (const auto& job : request.jobs) header.push_back("to " + name_of(job));
  if (with_changes) header.emplace_back("to changes");
  header.insert(header.end(), {"beside alone", "uncharged"});
  core::Table table(header);
  for (std::size_t victim = 0; victim < request.jobs.size(); ++victim) {
    const auto& job = result.jobs[victim];
    std::vector<std::string> row{name_of(request.jobs[victim])};
    const auto add = [&](const std::optional<double>& seconds) { row.push_back(share_or_dash(seconds, job.total())); };
    for (const double seconds : job.charges) add(seconds);
    if (with_changes) add(job.changes);
    add(job.lost());
    add(result.uncharged(victim));
    table.add(row);
  }
  return table.text();
}

/// The links that were busiest, with the shares of the jobs; nothing where no link carried anything.
std::string shared_links_table(const SimulateOptions& o, const netsim::Run& request, const netsim::Result& result) {
  const auto links = result.bottlenecks();
  if (links.empty() || o.busiest == 0) return {};
  core::Table table({"busiest links", "bytes", "mean use", "peak use", "of"});
  for (std::size_t i = 0; i < std::min(o.busiest, links.size()); ++i) {
    const auto& link = links[i];
    const auto bytes = static_cast<double>(link.bytes);
    std::vector<std::string> parts;
    for (const auto& load : result.loads_of(link.link))
      parts.push_back(fmt::format("{} {}", name_of(request.jobs[load.job]),
                                  percent(netsim::share(static_cast<double>(load.bytes), bytes))));
    table.add({platforms::link_facts(request.machine, link.link).name, core::format_bytes(bytes),
               percent(link.mean_utilization), result.utilization_window ? percent(link.peak_utilization) : "-",
               core::join(parts)});
  }
  return "\n" + table.text();
}

std::string explanations_text(const Outcome& outcome) {
  const auto& [request, result, explanations] = std::tie(*outcome.run, outcome.result, outcome.explanations);
  std::vector<std::string> names;
  for (const auto& job : request.jobs) names.push_back(job.name);
  std::string text;
  for (std::size_t job = 0; job < explanations.size(); ++job) {
    const auto rounds = result.jobs[job].rounds.size();
    text += fmt::format("\n{}: ", core::excerpt(names[job]));
    if (!explanations[job]) {
      text += "no round was done, so there is nothing to explain\n";
      continue;
    }
    text += fmt::format("{}{}\n", core::format_duration(explanations[job]->runtime),
                        rounds > 1 ? fmt::format(", the last of {} rounds", rounds) : "");
    text += text_of(*explanations[job], request.machine, result.last_round(job), names);
  }
  return text;
}

std::string summary_of_several(const SimulateOptions& o, const Outcome& outcome) {
  const auto& [request, result] = std::tie(*outcome.run, outcome.result);
  const auto count = request.jobs.size();
  auto text = fmt::format("{} on {}, the last one ends at {}\n\n", jobs_in_words(count), o.platform,
                          core::format_duration(result.runtime));
  if (const auto remarks = netsim::named_remarks(o.engine, request.machine); !remarks.empty())
    text += remark_lines(remarks) + "\n";
  text += jobs_table(request, result, outcome.nodes) + repeats_text(request, result) +
          computations_text(request, outcome.computations) + "\n" + contention_table(request, result) +
          shared_links_table(o, request, result);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto& complaint = result.jobs[i].complaint; !complaint.empty())
      text += fmt::format("\njob '{}' failed: {}\n", core::excerpt(request.jobs[i].name), complaint);
  return text + explanations_text(outcome) + o.events.too_late(result.runtime);
}

}  // namespace

/// Lists and parts of a job stand there one by one or not at all.
Json job_rows(const Json& jobs) {
  Json rows = Json::array();
  for (const auto& job : jobs) {
    auto row = job;
    for (const auto& [key, value] : job["critical_path"].items()) row[key] = value;
    for (const auto* key : {"critical_path", "ranks", "computation", "explanation"}) row.erase(key);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json rank_rows(const Json& jobs) {
  Json rows = Json::array();
  for (const auto& job : jobs)
    for (const auto& rank : job["ranks"]) {
      Json row{{"job", job["name"]}};
      row.update(rank);
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string jobs_in_words(std::size_t count) {
  return fmt::format("{} job{}", count, count == 1 ? "" : "s");
}

std::string summary(const SimulateOptions& o, const Outcome& outcome) {
  return o.has_one_trace() ? summary_of_one(o, outcome) : summary_of_several(o, outcome);
}

}  // namespace toroid::cli
