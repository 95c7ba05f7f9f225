#include "lib/base/skip_static_destructors.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace lockstep {
namespace {

void EndNow(int exit_code, void*) {
  std::cout.flush();
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace

void SkipStaticDestructors() {
  if (std::getenv("LD_PRELOAD") == nullptr && std::getenv("CUDA_INJECTION64_PATH") == nullptr) {
    on_exit(EndNow, nullptr);
  }
}

}  // namespace lockstep
