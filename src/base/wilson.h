/* wilson.h: how sure a pass rate is. Pure. */
#ifndef IA_BASE_WILSON_H
#define IA_BASE_WILSON_H

#include "base/base.h"

struct ia_interval {
    double low, high;
};

/* The 95 % score interval of a rate of `hits` in `n` tries, within 0 to 1; 0 to 1 when n is 0.
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
 * J. Am. Stat. Assoc. 22 (1927), with z = 1.959964. */
struct ia_interval ia_wilson(int hits, int n);
/* The same for an effective number of tries, which need not be whole: tries that depend on each other count as
 * fewer. 0 <= hits <= n. */
struct ia_interval ia_wilson_share(double hits, double n);

/* A share in whole percent, for people: only 1 is 100 %, and only 0 is 0 %. */
double ia_percent(double share);

#endif
