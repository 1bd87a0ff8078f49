# Thin over scripts/, which work without make as well.
PREFIX ?= /usr/local

.PHONY: all demo test python slow bench format tidy fuzz docs install clean

all:
	scripts/setup
	scripts/build release

demo:
	scripts/demo

test:
	scripts/test

python:
	scripts/setup --test
	scripts/build release --target duel_cli duel_python
	ctest --preset release -R '^python/'

slow:
	scripts/setup --test
	scripts/build release
	ctest --preset slow

bench:
	scripts/bench

format:
	scripts/format

tidy:
	scripts/tidy

fuzz:
	scripts/fuzz

docs:
	scripts/setup
	scripts/build release --target duel_cli
	build/release/bin/duel policies --markdown > docs/policies.md.new
	mv docs/policies.md.new docs/policies.md
	node web/docs_site.mjs build/docs

install: all
	cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
