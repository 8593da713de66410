import { pick } from '../model/random.ts'
import type { BackgroundMusic, Chat, ClipRef, PlayoutState } from '../model/state.ts'

/** Background music of unknown length is left after this time, as tracks are (rule T3). */
const UNKNOWN_LENGTH_MS = 600_000
/** Nothing is shorter than this to the clock: it must get on. */
const SHORTEST_MS = 100

/**
 * Hosts talk from `atMs` on, or go on talking in another mode (rules O2, O7).
 *
 * @param interrupted where the song on air goes on when the queue does.
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

/** The background music of a chat is over: what follows it (rule O4). */
export function nextBackground(state: PlayoutState, atMs: number): PlayoutState {
  return state.onAir.phase === 'chat' ? withBackground(state, state.onAir, atMs) : state
}

/** Rule O4: what may be heard, or is wanted, is another thing than before; background music that still may and shall sound goes on. */
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

/** What is heard under a talk if one begins now (rule O4), and otherwise next; null = nothing. */
export function backgroundInReserve(state: PlayoutState): ClipRef | null {
  return pickBackground(state).choice
}

/** When background music ends by its duration; null = silence does not end. */
export function backgroundEndMs({ clip, startedAtMs }: BackgroundMusic): number | null {
  return clip && startedAtMs + Math.max(SHORTEST_MS, clip.durationMs ?? UNKNOWN_LENGTH_MS)
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

/** The background music of which one is heard under a talk. */
function choicesIn({ clips, mode, backgroundChoice }: PlayoutState) {
  const { usable, chosenBy } = clips.background
  return chosenBy === 'random' ? usable[mode] : usable[mode].filter(({ id }) => id === backgroundChoice)
}
