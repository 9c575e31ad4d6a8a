/* fixture.h: a screen of the settings tree for each test. */
#ifndef IA_TESTS_SERVER_WDA_FIXTURE_H
#define IA_TESTS_SERVER_WDA_FIXTURE_H

#include "trees.h"

/* Numbers of elements of settings_tree(). */
enum { NAVIGATION = 2, BACK, TITLE, LIST, GENERAL, GENERAL_TEXT, WIFI, WIFI_TEXT, WIFI_SWITCH };
enum { BELOW = 11, BELOW_TEXT, FIELD, SAVE, HIDDEN, ALERT, CANCEL, TURN_OFF, COUNT };

struct fixture {
    struct ia_tree *tree;
    struct ia_wda_screen *screen;
};

/* *state is a struct fixture * between the two. */
int open_screen(void **state);
int close_screen(void **state);
#define ON_SCREEN(test) cmocka_unit_test_setup_teardown(test, open_screen, close_screen)

#endif
