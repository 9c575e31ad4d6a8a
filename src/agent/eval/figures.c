/* figures.c: intervals of rates over grouped runs, and of differences of paired rates. */
#include "agent/eval/eval.h"

#include <math.h>
#include <stdlib.h>

double ia_eval_design_effect(const double *value, const size_t *group, size_t n,
                             size_t groups_max)
{
    double *sums = ia_calloc(groups_max + 1, sizeof(*sums));
    bool *there = ia_calloc(groups_max + 1, sizeof(*there));
    double mean = 0, single = 0, grouped = 0;
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        mean += value[i] / (double)n;
        groups += !there[group[i]];
        there[group[i]] = true;
    }
    for (size_t i = 0; i < n; i++) {
        single += (value[i] - mean) * (value[i] - mean);
        sums[group[i]] += value[i] - mean;
    }
    for (size_t i = 0; i < groups_max; i++) {
        grouped += sums[i] * sums[i];
    }
    free(sums);
    free(there);
    if (groups == 0 || groups == n) {
        return 1;
    }
    /* If all values are equal, the similarity within a goal cannot be estimated and is taken as complete. */
    return single > 0 ? fmax(1, grouped / single) : (double)n / (double)groups;
}

struct ia_interval ia_eval_difference(double gained, double lost, double n)
{
    const double z = 1.959963984540054;
    double up = (gained + 1) / (n + 2), down = (lost + 1) / (n + 2);
    double half = z * sqrt((up + down - (up - down) * (up - down)) / (n + 2));
    return (struct ia_interval){fmax(-1, up - down - half), fmin(1, up - down + half)};
}
