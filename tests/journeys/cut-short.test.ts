import { FRAME_MS, type FrameChunk } from '@solstice/station'
import t from 'tap'
import { decode, melody } from '../harness/audio/audio.ts'
import { watchMachine } from '../harness/processes/machine-speed.ts'
import { openBus } from '../harness/stations/bus.ts'
import { prepareStation } from '../harness/stations/station.ts'

const WINDOWS_PER_S = 20
const pitches = [440, 660, 880]

t.test('A7: a skip is heard at once, and the next track begins with its first sample', async (t) => {
  const tones = pitches.map((hz) => ({ name: `Tone ${hz}`, hz, seconds: 60 }))
  const station = await prepareStation(t, tones, { QUEUE_SKIP_COOLDOWN_S: '0' })
  const { bus, stop } = await openBus(t, station.env.REDIS_URL!)
  const machine = watchMachine(t)
  await station.startWorker()

  const chunks: FrameChunk[] = []
  const skipped: string[] = []
  for await (const chunk of bus.frames(stop.signal)) {
    chunks.push(chunk)
    const heard = chunk.markers.findLast((marker) => marker.entryId !== null)
    if (!heard || heard.positionMs < 2_000 || skipped.at(-1) === heard.entryId) continue
    if (skipped.length === 2) break
    skipped.push(heard.entryId)
    const outcome = await bus.send({ type: 'skip' })
    t.match(outcome, { ok: true, track: { id: heard.trackId } })
  }

  const markers = chunks.flatMap((chunk) => chunk.markers).filter((marker) => marker.entryId !== null)
  const starts = markers.filter((marker, i) => marker.entryId !== markers[i - 1]?.entryId)
  t.equal(starts.length, 3)
  // The first one begins at its moment, within a frame; a skip takes effect between two.
  for (const [i, { positionMs }] of starts.entries()) {
    const within = i === 0 ? FRAME_MS : 1
    t.ok(positionMs >= 0 && positionMs < within, `begins at ${positionMs} ms`)
  }
  const heard = melody(await decode(Buffer.concat(chunks.map((chunk) => chunk.audio))), pitches)
  const begun = heard.findIndex((hz) => hz !== null)
  const silent = heard.slice(begun, -4).filter((hz) => hz === null).length
  if (machine.isQuick(t))
    t.ok(silent < WINDOWS_PER_S / 2, `no pause between them: ${silent / WINDOWS_PER_S} s of silence`)
  t.same(
    heard.filter((hz, i) => hz !== null && hz !== heard.slice(0, i).findLast((other) => other !== null))
      .length,
    3,
    'one after the other',
  )
})

const [dayHz, nightHz] = [440, 880]

t.test(
  'S5: when an admin switches the mode the track stops at once, and the other programme begins',
  async (t) => {
    const station = await prepareStation(
      t,
      [
        { name: 'Sun', hz: dayHz, seconds: 60 },
        { name: 'Moon', hz: nightHz, seconds: 60, mode: 'night' },
      ],
      // Equal hours: without a switch it is always day.
      { NIGHT_MODE: 'true', DAY_START_HOUR: '6', NIGHT_START_HOUR: '6', PREPARING_MIN_S: '2' },
    )
    const { bus, stop } = await openBus(t, station.env.REDIS_URL!)
    await station.startWorker()

    const chunks: FrameChunk[] = []
    let isAsked = false
    let nightChunks = 0
    for await (const chunk of bus.frames(stop.signal)) {
      chunks.push(chunk)
      const heard = chunk.markers.findLast((marker) => marker.entryId !== null)
      if (!isAsked && heard?.trackId === 'day/Sun.mp3' && heard.positionMs > 2_000) {
        isAsked = true
        t.same(await bus.send({ type: 'switch-mode', target: 'night', atMs: null }), { ok: true })
        t.match(await bus.send({ type: 'switch-mode', target: 'day', atMs: null }), {
          ok: false,
          code: 'MODE_SWITCH_REFUSED',
          details: { reason: 'cooldown', donated: false },
        })
      }
      if (heard?.trackId === 'night/Moon.mp3' && ++nightChunks === 5) break
    }

    const heard = melody(await decode(Buffer.concat(chunks.map((chunk) => chunk.audio))), [dayHz, nightHz])
    const [firstDay, lastDay] = [heard.indexOf(dayHz), heard.lastIndexOf(dayHz)]
    const firstNight = heard.indexOf(nightHz)
    t.ok(lastDay - firstDay < 50 * WINDOWS_PER_S, 'long before its end')
    t.ok(firstNight - lastDay > 1.5 * WINDOWS_PER_S, 'it is silent while the other mode is prepared')
    t.notOk(heard.slice(lastDay + 1, firstNight).some((hz) => hz !== null))
    t.same([...new Set(heard.slice(firstNight, -2))], [nightHz])
    t.match(
      chunks
        .flatMap((chunk) => chunk.markers)
        .find((marker) => marker.entryId !== null && marker.trackId === 'night/Moon.mp3'),
      { positionMs: 0 },
      'the night begins with the first sample of its first track',
    )
  },
)
