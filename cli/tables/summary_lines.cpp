#include "cli/tables/summary_lines.hpp"

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

}  // namespace toroid::cli
