#include "lib/base/random_bytes.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(RandomBytesTest, FillsAllBytesWithDifferentValues) {
  for (const size_t count : {0, 1, 16, 257, 100000}) {
    const auto bytes = RandomBytes(count);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ(bytes->size(), count);
  }
  const std::string bytes = *RandomBytes(1000);
  EXPECT_LT(static_cast<int>(std::count(bytes.begin(), bytes.end(), '\0')), 50);  // expected number: 4
  EXPECT_NE(bytes, *RandomBytes(1000));
}

// Makes getrandom(2) fail with `error` for the rest of this process.
void RefuseGetrandom(int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(99);
  }
}

// Death test, because the seccomp filter stays. An alarm ends a process that loops.
TEST(RandomBytesDeathTest, inject_getrandom_ENOSYS) {
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) {
    GTEST_SKIP() << "no seccomp, which QEMU does not emulate";
  }
  for (const int error : {ENOSYS, EPERM}) {
    EXPECT_EXIT(
        {
          alarm(10);
          RefuseGetrandom(error);
          _exit(absl::IsUnavailable(RandomBytes(16).status()) ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
  }
}

}  // namespace
}  // namespace lockstep
