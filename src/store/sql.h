/* sql.h: the table of every statement that runs on an open database (private to store/).
 *
 * The schema itself is in schema/NNNN-name.sql, pragmas of opening are in db.c and schema.c. */
#ifndef IA_STORE_SQL_H
#define IA_STORE_SQL_H

enum ia_sql {
    IA_SQL_BEGIN,
    IA_SQL_COMMIT,
    IA_SQL_ROLLBACK,
    IA_SQL_CHECK,

    IA_SQL_GOAL_ADD,
    IA_SQL_RUN_ADD,
    IA_SQL_RUN_STATE,
    IA_SQL_RUN_MOVE,
    IA_SQL_RUN_OWN,
    IA_SQL_RUN_DISOWN,
    IA_SQL_RUN_USAGE,
    IA_SQL_RUN_HEARTBEAT,
    IA_SQL_RUN_NOTES,
    IA_SQL_RUN_CANCEL,
    IA_SQL_RUN_CANCEL_GET,
    IA_SQL_RUN_MATCH,
    IA_SQL_RUN_GET,
    IA_SQL_RUN_LIST,

    IA_SQL_MESSAGE_NEXT,
    IA_SQL_MESSAGE_ADD,
    IA_SQL_MESSAGE_LIST,

    IA_SQL_CALL_ADD,
    IA_SQL_CALL_STATE,
    IA_SQL_CALL_RESULT,
    IA_SQL_CALL_LIST,

    IA_SQL_EVENT_NEXT,
    IA_SQL_EVENT_ADD,
    IA_SQL_EVENT_LIST_ALL,
    IA_SQL_EVENT_LIST_RUN,

    IA_SQL_CURSOR_GET,
    IA_SQL_CURSOR_SET,

    IA_SQL_AGENT_PUT,
    IA_SQL_AGENT_REMOVE,
    IA_SQL_AGENT_MEMORY,
    IA_SQL_AGENT_LIST,
    IA_SQL_SESSION_SET,
    IA_SQL_SESSION_GET,

    IA_SQL_LEASE_GET,
    IA_SQL_LEASE_PUT,
    IA_SQL_LEASE_RENEW,
    IA_SQL_LEASE_REMOVE,
    IA_SQL_LEASE_LIST,

    IA_SQL_SECRET_PUT,
    IA_SQL_SECRET_GET,
    IA_SQL_SECRET_REMOVE,

    IA_SQL_COUNT
};

extern const char *const ia_sql_text[IA_SQL_COUNT];

#endif
