// A job whose result a part of the page shows, asked for anew whenever what is asked changes; it can be stopped.
import { useRef, useState } from "preact/hooks";
import { job, type Json, type Running } from "../api";
import { show } from "../state";
import { Working, useAnswer } from "../ui";

export type AtJob = { value: Json | null; said: string; busy: boolean; doing: string; stop: () => void };

export function useJob(name: string, asked: Json | null): AtJob {
  const [doing, setDoing] = useState("");
  const running = useRef<Running | null>(null);
  const found = useAnswer(asked, async (each, own) => {
    setDoing("");
    const begun = (running.current = job(name, each, (event) => event.doing && setDoing(event.doing)));
    try {
      const made = await own(begun);
      if (running.current === begun) show(made.command);
      return made;
    } finally {
      if (running.current === begun) running.current = null;
    }
  });
  return { ...found, doing };
}

export function AtWork({ of, first }: { of: AtJob; first: string }) {
  return of.busy ? <Working stop={of.stop}>{of.doing ? `${of.doing} …` : first}</Working> : null;
}
