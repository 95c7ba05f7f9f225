// Output of a tool: standard output, or a file that appears under its name only when it is complete.
//
// This file alone decides whether a file may be replaced: every file is opened with a rule (replace_rule.h), which is
// evaluated here. There are two ways of writing:
//     - A journal (Open) is written as PATH.part under a lock (flock), synced, and renamed to PATH. PATH.part remains
//       if the process is killed. The lock belongs to the file, not to the name PATH.part: between opening and locking,
//       the previous writer may have renamed the file. Therefore a process that gets the lock checks that PATH.part
//       still names the locked file.
//     - Any other file (OpenUnnamed) has no name until it is complete. Hence it cannot collide with another file
//       before, and nothing remains if the process is killed. On file systems without such files (open(2), O_TMPFILE),
//       a file .lockstep.N.part in the same folder is used.
// In both cases PATH is replaced only if it is still the file for which the rule was evaluated. Afterwards the folder
// is synced, because syncing a file does not sync its entry in the folder (fsync(2)).
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

// Not thread-safe. After an error only the destructor and Discard may be called.
class OutputFile {
 public:
  // Opens and locks PATH.part and keeps its contents. PATH.part gets the permissions of PATH, or those of the umask if
  // PATH does not exist. "-" is standard output, which is reserved for the output from now on (stdout_guard.h). Then
  // evaluates `rule`; if the rule refuses, an existing PATH.part remains unchanged. Returns the errors of
  // CheckOutputPlace, PlaceError and the rule, and
  //     - FailedPrecondition: another process writes the same output;
  //     - Internal: a tool did not declare the output (run_files.h).
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path, const ReplaceRule& rule);

  // Opens a new, empty file that Commit will put at PATH, and evaluates `rule`. Returns the errors of Open, except that
  // of the lock.
  static absl::StatusOr<std::unique_ptr<OutputFile>> OpenUnnamed(const std::string& path, const ReplaceRule& rule);

  // Unlocks. PATH.part remains unless it was committed or discarded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Truncates the file to its first `size` bytes, after which writing continues. Does nothing for standard output.
  absl::Status CutTo(uint64_t size);

  // Replaces the contents of PATH.part by `bytes`, on the disk. If the process is killed meanwhile, PATH.part has
  // either the old or the new contents. For journals only. Returns the errors of OpenUnnamed, Write and CheckPart.
  absl::Status Replace(absl::string_view bytes);

  // Appends the parts, one after another. ResourceExhausted: the disk or quota is full, or the device fails.
  // Unavailable: the reader of the pipe is gone. Both messages contain the number of bytes written.
  absl::Status Write(std::initializer_list<absl::string_view> parts);

  // Syncs the file, so that the bytes written so far survive a loss of power. Does nothing for standard output.
  absl::Status Sync();

  // Returns FailedPreconditionError if PATH.part of a journal no longer names this file: the file was removed, or
  // another run has its own file there, which stays.
  absl::Status CheckPart() const;

  // Syncs, puts the file at PATH with the permissions of the replaced file, syncs the folder, and unlocks. The file is
  // complete only if Commit has returned OK. Returns CheckPart's error, and FailedPreconditionError if PATH is no
  // longer the file for which the rule was evaluated; PATH then remains unchanged.
  absl::Status Commit();

  // Removes the file at PATH, so that PATH does not exist until Commit. Returns FailedPreconditionError, and removes
  // nothing, if PATH is no longer the file for which the rule was evaluated.
  absl::Status RemoveReplaced();

  // Removes the written file unless it is committed. A PATH.part of another run stays.
  void Discard();

  // Returns true if nothing was written, or if this is standard output.
  bool IsEmpty() const;

  // Returns the rule's result: true if PATH or PATH.part belongs to the writing command.
  bool replaces_own() const { return replaces_own_; }

  // Returns the file's name for messages: PATH.part of a journal, PATH, or "standard output".
  const std::string& part_name() const { return shown_; }

 private:
  OutputFile(std::string path, std::string shown, int fd) : path_(std::move(path)), shown_(std::move(shown)), fd_(fd) {}
  bool is_stdout() const { return path_ == "-"; }
  enum class PartFile { kNew, kFound };
  absl::Status Ask(const ReplaceRule& rule, PartFile part);
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
  FileState found_;                  // state of PATH when the rule was evaluated
  uint64_t offset_ = 0;              // position of the next byte
  uint64_t write_back_started_ = 0;  // end of the bytes whose write-back to the disk has started
};

// Lock on an output that a child of this process writes. As long as the object exists, other runs cannot open the
// output: it holds the lock that OutputFile::Open takes. Not thread-safe.
class OutputHold {
 public:
  // Takes the lock. Returns the errors of OutputFile::Open.
  static absl::StatusOr<std::unique_ptr<OutputHold>> Take(const std::string& path);
  ~OutputHold();
  OutputHold(const OutputHold&) = delete;
  OutputHold& operator=(const OutputHold&) = delete;

 private:
  explicit OutputHold(std::unique_ptr<OutputFile> part) : part_(std::move(part)) {}
  const std::unique_ptr<OutputFile> part_;
};

// Writes `bytes` to PATH by OpenUnnamed, Write and Commit. After an error PATH is unchanged, or new and complete if
// only the sync of its folder failed.
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes, const ReplaceRule& rule);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_FILE_H_
