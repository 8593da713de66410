import type { Ports } from '@solstice/adapters'
import { type Participant, songOf, suggestionList } from '@solstice/playout'
import {
  type Actor,
  type AirLease,
  type Consequence,
  capabilitiesOf,
  createAudit,
  followOrder,
  recordPlayed,
  sleep,
  type WallClock,
} from '@solstice/station'

/** Does what saved states have to be followed by. */
export interface Consequences {
  carryOut(consequence: Consequence): void
  /** What was begun and is not done yet: to be saved again, so that it is not lost with this process. */
  readonly unfinished: Consequence[]
  /** Resolves when all that was begun is done. */
  done(): Promise<void>
}

/** What the store does not take is tried again so often, for as long as the lease is held. */
const RETRY_MS = 1_000
/** While the store is away for so long, the oldest of what it would be told is given up. */
const MOST_UNFINISHED = 2_000

/** @param frameAt the frame of the broadcast that is due at a moment; null without a stream. */
export function createConsequences(
  ports: Pick<Ports, 'config' | 'log' | 'data' | 'announcer'> & { clock: WallClock },
  lease: Pick<AirLease, 'answer' | 'lost'>,
  frameAt: (atMs: number) => number | null,
): Consequences {
  const { config, log, data, announcer, clock } = ports
  const capabilities = capabilitiesOf(config)
  const audit = createAudit({ data, announcer, clock, isOn: capabilities.auditLog })
  const unfinished = new Map<Consequence, Promise<void>>()

  const act = async (consequence: Consequence): Promise<void> => {
    switch (consequence.type) {
      case 'answer':
        return lease.answer(consequence.asker, consequence.outcome)
      case 'played':
        return capabilities.history ? recordPlayed(data, consequence) : undefined
      case 'suggestion-answered': {
        const { suggestion, accepted, auto } = consequence
        const result = { accepted, auto, song: songOf(suggestion.track) }
        return announcer.tell({ socketId: suggestion.socketId }, 'suggestion_result', result)
      }
      case 'suggestions-changed': {
        const list = suggestionList(consequence.suggestions, clock.aheadMs())
        return announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', list)
      }
      case 'live-started': {
        const { participant } = consequence
        return audit.record(actorOf(participant), `${operationOf[participant.role]}_live_start`, {})
      }
      case 'live-ended': {
        const { participant, reason } = consequence
        return audit.record(actorOf(participant), `${operationOf[participant.role]}_live_end`, { reason })
      }
      case 'order-aired':
      case 'order-ended':
        return followOrder({ data, audit, announcer, clock }, consequence, frameAt(consequence.atMs))
      case 'order-dropped':
        return followOrder({ data, audit, announcer, clock }, consequence, null)
      case 'guest-answered':
        return announcer.tell({ socketId: consequence.socketId }, 'guest_request_result', consequence.result)
    }
  }

  /** What is to be remembered is tried until it is; what is only told, once. */
  const carryThrough = async (consequence: Consequence): Promise<void> => {
    for (let attempt = 1; unfinished.has(consequence); attempt++) {
      try {
        return await act(consequence)
      } catch (error) {
        if (attempt === 1)
          log.error({ err: error, consequence }, 'what follows from the air could not be done')
        if (!isRemembered(consequence) || lease.lost.aborted) return
        await sleep(RETRY_MS, { ref: false })
      }
    }
  }

  return {
    carryOut(consequence) {
      const [oldest] = unfinished.keys()
      if (unfinished.size >= MOST_UNFINISHED && oldest) unfinished.delete(oldest)
      unfinished.set(consequence, Promise.resolve())
      const work = carryThrough(consequence).finally(() => unfinished.delete(consequence))
      unfinished.set(consequence, work)
    },
    get unfinished() {
      return [...unfinished.keys()]
    },
    async done() {
      while (unfinished.size > 0) await Promise.all(unfinished.values())
    },
  }
}

function isRemembered({ type }: Consequence): boolean {
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
