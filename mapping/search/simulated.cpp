// The simulator as the judge: of the mappings that other mappers propose, the one that runs fastest, made better by
// swaps of ranks that are simulated one by one. What to try first is told by the links that the last run was short of.

#include <algorithm>
#include <limits>
#include <map>

#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "mapping/mappers.hpp"
#include "netsim/run.hpp"

namespace toroid::mapping {
namespace {

using platforms::LinkId;

struct Verdict {
  double runtime = 0;
  std::vector<LinkId> bottlenecks;  ///< links that carried most for their width
};

/// Simulates mappings of one job, no mapping twice, and not more often than it may.
class Judge {
 public:
  Judge(const MappingProblem& problem, std::string engine, std::size_t runs)
      : problem_(problem), engine_(std::move(engine)), runs_(runs), bar_("simulating mappings", runs) {}

  bool exhausted() const { return verdicts_.size() >= runs_; }

  const Verdict& operator()(const Mapping& mapping) {
    const auto [entry, is_new] = verdicts_.try_emplace(mapping.elements());
    if (is_new) entry->second = simulate(mapping);
    bar_.update(verdicts_.size());
    return entry->second;
  }

 private:
  Verdict simulate(const Mapping& mapping) const {
    const auto& program = *problem_.program;
    const auto result = netsim::run({problem_.machine, program.trace, mapping, program.replay, engine_});
    Verdict verdict{result.runtime, {}};
    for (const auto& link : result.bottlenecks()) verdict.bottlenecks.push_back(link.link);
    return verdict;
  }

  const MappingProblem& problem_;
  std::string engine_;
  std::size_t runs_;
  core::Progress bar_;
  std::map<std::vector<NodeId>, Verdict> verdicts_;
};

/// The node of each rank and, behind them, of each slot that no rank is on.
std::vector<NodeId> with_free_slots(const Mapping& mapping, const std::vector<NodeId>& slots) {
  auto nodes = mapping.elements();
  std::map<NodeId, std::int32_t> taken;
  for (const NodeId node : mapping) ++taken[node];
  for (const NodeId slot : slots)
    if (--taken[slot] < 0) nodes.push_back(slot);
  return nodes;
}

/// All that a job sends, on the links of the machine: what a swap of ranks would do to them, without a simulation.
class Loads {
 public:
  /// `nodes`: with_free_slots of a mapping. They must outlive this object; reset() follows a change of them.
  Loads(const MappingProblem& problem, std::vector<NodeId>& nodes)
      : machine_(problem.machine), nodes_(nodes), messages_of_(nodes.size()), bytes_(machine_.link_count()) {
    const auto& rows = problem.traffic.matrix().rows;
    for (const auto from : rows.ids())
      for (const auto& cell : rows[from]) {
        const Message message{from.index(), cell.to.index(), static_cast<double>(cell.bytes)};
        messages_of_[message.from].push_back(message);
        messages_of_[message.to].push_back(message);
      }
  }

  void reset() {
    std::fill(bytes_.begin(), bytes_.end(), 0);
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank)
      for (const auto& message : messages_of_[rank])
        if (message.from == rank) for_each_link(message, [&](LinkId link) { bytes_[link] += message.bytes; });
  }

  /// Which ranks send or receive something over one of the links.
  std::vector<bool> ranks_over(const std::vector<LinkId>& links) const {
    std::vector<bool> over(nodes_.size(), false);
    for (const auto& messages : messages_of_)
      for (const auto& message : messages)
        for_each_link(message, [&](LinkId link) {
          if (std::find(links.begin(), links.end(), link) == links.end()) return;
          over[message.from] = over[message.to] = true;
        });
    return over;
  }

  /// The change of the sum over all links of (bytes / bandwidth)^2 if ranks or free slots a and b swap their nodes: the
  /// square makes a crowded link count more than two that share its load.
  double swap_delta(std::size_t a, std::size_t b) {
    double delta = 0;
    const auto shift = [&](double sign) {
      const auto one = [&](const Message& message) {
        for_each_link(message, [&](LinkId link) { delta += change(link, sign * message.bytes); });
      };
      for (const auto& message : messages_of_[a]) one(message);
      for (const auto& message : messages_of_[b])
        if (message.from != a && message.to != a) one(message);
    };
    shift(-1);
    std::swap(nodes_[a], nodes_[b]);
    shift(+1);
    std::swap(nodes_[a], nodes_[b]);
    for (; !before_.empty(); before_.pop_back()) bytes_[before_.back().first] = before_.back().second;
    return delta;
  }

 private:
  struct Message {
    std::size_t from, to;
    double bytes;
  };

  template <class Visit>
  void for_each_link(const Message& message, Visit&& visit) const {
    machine_.for_each_link(nodes_[message.from], nodes_[message.to], visit);
  }

  double change(LinkId link, double bytes) {
    auto& load = bytes_[link];
    before_.emplace_back(link, load);
    const double bandwidth = machine_.link_bandwidth(link);
    const double delta = bytes * (2 * load + bytes) / (bandwidth * bandwidth);
    load += bytes;
    return delta;
  }

  const Machine& machine_;
  std::vector<NodeId>& nodes_;
  std::vector<std::vector<Message>> messages_of_;  ///< of each rank: those it sends or receives
  core::IdVector<LinkId, double> bytes_;
  std::vector<std::pair<LinkId, double>> before_;  ///< what swap_delta has changed
};

/// Swaps of two ranks, and moves of a rank to a free slot, as long as one of them runs faster.
class Descent {
 public:
  Descent(const MappingProblem& problem, Judge& judge, const Mapping& start)
      : judge_(judge), ranks_(start.size()), nodes_(with_free_slots(start, problem.slots)), loads_(problem, nodes_) {}

  Mapping run() {
    while (improve()) {
    }
    return mapping();
  }

 private:
  struct Swap {
    std::size_t a, b;
    std::size_t failures;  ///< of earlier steps: so the next step begins with others
    double delta;
  };

  Mapping mapping() const {
    return Mapping(std::vector(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(ranks_)));
  }

  /// Takes the first swap that runs faster; false if there is none, or no more runs.
  bool improve() {
    if (judge_.exhausted()) return false;
    const auto now = judge_(mapping());
    loads_.reset();
    const auto over = loads_.ranks_over(now.bottlenecks);
    for (const bool at_bottleneck : {true, false})
      for (const auto& [a, b, failures, delta] : swaps(over, at_bottleneck)) {
        if (judge_.exhausted()) return false;
        std::swap(nodes_[a], nodes_[b]);
        if (judge_(mapping()).runtime < now.runtime) return true;
        std::swap(nodes_[a], nodes_[b]);
        ++failures_[{a, b}];
      }
    return false;
  }

  /// Those that move a rank with messages over a bottleneck, or the others; what relieves the links most comes first.
  std::vector<Swap> swaps(const std::vector<bool>& over, bool at_bottleneck) {
    std::vector<Swap> all;
    for (std::size_t a = 0; a < ranks_; ++a)
      for (std::size_t b = a + 1; b < nodes_.size(); ++b) {
        if (nodes_[a] == nodes_[b] || (over[a] || over[b]) != at_bottleneck) continue;
        const auto failed = failures_.find({a, b});
        all.push_back({a, b, failed == failures_.end() ? 0 : failed->second, loads_.swap_delta(a, b)});
      }
    std::stable_sort(all.begin(), all.end(), [](const Swap& x, const Swap& y) {
      return std::pair(x.failures, x.delta) < std::pair(y.failures, y.delta);
    });
    return all;
  }

  Judge& judge_;
  std::size_t ranks_;
  std::vector<NodeId> nodes_;  ///< with_free_slots
  Loads loads_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> failures_;
};

using Mappers = std::vector<std::shared_ptr<const Mapper>>;

const core::Parameter<Mappers> bases{"base",
                                     "mappers to start from, joined by +",
                                     {"mappers, in parentheses if they have keys, or mapping files",
                                      [](std::string_view text, const core::Place& place) -> std::optional<Mappers> {
                                        Mappers all;
                                        for (const auto part : core::split(text, '+'))
                                          all.push_back(mapper_in_parentheses().read(core::trim(part), place));
                                        return all;
                                      }},
                                     "consecutive+(grasp:cost=classic)+(grasp:cost=td)"};
const core::Parameter<std::size_t> candidates{"candidates", "mappings of each that draws lots",
                                              core::whole<std::size_t>(1, 1'000'000), "3"};
const core::Parameter<std::size_t> runs{"runs", "simulations in all, at most",
                                        core::whole<std::size_t>(1, 1'000'000'000), "100"};
const core::Parameter<std::string> engine{
    "engine",
    "engine of the simulations",
    {"an engine",  // not their names: tables of other files may not be there yet when this is made
     [](std::string_view text, const core::Place& place) -> std::optional<std::string> {
       netsim::engines().find(core::Spec::inside(place.spec, text));
       return std::string(text);
     }},
    "fluid"};

class Simulated final : public Mapper {
 public:
  explicit Simulated(const core::Arguments& arguments)
      : candidates_(arguments[candidates]),
        runs_(arguments[runs]),
        engine_(arguments[engine]),
        seed_(arguments[seed_parameter]),
        bases_(arguments[bases]) {
    netsim::load_engine(engine_);
    for (const auto& base : bases_) {
      if (base->file().empty()) continue;
      if (!file_.empty())
        core::fail_input("'{}': found two mapping files, expected one at most", core::excerpt(arguments.spec().text()));
      file_ = base->file();
    }
  }

  bool uses_seed() const override {
    return !seed_ && std::any_of(bases_.begin(), bases_.end(), [](const auto& base) { return base->uses_seed(); });
  }
  std::string file() const override { return file_; }

  void check(const MappingProblem& problem) const override {
    if (problem.program == nullptr)
      core::fail_input("mapper 'simulated': found a communication matrix only, expected a trace to simulate");
    for (const auto& base : bases_) base->check(problem);
  }

  Mapping map(const MappingProblem& problem) const override {
    check(problem);
    Judge judge(problem, engine_, runs_);
    return Descent(problem, judge, best_candidate(problem, judge)).run();
  }

 private:
  Mapping best_candidate(MappingProblem problem, Judge& judge) const {
    problem.seed = seed_.value_or(problem.seed);
    core::Random random(problem.seed, "mapping/simulated");
    Mapping best;
    double best_runtime = std::numeric_limits<double>::infinity();
    // The seed as it was given comes first: the result is no worse than what a base alone makes of it.
    for (std::size_t i = 0; i < candidates_; ++i, problem.seed = random.below(std::uint64_t{1} << 63U))
      for (const auto& base : bases_) {
        if ((i > 0 && !base->uses_seed()) || judge.exhausted()) continue;
        auto mapping = make_mapping(*base, problem);
        const double runtime = judge(mapping).runtime;
        if (runtime >= best_runtime) continue;
        best_runtime = runtime;
        best = std::move(mapping);
      }
    return best;
  }

  std::size_t candidates_, runs_;
  std::string engine_;
  std::optional<std::uint64_t> seed_;
  Mappers bases_;
  std::string file_;
};

}  // namespace

core::Entry<MakeMapper> simulated_mapper() {
  return {"simulated",
          "least simulated run time, among those of other mappers and by swaps from the best",
          make<Simulated>,
          {bases, candidates, runs, engine, seed_parameter}};
}

}  // namespace toroid::mapping
