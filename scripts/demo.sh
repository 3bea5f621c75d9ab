#!/usr/bin/env bash
# demo.sh BIN: the main job on an example, for people who have just cloned the project.
set -euo pipefail
bin=$1
rm -rf .demo
echo "Writing three made-up runs of a small training step to .demo/"
"$bin/python" scripts/demo_recording.py .demo
echo "+ rocm-perf profile --from .demo"
echo
"$bin/rocm-perf" profile --from .demo
