// The `toroid` command.

#include "cli/commands.hpp"

int main(int argc, char** argv) {
  return toroid::cli::run_command({argv, argv + argc});
}
