#include "cli/study_setup.hpp"

#include "study/mpi.hpp"

namespace toroid::cli {

void with_workers(const study::DoTask& work, std::size_t workers, const std::function<void(study::Executor&)>& lead) {
  const study::MpiSession mpi;
  if (workers == 0) workers = study::default_workers(mpi.ranks_here());
  if (mpi.rank() > 0) return mpi.serve(work, workers);
  lead(*mpi.make_executor(work, workers));  // whose end lets the other ranks go
}

std::unique_ptr<study::Journal> open_journal_at(const std::string& path, core::Json settings,
                                                const std::vector<study::Input>& inputs, core::Json about,
                                                study::Journal::Access access) {
  settings["inputs"] = study::hashes_of_others(inputs);
  return std::make_unique<study::Journal>(
      path, study::Journal::Head{std::move(settings), study::hashes_of(inputs), std::move(about)}, access);
}

std::unique_ptr<study::Journal> open_journal(const std::string& csv, core::Json settings,
                                             const std::vector<study::Input>& inputs, Outputs& outputs) {
  if (!Outputs::is_file(csv)) return nullptr;
  outputs.claim(csv + ".journal");
  return open_journal_at(csv + ".journal", std::move(settings), inputs);
}

}  // namespace toroid::cli
