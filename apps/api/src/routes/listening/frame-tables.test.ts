import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openLocalMedia } from '@solstice/adapters'
import t from 'tap'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { createFrameTables } from './frame-tables.ts'

const KEY = 'day/song.mp3'

t.test('a track that is deleted while its frames are looked for is not found', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'music/day'), { recursive: true })
  const media = await openLocalMedia(folder)
  await media.put(KEY, Buffer.alloc(1_000))
  const source = async () => {
    const path = await media.source(KEY)
    await media.delete(KEY)
    return path
  }
  const framesOf = createFrameTables({ ...media, source })
  await t.rejects(framesOf(KEY), { code: 'TRACK_NOT_FOUND' })
  await media.put(KEY, Buffer.alloc(1_000))
  t.same(await createFrameTables(media)(KEY), [], 'the next file of that name is another one')
})

t.test('a file that is there and cannot be read is a fault', async (t) => {
  const media = await openLocalMedia(await temporaryFolder(t))
  await media.put(KEY, Buffer.alloc(1_000))
  const broken = async () => {
    throw new Error('input/output error')
  }
  await t.rejects(createFrameTables({ ...media, source: broken })(KEY), { message: 'input/output error' })
})
