import type { FailureDetails, Mode } from '@solstice/contracts'
import type { Command, Effect, Outcome, Step } from '../model/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState, Suggestion, TrackRef } from '../model/state.ts'
import { insert, playable, refusalOf } from './queue.ts'

/** Requests that wait at a time; what is above comes from nobody who could be answered. */
const MOST_SUGGESTIONS = 100
/** How long somebody waits for a place when nobody can say when there is one. */
const UNKNOWN_WAIT_S = 60

/** A listener asks for a song (rules U1, U2). */
export function suggest(
  state: PlayoutState,
  { uid, socketId, track, mode }: Extract<Command, { type: 'suggest' }>,
  nowMs: number,
): Step & { outcome: Outcome<'suggest'> } {
  const details = refusal(state, uid, track, mode, nowMs)
  if (details) return { state, effects: [], outcome: { ok: false, code: 'SUGGESTION_REFUSED', details } }
  const { suggestCooldownMs } = state.limits
  const waiting = state.suggestCooldowns.filter((cooldown) => secsOf(state, cooldown, nowMs) > 0)
  const asked: PlayoutState = {
    ...state,
    suggestions: [...state.suggestions, { uid, socketId, track, mode, addedAtMs: nowMs }],
    suggestCooldowns: suggestCooldownMs > 0 ? [...waiting, { uid, sinceMs: nowMs }] : [],
  }
  return {
    state: asked,
    effects: [changed(asked)],
    outcome: { ok: true, secsLeft: cooldownSecsLeft(asked, uid, nowMs) },
  }
}

/** An admin decides on a request (rule U3). */
export function answerSuggestion(
  state: PlayoutState,
  { uid, action }: Extract<Command, { type: 'answer-suggestion' }>,
  nowMs: number,
): Step & { outcome: Outcome<'answer-suggestion'> } {
  const suggestion = state.suggestions.find((candidate) => candidate.uid === uid)
  if (!suggestion) return { state, effects: [], outcome: { ok: false, code: 'SUGGESTION_NOT_FOUND' } }
  const { track, mode } = suggestion
  const others = state.suggestions.filter((candidate) => candidate !== suggestion)
  const order = { track, mode, orderType: 'lastinline', tier: null } as const
  const details = action === 'add' ? refusalOf(state, order, nowMs) : null
  if (details) {
    const returned = { ...state, suggestions: [...others, { ...suggestion, addedAtMs: nowMs }] }
    return {
      state: returned,
      effects: [changed(returned)],
      outcome: { ok: false, code: 'QUEUE_SUGGESTION_INJECT_FAILED', details },
    }
  }
  const decided = { ...(action === 'add' ? insert(state, order, nowMs) : state), suggestions: others }
  return {
    state: decided,
    effects: [answered(suggestion, action === 'add', false), changed(decided)],
    outcome: { ok: true, track },
  }
}

/** Whole seconds until a listener may ask for a song again; 0 = now. */
export function cooldownSecsLeft(state: PlayoutState, uid: string, nowMs: number): number {
  const cooldown = state.suggestCooldowns.find((candidate) => candidate.uid === uid)
  return cooldown ? secsOf(state, cooldown, nowMs) : 0
}

/** Whole seconds until a request of a listener may be taken in (rule U1); 0 = now. */
export function suggestWaitSecs(state: PlayoutState, uid: string, nowMs: number): number {
  const { suggestions } = state
  const waits = cooldownSecsLeft(state, uid, nowMs)
  if (waits > 0) return waits
  const pending = suggestions.filter((suggestion) => suggestion.uid === uid)
  const inTheWay = pending.length > 0 ? pending : suggestions.length < MOST_SUGGESTIONS ? [] : suggestions
  if (inTheWay.length === 0) return 0
  const untilMs = expiryMs({ ...state, suggestions: inTheWay })
  return untilMs === null ? UNKNOWN_WAIT_S : Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
}

/** What those who may decide are shown of the requests. @param aheadMs as `projectSync` says. */
export function suggestionList(suggestions: readonly Suggestion[], aheadMs = 0) {
  return suggestions.map(({ uid, track, addedAtMs }) => ({
    uid,
    song: songOf(track),
    addedAt: Math.round(addedAtMs - aheadMs),
  }))
}

/** What listeners and admins are shown of a song that was asked for. */
export const songOf = ({ id, title, artist }: TrackRef) => ({ id, title, artist })

/** When the first request is given up; null = none is. */
export function expiryMs({ suggestions, limits }: PlayoutState): number | null {
  if (limits.suggestExpiryMs === 0 || suggestions.length === 0) return null
  return Math.min(...suggestions.map(({ addedAtMs }) => addedAtMs)) + limits.suggestExpiryMs
}

/** Rule U4: nobody has decided. */
export function expireSuggestions(state: PlayoutState, atMs: number): Step {
  return giveUp(state, ({ addedAtMs }) => addedAtMs + state.limits.suggestExpiryMs <= atMs)
}

/** Rules U4, K4: requests for tracks that were changed show them as they are; those for tracks that are gone end. */
export function settleSuggestions(state: PlayoutState, settled: Map<string, TrackRef | null>): Step {
  const { suggestions } = state
  if (!suggestions.some(({ track }) => settled.has(track.id))) return { state, effects: [] }
  const { state: left, effects } = giveUp(state, ({ track }) => settled.get(track.id) === null)
  const renewed = {
    ...left,
    suggestions: left.suggestions.map((suggestion) => ({
      ...suggestion,
      track: settled.get(suggestion.track.id) ?? suggestion.track,
    })),
  }
  return {
    state: renewed,
    effects: [...effects.filter(({ type }) => type === 'suggestion-answered'), changed(renewed)],
  }
}

function refusal(
  state: PlayoutState,
  uid: string,
  track: TrackRef,
  mode: Mode,
  nowMs: number,
): FailureDetails | null {
  const waits = suggestWaitSecs(state, uid, nowMs)
  if (waits > 0) return { reason: 'cooldown', secsLeft: waits }
  if (playable(state, [track]).length === 0) return { reason: 'not_found' }
  return mode === state.mode ? null : { reason: 'wrong_mode' }
}

function giveUp(state: PlayoutState, isOver: (suggestion: Suggestion) => boolean): Step {
  const over = state.suggestions.filter(isOver)
  if (over.length === 0) return { state, effects: [] }
  const left = { ...state, suggestions: state.suggestions.filter((suggestion) => !isOver(suggestion)) }
  return {
    state: left,
    effects: [...over.map((suggestion) => answered(suggestion, false, true)), changed(left)],
  }
}

const answered = (suggestion: Suggestion, accepted: boolean, auto: boolean): Effect => ({
  type: 'suggestion-answered',
  suggestion,
  accepted,
  auto,
})
const changed = ({ suggestions }: PlayoutState): Effect => ({ type: 'suggestions-changed', suggestions })
const secsOf = (
  { limits }: PlayoutState,
  { sinceMs }: PlayoutState['suggestCooldowns'][number],
  nowMs: number,
) => secsLeft(sinceMs, limits.suggestCooldownMs, nowMs)
