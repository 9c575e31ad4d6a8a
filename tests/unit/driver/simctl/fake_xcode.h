/* fake_xcode.h: the stand-in for Xcode's tools (tests/fake) around a test: a folder for its
 * state and the head of PATH. */
#ifndef IA_TESTS_DRIVER_FAKE_XCODE_H
#define IA_TESTS_DRIVER_FAKE_XCODE_H

#include "test.h"
#include "tmpdir.h"

#include "driver/device.h"

/* Whether Python is there to run it; a test program that needs it exits with 77 otherwise. */
bool fake_xcode_works(void);

/* A fresh world with this setup.json (tests/fake/README.md); NULL: none. Freed with
 * fake_xcode_free, which fails the test when a call was made that no rule knows. */
char *fake_xcode_new(const char *setup);
void fake_xcode_free(char *folder);
/* Replaces setup.json. */
void fake_xcode_setup(const char *folder, const char *setup);

/* The argv of each call so far, words separated by "|", lines by "\n": "simctl|list|-j\n". */
void fake_xcode_calls(const char *folder, struct ia_buf *out);
/* What the last call had in its environment of SIMCTL_CHILD_ and the like, "A=b\n" sorted. */
void fake_xcode_env(const char *folder, struct ia_buf *out);
/* Forgets the log. */
void fake_xcode_forget(const char *folder);
/* The text of a file in the folder; "" when it is not there. */
void fake_xcode_file(const char *folder, const char *name, struct ia_buf *out);

#endif
