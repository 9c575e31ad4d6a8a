/* recording_file.h: recordings as files beside their goal files. Any thread. */
#ifndef IA_AGENT_RECORDING_RECORDING_FILE_H
#define IA_AGENT_RECORDING_RECORDING_FILE_H

#include "agent/recording/recording.h"
#include "store/store.h"

struct ia_recording_row;

/* The path of a goal's recording: "goals/a-contact-is-added.rec.toml" for a goal in goals/contacts.toml. Free it. */
char *ia_recording_path(const char *goal_file, const char *goal_name);
/* True if the path ends as one of a recording does. */
bool ia_recording_named(const char *path);

/* Reads a file. Release *ret with json_decref. IA_E_CONFIG as for ia_recording_read, also if the file is too large
 * or not UTF-8; IA_E_NOT_FOUND; IA_E_IO. */
enum ia_rc ia_recording_open(const char *path, json_t **ret, struct ia_err *err);
/* Checks that the recording is of that goal as it is now. IA_E_STATE: it is not; the message names path. */
enum ia_rc ia_recording_check_goal(const char *path, const json_t *recording,
                                   const struct ia_run_request *req, struct ia_err *err);
/* Imports the recording as ia_tx_import_recording does. IA_E_LIMIT: the document is too large for a row. */
enum ia_rc ia_recording_import(struct ia_tx *tx, const json_t *recording, bool by_hand,
                               char ret_id[IA_ID_SIZE], struct ia_err *err);
/* The path of the goal file with that goal, as in the newest sweep that ran it; NULL if none did. Free it. */
enum ia_rc ia_recording_goal_file(struct ia_store *store, const char *goal_hash, char **ret,
                                  struct ia_err *err);
/* The path of a recording's file, beside the file of its goal. Free *ret. IA_E_NOT_FOUND: no sweep has run the
 * goal from a file. */
enum ia_rc ia_recording_place(struct ia_store *store, const struct ia_recording_row *row,
                              char **ret, struct ia_err *err);

#endif
