// Initializer that is linked into a fuzz target under --config=fuzz. It gives libFuzzer the folders that `bazel run`
// cannot know.
//
// It handles and removes two arguments of fuzz_test: --corpus=FOLDER, the committed inputs, and --dictionary=FILE, both
// relative to the runfiles. New inputs go to $LOCKSTEP_FUZZ/NAME/corpus and are used again by the next run; findings go
// to $LOCKSTEP_FUZZ/NAME/findings; LOCKSTEP_FUZZ defaults to /tmp/lockstep_fuzz. Relative paths in other arguments are
// relative to the caller's folder. Under `bazel test` the committed inputs are run once.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

bool TakeValue(const std::string& argument, const std::string& prefix, std::string& value) {
  if (argument.rfind(prefix, 0) != 0) {
    return false;
  }
  value = fs::absolute(argument.substr(prefix.size())).string();
  return true;
}

std::string MakeFolder(const std::string& program, const std::string& kind) {
  const char* root = std::getenv("LOCKSTEP_FUZZ");
  const fs::path folder =
      fs::absolute(fs::path(root != nullptr ? root : "/tmp/lockstep_fuzz") / fs::path(program).filename() / kind);
  fs::create_directories(folder);
  return folder.string() + "/";
}

void EnterCallersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    std::fprintf(stderr, "cannot enter BUILD_WORKING_DIRECTORY %s\n", folder);
    std::exit(1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::string corpus;
  std::string dictionary;
  static std::vector<std::string> kept;  // static, because libFuzzer keeps pointers to both vectors
  static std::vector<char*> pointers;
  for (int i = 0; i < *argc; ++i) {
    if (!TakeValue((*argv)[i], "--corpus=", corpus) && !TakeValue((*argv)[i], "--dictionary=", dictionary)) {
      kept.push_back((*argv)[i]);
    }
  }
  if (corpus.empty()) {
    return 0;  // started without bazel: plain libFuzzer
  }
  const bool replay = std::getenv("BUILD_WORKING_DIRECTORY") == nullptr && std::getenv("TEST_TMPDIR") != nullptr;
  if (replay) {
    kept.push_back("-runs=0");
  } else {
    kept.push_back("-artifact_prefix=" + MakeFolder(kept.front(), "findings"));
    kept.push_back(MakeFolder(kept.front(), "corpus"));
    EnterCallersFolder();
  }
  if (!dictionary.empty()) {
    kept.push_back("-dict=" + dictionary);
  }
  kept.push_back(corpus);
  for (std::string& argument : kept) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  *argc = static_cast<int>(kept.size());
  *argv = pointers.data();
  return 0;
}
