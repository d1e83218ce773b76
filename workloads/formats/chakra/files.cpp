#include "workloads/formats/chakra/node.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/file.hpp"

namespace toroid::workloads {
namespace {

namespace fs = std::filesystem;

/// A name that ends in .RANK.et, or is packed, or in the form that is JSON.
struct RankName {
  std::string before, rank, form, packing;
};

std::optional<RankName> parse_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  for (const std::string_view form : {".et", ".json"})
    for (const std::string_view packed : {"", ".gz", ".zst"}) {
      if (!name.ends_with(std::string(form) + std::string(packed))) continue;
      const auto stem = name.substr(0, name.size() - form.size() - packed.size());
      const auto last = stem.ends_with("%d") ? stem.size() - 3 : stem.find_last_not_of(digits);
      const bool has_rank = last < stem.size() && stem[last] == '.' && last + 1 < stem.size();
      const auto prefix = has_rank ? last + 1 : stem.size();
      return RankName{std::string(stem.substr(0, prefix)), std::string(stem.substr(prefix)), std::string(form),
                      std::string(packed)};
    }
  return std::nullopt;
}

}  // namespace

bool has_chakra_name(const std::string& path) {
  return parse_name(path).has_value();
}

bool has_place_for_rank(const std::string& path) {
  const auto name = parse_name(path);
  return name && name->rank == "%d" && name->form == ".et";
}

std::vector<std::string> chakra_files(const std::string& path) {
  const auto folder = path.substr(0, path.rfind('/') + 1);
  const auto name = parse_name(path.substr(folder.size()));
  if (!name || name->rank.empty()) return {path};
  const auto packed = [&](std::size_t rank, const std::string& packing) {
    return fmt::format("{}{}{}{}{}", folder, name->before, rank, name->form, packing);
  };
  const auto file = [&](std::size_t rank) { return packed(rank, name->packing); };
  std::set<std::size_t> ranks;
  std::map<std::size_t, std::string> others;  // files that are packed otherwise
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, failed)) {
    const auto other = parse_name(entry.path().filename().string());
    if (!other || other->before != name->before || other->form != name->form) continue;
    const auto rank = core::parse_number<std::size_t>(other->rank);
    if (!rank || std::to_string(*rank) != other->rank) continue;
    if (other->packing == name->packing)
      ranks.insert(*rank);
    else
      others[*rank] = packed(*rank, other->packing);
  }
  for (const auto& [rank, found] : others)
    if (!ranks.empty() && !ranks.contains(rank))
      core::fail_input("{}: found a file that is packed otherwise than that of rank {}, expected {}", found,
                       *ranks.begin(), file(rank));
  if (ranks.empty()) core::fail_input("{}: no such file; expected that of rank 0", file(0));
  std::vector<std::string> files;
  for (const auto rank : ranks) {
    if (rank != files.size())
      core::fail_input("{}: no such file; expected those of ranks 0 to {}", file(files.size()), *ranks.rbegin());
    files.push_back(file(rank));
  }
  return files;
}

std::string chakra_file_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = parse_name(entry.path().filename().string());
    if (name && name->rank == "0" && name->form != ".json") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() > 1)
    core::fail_input("{}: is a directory with several execution traces, {} and {}; expected the file of one", folder,
                     found[0], found[1]);
  return found.empty() ? std::string() : found[0];
}

}  // namespace toroid::workloads
