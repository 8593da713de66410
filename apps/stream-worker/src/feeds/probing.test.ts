import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openLocalMedia } from '@solstice/adapters'
import t from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { createProbing } from './probing.ts'

t.test('T4: a folder that is away for seconds costs a few tracks, which come back', async (t) => {
  const folder = await temporaryFolder(t)
  const music = join(folder, 'music')
  await mkdir(join(music, 'day'), { recursive: true })
  const names = Array.from({ length: 6 }, (_, i) => `${i}.mp3`)
  await Promise.all(names.map((name) => writeFile(join(music, 'day', name), 'sound')))
  const media = await openLocalMedia(folder)
  t.teardown(() => media.close())
  let backs = 0
  const onBack = () => {
    backs++
  }
  const source = createProbing(media.source, onBack, new AbortController().signal)
  const open = (i: number) => source(`day/${i}.mp3`)
  await open(0)
  await rename(music, `${music} elsewhere`)
  for (const i of [1, 2, 3]) await t.rejects(open(i), { code: 'NOT_FOUND' })
  let isSettled = false
  const fourth = open(4).finally(() => {
    isSettled = true
  })
  await media.stat('day/4.mp3')
  t.notOk(isSettled, 'the next one is not tried at once')
  await rename(`${music} elsewhere`, music)
  t.match(await fourth, /4\.mp3$/, 'and so is not lost')
  t.equal(backs, 1)
  await open(5)
  t.equal(backs, 1, 'what is there costs no pause')
})
