import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import {
  type Begun,
  type Chapter,
  chaptersBetween,
  checkRecording,
  type Divergence,
  type Gap,
  linesIn,
  type MediaStorage,
  momentOf,
  nameOf,
  type Replayed,
  readChapters,
  readLines,
  readReport,
  recordedBetween,
  replay,
  reportLines,
  type StoredChapter,
  storedChapters,
  whyOnAir,
} from '@solstice/station'
// The file rather than the package: a command loads only what it needs.
import { solsticeVersion } from '../../packages/adapters/src/process/version.ts'
import { openMediaIfThere, pathOf, readStation } from './configuration.ts'
import { localTime } from './ledger.ts'
import { plural, Refusal, say, UsageError } from './terminal.ts'

/** A track may have begun in the hour before, or earlier. */
const BEFORE_MS = 2 * 3_600_000
const TIME = /^(?:(\d{4})-(\d\d)-(\d\d)[ T])?(\d\d):(\d\d)(?::(\d\d))?$/

/** Runs what the engine was told again, and compares. @throws Refusal where the result is another one */
export async function printReplay(args: { from?: string; to?: string; report?: string }): Promise<void> {
  const { timeZone } = readStation()
  const at = localTime(timeZone)
  if (args.report) {
    const { head, chapters } = await openReport(args.report)
    say(`service ${head.service}, Node ${head.node}`)
    const result = await runAgain(chapters, head.fromMs, head.untilMs, at, say)
    for (const line of otherVersions(result.versions)) say(line)
    return judge(result)
  }
  const { fromMs, untilMs } = spanOf(args, timeZone)
  await withChapters(async (media, stored) => {
    const chapters = readChapters(media, chaptersBetween(stored, fromMs, untilMs))
    const result = await runAgain(chapters, fromMs, untilMs, at, say)
    for (const line of otherVersions(result.versions)) say(line)
    if (result.problems.length === 0) await compareWithSound(media, result, fromMs, at)
    judge(result)
  })
}

/** Says whether the aircheck has the same tracks. @throws Refusal where it has others */
async function compareWithSound(
  media: MediaStorage,
  { played, untilMs }: Result,
  fromMs: number,
  at: (dateMs: number) => string,
): Promise<void> {
  const recorded = await recordedBetween(media, fromMs, untilMs)
  const { compared, mismatches } = checkRecording(played, recorded, fromMs, untilMs)
  for (const { atMs, engine, recording } of mismatches)
    say(`${at(atMs)}  recorded: ${titleOf(recording)}; here: ${titleOf(engine)}`)
  if (mismatches.length > 0)
    throw new Refusal(`the aircheck has other sound: ${plural(mismatches.length, 'difference')}`)
  if (compared > 0) say(`the aircheck has the same tracks: ${plural(compared, 'comparison')}`)
}

/** Says why something was on air. */
export async function printWhy(time: string): Promise<void> {
  const { timeZone } = readStation()
  const atMs = momentIn(time, timeZone)
  const at = localTime(timeZone)
  await withChapters(async (media, stored) => {
    const until = stored.filter((chapter) => chapter.atMs <= atMs)
    const near = readChapters(media, chaptersBetween(until, atMs - BEFORE_MS, atMs + 1))
    const why = await whyOnAir(near, linesBackwards(media, until), atMs, at)
    if (!why) throw new Refusal(`the logbook has nothing of ${at(atMs)}`)
    say(`${at(atMs)}  ${why.what}`)
    for (const { text, rules } of why.reasons) {
      const names = `${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}`
      say(`- ${text}${rules.length > 0 ? ` (${names})` : ''}`)
    }
    if (why.problem) say(`- ${sentenceOf(why.problem, at)}`)
    for (const line of otherVersions(why.versions)) say(`- ${line}`)
    if (why.reasons.length > 0) say('The rules are in packages/playout/SPEC.md.')
  })
}

/** Writes a file for a bug report. */
export async function writeReport(
  args: { from?: string; to?: string },
  path = 'solstice-report.gz',
): Promise<void> {
  const { timeZone } = readStation()
  const { fromMs, untilMs } = spanOf(args, timeZone)
  const at = localTime(timeZone)
  await withChapters(async (media, stored) => {
    const wanted = chaptersBetween(stored, fromMs, untilMs)
    const findings: string[] = []
    const result = await runAgain(readChapters(media, wanted), fromMs, untilMs, at, () => {})
    for (const one of result.problems) findings.push(sentenceOf(one, at, 'without values'))
    findings.push(...otherVersions(result.versions))
    const head = {
      report: 1,
      service: solsticeVersion,
      node: process.version,
      fromMs,
      untilMs,
      findings,
    } as const
    const target = pathOf(path)
    const unfinished = `${target}.part`
    const file = createWriteStream(unfinished, { mode: 0o600 })
    try {
      await once(file, 'open')
      await pipeline(Readable.from(reportLines(head, readChapters(media, wanted))), createGzip(), file)
      await rename(unfinished, target)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    for (const finding of findings) say(finding)
    say(`${target}: ${plural(wanted.length, 'chapter')}, without names, addresses and codes`)
  })
}

interface Result {
  steps: number
  /** Tracks on air, in order; the first is the one that was on already. */
  played: Begun[]
  /** Date of the last step: nothing is known of what came after. */
  untilMs: number
  problems: (Gap | Divergence)[]
  /** Of Solstice, by which it was written, as far as they are known. */
  versions: string[]
}

/** Runs chapters again, and tells what is heard between two dates. */
async function runAgain(
  chapters: AsyncIterable<Chapter> | Iterable<Chapter>,
  fromMs: number,
  untilMs: number,
  at: (dateMs: number) => string,
  tell: (line: string) => void,
): Promise<Result> {
  const result: Result = { steps: 0, played: [], untilMs: 0, problems: [], versions: [] }
  let before = ''
  for await (const one of replay(chapters)) {
    const dateMs = one.atMs - one.aheadMs
    if (one.type !== 'step') {
      result.problems.push(one)
      tell(sentenceOf(one, at))
      continue
    }
    if (dateMs >= untilMs) continue
    if (one.version && !result.versions.includes(one.version)) result.versions.push(one.version)
    result.played.push(...tracksOf(one, result.steps === 0))
    result.untilMs = dateMs
    result.steps++
    for (const { line, startedAtMs } of soundsOf(one)) {
      const startedMs = Math.round(startedAtMs - one.aheadMs)
      if (startedMs >= fromMs && startedMs < untilMs && line !== before) tell(`${at(startedMs)}  ${line}`)
      before = line
    }
  }
  return result
}

/** The tracks that begin with a step, behind the one that was on before it. */
function tracksOf({ before, effects, aheadMs }: Replayed, isFirst: boolean): Begun[] {
  const { onAir } = before
  const earlier =
    isFirst && onAir.phase === 'track' ? [{ track: onAir.entry.track, startedAtMs: onAir.startedAtMs }] : []
  const begun = effects.filter((effect) => effect.type === 'played')
  return [...earlier, ...begun].map(({ track: { title, artist }, startedAtMs }) => ({
    ...{ title, artist, beganMs: startedAtMs - aheadMs },
  }))
}

/** What begins with a step: each track that is played, or what else is on air now. */
function soundsOf({ before, after, effects }: Replayed): { line: string; startedAtMs: number }[] {
  const tracks = effects.flatMap((effect) => {
    if (effect.type !== 'played') return []
    const { track, startedAtMs } = effect
    return [{ line: `${titleOf(track)} (${track.id})`, startedAtMs }]
  })
  const { onAir } = after
  if (onAir.phase === 'track' || onAir.phase === before.onAir.phase) return tracks
  const startedAtMs = onAir.phase === 'jingle' ? onAir.startedAtMs : onAir.sinceMs
  return [...tracks, { line: nameOf(after), startedAtMs }]
}

const titleOf = ({ artist, title }: { artist: string; title: string }) =>
  artist ? `${artist} – ${title}` : title

/** A sentence where another version than this one wrote the logbook. */
function otherVersions(versions: readonly string[]): string[] {
  const others = versions.filter((version) => version !== solsticeVersion)
  if (others.length === 0) return []
  return [`written by ${others.join(', ')}, run again by ${solsticeVersion}: what it comes to may differ`]
}

function judge({ steps, problems }: Result): void {
  const differences = problems.filter(({ type }) => type === 'different').length
  const holes = problems.length - differences
  if (steps === 0 && problems.length === 0) throw new Refusal('the logbook has nothing of that time')
  const gaps = holes === 0 ? '' : `, ${plural(holes, 'hole')} in the logbook`
  if (differences > 0)
    throw new Refusal(`another result than then: ${plural(differences, 'difference')}${gaps}`)
  say(`the same result as then: ${plural(steps, 'step')}${gaps}`)
}

function sentenceOf(
  one: Gap | Divergence,
  at: (dateMs: number) => string,
  values: 'values' | 'without values' = 'values',
): string {
  const when = `${at(one.atMs - one.aheadMs)}  `
  if (one.type === 'hole') return `${when}hole: ${holes[one.why]} (${one.chapter})`
  const line = one.n === null ? 'the beginning' : `line ${one.n}`
  const pair =
    values === 'values' ? `: was ${JSON.stringify(one.kept)}, is ${JSON.stringify(one.replayed)}` : ''
  return `${when}first difference in ${line} of ${one.chapter}, ${one.where}${pair}`
}

const holes: Record<Gap['why'], string> = {
  'lines-missing': 'lines of a killed worker are missing',
  'snapshot-missing': 'the state that it begins with is missing',
  'end-missing': 'what happened before this moment is missing',
}

async function withChapters(
  work: (media: MediaStorage, stored: StoredChapter[]) => Promise<void>,
): Promise<void> {
  const media = await openMediaIfThere(readStation())
  if (!media) throw new Refusal('there is no logbook: the media storage was never used')
  try {
    const stored = await storedChapters(media)
    if (stored.length === 0) throw new Refusal('there is no logbook; AIRCHECK_DAYS keeps one')
    await work(media, stored)
  } finally {
    await media.close()
  }
}

async function* linesBackwards(media: MediaStorage, chapters: readonly StoredChapter[]) {
  for (const chapter of chapters.toReversed())
    yield { id: chapter.id, lines: await readLines(media, chapter) }
}

async function openReport(path: string) {
  try {
    const text = (await promisify(gunzip)(await readFile(pathOf(path)))).toString()
    return readReport(linesIn(text))
  } catch (error) {
    throw new Refusal(`${path} cannot be read`, { cause: error })
  }
}

function spanOf({ from, to }: { from?: string; to?: string }, timeZone: string) {
  if (from === undefined || to === undefined) throw new UsageError('--from and --to are needed')
  const [fromMs, untilMs] = [momentIn(from, timeZone), momentIn(to, timeZone)]
  if (fromMs >= untilMs) throw new UsageError('--from is not before --to')
  return { fromMs, untilMs }
}

/** `2026-11-23 14:32`, with seconds or without, in the station's time zone; without a date the last such time; or with a zone, as ISO 8601. */
function momentIn(text: string, timeZone: string): number {
  const [, year, month, day, hour, minute, second = '0'] = TIME.exec(text) ?? []
  if (hour === undefined) {
    const atMs = Date.parse(text)
    if (Number.isNaN(atMs)) throw new UsageError(`${text} is no time, such as 14:32 or "2026-11-23 14:32:10"`)
    return atMs
  }
  const today = localTime(timeZone)(Date.now()).slice(0, 10).split('-')
  const [y, m, d] = (year === undefined ? today : [year, month, day]).map(Number)
  const moment = (days: number) =>
    momentOf({ year: y!, month: m!, day: d! }, days, Number(hour), Number(minute), timeZone) +
    Number(second) * 1000
  return year === undefined && moment(0) > Date.now() ? moment(-1) : moment(0)
}
