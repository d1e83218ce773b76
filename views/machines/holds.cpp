#include "views/machines/holds.hpp"

#include "alloc/neighbours.hpp"

namespace toroid::views {
namespace {

constexpr std::uint8_t no_colour = 255;
/// How many links join a job to jobs of each colour.
using Touched = std::array<std::size_t, job_colours>;

class Colouring {
 public:
  Colouring(const platforms::Machine& machine, std::size_t jobs)
      : machine_(machine), of_node_(machine.node_count(), no_colour), colours_(jobs, no_colour) {
    for (const RouterId router : machine.grid().routers()) neighbours_.add(alloc::neighbours(machine, router));
  }

  void begin(const Hold& hold) {
    TOROID_ASSERT(hold.job < colours_.size());
    auto& colour = colours_[hold.job];
    if (colour == no_colour) colour = best(touched_by(*hold.nodes));
    for (const NodeId node : *hold.nodes) of_node_[node] = colour;
  }
  void end(const Hold& hold) {
    for (const NodeId node : *hold.nodes) of_node_[node] = no_colour;
  }
  std::vector<std::uint8_t> finish() { return std::move(colours_); }

 private:
  Touched touched_by(const cosim::Allocation& nodes) const {
    Touched touched{};
    const auto touch = [&](RouterId router) {
      for (const NodeId other : machine_.nodes_on(router))
        if (of_node_[other] != no_colour) ++touched[of_node_[other]];
    };
    for (const NodeId node : nodes) {
      const auto router = machine_.router(node);
      touch(router);
      for (const RouterId beside : neighbours_[router]) touch(beside);
    }
    return touched;
  }

  std::uint8_t best(const Touched& touched) {
    std::uint8_t found = 0;
    for (std::uint8_t c = 1; c < job_colours; ++c)
      if (touched[c] < touched[found] || (touched[c] == touched[found] && given_[c] < given_[found])) found = c;
    given_[found] = ++count_;
    return found;
  }

  const platforms::Machine& machine_;
  core::IdVector<RouterId, std::vector<RouterId>> neighbours_;
  core::IdVector<NodeId, std::uint8_t> of_node_;  ///< the colour of the job that holds a node
  std::vector<std::uint8_t> colours_;
  std::array<std::size_t, job_colours> given_{};  ///< when each colour was given last
  std::size_t count_ = 0;
};

}  // namespace

std::vector<std::uint8_t> colours_of(const platforms::Machine& machine, const std::vector<cosim::GanttJob>& jobs) {
  Colouring colouring(machine, jobs.size());
  const auto holds = holds_of(jobs);
  HoldSweep sweep(
      holds, [&](const Hold& hold) { colouring.begin(hold); }, [&](const Hold& hold) { colouring.end(hold); });
  sweep.go_to(std::numeric_limits<double>::infinity());
  auto colours = colouring.finish();
  for (auto& colour : colours)
    if (colour == no_colour) colour = 0;  // jobs that held nothing for any time have any colour
  return colours;
}

std::vector<std::uint8_t> colours_of(const netsim::Run& request) {
  std::vector<cosim::GanttJob> jobs;
  for (const auto& job : request.jobs) {
    const std::set<NodeId> nodes(job.mapping.begin(), job.mapping.end());
    auto& held = jobs.emplace_back();
    held.ended = 1;
    held.nodes.assign(nodes.begin(), nodes.end());
  }
  return colours_of(request.machine, jobs);
}

std::string job_colour_text(std::uint8_t colour) {
  static constexpr std::array<const char*, job_colours> texts{"#e69f00", "#56b4e9", "#009e73", "#f0e442",
                                                              "#0072b2", "#d55e00", "#cc79a7"};
  TOROID_ASSERT(colour < job_colours);
  return texts[colour];
}

}  // namespace toroid::views
