#include "command_line.hpp"

int main(int argc, char** argv) { return kinegrad::app::command_line(argc, argv); }
