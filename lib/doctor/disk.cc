#include "lib/doctor/disk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/owned_descriptor.h"

namespace lockstep {
namespace {

// Free space below which outputs do not fit: a dataset.rec of all 60,000 images has 184 MB, and is written next to the
// previous one; a ResNet-18 has 45 MB, and its state for --resume 90 MB.
constexpr double kMinFreeBytes = 500e6;
// Free space below which a lab with all of its experiments may not fit.
constexpr double kEnoughFreeBytes = 2e9;

constexpr size_t kTrialBytes = 1 << 20;

// Returns a descriptor of a file without a name, or -1 with errno. Some file systems do not support O_TMPFILE.
int OpenTrialFile(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return fd;
  }
  std::string name = folder + "/.doctor_XXXXXX";
  const int named = mkstemp(name.data());
  if (named >= 0) {
    unlink(name.c_str());
  }
  return named;
}

// Returns why no file can be written there; empty if one can.
std::string TrialError(const std::string& folder) {
  const OwnedDescriptor file(OpenTrialFile(folder));
  if (file.get() < 0) {
    return std::strerror(errno);
  }
  const std::string bytes(kTrialBytes, 'x');
  errno = 0;
  const ssize_t written = write(file.get(), bytes.data(), bytes.size());
  std::string error;
  if (written != static_cast<ssize_t>(bytes.size()) || fsync(file.get()) != 0) {
    error = errno == 0 ? "the disk is full" : std::strerror(errno);
  }
  return error;
}

}  // namespace

void ProbeDisk(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("writing to " + request.output);
  proto::MachineFacts facts;
  proto::DiskFacts& disk = *facts.mutable_disk();
  disk.set_folder(request.output);
  disk.set_error(TrialError(request.output));
  struct statvfs info;
  if (statvfs(request.output.c_str(), &info) == 0) {
    disk.set_free_bytes(static_cast<double>(info.f_frsize) * static_cast<double>(info.f_bavail));
  }
  answer.Send(facts);
}

void JudgeDisk(const proto::MachineFacts& facts, FindingList& findings) {
  const UseKinds needed = {proto::DoctorUse::TRAIN, proto::DoctorUse::SCALE, proto::DoctorUse::REPORT};
  const proto::DiskFacts& disk = facts.disk();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "disk")) {
    AddFinding(findings, "disk", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end),
               "hanging file system? Choose another --output", needed);
  } else if (!disk.error().empty()) {
    AddFinding(findings, "disk", proto::DoctorFinding::BROKEN,
               absl::StrCat("cannot write to the folder ", disk.folder(), ": ", disk.error()),
               "give --output=FOLDER, a folder that this user may write to", needed);
  } else if (disk.free_bytes() < kMinFreeBytes) {
    AddFinding(findings, "disk", proto::DoctorFinding::BROKEN,
               absl::StrCat(ShowBytes(disk.free_bytes()), " free in ", disk.folder(),
                            ": too little for a data set and a training state"),
               "free some space, or choose an --output on another disk", needed);
  } else if (disk.free_bytes() < kEnoughFreeBytes) {
    AddFinding(findings, "disk", proto::DoctorFinding::WARN,
               absl::StrCat(ShowBytes(disk.free_bytes()), " free in ", disk.folder()),
               absl::StrCat("a whole lab may need ", ShowBytes(kEnoughFreeBytes)));
  } else {
    AddFinding(findings, "disk", proto::DoctorFinding::OK,
               absl::StrCat(ShowBytes(disk.free_bytes()), " free in ", disk.folder()));
  }
}

}  // namespace lockstep
