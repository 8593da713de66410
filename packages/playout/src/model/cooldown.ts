/** Whole seconds until something may be done again that was done at `lastMs`; 0 = now. */
export function secsLeft(lastMs: number | null, cooldownMs: number, nowMs: number): number {
  if (lastMs === null) return 0
  // What the sound does is a little ahead of the clock; nobody is told to wait longer than the limit.
  return Math.max(0, Math.ceil((cooldownMs - Math.max(0, nowMs - lastMs)) / 1000))
}
