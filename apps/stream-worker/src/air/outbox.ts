import type { Ports } from '@solstice/adapters'
import { type Participant, songOf, suggestionList } from '@solstice/playout'
import {
  type Actor,
  type AirLease,
  capabilitiesOf,
  createAudit,
  followOrder,
  type OutboxEntry,
  recordPlayed,
  sleep,
  type WallClock,
} from '@solstice/station'

/** Does what saved states have to be followed by. */
export interface Outbox {
  add(entry: OutboxEntry): void
  /** What was begun and is not done yet: to be saved again, so that it is not lost with this process. */
  readonly pending: OutboxEntry[]
  /** Resolves when all that was begun is done. */
  drained(): Promise<void>
}

/** What the store does not take is tried again so often, for as long as the lease is held. */
const RETRY_MS = 1_000
/** While the store is away for so long, the oldest of what it would be told is given up. */
const MAX_PENDING = 2_000

/** @param frameAt the frame of the broadcast that is due at a moment; null without a stream. */
export function createOutbox(
  ports: Pick<Ports, 'config' | 'log' | 'data' | 'announcer'> & { clock: WallClock },
  lease: Pick<AirLease, 'answer' | 'lost'>,
  frameAt: (atMs: number) => number | null,
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
      case 'suggestion-answered': {
        const { suggestion, accepted, auto } = entry
        const result = { accepted, auto, song: songOf(suggestion.track) }
        return announcer.tell({ socketId: suggestion.socketId }, 'suggestion_result', result)
      }
      case 'suggestions-changed': {
        const list = suggestionList(entry.suggestions, clock.aheadMs())
        return announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', list)
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
    }
  }

  /** What is to be remembered is tried until it is; what is only told, once. */
  const deliver = async (entry: OutboxEntry): Promise<void> => {
    for (let attempt = 1; pending.has(entry); attempt++) {
      try {
        return await act(entry)
      } catch (error) {
        if (attempt === 1) log.error({ err: error, entry }, 'what follows from the air could not be done')
        if (!isDurable(entry) || lease.lost.aborted) return
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

function isDurable({ type }: OutboxEntry): boolean {
  return type === 'played' || type.startsWith('order-') || type.startsWith('live-')
}

const operationOf: Record<Participant['role'], string> = {
  host: 'radio_host',
  guest: 'guest',
  specialGuest: 'special_guest',
}

function actorOf({ adminId, name }: Participant): Actor {
  return { adminId: adminId ?? 'guest', login: name }
}
