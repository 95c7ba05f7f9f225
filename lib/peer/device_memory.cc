#include "lib/peer/device_memory.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/driver_function.h"
#include "lib/peer/descriptors.h"

namespace lockstep {
namespace {

template <typename Function>
absl::Status Find(const char* name, Function& function) {
  ASSIGN_OR_RETURN(void* const found, FindDriverFunction(name, "asking the driver for shared memory"));
  if (found == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("the CUDA driver has no ", name));
  }
  function = reinterpret_cast<Function>(found);
  return absl::OkStatus();
}

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) release;
  decltype(&cuMemExportToShareableHandle) export_handle;
  decltype(&cuMemImportFromShareableHandle) import_handle;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) free_address;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) set_access;

  absl::Status FindAll() {
    RETURN_IF_ERROR(Find("cuMemGetAllocationGranularity", granularity));
    RETURN_IF_ERROR(Find("cuMemCreate", create));
    RETURN_IF_ERROR(Find("cuMemRelease", release));
    RETURN_IF_ERROR(Find("cuMemExportToShareableHandle", export_handle));
    RETURN_IF_ERROR(Find("cuMemImportFromShareableHandle", import_handle));
    RETURN_IF_ERROR(Find("cuMemAddressReserve", reserve));
    RETURN_IF_ERROR(Find("cuMemAddressFree", free_address));
    RETURN_IF_ERROR(Find("cuMemMap", map));
    RETURN_IF_ERROR(Find("cuMemUnmap", unmap));
    return Find("cuMemSetAccess", set_access);
  }
};

absl::StatusOr<const Driver*> TheDriver() {
  static auto* const driver = new Driver;
  static const auto* const found = new absl::Status(driver->FindAll());
  RETURN_IF_ERROR(*found);
  return driver;
}

absl::Status DriverStatus(CUresult result, absl::string_view doing) {
  if (result == CUDA_SUCCESS) {
    return absl::OkStatus();
  }
  return absl::Status(
      result == CUDA_ERROR_OUT_OF_MEMORY ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kFailedPrecondition,
      absl::StrCat(doing, ": CUDA driver error ", result));
}

CUmemAllocationProp Properties(int device) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

absl::StatusOr<size_t> WholePages(const Driver& driver, int device, size_t bytes) {
  const CUmemAllocationProp properties = Properties(device);
  size_t page = 0;
  RETURN_IF_ERROR(DriverStatus(driver.granularity(&page, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                               "asking for the size of a page"));
  return (bytes + page - 1) / page * page;
}

// Maps the memory and grants the current device access to it.
absl::StatusOr<uint8_t*> Map(const Driver& driver, int device, uint64_t handle, size_t bytes) {
  CUdeviceptr address = 0;
  RETURN_IF_ERROR(DriverStatus(driver.reserve(&address, bytes, 0, 0, 0), "reserving addresses"));
  absl::Status status = DriverStatus(driver.map(address, bytes, 0, handle, 0), "mapping memory");
  if (!status.ok()) {
    driver.free_address(address, bytes);
    return status;
  }
  CUmemAccessDesc access = {};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  status = DriverStatus(driver.set_access(address, bytes, &access, 1), "granting access to memory of another GPU");
  if (!status.ok()) {
    driver.unmap(address, bytes);
    driver.free_address(address, bytes);
    return status;
  }
  return reinterpret_cast<uint8_t*>(address);
}

}  // namespace

// Operations on pieces. Each returns the result of this rank only; the caller agrees on it with the others.
struct PeerDeviceMemory::Piece {
  static absl::StatusOr<OwnedDescriptor> MakeOwn(const Driver& driver, int device, int rank, PeerDeviceMemory& memory) {
    const CUmemAllocationProp properties = Properties(device);
    CUmemGenericAllocationHandle handle = 0;
    RETURN_IF_ERROR(DriverStatus(driver.create(&handle, memory.bytes_, &properties, 0),
                                 absl::StrCat("allocating ", memory.bytes_, " bytes of a GPU to share")));
    memory.handles_[rank] = handle;
    ASSIGN_OR_RETURN(memory.pieces_[rank], Map(driver, device, handle, memory.bytes_));
    RETURN_IF_ERROR(CudaStatus(cudaMemset(memory.pieces_[rank], 0, memory.bytes_), "clearing shared memory"));
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "clearing shared memory"));
    int fd = -1;
    RETURN_IF_ERROR(DriverStatus(driver.export_handle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                                 "sharing a GPU's memory"));
    return OwnedDescriptor(fd);
  }

  static absl::Status MapOthers(const Driver& driver, int device, const std::vector<OwnedDescriptor>& all,
                                PeerDeviceMemory& memory) {
    for (size_t other = 0; other < all.size(); ++other) {
      if (all[other].get() < 0) {
        continue;
      }
      CUmemGenericAllocationHandle handle = 0;
      RETURN_IF_ERROR(
          DriverStatus(driver.import_handle(&handle, reinterpret_cast<void*>(static_cast<intptr_t>(all[other].get())),
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                       absl::StrCat("importing the memory of rank ", other)));
      memory.handles_[other] = handle;
      ASSIGN_OR_RETURN(memory.pieces_[other], Map(driver, device, handle, memory.bytes_));
    }
    return absl::OkStatus();
  }
};

PeerDeviceMemory::PeerDeviceMemory(int size, size_t bytes) : bytes_(bytes), pieces_(size), handles_(size) {}

PeerDeviceMemory::~PeerDeviceMemory() {
  const absl::StatusOr<const Driver*> driver = TheDriver();
  for (size_t i = 0; driver.ok() && i < pieces_.size(); ++i) {
    if (pieces_[i] != nullptr) {
      const auto address = reinterpret_cast<CUdeviceptr>(pieces_[i]);
      (*driver)->unmap(address, bytes_);
      (*driver)->free_address(address, bytes_);
    }
    if (handles_[i] != 0) {
      (*driver)->release(handles_[i]);
    }
  }
}

absl::StatusOr<std::unique_ptr<PeerDeviceMemory>> PeerDeviceMemory::Make(const GatherBytes& gather, int rank, int size,
                                                                         size_t bytes, absl::Duration timeout) {
  RETURN_IF_ERROR(CheckOneHost(gather));
  std::unique_ptr<PeerDeviceMemory> memory;
  int device = 0;
  const auto make_own = [&]() -> absl::StatusOr<OwnedDescriptor> {
    RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "asking for the GPU"));
    RETURN_IF_ERROR(CudaStatus(cudaFree(nullptr), "starting the GPU"));  // creates the context for the driver's calls
    ASSIGN_OR_RETURN(const Driver* const driver, TheDriver());
    ASSIGN_OR_RETURN(const size_t whole, WholePages(*driver, device, bytes));
    memory.reset(new PeerDeviceMemory(size, whole));
    return Piece::MakeOwn(*driver, device, rank, *memory);
  };
  const absl::StatusOr<OwnedDescriptor> mine = make_own();
  RETURN_IF_ERROR(Agree(gather, mine.status()));
  ASSIGN_OR_RETURN(const std::vector<OwnedDescriptor> all,
                   ExchangeDescriptors(gather, rank, size, mine->get(), timeout));
  RETURN_IF_ERROR(Agree(gather, Piece::MapOthers(**TheDriver(), device, all, *memory)));
  return memory;
}

}  // namespace lockstep
