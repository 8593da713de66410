import type { DataStore } from '../ports/data/data-store.ts'
import type { StationEvent } from '../webhooks/event.ts'

const MAX_EVENTS = 1_000
/** The oldest are removed in groups. */
const EXCESS = 0.1

type EventData = Pick<DataStore, 'events'>

/** Records events in their order, those that are recorded already excepted; the last thousand are kept. @returns the number of new ones. */
export async function recordEvents(
  data: EventData,
  events: readonly StationEvent[],
  { max = MAX_EVENTS } = {},
): Promise<number> {
  const kept = await data.events.find()
  const known = new Set(kept.map(({ eventId }) => eventId))
  // Those that were removed again may be found once more.
  const sinceMs = kept.length < max ? Number.NEGATIVE_INFINITY : kept[0]!.atMs
  let added = 0
  for (const { id: eventId, ...event } of events) {
    if (known.has(eventId) || event.atMs < sinceMs) continue
    if (await data.events.insert({ eventId, ...event })) added++
  }
  if (added > 0) await trimEvents(data, max)
  return added
}

async function trimEvents(data: EventData, max: number): Promise<void> {
  const all = await data.events.find()
  if (all.length < max * (1 + EXCESS)) return
  const oldestKept = all.at(-max)!.id
  await data.events.delete(({ id }) => id < oldestKept)
}
