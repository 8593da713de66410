import { type Effect, orderEffects, type PlayoutState, type Step } from '@solstice/playout'
import { type AirLease, type Consequence, dateOf, type WallClock } from '@solstice/station'
import type { Consequences } from './consequences.ts'

/** Saves the air first, and then does what follows from it; until that is done it is saved with every later state. */
export interface SavedAir {
  /** All that was taken in is saved. */
  readonly isSaved: boolean
  /** The air changes from `before` by `step`. `answers`: what those are told who asked for it. */
  takeIn(before: PlayoutState, step: Step, answers?: readonly Consequence[]): void
  /**
   * Resolves when all that was taken in so far is saved.
   *
   * @throws when the lease is lost; a later attempt may still succeed.
   */
  save(): Promise<void>
  /** Saves the same state once more: what was done by now is not done again by whoever is next. @throws as `save` */
  saveAgain(): Promise<void>
}

export function createSavedAir(
  lease: Pick<AirLease, 'save'>,
  consequences: Consequences,
  clock: WallClock,
): SavedAir {
  const due: Consequence[] = []
  let state: PlayoutState
  let isLatest = false
  let saving: Promise<void> | null = null

  const save = (): Promise<void> => {
    saving ??= (async () => {
      while (!isLatest) {
        isLatest = true
        const news = due.splice(0)
        try {
          await lease.save(state, [...consequences.unfinished, ...news])
        } catch (error) {
          due.unshift(...news)
          throw error
        }
        for (const consequence of news) consequences.carryOut(consequence)
      }
    })().finally(() => {
      saving = null
    })
    return saving
  }

  /** Whatever sets the wall clock before it is recorded, or recorded again, a start has one date. */
  const withDate = (effect: Effect): Consequence =>
    effect.type === 'played' ? { ...effect, playedAt: dateOf(clock, effect.startedAtMs) } : effect

  return {
    get isSaved() {
      return isLatest && !saving
    },
    takeIn(before, step, answers = []) {
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
