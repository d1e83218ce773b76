#pragma once
// What was run for studies that write the same file, added to after every run: a study that was killed goes on where
// it stopped, and one with more repetitions, machines, traces or mappers runs only those.

#include <map>

#include "core/inputs.hpp"
#include "toroid/core/json.hpp"

namespace toroid::study {

/// Something that runs name, such as a machine or a trace, and the files that were read for it.
struct Input {
  std::string name;
  std::vector<core::Inputs::File> files;
};

/// Calls `read`, and adds the files that it reads, if any, as an input of this name.
template <class Read>
void read_input(std::vector<Input>& inputs, const std::string& name, const Read& read) {
  const core::Inputs list;
  read();
  if (auto files = list.files(); !files.empty()) inputs.push_back({name, std::move(files)});
}

/// The hashes of the files of each input, by its name, for the head of a journal.
core::Json hashes_of(const std::vector<Input>& inputs);
/// The hashes of all other files that the command has read: all runs may depend on them.
core::Json hashes_of_others(const std::vector<Input>& inputs);

/// A file with one JSON object and its checksum on each line. A head says what the runs below it have in common; each
/// line after it has one run and its result. A study with other settings or inputs begins with another head. A result
/// counts only for studies with the same head.
class Journal {
 public:
  /// What runs have in common.
  struct Head {
    core::Json settings;                      ///< settings that all their results depend on
    core::Json inputs;                        ///< hashes of their inputs, see hashes_of()
    core::Json about = core::Json::object();  ///< more fields of the head, which results do not depend on
  };

  /// What a process does with a journal. A process that only reads leaves the file as it is, and shares it.
  enum class Access { add, read };

  /// Opens the journal at `path`, or creates it to add to it, for this process alone. An unfinished last line is
  /// dropped. Throws InputError when the file is no journal, is damaged, is added to by others or cannot be opened.
  Journal(std::string path, Head head, Access access = Access::add);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The result of a run with these settings and inputs; null if it is not known. `run` has the texts and numbers that
  /// tell it from other runs. The result is valid until the next call of add().
  const core::Json* find(const core::Json& run) const;
  /// Why a run has no result, where add_failure() has said so; null else. Such a run is done again by those who go on.
  const std::string* find_failure(const core::Json& run) const;
  /// Writes the head, if the file does not end below it.
  void begin();
  /// Writes the result of a run, a JSON object.
  void add(const core::Json& run, const core::Json& result);
  /// Writes why a run has no result.
  void add_failure(const core::Json& run, const std::string& error);

  const std::string& path() const { return path_; }
  /// How the last head in the file differs from this study's, so that its results do not count: `by another build of
  /// toroid`; empty if it does not.
  std::string made_from_others() const;
  /// The last head in a file, with what is `about`; null if it has none. Throws InputError when it cannot be read.
  static core::Json last_head(const std::string& path);

 private:
  std::size_t read();
  void take(std::size_t number, const std::string& text);
  bool is_current(const core::Json& run) const;
  void write_line(const std::string& head, const core::Json& line);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  core::Json head_, last_head_ = core::Json::object();  ///< the head of this study; the last one in the file
  std::map<std::string, core::Json> known_;
  std::map<std::string, std::string> failures_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace toroid::study
