// An output of a tool: a file that appears under its name whole or not at all, or standard output.
//
// This is the one place that decides whether a file may be replaced: each file is opened with a rule (replace_rule.h),
// which is asked here. Two ways of writing:
//     - A journal (Open) is written as PATH.part under a lock (flock), synced, and renamed to PATH. Whatever ends the
//       process, PATH.part stays. The lock is on the file that has the name PATH.part, so whoever gets the lock asks
//       whether the name still means this file: between opening and locking, the writer before may have renamed it.
//     - Any other file (OpenUnnamed) has no name until it is whole, so that nothing can be at its name before, and
//       nothing is left of it when the process is killed. File systems without such files (open(2), O_TMPFILE) get a
//       file .lockstep.N.part in the same folder instead.
// In both ways PATH is replaced only if it still is what the rule was asked about, and the folder is synced after it:
// syncing a file does not sync the entry in its folder (fsync(2)).
#ifndef LOCKSTEP_LIB_RECORD_OUTPUT_FILE_H_
#define LOCKSTEP_LIB_RECORD_OUTPUT_FILE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/record/placed_file.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Not thread-safe. After an error only the destructor and Discard are of use.
class OutputFile {
 public:
  // Opens and locks PATH.part with what it holds, readable and writable as PATH is, or as the umask says if there is no
  // PATH; "-": standard output, which is taken from now on (stdout_guard.h). Then asks `rule`; if it refuses, a PATH.part
  // that was there is as it was. FailedPrecondition: another process writes the same output. InvalidArgument: as
  // CheckOutputPlace. Internal: a tool did not declare it (run_files.h). Others as PlaceError and the rule's.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path, const ReplaceRule& rule);

  // Opens a new, empty file that Commit will put at PATH, and asks `rule`. Errors like Open's, but for the lock.
  static absl::StatusOr<std::unique_ptr<OutputFile>> OpenUnnamed(const std::string& path, const ReplaceRule& rule);

  // Unlocks. PATH.part stays unless it was committed or discarded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Cuts the file to its first `size` bytes; writing goes on from there. Does nothing for standard output.
  absl::Status CutTo(uint64_t size);

  // PATH.part holds `bytes` and nothing else from now on, on the disk; whatever ends this process meanwhile, it holds
  // either these or what it held. For journals only. Errors like OpenUnnamed's, Write's and CheckPart's.
  absl::Status Replace(absl::string_view bytes);

  // Appends the parts, one after another. ResourceExhausted: the disk or quota is full, or the device fails.
  // Unavailable: the reader of the pipe is gone. Both say after how many bytes.
  absl::Status Write(std::initializer_list<absl::string_view> parts);

  // What was written so far survives a loss of power. Does nothing for standard output.
  absl::Status Sync();

  // Returns FailedPreconditionError if PATH.part of a journal no longer names this file: somebody removed it, or another
  // run has its own there, which is not touched.
  absl::Status CheckPart() const;

  // Syncs, puts the file at PATH with the permissions of the file that it replaces, syncs the folder, unlocks. The file
  // is complete only when this returned OK. FailedPreconditionError like CheckPart's, or if PATH is no longer what the
  // rule was asked about; PATH is as it is then.
  absl::Status Commit();

  // Removes the file at PATH, so that there is none until Commit. FailedPreconditionError if it is no longer what the rule
  // was asked about; then it stays.
  absl::Status RemoveReplaced();

  // Removes what was written, unless it is committed. What another run has at PATH.part stays.
  void Discard();

  // Returns true if nothing was written, or if this is standard output.
  bool IsEmpty() const;

  // Returns the rule's answer: PATH or PATH.part is of the command that writes.
  bool replaces_own() const { return replaces_own_; }

  // The file's name in messages: PATH.part of a journal, PATH, or "standard output".
  const std::string& part_name() const { return shown_; }

 private:
  OutputFile(std::string path, std::string shown, int fd) : path_(std::move(path)), shown_(std::move(shown)), fd_(fd) {}
  bool is_stdout() const { return path_ == "-"; }
  absl::Status Ask(const ReplaceRule& rule, bool has_part);
  absl::Status SomethingElseIsThere() const;
  absl::Status Fail(absl::string_view doing) const;
  absl::Status PutInPlace();
  void StartWriteBack();

  const std::string path_;
  const std::string shown_;
  std::string name_;  // name until the file is committed: PATH.part of a journal; empty: no name
  int fd_;            // -1 once committed or discarded
  bool is_journal_ = false;
  bool replaces_own_ = false;
  FileState found_;                  // at PATH when the rule was asked
  uint64_t offset_ = 0;              // where the next byte goes
  uint64_t write_back_started_ = 0;  // bytes before it are on their way to the disk
};

// Keeps other runs away from an output that a child of this process writes, as long as this object exists: it holds the
// lock that OutputFile::Open takes. Not thread-safe.
class OutputHold {
 public:
  // Errors like OutputFile::Open's.
  static absl::StatusOr<std::unique_ptr<OutputHold>> Take(const std::string& path);
  ~OutputHold();
  OutputHold(const OutputHold&) = delete;
  OutputHold& operator=(const OutputHold&) = delete;

 private:
  explicit OutputHold(std::unique_ptr<OutputFile> part) : part_(std::move(part)) {}
  const std::unique_ptr<OutputFile> part_;
};

// OpenUnnamed, write, commit. On an error PATH is as it was (or new and whole, when only syncing its folder failed).
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes, const ReplaceRule& rule);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_FILE_H_
