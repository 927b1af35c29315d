#!/bin/sh
# Runs the bicycles, the walker and the anchor chain and draws the pictures of docs/examples/images:  tools/plot_machines.sh COMMAND [RIDE.json]
# RIDE.json: the result of `kinegrad optimize examples/bicycle_tyres.yaml`; without it the ride is not drawn again.
set -e
command=$1 ride=$2
cd "$(dirname "$0")/.."
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
run() { # NAME MODEL [options]: signals into $runs/NAME.csv
  name=$1; model=$2; shift 2
  "$command" simulate "examples/$model.yaml" "$@" --no-motion --quiet --csv "$runs/$name.csv"
}
plot() { # NAME RUN… --panel …
  name=$1; shift
  python3 tools/plot_panels.py -o "docs/examples/images/$name.svg" "$@"
}

run rolling bicycle_rolling
plot bicycle_rolling "$runs/rolling.csv" --panel "lean, steering | rad" --panel "x > y | m" --panel "speed | m/s"
run fall bicycle_tyres --set handle=5 --end 3
plot bicycle_fall "$runs/fall.csv" --panel "lean | rad"
if [ -n "$ride" ]; then
  # the values of both torques at the optimum
  set -- $(python3 -c 'import json, sys
for name, value in json.load(open(sys.argv[1]))["optimum"]["parameters"].items(): print("--set", f"{name}={value!r}")' "$ride")
  run ride bicycle_tyres "$@"
  plot bicycle_tyres "$runs/ride.csv" --panel "lean, lean_wanted | rad" --panel "speed, speed_wanted | m/s" --panel "drive_torque | N m" \
    --panel "handlebar_torque | N m" --panel "x > y | m"
fi
run walk walker/walker
plot walker "$runs/walk.csv" --panel "leg_a, leg_b | rad" --panel "knee_angle_a, knee_angle_b | rad" --panel "foot_height_a, foot_height_b | m"
run slip walker/walker --set mu=0.2
plot walker_fall "$runs/walk.csv" "$runs/slip.csv" --panel "1:height, 2:height | m"
run anchor anchor_chain/anchor_chain --step 1e-3 --end 12
plot anchor_chain "$runs/anchor.csv" --panel "x, middle_x | m" --panel "z | m"
