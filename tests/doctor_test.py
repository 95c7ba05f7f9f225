"""Runs the doctor like a user: on this machine as it is, and with broken libraries, programs and folders.

The machine that runs this test may have no GPU. Drivers that hang, crash or answer are stand-ins, compiled from a few
lines of C and found by LD_LIBRARY_PATH; a real driver is not tested. Run by bazel (tests/BUILD), or directly:
    python3 tests/doctor_test.py --doctor bazel-bin/tools/doctor
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import bazel_unittest

# A driver of two GPUs: the part of libcuda.so.1 that the doctor calls.
TWO_GPUS = """
#include <string.h>
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int* version) { *version = 12020; return 0; }
int cuDeviceGetCount(int* count) { *count = 2; return 0; }
int cuDeviceGet(int* device, int index) { *device = index; return index < 2 ? 0 : 101; }
int cuDeviceGetName(char* name, int size, int device) { strncpy(name, "Stand-in GPU", size); return 0; }
int cuDeviceTotalMem_v2(unsigned long* bytes, int device) { *bytes = 24000000000UL; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { *value = attribute == 75 ? 8 : 6; return 0; }
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) { memset(uuid, device, 16); return 0; }
int cuDeviceCanAccessPeer(int* can, int device, int peer) { *can = 0; return 0; }
"""

# NVML of the same two GPUs, one of which has ECC errors; each of their links leads to an NVSwitch.
TWO_GPUS_NVML = """
#include <stdio.h>
#include <string.h>
typedef void* Gpu;
static int gpus[2];
static int Index(Gpu gpu) { return (int)((int*)gpu - gpus); }
int nvmlInit_v2(void) { return 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned size) { strncpy(version, "535.104.05", size); return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Gpu* gpu) { *gpu = gpus + index; return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, Gpu* gpu) { *gpu = gpus + (uuid[5] - '0'); return 0; }
int nvmlDeviceGetUUID(Gpu gpu, char* uuid, unsigned size) {
  int i = Index(gpu);
  snprintf(uuid, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", i, i, i, i, i, i, i,
           i, i, i, i, i, i, i, i, i);
  return 0;
}
int nvmlDeviceGetEccMode(Gpu gpu, unsigned* current, unsigned* pending) { *current = *pending = 1; return 0; }
int nvmlDeviceGetTotalEccErrors(Gpu gpu, int type, int counter, unsigned long long* errors) {
  *errors = type == 1 && counter == 0 ? 7 * Index(gpu) : 99;
  return 0;
}
struct Memory { unsigned version; unsigned long long total, reserved, free, used; };
int nvmlDeviceGetMemoryInfo_v2(Gpu gpu, struct Memory* memory) {
  memory->used = 1000;
  return memory->version == (sizeof(struct Memory) | 2 << 24) ? 0 : 2;
}
int nvmlDeviceGetMigMode(Gpu gpu, unsigned* current, unsigned* pending) { *current = *pending = 0; return 0; }
int nvmlDeviceGetNvLinkState(Gpu gpu, unsigned link, unsigned* active) { *active = link < 4; return 0; }
int nvmlDeviceGetNvLinkRemoteDeviceType(Gpu gpu, unsigned link, int* type) { *type = 2; return 0; }
"""

# Arguments that all of pip's indexes accept (PEP 440): a release without a local version such as +cu130.
PIP_ARGUMENTS = r"torch==\d+\.\d+\.\d+( --index-url ADDRESS/cu\d{3} \(for ADDRESS see pytorch\.org/get-started/previous-versions\))?"

HANGS = "#include <unistd.h>\nint cuInit(unsigned flags) { for (;;) sleep(1000); }\n"
CRASHES = "int cuInit(unsigned flags) { *(volatile int*)0 = 1; return 0; }\n"
REFUSES = "int cuInit(unsigned flags) { return 802; }\n"


class DoctorTest(unittest.TestCase):
    doctor = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.home = self.folder / "home"  # contains no file that could be taken for data
        self.home.mkdir()

    def call(self, *flags, environment=None, program=None):
        inherited = {name: value for name, value in os.environ.items()
                     if name not in ("BUILD_WORKING_DIRECTORY", "LOCKSTEP_CIFAR10", "LOCKSTEP_LIBRARIES", "PYTHON",
                                     "CUDA_MPS_PIPE_DIRECTORY")}
        return subprocess.run([program or self.doctor, *flags], capture_output=True, text=True, timeout=120,
                              cwd=self.home, env={**inherited, **(environment or {})})

    def examined(self, *flags, code=0, **options):
        """Returns the JSON of a run, which must end with `code`."""
        result = self.call("--format=json", *flags, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def finding(self, examination, area):
        found = [finding for finding in examination["finding"] if finding["area"] == area]
        self.assertEqual(len(found), 1, f"{area}: {examination['finding']}")
        return found[0]

    def library(self, name, source):
        """Returns a folder with this library, compiled."""
        folder = self.folder / (name + "_folder")
        folder.mkdir()
        (folder / "library.c").write_text(source)
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", folder / name, folder / "library.c"], check=True)
        return folder

    def portable(self):
        """Returns the program, placed like in a portable folder."""
        program = self.folder / "package" / "libexec" / "doctor"
        if not program.exists():
            program.parent.mkdir(parents=True)
            shutil.copy(self.doctor, program)
        return program

    # --- the machine as it is ---

    def test_every_area_has_a_line(self):
        result = self.call()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        for area in ("compiler", "bazel", "libtorch", "driver", "nccl", "memory", "/dev/shm", "shmmax", "memlock",
                     "loopback", "data", "disk", "gnuplot", "pdflatex"):
            self.assertRegex(result.stdout, rf"(?m)^(ok|warn|broken|unknown|absent) +{area} +\S")
        for use in ("train", "scale", "report"):
            self.assertRegex(result.stdout, rf"(?m)^{use} +(works|will not work: )")
        for line in result.stdout.splitlines():
            self.assertTrue(len(line) <= 120 or "/" in line, line)

    def test_quiet_shows_troubles_only(self):
        whole = self.call("--output=.", "--input=/no/such.rec")
        quiet = self.call("--output=.", "--input=/no/such.rec", "--quiet")
        self.assertEqual(quiet.returncode, whole.returncode)
        self.assertIn("/no/such.rec", quiet.stdout)
        self.assertNotRegex(quiet.stdout, r"(?m)^ok |works")
        self.assertRegex(whole.stdout, r"(?m)^ok ")
        self.assertEqual(json.loads(self.call("--format=json", "--quiet").stdout).keys(),
                         json.loads(self.call("--format=json").stdout).keys())

    def test_json_holds_findings_uses_and_facts(self):
        examination = self.examined()
        self.assertLessEqual({"version", "seconds", "finding", "use", "facts"}, set(examination))
        for finding in examination["finding"]:
            self.assertEqual(set(finding), {"area", "state", "what", "remedy", "needed_for"})
        self.assertEqual([use["kind"] for use in examination["use"]], ["TRAIN", "SCALE", "REPORT"])

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU")
    def test_without_a_gpu_one_line_reports_it(self):
        examination = self.examined()
        driver = self.finding(examination, "driver")
        self.assertEqual(driver["state"], "ABSENT")
        self.assertIn("no NVIDIA GPU", driver["what"])
        areas = [finding["area"] for finding in examination["finding"]]
        self.assertEqual([area for area in areas if area.startswith(("gpu", "link", "nvml"))], [])
        self.examined("--for=train", "--device=cuda", code=4)

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_gnuplot_is_found(self):
        examination = self.examined("--for=report")
        self.assertEqual(self.finding(examination, "gnuplot")["state"], "OK")

    def test_help_and_wrong_flags(self):
        shown = self.call("--help")
        self.assertEqual(shown.returncode, 0)
        self.assertIn("--for", shown.stdout)
        self.assertNotIn("--probe", shown.stdout)
        for flag, message in (("--no_such_flag=1", "--no_such_flag"), ("--for=trian", "train"),
                              ("--device=gpu", "cuda"),
                              ("--format=xml", "json"), ("--timeout=0s", "from 1s"), ("--output=", "--output"),
                              ("--probe=no_such", "no such probe"), ("extra", "extra")):
            result = self.call(flag)
            self.assertEqual(result.returncode, 2, flag)
            self.assertEqual(result.stdout, "")
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn(message, result.stderr)

    def test_a_full_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([self.doctor], stdout=full, stderr=subprocess.PIPE, timeout=120, cwd=self.home)
        self.assertEqual(result.returncode, 5, result.stderr)

    # --- LibTorch ---

    def torch_that_is(self, content):
        """Returns the findings on a LibTorch whose libtorch_cpu.so is `content`."""
        folder = self.folder / "torch" / "lib"
        folder.mkdir(parents=True)
        (folder / "libtorch_cpu.so").write_bytes(content)
        examination = self.examined("--for=train,scale", code=4, program=self.portable(),
                                    environment={"LOCKSTEP_LIBRARIES": str(folder)})
        self.assertIn("libtorch", examination["use"][0]["because"])
        return self.finding(examination, "libtorch")

    def test_a_libtorch_that_is_a_text(self):
        finding = self.torch_that_is(b"not a library\n" * 100)
        self.assertEqual(finding["state"], "BROKEN")

    def test_a_libtorch_that_is_cut_off(self):
        built = self.library("libtorch_cpu.so", "char big[1 << 20] = {1};\nint f(void) { return big[0]; }\n")
        whole = (built / "libtorch_cpu.so").read_bytes()
        for share in (0.01, 0.5):
            with self.subTest(share=share):
                finding = self.torch_that_is(whole[:int(len(whole) * share)])
                self.assertEqual(finding["state"], "BROKEN")
                self.assertRegex(finding["remedy"], "again")
                shutil.rmtree(self.folder / "torch")

    def test_a_libtorch_whose_load_hangs(self):
        built = self.library("libc10.so", "#include <unistd.h>\n"
                             "__attribute__((constructor)) static void hang(void) { for (;;) sleep(1000); }\n")
        (built / "libtorch_cpu.so").write_bytes(b"never reached")
        examination = self.examined("--for=train", "--timeout=3s", code=4, program=self.portable(),
                                    environment={"LOCKSTEP_LIBRARIES": str(built)})
        finding = self.finding(examination, "libtorch")
        self.assertEqual(finding["state"], "UNKNOWN")
        self.assertIn("dlopen of libc10.so", finding["what"])

    def test_no_libtorch_in_the_interpreter(self):
        python = self.folder / "python"
        python.write_text("#!/bin/sh\necho\n")
        python.chmod(0o755)
        examination = self.examined(program=self.portable(), environment={"PYTHON": str(python)})
        finding = self.finding(examination, "libtorch")
        self.assertEqual(finding["state"], "ABSENT")
        self.assertRegex(finding["remedy"],
                         f"^{python} -m pip install {PIP_ARGUMENTS}, or set PYTHON to an interpreter that")

    def torch_of_version(self, version):
        """Makes a torch whose libraries load, in a folder that an interpreter names, and a train_sweep next to the
        doctor."""
        site = self.folder / "site" / "torch"
        (site / "lib").mkdir(parents=True)
        (site / "version.py").write_text(f"__version__ = '{version}'\ncuda = '13.0'\n")
        for name in ("libc10.so", "libtorch_cpu.so", "libtorch_cuda.so"):
            shutil.copy(self.library(name, "int f(void) { return 0; }\n") / name, site / "lib" / name)
        self.python = self.folder / "python"
        self.python.write_text(f"#!/bin/sh\necho {site}/lib\n")
        self.python.chmod(0o755)
        self.started = self.folder / "started"
        tool = self.portable().parent / "train_sweep"
        tool.write_text(f"#!/bin/sh\ntouch {self.started}\n")
        tool.chmod(0o755)
        return site

    def test_another_version_than_the_folders_is_broken_before_a_tool_is_started(self):
        if self.finding(self.examined(), "libtorch")["state"] == "ABSENT":
            self.skipTest("built without LibTorch")
        site = self.torch_of_version("99.1.0")
        for variables, remedy in (({"PYTHON": str(self.python)},
                                   rf"{self.python} -m pip install {PIP_ARGUMENTS}, or set PYTHON to an interpreter "
                                   "that has it"),
                                  ({"LOCKSTEP_LIBRARIES": f"{site}/lib"},
                                   "unset LOCKSTEP_LIBRARIES, and "
                                   rf"python3 -m pip install {PIP_ARGUMENTS}; or set .*")):
            with self.subTest(remedy=remedy):
                examination = self.examined("--for=train", code=4, program=self.portable(), environment=variables)
                finding = self.finding(examination, "libtorch")
                self.assertEqual(finding["state"], "BROKEN")
                self.assertRegex(finding["what"], r"^99\.1\.0, .* loads; .*; the tools were built with \d+\.\d+\.\d+")
                self.assertRegex(finding["remedy"], f"^{remedy}$")
                self.assertEqual(examination["use"][0]["because"][0], "libtorch")
                self.assertNotIn("train_sweep", [finding["area"] for finding in examination["finding"]])
                self.assertFalse(self.started.exists(), "train_sweep was started")

    def test_a_broken_library_before_the_builds_own(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "libtorch_cpu.so").write_text("not a library\n" * 100)
        finding = self.finding(self.examined(environment={"LD_LIBRARY_PATH": str(folder)}), "libtorch")
        self.assertEqual(finding["state"], "BROKEN")

    # --- drivers, by stand-ins ---

    def driver(self, source, *flags, code=0):
        folder = self.library("libcuda.so.1", source)
        return self.examined(*flags, code=code, environment={"LD_LIBRARY_PATH": str(folder)})

    def test_a_driver_that_hangs_does_not_hang_the_doctor(self):
        started = time.monotonic()
        examination = self.driver(HANGS, "--for=train", "--device=cuda", "--timeout=4s", code=4)
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual(self.finding(examination, "driver")["what"], "libcuda.so.1 hung in cuInit")
        self.assertEqual(self.finding(examination, "disk")["state"], "OK")

    def test_a_driver_that_crashes(self):
        finding = self.finding(self.driver(CRASHES), "driver")
        self.assertEqual(finding["state"], "BROKEN")
        self.assertIn("crashed in cuInit (signal 11)", finding["what"])

    def test_a_driver_that_refuses(self):
        finding = self.finding(self.driver(REFUSES, "--for=train", "--device=cuda", code=4), "driver")
        self.assertIn("CUDA_ERROR_SYSTEM_NOT_READY (802)", finding["what"])
        self.assertIn("fabricmanager", finding["remedy"])

    def test_two_gpus(self):
        nvml = self.library("libnvidia-ml.so.1", TWO_GPUS_NVML)
        cuda = self.library("libcuda.so.1", TWO_GPUS)
        examination = self.examined(environment={"LD_LIBRARY_PATH": f"{cuda}:{nvml}"})
        self.assertEqual(self.finding(examination, "driver")["what"], "535.104.05 (CUDA 12.2)")
        healthy, failing = self.finding(examination, "gpu 0"), self.finding(examination, "gpu 1")
        self.assertEqual(healthy["what"], "Stand-in GPU, capability 8.6, 24.0 GB, ECC on, MIG off")
        self.assertEqual(healthy["state"], "OK")
        self.assertEqual(failing["state"], "WARN")
        self.assertIn("7 uncorrected ECC errors", failing["what"])
        self.assertEqual(self.finding(examination, "links")["what"], "GPUs 0 and 1: NVLink NV4, no peer access")
        if examination["facts"]["libtorch"]["cuda_version"] >= 13000:
            self.assertEqual(self.finding(examination, "cuda")["state"], "BROKEN")

    def test_an_mps_folder_without_a_daemon(self):
        examination = self.examined(environment={"CUDA_MPS_PIPE_DIRECTORY": str(self.home)})
        self.assertEqual(self.finding(examination, "mps")["state"], "WARN")

    # --- programs, data, disk ---

    def test_a_path_without_gnuplot(self):
        empty = self.folder / "empty"
        empty.mkdir()
        examination = self.examined("--for=report", environment={"PATH": str(empty)})
        self.assertEqual(self.finding(examination, "gnuplot")["state"], "ABSENT")
        self.assertEqual(self.finding(examination, "pdflatex")["state"], "ABSENT")
        self.assertTrue(examination["use"][2]["works"])
        self.assertEqual(self.finding(examination, "compiler")["state"], "ABSENT")

    def test_a_gnuplot_that_fails(self):
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "gnuplot").write_text("#!/bin/sh\nexit 7\n")
        (folder / "gnuplot").chmod(0o755)
        examination = self.examined("--for=report", environment={"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(self.finding(examination, "gnuplot")["state"], "BROKEN")

    def test_a_pdflatex_with_and_without_a_version(self):
        program = self.folder / "tex" / "pdflatex"
        program.parent.mkdir()
        for script, state, words in (("echo pdfTeX 3.14; echo kpathsea", "OK", r"^pdfTeX 3\.14$"),
                                     ("exit 7", "UNKNOWN", "/pdflatex prints no version; ")):
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            examination = self.examined("--for=report", environment={"PATH": f"{program.parent}:{os.environ['PATH']}"})
            found = self.finding(examination, "pdflatex")
            self.assertEqual(found["state"], state)
            self.assertRegex(found["what"], words)

    def test_bazels_that_are_too_old_and_too_new(self):
        bazel = self.folder / "programs" / "bazel"
        bazel.parent.mkdir()
        for version, state, words in (("3.7.2", "BROKEN", "older than"), ("8.0.0", "WARN", "newer than")):
            bazel.write_text(f"#!/bin/sh\necho bazel {version}\n")
            bazel.chmod(0o755)
            found = self.finding(self.examined(environment={"PATH": f"{bazel.parent}:{os.environ['PATH']}"}), "bazel")
            self.assertEqual(found["state"], state)
            self.assertRegex(found["what"], f"^{version}; .*; {words} [0-9.]+, the")
            self.assertIn("install Bazelisk", found["remedy"])

    def test_a_folder_that_cannot_be_written_to(self):
        for place in ("/nonexistent/folder", "/proc", str(self.doctor)):
            with self.subTest(place=place):
                examination = self.examined("--for=report", f"--output={place}", code=4)
                self.assertEqual(self.finding(examination, "disk")["state"], "BROKEN")
        self.assertEqual(list(self.home.iterdir()), [])

    def test_data_given_and_data_found(self):
        archive = self.home / "cifar-10-binary.tar.gz"
        archive.write_bytes(b"\x1f\x8b" + bytes(1000))
        found = self.finding(self.examined(), "data")
        self.assertEqual(found["state"], "OK")
        self.assertIn("gzip archive", found["what"])
        text = self.home / "text.rec"
        text.write_text("no record\n")
        broken = self.examined("--for=train", f"--input={text}", code=4)
        self.assertEqual(self.finding(broken, "data")["state"], "BROKEN")
        missing = self.examined("--for=train", "--input=nowhere.rec", code=4)
        self.assertIn("No such file", self.finding(missing, "data")["what"])

    def test_a_data_set_is_read_whole(self):
        prep = pathlib.Path(self.doctor).parent / "cifar_prep"
        if not prep.exists():
            self.skipTest("cifar_prep is not in the doctor's folder")
        data = self.home / "dataset.rec"
        subprocess.run([prep, "--input_format=synthetic", "--train_images=80", "--test_images=40", f"--output={data}"],
                       check=True, capture_output=True, timeout=120)
        self.assertIn("80 and 40 images, undamaged", self.finding(self.examined(), "data")["what"])
        damaged = bytearray(data.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        data.write_bytes(damaged)
        self.assertEqual(self.finding(self.examined("--for=scale", code=4), "data")["state"], "BROKEN")

    def test_a_path_of_any_bytes(self):
        result = subprocess.run([self.doctor, b"--input=caf\xe9\x1b[31m", "--format=json"], capture_output=True,
                                timeout=120, cwd=self.home)
        self.assertIn("caf\\xe9", self.finding(json.loads(result.stdout), "data")["what"])


if __name__ == "__main__":
    bazel_unittest.main_of(DoctorTest, files=("doctor",))
