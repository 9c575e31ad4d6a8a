/* agents.c: configured agents, what they remember, and the conversation each continues.
 *
 * A session names the last run of an agent's conversation; the run before that is named in
 * the run's own event run.looked, so a conversation is a chain of runs (agent/run/resume.c). */
#include "store/columns.h"
#include "store/impl.h"

#include <string.h>

void ia_tx_put_agent(struct ia_tx *tx, const struct ia_agent_row *agent)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_AGENT_PUT);
    ia_q_text(&q, agent->name);
    ia_q_text(&q, agent->model);
    ia_q_text(&q, agent->prompt);
    ia_q_text(&q, agent->tools);
    ia_q_iso(&q, tx->now_ms);
    ia_q_text(&q, agent->role);
    ia_q_text(&q, agent->skills);
    ia_q_text(&q, agent->may_call);
    ia_q_text(&q, agent->memory_kind);
    ia_q_text(&q, agent->budget);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_remove_agent(struct ia_tx *tx, const char *name)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_AGENT_REMOVE);
    ia_q_text(&q, name);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "agent", name);
}

void ia_tx_set_memory(struct ia_tx *tx, const char *agent, struct ia_str text)
{
    if (text.n > IA_MEMORY_BYTES_MAX) {
        ia_tx_fail(tx, IA_E_LIMIT, "the memory of %s is larger than %d bytes", agent,
                   IA_MEMORY_BYTES_MAX);
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_AGENT_MEMORY);
    ia_q_text(&q, agent);
    ia_q_str(&q, text.n > 0 ? text : ia_str(""));
    ia_q_iso(&q, tx->now_ms);
    bool found = ia_q_row(&q);
    (void)ia_tx_end_found(tx, &q, found, "agent", agent);
}

static const struct ia_column agent_columns[] =
    IA_READERS(IA_AGENT_COLUMNS, struct ia_agent_row);

enum ia_rc ia_store_agents(struct ia_store *s, const char *name, ia_agent_fn *fn, void *ctx,
                           struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_AGENT_LIST);
    ia_q_text(&q, name);
    bool found = false;
    bool more = true;
    while (more && ia_q_row(&q)) {
        struct ia_agent_row row;
        ia_columns_read(agent_columns, IA_COUNTOF(agent_columns), &q, &row);
        found = true;
        more = fn(ctx, &row);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK && name && !found) {
        return ia_err_set(err, IA_E_NOT_FOUND, "there is no agent \"%.80s\"", name);
    }
    return rc;
}

void ia_tx_trust_skill(struct ia_tx *tx, const char *hash, const char *name,
                       const char *granted)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SKILL_TRUST);
    ia_q_text(&q, hash);
    ia_q_text(&q, name);
    ia_q_text(&q, granted);
    ia_q_iso(&q, tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_distrust_skill(struct ia_tx *tx, const char *hash, const char *name)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SKILL_DISTRUST);
    ia_q_text(&q, hash);
    ia_q_text(&q, name);
    (void)ia_tx_end(tx, &q);
}

enum ia_rc ia_store_skill_trusted(struct ia_store *s, const char *hash, bool *ret,
                                  char **ret_granted, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_SKILL_TRUSTED);
    ia_q_text(&q, hash);
    *ret = ia_q_row(&q);
    if (*ret && ret_granted) {
        *ret_granted = ia_strdup(ia_q_get_text(&q));
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    return rc;
}

void ia_tx_set_session(struct ia_tx *tx, const char *agent, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SESSION_SET);
    ia_q_text(&q, agent);
    ia_q_text(&q, run_id);
    ia_q_iso(&q, tx->now_ms);
    (void)ia_tx_end(tx, &q);
}

void ia_tx_forget_session(struct ia_tx *tx, const char *agent)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_SESSION_FORGET);
    ia_q_text(&q, agent);
    (void)ia_tx_end(tx, &q);
}

enum ia_rc ia_store_session(struct ia_store *s, const char *agent, char ret_run_id[IA_ID_SIZE],
                            struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    char id[IA_ID_SIZE] = {0};
    struct ia_q q = ia_q(db, IA_SQL_SESSION_GET);
    ia_q_text(&q, agent);
    if (ia_q_row(&q)) {
        struct ia_str found = ia_q_get_str(&q);
        memcpy(id, found.p, found.n < IA_ID_SIZE ? found.n : IA_ID_SIZE - 1);
    }
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK) {
        memcpy(ret_run_id, id, sizeof(id));
    }
    return rc;
}
