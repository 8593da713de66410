import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { Failure, type MediaKey, sleep } from '@solstice/station'
import t from 'tap'
import { isOf, openOn, silent, xml } from '../../../../../tests/harness/servers/bucket.ts'
import { startS3 } from '../../../../../tests/harness/servers/s3.ts'
import { until, waiting } from '../../../../../tests/harness/until.ts'
import { openMediaCache } from '../cache/cache.ts'

t.test(
  'a store that fails for a moment is asked again; one whose clock is another is believed',
  async (t) => {
    const s3 = await startS3(t)
    const media = await openOn(t, s3)
    await media.put('day/a.mp3', Buffer.from('0123456789'))
    let failures = 0
    s3.fault = (_, answer) => {
      if (failures++ > 1) return false
      xml(answer, 503, '<Error><Code>SlowDown</Code></Error>')
      return true
    }
    t.equal(await text(await media.open('day/a.mp3')), '0123456789')

    const aheadMs = 3_600_000
    s3.fault = (request, answer) => {
      const [, y, mo, d, h, mi, s] = /(....)(..)(..)T(..)(..)(..)Z/.exec(
        String(request.headers['x-amz-date']),
      )!
      const askedMs = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s))
      answer.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      if (Math.abs(askedMs - Date.now() - aheadMs) < 900_000)
        answer.writeHead(200, { 'content-length': 7 }).end()
      else xml(answer, 403, '<Error><Code>RequestTimeTooSkewed</Code></Error>')
      return true
    }
    t.match(await media.stat('day/a.mp3').catch(() => media.stat('day/a.mp3')), { size: 7 })
    const signed = new URL((await media.link('day/a.mp3'))!.url).searchParams.get('X-Amz-Date')!
    const hour = new Date(Date.now() + aheadMs).toISOString().slice(0, 13).replaceAll('-', '')
    t.ok(signed.startsWith(hour), 'links go by that clock as well')
  },
)

t.test(
  'an answer that is cut is completed, never joined from two files, and nothing of a half one is kept',
  async (t) => {
    const s3 = await startS3(t)
    const media = await openOn(t, s3)
    const content = 'abcdefghij'.repeat(20_000)
    await media.put('day/a.mp3', Buffer.from(content))
    let cuts = 0
    const cut = (request: IncomingMessage, answer: ServerResponse) => {
      if (!isOf('GET', 'day/a.mp3')(request) || cuts++ > 0) return false
      answer.writeHead(200, { 'content-length': content.length, etag: etagOf(s3.fault === cut) })
      answer.write(content.slice(0, 100_000), () => request.socket.destroy())
      return true
    }
    let etag = ''
    const etagOf = (isSame: boolean) => (isSame ? etag : '"another"')
    const head = await fetch((await media.link('day/a.mp3'))!.url)
    etag = head.headers.get('etag')!
    await head.body?.cancel()

    s3.fault = cut
    t.equal(await text(await media.open('day/a.mp3')), content)
    t.equal(cuts, 2)
    cuts = 0
    t.equal(readFileSync(await media.source('day/a.mp3'), 'utf8'), content)

    cuts = 0
    await media.put('day/a.mp3', Buffer.from(content.toUpperCase()))
    const path = await media.source('day/a.mp3').catch((error) => error)
    t.equal(readFileSync(path, 'utf8'), content.toUpperCase(), 'it was replaced meanwhile: fetched anew')
  },
)

t.test('errors become refusals without the keys and signatures that the store repeats in them', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3, { S3_SECRET_ACCESS_KEY: 'of-the-store' })
  s3.fault = (request, answer) => {
    request.resume()
    const about = '<AWSAccessKeyId>S3RVER</AWSAccessKeyId><StringToSign>S3RVER</StringToSign>'
    xml(answer, 403, `<Error><Code>SignatureDoesNotMatch</Code><Message>S3RVER</Message>${about}</Error>`)
    return true
  }
  const errors = await Promise.all(
    [
      media.open('day/a.mp3'),
      media.list('day'),
      media.stat('day/a.mp3'),
      media.put('day/a.mp3', Buffer.from('a')),
      media.delete('day/a.mp3'),
    ].map((outcome) => outcome.catch((error) => error)),
  )
  const [reading, writing] = ['STORAGE_URL_FAILED', 'STORAGE_WRITE_FAILED']
  t.same(
    errors.map(({ code }) => code),
    [reading, reading, reading, writing, writing],
  )
  t.notMatch(inspect(errors, { depth: 9, showHidden: true }), /S3RVER|of-the-store/)
  t.match(errors[0].cause.message, /SignatureDoesNotMatch \(403\)/)
})

t.test(
  'a file is downloaded once for all callers, and again after another process has replaced it',
  async (t) => {
    const s3 = await startS3(t)
    const media = await openOn(t, s3, {}, 'both')
    const other = await openOn(t, s3, {}, 'both')
    await other.put('day/a.mp3', Buffer.from('old'))
    const fetched = () => s3.requests.filter((request) => request.startsWith('GET /both/day/a.mp3')).length
    const paths = await Promise.all([1, 2, 3].map(() => media.source('day/a.mp3')))
    t.equal(new Set([...paths, await media.source('day/a.mp3')]).size, 1)
    t.equal(fetched(), 1)
    await other.put('day/a.mp3', Buffer.from('new'))
    t.equal(readFileSync(await media.source('day/a.mp3'), 'utf8'), 'new')
    t.equal(readFileSync(paths[0]!, 'utf8'), 'old', 'who reads the old one may go on')

    rmSync(dirname(paths[0]!), { recursive: true })
    t.equal(
      readFileSync(await media.source('day/a.mp3'), 'utf8'),
      'new',
      'also when the system has cleaned up',
    )

    await s3.stop()
    t.equal(
      readFileSync(await media.source('day/a.mp3'), 'utf8'),
      'new',
      'a copy is as good while nothing can be asked',
    )
    const folder = dirname(paths[0]!)
    await media.close()
    t.throws(() => readdirSync(folder), { code: 'ENOENT' })
  },
)

t.test(
  'what is wanted is fetched ahead, also when the storage comes back late, and it is known what is here',
  async (t) => {
    let isAway = false
    const asked: MediaKey[] = []
    const told = waiting()
    const cache = await openMediaCache(
      {
        async read(key) {
          asked.push(key)
          told.changed()
          if (key === 'day/none.mp3') throw new Failure('NOT_FOUND')
          if (isAway) throw new Failure('STORAGE_URL_FAILED')
          return { version: '1', size: key.length, content: Readable.from([key]) }
        },
        async version() {
          told.changed()
          if (isAway) throw new Failure('STORAGE_URL_FAILED')
          return '1'
        },
      },
      { info: () => told.changed(), warn() {} },
      { patienceMs: 1 },
    )
    t.teardown(() => cache.close())

    cache.prefetch(['day/a.mp3', 'day/none.mp3'])
    await told.until('both are asked for', () => asked.length === 2)
    t.same(asked, ['day/a.mp3', 'day/none.mp3'], 'in this order; what is not there holds up nothing')
    t.equal(cache.cachedWhileAway(), null)

    isAway = true
    cache.prefetch(['day/a.mp3', 'day/b.mp3'])
    await told.until('a file is asked for again', () => asked.filter((key) => key === 'day/b.mp3').length > 1)
    t.same([...(cache.cachedWhileAway() ?? [])], ['day/a.mp3'])
    t.equal(readFileSync(await cache.source('day/a.mp3'), 'utf8'), 'day/a.mp3')
    const before = asked.length
    await t.rejects(
      cache.source('day/c.mp3'),
      { code: 'STORAGE_URL_FAILED' },
      'nobody waits for what is long away',
    )
    t.notOk(asked.slice(before).includes('day/c.mp3'))

    isAway = false
    await until('the storage counts as there', () => cache.cachedWhileAway() === null)
    t.equal(readFileSync(await cache.source('day/c.mp3'), 'utf8'), 'day/c.mp3')

    for (let i = 0; i < 30; i++) await cache.source(`day/${i}.mp3`)
    t.ok(readdirSync(cache.folder).length >= 30, 'what was given out a moment ago is there to be opened')
  },
)

t.test('a slow storage counts as away until a file arrives in time', async (t) => {
  let isSlow = false
  const slowly = async function* () {
    yield 'a'
    await sleep(20)
    yield 'b'
  }
  const cache = await openMediaCache(
    {
      read: async (key) =>
        isSlow
          ? { version: '1', size: 1e9, content: Readable.from(slowly()) }
          : { version: '1', size: key.length, content: Readable.from([key]) },
      version: async () => '1',
    },
    silent,
    { patienceMs: 1 },
  )
  t.teardown(() => cache.close())
  await cache.source('day/a.mp3')
  isSlow = true
  await t.rejects(cache.source('day/b.mp3'), { code: 'STORAGE_URL_FAILED', cause: { message: /too slow/ } })
  t.same([...(cache.cachedWhileAway() ?? [])], ['day/a.mp3'])
  t.equal(readdirSync(cache.folder).length, 1, 'nothing is kept of half a file')
  cache.prefetch(['day/a.mp3'])
  isSlow = false
  await until('the storage counts as there', () => cache.cachedWhileAway() === null)
  t.equal(readFileSync(await cache.source('day/b.mp3'), 'utf8'), 'day/b.mp3')
})

t.test('on a full disk only prefetched files are kept, and abandoned folders are removed', async (t) => {
  const leftBefore = [7_200_000, 60_000].map((agoMs) => {
    const folder = mkdtempSync(join(tmpdir(), `solstice-media-${process.pid}-`))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    utimesSync(folder, new Date(Date.now() - agoMs), new Date(Date.now() - agoMs))
    return folder
  })
  let isFull = false
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const cache = await openMediaCache(
    {
      async read(key) {
        const content = new Readable({ read: () => content.destroy(full) })
        return { version: '1', size: 1, content: isFull ? content : Readable.from([key]) }
      },
      version: async () => '1',
    },
    silent,
    { patienceMs: 1, pathValidMs: 0 },
  )
  t.teardown(() => cache.close())
  t.same(leftBefore.map(existsSync), [false, true], 'what is young may be in use')

  for (const key of ['day/a.mp3', 'day/b.mp3', 'day/c.mp3']) await cache.source(key)
  cache.prefetch(['day/b.mp3'])
  isFull = true
  await t.rejects(cache.source('day/d.mp3'), full)
  t.same([...(cache.cachedWhileAway() ?? [])], ['day/b.mp3'])
  await until('one file is kept', () => readdirSync(cache.folder).length <= 1)
  t.equal(readFileSync(await cache.source('day/b.mp3'), 'utf8'), 'day/b.mp3')
})
