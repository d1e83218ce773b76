#pragma once
// What was run for studies that write the same file, added to after every run: a study that was killed goes on where
// it stopped, and one with more repetitions, machines, traces or mappers runs only those.

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/inputs.hpp"
#include "core/json.hpp"

namespace toroid::study {

/// What runs name (a machine, a trace, ...), and the files that were read for it.
struct Input {
  std::string name;
  std::vector<core::Inputs::File> files;
};

/// Does `read`, and adds what it reads as an input of this name, if it reads any file.
template <class Read>
void read_input(std::vector<Input>& inputs, const std::string& name, const Read& read) {
  const core::Inputs list;
  read();
  if (auto files = list.files(); !files.empty()) inputs.push_back({name, std::move(files)});
}

/// For the head of a journal: the hashes of the files, by name.
core::Json hashes_of(const std::vector<Input>& inputs);
/// The hashes of all files that the command has read for none of these names: all runs may depend on them.
core::Json hashes_of_others(const std::vector<Input>& inputs);

/// A file with one JSON object a line and its checksum: first what the runs below it have in common, then one run each
/// with its result; where a study had other settings or inputs, theirs begin with another such line. A run is believed
/// below its own head alone.
class Journal {
 public:
  /// What runs have in common.
  struct Head {
    core::Json settings;  ///< what all their results depend on
    core::Json inputs;    ///< hashes_of what they read
  };

  /// Opens or creates the journal at `path`, for this process alone. Throws InputError when it is there but is no
  /// journal, is damaged or in use, or when it cannot be written. An unfinished last line is dropped.
  Journal(std::string path, Head head);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The result of a run with these settings and inputs, by the texts and numbers that tell it from others; null if it
  /// is not known. Valid until the next call of add().
  const core::Json* find(const core::Json& run) const;
  /// `result`: an object.
  void add(const core::Json& run, const core::Json& result);

 private:
  std::size_t read();
  void take(std::size_t number, const std::string& text);
  bool is_current(const core::Json& run) const;
  void write_line(const std::string& head, const core::Json& line);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  core::Json head_, last_head_;  ///< of this study; the last in the file
  std::map<std::string, core::Json> known_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace toroid::study
