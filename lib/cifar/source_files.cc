#include "lib/cifar/source_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/archive.h"
#include "lib/cifar/folder_files.h"
#include "lib/cifar/input_format.h"
#include "lib/cifar/parallel_for.h"
#include "lib/cifar/plain_text.h"
#include "lib/record/digest.h"
#include "lib/record/input_file.h"
#include "lib/record/run_files.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

absl::Status CheckName(const std::string& path, const std::string& name) {
  return IsPlainText(name)
             ? absl::OkStatus()
             : absl::DataLossError(absl::StrCat(path, ": ", absl::CHexEscape(name),
                                                ": expected a name in UTF-8 without control characters; rename it"));
}

// Sorts the files. Folders and most archives come sorted or nearly sorted.
void SortByName(std::vector<SourceFile>& files) {
  const auto by_name = [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; };
  if (!std::is_sorted(files.begin(), files.end(), by_name)) {
    std::sort(files.begin(), files.end(), by_name);
  }
}

absl::string_view FirstPart(absl::string_view name) { return name.substr(0, name.find('/')); }

// Chooses the folders of an image set, and removes the files of a validation folder that is not read. `finder` must
// have seen every file.
absl::Status ChooseFolders(const FormatFinder& finder, const std::string& root, SourceFiles& source) {
  if (source.format != proto::IMAGE_FOLDERS) {
    return absl::OkStatus();
  }
  std::set<std::string> names;
  for (const SourceFile& file : source.files) {  // sorted: a folder's files are consecutive
    if (names.empty() || *names.rbegin() != FirstPart(file.name)) {
      names.emplace(FirstPart(file.name));
    }
  }
  ASSIGN_OR_RETURN(source.folders, ChooseSplitFolders(source.input.path(), names));
  source.passed_over = finder.PassedOverIn(root);
  const std::string& unread = source.folders.validation;
  if (unread.empty()) {
    return absl::OkStatus();
  }
  const auto is_unread = [&](const SourceFile& file) { return FirstPart(file.name) == unread; };
  for (const SourceFile& file : source.files) {
    if (is_unread(file)) {
      source.passed_over[unread].Add(file.name, EntryKind::kFile);
    }
  }
  source.files.erase(std::remove_if(source.files.begin(), source.files.end(), is_unread), source.files.end());
  return absl::OkStatus();
}

// Lists the files of the wanted version.
absl::StatusOr<SourceFiles> ListFiles(const std::string& path, proto::InputFormat wanted) {
  ASSIGN_OR_RETURN(FolderListing listing, ListFolder(path));
  ASSIGN_OR_RETURN(const auto kind, listing.finder.Decide(path, wanted));
  SourceFiles source;
  source.input.set_path(path);
  source.format = kind.first;
  source.files.reserve(listing.files.size());
  for (FolderFile& file : listing.files) {
    if (file.place.format == kind.first && file.place.root == kind.second) {
      RETURN_IF_ERROR(CheckName(path, file.place.name));
      RETURN_IF_ERROR(CheckFolderEntry(file.folder->get(), FileNameOf(file.place.name),
                                       file.regular ? ListedType::kRegularFile : ListedType::kOther,
                                       absl::StrCat(path, ": ", file.place.name)));
      SourceFile& listed = source.files.emplace_back();
      listed.name = std::move(file.place.name);
      listed.folder = std::move(file.folder);
      listed.one_read = file.regular && kind.first == proto::IMAGE_FOLDERS;
    }
  }
  SortByName(source.files);
  RETURN_IF_ERROR(ChooseFolders(listing.finder, kind.second, source));
  return source;
}

absl::StatusOr<SourceFiles> ReadArchiveBytes(const std::string& path, const InputFile& file, uint64_t size_hint) {
  SourceFiles source;
  source.is_archive = true;
  ASSIGN_OR_RETURN(source.archive_bytes, ReadAll(file, size_hint, kMaxSourceBytes, path));
  source.input.set_path(path);
  source.input.set_size_bytes(source.archive_bytes.size());
  source.input.set_sha256(Sha256Hex(source.archive_bytes));
  if (absl::StatusOr<std::string> md5 = Md5Hex(source.archive_bytes); md5.ok()) {
    source.archive_md5 = *std::move(md5);
  }
  return source;
}

}  // namespace

absl::StatusOr<SourceFiles> ListSource(const std::string& path, proto::InputFormat wanted) {
  RETURN_IF_ERROR(CheckDeclaredInput(path));
  if (path == "-") {
    return ReadArchiveBytes(path, InputFile::StandardInput(), 0);
  }
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    RETURN_IF_ERROR(CheckIsNoAddress(path));
    return absl::NotFoundError(
        absl::StrCat(path, ": ", std::strerror(errno), "; --input names a folder or an archive of CIFAR-10"));
  }
  if (S_ISDIR(info.st_mode)) {
    return ListFiles(path, wanted);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected a folder or an archive, found a FIFO, a socket or a device; '-' is standard input"));
  }
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  return ReadArchiveBytes(path, file, static_cast<uint64_t>(info.st_size));
}

absl::StatusOr<absl::string_view> ReadListedFile(const SourceFiles& source, SourceFile& file, std::string& buffer) {
  if (file.folder == nullptr) {
    return absl::string_view(file.bytes);
  }
  ASSIGN_OR_RETURN(const absl::string_view bytes,
                   ReadFolderFile(*file.folder, file.name, file.one_read, source.input.path(), buffer));
  file.sha256 = Sha256Hex(bytes);
  file.size_bytes = bytes.size();
  return bytes;
}

absl::Status ReadFiles(SourceFiles& source) {
  if (source.is_archive) {
    return absl::OkStatus();
  }
  Progress progress("reading", source.files.size(), "files");
  ParallelOptions options;
  options.progress = &progress;
  options.block =
      source.format == proto::IMAGE_FOLDERS ? 64 : 1;  // 64 pictures take about 1 ms; other files have 30 MB each
  std::vector<std::string> buffers(ParallelThreads(source.files.size(), options));
  RETURN_IF_ERROR(ParallelFor(source.files.size(), options, [&](size_t worker, size_t i) -> absl::Status {
    SourceFile& file = source.files[i];
    std::string& buffer = buffers[worker];
    ASSIGN_OR_RETURN(const absl::string_view bytes, ReadListedFile(source, file, buffer));
    file.bytes = bytes.size() == buffer.size() ? std::move(buffer) : std::string(bytes);
    file.folder = nullptr;
    return absl::OkStatus();
  }));
  DescribeFolder(source);
  return absl::OkStatus();
}

// Sets the digest that lib/proto/header.proto defines for a folder: of the lines "sha256  name", sorted by name.
void DescribeFolder(SourceFiles& source) {
  constexpr size_t kPiece = size_t{64} << 10;  // digesting line by line costs twice as much
  Sha256 digest;
  std::string lines;
  uint64_t size_bytes = 0;
  for (const SourceFile& file : source.files) {
    absl::StrAppend(&lines, file.sha256, "  ", file.name, "\n");
    if (lines.size() >= kPiece) {
      digest.Update(lines);
      lines.clear();
    }
    size_bytes += file.size_bytes;
  }
  digest.Update(lines);
  source.input.set_sha256(digest.HexDigest());
  source.input.set_size_bytes(size_bytes);
}

absl::StatusOr<SourceFiles> ReadSource(const std::string& path, proto::InputFormat wanted) {
  ASSIGN_OR_RETURN(SourceFiles source, ListSource(path, wanted));
  RETURN_IF_ERROR(ReadFiles(source));
  return source;
}

absl::Status UnpackArchive(proto::InputFormat wanted, SourceFiles& source) {
  if (!source.is_archive) {
    return absl::OkStatus();
  }
  const std::string& path = source.input.path();
  FormatFinder finder;
  std::vector<std::pair<CifarPath, std::string>> members;
  Progress progress("unpacking", source.archive_bytes.size(), "bytes");
  ArchiveVisitor visitor;
  visitor.progress = [&progress](uint64_t bytes) { progress.Update(bytes); };
  visitor.want = [&finder](const std::string& name) {
    const absl::optional<CifarPath> place = CifarPathOf(name);
    if (!place) {
      finder.AddOther(name);
    }
    return place.has_value();
  };
  visitor.take = [&](std::string name, std::string bytes) -> absl::Status {
    RETURN_IF_ERROR(CheckName(path, name));
    members.emplace_back(*CifarPathOf(name), std::move(bytes));
    finder.Add(members.back().first);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadArchive(path, source.archive_bytes, visitor));
  progress.Update(source.archive_bytes.size());  // the bytes after the last member are not read
  ASSIGN_OR_RETURN(const auto kind, finder.Decide(path, wanted));
  source.format = kind.first;
  for (auto& [place, bytes] : members) {
    if (place.format == kind.first && place.root == kind.second) {
      SourceFile& file = source.files.emplace_back();
      file.name = std::move(place.name);
      file.bytes = std::move(bytes);
    }
  }
  SortByName(source.files);
  source.archive_bytes = std::string();
  return ChooseFolders(finder, kind.second, source);
}

const SourceFile* FindFile(const SourceFiles& source, absl::string_view name) {
  for (const SourceFile& file : source.files) {
    if (file.name == name) {
      return &file;
    }
  }
  return nullptr;
}

std::string SourcePath(const SourceFiles& source, absl::string_view name) {
  return absl::StrCat(source.input.path(), ": ", name);
}

}  // namespace lockstep
