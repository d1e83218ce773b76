#pragma once
// Threads that do the parts of a step at the same time. Steps follow each other every few microseconds, so threads wait
// for each other in a loop at first, and sleep only after a while. A thread that is late, because somebody else has its
// processor, keeps nobody: the first thread does all parts that nobody has begun, and waits only for those that
// somebody has. What a part does is the same whoever does it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace toroid::netsim::packet {

class Team {
 public:
  /// Makes a team of `threads` threads, the caller's among them, which calls `work` with the number of each part.
  Team(std::size_t parts, std::size_t threads, std::function<void(std::size_t)> work);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Lets the team do all parts once. Returns when that is done.
  void run();

 private:
  struct alignas(128) Progress {                   // lines of the cache that nobody else writes
    std::atomic<std::uint32_t> begun{0}, done{0};  ///< number of the last step in which the part was begun, was done
  };

  void assist(std::size_t first);
  void do_parts(std::uint32_t step, std::size_t first);
  static void await(const std::atomic<std::uint32_t>& value, std::uint32_t old, std::atomic<int>& sleepers);

  std::function<void(std::size_t)> work_;
  std::vector<Progress> parts_;
  alignas(128) std::atomic<std::uint32_t> step_{0};
  std::atomic<bool> ends_{false};
  alignas(128) std::atomic<int> helpers_asleep_{0};
  alignas(128) std::atomic<int> first_asleep_{0};
  std::vector<std::thread> helpers_;
};

}  // namespace toroid::netsim::packet
