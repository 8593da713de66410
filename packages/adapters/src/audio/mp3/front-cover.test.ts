import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { pictureFrame, withCover } from '../../../../../tests/harness/audio/pictures.ts'
import { tagBombs } from '../../../../../tests/harness/audio/tag-bombs.ts'
import { id3v2 } from '../../../../../tests/harness/audio/tags.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { longestTurnMs } from '../../../../../tests/harness/processes/turns.ts'
import { audioTags } from '../tags.ts'

const folder = await temporaryFolder(t)
const path = join(folder, 'a.mp3')
await makeTone(path, { hz: 440, seconds: 1 })
const tone = await readFile(path)
const { readCover } = audioTags()
const coverOf = async (...parts: Buffer[]) => {
  await writeFile(path, Buffer.concat([...parts, tone]))
  const cover = await readCover(path)
  return cover && Buffer.from(cover)
}
// Larger than what is read of a tag at once, with bytes that unsynchronisation changes.
const front = Buffer.from(
  Array.from({ length: 200_000 }, (_, i) => (i % 7 === 0 ? 0xff : i % 5 === 0 ? 0 : i % 251)),
)
const back = Buffer.from('the back of it')

t.test('the front cover is read from every version of ID3v2', async (t) => {
  const pic = Buffer.concat([
    Buffer.from([0]),
    Buffer.from('JPG'),
    Buffer.from([3]),
    Buffer.from('text\0'),
    front,
  ])
  t.same(await coverOf(id3v2(2, [['PIC', pic]])), front)
  t.same(await coverOf(id3v2(3, [['APIC', pictureFrame(front, { text: 'Vorderseite' })]])), front)
  t.same(await coverOf(id3v2(4, [['APIC', pictureFrame(front, { encoding: 3 })]])), front)
  t.same(await coverOf(id3v2(3, [['APIC', pictureFrame(front, { encoding: 1, text: 'Ā' })]])), front)
})

t.test('the front is preferred, else the first picture is taken; another tag may have it', async (t) => {
  const [of, other] = [
    ['APIC', pictureFrame(front)] as [string, Buffer],
    ['APIC', pictureFrame(back, { type: 4 })] as [string, Buffer],
  ]
  t.same(await coverOf(id3v2(3, [other, of])), front)
  t.same(await coverOf(id3v2(3, [other, ['TIT2', '\0title']])), back)
  t.same(await coverOf(id3v2(3, [['TIT2', '\0title']]), id3v2(4, [of])), front)
})

t.test('unsynchronisation is undone', async (t) => {
  const plain = pictureFrame(front)
  const pieces: number[] = []
  for (const byte of plain) {
    if (pieces.at(-1) === 0xff && (byte === 0 || byte >= 0xe0)) pieces.push(0)
    pieces.push(byte)
  }
  t.same(await coverOf(id3v2(4, [['APIC', Buffer.from(pieces)]], { flags: 0x80 })), front)
})

t.test(
  'there is none in a file without pictures, in an address, or in a frame that is too short or too long',
  async (t) => {
    t.equal(await coverOf(), null)
    t.equal(await coverOf(id3v2(3, [['TIT2', '\0title']])), null)
    t.equal(await coverOf(id3v2(3, [['APIC', pictureFrame(Buffer.from('http://x'), { mime: '-->' })]])), null)
    for (const cut of [
      '',
      '\0',
      '\0image/jpeg',
      '\0image/jpeg\0',
      '\0image/jpeg\0\x03',
      '\0image/jpeg\0\x03text',
      '\x01image/jpeg\0\x03',
    ])
      t.equal(await coverOf(id3v2(3, [['APIC', cut]])), null, JSON.stringify(cut))
    t.equal(await coverOf(id3v2(3, [['APIC', pictureFrame(Buffer.alloc(10 * 1024 * 1024))]])), null)
  },
)

t.test('no tag blocks the event loop', async (t) => {
  for (const [what, { before = Buffer.alloc(0) }] of Object.entries(tagBombs)) {
    const longestMs = await longestTurnMs(async () => void (await coverOf(before)))
    t.ok(longestMs < 200, `${what}: ${longestMs.toFixed()} ms`)
  }
  const many = Array.from(
    { length: 4_000 },
    () => ['APIC', pictureFrame(back, { type: 4 })] as [string, Buffer],
  )
  t.same(await coverOf(id3v2(3, many)), back)
})

t.test('editing the tags keeps the cover', async (t) => {
  await writeFile(path, withCover(tone, front))
  await audioTags().write(path, { title: 'A', artist: 'B', album: 'C', year: 2020 })
  t.same(Buffer.from((await readCover(path))!), front)
})
