/* accepted.c: one row for each tool of a skill. */
#include "store/accepted.h"

#include "store/impl.h"

void ia_tx_accept_tool(struct ia_tx *tx, const char *skill, const char *tool,
                       const char *digest)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_ACCEPTED_ADD);
    ia_q_text(&q, skill);
    ia_q_text(&q, tool);
    ia_q_text(&q, digest);
    ia_q_iso(&q, tx->now_ms);
    ia_q_int(&q, IA_ACCEPTED_TOOLS_MAX);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_forget_tools(struct ia_tx *tx, const char *skill)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_ACCEPTED_FORGET);
    ia_q_text(&q, skill);
    (void)ia_tx_end(tx, &q);
}

enum ia_rc ia_store_accepted_tools(struct ia_store *s, const char *skill, ia_accepted_fn *fn,
                                   void *ctx, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_ACCEPTED_LIST);
    ia_q_text(&q, skill);
    while (ia_q_row(&q)) {
        const char *tool = ia_q_get_text(&q);
        const char *digest = ia_q_get_text(&q);
        fn(ctx, tool, digest);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}
