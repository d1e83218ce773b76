#include "cli/tables/summary_lines.hpp"

#include "core/table.hpp"
#include "core/units.hpp"

namespace toroid::cli {

std::string_view order_in_words(platforms::Order order) {
  return order == platforms::Order::pair   ? "messages between the same two nodes one after another"
         : order == platforms::Order::node ? "all messages of a node one after another"
                                           : "all messages at once";
}

std::string remark_lines(const std::vector<std::string>& remarks) {
  std::string text;
  for (const auto& remark : remarks) text += fmt::format("note           {}\n", remark);
  return text;
}

std::string percent(double share) {
  const auto text = fmt::format("{:.1f} %", 100 * share);
  return text == "-0.0 %" ? text.substr(1) : text;
}

std::string mapper_lines(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("mapper         {}\n", note);
  return text;
}

std::string traffic_lines(const netsim::SentMessages& sent, const netsim::LinkLoads& loads) {
  auto text = fmt::format("messages       {} ({}), {} between nodes\n", sent.messages,
                          core::format_bytes(static_cast<double>(sent.bytes)), sent.network_messages);
  text += fmt::format("hops           {:.3f} per message, {:.3f} per byte, at most {}; hop-bytes {}\n",
                      sent.dilation_mean(), sent.hops_per_byte(), sent.dilation_max,
                      core::format_bytes(static_cast<double>(sent.hop_bytes)));
  const auto of_ports = static_cast<double>(loads.max_port_bytes);
  return text + fmt::format("link load      at most {}, mean {} over {} links{}; the busiest needs {} at full speed\n",
                            core::format_bytes(static_cast<double>(loads.max_bytes)),
                            core::format_bytes(loads.mean_bytes()), loads.links,
                            of_ports > 0 ? fmt::format(", of ports at most {}", core::format_bytes(of_ports)) : "",
                            core::format_duration(loads.max_seconds));
}

using netsim::ComputationUse;

std::string compute_in_words(const ComputationUse& use) {
  return use.scale == 0 ? "none" : use.scale == 1 ? "trace" : fmt::format("x{}", use.scale);
}

std::string_view time_in_words(const ComputationUse& use) {
  return use.is_left_out() ? "communication time" : "run time";
}

std::string cores_in_words(const ComputationUse& use) {
  if (!use.core_speed) return "as measured";
  const bool is_default = *use.core_speed == platforms::Description().node.speed;
  return fmt::format("on cores of {}{}", core::exact_speed(*use.core_speed),
                     is_default ? ", the default of 'speed'" : "");
}

std::string amount_in_words(const ComputationUse& use) {
  return fmt::format("{} by the busiest rank, {} by all ranks together, {}{}",
                     core::format_duration(use.busiest_rank_s), core::format_duration(use.all_ranks_s),
                     cores_in_words(use),
                     use.scale == 0 || use.scale == 1 ? "" : fmt::format("; all of it times {}", use.scale));
}

std::string computation_lines(const ComputationUse& use, double runtime_s) {
  if (use.all_ranks_s == 0) return {};
  if (!use.is_left_out()) return fmt::format("computation    {}\n", amount_in_words(use));
  return fmt::format(
      "left out       {}; --compute trace includes it\n"
      "of the whole   a mapping can gain {} at most, as only communication gets shorter\n",
      amount_in_words(use), percent(use.gain_at_most(runtime_s)));
}

std::string recording_in_words(const workloads::Recording& recording) {
  if (recording.clock.empty()) return {};
  const auto count = [](std::int32_t n, const char* of) { return fmt::format("{} {}{}", n, of, n == 1 ? "" : "s"); };
  const auto text = fmt::format("by --clock {}, {} on {}", recording.clock, count(recording.ranks, "rank"),
                                count(recording.cores, "core"));
  if (!recording.is_crowded()) return text;
  return text + (recording.clock == "wall"
                     ? ": waits for a core count as computation; capture with --clock cpu leaves them out"
                     : ": waits for a core do not count as computation");
}

std::string coverage_in_words(const workloads::Coverage& coverage) {
  const auto& [all, replayed, left_out] = coverage;
  auto text = fmt::format("{} of {} nodes", replayed.nodes, all.nodes);
  const auto add = [&](double of, double whole, std::string_view what) {
    if (whole > 0) text += fmt::format(", {} of {}", percent(of / whole), what);
  };
  add(replayed.bytes, all.bytes, "the bytes that are known");
  add(replayed.seconds, all.seconds, "the recorded time");
  std::string_view separator = "; not: ";
  for (const auto& [what, nodes] : left_out)
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), nodes, what);
  return text;
}

std::string coverage_line(const workloads::Recording& recording) {
  if (!recording.coverage || recording.coverage->left_out.empty()) return {};
  return fmt::format("replayed       {}\n", coverage_in_words(*recording.coverage));
}

std::string memory_in_words(const workloads::TrainingMemory& memory, const ComputationUse& use) {
  const auto has = use.memory_of_core();
  const auto verdict = has == 0               ? std::string("the machine does not say what it has")
                       : memory.total() > has ? fmt::format("does not fit into {}", core::format_bytes(has))
                                              : fmt::format("fits into {}", core::format_bytes(has));
  return fmt::format("{} a rank (weights {}, optimizer {}, gradients {}, activations {}): {}",
                     core::format_bytes(memory.total()), core::format_bytes(memory.weights),
                     core::format_bytes(memory.optimizer), core::format_bytes(memory.gradients),
                     core::format_bytes(memory.activations), verdict);
}

std::string training_line(const std::optional<workloads::TrainingWork>& work, const ComputationUse& use,
                          std::int32_t ranks, double runtime_s) {
  if (!work) return {};
  const auto tokens = fmt::format("training       {:.0f} tokens", work->tokens);
  const auto rate = netsim::training_rate(*work, use, ranks, runtime_s);
  auto text = !rate ? tokens + "; --compute trace tells tokens/s and MFU\n"
                    : fmt::format(
                          "{}, {:.0f} tokens/s, {:.1f} by each rank; {} MFU (model FLOPs utilisation), "
                          "attention counted {}\n",
                          tokens, rate->tokens_per_second, rate->tokens_per_second / ranks, percent(rate->mfu),
                          work->attention == "causal" ? "in its causal half" : "in full");
  if (work->layers != work->published)
    text +=
        fmt::format("layers         {}, not the {} of the model: not its tokens/s\n", work->layers, work->published);
  if (rate) {
    const auto peak = core::exact_speed(use.node.peak_speed());
    const auto of_peak = *use.core_speed / use.node.peak_speed();
    text += of_peak == 1 ? fmt::format("efficiency     computation at peak, {}, which no program reaches\n", peak)
                         : fmt::format("efficiency     computation at {} of the peak of {}\n", percent(of_peak), peak);
  }
  return text + fmt::format("memory         {}\n", memory_in_words(work->memory, use));
}

namespace {

using study::Explanation;

class ExplanationText {
 public:
  ExplanationText(const Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                  const std::vector<std::string>& jobs)
      : e_(explanation), machine_(machine), result_(result), jobs_(jobs) {}

  std::string text() const {
    return fmt::format("\nwhy            {}\n", e_.main_cause) +
           tables({causes(), kinds(), links(), chain(), trials()}) + what_to_change();
  }

 private:
  struct Counted {
    core::Table table;
    bool has_rows = true;
  };
  static std::string tables(const std::vector<Counted>& all) {
    std::string text;
    for (const auto& [table, has_rows] : all)
      if (has_rows) text += "\n" + table.text();
    return text;
  }

  std::string share(double seconds) const { return percent(netsim::share(seconds, e_.runtime)); }

  Counted causes() const {
    core::Table table({"what the time is made of", "time", "share"});
    for (const auto& [name, seconds] : e_.causes)
      if (seconds > 0) table.add({name, core::format_duration(seconds), share(seconds)});
    table.add({"all", core::format_duration(e_.runtime), share(e_.runtime)});
    return {std::move(table)};
  }

  Counted kinds() const {
    core::Table table({"where sharing loses time", "lost", "share"});
    for (const auto& [links, seconds] : e_.losses.kinds)
      table.add({in_words(links), core::format_duration(seconds), share(seconds)});
    return {std::move(table), !e_.losses.kinds.empty()};
  }

  static std::string in_words(const std::string& links) {
    if (links == "cores") return "cores of receivers";
    return links == "injection" || links == "ejection" ? links + " ports" : "links along " + links;
  }

  Counted links() const {
    core::Table table({"links that lose most", "lost", "share", "mean use", "messages that lost", "in the way"});
    for (const auto& link : e_.links)
      table.add({machine_.link_name(link.link), core::format_duration(link.lost), share(link.lost),
                 percent(link.mean_utilization), std::to_string(link.messages), names(link.in_the_way)});
    return {std::move(table), !e_.links.empty()};
  }

  Counted chain() const {
    core::Table table({"the critical path", "begins", "takes", "lost", "most on", "in the way"});
    for (const auto& part : e_.chain) {
      const bool has_link = part.link != platforms::LinkId::none();
      table.add({what(part), core::format_duration(part.begin), core::format_duration(part.end - part.begin),
                 core::format_duration(part.lost), has_link ? machine_.link_name(part.link) : "-",
                 names(part.in_the_way)});
    }
    return {std::move(table), !e_.chain.empty()};
  }

  /// `rank 7 to rank 56, 28 kB`, or `12 steps, 4 of them computations`.
  std::string what(const study::ChainPart& part) const {
    if (part.steps > 1)
      return fmt::format("{} {}", part.steps,
                         part.messages == part.steps ? "messages"
                         : part.messages == 0        ? "computations"
                                                     : fmt::format("steps, {} of them messages", part.messages));
    const auto& step = result_.critical_steps[part.first];
    if (!step.is_message)
      return fmt::format("rank {} computes{}", step.rank,
                         step.collective ? fmt::format(" in {}", to_string(*step.collective)) : "");
    return fmt::format("rank {} to rank {}, {}", step.rank, step.receiver,
                       core::format_bytes(static_cast<double>(step.bytes)));
  }

  /// The ranks of up to two messages: `4 to 5, 5 to 6, and more`; with several jobs `cg 4 to 5`.
  std::string names(const std::vector<study::InTheWay>& some) const {
    std::vector<std::string> texts;
    for (const auto& one : some)
      texts.push_back(
          fmt::format("{}{} to {}", jobs_.empty() ? "" : core::excerpt(jobs_[one.job]) + " ", one.from, one.to));
    return first_two(std::move(texts));
  }

  static std::string first_two(std::vector<std::string> texts) {
    if (texts.size() > 2) {
      texts.resize(2);
      texts.emplace_back("and more");
    }
    return texts.empty() ? "-" : core::join(texts);
  }

  /// What becomes of up to two other jobs: `stencil -3.2 %, cg +1.0 %, and more`.
  std::string changes(const std::vector<study::OtherJob>& others) const {
    std::vector<std::string> texts;
    for (const auto& [job, saves] : others)
      texts.push_back(core::excerpt(jobs_[job]) + " " + core::format_percent(-saves, 1));
    return first_two(std::move(texts));
  }

  Counted trials() const {
    const bool has_others = jobs_.size() > 1;
    std::vector<std::string> header{"the same run", "time", "difference"};
    if (has_others) header.emplace_back("other jobs");
    core::Table table(header);
    for (const auto& trial : e_.trials) {
      std::vector<std::string> row{trial.change.starts_with("without ") ? trial.change : "with " + trial.change,
                                   trial.runtime ? core::format_duration(*trial.runtime) : "-",
                                   trial.runtime ? core::format_percent(-trial.saves(e_.runtime), 1) : "-"};
      if (has_others) row.push_back(changes(trial.others));
      table.add(row);
    }
    return {std::move(table), !e_.trials.empty()};
  }

  std::string what_to_change() const {
    std::string text = "\nwhat to change\n";
    if (!e_.no_trials.empty()) text += fmt::format("  nothing was tried: {}\n", e_.no_trials);
    for (const auto& line : e_.what_to_change) text += fmt::format("  {}\n", line);
    return text;
  }

  const Explanation& e_;
  const netsim::Machine& machine_;
  const netsim::Result& result_;
  const std::vector<std::string>& jobs_;
};

using platforms::PropertyInterval;

/// A value of an interval for people.
std::string in_words(const PropertyInterval& interval, double value) {
  const auto unit = platforms::unit_of(interval.quantity);
  if (unit == "s") return core::format_duration(value);
  if (unit == "B/s") return core::format_bandwidth(value);
  if (unit == "B") return core::format_bytes(value);
  if (unit == "flop/s") return core::exact_speed(value);
  return fmt::format("{}{:g}", unit == "factor" ? "x" : "", value);
}

}  // namespace

std::string text_of(const Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                    const std::vector<std::string>& jobs) {
  return ExplanationText(explanation, machine, result, jobs).text();
}

std::string drawn_in_words(std::size_t draws, std::span<const PropertyInterval> intervals) {
  std::vector<std::string> names;
  for (const auto& interval : intervals)
    if (std::ranges::find(names, interval.property) == names.end()) names.push_back(interval.property);
  return fmt::format("{} machine{} drawn from the interval{} of {}", draws, draws == 1 ? "" : "s",
                     names.size() == 1 ? "" : "s", core::join(names));
}

std::string correlations_in_words(std::size_t draws) {
  return fmt::format(
      "rank correlation of the drawn values with the times: at 1 or -1 the property alone decides which machine is "
      "faster; within {:.2f} of 0 the property may not matter at all, as chance alone leads up to there in 19 of 20 "
      "cases",
      study::correlation_by_chance(draws));
}

std::string deviation_in_words(const netsim::EngineChoice& engine) {
  const auto& deviation = engine.thing().deviation;
  if (deviation.programs.empty())
    return fmt::format("nobody has measured how far {} is from flit-level times", engine.text());
  const auto [low, high] = study::predicted_time(std::array{study::DrawnTime{1, 1}}, deviation);
  return fmt::format(
      "where messages share links, nine of ten flit-level times are {:+.0f} to {:+.0f} % from those of {}",
      100 * (low - 1), 100 * (high - 1), engine.text());
}

std::string interval_in_words(const study::Interval& seconds) {
  return fmt::format("{} to {}", core::format_duration(seconds.low), core::format_duration(seconds.high));
}

std::string uncertainty_text(const study::Draws& draws, const study::DrawnTimes& times,
                             const netsim::EngineChoice& engine) {
  const auto spread = study::spread_of(times, engine.thing().deviation).value();
  auto text = fmt::format(
      "\nuncertainty    median {}, nine of ten from {}: {}, and the engine's deviation\nby machines    nine of ten "
      "from {}\nby the engine  {}\n",
      core::format_duration(spread.median), interval_in_words(spread.interval),
      drawn_in_words(times.size(), draws.intervals), interval_in_words(spread.machines), deviation_in_words(engine));
  core::Table table({"interval", "from", "to", "rank correlation"});
  for (const auto& [number, correlation] : study::influences(draws, times)) {
    const auto& interval = draws.intervals[number];
    table.add({interval.property, in_words(interval, interval.low), in_words(interval, interval.high),
               correlation ? fmt::format("{:+.2f}", *correlation) : "-"});
  }
  return text + "\n" + table.text() + correlations_in_words(times.size()) + "\n";
}

}  // namespace toroid::cli
