// The main of tests that launch ranks: the launcher starts the test's own executable once more for each. Test-only.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_TEST_MAIN_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_TEST_MAIN_H_

#include <map>
#include <string>

#include "lib/launch/launch.h"

namespace lockstep::testing {

// Runs all tests; in a rank that one of them launched, the task that it is to do. Returns the exit code.
int RankTestMain(int argc, char** argv, const std::map<std::string, RankTask>& tasks);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_TEST_MAIN_H_
