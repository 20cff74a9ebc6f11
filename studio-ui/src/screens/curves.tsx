// ROC, precision and recall, gain, lift, what errors cost: five curves with one marker, which moves.
import { useMemo } from "preact/hooks";
import { atThreshold, type Costs, type Point, type Steps } from "../steps";
import { number } from "../ui";

const SIZE = 210;
const EDGE = 46;

type Place = [number, number];

export function Curves({ steps, at, point, costs }: { steps: Steps; at: number; point: Point; costs: Costs }) {
  const lines = useMemo(() => {
    const positives = point.positives;
    const negatives = point.negatives;
    const roc: Place[] = [];
    const pr: Place[] = [];
    const gain: Place[] = [];
    const lift: Place[] = [];
    steps.found.forEach((found, i) => {
      const alarms = steps.alarms[i]!;
      roc.push([alarms / negatives, found / positives]);
      const called = (found + alarms) / (positives + negatives);
      gain.push([called, found / positives]);
      if (called === 0) return;
      pr.push([found / positives, found / (found + alarms)]);
      lift.push([called, found / positives / called]);
    });
    return { roc, pr, gain, lift };
  }, [steps]);
  const dear = useMemo(() => steps.thresholds.map((each, i): Place => [each ?? 1, atThreshold(steps, i, costs).cost]), [steps, costs]);
  const most = (line: Place[]) => Math.max(...line.map(([, value]) => value)) || 1;
  const share = point.positives / (point.positives + point.negatives);
  return (
    <div class="curves">
      <Chart name={`ROC, area ${number(steps.auc, 4)}`} x="false positive rate" y="true positive rate" line={lines.roc} chance={[[0, 0], [1, 1]]} marker={[steps.alarms[at]! / point.negatives, point.recall]} />
      <Chart name="Precision and recall" x="recall" y="precision" line={lines.pr} chance={[[0, share], [1, share]]} marker={point.precision === null ? null : [point.recall, point.precision]} />
      <Chart name="Gain" x="share of rows called" y="share found" line={lines.gain} chance={[[0, 0], [1, 1]]} marker={[point.called, point.recall]} />
      <Chart name="Lift" x="share of rows called" y="as often as by chance" line={lines.lift} chance={[[0, 1], [1, 1]]} marker={point.called ? [point.called, point.recall / point.called] : null} top={most(lines.lift)} />
      <Chart name="Cost" x="threshold" y="cost of 1,000 rows" line={dear} chance={[]} marker={[steps.thresholds[at] ?? 1, point.cost]} top={most(dear)} />
    </div>
  );
}

function Chart({ name, x, y, line, chance, marker, top = 1 }: { name: string; x: string; y: string; line: Place[]; chance: Place[]; marker: Place | null; top?: number }) {
  const px = (value: number) => EDGE + value * SIZE;
  const py = (value: number) => 10 + (1 - value / top) * SIZE;
  const path = (points: Place[]) => points.map(([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)} ${py(b).toFixed(1)}`).join("");
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <svg viewBox={`0 0 ${SIZE + EDGE + 10} ${SIZE + EDGE + 12}`} role="img" aria-label={`${name}: ${marker ? `at ${x} ${number(marker[0], 3)}, ${y} ${number(marker[1], 3)}` : "nobody is called"}`}>
        <rect x={EDGE} y={10} width={SIZE} height={SIZE} class="panel" />
        <path d={path(chance)} class="chance" />
        <path d={path(line)} class="curve s0" />
        {marker ? <circle cx={px(marker[0])} cy={py(marker[1])} r={6} class="marker" data-marker={name.split(",")[0]} /> : null}
        {[0, 0.5, 1].map((tick) => (
          <g key={tick}>
            <text x={px(tick)} y={SIZE + 24} text-anchor="middle">{tick}</text>
            <text x={EDGE - 5} y={py(tick * top) + 4} text-anchor="end">{number(tick * top, 3)}</text>
          </g>
        ))}
        <text x={px(0.5)} y={SIZE + 40} text-anchor="middle">{x}</text>
        <text transform={`translate(11 ${py(0.5 * top)}) rotate(-90)`} text-anchor="middle">{y}</text>
      </svg>
    </figure>
  );
}
