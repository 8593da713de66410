import { type Mode, modes } from '@solstice/contracts'
import {
  type Command,
  type Input,
  type PlayoutState,
  type QueueEntry,
  type RotationSettings,
  soundId,
} from '@solstice/playout'
import type { Line, StoredInput } from './lines.ts'
import type { Chapter } from './read.ts'
import { type Divergence, type Gap, lineThatMade, type Replayed, replay } from './replay.ts'

/** A reason in a sentence, and the rules of the engine that it comes from. */
export interface Reason {
  text: string
  rules: string[]
}

export interface Why {
  /** What was on air. */
  what: string
  reasons: Reason[]
  /** Why less is known than was kept. */
  problem: Gap | Divergence | null
  /** Of Solstice, as far as they are known: when it began, and at the date. */
  versions: string[]
}

/**
 * Explains what was on air at a date (epoch ms); null when the logbook does not tell.
 *
 * @param chapters from a while before that date.
 * @param earlier all chapters up to it, from the last to the first.
 * @param clock a date in words.
 */
export async function whyOnAir(
  chapters: AsyncIterable<Chapter>,
  earlier: AsyncIterable<{ id: string; lines: Line[] }>,
  dateMs: number,
  clock: (dateMs: number) => string,
): Promise<Why | null> {
  let last: Replayed | null = null
  let begun: Replayed | null = null
  let problem: Gap | Divergence | null = null
  const moves: Replayed[] = []
  for await (const one of replay(chapters)) {
    if (dateOf(one) > dateMs) break
    if (one.type !== 'step') {
      problem = one
      last = begun = null
      continue
    }
    problem = null
    last = one
    if (soundId(one.before.onAir) !== soundId(one.after.onAir)) begun = one
    if (one.input.type === 'command' && one.outcome?.ok) moves.push(one)
  }
  if (!last) return problem && { what: 'The logbook does not tell.', reasons: [], problem, versions: [] }
  const { onAir } = last.after
  const reasons: Reason[] = []
  if (begun) reasons.push(causeOf(begun, clock))
  if (onAir.phase === 'preparing')
    reasons.push(causeOfSilence(last.after, onAir.sinceMs, clock(onAir.notBeforeMs - last.aheadMs)))
  const entry = onAir.phase === 'track' ? onAir.entry : null
  if (entry) {
    reasons.push(kindOf(entry))
    reasons.push(await originOf(entry, earlier, clock))
    for (const move of moves) if (isMoveOf(move.input, entry)) reasons.push(moveOf(move, clock))
  }
  if (onAir.phase === 'track' && onAir.phrase)
    reasons.push({ text: `The phrase ${onAir.phrase.clip.id} was drawn for its end.`, rules: ['P1', 'P2'] })
  const versions = new Set([begun, last].flatMap((one) => one?.version ?? []))
  return { what: whatIs(last, begun, clock), reasons, problem, versions: [...versions] }
}

const dateOf = ({ atMs, aheadMs }: { atMs: number; aheadMs: number }) => atMs - aheadMs

/** A track or clip in words. */
export function nameOf({ onAir }: PlayoutState): string {
  switch (onAir.phase) {
    case 'preparing':
      return 'nothing, waiting for a playlist'
    case 'track':
      return `${titleOf(onAir.entry)} (${onAir.entry.track.id})`
    case 'jingle':
      return `jingle ${onAir.jingle.clip.id}`
    case 'chat':
      return `hosts talking${onAir.background.clip ? ` over ${onAir.background.clip.id}` : ''}`
  }
}

const titleOf = ({ track: { artist, title } }: QueueEntry) => (artist ? `${artist} – ${title}` : title)

function whatIs(last: Replayed, begun: Replayed | null, clock: (dateMs: number) => string): string {
  const { onAir } = last.after
  const startedAtMs =
    onAir.phase === 'preparing' || onAir.phase === 'chat' ? onAir.sinceMs : onAir.startedAtMs
  const since = clock(startedAtMs - (begun ?? last).aheadMs)
  return `${nameOf(last.after)}, since ${since}, in the ${last.after.mode} programme`
}

/** What ended the sound before. */
function causeOf({ input, before, after, ...at }: Replayed, clock: (dateMs: number) => string): Reason {
  const { onAir } = before
  const when = clock(dateOf(at))
  const mode =
    before.mode === after.mode ? '' : ` The programme changed from ${before.mode} to ${after.mode}.`
  const because = (text: string, ...rules: string[]): Reason => ({
    text: `${when}: ${text}${mode}`,
    rules: mode ? [...rules, before.pendingSwitch && !after.pendingSwitch ? 'S5' : 'M1'] : rules,
  })
  if (after.onAir.phase === 'jingle')
    return before.nextJingleId
      ? because(`an admin had put the jingle after ${nameOf(before)}.`, 'J7')
      : because(`${before.jingleCount.songs + 1} tracks had been played since the last jingle.`, 'J2', 'J3')
  if (after.onAir.phase === 'chat') return because('the hosts had paused the queue.', 'O1', 'O2')
  if (onAir.phase === 'preparing')
    return because('the air was waiting for a playlist, and this one was ready.', 'L3')
  if (onAir.phase === 'chat') return because('the queue went on after a pause.', 'O6', 'O8')
  const ended = nameOf(before)
  switch (input.type) {
    case 'time':
      return before.pace === 'clock'
        ? because(`${ended} had reached its end.`, 'T1')
        : because(`${ended} had not ended 30 s after its duration, so the clock ended it.`, 'T2')
    case 'takeover':
      return because('a worker took over, and went on where the clock was.', 'R1', 'R2')
    case 'command':
      return input.command.type === 'skip'
        ? because(`an admin skipped ${ended}.`, 'A7')
        : because(`the command ${input.command.type} ended ${ended}.`, ...rulesOfCommand(input.command))
    case 'fact':
      return because(...causeInFact(input.fact.type, ended))
    default:
      return because(`${ended} ended.`)
  }
}

/** The reason for silence. `sinceMs`: its beginning, as in the state; `readyAt`: the earliest end of it, in words. */
function causeOfSilence(state: PlayoutState, sinceMs: number, readyAt: string): Reason {
  const { mode, prepared, emptyModes, lastSwitchMs } = state
  const isSwitched = lastSwitchMs === sinceMs
  const rules = isSwitched ? ['S5'] : ['L3']
  const list = prepared[mode]
  if (list && list.entries.length > 0)
    return { text: `The ${mode} playlist was ready, to begin at ${readyAt}.`, rules }
  if (list || emptyModes.includes(mode)) return wantOfMusic(state)
  const making = isSwitched ? 'anew, as after every switch by an admin' : 'from the library'
  return { text: `The ${mode} playlist was still being made ${making}.`, rules }
}

function wantOfMusic({ mode, nightMode, emptyModes, unplayable, withheld }: PlayoutState): Reason {
  const isAll = nightMode && modes.every((one) => emptyModes.includes(one))
  const nothing = isAll
    ? 'Neither the day nor the night programme had a playable track'
    : `The ${mode} programme had no playable track`
  const isOfIt = (trackId: string) => isAll || trackId.startsWith(`${mode}/`)
  const lost = unplayable.filter(isOfIt).length
  const leaving = withheld.filter(({ trackId }) => isOfIt(trackId)).length
  const leftOut = [
    ...(lost > 0 ? [`left out as unplayable: ${lost}`] : []),
    ...(leaving > 0 ? [`being removed: ${leaving}`] : []),
  ]
  return {
    text: `${[nothing, ...leftOut].join('; ')}.`,
    rules: ['L3', ...(isAll ? ['M3'] : []), ...(lost > 0 ? ['T4'] : []), ...(leaving > 0 ? ['K2'] : [])],
  }
}

function causeInFact(
  type: Extract<Input, { type: 'fact' }>['fact']['type'],
  ended: string,
): [string, ...string[]] {
  switch (type) {
    case 'sound-ended':
      return [`the last sample of ${ended} had been mixed.`, 'T2']
    case 'unplayable':
      return [`${ended} could not be decoded.`, 'T4']
    case 'blank':
      return [`${ended} gave no sound for 8 s.`, 'T6']
    case 'clip-unplayable':
      return [`${ended} could not be decoded.`, 'J6']
    default:
      return [`the worker reported the fact ${type}.`]
  }
}

function rulesOfCommand({ type }: Command): string[] {
  const rules: Partial<Record<Command['type'], string[]>> = {
    'switch-mode': ['S2', 'S5'],
    'add-song': ['A1'],
    'insert-group': ['I2'],
    'restore-entry': ['A13'],
    'move-entry': ['A11'],
    'library-changed': ['K4'],
  }
  return rules[type] ?? []
}

function kindOf({ orderType, tier }: QueueEntry): Reason {
  if (orderType === 'donated')
    return {
      text: `It was paid for${tier === null ? '' : ` (tier ${tier})`}, so it stood ahead of everything that was not.`,
      rules: ['A1a', 'A1c'],
    }
  if (orderType === 'requested')
    return {
      text: 'Somebody had asked for it, so it stood ahead of generated tracks.',
      rules: ['A1b', 'A1c'],
    }
  return { text: 'Nobody had asked for it: it was the next entry of the playlist.', rules: ['L1'] }
}

/** How an entry came into the queue. */
async function originOf(
  { entryId }: QueueEntry,
  earlier: AsyncIterable<{ id: string; lines: Line[] }>,
  clock: (dateMs: number) => string,
): Promise<Reason> {
  const made = await lineThatMade(Number(entryId.slice(1)), earlier)
  if (!made) return { text: 'It came into the queue before this logbook begins.', rules: [] }
  const { line, aheadMs } = made
  const when = clock(line.atMs - aheadMs)
  const { input } = line
  const because = (text: string, ...rules: string[]) => ({ text: `${when}: ${text}`, rules })
  if (!input) return because('it came into the queue; what did it is lost.')
  if (input.type === 'command')
    return because(`the command ${input.command.type} queued it.`, ...rulesOfCommand(input.command))
  if (input.type === 'fact' && input.fact.type === 'blank')
    return because('two tracks in a row gave no sound, so one that is known to sound came next.', 'T6g')
  const library = libraryOf(input)
  if (!library) return because(`it came into the queue (${input.type}).`)
  const count = line.mark?.prepared[library.mode] ?? line.mark?.entries
  const size = count === undefined ? '' : ` of ${count} entries`
  const [how, ...rules] = waysOf(library.settings)
  return because(`the ${library.mode} playlist${size} was made: ${how}.`, ...rules)
}

function libraryOf(input: StoredInput): { mode: Mode; settings: RotationSettings } | null {
  return input.type === 'fact' && input.fact.type === 'library' ? input.fact : null
}

function waysOf({ algorithm }: RotationSettings): [string, ...string[]] {
  switch (algorithm) {
    case 'simple':
      return ['shuffled, with no artist twice in a row where another was left', 'G2', 'G3']
    case 'sections':
      return ['in sections that hold each group by its share of the library', 'G6']
    case 'group-sections':
      return ['in sections with one track of each group', 'G7']
  }
}

const isMoveOf = (input: Input, { entryId }: QueueEntry) =>
  input.type === 'command' &&
  (input.command.type === 'move-entry' || input.command.type === 'restore-entry') &&
  input.command.entryId === entryId

function moveOf({ input, ...at }: Replayed, clock: (dateMs: number) => string): Reason {
  const when = clock(dateOf(at))
  if (input.type === 'command' && input.command.type === 'move-entry')
    return {
      text: `${when}: an admin moved it from place ${input.command.from} to ${input.command.to}.`,
      rules: ['A11'],
    }
  return { text: `${when}: an admin put it back after it had been removed.`, rules: ['A13'] }
}
