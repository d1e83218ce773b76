#pragma once
// The jobs to which a job loses time, by the links that both use.

#include <unordered_map>

#include "cosim/run_times/run_times.hpp"

namespace toroid::cosim {

/// What a job sends over a link.
struct LinkBytes {
  platforms::LinkId link;
  std::uint64_t bytes = 0;
  std::uint32_t pairs = 0;  ///< how many pairs of ranks send over it
};

/// What the messages of a matrix send over each link that they cross between the nodes of their ranks, in the order of
/// the links; each message has `envelope` bytes more, and the headers of a message of the mean size.
std::vector<LinkBytes> links_of(const platforms::Machine& machine, const workloads::CommunicationMatrix& matrix,
                                const netsim::Mapping& mapping, std::uint64_t envelope);
/// Computes the same where each rank sends the same to every other one, without going through all pairs of ranks.
std::vector<LinkBytes> links_of_uniform(const platforms::Machine& machine, const workloads::CommunicationMatrix& matrix,
                                        const netsim::Mapping& mapping, std::uint64_t envelope);

/// Splits what a job lost over the other jobs that ran meanwhile. What it lost is known: its run time beyond the one
/// alone. The split is an estimate. A job keeps a link busy for a share of its time alone, that of its bytes at the
/// link's bandwidth. Another job's part is in proportion to the time in which both ran, times the sum, over the links
/// that both use, of both shares multiplied: the share of time in which both would want the link if their messages were
/// spread evenly. Begins and ends of jobs cost work in proportion to their links and the jobs on these.
class SharedLinks {
 public:
  /// The machine must outlive it.
  explicit SharedLinks(const platforms::Machine& machine) : machine_(machine), users_(machine.link_count()) {}

  /// A job begins. Alone it sends so many bytes over its links in each `seconds`; if these are 0, it counts as using
  /// none.
  void begin(JobId job, const std::string& name, std::span<const LinkBytes> links, double seconds, const Time& now);
  /// A job ends that takes so many seconds alone; 0: not known. Returns what it lost to whom, the most first: nothing
  /// if it has shared no link, is not slower than alone, or the time alone is not known. The parts add up to the whole.
  std::vector<Loss> end(JobId job, double alone, const Time& now);

 private:
  struct Use {
    platforms::LinkId link;
    double share = 0;  ///< the share of its time alone in which the job keeps the link busy
  };
  /// Another job that shares links.
  struct Other {
    std::string name;
    double meeting = 0;  ///< sum over links of both shares multiplied; 0 when the other has ended
    Time since = {};     ///< the time from when on both run
    double weight = 0;   ///< its part, for the time before that

    void add_until(const Time& now) {
      weight += meeting * (now - since).seconds();
      since = now;
    }
  };
  struct Running {
    std::string name;
    Time began;
    std::vector<Use> uses;
    std::unordered_map<JobId, Other> others;
  };

  const platforms::Machine& machine_;
  core::IdVector<platforms::LinkId, std::vector<std::pair<JobId, double>>>
      users_;  ///< the jobs that use a link, with their shares of it
  std::unordered_map<JobId, Running> running_;
};

}  // namespace toroid::cosim
