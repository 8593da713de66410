import type { EventRecord } from '../ports/data/data-store.ts'

/** Something that happened. `id` is made of what happened, so that it is the same however often it is found. */
export type StationEvent = Omit<EventRecord, 'id' | 'eventId'> & { id: string }

/** What others are sent of an event, as JSON. */
export function eventBody({ type, atMs, data }: { type: string; atMs: number; data: object }): string {
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data })
}
