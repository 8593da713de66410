import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { id3v2 } from '../../../../../tests/harness/audio/tags.ts'
import { placeFrames } from './frame-places.ts'
import { frameAt } from './length.ts'

t.test('frames are placed after the tags and the encoder’s note, as far as they have no gap', async (t) => {
  const folder = t.testdir()
  const [tone, path] = [join(folder, 'tone.mp3'), join(folder, 'varying.mp3')]
  await makeTone(tone, { hz: 440, seconds: 20 })
  const encode = ['-i', tone, '-af', 'tremolo=f=0.1:d=0.99', '-q:a', '4', path]
  await promisify(execFile)('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...encode])

  const places = await placeFrames(path, 100)
  const file = await readFile(path)
  const walked: number[] = []
  let at = places[0]!
  for (let number = 0; ; number++) {
    const frame = frameAt(file, at)
    if (!frame || at + frame.length > file.length) break
    if (number % 100 === 0) walked.push(at)
    at += frame.length
  }
  t.ok(walked.length > 6)
  t.same(places, walked)
  const note = file.subarray(0, places[0]).lastIndexOf('Xing')
  t.ok(note > 0, 'the note is no frame')

  await writeFile(path, Buffer.concat([id3v2(4, []), file]))
  const shift = id3v2(4, []).length
  t.same(
    await placeFrames(path, 100),
    places.map((place) => place + shift),
  )

  const cut = places[3]! + 50
  await writeFile(path, Buffer.concat([file.subarray(0, cut), Buffer.alloc(7), file.subarray(cut)]))
  t.same(await placeFrames(path, 100), places.slice(0, 4), 'nothing is said of what lies after a gap')
  await writeFile(path, Buffer.alloc(100_000, 'R'))
  t.same(await placeFrames(path, 100), [])
})
