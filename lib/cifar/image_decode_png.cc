#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/cifar/image_decode.h"

namespace lockstep {
namespace {

constexpr uint8_t kOpaque = 0xff;

// State of a decoding by libpng. Plain data: longjmp runs no destructors, so no object on its way may have one.
struct Job {
  const unsigned char* file;
  size_t size;
  size_t used;
  png_structp png;
  png_infop info;
  PictureSize expected;
  DecodedPicture* picture;
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

enum class Outcome { kDecoded, kBroken, kOtherSize, k16Bits, kTransparent, kNoMemory };

bool IsOpaque(const uint8_t* rgba, PictureSize size) {
  const size_t bytes = size_t{size.width} * size.height * 4;
  for (size_t i = 3; i < bytes; i += 4) {
    if (rgba[i] != kOpaque) {
      return false;
    }
  }
  return true;
}

PictureSize SizeOf(const Job& job) {
  return {png_get_image_width(job.png, job.info), png_get_image_height(job.png, job.info)};
}

// Decodes a picture. All in one function without C++ objects, because of longjmp.
Outcome Decode(Job* job) {
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
  const PictureSize size = SizeOf(*job);
  if (!IsAccepted(size, job->expected)) {
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
  const int passes = png_set_interlace_handling(job->png);
  png_read_update_info(job->png, job->info);
  const size_t row_bytes = size_t{size.width} * 4;
  if (png_get_rowbytes(job->png, job->info) != row_bytes) {
    png_error(job->png, "a row of an unexpected length");
  }
  uint8_t* const rgba = AllocatePixels(size, *job->picture);
  if (rgba == nullptr) {
    return Outcome::kNoMemory;
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (uint32_t y = 0; y < size.height; ++y) {
      png_read_row(job->png, rgba + y * row_bytes, nullptr);
    }
  }
  png_read_end(job->png, nullptr);
  return IsOpaque(rgba, size) ? Outcome::kDecoded : Outcome::kTransparent;
}

absl::Status ToStatus(Outcome outcome, const Job& job) {
  switch (outcome) {
    case Outcome::kDecoded:
      return absl::OkStatus();
    case Outcome::kBroken:
      return absl::DataLossError(absl::StrCat("a damaged PNG: ", job.message));
    case Outcome::kOtherSize:
      return WrongSize("PNG", SizeOf(job), job.expected);
    case Outcome::k16Bits:
      return absl::FailedPreconditionError("expected 8 bits a sample, found a PNG of 16");
    case Outcome::kTransparent:
      return absl::FailedPreconditionError(
          "expected an opaque picture, found a PNG with transparency; save it without an alpha channel");
    case Outcome::kNoMemory:
      return absl::ResourceExhaustedError("not enough memory for a picture");
  }
  return absl::InternalError("an outcome without a message");
}

}  // namespace

absl::Status DecodePng(absl::string_view file, PictureSize expected, DecodedPicture& picture) {
  Job job = {reinterpret_cast<const unsigned char*>(file.data()),
             file.size(),
             0,
             nullptr,
             nullptr,
             expected,
             &picture,
             "libpng cannot start"};
  const absl::Status status = ToStatus(Decode(&job), job);
  png_destroy_read_struct(&job.png, &job.info, nullptr);
  return status;
}

}  // namespace lockstep
