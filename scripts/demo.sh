#!/usr/bin/env bash
# demo.sh BIN: the main job on an example, for people who have just cloned the project.
# Without an AMD GPU it runs on the virtual MI300X, and every output says so.
set -euo pipefail
bin=$1
mkdir -p .demo
prefix=$("$bin/rocm-perf" vrocm path)
echo "+ hipcc examples/pipeline.hip -o .demo/pipeline"
"$prefix/bin/hipcc" examples/pipeline.hip -o .demo/pipeline
echo "+ rocm-perf profile -- .demo/pipeline 200000"
echo
"$bin/rocm-perf" profile --rocm "$prefix" -- .demo/pipeline 200000
echo
echo "+ rocm-perf report -o .demo/report.html -- .demo/pipeline 200000"
"$bin/rocm-perf" report --rocm "$prefix" -o .demo/report.html -- .demo/pipeline 200000 2>.demo/report.log \
  || { cat .demo/report.log >&2; exit 1; }
echo
echo "Open this in a browser: $PWD/.demo/report.html"
echo "It answers what limits the program, why, and what to try; then shows every kernel."
