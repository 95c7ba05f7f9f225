#include "lib/record/record_reader.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/record/record_format.h"
#include "lib/record/schema.h"

namespace lockstep {
namespace {

constexpr uint64_t kReadStep = 1 << 20;  // a record's bytes are taken in steps, so that a false size allocates little

std::string WriterOf(absl::string_view schema) {
  const Schema* known = FindSchema(schema);
  return known == nullptr ? "an unknown tool" : std::string(known->tool);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path, absl::string_view schema) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  std::unique_ptr<RecordReader> reader(new RecordReader(path, file));
  RETURN_IF_ERROR(reader->ReadHeader(schema));
  return reader;
}

RecordReader::~RecordReader() {
  if (file_ != stdin) {
    std::fclose(file_);
  }
}

absl::Status RecordReader::Broken(const std::string& what) const {
  return absl::DataLossError(
      absl::StrCat(path_, ": record ", record_count_, ", byte ", offset_, ": ", what, "; make the file again"));
}

absl::Status RecordReader::CutOff(const char* what) const {
  return absl::DataLossError(absl::StrCat(path_, ": cut off at byte ", offset_, " within ", what, "; ", record_count_,
                                          " whole records before it"));
}

absl::Status RecordReader::ReadExactly(void* bytes, size_t size, const char* what) {
  const size_t n = std::fread(bytes, 1, size, file_);
  digest_.Update(bytes, n);
  offset_ += n;
  if (n == size) {
    return absl::OkStatus();
  }
  return std::ferror(file_) != 0 ? Broken(absl::StrCat("reading failed: ", std::strerror(errno))) : CutOff(what);
}

// False at a clean end of file.
absl::StatusOr<bool> RecordReader::ReadFrame(std::string& payload) {
  const int first = std::getc(file_);
  if (first == EOF && std::ferror(file_) == 0) {
    return false;
  }
  if (first == EOF) {
    return Broken(absl::StrCat("reading failed: ", std::strerror(errno)));
  }
  const unsigned char tag = static_cast<unsigned char>(first);
  if (tag != kRecordTag) {
    return Broken(absl::StrCat("expected the start of a record (0x0a), found 0x", absl::Hex(tag, absl::kZeroPad2)));
  }
  digest_.Update(&tag, 1);
  ++offset_;
  uint64_t size = 0;
  unsigned char byte = 0x80;
  for (int shift = 0; (byte & 0x80) != 0; shift += 7) {
    RETURN_IF_ERROR(ReadExactly(&byte, 1, "a record's size"));
    size |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (shift > 28 || size > kMaxRecordBytes) {
      return Broken(absl::StrCat("a record's size is above the limit of ", kMaxRecordBytes, " bytes"));
    }
  }
  payload.clear();
  while (payload.size() < size) {
    const size_t old_size = payload.size();
    payload.resize(old_size + std::min<uint64_t>(size - old_size, kReadStep));
    RETURN_IF_ERROR(ReadExactly(payload.data() + old_size, payload.size() - old_size, "a record"));
  }
  unsigned char crc_field[5];
  RETURN_IF_ERROR(ReadExactly(crc_field, sizeof(crc_field), "a record's checksum"));
  if (crc_field[0] != kCrcTag) {
    return Broken(absl::StrCat("expected a checksum (0x15), found 0x", absl::Hex(crc_field[0], absl::kZeroPad2)));
  }
  uint32_t expected = 0;
  for (int i = 0; i < 4; ++i) {
    expected |= static_cast<uint32_t>(crc_field[1 + i]) << (8 * i);
  }
  if (const uint32_t found = Crc32(payload); found != expected) {
    return Broken(absl::StrCat("checksum 0x", absl::Hex(expected, absl::kZeroPad8), " expected, 0x",
                               absl::Hex(found, absl::kZeroPad8), " found: bytes are damaged"));
  }
  return true;
}

absl::Status RecordReader::ReadHeader(absl::string_view schema) {
  absl::StatusOr<bool> any = ReadFrame(payload_);
  proto::AnyRecord first;
  if (!any.ok() && any.status().code() == absl::StatusCode::kDataLoss && offset_ == 0) {
    return absl::DataLossError(absl::StrCat(path_, ": not a Lockstep record file (it does not begin with a record)"));
  }
  RETURN_IF_ERROR(any.status());
  if (!*any) {
    return absl::DataLossError(absl::StrCat(path_, ": is empty; a record file was expected"));
  }
  if (!first.ParseFromString(payload_) || !first.has_header() || first.header().schema().empty()) {
    return absl::DataLossError(absl::StrCat(path_, ": not a Lockstep record file (its first record is no header)"));
  }
  header_ = first.header();
  ++record_count_;
  if (!schema.empty() && header_.schema() != schema) {
    return absl::FailedPreconditionError(absl::StrCat(
        path_, ": is a record of ", WriterOf(header_.schema()), " (", header_.schema(), "); one of ", WriterOf(schema),
        " (", schema, ") was expected"));
  }
  const Schema* known = FindSchema(header_.schema());
  if (known == nullptr || header_.schema_version() != known->version) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": schema ", header_.schema(), " version ", header_.schema_version(), " is not known; this build reads ",
                     known == nullptr ? "other schemas" : absl::StrCat("version ", known->version)));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RecordReader::Next(google::protobuf::Message& record) {
  ASSIGN_OR_RETURN(const bool any, ReadFrame(payload_));
  if (!any) {
    return CutOff("the end: it has no trailer");
  }
  // A trailer is small; larger records are not parsed twice.
  proto::AnyRecord maybe_last;
  if (payload_.size() < 256 && maybe_last.ParseFromString(payload_) && maybe_last.has_trailer()) {
    trailer_ = maybe_last.trailer();
    if (trailer_.record_count() != record_count_) {
      return Broken(absl::StrCat("the trailer counts ", trailer_.record_count(), " records, found ", record_count_));
    }
    if (std::getc(file_) != EOF) {
      return Broken("bytes after the trailer");
    }
    return false;
  }
  if (!record.ParseFromString(payload_)) {
    return Broken("the record's bytes do not parse");
  }
  ++record_count_;
  return true;
}

proto::Input RecordReader::input() {
  if (sha256_.empty()) {
    sha256_ = digest_.HexDigest();
  }
  proto::Input input;
  input.set_path(path_);
  input.set_sha256(sha256_);
  input.set_size_bytes(offset_);
  input.set_schema(header_.schema());
  return input;
}

}  // namespace lockstep
