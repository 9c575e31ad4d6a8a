#include "agent/wilson.h"

#include <math.h>

struct ia_interval ia_wilson(int hits, int n)
{
    const double z = 1.959963984540054;
    if (n <= 0) {
        return (struct ia_interval){0, 1};
    }
    double rate = (double)hits / n;
    double denominator = 1 + z * z / n;
    double centre = (rate + z * z / (2.0 * n)) / denominator;
    double half = z * sqrt(rate * (1 - rate) / n + z * z / (4.0 * n * n)) / denominator;
    double low = centre - half;
    double high = centre + half;
    return (struct ia_interval){hits <= 0 || low < 0 ? 0 : low,
                                hits >= n || high > 1 ? 1 : high};
}
