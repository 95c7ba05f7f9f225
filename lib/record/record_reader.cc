#include "lib/record/record_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/init_main.h"
#include "lib/base/log_line.h"
#include "lib/record/digest.h"
#include "lib/record/record_format.h"
#include "lib/record/record_json.h"
#include "lib/record/schema.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

constexpr char kTrailerTag = 0x12;  // field 2, length-delimited, of AnyRecord

constexpr uint64_t kReadStep = 1 << 20;  // bytes per step of reading a record, so that a wrong size allocates little
                                         // memory

// Returns "report: " in a tool, and an empty text in a test.
std::string ToolPrefix() { return CommandLine().empty() ? "" : absl::StrCat(CommandLine()[0], ": "); }

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::OpenFile(const std::string& path,
                                                                     absl::string_view schema) {
  absl::StatusOr<std::unique_ptr<DigestedInput>> file = DigestedInput::Open(path);
  if (absl::IsFailedPrecondition(file.status())) {  // a folder, possibly of images
    return absl::FailedPreconditionError(absl::StrCat(file.status().message(), HowToMake(schema, path)));
  }
  if (absl::IsNotFound(file.status()) && CheckIsNoAddress(path).ok()) {
    return absl::NotFoundError(absl::StrCat(file.status().message(), HowToMake(schema, "")));
  }
  RETURN_IF_ERROR(file.status());
  return std::unique_ptr<RecordReader>(new RecordReader(path, schema, *std::move(file)));
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path, absl::string_view schema) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader, OpenFile(path, schema));
  RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::OpenInput(const std::string& path, absl::string_view schema,
                                                                      BytesOfJson bytes) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader, OpenFile(path, schema));
  reader->json_ = bytes;
  RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::OpenBytes(const std::string& path, std::string bytes) {
  std::unique_ptr<RecordReader> reader(new RecordReader(path, "", nullptr));
  reader->is_converted_ = true;
  if (absl::StartsWith(bytes, "{")) {
    RETURN_IF_ERROR(reader->Convert(bytes).status());
  } else {
    reader->converted_ = std::move(bytes);
  }
  RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

// Converts `json` to the bytes of a record file, and returns the remark that a person must see.
absl::StatusOr<std::string> RecordReader::Convert(const std::string& json) {
  ASSIGN_OR_RETURN(RecordOfJson record, ReadRecordJson(json, path_, schema_));
  std::string remark = RemarkOn(record, path_);
  if (record.left_out > 0 && json_ == BytesOfJson::kRequired) {
    return absl::FailedPreconditionError(
        absl::StrCat(remark, "; write it again: report --convert=RECORD --output=NAME.json"));
  }
  changed_records_ = record.changed - (record.changed > 0 && record.first == 0 ? 1 : 0);
  converted_ = std::move(record.bytes);
  is_converted_ = true;
  return remark;
}

// Converts the file, of which the first '{' has already been read.
absl::Status RecordReader::ConvertFile() {
  std::string json = "{";
  for (bool more = true; more;) {
    const size_t old_size = json.size();
    json.resize(old_size + kReadStep);
    ASSIGN_OR_RETURN(const size_t n, ReadSome(json.data() + old_size, kReadStep));
    json.resize(old_size + n);
    more = n == kReadStep;
    if (json.size() > kMaxJsonBytes) {
      return absl::DataLossError(
          absl::StrCat(path_, ": JSON of more than ", kMaxJsonBytes >> 20, " MiB; give the record file itself"));
    }
  }
  ASSIGN_OR_RETURN(const std::string remark, Convert(json));
  if (!remark.empty()) {
    LogWarning(absl::StrCat(ToolPrefix(), remark));
  }
  return absl::OkStatus();
}

absl::Status RecordReader::Broken(const std::string& what) const {
  return absl::DataLossError(absl::StrCat(path_, ": record ", record_count_, ", byte ", offset(), ": ", what, "; ",
                                          record_count_, " whole records before it; make the file again"));
}

absl::Status RecordReader::CutOff(const char* what) const {
  return absl::DataLossError(absl::StrCat(path_, ": cut off at byte ", offset(), " within ", what, "; ", record_count_,
                                          " whole records before it"));
}

absl::StatusOr<size_t> RecordReader::ReadSome(void* bytes, size_t size) {
  if (is_converted_) {
    const size_t n = std::min<uint64_t>(size, converted_.size() - converted_offset_);
    std::copy_n(converted_.data() + converted_offset_, n, static_cast<char*>(bytes));
    converted_offset_ += n;
    return n;
  }
  const absl::StatusOr<size_t> n = file_->Read(bytes, size);
  return absl::IsDataLoss(n.status()) ? Broken(std::string(n.status().message())) : n;
}

absl::Status RecordReader::ReadExactly(void* bytes, size_t size, const char* what) {
  ASSIGN_OR_RETURN(const size_t n, ReadSome(bytes, size));
  return n == size ? absl::OkStatus() : CutOff(what);
}

absl::StatusOr<uint64_t> RecordReader::ReadSize() {
  uint64_t size = 0;
  unsigned char byte = 0x80;
  for (int shift = 0; (byte & 0x80) != 0; shift += 7) {
    RETURN_IF_ERROR(ReadExactly(&byte, 1, "a record's size"));
    size |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (shift > 28 || size > kMaxRecordBytes) {
      return Broken(absl::StrCat("a record's size is above the limit of ", kMaxRecordBytes, " bytes"));
    }
  }
  return size;
}

absl::Status RecordReader::ReadAndCheckCrc(absl::string_view payload) {
  unsigned char field[5];
  RETURN_IF_ERROR(ReadExactly(field, sizeof(field), "a record's checksum"));
  if (field[0] != kCrcTag) {
    return Broken(absl::StrCat("expected a checksum (0x15), found 0x", absl::Hex(field[0], absl::kZeroPad2)));
  }
  uint32_t expected = 0;
  for (int i = 0; i < 4; ++i) {
    expected |= static_cast<uint32_t>(field[1 + i]) << (8 * i);
  }
  if (const uint32_t found = Crc32(payload); found != expected) {
    return Broken(absl::StrCat("checksum 0x", absl::Hex(expected, absl::kZeroPad8), " expected, 0x",
                               absl::Hex(found, absl::kZeroPad8), " found: bytes are damaged"));
  }
  return absl::OkStatus();
}

// Reads one record and its checksum. Returns false at the end of the file.
absl::StatusOr<bool> RecordReader::ReadFrame(std::string& payload) {
  unsigned char tag = 0;
  ASSIGN_OR_RETURN(size_t n, ReadSome(&tag, 1));
  if (n == 1 && tag == '{' && record_count_ == 0 && json_.has_value() && !is_converted_) {
    RETURN_IF_ERROR(ConvertFile());
    ASSIGN_OR_RETURN(n, ReadSome(&tag, 1));
  }
  if (n == 0) {
    return false;
  }
  if (tag != kRecordTag && record_count_ == 0) {
    return absl::DataLossError(absl::StrCat(path_, ": not a Lockstep record file (it does not begin with a record)"));
  }
  if (tag != kRecordTag) {
    return Broken(absl::StrCat("expected the start of a record (0x0a), found 0x", absl::Hex(tag, absl::kZeroPad2)));
  }
  ASSIGN_OR_RETURN(const uint64_t size, ReadSize());
  payload.clear();
  while (payload.size() < size) {
    const size_t old_size = payload.size();
    payload.resize(old_size + std::min<uint64_t>(size - old_size, kReadStep));
    RETURN_IF_ERROR(ReadExactly(payload.data() + old_size, payload.size() - old_size, "a record"));
  }
  RETURN_IF_ERROR(ReadAndCheckCrc(payload));
  return true;
}

absl::Status RecordReader::ReadHeader() {
  const absl::StatusOr<bool> any = ReadFrame(payload_);
  if (absl::IsDataLoss(any.status()) && offset() == 1) {  // the file is no record file but possibly an archive
    return absl::DataLossError(absl::StrCat(any.status().message(), HowToMake(schema_, path_)));
  }
  RETURN_IF_ERROR(any.status());
  proto::AnyRecord first;
  if (!*any) {
    return absl::DataLossError(absl::StrCat(path_, ": is empty; expected a record file"));
  }
  if (!first.ParseFromString(payload_) || !first.has_header() || first.header().schema().empty()) {
    return absl::DataLossError(absl::StrCat(path_, ": not a Lockstep record file (its first record is not a header)"));
  }
  header_ = first.header();
  CountFrame();
  if (!schema_.empty() && header_.schema() != schema_) {
    return absl::FailedPreconditionError(OtherToolsRecord(path_, header_.schema(), schema_));
  }
  const Schema* known = FindSchema(header_.schema());
  if (known == nullptr || !known->Reads(header_.schema_version())) {
    return absl::FailedPreconditionError(absl::StrCat(
        path_, ": schema ", header_.schema(), " version ", header_.schema_version(), " is not known; this build reads ",
        known == nullptr                  ? "other schemas"
        : known->oldest == known->version ? absl::StrCat("version ", known->version)
                                          : absl::StrCat("versions ", known->oldest, " to ", known->version)));
  }
  return absl::OkStatus();
}

// Reads the next record's bytes into payload_. Returns false if the record is a trailer with the right count.
absl::StatusOr<bool> RecordReader::NextFrame() {
  ASSIGN_OR_RETURN(const bool any, ReadFrame(payload_));
  if (!any) {
    return CutOff("the end: it has no trailer");
  }
  // The tag of a record's only field is its first byte. Checking the tag avoids parsing large records twice.
  proto::AnyRecord maybe_last;
  if (!payload_.empty() && payload_[0] == kTrailerTag && maybe_last.ParseFromString(payload_) &&
      maybe_last.has_trailer()) {
    trailer_ = maybe_last.trailer();
    if (trailer_.record_count() != record_count_) {
      return Broken(absl::StrCat("the trailer counts ", trailer_.record_count(), " records, found ", record_count_));
    }
    char byte;
    ASSIGN_OR_RETURN(const size_t after, ReadSome(&byte, 1));
    if (after != 0) {
      return Broken("bytes after the trailer");
    }
    return false;
  }
  return true;
}

void RecordReader::CountFrame() {
  ++record_count_;
  whole_bytes_ = offset();
}

absl::StatusOr<bool> RecordReader::Next(google::protobuf::Message& record) {
  ASSIGN_OR_RETURN(const bool more, NextFrame());
  if (more && !record.ParseFromString(payload_)) {
    return Broken("the record's bytes do not parse");
  }
  if (more) {
    CountFrame();
  }
  return more;
}

absl::Status RecordReader::CheckRest() {
  while (true) {
    ASSIGN_OR_RETURN(const bool more, NextFrame());
    if (!more) {
      return absl::OkStatus();
    }
    CountFrame();
  }
}

absl::StatusOr<proto::Input> RecordReader::input() {
  absl::StatusOr<DigestedInput::Whole> whole = DigestedInput::Whole();
  if (file_ != nullptr) {
    whole = file_->ReadToEnd();
  }
  if (!whole.ok()) {
    return absl::IsDataLoss(whole.status()) ? Broken(std::string(whole.status().message())) : whole.status();
  }
  proto::Input input;
  input.set_path(path_);
  input.set_sha256(is_converted_ ? Sha256Hex(converted_) : whole->sha256);
  input.set_size_bytes(is_converted_ ? converted_.size() : whole->size_bytes);
  input.set_schema(header_.schema());
  return input;
}

}  // namespace lockstep
