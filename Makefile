# SPDX-License-Identifier: GPL-3.0-or-later
#
# brunt: what a tracer, a kernel patch or a setting costs on real work
#
#   make                 build/brunt
#   make deps            install the Debian packages of packages.txt (root)
#   make demo            deps, build, and the main job on devices of its own (root)
#   make check           deps, build, unit and system tests (root; less without)
#   make check-unit      only the unit tests         make check-system  only the system tests
#   make asan            build-asan/brunt with address and undefined sanitizers, and its tests
#   make check-vm        stock kernels in virtual machines (qemu): lockdown, udev's habits, power loss
#   make vm              a shell in one; KERNEL=path MODULES=folder ACCEL=kvm for check-vm, too
#   make check-long      kills, many devices: what takes longer than a build server has
#   make bench           the driver, the readers, `command`, `io` and `micro` against their peers; large reports
#   make simulate        how often verdicts are wrong: simulated noise, and work of known cost
#   make fuzz            the parser table under libFuzzer (clang); FUZZ_SECONDS=60, FUZZ_BYTES=320 an input
#   make cppcheck tidy shellcheck       linters
#   make compile_commands.json install uninstall dist clean help
#
# Variables: O=build (objects go there), V=1 (show commands), DEVELOPER=1 (-Werror),
#   CC, CFLAGS, LDFLAGS (appended), prefix=/usr/local, DESTDIR=

O ?= build
prefix ?= /usr/local
bindir = $(prefix)/sbin
mandir = $(prefix)/share/man
completiondir = $(prefix)/share/bash-completion/completions
FUZZ_SECONDS ?= 60
FUZZ_BYTES ?= 320
SHELL = /bin/bash
VERSION := $(shell sed -n 's/^.define BRUNT_VERSION "\(.*\)"/\1/p' runner/version.h)

Q := $(if $(V),,@)
say = $(if $(V),:,@printf '  %-6s %s\n' $(1) $(2))

FOLDERS := base parsers machine results results/reports traces workloads workloads/micro tracers runner
SOURCES := $(wildcard $(addsuffix /*.c,$(FOLDERS)))
LIBRARY_SOURCES := $(filter-out runner/main.c,$(SOURCES))
OBJECTS := $(SOURCES:%.c=$(O)/%.o)
LIBRARY := $(O)/libbrunt.a
TESTS := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test_*.c))
SIMULATIONS := $(patsubst tests/simulate/%.c,$(O)/tests/simulate/%,$(wildcard tests/simulate/*.c))
BENCHES := $(patsubst tests/bench/%.c,$(O)/tests/bench/%,$(wildcard tests/bench/*.c))

# One call a library, so that a missing one is named with its package.
PACKAGE_jansson := libjansson-dev
PACKAGE_yaml-0.1 := libyaml-dev
PACKAGE_gsl := libgsl-dev
PACKAGE_nettle := nettle-dev
PACKAGE_yajl := libyajl-dev
PACKAGE_ext2fs := libext2fs-dev
PACKAGE_com_err := comerr-dev
PACKAGE_blkid := libblkid-dev
PACKAGE_libtraceevent := libtraceevent-dev
PACKAGE_liburing := liburing-dev
PACKAGE_libtirpc := libtirpc-dev
PACKAGE_cmocka := libcmocka-dev
NEEDED := jansson yajl yaml-0.1 gsl nettle ext2fs com_err blkid libtraceevent liburing libtirpc
NO_BUILD := deps demo check check-vm asan fuzz cppcheck shellcheck uninstall dist clean help
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
missing := $(foreach l,$(NEEDED),$(if $(shell pkg-config --exists $l 2>/dev/null && echo y),,$(PACKAGE_$l)))
# libaio tells pkg-config nothing
missing += $(if $(shell $(CC) $(CFLAGS) -E -include libaio.h -x c /dev/null >/dev/null 2>&1 && echo y),,libaio-dev)
ifneq ($(strip $(missing)),)
$(error missing: $(strip $(missing)); make deps installs what brunt needs)
endif
endif
LIB_CFLAGS := $(shell pkg-config --cflags $(NEEDED) 2>/dev/null)
LIB_LIBS := $(shell pkg-config --libs $(NEEDED) 2>/dev/null) -laio

WARNINGS := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wformat=2 \
	    -Wwrite-strings -fno-common $(if $(DEVELOPER),-Werror)
ALL_CFLAGS = -std=gnu11 -O2 -g -D_GNU_SOURCE -I. $(WARNINGS) $(LIB_CFLAGS) $(CFLAGS)
ALL_LIBS = $(LIB_LIBS) -lpthread -lm

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all deps demo check check-unit check-system check-long check-vm vm asan bench simulate fuzz cppcheck tidy \
	shellcheck install uninstall dist clean help FORCE unit-tests

all: $(O)/brunt

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

# Changed flags build everything anew.
$(O)/flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(ALL_CFLAGS) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(LDFLAGS)' >$@

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(FLAGS_$*) -MMD -MP -c -o $@ $<

# The small program of the process metrics, dynamic and static, as part of brunt. It is built without
# sanitizers, and without a static libc the static one is empty.
HELLO := $(O)/workloads/micro/hello
HELLO_FLAGS = -std=gnu11 -O2 $(WARNINGS)

$(HELLO).dynamic: workloads/micro/hello/hello.c $(O)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -s -o $@ $<

$(HELLO).static: workloads/micro/hello/hello.c $(O)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -s -static -o $@ $< 2>/dev/null || : >$@

$(O)/workloads/micro/hello_image.o: $(HELLO).dynamic $(HELLO).static
FLAGS_workloads/micro/hello_image = -DHELLO_DYNAMIC='"$(HELLO).dynamic"' -DHELLO_STATIC='"$(HELLO).static"'

$(LIBRARY): $(LIBRARY_SOURCES:%.c=$(O)/%.o)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(O)/brunt: $(O)/runner/main.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(O)/tests/unit/%: tests/unit/%.c $(LIBRARY) $(O)/flags
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(LIBRARY) $(ALL_LIBS) -lcmocka

$(O)/tests/bench/%: tests/bench/%.c $(LIBRARY) $(O)/flags
	$(call say,BENCH,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(LIBRARY) $(ALL_LIBS)

$(O)/tests/simulate/%: tests/simulate/%.c $(LIBRARY) $(O)/flags
	$(call say,SIMUL,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(LIBRARY) $(ALL_LIBS)

unit-tests: $(TESTS)

# apt-get takes the list once; what is there already costs nothing.
deps:
	$(Q)tests/install-packages

demo:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/demo $(O)/brunt

check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory all unit-tests
	$(Q)O=$(O) tests/run unit system

check-unit: $(TESTS)
	$(Q)O=$(O) tests/run unit

check-system: $(O)/brunt
	$(Q)O=$(O) tests/run system

check-long: $(O)/brunt $(TESTS)
	$(Q)O=$(O) tests/run long

# A kernel of one's own: check-vm KERNEL=.../arch/x86/boot/bzImage MODULES=.../lib/modules/RELEASE
# Without qemu it says so and counts its tests as skipped.
check-vm:
	$(Q)$(MAKE) --no-print-directory deps || true
	$(Q)$(MAKE) --no-print-directory all $(O)/vm/opener
	$(Q)O=$(O) KERNEL='$(KERNEL)' MODULES='$(MODULES)' ACCEL='$(ACCEL)' tests/run vm

vm: $(O)/brunt $(O)/vm/opener
	$(Q)O=$(O) KERNEL='$(KERNEL)' MODULES='$(MODULES)' ACCEL='$(ACCEL)' tests/vm/shell

$(O)/vm/opener: tests/vm/opener.c $(O)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

asan:
	$(Q)$(MAKE) --no-print-directory O=build-asan \
		CFLAGS='$(CFLAGS) -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' \
		all unit-tests
	$(Q)O=build-asan tests/run unit fast

bench: $(O)/brunt $(BENCHES)
	$(Q)O=$(O) tests/bench/run

simulate: $(O)/brunt $(SIMULATIONS)
	$(Q)O=$(O) tests/simulate/run

# Two thirds of the time went into the weights of -entropic, half of the rest into traced comparisons,
# for which a dictionary stands in. Whole fixtures are replayed by the unit test of the corpus.
fuzz:
	@mkdir -p $(O)/fuzz
	$(Q)clang -std=gnu11 -O2 -g -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp -o $(O)/fuzz/parsers tests/fuzz/fuzz_parsers.c \
		$(wildcard parsers/*.c) base/err.c base/units.c base/buf.c base/xalloc.c base/clock.c -lm
	@mkdir -p $(O)/fuzz/corpus
	$(Q)ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=8 $(O)/fuzz/parsers -entropic=0 \
		-reduce_inputs=0 -dict=tests/fuzz/words.dict -max_len=$(FUZZ_BYTES) \
		-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix=$(O)/fuzz/ \
		$(O)/fuzz/corpus $(wildcard tests/fixtures/*)

cppcheck:
	$(Q)cppcheck --std=c11 --quiet --error-exitcode=1 --inline-suppr \
		--library=tests/cppcheck.cfg --enable=warning,portability,performance \
		--suppress=missingIncludeSystem --suppress=legacyUninitvar \
		-D_GNU_SOURCE -I. $(FOLDERS)

tidy: compile_commands.json
	$(Q)clang-tidy -p . --quiet --warnings-as-errors='*' $(SOURCES)

shellcheck:
	$(Q)shellcheck -x -e SC2154 .ci/run tests/run tests/demo tests/install-packages tests/check_includes \
		tests/check_public $(wildcard tests/bench/run tests/bench/io tests/bench/micro tests/bench/micro-lmbench \
		tests/bench/reports tests/bench/*.sh) \
		tests/vm/run tests/vm/shell tests/vm/kernels tests/vm/image tests/vm/check-faults \
		tests/vm/guest/run-cases tests/vm/guest/case tests/simulate/run
	$(Q)shellcheck -s bash docs/brunt.bash $(wildcard tests/system/*.bash tests/vm/*.bash tests/vm/guest/*.bash)
	$(Q)shellcheck -s bash -e SC2154 $(wildcard tests/vm/cases/*.sh tests/vm/faults/*.sh)

compile_commands.json:
	$(Q)(echo '['; sep=; for f in $(SOURCES); do \
		printf '%s{"directory":"%s","file":"%s","command":"%s -c %s"}\n' \
			"$$sep" "$(CURDIR)" "$$f" "$(CC) $(ALL_CFLAGS)" "$$f"; sep=,; done; echo ']') >$@

install: $(O)/brunt
	install -D -m 0755 $(O)/brunt $(DESTDIR)$(bindir)/brunt
	install -D -m 0644 docs/brunt.8 $(DESTDIR)$(mandir)/man8/brunt.8
	install -D -m 0644 docs/brunt.bash $(DESTDIR)$(completiondir)/brunt

uninstall:
	rm -f $(DESTDIR)$(bindir)/brunt $(DESTDIR)$(mandir)/man8/brunt.8 \
		$(DESTDIR)$(completiondir)/brunt

dist:
	git archive --prefix=brunt-$(VERSION)/ -o brunt-$(VERSION).tar.gz HEAD

clean:
	rm -rf $(O) build-asan compile_commands.json

-include $(OBJECTS:.o=.d) $(TESTS:=.d) $(BENCHES:=.d) $(SIMULATIONS:=.d)
