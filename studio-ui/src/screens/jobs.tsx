// A job whose result a part of the page shows, asked for anew whenever what is asked changes; it can be stopped.
import { useRef, useState } from "preact/hooks";
import { job, type Json, type Running } from "../api";
import { show } from "../state";
import { Waiting, useAnswer } from "../ui";

export type AtJob = { value: Json | null; said: string; busy: boolean; doing: string; stop: () => void };

export function useJob(name: string, asked: Json | null): AtJob {
  const [doing, setDoing] = useState("");
  const running = useRef<Running | null>(null);
  const found = useAnswer(asked, async (each) => {
    void running.current?.stop(); // nobody looks at that one any more
    setDoing("");
    const begun = (running.current = job(name, each, (event) => event.doing && setDoing(event.doing)));
    try {
      const made = await begun.done;
      if (running.current === begun) show(made.command);
      return made;
    } finally {
      if (running.current === begun) running.current = null;
    }
  });
  return { ...found, doing, stop: () => void running.current?.stop() };
}

export function AtWork({ of, first }: { of: AtJob; first: string }) {
  return of.busy ? (
    <div class="tools">
      <Waiting>{of.doing ? `${of.doing} …` : first}</Waiting>
      <button type="button" onClick={of.stop}>
        Stop
      </button>
    </div>
  ) : null;
}
