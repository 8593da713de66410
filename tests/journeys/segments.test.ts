import { chunkEndMs, type FrameChunk } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode, melody } from '../harness/audio/audio.ts'
import { childrenOf, isAlive, type Process } from '../harness/processes/processes.ts'
import { assertPlayedWhole, openHlsPlayer } from '../harness/stations/players/hls-player.ts'
import { followBroadcast, mustBeWhole, prepareStation, type Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const tones = [
  { name: 'Low', hz: 440, seconds: 20 },
  { name: 'High', hz: 880, seconds: 20 },
]
const MOUNTS = [
  { id: 'mp3-128', codec: 'mp3', encoder: 'libmp3lame', frameSamples: 1152 },
  { id: 'aac-64', codec: 'aac', encoder: '-c:a aac', frameSamples: 1024 },
] as const
const SEGMENT_SAMPLES = 267_264
/** Longer than a takeover makes up for. */
const SILENCE_MS = 16_000

/** A mount as the station broadcasts it, and as a player of its segments gets it. */
async function follow(t: Test, station: Station, origin: string, mount: (typeof MOUNTS)[number]) {
  const path = `/api/hls/${mount.id}/live.m3u8`
  const air = await followBroadcast(t, station, mount.codec === 'aac' ? mount.id : undefined)
  const player = openHlsPlayer(t, [origin], path)
  /** Resolves when the segments of all that was broadcast until now have been played. */
  const caughtUp = async () => {
    const { frame } = air.chunks.at(-1)!
    await player.until(Math.floor((frame * mount.frameSamples) / SEGMENT_SAMPLES))
  }
  const playlist = async () => (await fetch(origin + path)).text()
  return { ...mount, air, player, caughtUp, playlist }
}
type Followed = Awaited<ReturnType<typeof follow>>

t.test('segments of HLS are whole through hanging encoders, and breaks are told', async (t) => {
  const station = await prepareStation(t, tones, { STREAM_MOUNTS: 'mp3:128,aac:64' })
  const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
  const mounts = await Promise.all(MOUNTS.map((mount) => follow(t, station, api.url, mount)))

  await t.test('an encoder that hangs is replaced, and nobody notices', async (t) => {
    for (const mount of mounts) {
      // A segment and more of songs.
      await mount.air.more(16)
      await hang(worker, mount.encoder)
      await mount.air.more(4)
    }
    for (const mount of mounts) await mount.caughtUp()
    for (const mount of mounts) {
      const { player, air, codec } = mount
      assertTold(t, await mount.playlist(), mount)
      if (!mustBeWhole(t, air)) continue
      assertPlayedWhole(t, player.played, air.chunks, codec)
      // A broadcast begins with silence, until the first song is ready.
      const [begin] = air.chunks.flatMap(({ markers }) => markers)
      const songs = player.played.filter(
        ({ number }) => number * SEGMENT_SAMPLES >= begin!.frame * mount.frameSamples,
      )
      t.ok(songs.length > 0)
      for (const { number, bytes } of songs) await assertSounds(t, bytes, codec, number)
    }
  })

  await t.test('after a silence there is a discontinuity, in all mounts at the same segment', async (t) => {
    const [{ air }] = mounts as [Followed, Followed]
    await worker.end('SIGKILL')
    const endMs = chunkEndMs(air.chunks.at(-1)!)
    await until('it was silent for long', () => air.clock.nowMs() > endMs + SILENCE_MS)
    await station.startWorker()
    for (const mount of mounts) {
      await mount.air.more(30)
      await mount.caughtUp()
    }
    const breaks = await Promise.all(
      mounts.map(async (mount) => assertTold(t, await mount.playlist(), mount)),
    )
    t.equal(breaks[0]!.length, 1)
    t.same(breaks[0], breaks[1])
  })
})

/** Suspends the encoder of a mount; resolves when the worker has replaced it. */
async function hang(worker: Process, encoder: string): Promise<void> {
  const [hung] = (await childrenOf(worker.child.pid!)).filter(({ command }) => command.includes(encoder))
  process.kill(hung!.pid, 'SIGSTOP')
  await until('it is replaced', () => !isAlive(hung!.pid))
}

/** Fails unless a segment alone gives the sound of the station for as long as it lasts. */
async function assertSounds(t: Test, bytes: Buffer, codec: 'mp3' | 'aac', number: number): Promise<void> {
  const samples = await decode(bytes, codec)
  t.ok(
    Math.abs(samples.length - SEGMENT_SAMPLES) <= 4 * 1152,
    `${codec} ${number}: ${samples.length} samples`,
  )
  const heard = melody(
    samples,
    tones.map(({ hz }) => hz),
  )
  // A decoder that begins there needs a frame to settle.
  t.notOk(heard.slice(1, -1).includes(null), 'never silent')
}

/**
 * Fails unless a playlist tells of gaps and discontinuities where the broadcast has them, up to the last segment that is there.
 * Returns the numbers of the segments behind a discontinuity.
 */
function assertTold(t: Test, playlist: string, { air, frameSamples, id }: Followed): number[] {
  const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(playlist)?.[1])
  const listed = playlist.split('#EXTINF').slice(0, -1)
  const has = (number: number) => {
    const [from, to] = [number, number + 1].map((n) => (n * SEGMENT_SAMPLES) / frameSamples)
    return hasFrames(air.chunks, from!, to!)
  }
  const stretchAt = (number: number) => {
    const sample = number * SEGMENT_SAMPLES
    const { stretch } = air.chunks.find(({ frame, frames }) => (frame + frames) * frameSamples > sample)!
    return stretch!.sample <= sample ? stretch!.number : stretch!.number - 1
  }
  const told = listed.map((tags, i) => ({
    number: first + i,
    isGap: tags.includes('#EXT-X-GAP'),
    breaks: tags.split('#EXT-X-DISCONTINUITY\n').length - 1,
  }))
  const whole = told.filter(({ number }) => has(number))
  const expected = whole.map(({ number }, i) => ({
    number,
    isGap: false,
    breaks: i === 0 ? 0 : stretchAt(number) - stretchAt(whole[i - 1]!.number),
  }))
  t.ok(whole.length > 0)
  t.same(whole, expected, `${id}: ${whole.length} segments`)
  t.ok(
    told.every(({ number, isGap }) => isGap !== has(number) || number < first),
    'gaps where frames are missing',
  )
  t.equal(
    Number(/#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)/.exec(playlist)?.[1]),
    stretchAt(first) % 10_000,
    'the number of breaks before it',
  )
  return told.filter(({ breaks }) => breaks > 0).map(({ number }) => number)
}

const hasFrames = (chunks: readonly FrameChunk[], from: number, to: number): boolean =>
  chunks.reduce(
    (next, { frame, frames }) => (frame <= next && next < frame + frames ? frame + frames : next),
    from,
  ) >= to
