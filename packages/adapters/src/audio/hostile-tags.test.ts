import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../../../../tests/harness/audio/audio.ts'
import { tagBombs } from '../../../../tests/harness/audio/tag-bombs.ts'
import { id3v2 } from '../../../../tests/harness/audio/tags.ts'
import { inForm } from '../../../../tests/harness/long-form.ts'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { longestTurnMs } from '../../../../tests/harness/processes/turns.ts'
import { openTagParser } from './tag-parser.ts'

const folder = await temporaryFolder(t)
/** Bombs burn all of it; the service gives two seconds. */
const parse = openTagParser(inForm({ short: 1_000, long: 2_000 }))
const path = join(folder, 'a.mp3')
await makeTone(path, { hz: 440, seconds: 1, title: 'Ніч', artist: 'Мавка' })
const tone = await readFile(path)
const facts = { title: 'Ніч', artist: 'Мавка' }
/** The short form leaves out those of which the second test has more. */
const isLeftOut = inForm({ short: /TXXX:ARTISTS/, long: /^$/ })

t.test('no tag blocks the event loop, and the next file is read', async (t) => {
  const bombs = Object.entries(tagBombs).filter(([what]) => !isLeftOut.test(what))
  for (const [what, { before = Buffer.alloc(0), behind = Buffer.alloc(0) }] of bombs) {
    const bomb = join(folder, 'bomb.mp3')
    await writeFile(bomb, Buffer.concat([before, tone, behind]))
    const longestMs = await longestTurnMs(async () => {
      const [, next] = await Promise.all([parse(bomb, 'audio/mpeg'), parse(path, 'audio/mpeg')])
      t.match(next, facts, `behind ${what}`)
    })
    t.ok(longestMs < 200, `${what}: ${longestMs.toFixed()} ms`)
  }
})

t.test('a file that would take minutes is given up', async (t) => {
  const names = Array.from({ length: 200_000 }, (_, i) => `n${i}`).join('\0')
  const bomb = join(folder, 'bomb.mp3')
  await writeFile(bomb, Buffer.concat([id3v2(4, [['TXXX', `\x03ARTISTS\0${names}`]]), tone]))
  t.equal(await parse(bomb, 'audio/mpeg'), null)
  t.match(await parse(path, 'audio/mpeg'), facts)
})
