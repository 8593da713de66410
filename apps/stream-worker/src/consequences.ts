import type { Ports } from '@solstice/adapters'
import { songOf, suggestionList } from '@solstice/playout'
import { type AirDesk, type Consequence, capabilitiesOf, recordPlayed } from '@solstice/station'

/** Does what saved states have to be followed by. */
export interface Consequences {
  carryOut(consequence: Consequence): void
  /** What was begun and is not done yet: to be saved again, so that it is not lost with this process. */
  readonly unfinished: Consequence[]
}

export function createConsequences(
  { config, log, data, announcer }: Pick<Ports, 'config' | 'log' | 'data' | 'announcer'>,
  desk: Pick<AirDesk, 'answer'>,
): Consequences {
  const recordsHistory = capabilitiesOf(config).history
  const unfinished = new Set<Consequence>()

  const act = async (consequence: Consequence): Promise<void> => {
    switch (consequence.type) {
      case 'answer':
        return desk.answer(consequence.asker, consequence.outcome)
      case 'played':
        return recordsHistory ? recordPlayed(data, consequence) : undefined
      case 'suggestion-answered': {
        const { suggestion, accepted, auto } = consequence
        const result = { accepted, auto, song: songOf(suggestion.track) }
        return announcer.tell({ socketId: suggestion.socketId }, 'suggestion_result', result)
      }
      case 'suggestions-changed': {
        const list = suggestionList(consequence.suggestions)
        return announcer.tell({ privilege: 'queue_manage' }, 'suggestions_update', list)
      }
    }
  }

  return {
    carryOut(consequence) {
      unfinished.add(consequence)
      act(consequence)
        .catch((error) => log.error({ err: error, consequence }, 'what follows from the air was not done'))
        .finally(() => unfinished.delete(consequence))
    },
    get unfinished() {
      return [...unfinished]
    },
  }
}
