/* wilson.c: the Wilson score interval. The usual normal interval is of width 0 when all passed or
 * all failed, which is when a sweep of a few runs needs it most. */
#include "base/wilson.h"

#include <math.h>

double ia_percent(double share)
{
    double p = round(share * 100);
    if (p >= 100 && share < 1) {
        return 99;
    }
    return p <= 0 && share > 0 ? 1 : p;
}

struct ia_interval ia_wilson(int hits, int n)
{
    return ia_wilson_share(hits, n);
}

struct ia_interval ia_wilson_share(double hits, double n)
{
    const double z = 1.959963984540054;
    if (n <= 0) {
        return (struct ia_interval){0, 1};
    }
    double rate = hits / n;
    double denominator = 1 + z * z / n;
    double centre = (rate + z * z / (2.0 * n)) / denominator;
    double half = z * sqrt(rate * (1 - rate) / n + z * z / (4.0 * n * n)) / denominator;
    double low = centre - half;
    double high = centre + half;
    return (struct ia_interval){hits <= 0 || low < 0 ? 0 : low,
                                hits >= n || high > 1 ? 1 : high};
}
