// Times as the whole console writes them: in the reader's zone, by the clock of 24 hours.

const formatter = (options: Intl.DateTimeFormatOptions): ((at: Date | number) => string) => {
  const format = new Intl.DateTimeFormat(undefined, { ...options, hourCycle: "h23" });
  return (at) => format.format(at);
};

export const formatMoment = formatter({ dateStyle: "medium", timeStyle: "medium" });
export const formatClock = formatter({ timeStyle: "medium" });
export const formatMinutes = formatter({ timeStyle: "short" });
export const formatMilliseconds = formatter({
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});
