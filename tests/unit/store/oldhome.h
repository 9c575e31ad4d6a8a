/* oldhome.h: homes as earlier versions of the schema left them. */
#ifndef IA_TESTS_UNIT_STORE_OLDHOME_H
#define IA_TESTS_UNIT_STORE_OLDHOME_H

#include "home.h"

/* Makes a database of version 1 with rows in every table, and a copy beside it for the comparison. */
void oldhome_make(const struct home *h);
/* The same with what a program of that version wrote (tests/data/homes). */
void oldhome_make_real(const struct home *h, int version);
/* Fails the test unless every column of every row of the copy is in the database, and no row
 * came or went. Returns how many tables of the copy have rows. */
int oldhome_expect_all(const struct home *h);

#endif
