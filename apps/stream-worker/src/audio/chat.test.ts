import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AirEntry, AirPlan, Participant } from '@solstice/playout'
import type { StreamMarker } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { pitch } from '../../../../tests/harness/audio/audio.ts'
import { cut, makeRecording } from '../../../../tests/harness/audio/recording.ts'
import { type Teardown, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { createMicrophoneMixer } from './microphone/mixer.ts'
import { createPlayback, type PlaybackPlan } from './playback.ts'
import { markerOf, type Placed, placedBy } from './sequencer/air-entry.ts'

const RATE = 44_100
const FRAME = 1152
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })

const track = { id: 'song', title: 'Song', artist: 'Artist', album: '', year: null, durationMs: 30_000 }
const interrupted: AirEntry = { entryId: 'e1', track, orderType: null, tier: null }
const silence: AirEntry = { ...interrupted, entryId: 'e2', track: { ...track, id: 'nothing' } }
const shown = { ...track, title: 'Just chatting', artist: '', durationMs: null }
const chat = (entryId: string, media: string | null, seconds = 0): AirEntry => ({
  entryId,
  background: media === null ? null : { id: `clip-${media}`, media, durationMs: seconds * 1000 },
  shown,
})

const host: Participant = {
  socketId: 'host',
  replica: 'r',
  uid: 'host',
  address: '127.0.0.1',
  role: 'host',
  adminId: 'super',
  name: 'Host',
  isMicOn: true,
  gain: 2,
  isMuted: false,
  sinceMs: 0,
  endsAtMs: null,
}

/** A plan that is changed by hand, and a sound that goes on by as much as it is asked for. */
async function openStudio(
  t: Teardown,
  folder: string,
  first: { entry: AirEntry; startedAtMs: number } = { entry: interrupted, startedAtMs: 0 },
  lastMarker: StreamMarker | null = null,
) {
  let current: typeof first | null = first
  let next: AirEntry | null = null
  let mixed = 0
  let progressed = () => {}
  const told: string[] = []
  const heard: { sample: number; placed: Placed | null }[] = []
  const timeOf = (sample: number) => (sample * 1000) / RATE
  const nowMs = () => timeOf(mixed)
  const planAt = (atMs: number): AirPlan => ({
    current: current && { entry: current.entry, positionMs: atMs - current.startedAtMs },
    next,
  })
  const follow = (atMs: number) => {
    current = next && { entry: next, startedAtMs: atMs }
    next = null
  }
  const plan: PlaybackPlan = {
    at: planAt,
    soundEnded(entryId, atMs) {
      told.push(`ended ${entryId}`)
      follow(atMs)
    },
    unplayable: (entryId) => told.push(`unplayable ${entryId}`),
    blank(entryId, atMs, wasHeard) {
      told.push(`blank ${entryId} at ${Math.round(atMs / 1000)} s${wasHeard ? ', heard before' : ''}`)
      follow(atMs)
    },
    late: (entryId) => told.push(`late ${entryId}`),
    clipUnplayable(clipId, atMs) {
      told.push(`unplayable ${clipId}`)
      follow(atMs)
    },
  }
  const microphones = createMicrophoneMixer({ askForHead: () => {}, nowMs, log })
  await microphones.follow([host])
  const sound = createPlayback({
    plan,
    source: async (media) => join(folder, `${media}.wav`),
    microphones,
    start: 0,
    firstHeard: 0,
    lastMarker,
    timeOf,
    ffmpegPath: 'ffmpeg',
    crossfadeMs: 0,
    onHeard: (sample, placed) => heard.push({ sample, placed }),
    onProgress: () => progressed(),
    log,
  })
  t.teardown(() => Promise.all([sound.close(), microphones.close()]))
  return {
    told,
    heard,
    nowMs,
    switchMic: (isMicOn: boolean) => microphones.follow([{ ...host, isMicOn }]),
    say: (bytes: Buffer) => microphones.receive({ socketId: 'host', bytes }),
    /** Something else is on air from now on. */
    change(entry: AirEntry | null, positionMs = 0, follower: AirEntry | null = null) {
      current = entry && { entry, startedAtMs: nowMs() - positionMs }
      next = follower
      sound.planChanged()
    },
    /** The next ms of the sound, −1 to 1, left channel; the pieces are sent meanwhile, one every 100 ms. */
    async listen(ms: number, pieces: Buffer[] = []): Promise<Float32Array> {
      const samples: number[] = []
      const until = mixed + (ms * RATE) / 1000
      let sendAt = mixed
      while (mixed < until) {
        if (mixed >= sendAt) {
          const piece = pieces.shift()
          if (piece) microphones.receive({ socketId: 'host', bytes: piece })
          sendAt += RATE / 10
        }
        const block = new Int16Array(FRAME * 2)
        const more = new Promise<void>((resolve) => {
          progressed = resolve
        })
        if (!sound.fill(block, nowMs())) {
          await more
          continue
        }
        for (let i = 0; i < FRAME; i++) samples.push(block[i * 2]! / 32_767)
        mixed += FRAME
      }
      return Float32Array.from(samples)
    },
  }
}

async function makeWav(path: string, expression: string, seconds: number) {
  const source = `aevalsrc=${expression}|${expression}:s=44100:d=${seconds}`
  await promisify(execFile)('ffmpeg', ['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, path])
}

const sine = (hz: number, level: number) => `${level}*sin(2*PI*${hz}*t)`
const near = (value: number, wanted: number) => Math.abs(value - wanted) <= wanted * 0.1
const level = (samples: Float32Array, hz: number, ms: number) =>
  pitch(samples, hz, Math.round((ms * RATE) / 1000), RATE / 10)

t.test('hosts on the air', async (t) => {
  const folder = await temporaryFolder(t)
  const path = (name: string) => join(folder, `${name}.wav`)
  await Promise.all([
    // From 6 s on it is another pitch.
    makeWav(path('song'), `if(lt(t\\,6)\\,${sine(440, 0.5)}\\,${sine(660, 0.5)})`, 30),
    makeWav(path('music'), sine(880, 0.4), 3),
    makeWav(path('second'), sine(1100, 0.4), 10),
    makeWav(path('nothing'), '0', 30),
    writeFile(path('broken'), 'no sound at all'),
  ])
  const pieces = cut(await makeRecording('sine=frequency=1500', 2), 2, 100)

  t.test('speak over a track that is ducked meanwhile', async (t) => {
    const studio = await openStudio(t, folder)
    const before = await studio.listen(500)
    t.ok(near(level(before, 440, 300), 0.5))
    const during = await studio.listen(2200, [...pieces])
    t.ok(near(level(during, 440, 1500), 0.5 * 0.16), `${level(during, 440, 1500)}`)
    t.ok(near(level(during, 1500, 1500), 0.25), `${level(during, 1500, 1500)}`)
    const after = await studio.listen(2000)
    t.ok(near(level(after, 440, 500), 0.5 * 0.16), 'and for a second after the last sound')
    t.ok(near(level(after, 440, 1800), 0.5))
  })

  t.test(
    'pause the queue: the track gives way to background music and resumes where it stopped',
    async (t) => {
      const studio = await openStudio(t, folder)
      await studio.listen(4000)
      const positionMs = studio.nowMs()
      studio.change(chat('f1', 'music', 3), 0, chat('f2', 'second', 10))
      const talking = await studio.listen(4000)
      t.ok(level(talking, 440, 0) > 0.4, 'the track does not stop at once')
      t.ok(level(talking, 440, 750) < 0.005, 'but is gone within a second')
      t.ok(near(level(talking, 880, 800), 0.4))
      t.ok(level(talking, 880, 0) < 0.15, 'background music comes in as slowly')
      t.same(studio.told, ['ended f1'])
      t.ok(level(talking, 880, 3050) < 0.005)
      t.ok(near(level(talking, 1100, 3050), 0.4), 'what follows joins without a pause')

      const { placed, sample } = studio.heard.find(({ placed }) => placed?.entry.entryId === 'f1')!
      const marker = markerOf(placed!, sample / FRAME)
      const texts = { trackId: 'song', title: 'Just chatting', artist: '' }
      t.match(marker, { ...texts, entryId: 'f1', chat: { background: { id: 'clip-music', media: 'music' } } })
      t.match(placedBy(marker).entry, {
        entryId: 'f1',
        background: { media: 'music', durationMs: 3000 },
        shown: { id: 'song' },
      })

      studio.change(chat('f3', null))
      const silent = await studio.listen(3200, [...pieces])
      t.ok(
        near(level(silent, 1500, 1500), 0.25),
        'where there is no background music hosts are heard all the same',
      )
      t.ok(level(silent, 1100, 1500) < 0.005)
      const last = studio.heard.at(-1)!
      t.match(markerOf(last.placed!, Math.ceil(last.sample / FRAME)), {
        ...texts,
        chat: { background: null },
      })

      studio.change(chat('f4', 'second', 10))
      await studio.listen(1000)
      studio.change(interrupted, positionMs)
      const resumed = await studio.listen(3000)
      t.ok(near(level(resumed, 440, 100), 0.5), 'the track is back at once')
      t.ok(level(resumed, 1100, 750) < 0.005)
      const turnMs = 6000 - positionMs
      t.ok(near(level(resumed, 440, turnMs - 150), 0.5))
      t.ok(near(level(resumed, 660, turnMs + 50), 0.5), 'it goes on at its position')
    },
  )

  t.test('are heard over the same background music when another worker goes on', async (t) => {
    const entry = chat('f1', 'music', 3)
    const lastMarker = markerOf({ entry, startsAt: -2 * RATE, phrase: null }, 0)
    const studio = await openStudio(t, folder, { entry, startedAtMs: -2000 }, lastMarker)
    const talking = await studio.listen(1500)
    t.ok(near(level(talking, 880, 850), 0.4))
    t.same(studio.told, ['ended f1'])
    t.ok(level(talking, 880, 1050) < 0.005, 'background music ends where it would have ended')

    const silence = chat('f2', null)
    const quiet = await openStudio(
      t,
      folder,
      { entry: silence, startedAtMs: -2000 },
      markerOf({ entry: silence, startsAt: -2 * RATE, phrase: null }, 0),
    )
    t.ok(near(level(await quiet.listen(2000, [...pieces]), 1500, 1500), 0.25))
    t.match(quiet.heard, [{ sample: 0, placed: { startsAt: -2 * RATE } }])
  })

  t.test(
    'T6: silence counts only while a track is on air alone, not in a chat nor while microphones are open',
    async (t) => {
      const studio = await openStudio(t, folder)
      studio.change(chat('f1', null))
      await studio.listen(9_000)
      studio.change(chat('f2', 'nothing', 20))
      await studio.listen(9_000)
      studio.change(silence)
      await studio.listen(9_000)
      t.same(studio.told, [])
      await studio.switchMic(false)
      const offAtMs = studio.nowMs()
      await studio.listen(9_500)
      t.same(studio.told, [`blank e2 at ${Math.round((offAtMs + 8_000) / 1000)} s`])

      const next = await openStudio(t, folder, { entry: silence, startedAtMs: -3_000 })
      await next.switchMic(false)
      await next.listen(9_000)
      t.same(next.told, ['blank e2 at 8 s, heard before'], 'a later worker cannot know that it was not heard')
    },
  )

  t.test('do not wait for background music that cannot be decoded', async (t) => {
    const studio = await openStudio(t, folder)
    await studio.listen(300)
    studio.change(chat('f1', 'broken', 3), 0, chat('f2', 'music', 3))
    const talking = await studio.listen(1500)
    t.same(studio.told, ['unplayable clip-broken'])
    t.ok(level(talking, 880, 1300) > 0.35)
  })
})
