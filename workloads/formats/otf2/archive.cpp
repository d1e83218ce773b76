#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/bytes.hpp"
#include "core/isolate.hpp"
#include "workloads/formats/otf2/callbacks.hpp"

namespace toroid::workloads::otf2 {
namespace {

constexpr std::size_t batch_events = std::size_t{1} << 20U;  ///< events of several locations that one process reads

/// The archive in the hands of its library. Only in processes of their own: they end without giving anything back.
class Archive {
  struct Group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    bool is_global;
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    OTF2_CommRef ref;
    OTF2_GroupRef group;
    bool is_inter;
  };

 public:
  explicit Archive(const std::string& path) : path_(path) {
    OTF2_Error_RegisterCallback(note_error, this);
    reader_ = OTF2_Reader_Open(path.c_str());
    if (reader_ == nullptr) fail(OTF2_ERROR_INVALID);
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_));
    read_global_definitions();
  }

  Definitions definitions() {
    Definitions all;
    all.resolution = resolution_;
    all.is_predicted = is_predicted();
    for (const auto& [ref, group] : groups_)
      if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == OTF2_PARADIGM_MPI) {
        if (!all.ranks.empty()) fail("found several lists of the locations of MPI, expected one");
        all.ranks = group.members;
      }
    if (all.ranks.empty()) fail("found no processes of MPI, expected a group of their locations");
    if (all.resolution == 0) fail("found a clock of 0 ticks in a second, expected more");
    for (const auto location : all.ranks) {
      const auto known = locations_.find(location);
      if (known == locations_.end()) fail("found a rank of MPI at location {}, which is not defined", location);
      all.events.emplace_back(location, known->second.second);
      locations_.erase(known);  // so that none is two ranks, and what is left is no rank
    }
    for (const auto& [location, what] : locations_)
      if (what.first == OTF2_LOCATION_TYPE_CPU_THREAD) all.threads.emplace_back(location, what.second);
    std::sort(all.threads.begin(), all.threads.end());
    all.regions = calls_;
    for (const auto& comm : comms_) all.comms.push_back(described(comm));
    for (const auto window : kept_.windows) all.windows.emplace_back(window, all_windows_[window]);
    return all;
  }

  /// The events of a location, of which there are so many.
  std::vector<Event> events(OTF2_LocationRef location, std::uint64_t expected) {
    kept_.events.clear();
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader_, location);
    if (events == nullptr) fail(OTF2_ERROR_INVALID);
    // A rank's own clock will do: only lengths of time are asked for.
    check(OTF2_EvtReader_ApplyClockOffsets(events, false));
    OTF2_EvtReaderCallbacks* callbacks = event_callbacks();
    check(OTF2_Reader_RegisterEvtCallbacks(reader_, events, callbacks, &kept_));
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    check(OTF2_Reader_ReadAllLocalEvents(reader_, events, &count));
    if (count != expected)
      fail("found {} events at location {}, expected {}: it is truncated", count, location, expected);
    check(OTF2_Reader_CloseEvtReader(reader_, events));
    return std::move(kept_.events);
  }

  /// Before events(): what the locations call by numbers of their own.
  void open_locations(const std::vector<OTF2_LocationRef>& locations) {
    for (const auto location : locations) check(OTF2_Reader_SelectLocation(reader_, location));
    // There are none if all locations use the same numbers.
    const bool are_there = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    error_.clear();
    check(OTF2_Reader_OpenEvtFiles(reader_));
    for (const auto location : locations) {
      if (!are_there) break;
      OTF2_DefReader* own = OTF2_Reader_GetDefReader(reader_, location);
      if (own == nullptr) continue;
      std::uint64_t count = 0;
      check(OTF2_Reader_ReadAllLocalDefinitions(reader_, own, &count));
      check(OTF2_Reader_CloseDefReader(reader_, own));
    }
    if (are_there) check(OTF2_Reader_CloseDefFiles(reader_));
    error_.clear();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) const {
    core::fail_input("{}: {}", path_, fmt::format(format, std::forward<Parts>(parts)...));
  }
  [[noreturn]] void fail(OTF2_ErrorCode code) const {
    fail("found what the OTF2 library cannot read ({}), expected an archive that is whole",
         error_.empty() ? OTF2_Error_GetDescription(code) : error_);
  }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail(code);
  }

  /// The first error says most.
  static OTF2_ErrorCode note_error(void* data, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                                   const char* format, std::va_list arguments) {
    auto& error = static_cast<Archive*>(data)->error_;
    std::array<char, 200> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    if (error.empty()) error = fmt::format("{}: {}", OTF2_Error_GetDescription(code), core::excerpt(text.data()));
    return code;
  }

  /// Whether the run is one that toroid predicted (views/timelines/otf2).
  bool is_predicted() const {
    char* creator = nullptr;
    if (OTF2_Reader_GetCreator(reader_, &creator) != OTF2_SUCCESS || creator == nullptr) return false;
    const std::string text = creator;
    std::free(creator);
    return text == "toroid";
  }

  // Definitions.

  static Archive& self(void* data) { return *static_cast<Archive*>(data); }

  void read_global_definitions() {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader_);
    if (definitions == nullptr) fail(OTF2_ERROR_INVALID);
    OTF2_GlobalDefReaderCallbacks* callbacks = definition_callbacks();
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_, definitions, callbacks, this));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0, expected = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_, definitions, &count));
    check(OTF2_Reader_GetNumberOfGlobalDefinitions(reader_, &expected));
    if (count != expected) fail("found {} definitions, expected {}: it is truncated", count, expected);
    check(OTF2_Reader_CloseGlobalDefReader(reader_, definitions));
    for (const auto& [ref, region] : regions_) {
      const auto name = strings_.find(region.first);
      const std::string text = name == strings_.end() ? std::string() : name->second;
      if (region.second != OTF2_PARADIGM_MPI && !text.starts_with("MPI_")) continue;
      calls_.emplace_back(ref, text);
      kept_.calls.insert(ref);
    }
    for (const auto& [window, comm] : all_windows_)
      for (const auto& known : comms_)
        if (known.ref == comm && described(known).first.kind != CommKind::other) kept_.windows.insert(window);
  }

  OTF2_GlobalDefReaderCallbacks* definition_callbacks() const {
    auto* all = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(all, [](void* data, OTF2_StringRef ref, const char* text) {
      self(data).strings_[ref] = text;
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        all, [](void* data, std::uint64_t resolution, std::uint64_t, std::uint64_t, std::uint64_t) {
          self(data).resolution_ = resolution;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        all, [](void* data, OTF2_LocationRef ref, OTF2_StringRef, OTF2_LocationType type, std::uint64_t events,
                OTF2_LocationGroupRef) {
          self(data).locations_[ref] = {type, events};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        all, [](void* data, OTF2_RegionRef ref, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,
                OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
          self(data).regions_[ref] = {name, paradigm};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
        all, [](void* data, OTF2_CallingContextRef ref, OTF2_RegionRef region, OTF2_SourceCodeLocationRef,
                OTF2_CallingContextRef) {
          self(data).kept_.contexts[ref] = region;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        all, [](void* data, OTF2_GroupRef ref, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                OTF2_GroupFlag flags, std::uint32_t count, const std::uint64_t* members) {
          const bool is_global = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
          self(data).groups_[ref] = {type, paradigm, is_global, {members, members + count}};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        all, [](void* data, OTF2_CommRef ref, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
          self(data).comms_.push_back({ref, group, false});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
        all, [](void* data, OTF2_CommRef ref, OTF2_StringRef, OTF2_GroupRef group, OTF2_GroupRef, OTF2_CommRef,
                OTF2_CommFlag) {
          self(data).comms_.push_back({ref, group, true});
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
        all, [](void* data, OTF2_RmaWinRef ref, OTF2_StringRef, OTF2_CommRef comm, OTF2_RmaWinFlag) {
          self(data).all_windows_[ref] = comm;
          return OTF2_CALLBACK_SUCCESS;
        });
    return all;
  }

  std::pair<CommHead, std::vector<std::uint64_t>> described(const Comm& comm) const {
    CommHead head{comm.ref, CommKind::other, false};
    const auto found = groups_.find(comm.group);
    if (found == groups_.end() || found->second.paradigm != OTF2_PARADIGM_MPI) return {head, {}};
    const auto& group = found->second;
    head.is_global = group.is_global;
    if (comm.is_inter) head.kind = CommKind::inter;
    if (!comm.is_inter && group.type == OTF2_GROUP_TYPE_COMM_SELF) head.kind = CommKind::self;
    if (comm.is_inter || group.type != OTF2_GROUP_TYPE_COMM_GROUP) return {head, {}};
    head.kind = CommKind::group;
    return {head, group.members};
  }

  const std::string& path_;
  OTF2_Reader* reader_ = nullptr;
  std::string error_;  ///< what the library said first
  std::uint64_t resolution_ = 1'000'000'000;
  std::unordered_map<OTF2_StringRef, std::string> strings_;
  std::unordered_map<OTF2_LocationRef, std::pair<OTF2_LocationType, std::uint64_t>> locations_;
  std::unordered_map<OTF2_RegionRef, std::pair<OTF2_StringRef, OTF2_Paradigm>> regions_;
  std::vector<std::pair<Ref, std::string>> calls_;  ///< regions that are calls of MPI
  std::unordered_map<OTF2_GroupRef, Group> groups_;
  std::vector<Comm> comms_;
  std::unordered_map<OTF2_RmaWinRef, OTF2_CommRef> all_windows_;
  KeptEvents kept_;
};

template <class Bytes, class SomeDefinitions>
void transfer(Bytes& bytes, SomeDefinitions& all) {
  bytes(all.resolution);
  bytes(all.is_predicted);
  bytes(all.ranks);
  bytes(all.threads);
  bytes(all.events);
  bytes(all.regions);
  bytes(all.comms);
  bytes(all.windows);
}

/// Damaged archives make the library go round in circles: it gets a multiple of the time that it needs.
void limit_time(const std::string& path) {
  constexpr std::uintmax_t bytes_per_second = 2'000'000;
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& file : files_of(path)) {
    const auto size = std::filesystem::file_size(file, ignored);
    if (!ignored) bytes += size;
  }
  const rlim_t seconds = 1 + bytes / bytes_per_second;
  const rlimit limit{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &limit);
}

/// A crash of the library is the archive's fault.
std::string in_own_process(const std::string& path, const std::function<std::string()>& work) {
  try {
    return core::run_isolated([&](std::uint64_t&) {
      limit_time(path);
      return work();
    });
  } catch (const core::CannotStart&) {
    throw;
  } catch (const core::SimulationError& error) {
    core::fail_input("{}: found what the OTF2 library fails on ({}), expected an archive that is whole", path,
                     error.what());
  }
}

}  // namespace

Definitions read_definitions(const std::string& path) {
  const auto message = in_own_process(path, [&] {
    const auto all = Archive(path).definitions();
    core::ByteWriter bytes;
    transfer(bytes, all);
    return bytes.finish();
  });
  core::ByteReader bytes(message);
  Definitions all;
  transfer(bytes, all);
  return all;
}

std::vector<Event> EventReader::next() {
  if (read_.empty()) {
    const auto message = in_own_process(path_, [&] {
      Archive archive(path_);
      std::vector<LocationRef> locations;
      for (std::size_t i = after_; i < locations_.size(); ++i) locations.push_back(locations_[i].first);
      archive.open_locations(locations);
      std::vector<std::vector<Event>> read;
      std::size_t count = 0;
      for (std::size_t i = after_; i < locations_.size() && (i == after_ || count < batch_events); ++i) {
        read.push_back(archive.events(locations_[i].first, locations_[i].second));
        count += read.back().size();
      }
      core::ByteWriter bytes;
      bytes(read);
      return bytes.finish();
    });
    core::ByteReader bytes(message);
    bytes(read_);
    after_ += read_.size();
    std::reverse(read_.begin(), read_.end());
  }
  auto events = std::move(read_.back());
  read_.pop_back();
  return events;
}

}  // namespace toroid::workloads::otf2
