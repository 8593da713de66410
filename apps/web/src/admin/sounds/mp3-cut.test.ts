import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { decode, makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { cutMp3 } from './mp3-cut.ts'

const path = join(await temporaryFolder(t), 'tone.mp3')
await makeTone(path, { hz: 440, seconds: 8, title: 'Station call' })
const tone = new Uint8Array(await readFile(path))

t.test('a part of an MP3 lasts as long as was asked, to a frame', async (t) => {
  const cut = cutMp3(tone, 2, 6.5)
  t.ok(cut && cut.length < tone.length)
  const seconds = (await decode(cut!)).length / 44_100
  t.ok(Math.abs(seconds - 4.5) < 0.1, `${seconds} s`)
})

t.test('what has no frames of MP3 is not cut', async (t) => {
  t.equal(cutMp3(new Uint8Array(5000), 0, 5), null)
  t.equal(cutMp3(new TextEncoder().encode('RIFF, no MP3'), 0, 5), null)
})
