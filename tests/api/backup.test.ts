import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { collectionNames, endAllSessions } from '@solstice/station'
import t, { type Test } from 'tap'
import { readBackup } from '../../packages/adapters/src/backup/read-backup.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openApp } from '../harness/stations/app.ts'
import { until } from '../harness/until.ts'

const MB = 1024 * 1024
const FILES = 64
const never = new AbortController().signal

/** A station with 64 MB of files; `download` asks for them over a real connection. */
async function openStation(t: Test) {
  const station = await openApp(t, SUPER_ADMIN)
  const { app, ports, addTrack } = station
  for (let i = 0; i < FILES; i++) await addTrack(`day/song ${i}.mp3`, randomBytes(MB))
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const opened: string[] = []
  const { open } = ports.media
  ports.media.open = (key, range) => {
    opened.push(key)
    return open(key, range)
  }
  const { token } = await asAdmin(station)
  const download = async (query = 'media=true') => {
    const headers = { authorization: `Bearer ${token}` }
    const asking = request(`${address}/api/admin/backup?${query}`, { agent: false, headers }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    return answer
  }
  const keep = async (answer: IncomingMessage) => {
    const path = join(station.folder, `${randomBytes(4).toString('hex')}.tar.gz`)
    await pipeline(answer, createWriteStream(path))
    return readBackup(path, never)
  }
  return { ...station, opened, download, keep }
}

t.test('the super admin downloads a backup that can be restored', async (t) => {
  const station = await openStation(t)
  const { ports, download, keep, app } = station
  const paid = { kind: 'failed', eventId: 'e', reference: 'r', donationId: 'd' } as const
  const delivery = { id: 'kofi e', provider: 'matching_provider_2', payment: paid, receivedAt: 1 } as const
  await ports.spools.deliveries.keep(delivery)

  const answer = await download()
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, {
    'content-type': 'application/gzip',
    'content-disposition': /^attachment; filename="solstice-[\dTZ-]+\.tar\.gz"$/,
    'cache-control': 'no-store',
  })
  const { manifest, mediaBytes } = await keep(answer)
  t.same(Object.keys(manifest.collections), collectionNames)
  t.equal(manifest.collections.tracks?.records, FILES)
  t.equal(manifest.collections.inbox?.records, 1, 'with the deliveries that wait on the disk')
  t.equal(mediaBytes, FILES * MB)

  const { manifest: records } = await keep(await download(''))
  t.equal(records.media, null, 'without files unless they are asked for')
  const audit = await ports.data.audit.find({ operationType: 'backup_download' })
  t.match(audit, [
    { adminId: 'super', data: { media: true } },
    { adminId: 'super', data: { media: false } },
  ])
  const { token } = await asAdmin(station)
  const head = await app.inject({
    method: 'HEAD',
    url: '/api/admin/backup',
    headers: { authorization: `Bearer ${token}` },
  })
  t.match(head, { statusCode: 200, body: '' })
  t.equal(
    (await ports.data.audit.find({ operationType: 'backup_download' })).length,
    2,
    'HEAD is no download',
  )
})

t.test('a helper gets none, whatever its privileges', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ask } = await asAdmin(station, ['settings_algorithm', 'donations_manage'])
  t.match(await ask('GET /api/admin/backup'), { status: 403, body: { error: { code: 'SUPER_ADMIN_ONLY' } } })
})

t.test('it is read no faster than it is taken, and ends with its client', async (t) => {
  const { download, keep, opened } = await openStation(t)
  const first = await download()
  await once(first, 'readable')
  const second = await download()
  t.equal(second.statusCode, 409)
  second.resume()
  const before = await new Promise<number>((resolve) => {
    // Nothing is read once the buffers between the two ends are full.
    let count = -1
    const look = setInterval(() => {
      if (opened.length === count) {
        clearInterval(look)
        resolve(count)
      }
      count = opened.length
    }, 500)
  })
  t.ok(before < FILES, `${before} of ${FILES} files were opened`)
  first.destroy()
  let third = await download('')
  await until('the first has ended', async () => {
    if (third.statusCode === 200) return true
    third.resume()
    third = await download('')
    return false
  })
  t.match((await keep(third)).manifest, { media: null })
  t.equal(opened.length, before)
})

t.test('it breaks off when its admin loses the right to it', async (t) => {
  const { ports, download, keep, opened } = await openStation(t)
  const answer = await download()
  await once(answer, 'readable')
  await endAllSessions(ports.data, ports.clock.nowMs() + 1)
  await t.rejects(keep(answer))
  t.ok(opened.length < FILES)
  t.equal((await download()).statusCode, 401)
})
