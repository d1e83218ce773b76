#pragma once
// Jobs whose run times the network decides: each replays its program, message by message, on the one network.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cosim/programs.hpp"
#include "cosim/work.hpp"
#include "mapping/mapper.hpp"
#include "netsim/simulation.hpp"

namespace toroid::cosim {

/// How jobs are replayed.
struct ReplayedJobs {
  std::vector<std::string> programs;  ///< rules, see Programs
  std::string map = "consecutive";    ///< spec of a mapper, for every job with a seed of its own
  std::int32_t ranks_per_node = 1;
  netsim::ReplayOptions replay = {};
  bool alone = true;  ///< replays each job alone, too, on the same nodes: what its neighbours cost
};

class Replayed final : public Worker {
 public:
  /// The network must outlive it. `engine` is the spec of the network, for replays alone.
  Replayed(const ReplayedJobs& how, netsim::Network& network, std::string engine, std::uint64_t seed);

  const Programs& programs() const { return programs_; }
  void start(const Start& start, Ended ended) override;

 private:
  /// A trace and what mappers want to know of it; several jobs may share it.
  struct Program {
    Program(std::string program_text, const netsim::ReplayOptions& replay);
    std::string text;
    std::unique_ptr<workloads::Trace> trace;
    mapping::Traffic traffic;
  };
  struct Running {
    std::shared_ptr<const Program> program;
    netsim::Mapping mapping;
    Ended ended;
  };

  std::shared_ptr<const Program> program(const std::string& text);
  netsim::Mapping mapping(const Program& program, const Start& start) const;
  void end(netsim::Simulation::JobEnd end);
  /// What can be said of a placed program without its neighbours.
  struct Placed {
    double alone = 0;
    std::uint64_t max_link_load = 0;
  };
  const Placed& placed(const Running& job);

  ReplayedJobs how_;
  netsim::Network& network_;
  std::string engine_;
  std::uint64_t seed_;
  Programs programs_;
  std::unique_ptr<mapping::Mapper> mapper_;
  std::unordered_map<std::string, std::shared_ptr<const Program>> known_programs_;
  std::map<std::pair<std::string, std::vector<platforms::NodeId>>, Placed> known_placed_;  ///< by program and mapping
  std::unordered_map<netsim::Simulation::JobId, Running> running_;
  netsim::Simulation simulation_;
};

}  // namespace toroid::cosim
