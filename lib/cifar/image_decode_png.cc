#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/cifar/image_decode.h"
#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

constexpr size_t kRowBytes = size_t{kImageWidth} * 4;
constexpr uint8_t kOpaque = 0xff;

// State of a decoding by libpng. Plain data: longjmp runs no destructors, so no object on its way may have one.
struct Job {
  const unsigned char* file;
  size_t size;
  size_t used;
  png_structp png;
  png_infop info;
  char message[128];
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  Job* job = static_cast<Job*>(png_get_error_ptr(png));
  std::snprintf(job->message, sizeof(job->message), "%s", message);
  png_longjmp(png, 1);
}

// Ignores the warnings that remain once "benign" errors are errors: they do not concern the data.
void OnWarning(png_structp, png_const_charp) {}

void ReadBytes(png_structp png, png_bytep bytes, size_t size) {
  Job* job = static_cast<Job*>(png_get_io_ptr(png));
  if (size > job->size - job->used) {
    png_error(png, "cut off");
  }
  std::memcpy(bytes, job->file + job->used, size);
  job->used += size;
}

enum class Outcome { kDecoded, kBroken, kOtherSize, k16Bits, kTransparent };

bool IsOpaque(const uint8_t* rgba) {
  for (size_t i = 3; i < kImageHeight * kRowBytes; i += 4) {
    if (rgba[i] != kOpaque) {
      return false;
    }
  }
  return true;
}

// Decodes a picture. All in one function without C++ objects, because of longjmp.
Outcome Decode(Job* job, uint8_t* rgba) {
  job->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, job, OnError, OnWarning);
  if (job->png == nullptr) {
    return Outcome::kBroken;
  }
  if (setjmp(png_jmpbuf(job->png)) != 0) {
    return Outcome::kBroken;
  }
  job->info = png_create_info_struct(job->png);
  png_set_read_fn(job->png, job, ReadBytes);
  png_set_crc_action(job->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(job->png, 0);
  // -1: skips every ancillary chunk that does not concern the samples (gAMA, iCCP, tEXt, ...) without reading it.
  png_set_keep_unknown_chunks(job->png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(job->png, job->info);
  if (png_get_image_width(job->png, job->info) != kImageWidth ||
      png_get_image_height(job->png, job->info) != kImageHeight) {
    return Outcome::kOtherSize;
  }
  if (png_get_bit_depth(job->png, job->info) == 16) {
    return Outcome::k16Bits;
  }
  png_set_palette_to_rgb(job->png);
  png_set_expand_gray_1_2_4_to_8(job->png);
  if (png_get_valid(job->png, job->info, PNG_INFO_tRNS) != 0) {
    png_set_tRNS_to_alpha(job->png);
  }
  png_set_gray_to_rgb(job->png);
  png_set_add_alpha(job->png, kOpaque, PNG_FILLER_AFTER);
  png_set_interlace_handling(job->png);
  png_read_update_info(job->png, job->info);
  if (png_get_rowbytes(job->png, job->info) != kRowBytes) {
    png_error(job->png, "a row of another length than 32 pixels");
  }
  png_bytep rows[kImageHeight];
  for (uint32_t y = 0; y < kImageHeight; ++y) {
    rows[y] = rgba + y * kRowBytes;
  }
  png_read_image(job->png, rows);
  png_read_end(job->png, nullptr);
  return IsOpaque(rgba) ? Outcome::kDecoded : Outcome::kTransparent;
}

absl::Status ToStatus(Outcome outcome, const Job& job) {
  switch (outcome) {
    case Outcome::kDecoded:
      return absl::OkStatus();
    case Outcome::kBroken:
      return absl::DataLossError(absl::StrCat("a damaged PNG: ", job.message));
    case Outcome::kOtherSize:
      return absl::FailedPreconditionError(absl::StrCat("expected a picture of 32x32, found a PNG of ",
                                                        png_get_image_width(job.png, job.info), "x",
                                                        png_get_image_height(job.png, job.info)));
    case Outcome::k16Bits:
      return absl::FailedPreconditionError("expected 8 bits a sample, found a PNG of 16");
    case Outcome::kTransparent:
      return absl::FailedPreconditionError(
          "expected an opaque picture, found a PNG with transparency; save it without an alpha channel");
  }
  return absl::InternalError("an outcome without a message");
}

}  // namespace

absl::Status DecodePng(absl::string_view file, uint8_t* rgbx) {
  Job job = {
      reinterpret_cast<const unsigned char*>(file.data()), file.size(), 0, nullptr, nullptr, "libpng cannot start"};
  const absl::Status status = ToStatus(Decode(&job, rgbx), job);
  png_destroy_read_struct(&job.png, &job.info, nullptr);
  return status;
}

}  // namespace lockstep
