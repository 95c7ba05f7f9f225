#include "lib/base/skip_static_destructors.h"

#include <stdlib.h>

#include <cstdio>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Ends a process that has an exit function from before SkipStaticDestructors and another from after it.
void EndWith(int exit_code) {
  std::atexit([] { std::fputs(" before", stderr); });
  SkipStaticDestructors();
  std::atexit([] { std::fputs(" after", stderr); });
  setvbuf(stderr, nullptr, _IOFBF, 4096);  // buffered, so that the output appears only if it is flushed
  std::fputs("main", stderr);
  std::exit(exit_code);
}

TEST(SkipStaticDestructorsDeathTest, WhatWasMadeBeforeStays) {
  unsetenv("LD_PRELOAD");
  unsetenv("CUDA_INJECTION64_PATH");
  EXPECT_EXIT(EndWith(3), ::testing::ExitedWithCode(3), "^main after$");
}

TEST(SkipStaticDestructorsDeathTest, UnderAProfilerAllIsDestroyed) {
  setenv("CUDA_INJECTION64_PATH", "/nowhere", 1);
  EXPECT_EXIT(EndWith(3), ::testing::ExitedWithCode(3), "^main after before$");
  unsetenv("CUDA_INJECTION64_PATH");
}

}  // namespace
}  // namespace lockstep
