import { gzipSync } from 'node:zlib'
import { type Input, initialState, type PlayoutState, type Schedule } from '@solstice/playout'
import t from 'tap'
import { type keptFiles, loggedStation } from '../../../../tests/harness/air/logged-station.ts'
import { MINUTE } from '../../../../tests/harness/air/night-station.ts'
import {
  alwaysDay,
  HOUR,
  isSame,
  library,
  NOON,
  onAir,
  randomFrom,
  stationFact,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { add, skip } from '../../../../tests/harness/air/queue-station.ts'
import { hostArrives, randomInput } from '../../../../tests/harness/air/random-inputs.ts'
import { inForm } from '../../../../tests/harness/long-form.ts'
import { forgetChapters, linesKey, storedChapters } from './names.ts'
import { type Chapter, linesIn, linesOf, readChapters, readLines } from './read.ts'
import { replay } from './replay.ts'
import { readReport, reportLines } from './report.ts'
import { whyOnAir } from './why.ts'

const HISTORIES = inForm({ short: 40, long: 2_000 })

const schedule: Schedule = {
  natural: 'day',
  changes: Array.from({ length: 12 }, (_, i) => ({
    atMs: NOON + (i + 1) * 25 * MINUTE,
    mode: i % 2 ? ('day' as const) : ('night' as const),
  })),
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const chaptersOf = async (media: ReturnType<typeof keptFiles>) =>
  readChapters(media, await storedChapters(media))
const replayed = async (media: ReturnType<typeof keptFiles>) => collect(replay(await chaptersOf(media)))

/** The state without what is masked. */
const shown = (state: PlayoutState) =>
  JSON.stringify(state, (name, value) => (name === 'address' || name === 'code' ? '' : value))
const command = (command: Extract<Input, { type: 'command' }>['command']): Input => ({
  type: 'command',
  command,
})

/** A station with music and a host that was told all sorts of things; some of it belongs to nobody else. */
async function randomStation(seed: number, turns: number) {
  const random = randomFrom(seed)
  const pace = random(2) ? 'clock' : 'sound'
  const station = loggedStation(initialState(seed, pace, schedule, NOON), { maxChapter: 20_000 })
  station.tell({ type: 'fact', fact: stationFact(schedule, {}, pace) })
  for (const input of hostArrives) station.tell(input)
  let takeovers = 0
  for (let i = 0; i < turns; i++) {
    station.pass(random(4) === 0 ? random(6 * MINUTE) : random(20_000))
    station.tell({ type: 'time' })
    station.tell(randomInput(random, station.state, station.nowMs))
    if (random(4) === 0) station.save()
    if (random(20) === 0) await station.flush()
    if (random(25) > 0) continue
    // A library that is not filed would be lost: that is another test.
    await station.flush()
    station.takeOver(random(2) ? 5_000 : HOUR)
    takeovers++
  }
  await station.flush()
  return { station, takeovers }
}

t.test('whatever an engine is told, it comes to the same again, whoever takes over meanwhile', async (t) => {
  const seen = { chapters: 0, takeovers: 0, played: 0 }
  for (let run = 0; run < HISTORIES; run++) {
    const { station, takeovers } = await randomStation(run * 7_919 + 3, 60)
    const steps = await replayed(station.media)
    const odd = steps.find(({ type }) => type !== 'step')
    if (odd) t.fail('another result than then', { run, odd })
    const last = steps.at(-1)
    if (last?.type !== 'step' || shown(last.after) !== shown(station.state))
      t.fail('another state than then', { run })
    const effects = steps.flatMap((one) => (one.type === 'step' ? one.effects : []))
    const masked = (value: unknown) => shown(value as PlayoutState)
    if (masked(effects) !== masked(station.effects)) t.fail('other effects than then', { run })
    seen.chapters += (await storedChapters(station.media)).length
    seen.takeovers += takeovers
    seen.played += effects.filter(({ type }) => type === 'played').length
  }
  t.ok(seen.chapters > 2 * HISTORIES && seen.takeovers > HISTORIES, 'all of it happened', seen)
  t.ok(seen.played > 10 * HISTORIES, 'all of it happened', seen)
})

/** A station in sync mode with twelve tracks of a minute and more. */
function smallStation() {
  const station = loggedStation(initialState(7, 'clock', alwaysDay, NOON))
  station.tell({ type: 'fact', fact: stationFact(alwaysDay, {}, 'clock', false) })
  station.tell({ type: 'fact', fact: library(tracks(12)) })
  return station
}

t.test('a killed worker leaves its lines with the state, and the next one files them', async (t) => {
  const station = smallStation()
  await station.flush()
  t.same(station.pending, [])
  station.pass(5_000)
  station.tell(command(skip))
  station.save()
  t.equal(station.pending.length, 1)
  station.pass(5_000)
  station.tell(command({ type: 'settings-changed' }))
  station.takeOver()
  await station.flush()
  const steps = await replayed(station.media)
  t.notOk(steps.some(({ type }) => type !== 'step'))
  const inputs = steps.map((one) => (one.type === 'step' ? one.input : null))
  t.ok(inputs.some((input) => input?.type === 'command' && input.command.type === 'skip'))
  t.notOk(
    inputs.some((input) => input?.type === 'command' && input.command.type === 'settings-changed'),
    'what no state had did not happen',
  )
})

t.test('a library that was not filed is a hole, and the next chapter goes on', async (t) => {
  const station = smallStation()
  station.save()
  t.ok(JSON.stringify(station.pending).length < 3_000, 'a library is not saved with states')
  station.takeOver()
  station.pass(5_000)
  station.tell(command(skip))
  await station.flush()
  const steps = await replayed(station.media)
  t.equal(steps.filter(({ type }) => type === 'hole').length, 1)
  t.notOk(steps.some(({ type }) => type === 'different'))
  t.match(steps.at(-1), { type: 'step', input: { command: { type: 'skip' } } })
})

t.test('an engine that comes to another result is found at the first line', async (t) => {
  const station = smallStation()
  await station.flush()
  station.pass(5_000)
  station.tell(command(skip))
  station.pass(5_000)
  station.tell(command(skip))
  await station.flush()
  const chapters = await collect(await chaptersOf(station.media))
  const [chapter] = chapters
  const line = chapter!.lines.at(-2)!
  line.mark = { ...line.mark!, onAir: { ...line.mark!.onAir, startedAtMs: 1 } }
  const different = (await collect(replay(chapters))).find(({ type }) => type === 'different')
  t.match(different, { n: line.n, where: 'onAir.startedAtMs', kept: 1, replayed: NOON + 5_000 })
})

t.test('a storage that is away keeps nobody waiting, and gets all of it later', async (t) => {
  const station = smallStation()
  station.media.isAway = true
  await station.flush()
  t.ok(station.pending.length > 0)
  station.media.isAway = false
  await station.flush()
  t.same(station.pending, [])
  t.notOk((await replayed(station.media)).some(({ type }) => type !== 'step'))
})

t.test(
  'a large library is kept whole in the snapshot of a chapter, and by what changed in its lines',
  async (t) => {
    const station = loggedStation(initialState(7, 'clock', alwaysDay, NOON))
    station.tell({ type: 'fact', fact: stationFact(alwaysDay, {}, 'clock', false) })
    const all = tracks(3_000).map((track) => ({ ...track, album: '🌙'.repeat(40) }))
    station.tell({ type: 'fact', fact: library(all) })
    await station.flush()
    station.pass(HOUR)
    station.tell(command({ type: 'library-changed' }))
    station.tell({
      type: 'fact',
      fact: library(all.toSpliced(1_500, 1, { ...all[1_500]!, title: 'Another' })),
    })
    await station.flush()
    const [, second] = await storedChapters(station.media)
    const text = (await linesOf(station.media, `logbook/${second!.id}.lines.gz`)).join('\n')
    t.ok(text.length < 2_000, `${text.length} characters`)
    t.match(text, /Another/)
    const [, chapter] = await collect(await chaptersOf(station.media))
    t.same(chapter!.snapshot!.known.libraries.day, all)
    t.notOk((await replayed(station.media)).some(({ type }) => type !== 'step'))
  },
)

t.test('each chapter names the version that wrote it, also after a takeover by another one', async (t) => {
  const station = smallStation()
  await station.flush()
  station.pass(5_000)
  station.tell(command(skip))
  station.save()
  station.takeOver(5_000, '1.1.0')
  station.pass(5_000)
  station.tell(command(skip))
  await station.flush()
  const versions = async () => [
    ...new Set((await replayed(station.media)).map((one) => one.type === 'step' && one.version)),
  ]
  t.same(await versions(), ['1.0.0', '1.1.0'])
  for (const { id } of await storedChapters(station.media)) {
    const lines = await linesOf(station.media, linesKey(id))
    const older = lines.map((line) => `${line.replace(/"version":"[^"]+",/, '')}\n`).join('')
    await station.media.put(linesKey(id), gzipSync(older))
  }
  t.same(await versions(), [null], 'one that names none is read as well')
})

/** Asks what was on air, and why. Dates are told in ms since noon. */
async function asking({ media }: ReturnType<typeof loggedStation>) {
  const stored = await storedChapters(media)
  async function* earlier() {
    for (const one of stored.toReversed()) yield { id: one.id, lines: await readLines(media, one) }
  }
  return (atMs: number) =>
    whyOnAir(readChapters(media, stored), earlier(), atMs - 700, (ms) => `at ${ms + 700 - NOON}`)
}

t.test('why: the rule, and what led to it', async (t) => {
  const station = smallStation()
  await station.flush()
  station.pass(5_000)
  const paid = { ...tracks(1)[0]!, id: 'day/paid.mp3', title: 'Paid' }
  station.tell(command(add(paid, 'donated', { tier: 2, orderId: 'o1', mode: 'day' })))
  station.pass(5_000)
  const first = onAir(station.state)!.track
  station.tell(command(skip))
  await station.flush()
  const ask = await asking(station)
  const skipped = await ask(NOON + 20_000)
  t.match(skipped?.what, /Paid \(day\/paid\.mp3\), since at 10000/)
  t.match(
    skipped?.reasons.map(({ text, rules }) => `${text} ${rules}`),
    [
      new RegExp(`at 10000: an admin skipped .*${first.id}.* A7`),
      /paid for \(tier 2\).* A1a,A1c/,
      /at 5000: the command add-song queued it\. A1/,
    ],
  )
  t.same(skipped?.versions, ['1.0.0'])
  const start = await ask(NOON + 3_000)
  t.match(
    start?.reasons.map(({ text, rules }) => `${text} ${rules}`),
    [/waiting for a playlist.* L3/, /Nobody had asked for it.* L1/, /the day playlist.*shuffled.* G2,G3/],
  )
  t.equal(await ask(NOON - HOUR), null)
})

t.test('why: what nothing on air waits for', async (t) => {
  const station = loggedStation(initialState(7, 'clock', alwaysDay, NOON))
  const limits = { preparingMinMs: 3_000 }
  const why = async () => {
    await station.flush()
    const told = await (await asking(station))(station.nowMs)
    t.match(told?.what, /^nothing, waiting for a playlist, since at \d+, in the (day|night) programme$/)
    station.pass(1_000)
    return told?.reasons.map(({ text, rules }) => `${text} ${rules}`)
  }
  const tell = (fact: Extract<Input, { type: 'fact' }>['fact']) => station.tell({ type: 'fact', fact })
  tell(stationFact(alwaysDay, limits, 'clock', false))
  t.same(await why(), ['The day playlist was still being made from the library. L3'])
  tell(library([]))
  t.same(await why(), ['The day programme had no playable track. L3'])

  const [one, other] = tracks(2)
  station.tell(command({ type: 'library-changed' }))
  tell(library([one!]))
  station.tell(command({ type: 'release-track', trackId: other!.id, purpose: 'remove' }))
  tell({ type: 'unplayable', entryId: onAir(station.state)!.entryId })
  tell(library([one!, other!]))
  t.match(await why(), [
    /t0\.mp3\) could not be decoded\. T4$/,
    'The day programme had no playable track; left out as unplayable: 1; being removed: 1. L3,T4,K2',
  ])

  tell(stationFact(alwaysDay, limits))
  tell(library([], 'night'))
  t.match((await why())?.[1], /^Neither the day nor the night programme had a playable track;.* L3,M3,T4,K2$/)

  station.tell(command({ type: 'library-changed' }))
  tell(library([one!]))
  tell(library(tracks(1, 1, 'night'), 'night'))
  station.tell(command({ type: 'switch-mode', target: 'night', atMs: null }))
  const switchedMs = station.nowMs - NOON
  const making = 'The night playlist was still being made anew, as after every switch by an admin. S5'
  t.match(await why(), [/the command switch-mode ended .* S2,S5,/, making])
  tell(library(tracks(1, 1, 'night'), 'night'))
  t.equal((await why())?.[1], `The night playlist was ready, to begin at at ${switchedMs + 3_000}. S5`)
})

t.test('a report can be run again, and tells of no person, address or secret', async (t) => {
  for (const seed of [5, 11, 17]) {
    const { station } = await randomStation(seed, 120)
    const head = { report: 1, service: '0', node: '0', fromMs: 0, untilMs: 1, findings: [] } as const
    const texts = await collect(reportLines(head, await chaptersOf(station.media)))
    const text = texts.join('')
    t.notMatch(text, /192\.0\.2|198\.51\.100|secret|Taras|Oksana|uid of|account of|"[gu][012]"|"o\d"/)
    const { chapters } = readReport(linesIn(text))
    t.equal(chapters[0]?.version, '1.0.0')
    const steps = await collect(replay(chapters))
    t.same(
      steps.find(({ type }) => type !== 'step'),
      undefined,
    )
    const played = (all: typeof steps) =>
      all
        .flatMap((one) => (one.type === 'step' ? one.effects : []))
        .flatMap((effect) => (effect.type === 'played' ? [`${effect.track.id} ${effect.startedAtMs}`] : []))
    t.ok(isSame(played(steps), played(await replayed(station.media))), `${steps.length} steps`)
  }
})

t.test('a report leaves out the fields that it does not know', async (t) => {
  const head = { report: 1, service: '0', node: '0', fromMs: 0, untilMs: 1, findings: [] } as const
  const line = { n: 1, atMs: 0, input: { type: 'fact', whisper: 'of a later version' } }
  async function* chapters() {
    yield { id: 'c', hour: 0, atMs: 0, snapshot: null, lines: [line] } as unknown as Chapter
  }
  const text = (await collect(reportLines(head, chapters()))).join('')
  t.match(text, '"input":{"type":"fact"}')
})

t.test('access codes and addresses are nowhere in a logbook', async (t) => {
  const { station } = await randomStation(23, 200)
  for (const key of station.media.files.keys()) {
    const text = (await linesOf(station.media, key)).join('\n')
    t.notMatch(text, /secret-|192\.0\.2|198\.51\.100/, key)
  }
})

t.test('chapters are deleted when their hour is over long enough', async (t) => {
  const station = smallStation()
  await station.flush()
  station.pass(2 * HOUR)
  station.tell({ type: 'time' })
  await station.flush()
  const nowMs = NOON + 24 * HOUR + 90 * MINUTE
  t.equal((await storedChapters(station.media)).length, 2)
  await forgetChapters(station.media as unknown as Parameters<typeof forgetChapters>[0], 1, nowMs)
  t.equal((await storedChapters(station.media)).length, 1)
})
