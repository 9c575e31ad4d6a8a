/* recording_file.h: recordings as files that are committed beside the goals they are of. */
#ifndef IA_AGENT_RECORDING_RECORDING_FILE_H
#define IA_AGENT_RECORDING_RECORDING_FILE_H

#include "agent/recording/recording.h"
#include "store/store.h"

struct ia_recording_row;

/* Where the recording of a goal stands: "goals/a-contact-is-added.rec.toml" beside goals/contacts.toml. To be freed. */
char *ia_recording_path(const char *goal_file, const char *goal_name);
/* Whether a file is named like one. */
bool ia_recording_named(const char *path);

/* Reads a file. IA_E_CONFIG as ia_recording_read, also where it is too large or no UTF-8; IA_E_NOT_FOUND,
 * IA_E_IO. *ret is to be json_decref'ed. */
enum ia_rc ia_recording_open(const char *path, json_t **ret, struct ia_err *err);
/* Whether it is one of that goal, as it is now. IA_E_STATE: it is not; path stands in the message. */
enum ia_rc ia_recording_check_goal(const char *path, const json_t *recording,
                                   const struct ia_run_request *req, struct ia_err *err);
/* Makes it the recording of its goal, as ia_tx_import_recording does; err is filled where the document cannot be a
 * row. */
enum ia_rc ia_recording_import(struct ia_tx *tx, const json_t *recording, bool by_hand,
                               char ret_id[IA_ID_SIZE], struct ia_err *err);
/* The goal file with the goal of that hash, as the newest sweep that ran it named it; *ret is NULL where none did, and
 * else to be freed. */
enum ia_rc ia_recording_goal_file(struct ia_store *store, const char *goal_hash, char **ret,
                                  struct ia_err *err);
/* Where the recording of that row belongs: beside the file of its goal, if a sweep has run that. IA_E_NOT_FOUND where
 * none has. *ret is to be freed. */
enum ia_rc ia_recording_place(struct ia_store *store, const struct ia_recording_row *row,
                              char **ret, struct ia_err *err);

#endif
