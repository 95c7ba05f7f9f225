// Main of tests that launch ranks. The launcher runs the test's own executable for each rank. Test-only.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_MAIN_TESTING_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_MAIN_TESTING_H_

#include <map>
#include <string>

#include "lib/launch/launch.h"

namespace lockstep::testing {

// Runs all tests, or the task if this process is a rank that a test launched. Returns the exit code.
int RankTestMain(int argc, char** argv, const std::map<std::string, RankTask>& tasks);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_MAIN_TESTING_H_
