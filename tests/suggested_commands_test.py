"""Checks that every command suggested by a report, an error, --help or a document runs, and that every flag that they
name exists. Commands of documents run with --dry_run, if the tool has it.

Commands run unchanged, with additional flags that make them small (SMALL): the last value of a flag counts.
Commands that need a GPU or a large network run on the CPU with lenet5. Run by bazel (tests/BUILD), or directly:
    python3 tests/suggested_commands_test.py --tools bazel-bin/tools --published data/published --root .
"""

import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import source_tree
from flag_effects_test import FIXTURES, binary_archive, pictures
from tool_case import TOOLS, ToolCase

FLAG = r" --[a-z_]+(?:=(?:'[^']*'|[^\s'\"`]*[\w/}.%])?)?"
FILE = r" [\w./-]+(?:\.(?:rec|json|csv|textproto)\b|/)"
COMMAND = re.compile(rf"\b(?:{'|'.join(TOOLS)}|doctor)(?:{FLAG})+")
DOCUMENT_COMMAND = re.compile(rf"\b(?:{'|'.join(TOOLS)}|doctor)(?:{FLAG}|{FILE})+")

# Flags of other programs (bazel, our benchmarks, tensorboard, nvcc, docker, dpkg, pip), and our internal flags.
NOT_OURS = {"compilation_mode", "benchmark_out", "record", "collectives", "logdir", "config", "gpus", "ulimit", "configure",
            "reinstall", "help", "version", "probe", "rank"}

# Commands of which the sources contain a part, and their completion in this test.
PARTS = {
    "cifar_prep --input=": "cifar_prep --input=cifar-10-binary.tar.gz --output=dataset.rec",
    "report --print=": "report --print=sweep.rec",
    "report --convert=RECORD --output=": "report --convert=sweep.rec --output=again.json",
    "report --convert=RECORD --output=NAME.json": "report --convert=sweep.rec --output=again.json",
    "report --format=latex": "report --format=latex sweep.rec --output=ada.tex",
    "report --style=lab": "report --style=lab sweep.rec --output=ada.html",
    "comm_model --audit=": "comm_model --audit=hand_in.csv --output=comm_model.rec",
    "comm_model --input=": "comm_model --input=scale.rec --output=comm_model.rec",
    "scale_run --input=dataset.rec --experiment=": "scale_run --input=dataset.rec --experiment=what_is_sent --ranks=2 "
                                                   "--batch_size=128 --output=what_is_sent.rec",
    "train_sweep --input=dataset.rec --model=": "train_sweep --input=dataset.rec --model=lenet5 --checkpoint=lenet5.pt",
    "quantize --input=dataset.rec --checkpoint=": "quantize --input=dataset.rec --checkpoint=lenet5.pt",
    "report --print=FILE --format=json": "report --print=sweep.rec --format=json",
    "scale_run --input=dataset.rec --ranks=1": "scale_run --input=dataset.rec --ranks=1,2 --output=scale.rec",
    "scale_run --input=dataset.rec --mode=ddp,dp --ranks=1": "scale_run --input=dataset.rec --mode=ddp,dp --ranks=1,2 "
                                                             "--output=scale.rec",
    "scale_run --mode=dp": "scale_run --input=dataset.rec --mode=dp --ranks=1,2 --output=scale.rec",
}


def commands_in(text):
    """Returns commands with at least one value."""
    return [command for command in COMMAND.findall(text) if "=" in command or command.startswith("doctor")]


def small(command, folder):
    """Returns the command's words without those that name a reader's network, and flags that make it small."""
    words = [word for word in shlex.split(command) if not re.match(r"--(?:interface|master_addr)=", word)]
    tool = words[0]
    given = {word[2:].split("=")[0]: word.partition("=")[2] for word in words[1:]}
    more = []
    # Q6 and Q7 are about batch norm, which lenet5 lacks; resnet18 is slow, so it gets few images.
    has_resnet18 = given.get("experiment") == "what_is_sent" or "resnet18" in given.get("model", given.get("checkpoint", ""))
    batch = "8" if has_resnet18 else "20"
    if tool in ("train_sweep", "scale_run"):
        more += ["--device=cpu", "--threads=1", "--loader_workers=0"] + ([] if "model" in given else ["--model=lenet5"])
    if tool == "train_sweep":
        more += ["--epochs=2", f"--batch_size={batch}"]
    if tool == "scale_run" and "experiment" in given:
        more += ["--epochs=2", "--seeds=1"] + (
            ["--batch_size=8,16", "--rows=8;16"] if given["experiment"] == "large_batch" else ["--batch_size=8"])
        more += ["--model=resnet18"] if given["experiment"] == "what_is_sent" else []
    elif tool == "scale_run":
        more += ["--repeats=1", "--batch_size=8"]
    if tool == "quantize" and "verify" not in given:
        more += ["--device=cpu"] + ([] if "import" in given else [f"--calibration_images={batch}"])
    if has_resnet18:
        more += ["--input=few.rec"]
    if "study_images" in given:
        more += ["--input=dataset.rec", "--checkpoint=lenet5.pt", "--study_images=2"]
    if tool == "cifar_prep" and "input" in given:
        more += ["--allow_partial"]
    return words + more


def string_literals(text):
    """Yields the literals of a C++ source; adjacent ones are joined."""
    text = re.sub(r"(?m)^\s*#include.*$|//.*$", "", text)
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        yield "".join(part[1:-1] for part in re.findall(r'"(?:[^"\\\n]|\\.)*"', match.group()))


def commands_of_document(text):
    """Returns the commands in a document's code, without those that need a pipe, a GPU or more runs of one program than
    the fixtures have."""
    code = "\n".join(line for line in text.splitlines() if line.startswith("    "))
    commands = DOCUMENT_COMMAND.findall(re.sub(r" *\\\n *", " ", code))
    return [command for command in commands if re.search(r"=|\.\w|/|^doctor", command)
            and not re.search(r"=(?: |$)|=fast\b|\bcuda\b|_[23]\.rec", command)]


# A chart of runs on one and four devices, as Weights & Biases exports it, and the line that --times needs.
WANDB_EXPORT = """# images_per_epoch = 50000
"Step","batch_size_32_1gpus - epoch_time","batch_size_32_4gpus - epoch_time"
"1","24.1","7.2"
"2","23.5","6.9"
"""


class SuggestedCommandsTest(ToolCase):
    reads_sweep = False
    root = None
    ran = {}  # results of run_all: its commands, and the folder

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fixtures = cls.dataset.parent / "suggested"
        if cls.fixtures.exists():
            return
        cls.fixtures.mkdir()
        run = lambda command: subprocess.run([str(cls.tools / command.split()[0]), *command.split()[1:]], cwd=cls.fixtures,
                                             check=True, capture_output=True, timeout=240)
        for command in FIXTURES.strip().splitlines():
            if not re.search("--output=(other_q|more)", command):
                run(command)
        run("cifar_prep --input_format=synthetic --train_images=16 --test_images=10 --output=few.rec")
        run("cifar_prep --input_format=synthetic --train_images=400 --test_images=100 --classes=100 --size=48 "
            "--output=hundred.rec")
        run("cifar_prep --input_format=synthetic --train_images=16384 --test_images=10 --output=many.rec")
        run("train_sweep --input=few.rec --model=resnet18 --device=cpu --batch_size=8 --epochs=1 --noevaluate "
            "--threads=1 --checkpoint=resnet18.pt --output=resnet18.rec")
        run("comm_model --input=scale.rec --output=comm_model.rec")
        run("comm_model --input=scale.rec --what_if=2 --devices_per_host=2 --inter_host_gigabytes_per_second=1 "
            "--inter_host_latency_microseconds=50 --output=what_if.rec")
        pictures(cls.fixtures / "my_pictures", 1)
        binary_archive(cls.fixtures / "cifar-10-binary.tar.gz")
        (cls.fixtures / "lockstep_lab").mkdir()
        for name in ("dataset.rec", "sweep.rec"):
            os.link(cls.fixtures / name, cls.fixtures / "lockstep_lab" / name)
        (cls.fixtures / "hand_in.csv").write_text("# source = x\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n"
                                                  "T,epoch_seconds,1,32,3.5,s,3.5\n")
        (cls.fixtures / "theirs.csv").write_text(cls.table_of_page())
        # Ranks that share one CPU do not stand for several hosts (--what_if), but these four H100 do.
        shutil.copy(cls.root / "benchmarks/results/2026-11-26-h100x4-scored/four.rec", cls.fixtures / "gpus.rec")
        shutil.copytree(cls.published, cls.fixtures / "data" / "published")

    def folder_for(self, commands):
        """Makes a folder with the files that the commands read and do not make."""
        runs = self.fixtures.parent / "runs"
        runs.mkdir(exist_ok=True)
        folder = runs / f"run{len(list(runs.iterdir()))}"
        shutil.copytree(self.fixtures, folder, copy_function=os.link)
        for command in commands:
            tool = shlex.split(command)[0]
            default = {"cifar_prep": "dataset", "train_sweep": "sweep", "scale_run": "scale", "comm_model": "comm_model",
                       "quantize": "quantized"}.get(tool, "report")
            made = [] if "--output=" in command or "--verify=" in command else [default + ".rec"]
            made += [name for value in re.findall(r"--(?:output|checkpoint|onnx)=(\S+)", command) for name in value.split(",")
                     if tool != "quantize" or not name.endswith(".pt")]
            for name in made:
                (folder / name).unlink(missing_ok=True)
        return folder

    def run_all(self, commands):
        """Runs the commands, one after another in one folder, and returns the folder; each list runs once."""
        if tuple(commands) in self.ran:
            return self.ran[tuple(commands)]
        folder = self.folder_for(commands)
        for command in commands:
            words = small(command, folder)
            result = subprocess.run([str(self.tools / words[0]), *words[1:]], cwd=folder, capture_output=True, timeout=600,
                                    env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
            allowed = (0, 4) if "--check" in words or words[0] == "doctor" else (0,)
            self.assertIn(result.returncode, allowed, f"{' '.join(words)}\n{result.stderr.decode()}")
        self.ran[tuple(commands)] = folder
        return folder

    def report(self, folder, *inputs):
        """Returns the sections of a report in the lab's style."""
        self.call("report", f"--input={','.join(str(folder / name) for name in inputs)}", "--style=lab", "--format=json",
                  f"--output={self.folder / 'asked.json'}", "--force", check=True)
        # Commands write into the folder of the records; run in a copy of it, they must not write into the original.
        return json.loads((self.folder / "asked.json").read_text().replace(f"{self.fixtures}/", ""))

    @staticmethod
    def claims(report):
        """Returns, by question, the answer and the reason for its absence."""
        found = {}
        stack = [report]
        while stack:
            value = stack.pop()
            if isinstance(value, dict):
                if "question" in value and "asked" in value:
                    found.setdefault(value["question"], (value.get("text", ""), value.get("absent_reason", "")))
                stack += value.values()
            elif isinstance(value, list):
                stack += value
        return found

    QUESTIONS = ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "B1", "B2", "B3", "B4", "B5"]

    def test_each_question_is_answered_by_its_commands(self):
        asked = self.claims(self.report(self.fixtures, "dataset.rec"))
        self.assertLessEqual(set(self.QUESTIONS), set(asked))
        for question in self.QUESTIONS:
            with self.subTest(question=question):
                text, reason = asked[question]
                self.assertEqual(text, "")
                commands = commands_in(reason)
                self.assertNotEqual(commands, [], f"{question} has no command: {reason}")
                folder = self.run_all(commands)
                made = [word.split("=")[1] for command in commands for word in command.split() if word.startswith("--output=")]
                answer, reason = self.claims(self.report(folder, "dataset.rec", *made))[question]
                self.assertNotEqual(answer, "", f"{commands} leave {question} without an answer: {reason}")

    def test_the_commands_fit_the_data_set(self):
        """Checks the trainings that a page suggests for few images, and for a hundred classes of 48x48 pixels, with
        --dry_run, at the batches that they name."""
        for name in ("few.rec", "dataset.rec", "hundred.rec"):
            commands = set(commands_in(json.dumps(self.report(self.fixtures, name))))
            has_int8 = any(command.startswith("quantize ") for command in commands)
            self.assertEqual(has_int8, name != "hundred.rec", commands)  # quantize refuses a hundred classes
            for command in sorted(commands):
                if not command.startswith(("train_sweep ", "scale_run ")):
                    continue
                with self.subTest(dataset=name, command=command):
                    words = shlex.split(command)
                    self.assertIn(f"--input={name}", words)
                    result = subprocess.run([str(self.tools / words[0]), *words[1:],
                                             f"--input={self.fixtures / name}", "--device=cpu", "--threads=1",
                                             "--dry_run"], cwd=self.folder, capture_output=True, text=True, timeout=240)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_list_of_questions_has_these_commands(self):
        """The list has the lab's batches, like a page about enough images for them."""
        asked = self.claims(self.report(self.fixtures, "many.rec"))
        listed = (self.root / "docs/questions.md").read_text()
        for question in self.QUESTIONS:
            for command in commands_in(asked[question][1]):
                command = command.replace("--input=many.rec", "--input=dataset.rec")
                self.assertIn(f"`{command}`", listed, f"{question}: benchmarks/page/questions.py")

    def test_what_a_page_reports_missing_is_made_by_its_commands(self):
        """Runs the tables' commands, and those of a page that has a scale record without comm_model's."""
        texts = json.dumps(self.report(self.fixtures, "dataset.rec"))
        asked = self.claims(self.report(self.fixtures, "dataset.rec"))
        of_questions = {command for question in self.QUESTIONS for command in commands_in(asked[question][1])}
        for command in sorted(set(commands_in(texts)) - of_questions):
            with self.subTest(command=command):
                self.run_all([command])
        folder = self.folder_for([])
        text, reason = self.claims(self.report(folder, "scale.rec"))["Q2"]
        self.assertEqual(commands_in(reason), [f"comm_model --input={folder / 'scale.rec'} "
                                                f"--output={folder / 'comm_model.rec'}"])

    def test_the_examples_of_help(self):
        for tool in [*TOOLS, "doctor"]:
            listing = self.call(tool, "--help", check=True).stdout.decode()
            examples = re.search(r"(?s)\nExamples:\n(.*?)\n\n", listing).group(1)
            for example in [line.strip() for line in examples.splitlines()]:
                with self.subTest(example=example):
                    self.run_all([example])

    def test_the_plan_of_a_lab(self):
        """Checks each command of a plan with --dry_run: with time for everything, and the commands of what is left out.

        comm_model and report have no inputs yet and are checked up to them (exit code 3). A hundred classes leave out
        quantize, which has no command then."""
        for flags, tools, min_commands in (("--minutes=1000", TOOLS, 15), ("--minutes=0.01", TOOLS, 15),
                                           ("--minutes=1000 --model=resnet18 --images=64 --batch_size=8", TOOLS, 15),
                                           ("--minutes=1000 --input=hundred.rec", set(TOOLS) - {"quantize"}, 12)):
            folder = self.folder_for([])
            plan = subprocess.run([str(self.tools / "lab"), "--dry_run", "--device=cpu", "--output=planned",
                                   *flags.split()], cwd=folder, capture_output=True, check=True, text=True).stdout
            commands = re.findall(r"(?m)^ *(?:lab: |\d+ +\d+ s +)?((?:%s) --.*)$" % "|".join(TOOLS), plan)
            self.assertGreaterEqual(len(commands), min_commands, plan)
            self.assertEqual({shlex.split(command)[0] for command in commands}, set(tools))
            (folder / "planned").mkdir()
            for command in commands:
                with self.subTest(flags=flags, command=command):
                    words = shlex.split(command)
                    if words[0] == "cifar_prep":
                        subprocess.run([str(self.tools / words[0]), *words[1:]], cwd=folder, check=True,
                                       capture_output=True)
                        continue
                    for name in ("lenet5.pt", "lenet5_bias.pt"):
                        if words[0] == "quantize" and not (folder / "planned" / name).exists():
                            self.make_checkpoint(folder, name)
                    result = subprocess.run([str(self.tools / words[0]), *words[1:],
                                             *([] if words[0] == "comm_model" else ["--dry_run"])], cwd=folder,
                                            capture_output=True, text=True, timeout=240)
                    allowed = (0, 3) if words[0] in ("comm_model", "report") else (0,)
                    self.assertIn(result.returncode, allowed, result.stderr)

    def make_checkpoint(self, folder, name):
        """Trains a network for an epoch, for a plan's quantize."""
        subprocess.run([str(self.tools / "train_sweep"), "--input=planned/.few.rec", f"--model={name[:-3]}",
                        "--device=cpu", "--batch_size=20", "--epochs=1", "--threads=1", f"--checkpoint=planned/{name}",
                        "--output=planned/made.rec", "--force"], cwd=folder, check=True, capture_output=True,
                       timeout=240)

    # --- what the sources say ---

    def sources(self):
        for path in source_tree.files_in(self.root, ["lib", "tools"], [".cc", ".h"]):
            if not re.search(r"_(test|fuzz)\.cc$", path.name) and "testing" not in path.parts:
                yield path, list(string_literals(path.read_text()))

    def test_commands_in_the_sources(self):
        """Runs commands in the sources, above all in errors. PARTS completes commands that are composed."""
        commands = {}
        for path, literals in self.sources():
            for literal in literals:
                for command in commands_in(literal):
                    commands.setdefault(command, path.relative_to(self.root))
        self.assertGreater(len(commands), 20)
        of_help = " ".join(self.call(tool, "--help", check=True).stdout.decode() for tool in [*TOOLS, "doctor"])
        for command, path in sorted(commands.items()):
            if command in of_help:
                continue  # test_the_examples_of_help
            with self.subTest(command=command, path=str(path)):
                self.run_all([PARTS.get(command, command)])

    def stand_in(self, folder, command):
        """Makes the inputs of a command that the fixtures do not have, as links to a record of the right kind."""
        kind = "scale.rec" if command.startswith("comm_model") else "sweep.rec"
        kinds = itertools.cycle([f"other_{kind}", kind])  # two inputs differ
        for value in re.findall(rf"--(?:input|sweep|compare)=(\S+)|({FILE})", command):
            for name in "".join(value).strip().split(","):
                if not (folder / name).exists() and name.endswith(".rec"):
                    os.link(self.fixtures / next(kinds), folder / name)
        for name in ("from_python.pt", "own.pt"):
            os.link(self.fixtures / "lenet5.pt", folder / name)
        shutil.copy(pathlib.Path(self.root) / "data/testdata/own_network.pt", folder / "net.pt")
        (folder / "real_lab").mkdir()
        os.link(self.fixtures / "sweep.rec", folder / "real_lab" / "sweep.rec")
        (folder / "wandb_export.csv").write_text(WANDB_EXPORT)
        (folder / "class" / "ann").mkdir(parents=True)
        os.link(self.fixtures / "sweep.rec", folder / "class" / "ann" / "sweep.rec")

    @classmethod
    def table_of_page(cls):
        """Returns the table that docs/audit.md types in."""
        table = re.search(r"(?ms)^    # source: .*?(?=^\S)", (cls.root / "docs/audit.md").read_text())[0]
        return re.sub(r"(?m)^    ", "", table)

    def test_the_page_about_audits_shows_their_answer(self):
        """Audits the table of docs/audit.md: the page must have each verdict, and the error for a table that states
        nothing."""
        page = (self.root / "docs/audit.md").read_text()
        (self.folder / "theirs.csv").write_text(self.table_of_page())
        result = self.call("comm_model", f"--audit={self.folder / 'theirs.csv'}", f"--output={self.folder / 'audit.rec'}",
                           "--format=text", check=True)
        verdicts = re.findall(r"(?m)^ +(SPEEDUP N=\d B=\d+) +(\S+) +([A-Z_]+) +([^\n:]{9})", result.stdout.decode())
        self.assertEqual(len(verdicts), 4)
        self.assertEqual(verdicts, re.findall(r"(?m)^ +(SPEEDUP N=\d B=\d+) +(\S+) +([A-Z_]+) +([^\n:]{9})", page))
        self.assertIn("comm_model: wrote audit.rec: 3 of 4 printed results follow from their tables", page)
        self.assertIn("3 of 4 printed results follow from their tables", result.stderr.decode())
        explained = self.call("comm_model", f"--audit={self.folder / 'theirs.csv'}", "--explain=SPEEDUP N=4 B=128",
                              f"--output={self.folder / 'explained.rec'}", check=True)
        derivation = explained.stdout.decode().replace(f"{self.folder}/", "").strip().splitlines()
        self.assertGreater(len(derivation), 10)
        for line in derivation:
            beginning = line.split(" [of_another")[0].split(", which gives 3")[0]
            self.assertIn(f"\n    {beginning}", page)
        (self.folder / "theirs.csv").write_text("batch,1 GPU\n32,31.42\n")
        refused = self.call("comm_model", f"--audit={self.folder / 'theirs.csv'}", f"--output={self.folder / 'b.rec'}")
        self.assertEqual(refused.returncode, 3)
        error = refused.stderr.decode().split("theirs.csv: ")[1].strip()
        self.assertIn(error, " ".join(page.split()))

    def test_commands_in_the_documents(self):
        """Runs each command alone, with --dry_run except comm_model, modes of report, a study and quantize --verify."""
        documents = [self.root / "README.md", self.root / "tools/README.md", *sorted((self.root / "docs").glob("*.md"))]
        runs = 0
        for document in documents:
            for command in dict.fromkeys(commands_of_document(document.read_text())):
                with self.subTest(document=document.name, command=command):
                    folder = self.folder_for([command])
                    self.stand_in(folder, command)
                    words = small(command, folder)
                    if not re.match(r"(?:doctor|comm_model) |quantize --verify|"
                                    r"report .*--(?:check|compare|class_folder|print|convert|mllog|tensorboard|"
                                    r"wandb_csv)\b", command):
                        words.append("--dry_run")
                    result = subprocess.run([str(self.tools / words[0]), *words[1:]], cwd=folder, capture_output=True,
                                            timeout=240, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
                    self.assertIn(result.returncode, (0, 4) if "--check" in words or words[0] == "doctor" else (0,),
                                  f"{' '.join(words)}\n{result.stderr.decode()}")
                    runs += 1
        self.assertGreater(runs, 20)

    def test_commands_of_other_programs(self):
        """Checks packages against the install script, and that files exist. A pip version is never typed: the build has
        it."""
        packages = re.findall(r'(?m)^  "([^|]*?) \|', (self.root / "third_party" / "versions.sh").read_text())
        packages = " ".join(packages).split()
        packages.append("texlive-latex-recommended")  # LaTeX is needed for a PDF only
        found = set()
        for path, literals in self.sources():
            for literal in literals:
                with self.subTest(path=path.relative_to(self.root), literal=literal):
                    for word in re.findall(r"(?<!neither )\bbazel ([a-z]+)", literal):
                        self.assertIn(word, ("build", "run", "shutdown", "sync", "test"))
                        found.add("bazel")
                    for package in re.findall(r"\bapt-get install (?:--reinstall )?([\w.+-]+\w)", literal):
                        self.assertIn(package, packages)
                        found.add("apt-get")
                    for name in re.findall(r"\bsysctl -w ([\w.]+)=", literal):
                        self.assertTrue(pathlib.Path("/proc/sys", *name.split(".")).exists(), name)
                    for script in re.findall(r"[\w./]+\.sh\b", literal):
                        self.assertTrue((self.root / script).is_file(), script)
                        found.add(script)
                    self.assertNotRegex(literal, r"\btorch *[=<>]=")
        self.assertLessEqual({"bazel", "apt-get", "third_party/install.sh"}, found)

    def flags_of_tools(self):
        """Returns {tool: names of its flags}."""
        listing = {tool: self.call(tool, "--help=all", check=True).stdout.decode() for tool in [*TOOLS, "doctor", "lab"]}
        return {tool: set(re.findall(r"(?m)^  --(\w+) \(default: ", text)) for tool, text in listing.items()}

    def test_flags_in_the_sources(self):
        flags = set().union(*self.flags_of_tools().values())
        unknown = []
        for path, literals in self.sources():
            for flag in re.findall(r"--([a-z][a-z_]*[a-z])(?![\w-])", " ".join(literals).replace("var(--", "")):
                if flag not in flags | NOT_OURS and flag.removeprefix("no") not in flags:
                    unknown.append(f"{path.relative_to(self.root)}: --{flag}")
        self.assertEqual(unknown, [])

    def test_flags_in_documents_and_scripts(self):
        """Checks the flags of commands that no other test runs: on GPUs, in scripts, in the pages of measurements."""
        flags = self.flags_of_tools()
        flags["//:lab --"] = flags.pop("lab")
        command = re.compile(r"(?<![\w-])(%s)((?: '?--[a-z_]+(?:=(?:'[^']*'|[^\s'\"`]*))?'?)+)" % "|".join(flags))
        unknown, seen = [], set()
        for path in source_tree.files(self.root):
            if path.suffix not in (".md", ".sh", ".py") and path != self.root / ".ci/run" or \
                    path.name == "CHANGELOG.md" or "results" in path.parts or "_test" in path.name:
                continue
            # Joins a command that is continued in the next line, in a shell script, a literal of Python or a paragraph.
            text = re.sub(r'(?:\\|"\s*f?")?\s*\n\s*(?:f?")?|\s+', " ", path.read_text())
            for tool, given in command.findall(text):
                seen.add(tool)
                for flag in re.findall(r" '?--([a-z_]+)", given):
                    if not {flag, flag.removeprefix("no")} & (flags[tool] | {"help"}):
                        unknown.append(f"{path.relative_to(self.root)}: {tool} --{flag}")
        self.assertEqual(unknown, [])
        self.assertLessEqual({*TOOLS, "//:lab --"}, seen)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    at = arguments.index("--root")
    root = pathlib.Path(arguments[at + 1]).resolve()
    SuggestedCommandsTest.root = root if root.is_dir() else root.parent
    sys.argv = [sys.argv[0], *arguments[:at], *arguments[at + 2:]]
    from tool_case import run_tests
    run_tests(__doc__)
