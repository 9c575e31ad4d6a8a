/* schema.h: numbered, forward-only migrations (private to store/).
 *
 * The version of a file is PRAGMA user_version; application_id says that it is ours. Migration
 * n (schema/000n-name.sql, the nth entry of the table) leads from version n-1 to n in one
 * transaction. A released migration is never edited. */
#ifndef IA_STORE_SCHEMA_H
#define IA_STORE_SCHEMA_H

#include "base/embed.h"
#include "store/db.h"

extern const struct ia_embedded ia_store_migrations[]; /* ends with a NULL name */

int ia_schema_count(const struct ia_embedded *migrations);

/* Brings an opened file to the last version of the table: checks that it is empty or ours
 * (IA_E_DB_CORRUPT) and not of a newer program (IA_E_DB_NEWER) before anything is written,
 * turns on WAL, and applies what is missing. Several processes may do this at once. */
enum ia_rc ia_schema_migrate(struct ia_db *db, const struct ia_embedded *migrations,
                             struct ia_err *err);

#endif
