import type { Ports } from '@solstice/adapters'
import { type Participant, songOf, trackRequestList } from '@solstice/playout'
import {
  type Actor,
  type AirLease,
  capabilitiesOf,
  createAudit,
  dateNow,
  followOrder,
  type OutboxEntry,
  recordPlayed,
  sleep,
  type Told,
  type WallClock,
} from '@solstice/station'

/** Runs the side effects of saved states, at least once. */
export interface Outbox {
  add(entry: OutboxEntry): void
  /** Entries begun and not done yet; saved with each state, so that they are not lost with this process. */
  readonly pending: OutboxEntry[]
  /** Resolves when no entry is pending. */
  drained(): Promise<void>
}

const RETRY_MS = 1_000
const STATION: Actor = { adminId: 'station', login: 'station' }
/** Bounds the entries saved with each state while the store is away; the oldest are dropped. */
const MAX_PENDING = 2_000

/**
 * @param frameAt the frame of the broadcast that is due at a moment; null without a stream.
 * @param file resolves when a line of the logbook is filed, or need not be kept here any longer.
 */
export function createOutbox(
  ports: Pick<Ports, 'config' | 'log' | 'data' | 'announcer'> & { clock: WallClock },
  lease: Pick<AirLease, 'answer' | 'lost'>,
  frameAt: (atMs: number) => number | null,
  file: (told: Told) => Promise<void> = async () => {},
): Outbox {
  const { config, log, data, announcer, clock } = ports
  const capabilities = capabilitiesOf(config)
  const audit = createAudit({ data, announcer, clock, isOn: capabilities.auditLog })
  const pending = new Map<OutboxEntry, Promise<void>>()

  const act = async (entry: OutboxEntry): Promise<void> => {
    switch (entry.type) {
      case 'answer':
        return lease.answer(entry.asker, entry.outcome)
      case 'played':
        return capabilities.history ? recordPlayed(data, entry) : undefined
      case 'track-request-answered': {
        const { trackRequest, accepted, auto } = entry
        const result = { accepted, auto, song: songOf(trackRequest.track) }
        return announcer.tell({ socketId: trackRequest.socketId }, 'suggestion_result', result)
      }
      case 'track-requests-changed': {
        const list = trackRequestList(entry.trackRequests, clock.aheadMs())
        return announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', list)
      }
      case 'track-unplayable': {
        const { id, title, artist } = entry.track
        const day = new Date(dateNow(clock)).toISOString().slice(0, 10)
        const onceKey = `track_unplayable ${id} ${day}`
        return audit.record(STATION, 'track_unplayable', { songId: id, title, artist }, { onceKey })
      }
      case 'live-started': {
        const { participant } = entry
        return audit.record(actorOf(participant), `${operationOf[participant.role]}_live_start`, {})
      }
      case 'live-ended': {
        const { participant, reason } = entry
        return audit.record(actorOf(participant), `${operationOf[participant.role]}_live_end`, { reason })
      }
      case 'order-aired':
      case 'order-ended':
        return followOrder({ data, audit, announcer, clock }, entry, frameAt(entry.atMs))
      case 'order-dropped':
        return followOrder({ data, audit, announcer, clock }, entry, null)
      case 'guest-answered':
        return announcer.tell({ socketId: entry.socketId }, 'guest_request_result', entry.result)
      case 'told':
        return file(entry)
    }
  }

  /** Records are retried until stored, while the lease is held; notifications are sent once. */
  const deliver = async (entry: OutboxEntry): Promise<void> => {
    for (let attempt = 1; pending.has(entry); attempt++) {
      try {
        return await act(entry)
      } catch (error) {
        if (attempt === 1) log.error({ err: error, entry }, 'side effect failed')
        if (!durable[entry.type] || lease.lost.aborted) return
        await sleep(RETRY_MS, { ref: false })
      }
    }
  }

  return {
    add(entry) {
      const [oldest] = pending.keys()
      if (pending.size >= MAX_PENDING && oldest) pending.delete(oldest)
      pending.set(entry, Promise.resolve())
      const work = deliver(entry).finally(() => pending.delete(entry))
      pending.set(entry, work)
    },
    get pending() {
      return [...pending.keys()]
    },
    async drained() {
      while (pending.size > 0) await Promise.all(pending.values())
    },
  }
}

/** Entries that become records. The others are notifications, which are worthless when late. */
const durable: Record<OutboxEntry['type'], boolean> = {
  answer: false,
  played: true,
  'track-request-answered': false,
  'track-requests-changed': false,
  'track-unplayable': true,
  'live-started': true,
  'live-ended': true,
  'order-aired': true,
  'order-ended': true,
  'order-dropped': true,
  'guest-answered': false,
  told: false,
}

const operationOf: Record<Participant['role'], string> = {
  host: 'radio_host',
  guest: 'guest',
  specialGuest: 'special_guest',
}

function actorOf({ adminId, name }: Participant): Actor {
  return { adminId: adminId ?? 'guest', login: name }
}
