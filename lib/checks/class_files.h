// The files of a class: a folder of folders, one per student. The folders belong to other people and are not trusted:
// only regular files are read, no symbolic link out of a student's folder is followed, and the limits below hold.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_FILES_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/checks/student_folder.h"
#include "lib/checks/untrusted_folder.h"

namespace lockstep {

// Limits of reading. Files beyond them are named on the page, and not read.
inline constexpr size_t kMaxClassFolders = 10'000;             // students of the class
inline constexpr uint64_t kMaxClassTextBytes = 16 << 20;       // one table, or one record as JSON
inline constexpr uint64_t kMaxClassRecordBytes = 256 << 20;    // one record; a data set of CIFAR-10 has 184 MB
inline constexpr uint64_t kMaxStudentBytes = 512 << 20;        // all files of one student
inline constexpr uint64_t kMaxClassBytes = uint64_t{8} << 30;  // all files of the class
inline constexpr uint64_t kTextWeight = 16;  // weight of a text in these limits: parsing takes that much longer

// An open class. Not thread-safe.
class ClassFiles {
 public:
  // Opens the folder `path`, and lists all folders in it, ordered by name. The run must have declared `path` as an
  // input (lib/record/run_files.h). Returns NotFoundError if there is no such folder, FailedPreconditionError if it
  // contains no folder or more than kMaxClassFolders, InvalidArgumentError if an output of the run is among the files,
  // and CancelledError after a stop signal.
  static absl::StatusOr<std::unique_ptr<ClassFiles>> Open(const std::string& path);

  ClassFiles(const ClassFiles&) = delete;
  ClassFiles& operator=(const ClassFiles&) = delete;

  const std::vector<StudentFolder>& students() const { return students_; }

  // Returns the files of the class' folder itself, which belong to no student.
  const std::vector<std::string>& loose_files() const { return loose_files_; }

  // Reads one of a student's files whole. `student` must be an element of students(). The message of an error is only
  // the reason.
  //   - Returns FailedPreconditionError if the file must not be read: it is not a regular file, is a link that leaves
  //     the student's folder, or is larger than the limit above; or if a limit of the student or the class is used up.
  //   - Returns NotFoundError if the system cannot open the file, DataLossError if it cannot read the file, and
  //     CancelledError after a stop signal.
  absl::StatusOr<std::string> ReadText(const StudentFolder& student, const std::string& file);
  absl::StatusOr<std::string> ReadRecord(const StudentFolder& student, const std::string& file);

  // Reads the first `bytes` of a file, or all of a shorter one. Returns the errors of ReadRecord.
  absl::StatusOr<std::string> ReadStart(const StudentFolder& student, const std::string& file, uint64_t bytes);

 private:
  absl::Status Spend(const StudentFolder& student, uint64_t bytes);
  explicit ClassFiles(OwnedDescriptor folder) : folder_(std::move(folder)) {}
  absl::Status List(const std::string& path);

  absl::StatusOr<RegularFile> OpenFile(const StudentFolder& student, const std::string& file) const;

  const OwnedDescriptor folder_;
  std::vector<StudentFolder> students_;
  std::vector<std::string> loose_files_;
  std::string current_;  // name of the student whose bytes are counted
  uint64_t student_bytes_ = 0;
  uint64_t class_bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_FILES_H_
