#include "lib/doctor/libtorch.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/existing_file.h"
#include "lib/base/path.h"
#include "lib/base/subprocess.h"
#include "lib/doctor/ask_program.h"
#include "lib/doctor/open_library.h"

namespace lockstep {
namespace {

const UseKinds kTrainAndScale = {proto::DoctorUse::TRAIN, proto::DoctorUse::SCALE};

// Prints the folders of the torch that the interpreter would import, without importing it, like the launchers of
// portable tools (tools/torch_launcher.sh). Before any other import, the script removes the working folder (an empty
// entry) from the search path, because Python would run a file glob.py there.
constexpr char kFindTorch[] =
    "import sys\n"
    "sys.path[:] = [p for p in sys.path if p]\n"
    "import glob, importlib.util as u, os\n"
    "s = u.find_spec('torch')\n"
    "t = os.path.dirname(s.origin) if s and s.origin else ''\n"
    "f = [os.path.join(t, 'lib')] + sorted(glob.glob(os.path.join(os.path.dirname(t), 'nvidia', '*', 'lib')))\n"
    "print(':'.join(f) if t else '')\n";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the folders of a list without empty entries, which mean the working folder in PYTHONPATH and LD_LIBRARY_PATH.
std::string WithoutEmpty(absl::string_view list) {
  const std::vector<absl::string_view> folders = absl::StrSplit(list, ':', absl::SkipEmpty());
  return absl::StrJoin(folders, ":");
}

// Returns the first folder of the search path that holds the library; empty if no folder does.
std::string FindLibraryFolder(const std::string& library) {
  for (const absl::string_view folder : absl::StrSplit(Variable("LD_LIBRARY_PATH"), ':', absl::SkipEmpty())) {
    if (IsRegularFile(JoinPath(folder, library))) {
      return std::string(folder);
    }
  }
  return "";
}

// Returns the text with the version: torch/version.py of a wheel, or libtorch/build-version of the archive, next to
// lib/.
std::string VersionText(const std::string& library_folder) {
  const std::string text = FileBytes(library_folder + "/../version.py");
  return text.empty() ? FileBytes(library_folder + "/../build-version") : text;
}

void AskPython(const DoctorRequest& request, proto::LibTorchFacts& libtorch) {
  const std::string python = Variable("PYTHON");
  libtorch.set_source(proto::LibTorchFacts::PYTHON);
  libtorch.set_python(python.empty() ? "python3" : python);
  const ProgramOutput output = AskProgram({libtorch.python(), "-c", kFindTorch}, request.timeout,
                                          {{"PYTHONPATH", WithoutEmpty(Variable("PYTHONPATH"))}});
  if (output.ended_well) {
    for (const absl::string_view folder :
         absl::StrSplit(absl::StripAsciiWhitespace(output.text), ':', absl::SkipEmpty())) {
      libtorch.add_folder(std::string(folder));
    }
  }
}

// Reads the facts of a LibTorch that the files in `folder` give without loading it, except its ABI.
void ReadVersion(const std::string& folder, proto::LibTorchFacts& libtorch) {
  const std::string text = VersionText(folder);
  libtorch.set_library_folder(folder);
  libtorch.set_version(TorchVersion(text));
  libtorch.set_cuda_version(TorchCuda(text));
  libtorch.set_has_cuda(IsRegularFile(folder + "/libtorch_cuda.so"));
}

// Returns the command that installs the LibTorch that the tools were built with.
std::string InstallCommand(const std::string& python, const BuildFacts& build) {
  return absl::StrCat(python.empty() ? "python3" : python, " -m pip install ", build.torch_pip);
}

std::string MissingRemedy(const proto::LibTorchFacts& libtorch, const BuildFacts& build) {
  switch (libtorch.source()) {
    case proto::LibTorchFacts::LOCKSTEP_LIBRARIES:
      return "set LOCKSTEP_LIBRARIES to the folders of libtorch_cpu.so and its libraries, or unset it";
    case proto::LibTorchFacts::PYTHON:
      return absl::StrCat(InstallCommand(libtorch.python(), build), ", or set PYTHON to an interpreter that has it");
    default:
      return "run third_party/install.sh, or set LIBTORCH=FOLDER; then bazel sync --configure, and build again";
  }
}

// Returns the remedy for a LibTorch with which the tools cannot run.
std::string UnfitRemedy(const proto::LibTorchFacts& libtorch, const BuildFacts& build) {
  switch (libtorch.source()) {
    case proto::LibTorchFacts::LOCKSTEP_LIBRARIES:
      return absl::StrCat("unset LOCKSTEP_LIBRARIES, and ", InstallCommand("", build),
                          "; or set LOCKSTEP_LIBRARIES to the folders of that LibTorch");
    case proto::LibTorchFacts::PYTHON:
      return MissingRemedy(libtorch, build);
    default:
      return "bazel sync --configure, and build the tools again with this LibTorch";
  }
}

const proto::LibraryFacts* FirstThatFails(const proto::LibTorchFacts& libtorch) {
  for (const proto::LibraryFacts& library : libtorch.library()) {
    if (!library.error().empty()) {
      return &library;
    }
  }
  return nullptr;
}

// Returns why the tools cannot run with the LibTorch that was found; empty if they can, or if this is unknown. Releases
// that differ only in the patch number export the same symbols. tools/torch_launcher.sh uses the same rules.
std::string WhyUnfit(const proto::LibTorchFacts& libtorch, const BuildFacts& build) {
  const uint32_t cuda = libtorch.cuda_version();
  if (!libtorch.version().empty() && !build.torch_version.empty() &&
      MajorAndMinor(libtorch.version()) != MajorAndMinor(build.torch_version)) {
    return absl::StrCat("the tools were built with ", build.torch_version);
  }
  if (build.torch_cuda_version != 0 &&
      (!libtorch.has_cuda() || (cuda != 0 && cuda / 1000 != build.torch_cuda_version / 1000))) {
    return absl::StrCat("the tools were built with LibTorch for CUDA ", ShowCudaVersion(build.torch_cuda_version));
  }
  if (build.cuda_version != 0 && cuda != 0 && cuda / 1000 != build.cuda_version / 1000) {
    return absl::StrCat("the tools were built with the CUDA ", ShowCudaVersion(build.cuda_version), " toolkit");
  }
  return "";
}

// Judges a LibTorch that loads. Returns true if tools of this build can run with it.
bool JudgeVersion(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                  FindingList& findings) {
  const proto::LibTorchFacts& libtorch = facts.libtorch();
  const std::string abi = libtorch.cxx11_abi() < 0 ? "ABI unknown" : absl::StrCat("C++11 ABI ", libtorch.cxx11_abi());
  const std::string cuda =
      libtorch.cuda_version() == 0 ? "" : absl::StrCat(" ", ShowCudaVersion(libtorch.cuda_version()));
  const std::string what = absl::StrCat(libtorch.version().empty() ? "version unknown" : libtorch.version(), ", ", abi,
                                        libtorch.has_cuda() ? absl::StrCat(", with CUDA", cuda) : ", for CPUs only",
                                        ", loads; ", libtorch.library_folder());
  const std::string unfit = WhyUnfit(libtorch, build);
  if (libtorch.cxx11_abi() == 0) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::BROKEN, absl::StrCat(what, "; the tools need the C++11 ABI"),
               UnfitRemedy(libtorch, build), kTrainAndScale);
    return false;
  }
  if (!unfit.empty()) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::BROKEN, absl::StrCat(what, "; ", unfit),
               UnfitRemedy(libtorch, build), kTrainAndScale);
    return false;
  }
  if (!libtorch.has_cuda() && (request.device == "cuda" || facts.cuda().gpu_size() > 0)) {
    AddFinding(findings, "libtorch",
               request.device == "cuda" ? proto::DoctorFinding::BROKEN : proto::DoctorFinding::WARN, what,
               "build the tools with a LibTorch for CUDA: this one cannot use GPUs", NeedsGpu(request));
  } else if (!libtorch.version().empty() && MajorAndMinor(libtorch.version()) < MajorAndMinor(build.torch_minimum)) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::BROKEN,
               absl::StrCat(what, "; older than ", build.torch_minimum, ", the oldest that was tried"),
               absl::StrCat("build the tools with a LibTorch of ", build.torch_minimum, " to ", build.torch_maximum),
               kTrainAndScale);
  } else if (!build.torch_maximum.empty() && MajorAndMinor(libtorch.version()) > MajorAndMinor(build.torch_maximum)) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::WARN,
               absl::StrCat(what, "; newer than ", build.torch_maximum, ", the newest that was tried"),
               absl::StrCat("if a tool fails, build the tools with a LibTorch of ", build.torch_minimum, " to ",
                            build.torch_maximum));
  } else {
    AddFinding(findings, "libtorch", proto::DoctorFinding::OK, what);
  }
  return true;
}

void JudgeToolStart(const proto::MachineFacts& facts, const BuildFacts& build, FindingList& findings) {
  for (const proto::ToolStart& start : facts.tool_start()) {
    if (!start.started()) {
      AddFinding(findings, start.tool(), proto::DoctorFinding::BROKEN, absl::StrCat("does not start: ", start.output()),
                 LoaderRemedy(start.output(), absl::StrCat("LibTorch ", build.torch_version)),
                 {start.tool() == "train_sweep" ? proto::DoctorUse::TRAIN : proto::DoctorUse::SCALE});
    }
  }
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "tool_start")) {
    AddFinding(findings, "tools", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end),
               "run the doctor with a longer --timeout; if that fails, build the tools again");
  }
}

}  // namespace

void ProbeLibTorchFolders(const DoctorRequest& request, ProbeAnswer& answer) {
  proto::MachineFacts facts;
  proto::LibTorchFacts& libtorch = *facts.mutable_libtorch();
  const std::string given = Variable("LOCKSTEP_LIBRARIES");
  if (ThisDistribution() == Distribution::kBuilt) {
    libtorch.set_source(proto::LibTorchFacts::BUILD);
    *libtorch.mutable_folder() = {ThisBuild().torch_folders.begin(), ThisBuild().torch_folders.end()};
  } else if (!given.empty()) {
    libtorch.set_source(proto::LibTorchFacts::LOCKSTEP_LIBRARIES);
    const std::vector<std::string> folders = absl::StrSplit(given, ':', absl::SkipEmpty());
    *libtorch.mutable_folder() = {folders.begin(), folders.end()};
  } else {
    answer.Begin("asking Python");
    AskPython(request, libtorch);
  }
  answer.Send(facts);
}

// A tool that Bazel built has a RUNPATH, which the loader searches after LD_LIBRARY_PATH. A portable tool's launcher
// puts LibTorch before LD_LIBRARY_PATH.
std::string LibraryPath(const std::vector<std::string>& folders, const BuildFacts& build, Distribution distribution,
                        const std::string& ld_library_path) {
  std::vector<std::string> path = folders;
  if (const std::string inherited = WithoutEmpty(ld_library_path); !inherited.empty()) {
    path.insert(distribution == Distribution::kPortable ? path.end() : path.begin(), inherited);
  }
  if (distribution == Distribution::kBuilt && !build.cuda_home.empty()) {
    path.push_back(build.cuda_home + "/lib64");
  }
  return absl::StrJoin(path, ":");
}

void ProbeLibTorch(const DoctorRequest& request, ProbeAnswer& answer) {
  proto::MachineFacts facts;
  proto::LibTorchFacts& libtorch = *facts.mutable_libtorch();
  const std::string folder = FindLibraryFolder("libtorch_cpu.so");
  if (folder.empty()) {
    return;
  }
  answer.Begin("reading " + folder);
  ReadVersion(folder, libtorch);
  libtorch.set_cxx11_abi(Cxx11Abi(FileBytes(folder + "/libc10.so")));
  answer.Send(facts);
  std::vector<std::string> names = {"libc10.so", "libtorch_cpu.so"};
  if (libtorch.has_cuda()) {
    names.push_back("libtorch_cuda.so");
  }
  for (const std::string& name : names) {
    answer.Begin("dlopen of " + name);
    facts.Clear();
    void* library = OpenLibrary(name, *facts.mutable_libtorch()->add_library());
    answer.Send(facts);
    if (library == nullptr) {
      return;
    }
  }
}

void ProbeToolStart(const DoctorRequest& request, ProbeAnswer& answer) {
  proto::LibTorchFacts libtorch;
  if (const std::string found = FindLibraryFolder("libtorch_cpu.so"); !found.empty()) {
    answer.Begin("reading " + found);
    ReadVersion(found, libtorch);
    if (!WhyUnfit(libtorch, ThisBuild()).empty()) {
      return;  // JudgeVersion reports it; the loader's message would only name a symbol
    }
  }
  const absl::StatusOr<std::string> self = SelfPath();
  if (!self.ok()) {
    return;
  }
  for (const char* tool : {"train_sweep", "scale_run"}) {
    const std::string program =
        SiblingPath(*self, absl::StrCat(ThisDistribution() == Distribution::kPortable ? "" : "libexec/", tool));
    if (!IsRegularFile(program)) {
      continue;
    }
    answer.Begin(absl::StrCat("starting ", tool));
    const ProgramOutput output = AskProgram({program, "--version"}, request.timeout, {{"LD_BIND_NOW", "1"}});
    proto::MachineFacts facts;
    proto::ToolStart& start = *facts.add_tool_start();
    start.set_tool(tool);
    start.set_started(output.ended_well);
    const std::vector<std::string> lines = absl::StrSplit(output.text, '\n');
    start.set_output(lines[0]);
    answer.Send(facts);
  }
}

void JudgeLibTorch(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                   FindingList& findings) {
  const proto::LibTorchFacts& libtorch = facts.libtorch();
  const proto::ProbeEnd* end = FindBadEnd(facts, "libtorch");
  if (const proto::ProbeEnd* searching = FindBadEnd(facts, "libtorch_folders")) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::UNKNOWN, absl::StrCat("search ", DescribeEnd(*searching)),
               "set LOCKSTEP_LIBRARIES to the folders of libtorch_cpu.so and its libraries", kTrainAndScale);
  } else if (end != nullptr && end->kind() == proto::ProbeEnd::HUNG) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::UNKNOWN,
               absl::StrCat(DescribeEnd(*end), "; ", libtorch.library_folder()),
               "the first load from a slow disk takes long: run the doctor again, or with --timeout=60s",
               kTrainAndScale);
  } else if (end != nullptr) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::BROKEN,
               absl::StrCat(DescribeEnd(*end), "; ", libtorch.library_folder()),
               "the file is damaged or truncated: install LibTorch again", kTrainAndScale);
  } else if (libtorch.library_folder().empty()) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::ABSENT,
               absl::StrCat("no libtorch_cpu.so", libtorch.folder().empty() ? "" : " in ",
                            absl::StrJoin(libtorch.folder(), " ")),
               MissingRemedy(libtorch, build), kTrainAndScale);
  } else if (const proto::LibraryFacts* failed = FirstThatFails(libtorch)) {
    AddFinding(findings, "libtorch", proto::DoctorFinding::BROKEN, absl::StrCat("does not load: ", failed->error()),
               LoaderRemedy(failed->error(), "LibTorch"), kTrainAndScale);
  } else if (JudgeVersion(facts, request, build, findings)) {
    JudgeToolStart(facts, build, findings);
  }
}

// g++ mangles a std::string parameter as "NSt7__cxx1112basic_string..." or, with the older ABI, as "Ss".
int Cxx11Abi(absl::string_view library) {
  constexpr absl::string_view kConstructor = "_ZN3c105ErrorC";
  bool older = false;
  for (size_t at = library.find(kConstructor); at != absl::string_view::npos; at = library.find(kConstructor, at + 1)) {
    const absl::string_view name = library.substr(at, library.find('\0', at) - at);
    if (absl::StrContains(name, "__cxx1112basic_string")) {
      return 1;
    }
    older = older || absl::EndsWith(name, "Ss") || absl::StrContains(name, "RKSs");
  }
  return older ? 0 : -1;
}

std::string TorchVersion(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    const std::vector<absl::string_view> quoted = absl::StrSplit(line, '\'');
    if (absl::StartsWith(line, "__version__ =") && quoted.size() >= 3) {
      return std::string(quoted[1]);
    }
    if (!line.empty() && absl::ascii_isdigit(line[0])) {
      return std::string(line);
    }
  }
  return "";
}

// "+cu130" is 13.0, and "+cu128" is 12.8: the last digit is the minor version.
uint32_t TorchCuda(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> quoted = absl::StrSplit(line, '\'');
    const std::vector<absl::string_view> numbers =
        absl::StrSplit(quoted.size() >= 3 && absl::StartsWith(line, "cuda") ? quoted[1] : "", '.');
    uint32_t major = 0, minor = 0;
    if (numbers.size() == 2 && absl::SimpleAtoi(numbers[0], &major) && absl::SimpleAtoi(numbers[1], &minor)) {
      return major * 1000 + minor * 10;
    }
  }
  const std::string version = TorchVersion(text);
  const size_t at = version.find("+cu");
  uint32_t digits = 0;
  return at != std::string::npos && absl::SimpleAtoi(version.substr(at + 3), &digits) && digits >= 100 && digits < 1000
             ? digits / 10 * 1000 + digits % 10 * 10
             : 0;
}

}  // namespace lockstep
