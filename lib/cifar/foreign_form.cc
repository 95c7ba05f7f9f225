#include "lib/cifar/foreign_form.h"

#include <cstdint>
#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

constexpr char kWriteFolders[] = "write its images as train/<class>/*.png and test/<class>/*.png";
constexpr char kNameFolder[] = "name the folder that holds all files as --input";

// First bytes, by the formats' pages: numpy.lib.format; Apache Parquet and Arrow ("magic number"); HDF5, "Superblock";
// MAT-File Level 5; Python's pickletools (PROTO); PNG, section 5.2; ITU T.81, table B.1; GIF89a; the WebP container.
struct Form {
  absl::string_view magic;
  const char* name;
  const char* remedy;
};
constexpr Form kForms[] = {
    {absl::string_view("\x93NUMPY", 6), "a NumPy array (.npy)", kWriteFolders},
    {absl::string_view("PAR1", 4), "a Parquet table", kWriteFolders},
    {absl::string_view("ARROW1", 6), "an Arrow table", kWriteFolders},
    {absl::string_view("\x89HDF\r\n\x1a\n", 8), "an HDF5 file", kWriteFolders},
    {absl::string_view("MATLAB 5.0 MAT-file"), "a MATLAB file", "get the binary or the Python version of the data set"},
    {absl::string_view("\x80\x02", 2), "a pickle, perhaps one file of the Python version", kNameFolder},
    {absl::string_view("\x80\x03", 2), "a pickle, perhaps one file of the Python version", kNameFolder},
    {absl::string_view("\x80\x04", 2), "a pickle, perhaps one file of the Python version", kNameFolder},
    {absl::string_view("\x80\x05", 2), "a pickle, perhaps one file of the Python version", kNameFolder},
    {absl::string_view("\x89PNG\r\n\x1a\n", 8), "a single picture", kNameFolder},
    {absl::string_view("\xff\xd8\xff", 3), "a single picture", kNameFolder},
    {absl::string_view("GIF8", 4), "a single picture", kNameFolder},
};

// Endings of names, in lower case.
struct Ending {
  const char* ending;
  const char* name;
  const char* remedy;
};
constexpr Ending kEndings[] = {
    {".npy", "a NumPy array", kWriteFolders},
    {".npz", "a NumPy archive", kWriteFolders},
    {".parquet", "a Parquet table", kWriteFolders},
    {".arrow", "an Arrow table", kWriteFolders},
    {".h5", "an HDF5 file", kWriteFolders},
    {".hdf5", "an HDF5 file", kWriteFolders},
    {".tfrecord", "a file of TensorFlow's records", kWriteFolders},
    {".mat", "a MATLAB file", "get the binary or the Python version of the data set"},
    {".pt", "a file of torch.save", kWriteFolders},
    {".pth", "a file of torch.save", kWriteFolders},
    {".zip", "an archive in an archive or a folder", "name the archive as --input, or unpack it"},
    {".tar", "an archive in an archive or a folder", "name the archive as --input, or unpack it"},
    {".gz", "an archive in an archive or a folder", "name the archive as --input, or unpack it"},
    {".xz", "an archive in an archive or a folder", "name the archive as --input, or unpack it"},
};

// Returns the title of a page as printable ASCII of bounded length; empty without a title.
std::string PageTitle(absl::string_view page) {
  constexpr size_t kMaxTitle = 60, kSearched = 4096;
  const std::string lower = absl::AsciiStrToLower(page.substr(0, kSearched));
  const size_t begin = lower.find("<title>");
  const size_t end = lower.find("</title>", begin == lower.npos ? 0 : begin);
  if (begin == lower.npos || end == lower.npos) {
    return "";
  }
  const size_t first = begin + 7;
  const absl::string_view title = absl::StripAsciiWhitespace(page.substr(first, end - first));
  return title.empty() ? "" : absl::StrCat(" ('", absl::CHexEscape(title.substr(0, kMaxTitle)), "')");
}

// Returns the text about a web page, which a server sends instead of a file; empty for anything else.
std::string WebPageText(absl::string_view bytes) {
  absl::ConsumePrefix(&bytes, "\xef\xbb\xbf");  // byte order mark of UTF-8
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  const bool is_page = absl::StartsWithIgnoreCase(text, "<!doctype html") ||
                       absl::StartsWithIgnoreCase(text, "<html") || absl::StartsWithIgnoreCase(text, "<head");
  return is_page ? absl::StrCat("a web page", PageTitle(text),
                                "; the download failed: download the file again, and open the page in a browser to "
                                "read why")
                 : "";
}

// Returns the text about a single file of the binary version, whose records begin with a label below each of
// `label_limits`; empty for anything else.
std::string BatchText(absl::string_view bytes, const char* set, std::initializer_list<int> label_limits) {
  const size_t record_bytes = label_limits.size() + kImageBytes;
  if (bytes.empty() || bytes.size() % record_bytes != 0) {
    return "";
  }
  for (size_t at = 0; at < bytes.size(); at += record_bytes) {
    size_t byte = at;
    for (const int limit : label_limits) {
      if (static_cast<uint8_t>(bytes[byte++]) >= limit) {
        return "";
      }
    }
  }
  const size_t records = bytes.size() / record_bytes;
  return absl::StrCat("one file of ", set, "'s binary version (", records, records == 1 ? " image" : " images", "); ",
                      kNameFolder);
}

}  // namespace

std::string ForeignInputText(absl::string_view bytes) {
  for (const Form& form : kForms) {
    if (absl::StartsWith(bytes, form.magic)) {
      return absl::StrCat(form.name, "; ", form.remedy);
    }
  }
  if (absl::StartsWith(bytes, "RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return absl::StrCat("a single picture; ", kNameFolder);
  }
  const std::string page = WebPageText(bytes);
  if (!page.empty()) {
    return page;
  }
  const std::string of_10 = BatchText(bytes, "CIFAR-10", {10});
  return of_10.empty() ? BatchText(bytes, "CIFAR-100", {20, 100}) : of_10;
}

std::string ForeignFileText(absl::string_view path, WebpSupport webp) {
  if (webp == WebpSupport::kAbsent && absl::EndsWithIgnoreCase(path, ".webp")) {
    return absl::StrCat(absl::Utf8SafeCHexEscape(path), " is a WebP picture: ", kWebpRemedy);
  }
  for (const Ending& form : kEndings) {
    if (absl::EndsWithIgnoreCase(path, form.ending)) {
      return absl::StrCat(absl::Utf8SafeCHexEscape(path), " is ", form.name, ": ", form.remedy);
    }
  }
  return "";
}

}  // namespace lockstep
