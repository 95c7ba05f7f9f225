// Kernel timeline of a GPU: a library that CUDA loads into any program. It records every kernel through CUPTI and
// writes the last ones when the program ends, one per line: begin and duration in microseconds, stream (or a graph's
// branch), blocks, threads per block, bytes of shared memory, name. With KERNEL_TIMELINE_COPIES=1 it also records
// copies, with 0 blocks. With copies, almost half of all programs on two GPUs whose graphs copy to each other fail on
// the GPU, at batch 128 in the instrumented epoch (CUPTI of CUDA 13.0; results/2026-11-26-h100x4-ahead/runs.txt).
//
//   CUDA_INJECTION64_PATH=$PWD/libkernel_timeline.so KERNEL_TIMELINE=out.txt fused_step_benchmark --profile 32
//
// KERNEL_TIMELINE_LAST is the number of kernels to write, 1000 by default. In KERNEL_TIMELINE, %p is the process id,
// for programs that start others. The first line then has the host's nanoseconds at which the times begin, by which
// timeline_step.py aligns the ranks. Recording makes a step of 32 images about 8 % longer. CUPTI is opened at run time:
// the loader must find libcupti.so.13 (it comes with torch).
//
// Source: CUPTI documentation, "CUPTI Activity API" and "CUDA_INJECTION64_PATH".
#include <cstdio>

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Kernel {
  uint64_t begin = 0, end = 0;  // ns
  uint32_t stream = 0, blocks = 0, threads = 0, shared_bytes = 0;
  std::string name;
};

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;

  bool Open() {
    void* library = dlopen("libcupti.so.13", RTLD_NOW);
    library = library != nullptr ? library : dlopen("libcupti.so", RTLD_NOW);
    return library != nullptr && Find(library, "cuptiActivityRegisterCallbacks", register_callbacks) &&
           Find(library, "cuptiActivityEnable", enable) && Find(library, "cuptiActivityFlushAll", flush_all) &&
           Find(library, "cuptiActivityGetNextRecord", get_next_record);
  }

 private:
  template <typename F>
  static bool Find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }
};

Cupti cupti;
std::mutex mutex;
std::vector<Kernel> kernels;

void CUPTIAPI TakeBuffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  constexpr size_t kBytes = 8 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBytes));
  *size = kBytes;
  *max_records = 0;  // no limit but the buffer's size
}

template <typename Copy>
void NoteCopy(const Copy& copy, const char* name) {
  kernels.push_back({copy.start, copy.end, copy.streamId, 0, 0, 0,
                     std::string(name) + " of " + std::to_string(copy.bytes) + " bytes"});
}

void CUPTIAPI ReadBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  while (cupti.get_next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      NoteCopy(*reinterpret_cast<const CUpti_ActivityMemcpy5*>(record), "copy");
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
      NoteCopy(*reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record), "copy to a peer");
    }
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      continue;
    }
    const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    kernels.push_back({kernel.start, kernel.end, kernel.streamId,
                       static_cast<uint32_t>(kernel.gridX * kernel.gridY * kernel.gridZ),
                       static_cast<uint32_t>(kernel.blockX * kernel.blockY * kernel.blockZ),
                       static_cast<uint32_t>(kernel.dynamicSharedMemory + kernel.staticSharedMemory),
                       kernel.name != nullptr ? kernel.name : "?"});
  }
  std::free(buffer);
}

std::string PathOf(std::string path) {
  const size_t process = path.find("%p");
  return process == std::string::npos ? path : path.replace(process, 2, std::to_string(getpid()));
}

void Write() {
  cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char* const given = std::getenv("KERNEL_TIMELINE");
  const std::string path = PathOf(given != nullptr ? given : "");
  const char* const last = std::getenv("KERNEL_TIMELINE_LAST");
  const size_t wanted = last != nullptr ? std::strtoul(last, nullptr, 10) : 1000;
  std::FILE* const file = given != nullptr ? std::fopen(path.c_str(), "w") : stderr;
  if (file == nullptr) {
    std::fprintf(stderr, "kernel_timeline: cannot write %s\n", path.c_str());
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.begin < b.begin; });
  const size_t first = kernels.size() - std::min(kernels.size(), wanted);
  if (path != (given != nullptr ? given : "") && first < kernels.size()) {
    std::fprintf(file, "# from %llu ns\n", static_cast<unsigned long long>(kernels[first].begin));
  }
  for (size_t i = first; i < kernels.size(); ++i) {
    const Kernel& kernel = kernels[i];
    std::fprintf(file, "%10.1f %8.1f  %5u %6u %5u %7u  %s\n", (kernel.begin - kernels[first].begin) / 1e3,
                 (kernel.end - kernel.begin) / 1e3, kernel.stream, kernel.blocks, kernel.threads, kernel.shared_bytes,
                 kernel.name.c_str());
  }
  if (file != stderr) {
    std::fclose(file);
  }
}

}  // namespace

// CUDA calls this function when it starts.
extern "C" int InitializeInjection() {
  if (!cupti.Open()) {
    std::fprintf(stderr, "kernel_timeline: libcupti.so.13 cannot be opened, nothing is recorded\n");
    return 1;
  }
  CUptiResult result = cupti.register_callbacks(TakeBuffer, ReadBuffer);
  result = result == CUPTI_SUCCESS ? cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) : result;
  const char* const copies = std::getenv("KERNEL_TIMELINE_COPIES");
  if (copies != nullptr && std::strcmp(copies, "1") == 0) {
    for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2}) {
      result = result == CUPTI_SUCCESS ? cupti.enable(kind) : result;
    }
  }
  if (result != CUPTI_SUCCESS) {
    std::fprintf(stderr, "kernel_timeline: CUPTI's error %d, nothing is recorded\n", static_cast<int>(result));
    return 1;
  }
  std::atexit(Write);
  return 1;
}

#else

extern "C" int InitializeInjection() {
  std::fprintf(stderr, "kernel_timeline: built without cupti.h, nothing is recorded\n");
  return 1;
}

#endif
