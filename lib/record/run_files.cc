#include "lib/record/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "lib/base/init_main.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"
#include "lib/record/output_place.h"
#include "lib/record/stdout_guard.h"

namespace lockstep {
namespace {

using FileId = std::pair<dev_t, ino_t>;

// Returns the identity of an existing file or folder. Pipes and terminals have no identity, because they have no
// contents that could be destroyed.
absl::optional<FileId> IdOf(int result, const struct stat& info) {
  return result == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
             ? absl::make_optional(FileId(info.st_dev, info.st_ino))
             : absl::nullopt;
}

absl::optional<FileId> FindFile(const std::string& path) {
  struct stat info;
  const int result = path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info);
  return IdOf(result, info);
}

// Returns `path` with the canonical name of its folder, which is the same for all spellings of a file, existing or not.
// A link at `path` itself is not followed, because rename does not follow links either.
std::string Canonical(const std::string& path) {
  char folder[PATH_MAX];
  return realpath(FolderOf(path).c_str(), folder) == nullptr ? path : JoinPath(folder, FileNameOf(path));
}

// Declared output and its files. Standard output has no files.
struct KnownOutput {
  RunOutput declared;
  std::vector<std::string> names;  // canonical names of the file and its .part; empty if RunOutput::suffix is set
  std::vector<FileId> ids;         // identities of those of `names` that exist

  explicit KnownOutput(const RunOutput& output) : declared(output) {
    if (output.suffix.empty()) {
      names = {Canonical(output.path), PartPath(Canonical(output.path))};
    }
    for (const std::string& name : names) {
      if (const auto id = FindFile(name)) {
        ids.push_back(*id);
      }
    }
  }

  bool HasName(absl::string_view canonical) const {
    if (declared.suffix.empty()) {
      return std::find(names.begin(), names.end(), canonical) != names.end();
    }
    return absl::ConsumePrefix(&canonical, Canonical(declared.path)) && !absl::StrContains(canonical, '/') &&
           absl::EndsWith(absl::StripSuffix(canonical, ".part"), declared.suffix);
  }

  bool HasId(const absl::optional<FileId>& id) const {
    return id.has_value() && std::find(ids.begin(), ids.end(), *id) != ids.end();
  }

  // Returns "--output=a.rec", "--output (a.batch*.state)", or "--output=a.html, which also writes a.rec,".
  std::string Shown() const {
    if (!declared.given.empty() && declared.given != declared.path) {
      return absl::StrCat(declared.flag, "=", declared.given, ", which also writes ", declared.path, ",");
    }
    return declared.suffix.empty() ? absl::StrCat(declared.flag, "=", declared.path)
                                   : absl::StrCat(declared.flag, " (", declared.path, "*", declared.suffix, ")");
  }
};

struct Declared {
  std::vector<std::string> inputs;  // paths as given
  std::vector<KnownOutput> outputs;
};

Declared& ThisRun() {
  static auto* declared = new Declared();
  return *declared;
}

absl::Status WouldReplace(const KnownOutput& output, const std::string& input) {
  return absl::InvalidArgumentError(absl::StrCat(output.Shown(), " would replace the input ",
                                                 input == "-" ? "that is standard input" : input,
                                                 "; give the output another name"));
}

bool IsInput(const KnownOutput& output, const std::string& input) {
  char target[PATH_MAX];
  const bool there = input != "-" && realpath(input.c_str(), target) != nullptr;
  return output.HasId(FindFile(input)) || (input != "-" && output.HasName(Canonical(input))) ||
         (there && output.HasName(target));
}

bool Overlap(const KnownOutput& a, const KnownOutput& b) {
  return std::any_of(a.names.begin(), a.names.end(), [&](const std::string& name) { return b.HasName(name); }) ||
         std::any_of(b.names.begin(), b.names.end(), [&](const std::string& name) { return a.HasName(name); }) ||
         std::any_of(a.ids.begin(), a.ids.end(), [&](const FileId& id) { return b.HasId(id); });
}

// Returns InvalidArgumentError if standard output is an input, as with `cat a >> a`, which would read its own output.
absl::Status CheckStandardOutput(const std::vector<std::string>& inputs) {
  struct stat info;
  const auto id = IdOf(fstat(StandardOutput(), &info), info);
  for (const std::string& input : inputs) {
    if (id.has_value() && id == FindFile(input)) {
      return absl::InvalidArgumentError(
          absl::StrCat("standard output is the input ", input, "; redirect it elsewhere"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAgainstInputs(const Declared& run) {
  for (const KnownOutput& output : run.outputs) {
    for (const std::string& input : run.inputs) {
      if (IsInput(output, input)) {
        return WouldReplace(output, input);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAgainstEachOther(const std::vector<KnownOutput>& outputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    for (auto b = a + 1; b != outputs.end(); ++b) {
      if (Overlap(*a, *b)) {
        return absl::InvalidArgumentError(absl::StrCat(
            a->Shown(), " and ", b->Shown(),
            " are the same file, or one is the .part of the other; name a different file for each output"));
      }
    }
  }
  return absl::OkStatus();
}

// Returns InvalidArgumentError if an output's name contains a comma. Such an output could not be given to the next
// tool, because flags for several files are lists that are split at commas.
absl::Status CheckNoComma(const RunOutput& output) {
  return output.path.find(',') == std::string::npos
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat(output.flag, "=", output.path,
                                ": expected a name without a comma, because commas separate the files of --input; name "
                                "another file or folder"));
}

// Returns InvalidArgumentError if the file A,B exists and A does not: the user meant A,B, not the inputs A and B.
absl::Status CheckNoCommaWasMeant(const std::vector<std::string>& inputs) {
  struct stat info;
  for (size_t first = 0; first < inputs.size(); ++first) {
    if (inputs[first].empty() || inputs[first] == "-" || stat(inputs[first].c_str(), &info) == 0) {
      continue;
    }
    std::string joined = inputs[first];
    for (size_t next = first + 1; next < inputs.size(); ++next) {
      absl::StrAppend(&joined, ",", inputs[next]);
      if (stat(joined.c_str(), &info) == 0) {
        return absl::InvalidArgumentError(absl::StrCat("expected names without commas, which separate files, found ",
                                                       joined, "; rename the file, or give a link to it"));
      }
    }
  }
  return absl::OkStatus();
}

// Returns the path whose place is checked. If the run will make the folder of its files, it is the folder's.
std::string CheckedPath(const RunOutput& output) {
  struct stat info;
  const bool makes_folder = absl::EndsWith(output.path, "/") && stat(FolderOf(output.path).c_str(), &info) != 0;
  return makes_folder ? FolderOf(output.path) : absl::StrCat(output.path, output.suffix);
}

absl::Status CheckPlaces(const std::vector<KnownOutput>& outputs) {
  for (const KnownOutput& output : outputs) {
    const RunOutput& declared = output.declared;
    if (const absl::Status status = CheckOutputPlace(CheckedPath(declared)); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(declared.flag, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

bool IsDeclaredOutput(const std::string& path) {
  const std::string name = Canonical(path);
  const std::vector<KnownOutput>& outputs = ThisRun().outputs;
  return path == "-" ||
         std::any_of(outputs.begin(), outputs.end(), [&](const KnownOutput& output) { return output.HasName(name); });
}

bool IsTool() { return !CommandLine().empty(); }

}  // namespace

absl::Status DeclareRunFiles(RunFiles files) {
  RETURN_IF_ERROR(CheckSha256());
  Declared& run = ThisRun();
  run = Declared();
  run.inputs = std::move(files.inputs);
  for (const RunOutput& output : files.outputs) {
    if (!output.path.empty() && output.path != "-") {
      RETURN_IF_ERROR(CheckNoComma(output));
      run.outputs.emplace_back(output);
    }
  }
  RETURN_IF_ERROR(CheckNoCommaWasMeant(run.inputs));
  RETURN_IF_ERROR(CheckAgainstInputs(run));
  RETURN_IF_ERROR(CheckStandardOutput(run.inputs));
  RETURN_IF_ERROR(CheckAgainstEachOther(run.outputs));
  return CheckPlaces(run.outputs);
}

void DeclareInput(const std::string& path) { ThisRun().inputs.push_back(path); }

absl::Status CheckFolderEntry(int folder, const std::string& entry, ListedType type, const std::string& shown) {
  for (const KnownOutput& output : ThisRun().outputs) {
    const bool named = std::any_of(output.names.begin(), output.names.end(),
                                   [&](const std::string& name) { return FileNameOf(name) == entry; });
    if (output.ids.empty() || (type == ListedType::kRegularFile && !named)) {
      continue;
    }
    struct stat info;
    if (output.HasId(IdOf(fstatat(folder, entry.c_str(), &info, 0), info))) {
      return WouldReplace(output, shown);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDeclaredInput(const std::string& path) {
  const std::vector<std::string>& inputs = ThisRun().inputs;
  if (!IsTool() || std::find(inputs.begin(), inputs.end(), path) != inputs.end() || IsDeclaredOutput(path)) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(path, ": is read without being declared (lib/record/run_files.h)"));
}

absl::Status CheckDeclaredOutput(const std::string& path) {
  if (!IsTool() || IsDeclaredOutput(path)) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(path, ": is written without being declared (lib/record/run_files.h)"));
}

}  // namespace lockstep
