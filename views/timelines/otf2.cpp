// A run as an OTF2 archive, FOLDER/traces.otf2. Calls are regions with the names that MPI gives them, what a rank waits
// for is a region within them. A message is sent where the rank comes to the send, and received where the message has
// arrived: readers take the n-th receive of two ranks, communicator and tag for that of the n-th send. Built only where
// there is an OTF2 library.

#include <otf2/otf2.h>

#include <cstdarg>
#include <fstream>
#include <numeric>

#include "core/inputs.hpp"
#include "platforms/names.hpp"
#include "views/documents/numbering.hpp"
#include "views/timelines/formats.hpp"
#include "views/timelines/rank_events.hpp"

namespace toroid::views {
namespace {

using workloads::OpKind;
using workloads::Rank;

constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

OTF2_RegionRole region_role(OpKind kind) {
  switch (kind) {
    case OpKind::barrier:
    case OpKind::fence:
      return OTF2_REGION_ROLE_BARRIER;
    case OpKind::bcast:
    case OpKind::scatter:
    case OpKind::scatterv:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case OpKind::reduce:
    case OpKind::gather:
    case OpKind::gatherv:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case OpKind::scan:
    case OpKind::exscan:
      return OTF2_REGION_ROLE_COLL_OTHER;
    case OpKind::put:
      return OTF2_REGION_ROLE_RMA;
    default:
      return workloads::is_collective(kind) ? OTF2_REGION_ROLE_COLL_ALL2ALL : OTF2_REGION_ROLE_POINT2POINT;
  }
}

/// Keeps what the library has to say of errors, which otherwise goes to standard error.
class LibraryErrors {
 public:
  LibraryErrors() : before_(OTF2_Error_RegisterCallback(note, this)) {}
  ~LibraryErrors() { OTF2_Error_RegisterCallback(before_, nullptr); }
  LibraryErrors(const LibraryErrors&) = delete;
  LibraryErrors& operator=(const LibraryErrors&) = delete;

  /// The first error: that is the cause of the others.
  const std::string& first() const { return first_; }

 private:
  static OTF2_ErrorCode note(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                             const char* format, std::va_list arguments) {
    std::array<char, 200> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    auto& first = static_cast<LibraryErrors*>(self)->first_;
    if (first.empty()) first = fmt::format("{} ({})", OTF2_Error_GetDescription(code), core::excerpt(text.data()));
    return code;
  }

  std::string first_;
  OTF2_ErrorCallback before_;
};

class Archive {
 public:
  Archive(const ViewedRun& run, const core::OutputFolder& folder)
      : run_(run),
        folder_(folder),
        ticks_per_second_(run.result.runtime < 1e6 ? 1'000'000'000'000 : 1'000'000'000),
        ranks_(run.result, ticks_per_second_, MessageTimes::matched),
        archive_(OTF2_Archive_Open(folder.place().c_str(), "traces", OTF2_FILEMODE_WRITE, 1U << 20U, 1U << 22U,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                 OTF2_Archive_Close) {
    if (!archive_) fail(OTF2_ERROR_INVALID);
    static const OTF2_FlushCallbacks flush{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    check(OTF2_Archive_SetCreator(archive_.get(), "toroid"));  // our reader knows predicted runs by this name
    check(OTF2_Archive_SetDescription(archive_.get(), "a predicted run"));
    contexts_.number(0);  // there always is a world
  }

  void write() {
    check(OTF2_Archive_OpenEvtFiles(archive_.get()));
    std::vector<std::uint64_t> counts;
    for (const auto rank : ranks_.rank_ids()) counts.push_back(write_events(rank));
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const auto rank : ranks_.rank_ids())
      check(OTF2_Archive_CloseDefWriter(archive_.get(), OTF2_Archive_GetDefWriter(archive_.get(), rank.index())));
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
    define(counts);
    check(OTF2_Archive_Close(archive_.release()));
    name_by_content();
  }

 private:
  [[noreturn]] void fail(OTF2_ErrorCode code) const {
    core::fail_input("{}: cannot be written: {}", folder_.path(),
                     errors_.first().empty() ? OTF2_Error_GetDescription(code) : errors_.first());
  }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail(code);
  }

  /// The library gives each archive a random number, which would be all that differs between two of one run.
  void name_by_content() const {
    const auto path = folder_.place() + "/traces";
    auto* reader = OTF2_Reader_Open((path + ".otf2").c_str());
    if (reader == nullptr) fail(OTF2_ERROR_INVALID);
    std::uint64_t number = 0;
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    check(OTF2_Reader_GetTraceId(reader, &number));
    check(OTF2_Reader_Close(reader));
    std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
    std::fstream file(path + ".otf2", std::ios::in | std::ios::out | std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto at = text.find(bytes);
    std::ranges::reverse(bytes);
    at = std::min(at, text.find(bytes));
    if (at == std::string::npos) fail(OTF2_ERROR_INVALID);
    file.seekp(static_cast<std::streamoff>(at));
    file << core::sha256_of_file(path + ".def").substr(0, sizeof number) << std::flush;
    if (!file) fail(OTF2_ERROR_INVALID);
  }

  /// Returns how many events the rank has.
  std::uint64_t write_events(Rank rank) {
    auto* writer = OTF2_Archive_GetEvtWriter(archive_.get(), rank.index());
    RankEvents events(ranks_, rank);
    while (const auto event = events.next()) check(write(writer, rank, *event));
    std::uint64_t count = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count));
    check(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
    return count;
  }

  OTF2_ErrorCode write(OTF2_EvtWriter* writer, Rank rank, const RankEvent& event) {
    using What = RankEvent::What;
    const auto time = static_cast<OTF2_TimeStamp>(event.time);
    const auto call = [&] { return region(ranks_.call(rank, event.number)); };
    const auto phase = [&] { return region(ranks_.phase(rank, event.number).doing); };
    switch (event.what) {
      case What::enter_call:
        return OTF2_EvtWriter_Enter(writer, nullptr, time, call());
      case What::leave_call:
        return OTF2_EvtWriter_Leave(writer, nullptr, time, call());
      case What::enter_phase:
        return OTF2_EvtWriter_Enter(writer, nullptr, time, phase());
      case What::leave_phase:
        return OTF2_EvtWriter_Leave(writer, nullptr, time, phase());
      case What::launch: {
        const auto& m = ranks_.message(event.number);
        return OTF2_EvtWriter_MpiSend(writer, nullptr, time, member(m, m.to), communicator(m),
                                      static_cast<std::uint32_t>(m.tag), m.bytes);
      }
      case What::arrive: {
        const auto& m = ranks_.message(event.number);
        return OTF2_EvtWriter_MpiRecv(writer, nullptr, time, member(m, m.from), communicator(m),
                                      static_cast<std::uint32_t>(m.tag), m.bytes);
      }
    }
    return OTF2_SUCCESS;
  }

  // What events refer to has a number from its first use on, and is defined in the end.

  std::uint32_t region(const netsim::Call& call) {
    const auto key = (static_cast<std::uint32_t>(call.kind) << 16U) | (static_cast<std::uint32_t>(call.mode) << 8U) |
                     static_cast<std::uint32_t>(call.has_request);
    const auto [found, is_new] = calls_.try_emplace(key, 0);
    if (is_new) {
      const auto name = mpi_name(call);
      const OTF2_RegionRole role = name.empty() ? OTF2_RegionRole{OTF2_REGION_ROLE_CODE} : region_role(call.kind);
      found->second = region(name.empty() ? std::string(to_string(call.kind)) : name, role);
    }
    return found->second;
  }
  std::uint32_t region(netsim::Doing doing) {
    return region(std::string(to_words(doing)), OTF2_REGION_ROLE_ARTIFICIAL);
  }
  std::uint32_t region(const std::string& name, OTF2_RegionRole role) { return regions_.number({name, role}); }

  std::uint32_t communicator(const netsim::MessageFlight& message) { return contexts_.number(message.context); }
  /// The rank of a process in the communicator of a message.
  std::uint32_t member(const netsim::MessageFlight& message, Rank rank) const {
    return static_cast<std::uint32_t>(run_.trace.communicator(message.comm()).rank_of(rank));
  }

  /// The number of a text among the definitions, which it joins if it is new.
  std::uint32_t string(const std::string& text) {
    const auto [ref, is_new] = strings_.add(text);
    if (is_new) check(OTF2_GlobalDefWriter_WriteString(definitions_, ref, text.c_str()));
    return ref;
  }

  void define(const std::vector<std::uint64_t>& counts) {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    const auto end = static_cast<std::uint64_t>(ranks_.ticks(run_.result.runtime));
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, static_cast<std::uint64_t>(ticks_per_second_), 0,
                                                    end + 1, OTF2_UNDEFINED_TIMESTAMP));
    string("");
    for (const auto& [name, role] : regions_.all()) define_region(name, role);
    define_locations(counts);
    define_communicators();
  }

  void define_region(const std::string& name, OTF2_RegionRole role) {
    const auto ref = regions_.number({name, role});
    const auto paradigm = name.starts_with("MPI_") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
    check(OTF2_GlobalDefWriter_WriteRegion(definitions_, ref, string(name), string(name), string(""), role, paradigm,
                                           OTF2_REGION_FLAG_NONE, string(""), 0, 0));
  }

  /// The machine, under it the nodes that have ranks, the ranks as processes of one thread. The thread has the name
  /// that Score-P gives it: ViTE refuses an archive where a thread has the name of its process.
  void define_locations(const std::vector<std::uint64_t>& counts) {
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, string(run_.names.platform), string("machine"),
                                                   none));
    Numbering<platforms::NodeId, std::uint32_t> nodes;
    for (const auto rank : ranks_.rank_ids()) {
      const auto number = static_cast<std::uint32_t>(rank.value());
      const auto node = run_.result.ranks[rank].node;
      const auto [place, is_new] = nodes.add(node);
      const auto ref = place + 1;  // behind the machine
      if (is_new)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            definitions_, ref, string(platforms::node_name(run_.machine.description(), node)), string("node"), 0));
      check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, number, string(fmt::format("rank {}", rank)),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, ref, none));
      check(OTF2_GlobalDefWriter_WriteLocation(definitions_, number, string("Master thread"),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, counts[rank.index()], number));
    }
  }

  void define_group(std::uint32_t ref, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    check(OTF2_GlobalDefWriter_WriteGroup(definitions_, ref, string(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(members.size()), members.data()));
  }

  /// The ranks of the world, and the communicators that messages were in, each with a group of its own.
  void define_communicators() {
    std::vector<std::uint64_t> all(ranks_.ranks());
    std::iota(all.begin(), all.end(), 0);
    define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
    for (const auto context : contexts_.all()) {
      const auto ref = contexts_.number(context);
      const netsim::MessageFlight in_it{.context = context};
      const auto& communicator = run_.trace.communicator(in_it.comm());
      std::vector<std::uint64_t> members;
      for (workloads::CommRank member = 0; member < communicator.size(); ++member)
        members.push_back(communicator.member(member).index());
      define_group(ref + 1, OTF2_GROUP_TYPE_COMM_GROUP, members);
      const auto name = in_it.comm() == workloads::world ? std::string("MPI_COMM_WORLD")
                                                         : fmt::format("communicator {}", in_it.comm());
      check(OTF2_GlobalDefWriter_WriteComm(definitions_, ref,
                                           string(in_it.is_of_collective() ? "collectives of " + name : name), ref + 1,
                                           none, OTF2_COMM_FLAG_NONE));
    }
  }

  const ViewedRun& run_;
  const core::OutputFolder& folder_;
  LibraryErrors errors_;
  std::int64_t ticks_per_second_;
  RankTimelines ranks_;
  std::unique_ptr<OTF2_Archive, OTF2_ErrorCode (*)(OTF2_Archive*)> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  Numbering<std::pair<std::string, OTF2_RegionRole>, std::uint32_t> regions_;
  std::unordered_map<std::uint32_t, std::uint32_t> calls_;  ///< regions of calls by kind, mode, request
  Numbering<std::uint32_t, std::uint32_t> contexts_;        ///< communicators
  Numbering<std::string, std::uint32_t> strings_;
};

}  // namespace

core::Entry<RunFormat> otf2_format() {
  return {"otf2",
          otf2_help,
          {.write_folder = [](const ViewedRun& run, const core::OutputFolder& folder) { Archive(run, folder).write(); },
           .is_folder = true}};
}

}  // namespace toroid::views
