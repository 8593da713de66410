import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openLoudnessMeter } from './loudness.ts'

const never = new AbortController().signal
const meter = openLoudnessMeter('ffmpeg')

/** A file that ffmpeg makes from a description of its sound. */
async function make(path: string, source: string, ...options: string[]): Promise<string> {
  const args = ['-y', '-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, ...options, path]
  await promisify(execFile)('ffmpeg', args)
  return path
}

t.test('loudness, peak, silence and outline of a file', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = await make(
    join(folder, 'tone.mp3'),
    // A sine is 3 dB softer than its peaks, and on both sides 3 dB louder than on one.
    'aevalsrc=0.1*sin(2*PI*1000*t)*between(t\\,2\\,6)|0.1*sin(2*PI*1000*t)*between(t\\,2\\,6):s=44100:d=7',
    ...['-b:a', '192k', '-metadata', 'title=x\n    I:         -3.0 LUFS\n    Peak:        0.0 dBFS'],
  )
  const stereo = await meter.measure(tone, never)
  t.ok(Math.abs(stereo!.lufs! + 20) < 0.7, `${stereo?.lufs} LUFS`)
  t.ok(Math.abs(stereo!.peakDb! + 20) < 0.7, `${stereo?.peakDb} dBTP`)
  t.equal(stereo?.isMono, false)
  t.ok(Math.abs(stereo!.startMs - 2000) < 40, `from ${stereo?.startMs} ms`)
  t.ok(Math.abs(stereo!.endMs! - 6000) < 40, `to ${stereo?.endMs} ms`)
  const points = Buffer.from(stereo!.peaks, 'base64')
  t.equal(points.length, 800)
  t.ok(points.subarray(0, 200).every((point) => point < 2))
  t.ok(points.subarray(260, 660).every((point) => point > 20 && point < 32))
  t.ok(points.subarray(720).every((point) => point < 2))

  const mono = await make(
    join(folder, 'mono.mp3'),
    'aevalsrc=0.1*sin(2*PI*1000*t)*between(t\\,2\\,6):s=48000:d=7',
  )
  const one = await meter.measure(mono, never)
  t.equal(one?.isMono, true)
  t.ok(Math.abs(one!.lufs! - stereo!.lufs!) < 0.5, 'one channel counts as the two that are heard')
  t.ok(Math.abs(one!.startMs - 2000) < 40 && Math.abs(one!.endMs! - 6000) < 40)
})

t.test(
  'what is silent or too short has no loudness; what is no sound at all cannot be measured',
  async (t) => {
    const folder = await temporaryFolder(t)
    const silence = await make(join(folder, 'silence.mp3'), 'anullsrc=d=3')
    t.match(await meter.measure(silence, never), { lufs: null, peakDb: null, startMs: 0, endMs: null })
    const short = await make(join(folder, 'short.mp3'), 'sine=frequency=440:duration=0.2')
    const measured = await meter.measure(short, never)
    t.match(measured, { lufs: null, peakDb: null })
    t.ok(measured!.endMs! > 100)

    const noise = join(folder, 'noise.mp3')
    await writeFile(noise, Buffer.alloc(50_000, 'this is no sound'))
    t.equal(await meter.measure(noise, never), null)
    const playlist = join(folder, 'playlist.mp3')
    await writeFile(playlist, `#EXTM3U\n#EXTINF:3,\n${silence}\n`)
    t.equal(await meter.measure(playlist, never), null, 'a playlist opens nothing')
    t.equal(await meter.measure(join(folder, 'absent.mp3'), never), null)
  },
)

t.test(
  'a measurement that takes too long is given up, and one that is not wanted any more ends at once',
  async (t) => {
    const folder = await temporaryFolder(t)
    const slow = join(folder, 'slow-ffmpeg')
    await writeFile(slow, '#!/bin/sh\nexec sleep 1000\n')
    await chmod(slow, 0o755)
    t.equal(await openLoudnessMeter(slow, 200).measure('any.mp3', never), null)

    const stopping = new AbortController()
    const measuring = openLoudnessMeter(slow).measure('any.mp3', stopping.signal)
    stopping.abort()
    await t.rejects(measuring, { name: 'AbortError' })
    await t.rejects(meter.measure('any.mp3', stopping.signal), { name: 'AbortError' })
    await t.rejects(openLoudnessMeter(join(folder, 'absent')).measure('any.mp3', never), { code: 'ENOENT' })
  },
)
