import { type Effect, orderEffects, type PlayoutState, type Step } from '@solstice/playout'
import { type AirLease, dateOf, type OutboxEntry, type WallClock } from '@solstice/station'
import type { Outbox } from './outbox.ts'

/**
 * The rule "save, then answer, then act": a state is saved together with its outbox, the answers and effects that follow
 * from it; only then are they carried out. Until that is done they are saved with every later state.
 */
export interface SaveLoop {
  /** True when every step so far is saved. */
  readonly isSaved: boolean
  /** Takes the change from `before` by `step`, with the answers to its askers. */
  add(before: PlayoutState, step: Step, answers?: readonly OutboxEntry[]): void
  /**
   * Resolves when every step so far is saved.
   *
   * @throws when the lease is lost; a later attempt may still succeed.
   */
  save(): Promise<void>
  /** Saves the state again without the effects done by now, so that no successor repeats them. @throws as `save` */
  saveAgain(): Promise<void>
}

export function createSaveLoop(lease: Pick<AirLease, 'save'>, outbox: Outbox, clock: WallClock): SaveLoop {
  const due: OutboxEntry[] = []
  let state: PlayoutState
  let isLatest = false
  let saving: Promise<void> | null = null

  const save = (): Promise<void> => {
    saving ??= (async () => {
      while (!isLatest) {
        isLatest = true
        const news = due.splice(0)
        try {
          await lease.save(state, [...outbox.pending, ...news])
        } catch (error) {
          due.unshift(...news)
          throw error
        }
        for (const entry of news) outbox.add(entry)
      }
    })().finally(() => {
      saving = null
    })
    return saving
  }

  /** Dates a start once: the wall clock may be set before it is recorded, or recorded again. */
  const withDate = (effect: Effect): OutboxEntry =>
    effect.type === 'played' ? { ...effect, playedAt: dateOf(clock, effect.startedAtMs) } : effect

  return {
    get isSaved() {
      return isLatest && !saving
    },
    add(before, step, answers = []) {
      state = step.state
      due.push(...answers, ...step.effects.map(withDate), ...orderEffects(before, step))
      isLatest = false
    },
    save,
    saveAgain() {
      isLatest = false
      return save()
    },
  }
}
