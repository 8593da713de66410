import type { FrameChunk } from '@solstice/station'
import t from 'tap'
import { decode, melody } from '../harness/audio.ts'
import { openBus, prepareStation } from '../harness/station.ts'

const WINDOWS_PER_S = 20
const pitches = [440, 660, 880]

t.test('A7: a skip is heard at once, and the next track begins with its first sample', async (t) => {
  const tones = pitches.map((hz) => ({ name: `Tone ${hz}`, hz, seconds: 60 }))
  const station = await prepareStation(t, tones, { QUEUE_SKIP_COOLDOWN_S: '0' })
  const { bus, stop } = await openBus(t, station)
  await station.startWorker()

  const chunks: FrameChunk[] = []
  const skipped: string[] = []
  for await (const chunk of bus.frames(stop.signal)) {
    chunks.push(chunk)
    const heard = chunk.cues.findLast((cue) => cue.entryId !== null)
    if (!heard || heard.positionMs < 2_000 || skipped.at(-1) === heard.entryId) continue
    if (skipped.length === 2) break
    skipped.push(heard.entryId)
    const outcome = await bus.send({ type: 'skip' })
    t.match(outcome, { ok: true, track: { id: heard.trackId } })
  }

  const cues = chunks.flatMap((chunk) => chunk.cues).filter((cue) => cue.entryId !== null)
  const starts = cues.filter((cue, i) => cue.entryId !== cues[i - 1]?.entryId)
  t.equal(starts.length, 3)
  for (const { positionMs } of starts) t.ok(Math.abs(positionMs) < 1, `begins at ${positionMs} ms`)
  const heard = melody(await decode(Buffer.concat(chunks.map((chunk) => chunk.audio))), pitches)
  const begun = heard.findIndex((hz) => hz !== null)
  const silent = heard.slice(begun, -4).filter((hz) => hz === null).length
  t.ok(silent < WINDOWS_PER_S / 2, `no pause between them: ${silent / WINDOWS_PER_S} s of silence`)
  t.same(
    heard.filter((hz, i) => hz !== null && hz !== heard.slice(0, i).findLast((other) => other !== null))
      .length,
    3,
    'one after the other',
  )
})
