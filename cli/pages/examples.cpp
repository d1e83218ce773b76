// `toroid examples`: tasks of users, each with a command that works when it is pasted. An example that reads a file
// comes behind the one that writes the file; tests/cli/examples_test.cpp runs all of them, in this order.

#include <array>
#include <cctype>

#include "cli/commands.hpp"

namespace toroid::cli {
namespace {

struct Example {
  std::string_view task, command;
};

constexpr std::array<Example, 22> examples{{
    {"how long my program runs on a machine",
     "toroid simulate torus:4x4x4 cg:class=A,ranks=64,iterations=3 --compute trace"},
    {"why it takes that long, and what would help",
     "toroid simulate torus:4x4x4 cg:class=A,ranks=64,iterations=1 --explain"},
    {"look at a run: links over time, ranks, critical path",
     "toroid simulate torus:4x4x4 cg:class=A,ranks=64,iterations=3 --html run.html --columns run.columns --json "
     "run.json"},
    {"do a run again with one thing changed, and see what differs",
     "toroid simulate --config run.json --map quick --columns quick.columns && toroid diff run.columns quick.columns"},
    {"which mapping (rank order) is best for a program, with a page of reasons",
     "toroid advise torus:4x4x4 minighost:grid=4x4x4,steps=1 --repeat 2 --html advice.html"},
    {"my job's nodes from Slurm, best rank order as a hostfile",
     "toroid map 'torus:4x4x4,node-names=(nid[000-063])' stencil:grid=4x4 --nodes "
     "\"${SLURM_JOB_NODELIST:-nid[016-031]}\" "
     "--format slurm -o hosts"},
    {"a rankfile for Open MPI", "toroid map mesh:8x8 stencil:grid=4x4x4 --map grasp --format openmpi -o rankfile"},
    {"the order of devices for a JAX mesh on a TPU slice",
     "toroid map tpu-v5p:4x4x8 --mesh data=16,model=8 --map mesh --format jax -o devices.json"},
    {"compare mappings: is one better, or is that chance?",
     "toroid compare torus:4x4x4 --trace cg:class=A,ranks=64,iterations=1 --map consecutive random grasp --repeat 8 "
     "--json "
     "study.json"},
    {"a figure of that comparison for a paper", "toroid plot study.json --svg study.svg"},
    {"what if links were twice as fast, or one failed?",
     "toroid compare torus:4x4x4 --trace cg:class=A,ranks=64,iterations=1 --map quick --what-if bandwidth=x2 "
     "fail-link=n0-n1"},
    {"how sure is the run time if I know the bandwidth only roughly?",
     "toroid simulate torus:4x4x4,bandwidth=1..2GBps stencil:grid=4x4x4 --engine fluid --uncertainty 20"},
    {"jobs that share the network: who slows whom",
     "toroid simulate mesh:8x8 --job 'stencil:grid=4x4@mc1x1' --job '(cg:class=S,ranks=16)@random'"},
    {"my own machine as a file, and whether it is written down rightly",
     "toroid platform create mine --shape 16x4 --bandwidth 4GBps/2GBps --latency 80ns/250ns -o mine.xml && toroid "
     "platform check mine.xml"},
    {"look at a machine, with one node down", "toroid platform show mine.xml --fail-node 5 --html machine.html"},
    {"a trace of my MPI program (needs Open MPI; ./my-program is yours)",
     "toroid capture -o my.trace -- mpirun -n 4 ./my-program"},
    {"look at a trace, and who sends to whom",
     "toroid trace convert mg:class=S,ranks=16 -o mg.trace && toroid trace info mg.trace && toroid trace matrix "
     "mg.trace "
     "--svg matrix.svg"},
    {"a job log: what is in it",
     "toroid jobs convert derose:side=16,jobs=300,changing=0 -o log.swf && toroid jobs info log.swf"},
    {"allocators on my log: which has results sooner",
     "toroid advise mesh:16x16 log.swf --alloc consecutive mc1x1 --repeat 2"},
    {"a schedule as a page, with a row of routers down for a while",
     "toroid schedule mesh:16x16 log.swf --alloc mc1x1 --at '10s:fail-router x=0 until 20s' --html schedule.html"},
    {"how many chips and which layout for training a language model",
     "toroid advise tpu-v5e tpu-v6e llm:model=gpt-1.7b,recompute=full --chips 4 --batch 4"},
    {"many runs from a program: a line of JSON each",
     R"(echo '{"platform": "mesh:8x8", "trace": "stencil:grid=8x8", "map": "snake"}' | toroid batch --fields runtime_s)"},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct ExamplesOptions {
  Names words;
};

Options examples_options(ExamplesOptions& o) {
  return {{"WORDS", o.words, "only the tasks that have all these words, such as slurm"}};
}

void show(const ExamplesOptions& o) {
  bool are_any = false;
  for (const auto& [task, command] : examples) {
    const auto text = lower(fmt::format("{}\n{}", task, command));
    if (!std::ranges::all_of(o.words, [&](const auto& word) { return text.find(lower(word)) != std::string::npos; }))
      continue;
    fmt::print("{}{}\n  {}\n", are_any ? "\n" : "", task, command);
    are_any = true;
  }
  if (!are_any)
    core::fail_input("no example has '{}'; toroid examples shows all {}", core::excerpt(core::join(o.words, " ")),
                     examples.size());
}

}  // namespace

void add_examples(CLI::App& app) {
  add_command<ExamplesOptions>(app, "examples", "tasks, each with a command to paste", examples_options, show);
}

}  // namespace toroid::cli
