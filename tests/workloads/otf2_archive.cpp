#include "tests/workloads/otf2_archive.hpp"

#include <numeric>

#include <catch2/catch.hpp>

namespace toroid::workloads {
namespace {

void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) FAIL(OTF2_Error_GetDescription(code));
}

constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

}  // namespace

Otf2Archive::Otf2Archive(int ranks, std::vector<Otf2Comm> comms, std::uint64_t resolution)
    : ranks_(ranks), comms_(std::move(comms)), resolution_(resolution) {
  archive_ = OTF2_Archive_Open(folder().c_str(), "traces", OTF2_FILEMODE_WRITE, 1U << 20U, 1U << 20U,
                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  REQUIRE(archive_ != nullptr);
  static const OTF2_FlushCallbacks flush{
      [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
  check(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  check(OTF2_Archive_OpenEvtFiles(archive_));
  if (comms_.empty()) comms_.emplace_back();
  if (comms_[0].members.empty() && comms_[0].type == OTF2_GROUP_TYPE_COMM_GROUP) {
    comms_[0].members.resize(at(ranks));
    std::iota(comms_[0].members.begin(), comms_[0].members.end(), 0);
  }
  now_.resize(at(ranks), 1000);
  for (int rank = 0; rank < ranks; ++rank)
    writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, static_cast<OTF2_LocationRef>(10 + rank)));
}

Otf2Archive::~Otf2Archive() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

int Otf2Archive::add_thread() {
  const int number = ranks_ + threads_++;
  writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, static_cast<OTF2_LocationRef>(10 + number)));
  now_.push_back(1000);
  return number;
}

OTF2_EvtWriter* Otf2Archive::writer(int rank) {
  return writers_[at(rank)];
}

void Otf2Archive::enter(int rank, const std::string& region) {
  const auto ref = regions_.emplace(region, static_cast<std::uint32_t>(regions_.size())).first->second;
  check(OTF2_EvtWriter_Enter(writer(rank), nullptr, now_[at(rank)], ref));
}
void Otf2Archive::leave(int rank, const std::string& region) {
  check(OTF2_EvtWriter_Leave(writer(rank), nullptr, time(rank), regions_.at(region)));
}
void Otf2Archive::send(int rank, std::uint32_t to, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes) {
  check(OTF2_EvtWriter_MpiSend(writer(rank), nullptr, time(rank), to, comm, tag, bytes));
}
void Otf2Archive::isend(int rank, std::uint32_t to, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
                        std::uint64_t id) {
  check(OTF2_EvtWriter_MpiIsend(writer(rank), nullptr, time(rank), to, comm, tag, bytes, id));
}
void Otf2Archive::isend_end(int rank, std::uint64_t id) {
  check(OTF2_EvtWriter_MpiIsendComplete(writer(rank), nullptr, time(rank), id));
}
void Otf2Archive::recv(int rank, std::uint32_t from, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes) {
  check(OTF2_EvtWriter_MpiRecv(writer(rank), nullptr, time(rank), from, comm, tag, bytes));
}
void Otf2Archive::irecv(int rank, std::uint64_t id) {
  check(OTF2_EvtWriter_MpiIrecvRequest(writer(rank), nullptr, time(rank), id));
}
void Otf2Archive::irecv_end(int rank, std::uint32_t from, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
                            std::uint64_t id) {
  check(OTF2_EvtWriter_MpiIrecv(writer(rank), nullptr, time(rank), from, comm, tag, bytes, id));
}
void Otf2Archive::cancel(int rank, std::uint64_t id) {
  check(OTF2_EvtWriter_MpiRequestCancelled(writer(rank), nullptr, time(rank), id));
}
void Otf2Archive::collective(int rank, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root, std::uint64_t sent,
                             std::uint64_t received) {
  check(OTF2_EvtWriter_MpiCollectiveBegin(writer(rank), nullptr, time(rank)));
  check(OTF2_EvtWriter_MpiCollectiveEnd(writer(rank), nullptr, time(rank), op, comm, root, sent, received));
}
void Otf2Archive::icollective(int rank, std::uint64_t id) {
  check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer(rank), nullptr, time(rank), id));
}
void Otf2Archive::icollective_end(int rank, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root,
                                  std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
  check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer(rank), nullptr, time(rank), op, comm, root, sent, received,
                                                     id));
}
void Otf2Archive::put(int rank, std::uint32_t window, std::uint32_t to, std::uint64_t bytes) {
  check(OTF2_EvtWriter_RmaPut(writer(rank), nullptr, time(rank), window, to, bytes, 0));
}
void Otf2Archive::get(int rank, std::uint32_t window, std::uint32_t to, std::uint64_t bytes) {
  check(OTF2_EvtWriter_RmaGet(writer(rank), nullptr, time(rank), window, to, bytes, 0));
}
void Otf2Archive::fence(int rank, std::uint32_t window) {
  check(OTF2_EvtWriter_RmaCollectiveBegin(writer(rank), nullptr, time(rank)));
  check(OTF2_EvtWriter_RmaCollectiveEnd(writer(rank), nullptr, time(rank), OTF2_COLLECTIVE_OP_BARRIER,
                                        OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, window, none, 0, 0));
}
void Otf2Archive::record(int rank, bool is_on) {
  check(OTF2_EvtWriter_MeasurementOnOff(writer(rank), nullptr, time(rank),
                                        is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

std::string Otf2Archive::finish() {
  define();
  check(OTF2_Archive_Close(archive_));
  archive_ = nullptr;
  return folder() + "/traces.otf2";
}

std::uint32_t Otf2Archive::string(const std::string& text) {
  return strings_.at(text);
}

void Otf2Archive::define() {
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (int location = 0; location < ranks_ + threads_; ++location)
    check(OTF2_Archive_CloseDefWriter(
        archive_, OTF2_Archive_GetDefWriter(archive_, static_cast<OTF2_LocationRef>(10 + location))));
  check(OTF2_Archive_CloseDefFiles(archive_));
  auto* definitions = OTF2_Archive_GetGlobalDefWriter(archive_);
  check(OTF2_GlobalDefWriter_WriteClockProperties(definitions, resolution_, 1000, 1'000'000, 0));
  for (const std::string name : {"", "node", "machine", "process"}) strings_.emplace(name, strings_.size());
  for (const auto& [name, ref] : regions_) strings_.emplace(name, strings_.size());
  for (const auto& [text, ref] : strings_) check(OTF2_GlobalDefWriter_WriteString(definitions, ref, text.c_str()));
  for (const auto& [name, ref] : regions_)
    check(OTF2_GlobalDefWriter_WriteRegion(definitions, ref, string(name), string(name), string(""),
                                           OTF2_REGION_ROLE_FUNCTION,
                                           name.starts_with("MPI_") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER,
                                           OTF2_REGION_FLAG_NONE, string(""), 0, 0));
  define_locations(definitions);
  define_comms(definitions);
}

void Otf2Archive::define_locations(OTF2_GlobalDefWriter* definitions) {
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, string("machine"), string("node"), none));
  std::vector<std::uint64_t> locations;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto process = static_cast<std::uint32_t>(rank);
    check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, process, string("process"),
                                                  OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, none));
    locations.push_back(10 + process);
  }
  for (int location = 0; location < ranks_ + threads_; ++location) {
    std::uint64_t events = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(writer(location), &events));
    const auto process = static_cast<std::uint32_t>(location < ranks_ ? location : 0);
    check(OTF2_GlobalDefWriter_WriteLocation(definitions, static_cast<OTF2_LocationRef>(10 + location), string(""),
                                             OTF2_LOCATION_TYPE_CPU_THREAD, events, process));
    check(OTF2_Archive_CloseEvtWriter(archive_, writer(location)));
  }
  check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_GlobalDefWriter_WriteGroup(definitions, 1000, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        static_cast<std::uint32_t>(locations.size()), locations.data()));
}

void Otf2Archive::define_comms(OTF2_GlobalDefWriter* definitions) {
  for (std::uint32_t ref = 0; ref < comms_.size(); ++ref) {
    const auto& comm = comms_[ref];
    check(OTF2_GlobalDefWriter_WriteGroup(definitions, ref, string(""), comm.type, comm.paradigm, comm.flags,
                                          static_cast<std::uint32_t>(comm.members.size()), comm.members.data()));
    check(OTF2_GlobalDefWriter_WriteComm(definitions, ref, string(""), ref, none, OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteRmaWin(definitions, ref, string(""), ref, OTF2_RMA_WIN_FLAG_NONE));
  }
}

}  // namespace toroid::workloads
