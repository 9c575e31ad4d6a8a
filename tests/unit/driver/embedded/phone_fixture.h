/* phone_fixture.h: a phone to test with, spoken to only through the device vtable. */
#ifndef IA_TESTS_EMBEDDED_PHONE_FIXTURE_H
#define IA_TESTS_EMBEDDED_PHONE_FIXTURE_H

#include "test.h"

#include "base/buf.h"
#include "driver/embedded/embedded.h"

#define SETTINGS "com.apple.Preferences"
#define CONTACTS "com.apple.MobileAddressBook"
#define REMINDERS "com.apple.reminders"
#define SHOP "com.example.shop"

extern const struct ia_deadline no_limit;

/* An in-memory phone in factory state. */
struct ia_device *phone_new(void);
/* The phone NAME in a folder; the test fails when it does not open. */
struct ia_device *phone_open(const char *folder, const char *name);
/* A fresh temporary folder; folder_remove deletes it with its files. */
char *folder_new(void);
void folder_remove(char *folder);
char *file_path(const char *folder, const char *file); /* static, good until the next call */

struct ia_tree *tree_of(struct ia_device *d);
/* The last (topmost) node with that identifier or label and type (IA_EL_ANY: any), or NULL. */
struct ia_node *find(const struct ia_tree *t, enum ia_eltype type, const char *name);

/* These fail the test when the phone refuses. */
void launch(struct ia_device *d, const char *bundle_id);
void tap_at(struct ia_device *d, double x, double y);
/* Taps the middle of the element with that identifier or label, controls before texts. */
void tap(struct ia_device *d, const char *name);
void drag(struct ia_device *d, double x, double y, double to_x, double to_y);
void type(struct ia_device *d, const char *text);

bool shows(struct ia_device *d, const char *name); /* in the tree at all */
bool shows_type(struct ia_device *d, enum ia_eltype type, const char *name);
/* The value of an element, copied; NULL when it has none. The test fails when it is missing. */
char *value_of(struct ia_device *d, const char *name);
void assert_value(struct ia_device *d, const char *name, const char *value);

/* The whole tree as text: every field of every node. Free it. */
char *tree_text(struct ia_device *d);
/* The oracle as text. Free it. */
char *state_of(struct ia_device *d);
/* True when the oracle contains the text. */
bool state_has(struct ia_device *d, const char *text);

#endif
