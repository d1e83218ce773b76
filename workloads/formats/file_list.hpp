#pragma once
// Top files: one path per line, line i for rank i.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace toroid::workloads {

/// A file that a top file names: as it is, beside the top file, or only its name beside the top file; empty if there is
/// none. Tracers write paths relative to where they ran, and the top file usually lies there.
std::string listed_file(const std::string& top, const std::string& path);

/// The files that a top file names, with their lines; blank lines and those that begin with # are skipped. Throws
/// InputError if one is not there: found, expected `what` or the path of a rank's file.
std::vector<std::pair<std::string, std::uint64_t>> listed_files(const std::string& top, const std::string& what);

/// Where a file is named that is not read, because nobody runs it: no output may be that file, nor, if it is a top
/// file, one that it names.
void keep_with_listed(const std::string& path);

}  // namespace toroid::workloads
