#pragma once
// What the commands that do many runs have in common: the workers that do them, and the journal of what is done.

#include "cli/outputs.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::cli {

/// Calls `lead` with an executor over the workers of all MPI ranks, `workers` on each; 0 means as many as a rank has
/// cores. Under mpirun, rank 0 calls it, and the other ranks work for it until it has returned.
void with_workers(const study::DoTask& work, std::size_t workers, const std::function<void(study::Executor&)>& lead);

/// The journal at `path` of a study with these settings; `about` are more fields of its head.
std::unique_ptr<study::Journal> open_journal_at(const std::string& path, core::Json settings,
                                                const std::vector<study::Input>& inputs,
                                                core::Json about = core::Json::object(),
                                                study::Journal::Access access = study::Journal::Access::add);
/// The journal beside the table `csv`; null if the table is no file, as only a study that writes one can go on later.
std::unique_ptr<study::Journal> open_journal(const std::string& csv, core::Json settings,
                                             const std::vector<study::Input>& inputs, Outputs& outputs);

}  // namespace toroid::cli
