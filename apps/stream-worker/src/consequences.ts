import type { Ports } from '@solstice/adapters'
import { type Participant, songOf, suggestionList } from '@solstice/playout'
import {
  type Actor,
  type AirDesk,
  type Consequence,
  capabilitiesOf,
  createAudit,
  recordPlayed,
} from '@solstice/station'

/** Does what saved states have to be followed by. */
export interface Consequences {
  carryOut(consequence: Consequence): void
  /** What was begun and is not done yet: to be saved again, so that it is not lost with this process. */
  readonly unfinished: Consequence[]
  /** Resolves when all that was begun is done. */
  done(): Promise<void>
}

export function createConsequences(
  { config, log, data, announcer, clock }: Pick<Ports, 'config' | 'log' | 'data' | 'announcer' | 'clock'>,
  desk: Pick<AirDesk, 'answer'>,
): Consequences {
  const capabilities = capabilitiesOf(config)
  const audit = createAudit({ data, announcer, clock, isOn: capabilities.auditLog })
  const unfinished = new Map<Consequence, Promise<void>>()

  const act = async (consequence: Consequence): Promise<void> => {
    switch (consequence.type) {
      case 'answer':
        return desk.answer(consequence.asker, consequence.outcome)
      case 'played':
        return capabilities.history ? recordPlayed(data, consequence) : undefined
      case 'suggestion-answered': {
        const { suggestion, accepted, auto } = consequence
        const result = { accepted, auto, song: songOf(suggestion.track) }
        return announcer.tell({ socketId: suggestion.socketId }, 'suggestion_result', result)
      }
      case 'suggestions-changed': {
        const list = suggestionList(consequence.suggestions)
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
      case 'guest-answered':
        return announcer.tell({ socketId: consequence.socketId }, 'guest_request_result', consequence.result)
    }
  }

  return {
    carryOut(consequence) {
      const work = act(consequence)
        .catch((error) => log.error({ err: error, consequence }, 'what follows from the air was not done'))
        .finally(() => unfinished.delete(consequence))
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

const operationOf: Record<Participant['role'], string> = {
  host: 'radio_host',
  guest: 'guest',
  specialGuest: 'special_guest',
}

function actorOf({ adminId, name }: Participant): Actor {
  return { adminId: adminId ?? 'guest', login: name }
}
