#include "lib/cifar/image_folder.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/image_decode.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/parallel_for.h"
#include "lib/cifar/passed_over.h"
#include "lib/cifar/picture.h"
#include "lib/cifar/resize_picture.h"
#include "lib/cifar/split_folders.h"
#include "lib/cifar/statistics.h"

namespace lockstep {
namespace {

// CIFAR-10's classes in the order of their labels, which is also their byte order.
const std::vector<std::string>& CifarClasses() {
  static const auto* names = new std::vector<std::string>(
      {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"});
  return *names;
}

struct Picture {
  size_t file;  // index among the source's files
  absl::string_view class_name;
  uint16_t label;
};

struct SplitPictures {
  proto::Split split;
  std::string folder;    // "train/", as written on disk
  uint32_t whole_count;  // number of images of CIFAR-10's official split
  std::vector<Picture> pictures;
  std::vector<std::string> classes;
};

// Returns the class of CLASS/FILE, or nothing for another name.
absl::optional<absl::string_view> ClassIn(absl::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos || name.find('/', slash + 1) != name.npos) {
    return absl::nullopt;
  }
  return name.substr(0, slash);
}

// Finds the pictures of a split. The files are sorted by name, so that those of a folder are consecutive.
void FindPictures(const SourceFiles& source, SplitPictures& split) {
  auto file = std::lower_bound(source.files.begin(), source.files.end(), split.folder,
                               [](const SourceFile& a, const std::string& folder) { return a.name < folder; });
  for (; file != source.files.end() && absl::StartsWith(file->name, split.folder); ++file) {
    if (const auto class_name = ClassIn(absl::string_view(file->name).substr(split.folder.size()))) {
      split.pictures.push_back({static_cast<size_t>(file - source.files.begin()), *class_name, 0});
    }
  }
}

// Collects the pictures by class, then name: as paths, "a-b/1.png" would come before "a/1.png". Few data sets have such
// names.
void CollectPictures(const SourceFiles& source, SplitPictures& split) {
  FindPictures(source, split);
  const auto by_class = [](const Picture& a, const Picture& b) { return a.class_name < b.class_name; };
  if (!std::is_sorted(split.pictures.begin(), split.pictures.end(), by_class)) {
    std::stable_sort(split.pictures.begin(), split.pictures.end(), by_class);
  }
  for (Picture& picture : split.pictures) {
    if (split.classes.empty() || split.classes.back() != picture.class_name) {
      split.classes.emplace_back(picture.class_name);
    }
    picture.label =
        static_cast<uint16_t>(split.classes.size() - 1);  // CheckClasses refuses more than kMaxDatasetClasses
  }
}

// Returns the files of a split's folder that are not read. `folder` must end in '/', as in SplitPictures.
PassedOver PassedOverIn(const SourceFiles& source, const std::string& folder) {
  const auto found = source.passed_over.find(folder.substr(0, folder.size() - 1));
  return found == source.passed_over.end() ? PassedOver() : found->second;
}

// Returns "4 files in train/ were not read (no PNG, JPEG, BMP or WebP of a class folder): 1 .gif, ..."; empty without
// such files.
std::string PassedOverText(const SourceFiles& source, const std::string& folder) {
  const PassedOver files = PassedOverIn(source, folder);
  const WebpSupport webp = GetWebpSupport();
  return files.count() == 0
             ? ""
             : absl::StrCat(files.count(), files.count() == 1 ? " file in " : " files in ", folder,
                            files.count() == 1 ? " was" : " were", " not read (no ",
                            webp == WebpSupport::kPresent ? "PNG, JPEG, BMP or WebP" : "PNG, JPEG or BMP",
                            " of a class folder): ", files.Kinds(), "; the first is ", files.first(), "; ",
                            files.Remedy(webp));
}

// Returns the same text, to be appended to an error message.
std::string AfterError(const SourceFiles& source, const std::string& folder) {
  const std::string text = PassedOverText(source, folder);
  return text.empty() ? "" : absl::StrCat("; ", text);
}

// Returns up to ten names.
std::string FirstNames(const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 10;
  const size_t shown = std::min(names.size(), kMaxNames);
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                      shown == names.size() ? "" : absl::StrCat(" and ", names.size() - shown, " more"));
}

// Returns "; only in one of them: x", the first class that is only in `a` or only in `b`, both sorted. Empty if `b` is.
std::string FirstDifference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> differing;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(differing));
  return b.empty() || differing.empty() ? "" : absl::StrCat("; only one of the folders has ", differing[0]);
}

absl::Status CheckClasses(const SourceFiles& source, const SplitPictures& train, const SplitPictures& test) {
  const std::string& path = source.input.path();
  if (train.classes.size() < 2 || train.classes.size() > kMaxDatasetClasses) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": expected pictures in 2 to ", kMaxDatasetClasses, " folders ", train.folder,
                     "<class>/, found ", train.classes.size(), train.classes.size() == 1 ? ": " : "",
                     train.classes.size() == 1 ? train.classes[0] : "", AfterError(source, train.folder)));
  }
  if (test.classes != train.classes) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected the same classes in ", test.folder, " as in ", train.folder, " (", FirstNames(train.classes),
        "), found ",
        test.classes.empty() ? "none; name the folder of the test images test or val" : FirstNames(test.classes),
        FirstDifference(train.classes, test.classes), AfterError(source, test.folder)));
  }
  return absl::OkStatus();
}

void Warn(const ParseOptions& options, const std::string& text) {
  if (options.warnings != nullptr && !text.empty()) {
    options.warnings->push_back(text);
  }
}

// Adds one warning for each folder with files that were passed over.
void WarnOfPassedOver(const SourceFiles& source, const ParseOptions& options) {
  const std::string& path = source.input.path();
  for (const auto& [folder, files] : source.passed_over) {
    if (folder == source.folders.validation) {
      Warn(options,
           absl::StrCat(path, ": ", folder, "/ is not read (", files.count(), files.count() == 1 ? " file" : " files",
                        "), because ", source.folders.test, "/ holds the test images"));
    } else {
      Warn(options, absl::StrCat(path, ": ", PassedOverText(source, absl::StrCat(folder, "/"))));
    }
  }
}

// Returns the note on a split for the record: whether the split is whole, and which files of its folder were not read.
std::string NoteOf(const SourceFiles& source, const SplitPictures& split, const std::string& why_partial,
                   const ParseOptions& options) {
  std::string note = why_partial.empty()               ? "whole by class counts; no digests of pictures are published"
                     : split.classes == CifarClasses() ? why_partial
                                                       : "own pictures, of which no digests are published";
  if (options.resize != 0) {
    absl::StrAppend(&note, "; resized to ", options.resize, "x", options.resize);
  }
  if (!absl::EqualsIgnoreCase(split.folder, "train/") && !absl::EqualsIgnoreCase(split.folder, "test/")) {
    absl::StrAppend(&note, "; read from ", split.folder);
  }
  const PassedOver files = PassedOverIn(source, split.folder);
  return files.count() == 0 ? note : absl::StrCat(note, "; passed over: ", files.Kinds());
}

// Returns why the split is not CIFAR-10's whole one; empty if the counts agree.
std::string WhyPartial(const SplitPictures& split) {
  if (split.classes != CifarClasses()) {
    return "other classes than CIFAR-10's";
  }
  if (split.pictures.size() != split.whole_count) {
    return absl::StrCat(split.pictures.size(), " of ", split.whole_count, " images");
  }
  for (size_t i = 0; i < split.pictures.size(); ++i) {
    if (split.pictures[i].label != i * split.classes.size() / split.whole_count) {
      return absl::StrCat("not ", split.whole_count / split.classes.size(), " images of each class");
    }
  }
  return "";
}

// Prevents malloc from returning memory to the system. Each picture allocates and frees about 100 kB inside libjpeg or
// libpng; by default, malloc would return and request memory 8,000 times in 60,000 pictures.
void KeepFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
}

// Makes the system map and clear the memory's pages at once. Page by page, at the first write, they cost half as much
// again: 87 to 138 ms of one core for the pixels' 184 MB instead of 59 to 98 (Linux 6.18, Xeon 2.8 GHz, 2026-11-21).
// Pages of 2 MB (MADV_HUGEPAGE) take 35 to 50 ms, but 380 to 620 ms after 2 s of rest in a virtual machine that returns
// free pages to its host.
void TouchPages(uint8_t* begin, size_t size) {
  static const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin) / page_bytes * page_bytes;
  // Only a hint, which Linux before 5.14 refuses.
  madvise(reinterpret_cast<void*>(first), reinterpret_cast<uintptr_t>(begin) + size - first, MADV_POPULATE_WRITE);
}

// Returns the bytes of one of the source's files. At most one call at a time may have the same `worker`.
using BytesOf = std::function<absl::StatusOr<absl::string_view>(size_t worker, size_t file)>;

absl::Status AtFile(const SourceFiles& source, const Picture& picture, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(SourcePath(source, source.files[picture.file].name), ": ", status.message()));
}

// Memory of one thread.
struct Scratch {
  DecodedPicture picture;
  DecodedPicture resized;
};

// Returns the size of all images: the one that was asked for, or that of the first training picture.
absl::StatusOr<PictureSize> SizeOfAll(const SourceFiles& source, const SplitPictures& train, const BytesOf& bytes_of,
                                      const ParseOptions& options) {
  if (options.resize != 0) {
    return PictureSize{options.resize, options.resize};
  }
  const Picture& first = train.pictures.front();
  ASSIGN_OR_RETURN(const absl::string_view bytes, bytes_of(0, first.file));
  DecodedPicture picture;
  if (const absl::Status status = DecodePicture(bytes, PictureSize(), picture); !status.ok()) {
    return AtFile(source, first, status);
  }
  const auto [low, high] = std::minmax({picture.size.width, picture.size.height});
  if (low < kMinImageSide || high > kMaxImageSide) {
    return AtFile(source, first,
                  absl::FailedPreconditionError(absl::StrCat(
                      "expected a picture with sides of ", kMinImageSide, " to ", kMaxImageSide, " pixels, found ",
                      picture.size.width, "x", picture.size.height, "; --resize=32 makes all pictures 32x32")));
  }
  return picture.size;
}

// Decodes one picture to the planes of an image.
absl::Status DecodeImage(absl::string_view bytes, PictureSize size, const ParseOptions& options, Scratch& scratch,
                         uint8_t* planes) {
  RETURN_IF_ERROR(DecodePicture(bytes, options.resize == 0 ? size : PictureSize(), scratch.picture));
  if (options.resize != 0) {
    ResizePicture(options.resize, scratch.picture, scratch.resized);
  }
  ToPlanes(scratch.picture, planes);
  return absl::OkStatus();
}

absl::StatusOr<ImageSet> DecodeSplit(const SourceFiles& source, const SplitPictures& split, PictureSize size,
                                     const BytesOf& bytes_of, const ParseOptions& options) {
  const std::string why = WhyPartial(split);
  if (!why.empty() && split.classes == CifarClasses() && !options.allow_partial) {
    return absl::FailedPreconditionError(
        absl::StrCat(source.input.path(), ": not all of CIFAR-10's images in ", split.folder, ": ", why,
                     "; --allow_partial takes them as they are", AfterError(source, split.folder)));
  }
  const std::vector<Picture>& pictures = split.pictures;
  ImageSet set;
  set.info.set_height(size.height);
  set.info.set_width(size.width);
  const size_t image_bytes = set.image_bytes();
  set.labels.resize(pictures.size());
  std::vector<ImageSums> sums(pictures.size());
  Progress progress(absl::StrCat("decoding ", split.folder), pictures.size(), "images");
  ParallelOptions parallel;
  parallel.progress = &progress;
  const size_t threads = ParallelThreads(pictures.size(), parallel);
  std::vector<Scratch> scratch(threads);
  // If pixels are not kept, a picture overwrites the previous one of the same thread.
  const bool keep = options.keep_pixels;
  set.pixels.resize((keep ? pictures.size() : threads) * image_bytes);
  RETURN_IF_ERROR(ParallelFor(pictures.size(), parallel, [&](size_t worker, size_t i) -> absl::Status {
    ASSIGN_OR_RETURN(const absl::string_view bytes, bytes_of(worker, pictures[i].file));
    set.labels[i] = pictures[i].label;
    uint8_t* const pixels = &set.pixels[(keep ? i : worker) * image_bytes];
    if (keep && i % parallel.block == 0) {
      TouchPages(pixels, std::min(parallel.block, pictures.size() - i) * image_bytes);
    }
    if (const absl::Status status = DecodeImage(bytes, size, options, scratch[worker], pixels); !status.ok()) {
      return AtFile(source, pictures[i], status);
    }
    sums[i] = SumImage(pixels, image_bytes / kImageChannels);  // while the processor's cache holds the pixels
    return absl::OkStatus();
  }));
  if (!keep) {
    set.pixels.clear();
  }
  set.info.set_split(split.split);
  set.info.set_input_format(proto::IMAGE_FOLDERS);
  set.info.mutable_class_name()->Add(split.classes.begin(), split.classes.end());
  set.info.set_note(NoteOf(source, split, why, options));
  DescribeImages(set, sums);
  return set;
}

absl::StatusOr<Dataset> DecodeAll(const SourceFiles& source, const BytesOf& bytes_of, const ParseOptions& options) {
  const SplitFolders& folders = source.folders;
  SplitPictures train = {
      proto::TRAIN, absl::StrCat(folders.train.empty() ? "train" : folders.train, "/"), 50'000, {}, {}};
  SplitPictures test = {proto::TEST, absl::StrCat(folders.test.empty() ? "test" : folders.test, "/"), 10'000, {}, {}};
  CollectPictures(source, train);
  CollectPictures(source, test);
  RETURN_IF_ERROR(CheckClasses(source, train, test));
  KeepFreedMemory();
  ASSIGN_OR_RETURN(const PictureSize size, SizeOfAll(source, train, bytes_of, options));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, DecodeSplit(source, train, size, bytes_of, options));
  ASSIGN_OR_RETURN(dataset.test, DecodeSplit(source, test, size, bytes_of, options));
  WarnOfPassedOver(source, options);
  return dataset;
}

}  // namespace

absl::StatusOr<Dataset> ParseImageFolder(const SourceFiles& source, const ParseOptions& options) {
  const BytesOf bytes_of = [&source](size_t, size_t file) { return absl::string_view(source.files[file].bytes); };
  return DecodeAll(source, bytes_of, options);
}

absl::StatusOr<Dataset> ReadImageFolder(SourceFiles& source, const ParseOptions& options) {
  std::vector<std::string> buffers(ParallelThreads(source.files.size(), {}));
  const BytesOf bytes_of = [&](size_t worker, size_t file) {
    return ReadListedFile(source, source.files[file], buffers[worker]);
  };
  ASSIGN_OR_RETURN(Dataset dataset, DecodeAll(source, bytes_of, options));
  DescribeFolder(source);
  return dataset;
}

}  // namespace lockstep
