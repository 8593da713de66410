import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../../../../tests/harness/audio/audio.ts'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openTagParser } from './tag-parser.ts'

const folder = await temporaryFolder(t)
const parse = openTagParser()
const path = join(folder, 'a.mp3')
await makeTone(path, { hz: 440, seconds: 1, title: 'Ніч', artist: 'Мавка' })
const tone = await readFile(path)
const facts = { title: 'Ніч', artist: 'Мавка' }

t.test('a file is given up after the timeout, and the next one is read', async (t) => {
  const hurried = openTagParser(0)
  t.same(await Promise.all([hurried(path, 'audio/mpeg'), hurried(path, 'audio/mpeg')]), [null, null])
  t.match(await parse(path, 'audio/mpeg'), facts)
})

t.test('an unreadable file has no texts', async (t) => {
  t.equal(await parse(join(folder, 'none.mp3'), 'audio/mpeg'), null)
  const claim = join(folder, 'claim.mp3')
  await writeFile(claim, Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), tone]))
  t.equal(await parse(claim, 'audio/mpeg'), null, 'nor of one that claims to hold 256 MB')
  t.match(await parse(path, 'audio/mpeg'), facts)
})
