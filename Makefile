# The front door. `make help` lists the targets; everything real is in CMakePresets.json.
JOBS   ?= 2
PREFIX ?= /usr/local
PYTHON ?= python3
# of each fuzz target
FUZZ_SECONDS ?= 300

SOURCES = $(shell find include src apps tests bench examples \
            -name '*.hpp' -o -name '*.cpp' 2>/dev/null)

# configure, build, test with one preset: $(call build,PRESET)
build = cmake --preset $(1) >build/$(1).configure.log || { cat build/$(1).configure.log; exit 1; }; \
        cmake --build --preset $(1) -j $(JOBS)
check = ctest --preset $(1) -j $(JOBS)

.PHONY: all setup release demo test test-asan test-all test-clang coverage fuzz mutation bench format tidy report \
        install clean help

.NOTPARALLEL:

all: release

setup:
	@tools/setup.sh build
	@mkdir -p build

# The library and the command; the tests are built by `make test`.
release: setup
	@$(call build,release) --target kinegrad kinegrad_command

demo: release
	build/release/kinegrad info examples/five_bar.yaml
	@mkdir -p build/demo
	build/release/kinegrad simulate examples/five_bar.yaml --csv build/demo/five_bar.csv \
	  --out build/demo/five_bar.json
	build/release/kinegrad gradient examples/five_bar.yaml --out build/demo/five_bar_gradient.json
	build/release/kinegrad optimize examples/five_bar_equilibrium.yaml --out build/demo/five_bar_rest.json
	@echo "signals in build/demo/five_bar.csv, summary in five_bar.json, poses in five_bar.motion,"
	@echo "the gradient in five_bar_gradient.json, the optimum in five_bar_rest.json"
	@rm -f build/demo/five_bar.html
	build/release/kinegrad report build/demo/five_bar_rest.json -o build/demo/five_bar.html \
	  || echo "the rest of the demonstration is complete"

# The sanitizers first, the whole suite last, so that the output ends with its summary.
test: test-asan
	@tools/setup.sh page
	@$(call build,release)
	@$(call check,release)

test-asan: setup
	@$(call build,asan) --target kinegrad_smoke
	@$(call check,asan-smoke)

test-all: setup test-clang coverage
	@tools/setup.sh page
	@$(call build,asan)
	@$(call check,asan)
	@$(call build,no-malloc)
	@$(call check,no-malloc)
	@$(call build,release)
	@$(call check,release)

test-clang: setup
	@tools/setup.sh clang
	@$(call build,clang)
	@$(call check,clang)

# Only where gcovr is installed.
coverage: setup
	@if command -v gcovr >/dev/null; then \
	  $(call build,coverage) && $(call check,coverage) && \
	  gcovr --root . --filter include --filter src --filter apps --print-summary \
	        --html-details build/coverage/report.html build/coverage; \
	else echo "coverage: gcovr is not installed, skipped"; fi

# Coverage-guided, with clang; finding nothing is exit 0.
fuzz: setup
	@tools/setup.sh clang fuzz
	@$(call build,fuzz)
	@tools/fuzz.sh $(FUZZ_SECONDS)

# Many more damaged files than the suite has.
mutation: setup
	@$(call build,release) --target kinegrad_mutation
	@for campaign in check simulate gradient optimize resume report; do \
	  build/release/kinegrad_mutation $$campaign --seed $$(date +%s) --count 2000 \
	    --keep build/mutation || exit 1; done

bench: setup
	@tools/setup.sh bench
	@$(call build,bench)
	@if [ -x build/bench/kinegrad_bench ]; then build/bench/kinegrad_bench; \
	else echo "bench: no benchmark yet"; fi

format:
	@tools/setup.sh format
	@clang-format -i $(SOURCES)

# Needs a configured folder, not a built one.
tidy: setup
	@tools/setup.sh tidy
	@cmake --preset clang -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	       -DKINEGRAD_BUILD_TESTS=OFF >build/tidy.configure.log
	@printf '%s\n' $(filter src/%.cpp apps/%.cpp,$(SOURCES)) | \
	  xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/tidy

report:
	@$(PYTHON) -B tools/size_report.py

install: release
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build

help:
	@echo "make            build the library and the command (build/release/kinegrad)"
	@echo "make demo       set up, build, simulate a mechanism, differentiate, optimise it, report"
	@echo "make test       set up, build, sanitizer run of the readers, then the whole test suite"
	@echo "make test-all   the same with clang, all sanitizers, allocation checks, coverage"
	@echo "make fuzz       fuzz the readers of models and journals, FUZZ_SECONDS ($(FUZZ_SECONDS)) each;"
	@echo "                installs clang and libclang-rt-14-dev where they are missing"
	@echo "make mutation   thousands of damaged models, journals and results through the command"
	@echo "make bench      build and run the benchmarks"
	@echo "make format     clang-format in place"
	@echo "make tidy       clang-tidy over the sources"
	@echo "make report     long files, functions and classes, friends, casts"
	@echo "make install    install into PREFIX ($(PREFIX))"
	@echo "make clean      remove build/"
