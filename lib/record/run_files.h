// Files that one run reads and writes. They are declared before any of them is opened, so that no output destroys an
// input or another output.
//
// A tool cannot forget the declaration: a program that called InitMain can open only declared files through this
// package.
#ifndef LOCKSTEP_LIB_RECORD_RUN_FILES_H_
#define LOCKSTEP_LIB_RECORD_RUN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// File that a run writes: PATH, and PATH.part until the file is complete.
struct RunOutput {
  std::string flag;        // flag that named the file, for messages: "--checkpoint"
  std::string path;        // "-": standard output; empty: no output
  std::string suffix;      // not empty: any number of files PATH*SUFFIX; a PATH that ends in '/' may be made by the run
  std::string given = "";  // value of the flag, for messages, if `path` is another file that follows from it
};

struct RunFiles {
  std::vector<std::string> inputs;  // files or folders; "-": standard input; empty string: no input
  std::vector<RunOutput> outputs;
};

// Declares all files of this process's run, and replaces an earlier declaration. Returns InvalidArgumentError if
//     - an output, its PATH.part or standard output is an input: the same name in any spelling (.., links), or the same
//       file by device and inode;
//     - two outputs are the same file in this sense;
//     - an output cannot be put at its path (output_place.h);
//     - the name of an output contains a comma, or a list flag split the name of an existing input at a comma.
// Returns the error of CheckSha256 (digest.h), because files are identified by their digests. The files of an input
// folder are not checked here; a function that lists the folder must call CheckFolderEntry. Not thread-safe.
absl::Status DeclareRunFiles(RunFiles files);

// Declares another input: a copy that this process made of an input, or a record of a tool that it ran.
void DeclareInput(const std::string& path);

// Type of an entry as its folder lists it. kOther may be a link to a regular file.
enum class ListedType { kRegularFile, kOther };

// Returns InvalidArgumentError if `entry` of the open folder is an output. Skips stat for a kRegularFile with another
// name than the outputs. `shown` is the file's name in the message. Thread-safe.
absl::Status CheckFolderEntry(int folder, const std::string& entry, ListedType type, const std::string& shown);

// Return InternalError if `path` was not declared. Must be called before an input or an output is opened. A run may
// also read its own outputs. Always return OK in a program that did not call InitMain, such as a test or a rank.
absl::Status CheckDeclaredInput(const std::string& path);
absl::Status CheckDeclaredOutput(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RUN_FILES_H_
