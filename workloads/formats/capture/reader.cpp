#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.hpp"
#include "workloads/formats/capture/capture.hpp"
#include "workloads/formats/capture/rank.hpp"

namespace toroid::workloads {

void check_refusals(const std::string& folder) {
  std::map<std::int32_t, std::string> refusals;  // by rank: several may have come to such a call
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    raw::Header header{};
    std::ifstream(entry.path(), std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
    if (header.magic == raw::magic && header.refusal[0] != '\0') refusals.emplace(header.rank, header.refusal);
  }
  if (refusals.empty()) return;
  const auto& [rank, why] = *refusals.begin();
  core::fail_input("no trace of this program: rank {}: {}", rank, why);
}

std::unique_ptr<CompactTrace> read_capture(const std::string& folder) {
  check_refusals(folder);
  const auto path = [&](std::int32_t rank) { return (std::filesystem::path(folder) / raw::file_name(rank)).string(); };
  if (std::filesystem::is_empty(folder))
    core::fail_input(
        "nothing was recorded: the program has not called MPI_Init, is linked statically, or uses another MPI than "
        "libtoroid_capture.so was built for; expected an MPI program");
  if (!std::filesystem::exists(path(0)))
    core::fail_input("rank 0 has left no record in {}, expected a folder that all ranks see (TMPDIR)", folder);
  const auto ranks = raw::File(path(0)).header().ranks;
  auto trace = std::make_unique<CompactTrace>(ranks);
  raw::Comms comms(*trace);
  Recording recording;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (!std::filesystem::exists(path(rank)))
      core::fail_input("rank {} of {} has left no record in {}, expected a folder that all ranks see (TMPDIR)", rank,
                       ranks, folder);
    raw::File file(path(rank));
    const auto& header = file.header();
    if (header.rank != rank || header.ranks != ranks) file.fail();
    if (rank == 0 || (header.ranks_here > header.cores_here && !recording.is_crowded()))
      recording = {header.clock, header.ranks_here, header.cores_here};
    raw::read_rank(*trace, comms, file);
  }
  trace->set_computation(recording.clock == "instructions" ? Computation::counted : Computation::timed, recording);
  trace->finish();
  return trace;
}

}  // namespace toroid::workloads
