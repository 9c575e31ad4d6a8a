/* oldhome.h: a home as version 1 of the schema left it, with rows in every table. */
#ifndef IA_TESTS_UNIT_STORE_OLDHOME_H
#define IA_TESTS_UNIT_STORE_OLDHOME_H

#include "home.h"

/* Makes the database, and a copy beside it for the comparison. */
void oldhome_make(const struct home *h);
/* Fails the test unless every column of every row of the copy is in the database, and no row
 * came or went. */
void oldhome_expect_all(const struct home *h);

#endif
