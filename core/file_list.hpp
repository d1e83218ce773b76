#pragma once
// Top files: one path per line, line i for rank i.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace toroid::core {

/// The file that a top file means by a path: the path as it is, or relative to the top file's folder, or only its file
/// name in that folder; empty if none of these exists. Tracers write paths relative to where they ran, and the top file
/// usually lies there.
std::string listed_file(const std::string& top, const std::string& path);

/// The files that a top file names, with their lines; blank lines and those that begin with # are skipped. Throws
/// InputError if one is not there: found, expected `what` or the path of a rank's file.
std::vector<std::pair<std::string, std::uint64_t>> listed_files(const std::string& top, const std::string& what);

/// Protects a trace that is named but not read: no output may be written over it, nor, if it is a top file, over a file
/// that it names.
void keep_with_listed(const std::string& path);

}  // namespace toroid::core
