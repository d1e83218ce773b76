// Predicted runs as OTF2 archives, read with the library of that format by its rules.

#include <otf2/otf2.h>

#include <catch2/catch.hpp>
#include <map>
#include <tuple>
#include <vector>

#include "tests/views/viewed_run.hpp"
#include "toroid/core/error.hpp"

namespace toroid {
namespace {

using test::Viewed;

/// What an archive says, checked event by event as it is read.
struct Read {
  /// Two ranks of the world, communicator, tag; the sizes of what went between them.
  using Channel = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;
  struct Location {
    std::uint64_t last = 0;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> open;  ///< regions with the times when they were entered
  };
  std::uint64_t resolution = 0, length = 0, began_at = 0;
  std::map<std::uint32_t, std::string> strings;
  std::map<std::uint32_t, std::pair<std::uint32_t, OTF2_RegionRole>> regions;
  std::map<std::uint32_t, std::vector<std::uint64_t>> groups;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> comms;  ///< name and group
  std::map<std::uint64_t, Location> locations;
  std::map<Channel, std::vector<std::uint64_t>> sent, received;
  std::map<Channel, std::vector<std::uint64_t>> sent_at, received_at;
  std::map<std::uint64_t, std::map<std::string, double>> seconds;  ///< by location and region
  std::size_t faults = 0;
  std::map<std::string, std::uint32_t> next_ref;

  /// Definitions of a kind come in the order of their numbers, without gaps.
  void define(const std::string& kind, std::uint64_t ref) {
    if (ref != next_ref[kind]++) ++faults;
  }

  void move_on(OTF2_LocationRef location, OTF2_TimeStamp time) {
    auto& last = locations[location].last;
    if (time < last) ++faults;
    last = time;
  }
  std::string name(std::uint32_t region) { return strings.at(regions.at(region).first); }
  std::uint64_t of_world(std::uint32_t comm, std::uint32_t member) {
    return groups.at(comms.at(comm).second).at(member);
  }

  static Read& self(void* data) { return *static_cast<Read*>(data); }

  static OTF2_GlobalDefReaderCallbacks* definition_callbacks() {
    auto* all = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        all, [](void* data, std::uint64_t resolution, std::uint64_t, std::uint64_t length, std::uint64_t began_at) {
          self(data).resolution = resolution;
          self(data).length = length;
          self(data).began_at = began_at;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(all, [](void* data, OTF2_StringRef ref, const char* text) {
      self(data).define("string", ref);
      self(data).strings[ref] = text;
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        all, [](void* data, OTF2_RegionRef ref, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                OTF2_RegionRole role, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
          self(data).define("region", ref);
          self(data).regions[ref] = {name, role};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        all, [](void* data, OTF2_GroupRef ref, OTF2_StringRef, OTF2_GroupType, OTF2_Paradigm, OTF2_GroupFlag,
                std::uint32_t count, const std::uint64_t* members) {
          self(data).define("group", ref);
          self(data).groups[ref] = {members, members + count};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        all, [](void* data, OTF2_CommRef ref, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
          self(data).define("comm", ref);
          self(data).comms[ref] = {name, group};
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all, [](void* data, OTF2_LocationRef ref, OTF2_StringRef,
                                                              OTF2_LocationType, std::uint64_t, OTF2_LocationGroupRef) {
      self(data).define("location", ref);
      self(data).locations[ref];
      return OTF2_CALLBACK_SUCCESS;
    });
    return all;
  }

  static OTF2_GlobalEvtReaderCallbacks* event_callbacks() {
    auto* all = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(all, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                                                           OTF2_AttributeList*, OTF2_RegionRef region) {
      self(data).move_on(location, time);
      self(data).locations[location].open.emplace_back(region, time);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(all, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                                                           OTF2_AttributeList*, OTF2_RegionRef region) {
      auto& read = self(data);
      read.move_on(location, time);
      auto& open = read.locations[location].open;
      if (open.empty() || open.back().first != region) return ++read.faults, OTF2_CALLBACK_INTERRUPT;
      read.seconds[location][read.name(region)] +=
          static_cast<double>(time - open.back().second) / static_cast<double>(read.resolution);
      open.pop_back();
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
        all, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t to,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
          auto& read = self(data);
          read.move_on(location, time);
          const Channel channel{location, read.of_world(comm, to), comm, tag};
          read.sent[channel].push_back(bytes);
          read.sent_at[channel].push_back(time);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
        all, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t from,
                OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
          auto& read = self(data);
          read.move_on(location, time);
          const Channel channel{read.of_world(comm, from), location, comm, tag};
          read.received[channel].push_back(bytes);
          read.received_at[channel].push_back(time);
          return OTF2_CALLBACK_SUCCESS;
        });
    return all;
  }
};

void write(const Viewed& run, const std::string& path) {
  core::OutputSet outputs;
  auto& folder = outputs.add_folder(path);
  folder.create();
  views::run_formats().find("otf2").make.write_folder(run.run(), folder);
  outputs.commit();
}

Read read(const std::string& folder) {
  Read all;
  OTF2_Reader* reader = OTF2_Reader_Open((folder + "/traces.otf2").c_str());
  REQUIRE(reader != nullptr);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  auto* definitions = Read::definition_callbacks();
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, OTF2_Reader_GetGlobalDefReader(reader), definitions, &all);
  OTF2_GlobalDefReaderCallbacks_Delete(definitions);
  std::uint64_t count = 0;
  REQUIRE(OTF2_Reader_ReadAllGlobalDefinitions(reader, OTF2_Reader_GetGlobalDefReader(reader), &count) == OTF2_SUCCESS);
  for (const auto& [location, what] : all.locations) OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenEvtFiles(reader);
  for (const auto& [location, what] : all.locations) OTF2_Reader_GetEvtReader(reader, location);
  auto* events = Read::event_callbacks();
  auto* event_reader = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, event_reader, events, &all);
  OTF2_GlobalEvtReaderCallbacks_Delete(events);
  CHECK(OTF2_Reader_ReadAllGlobalEvents(reader, event_reader, &count) == OTF2_SUCCESS);
  OTF2_Reader_CloseGlobalEvtReader(reader, event_reader);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_Close(reader);
  return all;
}

/// Messages of the run by what an archive calls their channel, in the order of their sends.
std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::string>, std::vector<std::uint64_t>> sizes_of(
    const Viewed& run) {
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::string>, std::vector<std::uint64_t>> all;
  for (const auto& m : run.result.timeline.messages) {
    const auto name = m.comm() == workloads::world ? std::string("MPI_COMM_WORLD")
                                                   : "communicator " + std::to_string(m.comm().value());
    all[{m.from.index(), m.to.index(), static_cast<std::uint32_t>(m.tag),
         m.is_of_collective() ? "collectives of " + name : name}]
        .push_back(m.bytes);
  }
  return all;
}

void check_archive(const Viewed& run, const std::string& folder) {
  write(run, folder);
  auto archive = read(folder);
  CHECK(archive.faults == 0);
  CHECK(archive.began_at == OTF2_UNDEFINED_TIMESTAMP);
  CHECK(static_cast<double>(archive.length) / static_cast<double>(archive.resolution) ==
        Approx(run.result.runtime).margin(1e-11));
  REQUIRE(archive.locations.size() == run.result.ranks.size());
  for (const auto& [location, what] : archive.locations) CHECK(what.open.empty());
  // Readers take the n-th receive of a channel for that of its n-th send.
  CHECK(archive.sent == archive.received);
  for (const auto& [channel, times] : archive.sent_at)
    for (std::size_t i = 0; i < times.size(); ++i) CHECK(times[i] <= archive.received_at.at(channel).at(i));
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::string>, std::vector<std::uint64_t>> found;
  for (const auto& [channel, bytes] : archive.sent) {
    const auto& [from, to, comm, tag] = channel;
    found[{from, to, tag, archive.strings.at(archive.comms.at(comm).first)}] = bytes;
  }
  CHECK(found == sizes_of(run));
  for (const auto rank : run.result.ranks.ids()) {
    CAPTURE(rank);
    auto& seconds = archive.seconds[rank.index()];
    const auto& report = run.result.ranks[rank];
    const auto margin = 1e-11 * static_cast<double>(run.result.timeline.calls[rank].size() + 1);
    CHECK(seconds["compute"] + seconds["sleep"] + seconds["computing"] == Approx(report.compute).margin(margin));
    CHECK(seconds["message on its way"] == Approx(report.transfer).margin(margin));
    CHECK(seconds["for a partner"] == Approx(report.wait).margin(margin));
  }
}

TEST_CASE("an OTF2 archive has the calls, waits and messages of its run, which readers match as MPI did") {
  const test::Scratch scratch;
  check_archive(test::viewed("torus:4x4", "lulesh:ranks=8,steps=2"), scratch.path("lulesh"));
  check_archive(test::viewed("torus:4x4", "cg:class=S,ranks=16,iterations=1"), scratch.path("cg"));
  for (std::uint64_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    check_archive(test::random_run(i), scratch.path("run" + std::to_string(i)));
  }
}

TEST_CASE("a message that overtakes another is received after it, as MPI has it") {
  const test::Scratch scratch;
  // The small message arrives first; with a threshold of 100 bytes it even sets out first.
  for (const std::uint64_t threshold : {65536, 100}) {
    CAPTURE(threshold);
    const Viewed run("mesh:2",
                     test::trace_of("0 isend 1 7 10000\n0 isend 1 7 10\n0 waitall 2\n1 sleep 1e-3\n"
                                    "1 recv 0 7 10000\n1 recv 0 7 10\n"),
                     4, threshold);
    const auto folder = scratch.path(std::to_string(threshold));
    check_archive(run, folder);
    const auto archive = read(folder);
    REQUIRE(archive.received.size() == 1);
    CHECK(archive.received.begin()->second == std::vector<std::uint64_t>{10000, 10});
  }
}

TEST_CASE("regions are called as MPI calls them, and have the role that they have there") {
  using workloads::OpKind;
  using workloads::SendMode;
  auto trace = std::make_unique<workloads::CompactTrace>(2);
  const auto both = [&](const workloads::Operation& op) {
    for (const workloads::Rank rank : core::ids<workloads::Rank>(2)) trace->add(rank, op);
  };
  const auto pair = [&](workloads::Operation send, workloads::Operation receive) {
    send.to = 1;
    send.bytes = receive.bytes = 1000;
    trace->add(0, send);
    trace->add(1, receive);
  };
  trace->add(1, {.kind = OpKind::sleep, .amount = 1e-5});
  pair({.kind = OpKind::send, .mode = SendMode::synchronous}, {.kind = OpKind::recv});
  pair({.kind = OpKind::send, .mode = SendMode::buffered}, {.kind = OpKind::recv});
  pair({.kind = OpKind::isend, .mode = SendMode::synchronous, .request = 0}, {.kind = OpKind::recv});
  trace->add(0, {.kind = OpKind::wait, .request = 0});
  both({.kind = OpKind::allreduce, .bytes = 8});
  both({.kind = OpKind::allreduce, .request = 1, .bytes = 8});
  both({.kind = OpKind::wait, .request = 1});
  both({.kind = OpKind::scan, .bytes = 8});
  both({.kind = OpKind::reduce_scatter, .bytes = 8});
  both({.kind = OpKind::bcast, .bytes = 8});
  trace->add(0, {.kind = OpKind::put, .to = 1, .bytes = 8});
  both({.kind = OpKind::fence});
  trace->finish();
  const test::Scratch scratch;
  const Viewed run("mesh:2", std::move(trace));
  check_archive(run, scratch.path("run"));
  auto archive = read(scratch.path("run"));
  std::map<std::string, OTF2_RegionRole> roles;
  for (const auto& [ref, region] : archive.regions) roles[archive.strings.at(region.first)] = region.second;
  CHECK(roles == std::map<std::string, OTF2_RegionRole>{{"MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT},
                                                        {"MPI_Bsend", OTF2_REGION_ROLE_POINT2POINT},
                                                        {"MPI_Issend", OTF2_REGION_ROLE_POINT2POINT},
                                                        {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT},
                                                        {"MPI_Wait", OTF2_REGION_ROLE_POINT2POINT},
                                                        {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
                                                        {"MPI_Iallreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
                                                        {"MPI_Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
                                                        {"MPI_Scan", OTF2_REGION_ROLE_COLL_OTHER},
                                                        {"MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
                                                        {"MPI_Put", OTF2_REGION_ROLE_RMA},
                                                        {"MPI_Win_fence", OTF2_REGION_ROLE_BARRIER},
                                                        {"sleep", OTF2_REGION_ROLE_CODE},
                                                        {"message on its way", OTF2_REGION_ROLE_ARTIFICIAL},
                                                        {"for a partner", OTF2_REGION_ROLE_ARTIFICIAL}});
}

TEST_CASE("what keeps the library from writing stands in one line, with the folder as it was given") {
  const test::Scratch scratch;
  core::OutputSet outputs;
  auto& folder = outputs.add_folder(scratch.path("run"));
  folder.create();
  scratch.write(folder.place().substr(folder.place().rfind('/') + 1) + "/traces", "a file, where a folder is to be");
  const auto run = test::viewed("mesh:2x2", "stencil:grid=2x2,steps=1");
  const auto error = test::error_of([&] { views::run_formats().find("otf2").make.write_folder(run.run(), folder); });
  CHECK_THAT(error, Catch::StartsWith(scratch.path("run") + ": cannot be written: "));
  CHECK_THAT(error, !Catch::Contains("partial: "));
}

}  // namespace
}  // namespace toroid
