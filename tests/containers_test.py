"""Checks that the Dockerfile and the Apptainer definition in containers/ make the same image from known packages.

No container engine is needed: the files are read, not built. Run by bazel (tests/BUILD), or directly:
    python3 tests/containers_test.py --root .
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import source_tree

# Packages of the images in addition to those of third_party/versions.sh.
OTHER_PACKAGES = {"ca-certificates", "git", "python3", "python3-venv"}
COMMANDS = {"FROM", "COPY", "RUN", "ENV", "WORKDIR", "CMD", "ARG"}
SECTIONS = {"arguments", "files", "post", "environment", "runscript"}


class Stage:
    """Image, name, and in order: commands run, (source stage, source, target) copied, and the environment."""

    def __init__(self, image, name=""):
        self.image, self.name, self.run, self.copied, self.environment, self.arguments = image, name, [], [], {}, {}


def dockerfile_stages(text):
    """Returns (default arguments, stages) of a Dockerfile. Raises ValueError that names an unknown instruction."""
    arguments, stages = {}, []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        instruction, rest = line.split(None, 1)
        if instruction not in COMMANDS:
            raise ValueError(f"unknown instruction {instruction}")
        if instruction == "ARG":
            name, value = rest.split("=", 1)
            arguments[name] = value
        elif instruction == "FROM":
            image, _, name = rest.partition(" AS ")
            stages.append(Stage(image, name))
        elif instruction == "RUN":
            stages[-1].run.append(rest)
        elif instruction == "ENV":
            name, value = rest.split("=", 1)
            stages[-1].environment[name] = value
        elif instruction == "COPY":
            words = shlex.split(rest)
            origin = words.pop(0)[len("--from="):] if words[0].startswith("--from=") else ""
            target = words.pop()
            for source in words:
                into = target + os.path.basename(source) if target.endswith("/") else target
                stages[-1].copied.append((origin, source, into))
    return arguments, stages


def apptainer_stages(text):
    """Returns the stages of an Apptainer definition. Raises ValueError that names an unknown section."""
    stages, section, origin = [], "", ""
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "Bootstrap:":
            stages.append(Stage(""))
            section = ""
        elif words[0] == "From:":
            stages[-1].image = line.split(":", 1)[1].strip()
        elif words[0] == "Stage:":
            stages[-1].name = words[1]
        elif line.startswith("%"):
            section = words[0][1:]
            origin = words[2] if words[1:2] == ["from"] else ""
            if section not in SECTIONS:
                raise ValueError(f"unknown section %{section}")
        elif section == "post":
            stages[-1].run.append(line.strip())
        elif section == "files":
            stages[-1].copied.append((origin, words[0], words[1]))
        elif section == "environment":
            name, value = line.strip()[len("export "):].split("=", 1)
            stages[-1].environment[name] = value
        elif section == "arguments":
            name, value = line.strip().split("=", 1)
            stages[-1].arguments[name] = value
    return stages


def packages_of(script):
    """Returns the names of the packages that a shell script installs."""
    lines = re.sub(r"\\\n\s*", "", script).splitlines()
    return {word for line in lines if "apt-get install" in line
            for word in line.split("install", 1)[1].split() if not word.startswith("-")}


class ContainersTest(unittest.TestCase):
    root = None

    def setUp(self):
        self.arguments, self.docker = dockerfile_stages((self.root / "containers/Dockerfile").read_text())
        self.apptainer = apptainer_stages((self.root / "containers/lockstep.def").read_text())

    def test_both_have_the_same_stages(self):
        self.assertEqual(len(self.docker), len(self.apptainer))
        for docker, apptainer in zip(self.docker, self.apptainer):
            argument = re.fullmatch(r"\$\{(\w+)\}", docker.image)[1]
            self.assertEqual(apptainer.image, "{{ %s }}" % argument)
            self.assertEqual(apptainer.arguments, {argument: self.arguments[argument]})
            self.assertEqual(docker.run, apptainer.run)
            self.assertEqual(docker.copied, apptainer.copied)
            self.assertEqual(docker.environment, apptainer.environment)

    def test_what_is_copied_is_there(self):
        names = {""} | {stage.name for stage in self.docker}
        made = {}
        for stage in self.docker:
            for origin, source, target in stage.copied:
                self.assertIn(origin, names)
                if origin:
                    self.assertIn(source, " ".join(made[origin]), f"{origin} makes no {source}")
                else:
                    self.assertTrue((self.root / source).exists(), source)
            made[stage.name] = stage.run

    def test_commands_are_scripts_that_were_copied(self):
        tracked = set(source_tree.files(self.root))
        for stage in self.docker:
            for command in stage.run:
                program = command.split()[0]
                sources = [source + program[len(target):] for _, source, target in stage.copied
                           if program == target or program.startswith(target + "/")]
                self.assertEqual(len(sources), 1, command)
                path = (self.root / sources[0]).resolve()
                self.assertIn(path, tracked)
                self.assertTrue(os.access(path, os.X_OK), path)

    def test_the_run_stage_has_the_files_that_it_reads(self):
        """Runs its script on the copied files alone; stand-ins for apt-get and python3 log their arguments."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        image = pathlib.Path(folder.name)
        for origin, source, target in self.docker[-1].copied:
            if not origin:
                (image / target[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / source, image / target[1:])
        programs = image / "programs"
        programs.mkdir()
        for name in ("apt-get", "rm", "python3"):
            (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{image}/log\n')
            (programs / name).chmod(0o755)
        script, *_ = self.docker[-1].run[0].split()
        (image / "venv/bin").mkdir(parents=True)
        shutil.copy(programs / "python3", image / "venv/bin/python3")
        subprocess.run([image / script[1:], image / "venv"], check=True, env={"PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertRegex((image / "log").read_text(), r"(?m)^python3 -m pip install .*torch==[0-9.]+ numpy==[0-9.]+$")

    def test_packages_are_known(self):
        listed = (self.root / "third_party/versions.sh").read_text()
        known = OTHER_PACKAGES | {name for line in re.findall(r'^  "([^|]+)\|', listed, re.M) for name in line.split()}
        for script in (self.root / "containers").glob("*.sh"):
            found = packages_of(script.read_text())
            self.assertTrue(found, script)
            self.assertEqual(found - known, set(), script)

    def test_what_git_ignores_is_not_sent(self):
        sent = set((self.root / "containers/Dockerfile.dockerignore").read_text().split())
        for line in (self.root / ".gitignore").read_text().splitlines():
            if line and not line.startswith("#"):
                pattern = line.strip("/").replace("!/", "!")  # "!" excepts files that an earlier line ignores
                self.assertTrue({pattern, f"**/{pattern}"} & sent, pattern)

    def test_differences_are_found(self):
        _, stages = dockerfile_stages("ARG A=b\nFROM ${A} AS build\nCOPY a b /c/\nRUN x \\\n    y\n")
        self.assertEqual([stages[0].copied, stages[0].run], [[("", "a", "/c/a"), ("", "b", "/c/b")], ["x y"]])
        self.assertRaises(ValueError, dockerfile_stages, "ONBUILD RUN x\n")
        self.assertRaises(ValueError, apptainer_stages, "Bootstrap: docker\n%labels\n")
        self.assertEqual(packages_of("apt-get install -y \\\n  a b\n"), {"a", "b"})


if __name__ == "__main__":
    source_tree.main(ContainersTest)
