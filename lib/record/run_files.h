// The files that one run reads and writes, said before any is opened, so that none of its outputs destroys one of its
// inputs or another output.
//
// A tool cannot forget this: what InitMain started reads and writes, through this package, only what it declared.
#ifndef LOCKSTEP_LIB_RECORD_RUN_FILES_H_
#define LOCKSTEP_LIB_RECORD_RUN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// A file that a run writes: PATH, and PATH.part until it is whole.
struct RunOutput {
  std::string flag;    // that named it, for messages: "--checkpoint"
  std::string path;    // "-": standard output; empty: none
  std::string suffix;  // not empty: any number of files PATH...SUFFIX, whatever stands between
};

struct RunFiles {
  std::vector<std::string> inputs;  // files or folders; "-": standard input; empty: none
  std::vector<RunOutput> outputs;
};

// Declares all files of this process's run; the declaration before is forgotten. InvalidArgument when
//     - an output, or its PATH.part, is an input: the same name in whatever spelling (.., links), or the same file by
//       device and inode; so when standard output is an input;
//     - two outputs are one file in the same sense;
//     - an output cannot be put where it should be (output_place.h);
//     - an output has a comma in its name, or an input that is there was cut at one by a flag that is a list.
// UnavailableError as CheckSha256 (digest.h), because files are known by their digests.
// The files of an input that is a folder are known to who lists it: see CheckFolderEntry. Not thread-safe.
absl::Status DeclareRunFiles(RunFiles files);

// Declares one more input: a copy that this process made of one.
void DeclareInput(const std::string& path);

// InvalidArgument: `entry` of the open folder is an output. `regular`: the folder says that it is no link, so that one
// of another name need not be looked at. `shown` names the file in the message. Thread-safe.
absl::Status CheckFolderEntry(int folder, const std::string& entry, bool regular, const std::string& shown);

// Internal, in a tool: `path` was not declared. For who opens an input, or an output. What a run writes it may read. OK
// in a program that did not begin with InitMain, such as a test or a rank.
absl::Status CheckDeclaredInput(const std::string& path);
absl::Status CheckDeclaredOutput(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RUN_FILES_H_
