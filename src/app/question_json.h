/* question_json.h: questions to people (store/questions.h) as every surface has them. */
#ifndef IA_APP_QUESTION_JSON_H
#define IA_APP_QUESTION_JSON_H

#include "base/jsonw.h"
#include "store/questions.h"

/* {"id","run","goal","device","rule","text","state","asked","expires"|null,"by"|null,"note"|null} */
void ia_question_json(struct ia_jsonw *w, const struct ia_question_row *q);
/* By its own id or by that of the run that asks, each a unique part of it. Free *ret with free(). IA_E_NOT_FOUND,
 * IA_E_USAGE. */
enum ia_rc ia_question_find(struct ia_store *store, const char *id,
                            struct ia_question_row **ret, struct ia_err *err);

#endif
