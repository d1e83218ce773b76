#include "cli/study_setup.hpp"

#include <utility>
#include "study/tasks/mpi.hpp"

namespace toroid::cli {

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
