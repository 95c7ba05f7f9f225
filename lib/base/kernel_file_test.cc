#include "lib/base/kernel_file.h"

#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;

std::string Status() {
  const std::string path = TempPath("status");
  WriteFile(path, "Name:\tcat\nVmHWM:\t  123456 kB\nVmHWM:\t7 kB\noom_kill 3\n");
  return path;
}

TEST(KernelFileTest, Text) {
  EXPECT_EQ(KernelFileText(Status()), "Name:\tcat\nVmHWM:\t  123456 kB\nVmHWM:\t7 kB\noom_kill 3\n");
  EXPECT_EQ(KernelFileText("/proc/self/no_such_file"), "");
  EXPECT_EQ(KernelFileText("/proc/self"), "");  // a folder: read(2) fails
}

TEST(KernelFileTest, AFileWithoutASizeIsReadToItsEnd) { EXPECT_NE(KernelFileText("/proc/self/status"), ""); }

TEST(KernelFileTest, FirstLine) {
  EXPECT_EQ(KernelFileLine(Status()), "Name:\tcat");
  EXPECT_EQ(KernelFileLine("/proc/self/no_such_file"), "");
}

TEST(KernelFileTest, NumberOfTheFirstLineWithTheName) {
  EXPECT_EQ(KernelFileNumber(Status(), "VmHWM:").value_or(0), 123456);
  EXPECT_EQ(KernelFileNumber(Status(), "oom_kill").value_or(0), 3);
  EXPECT_FALSE(KernelFileNumber(Status(), "Name:").has_value());
  EXPECT_FALSE(KernelFileNumber(Status(), "oom").has_value());
  EXPECT_FALSE(KernelFileNumber("/proc/self/no_such_file", "oom_kill").has_value());
}

}  // namespace
}  // namespace lockstep
