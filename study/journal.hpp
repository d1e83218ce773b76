#pragma once
// What a study has done so far, on disk after every task: a killed study continues where it stopped.

#include <cstdio>
#include <map>
#include <string>

#include "core/json.hpp"

namespace toroid::study {

/// A file with one JSON object a line: first the study it belongs to, then the result of one task each.
class Journal {
 public:
  /// Opens or creates the journal at `path`. Throws InputError when it is there but belongs to another study, or when
  /// it cannot be written. A last line that was not finished is dropped.
  Journal(std::string path, const core::Json& study);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The results that were there already, by task.
  const std::map<std::size_t, core::Json>& known() const { return known_; }
  void add(std::size_t task, const core::Json& result);
  /// The study is complete: the journal goes.
  void remove();

 private:
  void read(const core::Json& study);
  void write_line(const core::Json& line);

  std::string path_;
  std::map<std::size_t, core::Json> known_;
  std::FILE* file_ = nullptr;
};

}  // namespace toroid::study
