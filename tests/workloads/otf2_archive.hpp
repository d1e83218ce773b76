#pragma once
// OTF2 archives, written with the library of that format.

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/support.hpp"

namespace toroid::workloads {

/// A communicator to be defined, of the number that is its place in a list of them.
struct Otf2Comm {
  OTF2_GroupType type = OTF2_GROUP_TYPE_COMM_GROUP;
  std::vector<std::uint64_t> members = {};
  OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI;
};

/// Rank r is location 10 + r. Times go on by themselves: an event takes 100 ticks, but for enter().
class Otf2Archive {
 public:
  explicit Otf2Archive(int ranks, std::vector<Otf2Comm> comms = {}, std::uint64_t resolution = 1'000'000'000);
  ~Otf2Archive();
  Otf2Archive(const Otf2Archive&) = delete;
  Otf2Archive& operator=(const Otf2Archive&) = delete;

  /// A further thread of rank 0's process, by its number from 0.
  int add_thread();

  // What happens at a rank, or a thread: ranks + its number.

  void enter(int rank, const std::string& region);
  void leave(int rank, const std::string& region);
  void compute(int rank, std::uint64_t ticks) { now_[at(rank)] += ticks; }
  void send(int rank, std::uint32_t to, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes);
  void isend(int rank, std::uint32_t to, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t id);
  void isend_end(int rank, std::uint64_t id);
  void recv(int rank, std::uint32_t from, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes);
  void irecv(int rank, std::uint64_t id);
  void irecv_end(int rank, std::uint32_t from, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
                 std::uint64_t id);
  void cancel(int rank, std::uint64_t id);
  void collective(int rank, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root, std::uint64_t sent,
                  std::uint64_t received);
  void icollective(int rank, std::uint64_t id);
  void icollective_end(int rank, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root, std::uint64_t sent,
                       std::uint64_t received, std::uint64_t id);
  /// On a window of the communicator of that number.
  void put(int rank, std::uint32_t window, std::uint32_t to, std::uint64_t bytes);
  void get(int rank, std::uint32_t window, std::uint32_t to, std::uint64_t bytes);
  void fence(int rank, std::uint32_t window);
  void record(int rank, bool is_on);  ///< from now on, or no more

  /// Ends it. The path of its file, in a folder that lasts as long as this.
  std::string finish();
  std::string folder() const { return scratch_.path("archive"); }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  OTF2_EvtWriter* writer(int rank);
  std::uint64_t time(int rank) { return now_[at(rank)] += 100; }
  std::uint32_t string(const std::string& text);
  void define();
  void define_locations(OTF2_GlobalDefWriter* definitions);
  void define_comms(OTF2_GlobalDefWriter* definitions);

  test::Scratch scratch_;
  OTF2_Archive* archive_;
  int ranks_, threads_ = 0;
  std::vector<Otf2Comm> comms_;
  std::uint64_t resolution_;
  std::vector<OTF2_EvtWriter*> writers_;
  std::vector<std::uint64_t> now_;
  std::map<std::string, std::uint32_t> regions_, strings_;
};

}  // namespace toroid::workloads
