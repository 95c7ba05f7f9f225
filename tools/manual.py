"""Manual pages and shell completion of the tools, made from the flags that the tools define.

    manual.py --tools=FOLDER --output=SHARE [--date=YYYY-MM-DD]

Runs `TOOL --help=manual` (lib/base/manual.h) of each tool in FOLDER and writes:
    SHARE/man/man1/TOOL.1
    SHARE/bash-completion/completions/TOOL
    SHARE/zsh/site-functions/_TOOL
    SHARE/fish/vendor_completions.d/TOOL.fish
Nothing about a flag is written here: a new flag appears in all four by itself.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import textwrap

TOOLS = ["cifar_prep", "train_sweep", "scale_run", "comm_model", "quantize", "report", "doctor", "lab"]


def describe(tool):
    """Returns the program's description of itself."""
    return json.loads(subprocess.run([tool, "--help=manual"], stdout=subprocess.PIPE, check=True).stdout)


def flags_of(tool):
    return [flag for group in tool["groups"] for flag in group["flags"]]


def first_sentence(text):
    return re.split(r"(?<=\w)[.;:](?:\s|$)", text, maxsplit=1)[0]


# --- Manual pages (groff_man(7)) ---

def roff(text):
    """Returns `text` as roff source in which no character is an escape or a request."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text)


def code(text):
    """Returns roff() of `text`, with hyphens that can be copied as minus signs."""
    return roff(text).replace("-", "\\-")


def prose(text):
    """Returns the text as roff source in which flags are bold."""
    parts = re.split(r"(--\w+)", text)
    return "".join(f"\\fB{code(part)}\\fR" if i % 2 else roff(part) for i, part in enumerate(parts))


def paragraph(text):
    """Returns lines of roff source; a line break does not turn a word into a request."""
    return "\n".join(re.sub(r"^([.'])", r"\\&\1", line) for line in textwrap.wrap(prose(text), 100, break_long_words=False,
                                                                                  break_on_hyphens=False))


def placeholder(flag):
    """Returns the name of the flag's value in the pages."""
    one = "WORD" if flag["words"] else "N" if flag["range"] else "VALUE"
    return f"{one},..." if flag["takes"] == "list" else one


def item(flag):
    name = f"\\fB\\-\\-{code(flag['name'])}\\fR"
    if flag["takes"] == "switch":
        head = f"{name}, \\fB\\-\\-no{code(flag['name'])}\\fR"
    else:
        head = f"{name}=\\fI{placeholder(flag)}\\fR"
    facts = f"Default: {flag['default']}{';' if flag['range'] else ''}{flag['range']}"
    return f".TP\n{head}\n{paragraph(flag['help'])}\n.br\n{paragraph(facts)}"


def page(tool, tools, date):
    name, title = tool["name"], tool["name"].upper()
    summary = first_sentence(tool["summary"])
    lines = [
        f'.\\" Made by tools/manual.sh from the flags of {name}.',
        f'.TH {code(title)} 1 "{date}" "Lockstep {code(tool["version"])}" "Lockstep"',
        ".SH NAME", f"{code(name)} \\- {roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS", f".B {code(name)}",
        ".RI [ \\-\\-FLAG=VALUE \" ...]" + (" [\" FILE \" ...]" if tool["arguments"] else "") + "\"", ".br",
        f".BR {code(name)} \" \\-\\-help\" [=\\fIGROUP\\fR]", ".br", f".B {code(name)} \\-\\-version",
        ".SH DESCRIPTION", paragraph(tool["summary"]), ".PP",
        paragraph("A value is given as --flag=VALUE or --flag VALUE. A switch is turned on by its name and off by its name "
                  "after 'no'. Several values are separated by commas. A file named '-' is standard input or output."),
        *([paragraph(f"Arguments that are not flags: {tool['arguments']}")] if tool["arguments"] else []),
        ".SH OPTIONS",
    ]
    for group in tool["groups"]:
        about = group["about"]
        lines += [f'.SS "{code(group["name"])}: {roff(about)}"', *(item(flag) for flag in group["flags"])]
    lines += [".SS \"help and version\"",
              ".TP", "\\fB\\-\\-help\\fR[=\\fIGROUP\\fR]",
              paragraph("Print the common flags, those of one group, or with --help=all every flag."),
              ".TP", "\\fB\\-\\-version\\fR", "Print the version."]
    lines += [".SH EXIT STATUS"]
    for exit_code in tool["exit_codes"]:
        lines += [".TP", str(exit_code["code"]), paragraph(exit_code["meaning"])]
    lines += [".SH EXAMPLES"]
    for example in tool["examples"]:
        lines += [".PP", ".nf", ".RS 4", code(example), ".RE", ".fi"]
    others = [other for other in tools if other != name]
    lines += [".SH SEE ALSO", *(f".BR {code(other)} (1){'' if other == others[-1] else ','}" for other in others)]
    return "\n".join(lines) + "\n"


# --- Completion ---

BASH = r'''# bash completion of @TOOL@. Made by tools/manual.sh from the flags of @TOOL@.
_lockstep_@TOOL@() {
  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" flag="" prefix="" words="" i
  COMPREPLY=()
  # Bash usually splits a command line at '=': --flag=value is three words.
  if [ "$current" = "=" ]; then
    flag="$before" current=""
  elif [ "$before" = "=" ] && [ "$COMP_CWORD" -ge 2 ]; then
    flag="${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ "$current" == --*=* ]]; then
    flag="${current%%=*}" prefix="${current%%=*}=" current="${current#*=}"
  else
    case "$before" in
      @VALUE_FLAGS@) flag="$before" ;; # --flag value
    esac
  fi
  if [ -z "$flag" ]; then
    mapfile -t COMPREPLY < <(compgen -W '@FLAGS@' -- "$current")
    [[ "${COMPREPLY[0]-}" != *= ]] || compopt -o nospace 2>/dev/null
    return
  fi
  # The values before the last comma stay as they are.
  if [[ "$current" == *,* ]]; then
    prefix="$prefix${current%,*}," current="${current##*,}"
  fi
  case "$flag" in
@WORDS@
    @FILE_FLAGS@)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
  esac
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  for i in "${!COMPREPLY[@]}"; do
    COMPREPLY[i]="$prefix${COMPREPLY[i]}"
  done
}
complete -F _lockstep_@TOOL@ @TOOL@
'''


def forms(flag):
    """Returns the completions of the flag: --input= or --force, --noforce."""
    name = flag["name"]
    return [f"--{name}", f"--no{name}"] if flag["takes"] == "switch" else [f"--{name}="]


def takes_files(flag):
    """Returns true if a file name may be the flag's value: not a number, and not one of a list of words."""
    return flag["takes"] != "switch" and not flag["words"] and not flag["range"]


def help_words(tool):
    return ["all"] + [group["name"] for group in tool["groups"]]


def bash(tool):
    flags = flags_of(tool)
    words = [(f"--{flag['name']}", flag["words"]) for flag in flags if flag["words"]] + [("--help", help_words(tool))]
    replaced = {
        "TOOL": tool["name"],
        "FLAGS": " ".join([form for flag in flags for form in forms(flag)] + ["--help", "--version"]),
        "VALUE_FLAGS": " | ".join(f"--{flag['name']}" for flag in flags if flag["takes"] != "switch"),
        "FILE_FLAGS": " | ".join(f"--{flag['name']}" for flag in flags if takes_files(flag)),
        "WORDS": "\n".join(f'    {name}) words="{" ".join(values)}" ;;' for name, values in words),
    }
    return re.sub("@([A-Z_]+)@", lambda found: replaced[found[1]], BASH)


def zsh(tool):
    lines = [f"#compdef {tool['name']}", f"# Made by tools/manual.sh from the flags of {tool['name']}.", "_arguments \\"]
    for flag in flags_of(tool):
        about = re.sub(r"([\[\]:\\])", r"\\\1", first_sentence(flag["help"]))
        action = (f"_values -s , value {' '.join(flag['words'])}" if flag["words"] else "_files" if takes_files(flag) else " ")
        for form in forms(flag):
            spec = f"{form}[{about}]" + ("" if flag["takes"] == "switch" else f":value:{action}")
            lines.append(f"  {shlex.quote(spec)} \\")
    lines += [f"  {shlex.quote('--help=-[print the flags of a group]::group:(' + ' '.join(help_words(tool)) + ')')} \\",
              "  '--version[print the version]'"]
    return "\n".join(lines) + "\n"


def fish(tool):
    name = tool["name"]
    lines = [f"# Made by tools/manual.sh from the flags of {name}.", f"complete -c {name} -f"]
    for flag in flags_of(tool):
        about = shlex.quote(first_sentence(flag["help"])).replace("'\"'\"'", "\\'")
        if flag["takes"] == "switch":
            lines += [f"complete -c {name} -l {form[2:]} -d {about}" for form in forms(flag)]
        elif flag["words"]:
            lines.append(f"complete -c {name} -l {flag['name']} -x -a '{' '.join(flag['words'])}' -d {about}")
        else:
            lines.append(f"complete -c {name} -l {flag['name']} {'-r -F' if takes_files(flag) else '-x'} -d {about}")
    lines += [f"complete -c {name} -l help -d 'Print the common flags'", f"complete -c {name} -l version -d 'Print the version'"]
    return "\n".join(lines) + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--date", default="")
    given = parser.parse_args()
    for name in TOOLS:
        tool = describe(given.tools.absolute() / name)
        write(given.output / "man" / "man1" / f"{name}.1", page(tool, TOOLS, given.date))
        write(given.output / "bash-completion" / "completions" / name, bash(tool))
        write(given.output / "zsh" / "site-functions" / f"_{name}", zsh(tool))
        write(given.output / "fish" / "vendor_completions.d" / f"{name}.fish", fish(tool))


if __name__ == "__main__":
    main()
