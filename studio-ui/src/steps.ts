// What follows from a threshold, by the counts that the server sent once: nothing is asked while the slider moves.
export type Steps = {
  positive: string;
  thresholds: (number | null)[];
  found: number[];
  alarms: number[];
  auc: number;
  auc_interval: [number | null, number | null];
  calibration: unknown;
};

export type Costs = { missed: number; alarm: number };

export type Point = {
  found: number;
  missed: number;
  alarms: number;
  positives: number;
  negatives: number;
  precision: number | null;
  recall: number;
  called: number;
  cost: number;
  low: number;
  high: number;
};

export function atThreshold(steps: Steps, at: number, costs: Costs): Point {
  const positives = steps.found[steps.found.length - 1]!;
  const negatives = steps.alarms[steps.alarms.length - 1]!;
  const found = steps.found[at]!;
  const alarms = steps.alarms[at]!;
  const called = found + alarms;
  return {
    found,
    missed: positives - found,
    alarms,
    positives,
    negatives,
    precision: called > 0 ? found / called : null,
    recall: found / positives,
    called: called / (positives + negatives),
    ...costOf(positives - found, alarms, positives + negatives, costs),
  };
}

// Of 95 %.
const Z2 = 1.959963984540054 ** 2;

// The cost of 1,000 rows, and Wilson's interval of it as `Assessment.interval_of("cost")` has it: all means from which the
// cost lies no further than chance takes it, with the variance that a row's cost has, one more row of the worst spread among them.
export function costOf(missed: number, alarms: number, rows: number, costs: Costs): { cost: number; low: number; high: number } {
  const most = Math.max(costs.missed, costs.alarm);
  const mean = (costs.missed * missed + costs.alarm * alarms) / rows;
  if (!(most > 0)) return { cost: 0, low: 0, high: 0 };
  const whole = mean * (most - mean);
  const spread = (costs.missed ** 2 * missed + costs.alarm ** 2 * alarms) / rows - mean ** 2;
  const ratio = whole > 0 ? (spread * rows + whole) / (rows + 1) / whole : 1;
  const n = rows / ratio;
  const errors = (mean / most) * n;
  const centre = (errors + Z2 / 2) / (n + Z2);
  const half = (Math.sqrt(Z2) / (n + Z2)) * Math.sqrt(Math.max((errors * (n - errors)) / n, 0) + Z2 / 4);
  const low = errors <= 0 ? 0 : Math.max(0, centre - half);
  const high = errors >= n ? 1 : Math.min(1, centre + half);
  return { cost: 1000 * mean, low: 1000 * Math.min(most * low, mean), high: 1000 * Math.max(most * high, mean) };
}

// The step that costs least; of equals the one that calls fewest.
export function cheapest(steps: Steps, costs: Costs): number {
  let best = 0;
  let least = Infinity;
  for (let at = 0; at < steps.found.length; at++) {
    const { cost } = atThreshold(steps, at, costs);
    if (cost < least - 1e-12) [best, least] = [at, cost];
  }
  return best;
}
