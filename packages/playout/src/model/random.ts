/** One step of mulberry32: a number in [0, 1) and the next seed. */
export function draw(seed: number): { value: number; seed: number } {
  const next = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(next ^ (next >>> 15), 1 | next)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return { value: ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296, seed: next }
}

/** A shuffled copy (Fisher–Yates), and the next seed. */
export function shuffle<T>(items: readonly T[], seed: number): { items: T[]; seed: number } {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const drawn = draw(seed)
    seed = drawn.seed
    const other = Math.floor(drawn.value * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
  }
  return { items: shuffled, seed }
}

/** A random choice, other than the last one if there is another; null when there are none. */
export function pick<T extends { id: string }>(
  choices: readonly T[],
  lastId: string | null,
  seed: number,
): { choice: T | null; seed: number } {
  const others = choices.filter(({ id }) => id !== lastId)
  const drawable = others.length > 0 ? others : choices
  if (drawable.length === 0) return { choice: null, seed }
  const drawn = draw(seed)
  return { choice: drawable[Math.floor(drawn.value * drawable.length)]!, seed: drawn.seed }
}
