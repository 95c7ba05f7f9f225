#include "lib/doctor/data_set.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/existing_file.h"
#include "lib/dataset/dataset.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr size_t kTarBlockBytes = 512;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// Returns true if the top of `folder` looks like one of cifar_prep's layouts.
bool LooksLikeCifar(const std::string& folder) {
  for (const char* name : {"data_batch_1.bin", "data_batch_1", "train", "Train", "train.bin"}) {
    for (const char* inside :
         {"", "/cifar-10-batches-bin", "/cifar-10-batches-py", "/cifar-100-binary", "/cifar-100-python"}) {
      if (Exists(absl::StrCat(folder, inside, "/", name))) {
        return true;
      }
    }
  }
  return false;
}

void Set(proto::DataFacts& data, proto::DataFacts::Kind kind, const std::string& description) {
  data.set_kind(kind);
  data.set_description(description);
}

void ReadRecords(const std::string& path, proto::DataFacts& data) {
  DeclareInput(path);
  const auto read = ReadDataset(path);
  if (!read.ok()) {
    Set(data, proto::DataFacts::BAD, std::string(read.status().message()));
    return;
  }
  const std::string note = read->train.info.official() ? "official" : read->train.info.note();
  Set(data, proto::DataFacts::RECORDS,
      absl::StrCat(read->train.size(), " and ", read->test.size(), " images, undamaged", note.empty() ? "" : "; ",
                   note));
}

void ExaminePath(const std::string& path, proto::DataFacts& data) {
  data.set_path(path);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    Set(data, proto::DataFacts::BAD, std::strerror(errno));
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    const bool cifar = LooksLikeCifar(path);
    Set(data, cifar ? proto::DataFacts::RAW : proto::DataFacts::BAD,
        cifar ? "folder of images" : "folder without data_batch_1 or train/");
    return;
  }
  const std::string archive = ArchiveKind(StartOfFile(path, kTarBlockBytes));
  if (archive.empty()) {
    ReadRecords(path, data);
  } else {
    Set(data, proto::DataFacts::RAW, absl::StrCat(archive, ", ", ShowBytes(static_cast<double>(info.st_size))));
  }
}

}  // namespace

void ProbeDataSet(const DoctorRequest& request, ProbeAnswer& answer) {
  std::string path = request.input;
  for (const std::string& place : UsualPlaces()) {
    if (path.empty() && Exists(place)) {
      path = place;
    }
  }
  proto::MachineFacts facts;
  facts.mutable_data()->set_kind(proto::DataFacts::NONE);
  if (!path.empty()) {
    answer.Begin("reading " + path);
    ExaminePath(path, *facts.mutable_data());
  }
  answer.Send(facts);
}

void JudgeDataSet(const proto::MachineFacts& facts, FindingList& findings) {
  const UseKinds needed = {proto::DoctorUse::TRAIN, proto::DoctorUse::SCALE};
  const proto::DataFacts& data = facts.data();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "data")) {
    AddFinding(findings, "data", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end),
               "slow or hanging disk? Copy the data to a local disk, or use --timeout=60s", needed);
    return;
  }
  const std::string what = absl::StrCat(data.path(), ": ", data.description());
  switch (data.kind()) {
    case proto::DataFacts::RECORDS:
      AddFinding(findings, "data", proto::DoctorFinding::OK, what);
      break;
    case proto::DataFacts::RAW:
      AddFinding(findings, "data", proto::DoctorFinding::OK, what,
                 absl::StrCat("cifar_prep --input=", data.path(),
                              " --output=dataset.rec checks the data and writes the records"));
      break;
    case proto::DataFacts::BAD:
      AddFinding(findings, "data", proto::DoctorFinding::BROKEN, what,
                 "give --input=PATH of a dataset.rec, or of data for cifar_prep (docs/cifar_prep.md)", needed);
      break;
    default:
      AddFinding(findings, "data", proto::DoctorFinding::ABSENT,
                 absl::StrCat("found none of ", absl::StrJoin(UsualPlaces(), ", ")),
                 "give --input=PATH, or make synthetic data: cifar_prep --input_format=synthetic --output=dataset.rec",
                 needed);
  }
}

std::vector<std::string> UsualPlaces() {
  std::vector<std::string> places = {
      "dataset.rec",          "lockstep_lab/dataset.rec", "cifar-10-binary.tar.gz", "cifar-10-python.tar.gz",
      "cifar-10-batches-bin", "cifar-10-batches-py"};
  if (const char* cifar = std::getenv("LOCKSTEP_CIFAR10"); cifar != nullptr && *cifar != '\0') {
    places.push_back(cifar);
  }
  return places;
}

// Formats: RFC 1952, the .xz file format, APPNOTE.TXT of zip, and POSIX ustar, which has its name at byte 257 of a
// member's header.
std::string ArchiveKind(absl::string_view first_bytes) {
  if (absl::StartsWith(first_bytes, "\x1f\x8b")) {
    return "gzip archive";
  }
  if (absl::StartsWith(first_bytes,
                       "\xfd"
                       "7zXZ")) {
    return "xz archive";
  }
  if (absl::StartsWith(first_bytes, absl::string_view("PK\x03\x04", 4))) {
    return "zip archive";
  }
  return first_bytes.size() >= 262 && first_bytes.substr(257, 5) == "ustar" ? "tar archive" : "";
}

}  // namespace lockstep
