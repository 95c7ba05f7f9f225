#include "lib/testing/thread_shortage.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "gtest/gtest.h"

namespace lockstep::testing {
namespace {

constexpr unsigned kHangSeconds = 60;

void Require(bool done, const char* what) {
  if (!done) {
    std::perror(what);
    std::_Exit(1);
  }
}

}  // namespace

bool CanRefuseThreads() { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0; }

// clone3 takes its flags in memory, which a filter cannot read. The filter therefore reports clone3 as absent, and the
// C library falls back to clone. The flags are the first argument of clone on x86-64 and on Arm.
void RefuseThreads() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  Require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
  Require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0, "PR_SET_SECCOMP");
}

void LimitAddressSpace(size_t bytes) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const size_t end = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit = {end, end};
  Require(pages > 0 && setrlimit(RLIMIT_AS, &limit) == 0, "RLIMIT_AS");
}

std::string InChildProcess(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHangSeconds);
    const std::string text = work();
    Require(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write");
    std::_Exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return text;
}

}  // namespace lockstep::testing
