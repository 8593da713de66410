import type { Line } from './lines.ts'
import type { Chapter } from './read.ts'
import { linesIn, versionIn } from './read.ts'
import { readSnapshot, snapshotLines } from './snapshot.ts'

/**
 * What a report may tell, by the names of fields: tracks, settings, times and what was done. Everything else is left out, also what later
 * versions may add.
 */
const told = new Set(
  `version appliedThrough seed serial pace schedule natural changes atMs mode aheadMs nightMode limits modeSwitchCooldownMs
  preparingMinMs groupInsertCooldownMs queueAddCooldownMs queueRemoveCooldownMs queueSkipCooldownMs trackRequestCooldownMs
  trackRequestExpiryMs forced untilMs pendingSwitch target waiting lastSwitchMs lastGroupInsertMs lastAddMs lastRemoveMs lastSkipMs
  trackRequests trackRequestCooldowns sinceMs addedAtMs removed entry before after onAir phase notBeforeMs startedAtMs resumedAtMs
  phrase clip fromMs jingle entryId shownMs interrupted positionMs background modeAsOfMs lastPlayedMs playlist index repeats isStale
  entries prepared day night clips jingles phrases usable required frequency offsetMs chosenBy jingleCount songs threshold nextJingleId
  lastJingleId lastPhraseId isPaused backgroundChoice lastBackgroundId live participants requests approvals guestCooldowns ends reason
  codeFailures role isMicOn gain isMuted endsAtMs expiresAtMs hosting isOn slots guestRequestExpiryMs guestCooldownMs guestMs
  specialGuestMs emptyModes unplayable withheld trackId track tracks id title artist album year durationMs cuePoints gainDb startMs endMs
  orderType tier type command settled purpose at resumesQueue restores notAfterMs position from to clipId action speaker takeOver by
  lifeMs isReplacing when fact settings useAll maxDurationMs algorithm songsPerSection library set gone wasHeard silentFromMs n mark input next
  speakers follows libraries turns liveSinceMs`.split(/\s+/),
)
/** Names of people, connections and orders: equal ones stay equal, and tell nothing else. */
const aliased = new Set(
  'uid socketId targetId adminId replica orderId orders name nickname login code media'.split(' '),
)
/** Whose names are data. */
const byTrack = new Set(['cuePoints', 'set'])

/** Makes what remains of a value in a report. One for each report: it remembers the aliases. */
function createCleaner(): (value: unknown) => unknown {
  const aliases = new Map<string, string>()
  const aliasOf = (text: string) => {
    const known = aliases.get(text) ?? `x${aliases.size + 1}`
    aliases.set(text, known)
    return known
  }
  const alias = (value: unknown): unknown => {
    if (typeof value === 'string') return aliasOf(value)
    return Array.isArray(value) ? value.map(alias) : clean(value)
  }
  const clean = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(clean)
    return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => field(name, inner)))
  }
  const field = (name: string, value: unknown): [string, unknown][] => {
    if (aliased.has(name)) return [[name, alias(value)]]
    // Artists decide what a playlist is made of; the names of groups do not.
    if (name === 'groups' && isRecord(value))
      return [
        [
          name,
          Object.fromEntries(Object.entries(value).map(([group, artists]) => [aliasOf(group), artists])),
        ],
      ]
    if (byTrack.has(name) && isRecord(value) && !('gainDb' in value) && !('set' in value))
      return [[name, Object.fromEntries(Object.entries(value).map(([id, points]) => [id, clean(points)]))]]
    return told.has(name) ? [[name, clean(value)]] : []
  }
  return clean
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first line of a report. */
export interface ReportHead {
  report: 1
  /** Of the service, and of Node. */
  service: string
  node: string
  fromMs: number
  untilMs: number
  /** What running it again said. */
  findings: readonly string[]
}

/** A report as lines of JSON: the chapters, without what tells of people, places or secrets. It can be run again. */
export async function* reportLines(
  head: ReportHead,
  chapters: AsyncIterable<Chapter>,
): AsyncGenerator<string> {
  const clean = createCleaner()
  const plain = (_: string, value: unknown) => value
  yield `${JSON.stringify(head)}\n`
  for await (const { id, hour, atMs, snapshot, lines } of chapters) {
    yield `${JSON.stringify({ chapter: { id, hour, atMs } })}\n`
    if (snapshot)
      for await (const text of snapshotLines(
        {
          state: clean(snapshot.state) as typeof snapshot.state,
          known: clean(snapshot.known) as typeof snapshot.known,
        },
        plain,
      ))
        for (const line of linesIn(text)) yield `{"snapshot":${line}}\n`
    for (const line of lines) yield `{"line":${JSON.stringify({ ...(clean(line) as Line) })}}\n`
  }
}

/** Reads a report. @throws Error when it is none */
export function readReport(lines: readonly string[]): { head: ReportHead; chapters: Chapter[] } {
  const [first, ...others] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  if (first?.report !== 1) throw new Error('this is no report of a station')
  const read: (Pick<Chapter, 'id' | 'hour' | 'atMs' | 'lines'> & { snapshot: string[] })[] = []
  for (const line of others) {
    if (line.chapter) read.push({ ...(line.chapter as Chapter), lines: [], snapshot: [] })
    else if (line.snapshot) read.at(-1)?.snapshot.push(JSON.stringify(line.snapshot))
    else if (line.line) read.at(-1)?.lines.push(line.line as Line)
  }
  const chapters = read.map((one) => ({
    ...one,
    version: versionIn(one.lines),
    snapshot: readSnapshot(one.snapshot),
  }))
  return { head: first as unknown as ReportHead, chapters }
}
