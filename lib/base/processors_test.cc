#include "lib/base/processors.h"

#include <sched.h>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ProcessorsTest, WhatAThreadMayRunOnStays) {
  const int before = OwnProcessors();
  EXPECT_GE(before, 1);
  for (int i = 0; i < 100; ++i) {
    LeaveProcessor(sched_getcpu());
    ASSERT_EQ(OwnProcessors(), before);
  }
  LeaveProcessor(-1);
  LeaveProcessor(CPU_SETSIZE);
  EXPECT_EQ(OwnProcessors(), before);
}

TEST(ProcessorsTest, TheOnlyProcessorIsKept) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  LeaveProcessor(sched_getcpu());
  EXPECT_EQ(OwnProcessors(), 1);
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace lockstep
