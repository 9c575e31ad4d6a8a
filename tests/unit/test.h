/* test.h: cmocka with the headers it wants first. Tests state the behaviour in their name. */
#ifndef IA_TESTS_UNIT_TEST_H
#define IA_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
