#include "toroid/core/registry.hpp"

#include "core/file.hpp"

namespace toroid::core {

Spec spec_of_file(std::string_view path, const FileEntry& entry, std::string_view kind,
                  const std::vector<std::string>& names) {
  if (is_file(path)) return Spec::with_argument(entry.name, path);
  if (const auto instead = instead_of_file(path); !instead.empty()) fail_input("'{}': {}", excerpt(path), instead);
  fail_input("'{}': no such {} and no such file{}, or {}", excerpt(path), kind,
             valid_instead(trim(path.substr(0, path.find(':'))), names), entry.what);
}

}  // namespace toroid::core
