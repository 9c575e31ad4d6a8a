/* commits.c: see commits.h. As a program: bench_commits [SECONDS [FOLDER]] prints the number. */
#include "commits.h"

#include "base/clock.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const setup =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, json TEXT NOT NULL)";
static const char *const commit = "BEGIN IMMEDIATE; INSERT INTO events (json) VALUES "
                                  "('{\"step\":12,\"tool\":\"tap\"}'); COMMIT";

static double run(sqlite3 *conn, double seconds)
{
    const struct ia_clock *clock = ia_clock_system();
    int n = 0;
    int64_t from = ia_mono_us(clock), now = from;
    while ((double)(now - from) < seconds * 1e6) {
        if (sqlite3_exec(conn, commit, NULL, NULL, NULL) != SQLITE_OK) {
            return 0;
        }
        n++;
        now = ia_mono_us(clock);
    }
    return n * 1e6 / (double)(now - from);
}

double commits_per_second(const char *folder, double seconds)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[1024], file[1040];
    sqlite3 *conn = NULL;
    (void)snprintf(path, sizeof(path), "%s/commits-%d.db", folder, (int)getpid());
    bool ok = sqlite3_open(path, &conn) == SQLITE_OK &&
              sqlite3_exec(conn, setup, NULL, NULL, NULL) == SQLITE_OK;
    double rate = ok ? run(conn, seconds) : 0;
    (void)sqlite3_close(conn);
    for (size_t i = 0; i < IA_COUNTOF(suffixes); i++) {
        (void)snprintf(file, sizeof(file), "%s%s", path, suffixes[i]);
        (void)unlink(file);
    }
    return rate;
}

#ifdef BENCH_COMMITS_MAIN
int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    double rate = commits_per_second(argc > 2 ? argv[2] : ".", seconds);
    (void)printf("%.0f\n", rate);
    return rate > 0 ? 0 : 1;
}
#endif
