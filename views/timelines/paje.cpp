// A run in the Paje format, for ViTE and pj_dump ("Paje trace file format", Schnorr, 2016): a container for each rank
// with its calls and waits as nested states, a link for each message, the use of the busiest links as variables.

#include <queue>
#include <tuple>

#include "views/timelines/formats.hpp"
#include "views/timelines/rank_events.hpp"

namespace toroid::views {
namespace {

/// The events of the format, by their numbers from 0 on, each with its fields: traces name these, as each may have its
/// own.
constexpr std::string_view event_types[][2] = {
    {"DefineContainerType", "Alias Type Name"},
    {"DefineStateType", "Alias Type Name"},
    {"DefineVariableType", "Alias Type Name Color"},
    {"DefineLinkType", "Alias Type StartContainerType EndContainerType Name"},
    {"DefineEntityValue", "Alias Type Name Color"},
    {"CreateContainer", "Time Alias Type Container Name"},
    {"DestroyContainer", "Time Type Name"},
    {"PushState", "Time Type Container Value"},
    {"PopState", "Time Type Container"},
    {"SetVariable", "Time Type Container Value"},
    {"StartLink", "Time Type Container StartContainer Value Key Size"},
    {"EndLink", "Time Type Container EndContainer Value Key"},
};

/// The containers, states, variables and links of a run.
constexpr std::string_view kinds = R"(0 R 0 Run
0 P R Rank
0 L R Link
1 S P Call
2 U L "Use in %" "0.2 0.4 0.8"
3 M R P P Message
)";

std::string header() {
  std::string text;
  for (std::size_t number = 0; number < std::size(event_types); ++number) {
    const auto [event, fields] = event_types[number];
    text += fmt::format("%EventDef Paje{} {}\n", event, number);
    for (const auto field : core::split(fields, ' ')) {
      const auto* type = field == "Time"                              ? "date"
                         : field == "Color"                           ? "color"
                         : field == "Size"                            ? "int"
                         : field == "Value" && event == "SetVariable" ? "double"
                                                                      : "string";
      text += fmt::format("% {} {}\n", field, type);
    }
    text += "%EndEventDef\n";
  }
  return text.append(kinds);
}

std::string seconds(std::int64_t ticks) {
  return fmt::format("{}.{:09}", ticks / nanosecond_ticks, ticks % nanosecond_ticks);
}

std::string_view colour(std::string_view kind) {
  if (kind == "compute") return "0.3 0.7 0.3";
  if (kind == "send") return "0.2 0.5 0.9";
  if (kind == "receive") return "0.5 0.4 0.9";
  if (kind == "collective") return "0.9 0.6 0.1";
  return "0.8 0.3 0.3";
}

class PajeWriter {
 public:
  PajeWriter(const ViewedRun& run, core::OutputFile& file)
      : run_(run), file_(file), ranks_(run.result, nanosecond_ticks), links_(busy_links(run.machine, run.result)) {}

  void write() {
    file_.write(header());
    define_values();
    file_.write("5 0.0 run R 0 \"toroid\"\n");
    for (const auto rank : ranks_.rank_ids()) file_.write(fmt::format("5 0.0 p{0} P run \"rank {0}\"\n", rank));
    for (std::size_t i = 0; i < links_.size(); ++i)
      file_.write(fmt::format("5 0.0 l{} L run \"{}\"\n", i, links_[i].name));
    write_events();
    const auto end = seconds(ranks_.ticks(run_.result.runtime));
    for (const auto rank : ranks_.rank_ids()) file_.write(fmt::format("6 {} P p{}\n", end, rank));
    for (std::size_t i = 0; i < links_.size(); ++i) file_.write(fmt::format("6 {} L l{}\n", end, i));
    file_.write(fmt::format("6 {} R run\n", end));
  }

 private:
  /// The names of what ranks do; each has the colour of its kind.
  void define_values() {
    for (std::size_t kind = 0; kind < workloads::op_kind_count; ++kind) {
      const auto call = static_cast<workloads::OpKind>(kind);
      file_.write(fmt::format("4 c{} S {} \"{}\"\n", kind, to_string(call), colour(category(call))));
    }
    for (const auto doing : {netsim::Doing::compute, netsim::Doing::transfer, netsim::Doing::wait})
      file_.write(fmt::format("4 d{} S \"{}\" \"{}\"\n", static_cast<int>(doing), to_words(doing),
                              doing == netsim::Doing::compute ? colour("compute") : colour("wait")));
  }

  /// When the next event of a rank, or of a link behind the ranks, comes, and the how-many-th of the link it is.
  using Source = std::tuple<std::int64_t, std::size_t, std::size_t>;

  /// Writes the events of all ranks and links in the order of time, as the format wants them.
  void write_events() {
    std::vector<RankEvents> ranks;
    std::vector<std::optional<RankEvent>> next;
    std::priority_queue<Source, std::vector<Source>, std::greater<>> sources;
    for (const auto rank : ranks_.rank_ids()) {
      next.push_back(ranks.emplace_back(ranks_, rank).next());
      if (next.back()) sources.emplace(next.back()->time, rank.index(), 0);
    }
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (!links_[i].use.empty()) sources.emplace(ranks_.ticks(links_[i].use[0].first), ranks.size() + i, 0);
    while (!sources.empty()) {
      const auto [time, source, position] = sources.top();
      sources.pop();
      if (source < ranks.size()) {
        auto& event = next[source];
        write(workloads::Rank(source), *event);
        event = ranks[source].next();
        if (event) sources.emplace(event->time, source, 0);
      } else {
        const auto& use = links_[source - ranks.size()].use;
        file_.write(fmt::format("9 {} U l{} {}\n", seconds(time), source - ranks.size(),
                                static_cast<float>(100 * use[position].second)));
        if (position + 1 < use.size()) sources.emplace(ranks_.ticks(use[position + 1].first), source, position + 1);
      }
    }
  }

  /// Whether a message takes no tick: other ranks may come between its launch and its arrival then.
  bool is_instant(std::uint32_t number) const {
    const auto& message = ranks_.message(number);
    return ranks_.ticks(message.begin) == ranks_.ticks(message.end);
  }
  void begin_link(workloads::Rank rank, const RankEvent& event) {
    file_.write(fmt::format("10 {0} M run p{1} m {2} {3}\n", seconds(event.time), rank, event.number,
                            ranks_.message(event.number).bytes));
  }

  void write(workloads::Rank rank, const RankEvent& event) {
    using What = RankEvent::What;
    const auto time = seconds(event.time);
    switch (event.what) {
      case What::enter_call:
        return file_.write(
            fmt::format("7 {} S p{} c{}\n", time, rank, static_cast<int>(ranks_.call(rank, event.number).kind)));
      case What::enter_phase:
        return file_.write(
            fmt::format("7 {} S p{} d{}\n", time, rank, static_cast<int>(ranks_.phase(rank, event.number).doing)));
      case What::leave_call:
      case What::leave_phase:
        return file_.write(fmt::format("8 {} S p{}\n", time, rank));
      case What::launch:
        if (!is_instant(event.number)) begin_link(rank, event);
        return;
      case What::arrive:
        if (is_instant(event.number)) begin_link(ranks_.message(event.number).from, event);
        return file_.write(fmt::format("11 {} M run p{} m {}\n", time, rank, event.number));
    }
  }

  const ViewedRun& run_;
  core::OutputFile& file_;
  RankTimelines ranks_;
  std::vector<BusyLink> links_;
};

}  // namespace

core::Entry<RunFormat> paje_format() {
  return {"paje",
          "Paje, for ViTE and pj_dump: calls and waits of ranks, messages, busiest links",
          {.write_file = [](const ViewedRun& run, core::OutputFile& file) { PajeWriter(run, file).write(); },
           .draws_links = true}};
}

}  // namespace toroid::views
