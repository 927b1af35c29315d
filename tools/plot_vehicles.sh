#!/bin/sh
# Runs the manoeuvres of examples/iltis and examples/buggy and draws the pictures of docs/examples:  tools/plot_vehicles.sh COMMAND
set -e
command=$1
cd "$(dirname "$0")/.."
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
run() { # NAME MODEL [options]: signals into $runs/NAME.csv
  name=$1; model=$2; shift 2
  "$command" simulate "examples/$model.yaml" "$@" --no-motion --quiet --csv "$runs/$name.csv"
}
plot() { # NAME [arguments of plot_signals.py]
  name=$1; shift
  python3 tools/plot_signals.py "docs/images/$name.svg" "$@"
}

# Iltis
run bump iltis/bump --start equilibrium
run anti iltis/bump_anti_phase --start equilibrium
plot iltis_bump --title "Bumps of 0.2 m at 5 m/s: height of the cabin" --unit-y mm --scale 1000 "in phase=$runs/bump.csv:sink" "in anti-phase=$runs/anti.csv:sink"
plot iltis_load --title "Bump in phase at 5 m/s: loads of the tyres" --unit-y kN --scale 0.001 "front=$runs/bump.csv:load_fl" "rear=$runs/bump.csv:load_rl"
run sine iltis/rack_sine --start equilibrium
run sine4 iltis/rack_sine --start equilibrium --set amplitude=0.004
plot iltis_sine --title "Sinusoidal rack at 20 m/s: roll" --unit-y mrad --scale 1000 "2 mm=$runs/sine.csv:roll" "4 mm=$runs/sine4.csv:roll"
run lane iltis/lane_change --start equilibrium
plot iltis_lane --title "Double lane change at 50 km/h: the way of the cabin between the cones" --x way --unit-x m --unit-y m "cabin=$runs/lane.csv:aside" \
  --mark 0,1.115,15,1.115 --mark 0,-1.115,15,-1.115 --mark 45,4.795,70,4.795 --mark 45,2.385,70,2.385 --mark 95,1.475,125,1.475 --mark 95,-1.115,125,-1.115
run white iltis/posts_white --start equilibrium
run best iltis/posts_white --start equilibrium --set k_leaf=31843.0918 --set r_leaf=0.940187576 --set c_front=0.3 --set c_rear=0.3 --set leaf_y=0.2 --set damper_y=0.307943421
plot iltis_posts --title "Four posts, white noise: vertical acceleration of the cabin" --unit-y "m/s²" "benchmark=$runs/white.csv:jolt" "optimum=$runs/best.csv:jolt"

# buggy
run step buggy/step_descent
plot buggy_step --title "Step descent at 3 m/s: height of the chassis" --unit-y mm --scale 1000 "chassis=$runs/step.csv:height"
run curve buggy/lane_change
plot buggy_lane --title "Double lane change: the way of the chassis between the cones" --x way --unit-x m --unit-y m "chassis=$runs/curve.csv:left_by" \
  --mark 0,1.019,15,1.019 --mark 0,-1.019,15,-1.019 --mark 45,4.681,70,4.681 --mark 45,2.481,70,2.481 --mark 95,1.344,125,1.344 --mark 95,-1.019,125,-1.019
