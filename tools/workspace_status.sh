#!/bin/sh
# Prints the commit that is built, for Bazel's --workspace_status_command.
# Outside of a git checkout: commit "unknown", not dirty.
commit=$(git rev-parse HEAD 2>/dev/null) || commit=unknown
if [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null)" ]; then dirty=1; else dirty=0; fi
echo "STABLE_GIT_COMMIT $commit"
echo "STABLE_GIT_DIRTY $dirty"
