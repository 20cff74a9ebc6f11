// Small parts that every screen is made of.
import { h, type ComponentChildren, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Json, Own, Running } from "./api";
import { address, go, type Screen } from "./state";

export function Link({ to, patch = {}, fresh = false, children, current }: {
  to: Screen;
  patch?: Record<string, any>;
  fresh?: boolean;
  children: ComponentChildren;
  current?: boolean;
}) {
  const href = address(to, patch, fresh ? new URLSearchParams() : undefined);
  return (
    <a
      href={href}
      aria-current={current ? "page" : undefined}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        go(to, patch, { fresh });
      }}
    >
      {children}
    </a>
  );
}

export function Title({ children }: { children: ComponentChildren }) {
  return <h1 tabIndex={-1}>{children}</h1>;
}

export function Waiting({ children }: { children: ComponentChildren }) {
  return (
    <p class="waiting" role="status">
      {children}
    </p>
  );
}

// The same of work that may take long, and can be given up.
export function Working({ children, stop }: { children: ComponentChildren; stop: () => void }) {
  return (
    <div class="tools">
      <Waiting>{children}</Waiting>
      <button type="button" onClick={stop}>
        Stop
      </button>
    </div>
  );
}

export function Trouble({ said }: { said: string }) {
  return said ? (
    <p class="trouble" role="alert">
      {said}
    </p>
  ) : null;
}

// An answer of the server, asked for anew whenever what is asked changes; jobs that were begun for one that nobody waits
// for any more are stopped, since there is one queue for all of them.
export function useAnswer<T = Json>(asked: Json | null, fetchIt: (asked: Json, own: Own) => Promise<T>): { value: T | null; said: string; busy: boolean; stop: () => void } {
  const text = asked === null ? "" : JSON.stringify(asked);
  const [state, put] = useState<{ of: string; value: T | null; said: string }>({ of: "", value: null, said: "" });
  const stopping = useRef(() => {});
  useEffect(() => {
    if (!text) return;
    let current = true;
    const begun: Running[] = [];
    const stop = () => begun.forEach((each) => void each.stop());
    stopping.current = stop;
    fetchIt(JSON.parse(text), (each) => (begun.push(each), each.done)).then(
      (value) => current && put({ of: text, value, said: "" }),
      (error) => current && put({ of: text, value: null, said: error.message }),
    );
    return () => {
      current = false;
      stop();
    };
  }, [text]);
  return { value: text ? state.value : null, said: state.of === text ? state.said : "", busy: text !== "" && state.of !== text, stop: () => stopping.current() };
}

// -- figures --------------------------------------------------------------------------------------

export function number(value: unknown, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
}

export const percent = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

export function said(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

// -- drawings: built of the server's plain values, element by element -------------------------------

const ELEMENTS = new Set(["svg", "g", "title", "desc", "text", "tspan", "rect", "line", "path", "circle", "ellipse", "polygon", "polyline", "image", "defs", "clipPath"]);
const ATTRIBUTE = /^(?!on)[A-Za-z][A-Za-z0-9-]*$/;

// Parts that carry `hook`, an attribute with a number, can be clicked; `named` says what such a part is, where it does not
// say so itself, and `marks` how many of the selected rows come to each.
type Hooked = { hook: string; node: (node: number) => void; chosen?: number | null; named?: (node: number) => string; marks?: number[] | null };

export function Drawing({ tree, node, chosen, hook = "data-node", named, marks }: { tree: Json } & Partial<Hooked>) {
  return <div class="drawing">{drawn(tree, node ? { hook, node, chosen, named, marks } : null)}</div>;
}

function drawn(tree: Json, of: Hooked | null): VNode | string | null {
  if (typeof tree === "string") return tree;
  if (!Array.isArray(tree) || !ELEMENTS.has(tree[0])) return null;
  const given: Record<string, any> = {};
  for (const [name, value] of Object.entries(tree[1] as Record<string, string>)) {
    const picture = name === "href" && value.startsWith("data:image/png;base64,");
    if (picture || (ATTRIBUTE.test(name) && name !== "style" && name !== "href")) given[name] = value;
  }
  const children = (tree[2] as Json[]).map((child) => drawn(child, of));
  if (of && given[of.hook] !== undefined) {
    const at = Number(given[of.hook]);
    const on = of.chosen === at;
    const count = of.marks?.[at] ?? 0;
    Object.assign(given, {
      role: "button",
      tabindex: 0, // as SVG has it: its attributes are not made small
      "aria-pressed": on ? "true" : "false",
      onClick: () => of.node(at),
      onKeyDown: (event: KeyboardEvent) => walk(event, of.hook, () => of.node(at)),
    });
    if (of.named) given["aria-label"] = of.named(at);
    given.class = `${given.class ?? ""} ${of.hook.slice(5)} ${on ? "chosen" : ""} ${count ? "marked" : ""}`;
    if (count) children.push(mark(tree[2], count));
  }
  if (tree[0] === "svg" && of) given.role = "group";
  return h(tree[0], given, ...children);
}

// How many of the selected rows come to a node, on its upper edge.
function mark(parts: Json[], count: number): VNode | null {
  const frame = parts.find((part) => Array.isArray(part) && part[0] === "rect");
  if (!frame) return null;
  const [x, y] = [Number(frame[1].x), Number(frame[1].y)];
  const text = `${count.toLocaleString("en")} selected`;
  const wide = 7.2 * text.length + 12;
  return (
    <g class="mark">
      <rect x={x + 4} y={y - 12} width={wide} height={20} rx={10} />
      <text x={x + 4 + wide / 2} y={y + 2.5} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

// Arrows walk through the nodes in their order, Enter and space choose.
function walk(event: KeyboardEvent, hook: string, choose: () => void): void {
  const at = event.currentTarget as Element;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose();
    return;
  }
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const nodes = [...at.closest("svg")!.querySelectorAll<SVGElement>(`[${hook}]`)];
  const next = nodes[nodes.indexOf(at as SVGElement) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
}
