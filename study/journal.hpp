#pragma once
// What a study has done so far, written after every task: a killed study continues where it stopped.

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace toroid::study {

/// A file with one JSON object a line, behind a checksum of it: first the study it belongs to and the build of the
/// program that writes it, then the result of one task each.
class Journal {
 public:
  /// Opens or creates the journal at `path`, for this process alone. Throws InputError when it is there but belongs to
  /// another study or build, is no journal, is damaged or is in use, or when it cannot be written. An unfinished last
  /// line is dropped.
  Journal(std::string path, const core::Json& study);

  /// The results that were there already, by task.
  const std::map<std::size_t, core::Json>& known() const { return known_; }
  void add(std::size_t task, const core::Json& result);
  /// The study is complete: the journal goes.
  void remove();

 private:
  std::size_t read(const std::string& head);
  void check_head(std::optional<std::string_view> found, const std::string& expected) const;
  void take(const core::Json& line);
  void write_line(const std::string& line);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::map<std::size_t, core::Json> known_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace toroid::study
