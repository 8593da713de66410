/** Where two values first differ. */
export interface Difference {
  /** Names and places, such as `onAir.startedAtMs`. */
  where: string
  kept: unknown
  replayed: unknown
}

/** Masked by each worker in its own way. */
const masked = new Set(['code', 'address'])

/** The first difference of two values of plain JSON, in their order; null when they are equal. Masked texts count as equal. */
export function differenceOf(kept: unknown, replayed: unknown, where = ''): Difference | null {
  if (Object.is(kept, replayed)) return null
  if (!isObject(kept) || !isObject(replayed) || Array.isArray(kept) !== Array.isArray(replayed))
    return { where, kept, replayed }
  if (Array.isArray(kept) && Array.isArray(replayed) && kept.length !== replayed.length)
    return { where: join(where, 'length'), kept: kept.length, replayed: replayed.length }
  const names = Array.isArray(kept) ? kept.keys() : new Set([...Object.keys(kept), ...Object.keys(replayed)])
  for (const key of names) {
    const name = String(key)
    const [one, other] = [kept[name], replayed[name]]
    if (masked.has(name) && typeof one === 'string' && typeof other === 'string') continue
    const difference = differenceOf(one, other, join(where, name))
    if (difference) return difference
  }
  return null
}

const join = (where: string, name: string) => (where === '' ? name : `${where}.${name}`)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
