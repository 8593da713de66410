import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type RadioState, streamBurstMs } from '@solstice/contracts'
import t from 'tap'
import { build } from 'vite'
import { formatDuration } from '../listener/format.ts'
import { activeLine } from '../listener/sheets/lyrics.ts'
import { artVisibility } from '../listener/stage/art-visibility.ts'
import { troubleOf } from '../listener/trouble.ts'
import { counted, texts } from '../texts.ts'
import { parsePath, pathOf } from '../ui/language.ts'
import { localizedText } from '../ui/localized-text.ts'
import { themes } from '../ui/theme.ts'
import { createRenewingToken, type GrantedToken } from './connection/renewing-token.ts'
import { bestSample, offsetMs, withSample } from './connection/station-clock.ts'
import { createLibrary, findSongs, indexSongs, type LibraryState } from './library.ts'
import { correctionOf, leadAfter } from './players/drift-correction.ts'
import { retryDelayMs } from './players/player.ts'
import { isFarBehind, isStalled, lagOf, smoothLag } from './players/stream-player.ts'
import { blockedReason, cooldownSecsLeft, updatedCooldown } from './requests.ts'
import {
  airingOf,
  heardAt,
  isChatting,
  positionAt,
  shiftedBy,
  withChat,
  withChatEnd,
  withHalt,
  withJingle,
  withMeasuredStart,
  withState,
  withTrackStart,
} from './timeline.ts'

const NOON = Date.UTC(2026, 5, 21, 12)

function air(change: Partial<RadioState>): RadioState {
  return {
    track: 'day/a.mp3',
    title: 'A',
    artist: 'Somebody',
    album: '',
    year: null,
    orderType: null,
    tier: null,
    duration: 100,
    seek: 0,
    isPlaying: true,
    playlist: [],
    currentIndex: 0,
    totalTracks: 1,
    mode: 'day',
    serverTimeMs: NOON,
    isPreparing: false,
    pendingModeSwitch: null,
    skipCooldownSecsLeft: 0,
    dayStartHour: 6,
    nightStartHour: 0,
    uiSettings: {
      messenger_url: '',
      byLang: {
        uk: { dayRadioName: '', nightRadioName: '', messengerLabel: '' },
        en: { dayRadioName: '', nightRadioName: '', messengerLabel: '' },
      },
      artistArts: { dayEnabled: true, nightEnabled: true },
    },
    ...change,
  }
}

t.test('the station’s clock is read from the exchange with the smallest round trip', async (t) => {
  const slow = { sentMs: 1000, serverMs: 51_900, receivedMs: 2000 }
  const quick = { sentMs: 3000, serverMs: 53_020, receivedMs: 3040 }
  const samples = withSample(withSample([], slow), quick)
  t.equal(bestSample(samples), quick)
  t.equal(offsetMs(quick), 50_000)
  t.equal(bestSample([]), null)
  const late = { sentMs: 200_000, serverMs: 250_500, receivedMs: 201_000 }
  t.same(withSample(samples, late), [late], 'old samples are forgotten, however good')
})

t.test('what is heard is what was on air when the sound left the station', async (t) => {
  let airings = withState([], air({ seek: 90 }))
  airings = withState(airings, air({ track: 'day/b.mp3', title: 'B', serverTimeMs: NOON + 10_000, seek: 0 }))
  const behind = heardAt(airings, NOON + 6000)
  t.equal(behind?.state.title, 'A', 'four seconds behind, the last song still plays')
  t.equal(positionAt(behind!, NOON + 6000), 96)
  const live = heardAt(airings, NOON + 12_000)
  t.equal(live?.state.title, 'B')
  t.equal(positionAt(live!, NOON + 12_000), 2)
  t.equal(positionAt(live!, NOON + 999_000), 100, 'a position is never beyond the song')
  t.equal(heardAt([], NOON), null)
})

t.test('the same song told again replaces what was known; songs long past are forgotten', async (t) => {
  let airings = withState([], air({}))
  airings = withState(airings, air({ serverTimeMs: NOON + 2000, seek: 2.1 }))
  t.equal(airings.length, 1)
  t.equal(airings[0]?.startedAtMs, NOON - 100)
  airings = withState(airings, air({ track: 'day/b.mp3', serverTimeMs: NOON + 100_000 }))
  t.equal(airings.length, 2)
  airings = withState(airings, air({ track: 'day/c.mp3', serverTimeMs: NOON + 300_000 }))
  t.same(
    airings.map(({ state }) => state.track),
    ['day/b.mp3', 'day/c.mp3'],
  )
  const again = withState([airingOf(air({}))], air({ serverTimeMs: NOON + 100_000 }))
  t.equal(again.length, 2, 'a song that follows itself is two')
})

t.test('talk begins when it is told, and has no position to come from', async (t) => {
  const talk = air({ title: 'Just chatting', artist: '', duration: 0, serverTimeMs: NOON + 5000 })
  t.ok(isChatting(talk))
  t.notOk(isChatting(air({ title: 'Just chatting', artist: 'A Band' })), 'a song may bear that name')
  const airings = withState(withState([], air({})), talk)
  t.equal(heardAt(airings, NOON + 4000)?.state.title, 'A')
  t.equal(heardAt(airings, NOON + 5000)?.state.title, 'Just chatting')
})

t.test(
  'drift beyond 0.35 s is a jump, not sooner than 2 s after the last, never while settling',
  async (t) => {
    const free = { isSettling: false, sinceJumpMs: 60_000 }
    t.same(correctionOf(0.36, free), { do: 'jump' })
    t.same(correctionOf(-0.36, free), { do: 'jump' })
    t.equal(correctionOf(3, { ...free, sinceJumpMs: 1999 }).do, 'rate')
    t.same(correctionOf(3, { ...free, isSettling: true }), { do: 'wait' })
    t.same(correctionOf(0.35, free), { do: 'rate', rate: 1.02 })
    t.same(correctionOf(-0.35, free), { do: 'rate', rate: 0.98 })
    t.same(correctionOf(0.1, free), { do: 'rate', rate: 1.01 })
    t.same(correctionOf(0.01, free), { do: 'rate', rate: 1 })
    t.equal(leadAfter(0.1, 0.2).toFixed(1), '0.3', 'a jump that lands late starts earlier next time')
    t.equal(leadAfter(0.1, -1), 0)
  },
)

t.test('a stream is heard a burst behind the station, and further with every halt', async (t) => {
  const progress = {
    openedAtMs: NOON,
    nowMs: NOON + 10_000,
    playedS: 10,
    bufferedAheadS: 2,
    roundTripMs: 200,
  }
  t.equal(lagOf(progress), streamBurstMs / 1000)
  t.equal(lagOf({ ...progress, playedS: 7 }), streamBurstMs / 1000 + 3, 'three seconds of halts')
  t.equal(lagOf({ ...progress, bufferedAheadS: 12 }), 12.1, 'what is in store is surely still to come')
  t.equal(smoothLag(null, 8), 8)
  t.equal(smoothLag(8, 9), 8.3)
  t.notOk(isFarBehind(streamBurstMs / 1000 + 5))
  t.ok(isFarBehind(streamBurstMs / 1000 + 7), 'then it begins anew')
})

t.test('five still seconds are a stall', async (t) => {
  t.notOk(isStalled(10_000, 5000))
  t.ok(isStalled(10_001, 5000))
})

t.test('retries grow apart to 15 s, and differ between listeners', async (t) => {
  t.same(
    [0, 1, 2, 9].map((attempt) => retryDelayMs(attempt, 0.5)),
    [500, 1000, 2000, 15_000],
  )
  t.not(retryDelayMs(3, 0), retryDelayMs(3, 1))
})

t.test(
  'a pass is asked for once by many, lasts as long as needed, and is renewed when its life is too short',
  async (t) => {
    let nowMs = 0
    let asked = 0
    const pass = createRenewingToken(
      async (): Promise<GrantedToken> => ({ token: `t${++asked}`, expiresInS: 900 }),
      () => nowMs,
    )
    t.teardown(pass.stop)
    t.equal(pass.peek(), null)
    t.same(await Promise.all([pass.get(), pass.get()]), ['t1', 't1'])
    nowMs = 700_000
    t.equal(await pass.get(100), 't1', '200 s left are enough for 100')
    t.equal(await pass.get(240), 't2', 'a track longer than that takes a new one')
    t.equal(await pass.get(7200), 't2', 'no pass lives for two hours: a fresh one will do')
    nowMs += 880_000
    t.equal(pass.peek(), null, 'in its last 30 s a pass is not used')
  },
)

t.test('a refused pass is asked for again', async (t) => {
  let asked = 0
  const pass = createRenewingToken(async () => {
    if (++asked === 1) throw new Error('refused')
    return { token: 'here', expiresInS: 60 }
  })
  t.teardown(pass.stop)
  await t.rejects(pass.get())
  t.equal(await pass.get(), 'here')
})

t.test('the language is found in whatever shape a message has', async (t) => {
  const both = { uk: 'так', en: 'yes' }
  for (const message of [
    both,
    { code: 'X', ...both },
    { localized: both },
    { error: { code: 'X', localized: both } },
    { error: both, message: both },
    JSON.stringify({ code: 'X', ...both }),
  ]) {
    t.equal(localizedText(message, 'en'), 'yes', JSON.stringify(message))
    t.equal(localizedText(message, 'uk'), 'так')
  }
  t.equal(localizedText('fetch_failed', 'en'), 'fetch_failed')
  t.equal(localizedText('{ not json', 'en'), '{ not json')
  t.equal(localizedText({ uk: 'так' }, 'en'), 'так', 'Ukrainian when the language is missing')
  t.equal(localizedText({ uk: '', en: 'yes' }, 'uk'), 'yes')
  for (const nothing of [null, undefined, 7, {}, { uk: 3 }]) t.equal(localizedText(nothing, 'uk'), '')
})

t.test('Ukrainian has the bare addresses, English its own, nothing else is a page', async (t) => {
  const place = (path: string) => {
    const found = parsePath(path)
    return found && `${found.page} ${found.locale}`
  }
  const known = ['/', '/en/', '/en', '/guest', '/en/guest/', '/adlogin', '/adpanel/']
  t.same(known.map(place), [
    'player uk',
    'player en',
    'player en',
    'guest uk',
    'guest en',
    'adlogin uk',
    'adpanel uk',
  ])
  for (const path of ['/uk/', '/nowhere', '/en/x', '/guest/x', '/constructor'])
    t.equal(parsePath(path), null, path)
  for (const path of known) t.same(parsePath(pathOf(parsePath(path)!)), parsePath(path))
})

t.test('every text exists in both languages; numbers bring the right word', async (t) => {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value && !('many' in value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
      : typeof value
  t.same(shape(texts.uk), shape(texts.en))
  t.notOk(Object.values(texts).some((table) => Object.values(table).includes('')))
  const cups = { one: 'чашка', few: 'чашки', many: 'чашок' }
  t.same(
    [1, 3, 11, 22].map((n) => counted(n, cups, 'uk')),
    ['1 чашка', '3 чашки', '11 чашок', '22 чашки'],
  )
  t.equal(counted(2, { one: 'cup', many: 'cups' }, 'en'), '2 cups')
})

t.test('one trouble is told at a time, the most basic first', async (t) => {
  const retrying = { is: 'retrying', because: 'not-ready' } as const
  t.equal(troubleOf('offline', null, retrying), 'offline')
  t.equal(troubleOf('online', null, { is: 'off' }), 'connecting')
  t.equal(troubleOf('online', air({ isPreparing: true }), { is: 'starting' }), 'preparing')
  t.equal(troubleOf('online', air({}), { is: 'blocked' }), 'blocked')
  t.equal(troubleOf('online', air({}), retrying), 'not-ready')
  t.equal(troubleOf('online', air({}), { is: 'playing' }), null)
})

t.test('the sung line is the last one whose time and offset have come', async (t) => {
  const lines = [5, 8, 12].map((time) => ({ time, text: '' }))
  t.same(
    [0, 5, 11.9, 99].map((at) => activeLine({ lines, offset: 0 }, at)),
    [-1, 0, 1, 2],
  )
  t.equal(activeLine({ lines, offset: 1.5 }, 9), 0)
  t.equal(activeLine({ lines, offset: -1.5 }, 11), 2)
})

t.test('during a jingle the position stands where the song ended, until a track starts', async (t) => {
  const told = air({ seek: 90 })
  let airings = withJingle(withState([], told), NOON + 9000)
  const at = (afterMs: number) => positionAt(heardAt(airings, NOON + afterMs)!, NOON + afterMs)
  t.equal(at(5000), 95, 'who hears later still hears the end of the song')
  t.equal(at(20_000), 99)
  airings = withState(airings, air({ seek: 99, serverTimeMs: NOON + 11_000 }))
  airings = withState(airings, air({ seek: 99, serverTimeMs: NOON + 70_000 }))
  airings = withMeasuredStart(airings, told.track, NOON + 30_000)
  t.equal(airings.length, 1, 'a jingle of any length is no repetition of the song')
  t.same([5000, 20_000, 80_000].map(at), [95, 99, 99])

  const again = withTrackStart(airings, told.track, NOON + 80_000)
  t.same(
    [70_000, 84_000].map((afterMs) => positionAt(heardAt(again, NOON + afterMs)!, NOON + afterMs)),
    [99, 4],
    'the same song may follow itself',
  )
  const other = air({ track: 'day/b.mp3', title: 'B', seek: 1, serverTimeMs: NOON + 81_000 })
  t.equal(positionAt(withState(airings, other).at(-1)!, NOON + 82_000), 2)
  t.same(withTrackStart(airings, 'day/c.mp3', NOON), airings, 'of another track nothing is known yet')
})

t.test('who comes in the middle of a jingle sees it by a position that does not move', async (t) => {
  let airings = withState([], air({ seek: 80 }))
  airings = withState(airings, air({ seek: 80, serverTimeMs: NOON + 2000 }))
  t.equal(positionAt(airings[0]!, NOON + 30_000), 80)
  airings = withState(airings, air({ seek: 84, serverTimeMs: NOON + 34_000 }))
  t.equal(positionAt(airings[0]!, NOON + 36_000), 86, 'and when it moves again, so does the page')
})

t.test('while no sound comes, what a listener has in store is shown to its end', async (t) => {
  const told = air({ seek: 30 })
  let airings = withHalt(withState([], told), told.track, 32)
  const at = (afterMs: number) => positionAt(heardAt(airings, NOON + afterMs)!, NOON + afterMs)
  t.same([-5000, 1000, 2000, 5000].map(at), [25, 31, 32, 32])
  airings = withState(airings, air({ seek: 32, serverTimeMs: NOON + 4000 }))
  t.same([1000, 5000].map(at), [31, 32])
  airings = withState(airings, air({ seek: 36, serverTimeMs: NOON + 6000 }))
  t.same([1000, 5000].map(at), [31, 35], 'and goes on as soon as sound comes again')
  t.same(withHalt(airings, 'day/b.mp3', 40), airings)
})

t.test(
  'a talk is seen when it is heard, however late that is, and so is the song that goes on after it',
  async (t) => {
    const talk = (afterMs: number) =>
      air({ title: 'Just chatting', artist: '', duration: 0, serverTimeMs: NOON + afterMs })
    const back = (afterMs: number) =>
      air({ seek: 42 + (afterMs - 30_000) / 1000, serverTimeMs: NOON + afterMs })
    const at = (airings: ReturnType<typeof withState>, afterMs: number) => {
      const airing = heardAt(airings, NOON + afterMs)!
      return isChatting(airing.state) ? 'talk' : positionAt(airing, NOON + afterMs)
    }
    const told = withState([], air({ seek: 40 }))
    for (const isTold of [true, false]) {
      let airings = isTold ? withChat(told, NOON + 2000) : told
      for (const afterMs of [2100, 4100, 6100, 28_100]) airings = withState(airings, talk(afterMs))
      if (isTold) airings = withChat(airings, NOON + 2000)
      t.same(
        [1900, 2200, 20_000].map((afterMs) => at(airings, afterMs)),
        [41.9, 'talk', 'talk'],
      )
      t.equal(airings.length, 2)
      const [first, second] = [withState(airings, back(30_100)), withChatEnd(airings, NOON + 30_000)]
      const orders = isTold ? [withChatEnd(first, NOON + 30_000), withState(second, back(30_100))] : [first]
      for (const ended of orders) {
        const later = withState(ended, back(32_100))
        t.same(
          [29_900, 30_100, 33_000].map((afterMs) => at(later, afterMs)),
          ['talk', 42.1, 45],
        )
      }
    }
    const next = air({ track: 'day/b.mp3', seek: 1, serverTimeMs: NOON + 31_000 })
    t.equal(at(withState(withState(told, talk(2100)), next), 31_000), 1)
    t.same(withChat([], NOON), [])
    t.same(withChatEnd(told, NOON), told)
  },
)

t.test('songs are in the order of artists, and found by every word of theirs', async (t) => {
  const song = (artist: string, title: string) => ({ id: `day/${title}.mp3`, artist, title })
  const songs = indexSongs([
    song('Океан Ельзи', 'Обійми'),
    song('AC-DC', 'Track 10'),
    song('AC-DC', 'Track 9'),
    song('Ірина Білик', 'Снег | Сніг'),
  ])
  const titles = (query: string) => findSongs(songs, query).map(({ song }) => song.title)
  t.same(titles(''), ['Снег | Сніг', 'Обійми', 'Track 9', 'Track 10'])
  t.same(titles('обій океан'), ['Обійми'])
  t.same(titles('track-ac,dc'), ['Track 9', 'Track 10'])
  t.same(titles('ірина|сніг'), ['Снег | Сніг'])
  t.same(titles('ac обійми'), [])
  t.same(titles(' - , '), titles(''), 'marks alone are no words')

  const many = indexSongs(Array.from({ length: 10_000 }, (_, i) => song(`Artist ${i % 100}`, `Song ${i}`)))
  t.equal(findSongs(many, 'artist-99 song 4999').length, 1)
})

t.test('the library is read when it is looked at, and again when it changed', async (t) => {
  let reads = 0
  let isDown = false
  const library = createLibrary(async () => {
    reads++
    if (isDown) throw new Error('down')
    return [{ id: 'day/a.mp3', artist: 'A', title: String(reads) }]
  })
  const shelfThat = (is: LibraryState['is']) =>
    new Promise<LibraryState>((resolve) => {
      const look = (shelf: LibraryState) => shelf.is === is && resolve(shelf)
      library.state.subscribe(look)
      look(library.state.value)
    })
  library.invalidate()
  t.equal(reads, 0, 'nobody looks')
  const close = library.open()
  t.match(await shelfThat('loaded'), { is: 'loaded', songs: [{ song: { title: '1' } }] })
  close()
  library.open()()
  t.equal(reads, 1, 'what is known is not read again')
  library.invalidate()
  isDown = true
  library.open()
  await shelfThat('failed')
  isDown = false
  library.retry()
  t.match(await shelfThat('loaded'), { is: 'loaded', songs: [{ song: { title: '3' } }] })
})

t.test('a wait counts whole seconds; the first hindrance of a request is told', async (t) => {
  const wait = updatedCooldown(null, 300, NOON)!
  t.same(
    [0, 1, 1000, 299_001, 300_000, 400_000].map((afterMs) => cooldownSecsLeft(wait, NOON + afterMs)),
    [300, 300, 299, 1, 0, 0],
  )
  t.equal(updatedCooldown(wait, 200, NOON + 100_000)?.totalS, 300, 'the same wait, told again')
  t.equal(updatedCooldown(wait, 300, NOON + 299_000)?.totalS, 300, 'a new one after it')
  t.equal(updatedCooldown(wait, 0, NOON), null)
  t.same(
    [blockedReason(null, 9), blockedReason(false, 9), blockedReason(false, 0), blockedReason(true, 0)],
    ['unknown', 'cooldown', 'no_admin', null],
  )
})

t.test('the picture comes with the first 15 s of a song and goes with the last', async (t) => {
  t.same(
    [0, 7.5, 15, 100, 192.5, 200].map((at) => artVisibility(at, 200)),
    [0, 0.5, 1, 1, 0.5, 0],
  )
  t.equal(artVisibility(3, 0), 1, 'a song of unknown length has no end to fade before')
})

t.test('times are read as people read them', async (t) => {
  t.same([0, 7.9, 60, 187, 3725].map(formatDuration), ['0:00', '0:07', '1:00', '3:07', '62:05'])
})

t.test('text has a contrast of at least 4.5 : 1 on sky and on ground, marks of focus 3 : 1', async (t) => {
  for (const [mode, theme] of Object.entries(themes)) {
    for (const ground of [theme.sky, theme.horizon]) {
      for (const text of [theme.ink, theme.inkSoft, theme.live])
        t.ok(
          contrast(text, ground) >= 4.5,
          `${mode}: ${text} on ${ground} ${contrast(text, ground).toFixed(2)}`,
        )
      t.ok(contrast(theme.focus, ground) >= 3, `${mode}: focus on ${ground}`)
    }
    t.ok(contrast(theme.onLight, theme.light) >= 4.5, `${mode}: text on the light`)
    t.ok(contrast(theme.sky, theme.live) >= 4.5, `${mode}: text on what is on the air`)
  }
})

t.test('the first view is under 60 KB of compressed script, and has no schemas in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-web-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  await build({ root, build: { outDir: folder, emptyOutDir: true }, logLevel: 'silent' })
  const assets = await readdir(join(folder, 'assets'))
  // What the page begins with, and what that asks for by itself; other pages are fetched when they are opened.
  const first = new Set(/assets\/[^"]+\.js/.exec(await readFile(join(folder, 'index.html'), 'utf8')))
  for (const path of first) {
    const script = await readFile(join(folder, path), 'utf8')
    for (const [, name] of script.matchAll(/(?:\bimport|from)\s*"\.\/([^"]+\.js)"/g))
      first.add(`assets/${name}`)
  }
  const scripts = await Promise.all([...first].map((path) => readFile(join(folder, path))))
  t.ok(scripts.length < assets.filter((name) => name.endsWith('.js')).length)
  const size = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)
  t.ok(scripts.length > 0 && size < 60_000, `${size} bytes`)
  t.notMatch(Buffer.concat(scripts).toString(), /\/api\/public\/config",summary|minLength/)
  for (const name of ['index.html', 'manifest.webmanifest', 'sw.js', 'icon-192.png', 'icon-512.png'])
    t.ok((await readFile(join(folder, name))).length > 0, name)
})

/** Contrast ratio of two colours (WCAG 2.2, 1.4.3). */
function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

t.test('a clock of the station that was set is taken up at once, and nothing jumps', async (t) => {
  const DAY = 86_400_000
  for (const byMs of [-DAY, -60_000, 60_000, DAY]) {
    const good = { sentMs: 0, serverMs: NOON + 5, receivedMs: 10 }
    const slow = { sentMs: 8_000, serverMs: NOON + byMs + 8_400, receivedMs: 8_800 }
    const samples = withSample([good], slow)
    t.same(samples, [slow], 'however good what came before was')
    t.same(
      withSample([good], { ...slow, serverMs: NOON + 8_100 }).length,
      2,
      'a slow answer is no other clock',
    )
    const setByMs = offsetMs(bestSample(samples)!) - offsetMs(good)
    const before = airingOf(air({ seek: 30 }))
    const after = shiftedBy({ ...before, heldFromMs: NOON + 40_000 }, setByMs)
    t.equal(positionAt(after, NOON + 5_000 + setByMs), positionAt(before, NOON + 5_000))
    t.equal(positionAt(after, NOON + 90_000 + setByMs), 70, 'a halt stays where it is')
  }
})
