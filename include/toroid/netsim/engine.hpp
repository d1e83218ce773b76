#pragma once
// The engines, which say what messages cost, by their names: EngineChoice("fluid"), EngineChoice("packet:vcs=4"). The
// network that an engine is, is netsim/network.hpp's.

#include "toroid/core/registry.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {

using platforms::Machine;

class Clock;
class Network;

// How far the times of an engine are from those of networks of flits, as far as this was measured.

/// What flits took over what the engine says, of programs that share links: the product of what all placements of a
/// program on a machine have in common, and of what each placement has of its own. Both are lists of equally likely
/// values, ascending; empty ones where nobody has measured it. bench/engine_deviation measures them, and
/// docs/validation/engines.md tells how.
struct Deviation {
  std::span<const double> programs = {}, placements = {};
};

extern const Deviation deviation_of_packets;  ///< how far the engine packet is off
extern const Deviation deviation_of_flows;    ///< how far engines that share links max-min fairly are off

/// The seconds that deviate, of those that a run spends in the network: all where messages lose a fifth of them to
/// sharing or more, in proportion below. A message that is alone takes the same time in flits.
double deviating_seconds(double in_network, double sharing);

/// What becomes of flows whose bytes are on a link when it fails: they start again from their node, with the bytes that
/// have not arrived and all latencies of their new route; or their clients are told.
enum class OnLinkFailure : std::uint8_t { reroute, fail };

/// Whether times depend on a property of machines, by its full name, where an engine asks of routers how large headers
/// are, and nothing else.
bool takes_headers(std::string_view property, const platforms::Description& machine, const core::Arguments& arguments);

/// How an engine is made, and what it needs.
struct MakeNetwork {
  /// What a user should know of the engine with these settings on a machine, a line each. Throws as `make` does.
  using Remarks = std::vector<std::string> (*)(const Machine&, const core::Arguments&);
  /// Whether times by the engine with these settings depend on a property of a machine, by its full name.
  using Takes = bool (*)(std::string_view property, const platforms::Description&, const core::Arguments&);

  std::unique_ptr<Network> (*make)(const Machine&, Clock&, const core::Arguments&);
  bool own_process = false;         ///< whether a process has one such network at most
  void (*load)() = [] {};           ///< takes in what it needs besides this program
  bool machine_may_change = false;  ///< see Network::change()
  std::string_view faster = {};     ///< an engine that, without keys, solves the same model faster; empty if none does
  Remarks remarks = [](const Machine&, const core::Arguments&) { return std::vector<std::string>(); };
  Takes takes = takes_headers;
  Deviation deviation = {};  ///< how far its times are from those of flits

  std::unique_ptr<Network> operator()(const Machine& machine, Clock& clock, const core::Arguments& arguments) const;
};

/// The engines, by name.
const core::Registry<MakeNetwork>& engines();

/// An engine with its settings, as a user chose it.
using EngineChoice = core::Choice<engines>;

/// Which of the properties, by their full names, change no time on the machine by the engine.
std::vector<std::string> not_taken(const EngineChoice& engine, const platforms::Description& machine,
                                   const std::vector<std::string>& properties);
/// The engines, without keys, by which times depend on a property of some machine; by their names.
std::vector<std::string> engines_that_take(std::string_view property);
/// `router.vcs changes no time by fluid; packet takes it`, of properties that the engine does not take.
std::string not_taken_in_words(const EngineChoice& engine, const std::vector<std::string>& properties);

/// Throws InputError where two of the machines differ in nothing that one of the engines takes.
void expect_told_apart(std::vector<platforms::Description> machines, const std::vector<EngineChoice>& engines);

/// What a user should know of an engine on a machine; also which properties the engine does not take of those that the
/// machine's name sets, and of those that are drawn. Throws InputError if the engine cannot simulate the machine.
std::vector<std::string> remarks(const EngineChoice& engine, const Machine& machine,
                                 const std::vector<std::string>& drawn = {});
/// The same, each with its subject: `packet on mesh:8: ...`.
std::vector<std::string> named_remarks(const EngineChoice& engine, const Machine& machine,
                                       const std::vector<std::string>& drawn = {});

/// The engine that others are compared with, and the usual one of a single run.
extern const std::string_view reference_engine;
/// The usual engine of many runs: it solves the model of the reference, any number of times in a process.
extern const std::string_view fast_engine;

/// Takes in what the engine needs besides this program, and returns how it is made. Throws InputError if it cannot be
/// loaded.
const MakeNetwork& load(const EngineChoice& engine);

// The engine for a second opinion: it has what the others leave out, routers that hold up packets.

/// Its name. Keys give its routers other properties than the machine's: `routing=adaptive`.
extern const std::string_view router_engine;

}  // namespace toroid::netsim
