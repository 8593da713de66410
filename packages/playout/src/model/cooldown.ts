/** Whole seconds left of a cooldown that began at `lastMs`; 0 = over. */
export function secsLeft(lastMs: number | null, cooldownMs: number, nowMs: number): number {
  if (lastMs === null) return 0
  // The sound is a little ahead of the clock; the wait reported is never longer than the cooldown.
  return Math.max(0, Math.ceil((cooldownMs - Math.max(0, nowMs - lastMs)) / 1000))
}
