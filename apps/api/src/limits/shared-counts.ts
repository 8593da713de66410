const TELL_AFTER_MS = 5

/** Counts by key, such as connections per network, of all processes of a replica together. */
export interface SharedCount {
  add(key: string, change: number): void
  /** The count of all processes; that of the others is some milliseconds old. */
  of(key: string): number
  /** Number of keys that this process counts. */
  readonly size: number
  /** Begins anew at all processes. */
  clear(): void
}

/**
 * Opens the count of this name. @param max the limit of a key. @param onCleared called when another process has cleared it.
 */
export type OpenCount = (name: string, max: number, onCleared?: () => void) => SharedCount

/** Carries messages between the processes of a replica. */
export interface Messages {
  tell(message: unknown): void
  listen(listener: {
    onMessage(from: number, message: unknown): void
    /** Called when a process has ended, before another one takes its number. */
    onGone(from: number): void
  }): void
}

interface Told {
  name: string
  /** Of the process that tells. */
  counts: [key: string, count: number][]
  isCleared?: boolean
  /** A process that has just started asks for what it has missed. */
  isNew?: boolean
}

/** @param messages null for the only process of a replica, which counts for itself. */
export function shareCounts(messages: Messages | null, processes: number): OpenCount {
  const opened = new Map<string, Opened>()
  messages?.listen({
    onMessage: (from, message) => opened.get((message as Told).name)?.learn(from, message as Told),
    onGone: (from) => {
      for (const count of opened.values()) count.forget(from)
    },
  })
  return (name, max, onCleared) => {
    const count = openCount({ name, toldFrom: Math.ceil(max / (2 * processes)), onCleared, messages })
    opened.set(name, count)
    messages?.tell({ name, counts: [], isNew: true } satisfies Told)
    return count
  }
}

/** For a process that has no siblings. */
export const countAlone: OpenCount = shareCounts(null, 1)

interface Opened extends SharedCount {
  learn(from: number, told: Told): void
  forget(from: number): void
}

/**
 * A key that is far from its limit at each process is far from it at all together, so most are never told. Once a process has
 * told its count, the others tell theirs of the same key.
 *
 * @param options.toldFrom the count from which on a process tells it first.
 */
function openCount({
  name,
  toldFrom,
  onCleared,
  messages,
}: {
  name: string
  toldFrom: number
  onCleared: (() => void) | undefined
  messages: Messages | null
}): Opened {
  const here = new Map<string, number>()
  const elsewhere = new Map<string, Map<number, number>>()
  const told = new Set<string>()
  const news = new Set<string>()
  let isCleared = false
  let isTelling = false

  const tell = () => {
    isTelling = false
    const counts = [...news].map((key): [string, number] => [key, here.get(key) ?? 0])
    messages!.tell({ name, counts, isCleared } satisfies Told)
    for (const [key, count] of counts) {
      if (count > 0) told.add(key)
      else told.delete(key)
    }
    news.clear()
    isCleared = false
  }
  const tellSoon = () => {
    if (!messages || isTelling) return
    isTelling = true
    setTimeout(tell, TELL_AFTER_MS)
  }
  const tellOf = (keys: Iterable<string>) => {
    for (const key of keys) news.add(key)
    if (news.size > 0) tellSoon()
  }
  const forgetAll = () => {
    here.clear()
    elsewhere.clear()
  }
  const note = (key: string, from: number, count: number) => {
    const counts = elsewhere.get(key) ?? new Map<number, number>()
    if (count > 0) elsewhere.set(key, counts.set(from, count))
    else if (counts.delete(from) && counts.size === 0) elsewhere.delete(key)
  }

  return {
    add(key, change) {
      const count = (here.get(key) ?? 0) + change
      if (count > 0) here.set(key, count)
      else here.delete(key)
      if (messages && (count >= toldFrom || told.has(key) || elsewhere.has(key))) tellOf([key])
    },
    of(key) {
      let sum = here.get(key) ?? 0
      for (const count of elsewhere.get(key)?.values() ?? []) sum += count
      return sum
    },
    get size() {
      return here.size
    },
    clear() {
      forgetAll()
      told.clear()
      news.clear()
      isCleared = true
      tellSoon()
    },
    learn(from, { counts, isCleared = false, isNew = false }) {
      if (isCleared) {
        forgetAll()
        onCleared?.()
        // Counts told meanwhile may have reached it after it began anew.
        tellOf(told)
      }
      if (isNew) tellOf(told)
      for (const [key, count] of counts) {
        note(key, from, count)
        if (here.has(key) && !told.has(key)) tellOf([key])
      }
    },
    forget(from) {
      for (const key of [...elsewhere.keys()]) note(key, from, 0)
    },
  }
}
