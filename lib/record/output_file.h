// Where a tool's output goes: a file that appears under its name whole or not at all, or standard output.
//
// A file is written as PATH.part under a lock (flock), synced, renamed to PATH, and its folder synced; so says the manual
// of fsync(2): syncing a file does not sync the entry in its folder. The lock is on the file behind the name PATH.part, so
// whoever gets it asks whether that name still means this file: between opening it and locking it, the writer before may
// have renamed it, and it is then that writer's finished PATH.
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

namespace lockstep {

// Not thread-safe. After an error only the destructor and Discard are of use.
class OutputFile {
 public:
  // Opens and locks PATH.part with what it holds, readable and writable as the umask says; "-": standard output, which is
  // taken from now on (stdout_guard.h). FailedPrecondition: another process writes the same output. InvalidArgument: as
  // CheckOutputPlace. Internal: a tool did not declare it (run_files.h). Others as WriteError.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path);

  // Unlocks. PATH.part stays unless it was committed or discarded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Cuts PATH.part to its first `size` bytes; writing goes on from there. Does nothing for standard output.
  absl::Status CutTo(uint64_t size);

  // PATH.part holds `bytes` and nothing else from now on, on the disk; whatever ends this process meanwhile, it holds
  // either these or what it held. They are written as PATH.part.part, under a lock too, and renamed; one that a killed
  // process left is written over. Errors as Open's and Write's. Not for standard output.
  absl::Status Replace(absl::string_view bytes);

  // Appends the parts, one after another. ResourceExhausted: the disk or quota is full, or the device fails.
  // Unavailable: the reader of the pipe is gone. Both say after how many bytes.
  absl::Status Write(std::initializer_list<absl::string_view> parts);

  // What was written so far survives a loss of power. Does nothing for standard output.
  absl::Status Sync();

  // Syncs, renames to PATH, syncs the folder, unlocks. The file is complete only when this returned OK.
  absl::Status Commit();

  // Removes PATH.part.
  void Discard();

  // Whether nothing is in PATH.part; standard output counts as such.
  bool IsEmpty() const;

  // PATH.part, or "standard output".
  const std::string& part_name() const { return part_; }

 private:
  OutputFile(std::string path, std::string part, int fd) : path_(std::move(path)), part_(std::move(part)), fd_(fd) {}
  bool is_stdout() const { return path_ == "-"; }
  absl::Status Fail(absl::string_view doing) const;
  void StartWriteBack();

  const std::string path_;
  const std::string part_;
  int fd_;                           // -1 once committed or discarded
  uint64_t offset_ = 0;              // where the next byte goes
  uint64_t write_back_started_ = 0;  // bytes before it are on their way to the disk
};

// Open, write, commit. On an error PATH is as it was (or new and whole, when only syncing its folder failed), and PATH.part
// is gone unless another process writes it.
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OUTPUT_FILE_H_
