// libFuzzer: any bytes as the journal of an optimisation with two parameters, one objective and two horizons.
// It is refused with its name and a line, or all that was read is finite, has the sizes of the problem and is
// read again, bit for bit, after it was written.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kinegrad/base/error.hpp"
#include "kinegrad/optimization/journal.hpp"
#include "optimization/journal_line.hpp"

namespace {

using namespace kinegrad;

constexpr Eigen::Index kParameters = 2, kObjectives = 1;
constexpr int kStages = 2;

[[noreturn]] void broken(const char* promise) {
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// In memory where the system has such a folder; one for each process.
const std::string& journal_path() {
  static const std::string path = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto folder =
        std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    return (folder / ("kinegrad_fuzz_" + std::to_string(::getpid()) + ".journal")).string();
  }();
  return path;
}

/// The numbers of a line are finite, and what is written of it is the same evaluation.
void check_line(const std::string& line) {
  const journal::Line read = journal::read_evaluation(line);
  if (!read.wrong.empty()) return;
  const Evaluation& evaluation = read.evaluation;
  if (!evaluation.rho.allFinite()) broken("a parameter is not finite");
  if (!evaluation.psi.allFinite() || !evaluation.psi_rho.allFinite()) {
    broken("a value is not finite");
  }
  std::string written = journal::evaluation_line(read.stage, evaluation);
  written.pop_back();  // the end of the line
  const journal::Line again = journal::read_evaluation(written);
  if (!again.wrong.empty()) broken("what was written cannot be read");
  if (again.stage != read.stage || again.evaluation.rho != evaluation.rho) {
    broken("another point after writing");
  }
  if (!journal::same_answer(again.evaluation, evaluation)) broken("another answer after writing");
}

void check_journal(const Journal& journal) {
  if (!journal.first()) return;
  const auto [stage, rho] = *journal.first();
  if (stage < 0 || stage >= kStages || rho.size() != kParameters) broken("another problem's point");
  const auto found = journal.find(stage, rho);
  if (!found || !found->usable()) broken("the first evaluation is not there");
  if (found->psi.size() != kObjectives || found->psi_rho.rows() != kObjectives ||
      found->psi_rho.cols() != kParameters) {
    broken("an evaluation of other sizes");
  }
  if (journal.line_of(stage, rho) < 2) broken("an evaluation without its line");
}

void check_refusal(const std::string& message) {
  const std::string place = journal_path() + ":";
  if (!message.starts_with(place)) broken("refused without the file");
  if (std::atol(message.c_str() + place.size()) < 1) broken("refused without a line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) check_line(line);

  std::ofstream(journal_path(), std::ios::binary) << text;
  try {
    const JournalSubject subject{
        {{"model", "m"}, {"parameters", "a, b"}}, kParameters, kObjectives, kStages};
    check_journal(Journal(journal_path(), subject, true));
  } catch (const InvalidArgument& error) {
    check_refusal(error.what());
  }
  std::filesystem::remove(journal_path());
  return 0;
}
