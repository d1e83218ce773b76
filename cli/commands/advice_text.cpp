// What toroid advise says of one program, in lines.

#include "cli/commands/advise.hpp"
#include "cli/tables/summary_lines.hpp"
#include "core/units.hpp"

namespace toroid::cli {
namespace {

using study::Advice;
using study::SecondLook;

std::string times(double gain) {
  return fmt::format("{:.3f} times", gain);
}

class AdviceText {
 public:
  AdviceText(const Advice& advice, const study::AdviceRequest& request) : advice_(advice), request_(request) {}

  std::string text() {
    if (advice_.is_idle) {
      add("take", fmt::format("{}, as it is: no rank sends another one a message, so any mapping is as good",
                              without().map.text()));
      add("time", core::format_duration(without().time));
      return text_;
    }
    tell_choice();
    tell_looks(SecondLook::Kind::computation);
    tell_looks(SecondLook::Kind::communication);
    tell_luck();
    tell_looks(SecondLook::Kind::engine);
    tell_limits();
    tell_changes();
    tell_algorithms();
    tell_looks(SecondLook::Kind::reference);
    for (const auto& remark : advice_.remarks) add("note", remark);
    for (const auto& tried : advice_.tried)
      if (!tried.error.empty()) add("failed", fmt::format("{}: {}", tried.map.text(), core::excerpt(tried.error, 200)));
    if (advice_.needed_budget > request_.budget)
      add("budget", fmt::format("--budget {:.0f}s has room for everything", std::ceil(advice_.needed_budget)));
    return text_;
  }

 private:
  void add(std::string_view label, std::string_view said) { text_ += advice_line(label, said); }

  const study::Tried& taken() const { return advice_.taken(); }
  const study::Tried& without() const { return advice_.without(); }

  /// `communication time 1 ms`
  std::string time_of(double seconds) const {
    return fmt::format("{} {}", time_in_words(advice_.computation), core::format_duration(seconds));
  }
  /// The name of a mapper, and of the baseline what its time is, if it draws lots.
  std::string name_of_baseline() const {
    const auto draws = without().times.size();
    return without().map.text() + (draws > 1 ? fmt::format(" (the median of {} draws)", draws) : "");
  }

  void tell_choice() {
    if (advice_.keeps_baseline()) return tell_that_nothing_is_better();
    add("take", taken().map.text() +
                    (taken().times.size() > 1 ? fmt::format(", --seed {}", request_.seed + taken().search) : ""));
    if (!taken().notes.empty()) add("", taken().notes.back());
    auto said = fmt::format("{} as fast as {}: {} instead of {}", times(advice_.gain()), name_of_baseline(),
                            time_of(taken().time), core::format_duration(without().time));
    if (taken().times.size() > 1)
      said += fmt::format("; {} searches found {:.3f} to {:.3f}", taken().times.size(),
                          study::ratio(without().time, taken().worst()), advice_.gain());
    add("gain", said);
  }

  void tell_that_nothing_is_better() {
    std::size_t others = 0;
    auto said = time_of(without().time);
    for (std::size_t i = 1; i < advice_.tried.size(); ++i)
      if (const auto& other = advice_.tried[i]; !other.times.empty()) {
        ++others;
        said += fmt::format("; {} {}", other.map.text(), core::format_duration(other.time));
      }
    add("take", fmt::format("{}, as it is: none of the {} others that were tried is faster by {:.0f} %",
                            name_of_baseline(), others, 100 * Advice::margin));
    add("time", said);
  }

  void tell_luck() {
    const auto& random = advice_.tried[Advice::by_lot];
    if (random.times.empty()) return;
    add("random order",
        fmt::format("ranks by lot on these nodes take {:.3f} to {:.3f} times as long as the advice, {} draw{}",
                    study::ratio(random.best(), taken().time), study::ratio(random.worst(), taken().time),
                    random.times.size(), random.times.size() == 1 ? "" : "s"));
  }

  /// What a gain says of the gain that the advice promises.
  static std::string_view verdict(double gain, double promised) {
    if (gain < 1 - Advice::margin) return "the advice does NOT hold";
    if (gain < 1 + Advice::margin) return "no difference";
    return gain - 1 < (promised - 1) / 2 ? "less than half of the gain" : "the advice holds";
  }

  std::string both_times(const SecondLook& look) const {
    return fmt::format("{} as fast, {} instead of {}", times(look.gain()), core::format_duration(look.advised),
                       core::format_duration(look.baseline));
  }

  void tell_looks(SecondLook::Kind kind) {
    for (const auto& look : advice_.looks) {
      if (look.kind != kind) continue;
      const bool on_computation = kind == SecondLook::Kind::computation || kind == SecondLook::Kind::communication;
      const auto label = kind == SecondLook::Kind::computation             ? "of the whole"
                         : kind == SecondLook::Kind::communication         ? "communication"
                         : kind == SecondLook::Kind::reference             ? "checked"
                         : look.engine == netsim::router_engine            ? "packets"
                         : look.engine.find(":ties=") != std::string::npos ? "ties"
                                                                           : "adaptive";
      add(label, look.left_out.empty() ? said_of(look) : look.left_out);
      if (on_computation) add("", amount_in_words(advice_.computation));
    }
  }

  std::string said_of(const SecondLook& look) const {
    if (look.kind == SecondLook::Kind::reference) {
      const double percent = 100 * deviation(look);
      return fmt::format("{} {} {:.4f} %", look.engine, percent < 1 ? "agrees to" : "DIFFERS by up to", percent);
    }
    const bool computes = look.kind == SecondLook::Kind::computation;
    if (look.kind == SecondLook::Kind::communication && look.map != Advice::baseline)
      return fmt::format("{}{} without computation",
                         advice_.keeps_baseline() ? advice_.tried[look.map].map.text() + " is " : "", both_times(look));
    const auto how = computes                                       ? std::string("with computation")
                     : look.kind == SecondLook::Kind::communication ? std::string("without computation")
                                                                    : "by " + look.engine;
    if (advice_.keeps_baseline()) return fmt::format("{} {}", core::format_duration(look.advised), how);
    if (computes && look.gain() >= 1 + Advice::margin) return fmt::format("{} {}", both_times(look), how);
    return fmt::format("{}: {} {}", verdict(look.gain(), advice_.gain()), both_times(look), how);
  }

  /// How far the reference is from the times that the advice stands on, at most.
  double deviation(const SecondLook& look) const {
    return std::max(std::abs(study::ratio(look.advised, taken().time) - 1),
                    std::abs(study::ratio(look.baseline, without().time) - 1));
  }

  using Shares = std::vector<std::pair<double, std::string>>;

  static void largest_first(Shares& all) {
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.first > b.first; });
  }

  void tell_limits() {
    if (!advice_.limits) return add("limits", advice_.no_limits);
    const auto& limits = *advice_.limits;
    const std::string_view of_what = limits.whole ? " of the communication time" : "";
    add("limits", parts_of(limits.measures, where_shared()) + std::string(of_what));
    if (limits.whole) add("", parts_of(*limits.whole, "") + " with computation");
    add("", fmt::format("ranks wait for partners {} of the time, on average", percent(limits.waiting_for_partners)));
  }

  static std::string parts_of(const study::Measures& m, const std::string& where) {
    Shares parts{{m.compute_share, "compute"},
                 {m.latency_share, "latency"},
                 {m.bandwidth_share, "bandwidth"},
                 {m.sharing_share, "sharing"}};
    largest_first(parts);
    std::vector<std::string> texts;
    for (const auto& [share, part] : parts)
      texts.push_back(fmt::format("{} {}{}", part, percent(share), part == "sharing" ? where : ""));
    return core::join(texts);
  }

  /// The links on which the time is lost to sharing: ` (on x 12.3 %, on y 3.5 %)`.
  std::string where_shared() const {
    std::vector<std::string> texts;
    for (const auto& loss : advice_.limits->losses)
      if (const double share = study::ratio(loss.seconds, advice_.limits->measures.runtime); share >= 0.0005)
        texts.push_back(fmt::format("{} {} {}", loss.links == "cores" ? "at" : "on", loss.links, percent(share)));
    return texts.empty() ? "" : fmt::format(" ({})", core::join(texts));
  }

  void tell_changes() {
    if (!advice_.no_effects.empty()) return add("would help", advice_.no_effects);
    Shares help, hurt;
    std::vector<std::string> useless;
    for (const auto& effect : advice_.effects) {
      if (!effect.time) continue;
      const double saved = 1 - study::ratio(*effect.time, taken().time);
      auto text = fmt::format("{} {:+.1f} %", effect.change.text(), -100 * saved);
      if (const auto whole = whole_time(); whole && effect.whole)
        text += fmt::format(" ({:+.1f} % of the whole)", 100 * (study::ratio(*effect.whole, *whole) - 1));
      if (std::abs(saved) < Advice::margin)
        useless.push_back(effect.change.text());
      else
        (saved > 0 ? help : hurt).emplace_back(std::abs(saved), text);
    }
    tell_shares("would help", help);
    tell_shares("would hurt", hurt);
    if (!useless.empty())
      add("would not", core::join(useless) + fmt::format(": less than {:.0f} % of the time", 100 * Advice::margin));
  }

  /// Which algorithms the collectives have, and which they should have.
  void tell_algorithms() {
    const auto& said = advice_.algorithms;
    if (said.tried.empty()) return;
    const auto &now = said.tried.front(), &best = said.tried[said.taken];
    add("collectives", now.algorithms);
    if (!said.left_out.empty()) return add("algorithms", said.left_out);
    const auto others = said.tried.size() - 1;
    auto ties = said.ties(Advice::margin);
    if (said.taken == 0)
      return add("algorithms", fmt::format("as they are: none of {} other choices is faster by {:.0f} %, {} are alike",
                                           others, 100 * Advice::margin, ties.size()));
    add("algorithms", fmt::format("--collectives '{}' is {} as fast, {} instead of {}: the fastest of {} others",
                                  best.choice.text(), times(study::ratio(*now.time, *best.time)), time_of(*best.time),
                                  core::format_duration(*now.time), others));
    add("", "it is " + best.algorithms);
    if (!said.by_packets)
      add("", said.no_packets);
    else if (const auto& [before, after] = *said.by_packets; true)
      add("",
          fmt::format("by {}: {}: {} as fast, {} instead of {}", netsim::router_engine,
                      verdict(study::ratio(before, after), study::ratio(*now.time, *best.time)),
                      times(study::ratio(before, after)), core::format_duration(after), core::format_duration(before)));
    constexpr std::size_t most = 4;
    if (ties.empty()) return;
    const auto more = ties.size() > most ? fmt::format(" and {} more", ties.size() - most) : std::string();
    ties.resize(std::min(most, ties.size()));
    add("", fmt::format("not distinguishable, within {:.0f} %: {}{}", 100 * Advice::margin, core::join(ties), more));
  }

  void tell_shares(std::string_view label, Shares shares) {
    if (shares.empty()) return;
    largest_first(shares);
    std::vector<std::string> texts;
    for (const auto& [share, text] : shares) texts.push_back(text);
    add(label, core::join(texts));
  }

  /// The run time of the advice with computation, where that is left out.
  std::optional<double> whole_time() const {
    for (const auto& look : advice_.looks)
      if (look.kind == SecondLook::Kind::computation && look.left_out.empty()) return look.advised;
    return std::nullopt;
  }

  const Advice& advice_;
  const study::AdviceRequest& request_;
  std::string text_;
};

}  // namespace

std::string first_answer_text(const Advice& advice) {
  const auto time = core::format_duration(advice.taken().time), without = core::format_duration(advice.without().time);
  const auto& map = advice.taken().map.text();
  return advice.keeps_baseline() ? fmt::format("toroid: so far nothing is faster than {}: {}\n", map, without)
                                 : fmt::format("toroid: so far {} is best: {} instead of {}\n", map, time, without);
}

std::string advice_text(const Advice& advice, const study::AdviceRequest& request) {
  TOROID_ASSERT(!advice.tried.empty() && advice.advised < advice.tried.size());
  TOROID_ASSERT(advice.is_idle || advice.tried.size() > Advice::by_lot);
  return AdviceText(advice, request).text();
}

}  // namespace toroid::cli
