import { pick } from '../model/random.ts'
import type { BackgroundMusic, Chat, ClipRef, PlayoutState } from '../model/state.ts'
import { MIN_LENGTH_MS, UNKNOWN_LENGTH_MS } from '../model/timing.ts'

/**
 * Begins a chat at `atMs`, or continues it in another mode (rules O2, O7).
 *
 * @param interrupted position at which the track on air continues when the queue resumes.
 */
export function beginChat(
  state: PlayoutState,
  atMs: number,
  interrupted: Chat['interrupted'] = null,
): PlayoutState {
  const { onAir } = state
  const chat = {
    phase: 'chat',
    sinceMs: onAir.phase === 'chat' ? onAir.sinceMs : atMs,
    entry: onAir.phase === 'preparing' ? null : onAir.entry,
    interrupted,
    modeAsOfMs: atMs,
  } as const
  return withBackground(state, chat, atMs)
}

/** Follows background music that is over with the next (rule O4). */
export function nextBackground(state: PlayoutState, atMs: number): PlayoutState {
  return state.onAir.phase === 'chat' ? withBackground(state, state.onAir, atMs) : state
}

/** Rule O4: chooses background music again after a change of clips or choice; music that is still wanted continues. */
export function renewBackground(state: PlayoutState, atMs: number, isChosenOtherwise = false): PlayoutState {
  const { onAir } = state
  if (onAir.phase !== 'chat') return state
  const { clip } = onAir.background
  const { chosenBy } = state.clips.background
  const choices = choicesIn(state)
  const goesOn = clip ? choices.some(({ id }) => id === clip.id) : choices.length === 0
  const isDrawnAnew = isChosenOtherwise && chosenBy === 'random'
  return goesOn && !isDrawnAnew ? state : withBackground(state, onAir, atMs)
}

/** The background music of a chat that begins now (rule O4), or the next one in a running chat; null = none. */
export function backgroundInReserve(state: PlayoutState): ClipRef | null {
  return pickBackground(state).choice
}

/** The moment at which background music ends by its duration; null = silence does not end. */
export function backgroundEndMs({ clip, startedAtMs }: BackgroundMusic): number | null {
  return clip && startedAtMs + Math.max(MIN_LENGTH_MS, clip.durationMs ?? UNKNOWN_LENGTH_MS)
}

function withBackground(state: PlayoutState, chat: Omit<Chat, 'background'>, atMs: number): PlayoutState {
  const { serial, lastBackgroundId } = state
  const { choice: clip, seed } = pickBackground(state)
  const entryId = clip ? `f${serial}-${clip.id}` : `f${serial}`
  return {
    ...state,
    seed,
    serial: serial + 1,
    lastBackgroundId: clip?.id ?? lastBackgroundId,
    onAir: { ...chat, background: { entryId, clip, startedAtMs: atMs } },
  }
}

function pickBackground(state: PlayoutState) {
  return pick(choicesIn(state), state.lastBackgroundId, state.seed)
}

/** The clips of which one is heard in a chat. */
function choicesIn({ clips, mode, backgroundChoice }: PlayoutState) {
  const { usable, chosenBy } = clips.background
  return chosenBy === 'random' ? usable[mode] : usable[mode].filter(({ id }) => id === backgroundChoice)
}
