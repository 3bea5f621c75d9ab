#!/usr/bin/env bash
# demo.sh BIN: the main job on an example, for people who have just cloned the project.
set -euo pipefail
bin=$1
mkdir -p .demo
echo "Writing a recording of a small training step to .demo/recording_results.db"
"$bin/python" scripts/demo_recording.py .demo/recording_results.db
echo "+ rocm-perf profile --from .demo/recording_results.db"
echo
"$bin/rocm-perf" profile --from .demo/recording_results.db
