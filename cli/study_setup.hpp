#pragma once
// What the commands that do many runs have in common: the journal of what is done.

#include <memory>
#include <string>
#include <vector>
#include "cli/outputs.hpp"
#include "study/tasks/journal.hpp"

namespace toroid::cli {

/// The journal at `path` of a study with these settings; `about` are more fields of its head.
std::unique_ptr<study::Journal> open_journal_at(const std::string& path, core::Json settings,
                                                const std::vector<study::Input>& inputs,
                                                core::Json about = core::Json::object(),
                                                study::Journal::Access access = study::Journal::Access::add);
/// The journal beside the table `csv`; null if the table is no file, as only a study that writes one can go on later.
std::unique_ptr<study::Journal> open_journal(const std::string& csv, core::Json settings,
                                             const std::vector<study::Input>& inputs, Outputs& outputs);

}  // namespace toroid::cli
