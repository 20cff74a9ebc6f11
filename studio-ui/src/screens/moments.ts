// Days and times are numbers of days below; a person writes dates and clocks. The browser counts both in milliseconds.
const DAY = 86_400_000;
export const MOMENTS: Record<string, "date" | "datetime-local" | "time"> = { date: "date", datetime: "datetime-local", time: "time" };

export function writtenDays(moment: string, days: number | null): string {
  if (days === null) return "";
  const made = new Date(Math.round((days * DAY) / 1000) * 1000);
  if (Number.isNaN(made.getTime())) return "";
  const text = made.toISOString();
  return moment === "date" ? text.slice(0, 10) : moment === "time" ? text.slice(11, 19) : text.slice(0, 19);
}

export const daysOf = (input: HTMLInputElement): number => input.valueAsNumber / DAY;
