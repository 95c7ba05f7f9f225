#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/cifar/image_decode.h"
// clang-format off: <jpeglib.h> must come after <cstdio>, which it needs and does not include.
#include <jpeglib.h>
// clang-format on

namespace lockstep {
namespace {

constexpr size_t kBytesPerPixel = 4;
constexpr uint32_t kRowsAtOnce = 16;  // rows of a block of 4:2:0, which libjpeg decodes together
constexpr int kMaxScans = 100;        // scans of a progressive picture; usual encoders make 10
constexpr int kMaxComponents = 3;     // grey is 1, YCbCr and RGB are 3; CMYK and YCCK are 4

// State of libjpeg's errors. Plain data: longjmp runs no destructors, so no object on its way may have one.
struct ErrorExit {
  jpeg_error_mgr manager;  // first, so that a pointer to it is also one to the ErrorExit
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void Leave(j_common_ptr common) {
  ErrorExit* error = reinterpret_cast<ErrorExit*>(common->err);
  (*common->err->format_message)(common, error->message);
  std::longjmp(error->back, 1);
}

// Treats warnings (level -1) as errors: libjpeg would continue with grey or repeated pixels. Other levels are trace
// messages.
void OnMessage(j_common_ptr common, int level) {
  if (level < 0) {
    Leave(common);
  }
}

// Limits the scans of a progressive picture: each one passes over all pixels, however few bytes it has.
void OnProgress(j_common_ptr common) {
  if (common->is_decompressor && reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans) {
    ErrorExit* error = reinterpret_cast<ErrorExit*>(common->err);
    std::snprintf(error->message, sizeof(error->message), "more than %d scans", kMaxScans);
    std::longjmp(error->back, 1);
  }
}

enum class Outcome { kDecoded, kBroken, kOtherSize, kOtherKind, kNoMemory };

// State of one decoding. Plain data, like ErrorExit.
struct Job {
  jpeg_decompress_struct jpeg;
  jpeg_progress_mgr progress;
  ErrorExit error;
  PictureSize expected;
  DecodedPicture* picture;
};

// Decodes a picture. All in one function without C++ objects, because of longjmp.
Outcome Decode(const unsigned char* file, size_t size, Job* job) {
  jpeg_decompress_struct* const jpeg = &job->jpeg;
  if (setjmp(job->error.back) != 0) {
    return Outcome::kBroken;
  }
  jpeg_create_decompress(jpeg);
  job->progress.progress_monitor = OnProgress;
  jpeg->progress = &job->progress;
  jpeg_mem_src(jpeg, file, size);
  jpeg_read_header(jpeg, TRUE);
  if (!IsAccepted({jpeg->image_width, jpeg->image_height}, job->expected)) {
    return Outcome::kOtherSize;
  }
  if (jpeg->num_components != 1 && jpeg->num_components != kMaxComponents) {
    return Outcome::kOtherKind;
  }
  jpeg->out_color_space = JCS_EXT_RGBX;  // extension of libjpeg-turbo
  jpeg_start_decompress(jpeg);
  uint8_t* const rgbx = AllocatePixels({jpeg->image_width, jpeg->image_height}, *job->picture);
  if (rgbx == nullptr) {
    return Outcome::kNoMemory;
  }
  while (jpeg->output_scanline < jpeg->image_height) {
    JSAMPROW rows[kRowsAtOnce];
    for (uint32_t i = 0; i < kRowsAtOnce; ++i) {  // rows beyond the last are not used
      const uint32_t y = std::min(jpeg->output_scanline + i, jpeg->image_height - 1);
      rows[i] = rgbx + size_t{y} * jpeg->image_width * kBytesPerPixel;
    }
    jpeg_read_scanlines(jpeg, rows, std::min(kRowsAtOnce, jpeg->image_height - jpeg->output_scanline));
  }
  jpeg_finish_decompress(jpeg);
  return Outcome::kDecoded;
}

}  // namespace

// Each picture has its own decompressor. A reused one keeps the tables of the picture before, so that a picture without
// its own tables would decode to something that depends on its neighbour. Reusing a decompressor, with its tables
// dropped and their memory bound to the picture, gains nothing measurable: medians of 20.1 and 20.3 us per picture on
// one thread (range of the middle 80 %: 17.9 to 22.2), 15.6 and 15.5 on two (Xeon 2.8 GHz shared with compiling,
// libjpeg-turbo 2.1.5, 10,000 pictures in memory, 60 and 36 passes of each in turn, 2026-11-21).
absl::Status DecodeJpeg(absl::string_view file, PictureSize expected, DecodedPicture& picture) {
  Job job;
  std::memset(&job.jpeg, 0, sizeof(job.jpeg));
  std::memset(&job.progress, 0, sizeof(job.progress));
  job.expected = expected;
  job.picture = &picture;
  jpeg_decompress_struct& jpeg = job.jpeg;
  ErrorExit& error = job.error;
  jpeg.err = jpeg_std_error(&error.manager);
  error.manager.error_exit = Leave;
  error.manager.emit_message = OnMessage;
  const Outcome outcome = Decode(reinterpret_cast<const unsigned char*>(file.data()), file.size(), &job);
  absl::Status status;
  if (outcome == Outcome::kBroken) {
    status = absl::DataLossError(absl::StrCat("a damaged JPEG: ", error.message));
  } else if (outcome == Outcome::kOtherSize) {
    status = WrongSize("JPEG", {jpeg.image_width, jpeg.image_height}, expected);
  } else if (outcome == Outcome::kNoMemory) {
    status = absl::ResourceExhaustedError("not enough memory for a picture");
  } else if (outcome == Outcome::kOtherKind) {
    status = absl::FailedPreconditionError(
        absl::StrCat("expected a grey or RGB picture, found a JPEG of ", jpeg.num_components, " colour components"));
  }
  jpeg_destroy_decompress(&jpeg);
  return status;
}

}  // namespace lockstep
