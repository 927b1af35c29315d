// The command as a function: what it prints and the status it exits with.
#pragma once

namespace kinegrad::app {

/// Takes what `main` takes and returns the exit status. Never throws.
int command_line(int argc, char** argv);

}  // namespace kinegrad::app
