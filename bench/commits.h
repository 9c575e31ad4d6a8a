/* commits.h: how many durable commits SQLite alone makes in a second, on one thread: what rates are quoted in,
 * since disks differ. */
#ifndef IA_BENCH_COMMITS_H
#define IA_BENCH_COMMITS_H

/* One row a commit, WAL, synchronous=FULL, in a database of its own in that folder, for that long. 0 where it
 * cannot be measured. */
double commits_per_second(const char *folder, double seconds);

#endif
