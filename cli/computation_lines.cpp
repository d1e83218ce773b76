#include "cli/computation_lines.hpp"

#include <fmt/format.h>

#include "core/units.hpp"
#include "platforms/description.hpp"

namespace toroid::cli {

using core::Json;

std::string compute_in_words(const netsim::ComputationUse& use) {
  if (use.variation) return "mean";
  return use.scale == 0 ? "none" : use.scale == 1 ? "trace" : fmt::format("x{}", use.scale);
}

bool computes(const Json& computation) {
  return computation["all_ranks_s"].get<double>() > 0;
}

std::string_view time_in_words(const Json& computation) {
  return computation["left_out"].get<bool>() ? "communication time" : "run time";
}

std::string cores_in_words(const Json& computation) {
  const auto& speed = computation["core_speed"];
  if (speed.is_null()) return "as measured";
  const bool is_default = speed == platforms::Description().node.speed;
  return fmt::format("on cores of {}{}", core::exact_speed(speed), is_default ? ", the default of 'speed'" : "");
}

std::string amount_in_words(const Json& c) {
  const double scale = c["scale"];
  return fmt::format("{} by the busiest rank, {} by all ranks together, {}{}",
                     core::format_duration(c["busiest_rank_s"]), core::format_duration(c["all_ranks_s"]),
                     cores_in_words(c), scale == 0 || scale == 1 ? "" : fmt::format("; all of it times {}", scale));
}

std::vector<std::pair<std::string, std::string>> mean_in_words(const Json& c) {
  const auto& mean = c["mean"];
  if (!computes(c) || mean.is_null()) return {};
  if (mean["iterations"] == 0)
    return {{"averaged", "nothing: no iterations of a recorded program were found; computation as by --compute trace"}};
  if (mean["between_operations"] == 0.0)
    return {{"averaged", "nothing: iterations compute alike; computation as by --compute trace"}};
  const auto percent = [&](const char* field) { return fmt::format("{:.1f} %", 100 * mean[field].get<double>()); };
  const auto averaged =
      fmt::format("{} of the computation, over {} iterations; ranks that have any: {}", percent("share"),
                  mean["iterations"].get<std::uint64_t>(), mean["ranks"].get<std::int32_t>());
  const auto varied = fmt::format(
      "by {} between two operations of a rank, {} in an iteration, {} in one of the worst rank (standard deviation "
      "over mean)",
      percent("between_operations"), percent("of_iterations"), percent("of_worst_rank"));
  const auto hidden =
      mean["hidden"].is_null()
          ? "not known, as ranks do not have equally many iterations"
          : percent("hidden") +
                ": as recorded, ranks that wait for each other in each iteration compute so much longer";
  return {{"averaged", averaged}, {"varied", varied}, {"hidden", hidden}};
}

std::string computation_lines(const Json& c) {
  if (!computes(c)) return {};
  if (!c["left_out"]) {
    auto text = fmt::format("computation    {}\n", amount_in_words(c));
    for (const auto& [label, said] : mean_in_words(c)) text += fmt::format("{:<14} {}\n", label, said);
    return text;
  }
  return fmt::format(
      "left out       {}; --compute trace includes it\n"
      "of the whole   a mapping can gain {:.1f} % at most, as only communication gets shorter\n",
      amount_in_words(c), 100 * c["gain_at_most"].get<double>());
}

std::string training_line(const Json& t) {
  if (t.is_null()) return {};
  const auto tokens = fmt::format("training       {:.0f} tokens", t["tokens"].get<double>());
  if (t["mfu"].is_null()) return tokens + "; --compute trace tells tokens/s and MFU\n";
  return fmt::format("{}, {:.0f} tokens/s; {:.1f} % MFU (model FLOPs utilisation)\n", tokens,
                     t["tokens_per_second"].get<double>(), 100 * t["mfu"].get<double>());
}

}  // namespace toroid::cli
