import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import t from 'tap'
import { hasRoomIn } from './keys.ts'

const MB = 1024 * 1024

t.test('a disk is not filled to its last byte', async (t) => {
  const folder = tmpdir()
  const { bavail, bsize, blocks } = await statfs(folder)
  const reserve = Math.min(200 * MB, (blocks * bsize) / 10)
  t.notOk(await hasRoomIn(folder, bavail * bsize - reserve / 2))
  t.ok(await hasRoomIn(folder, 1))
})
