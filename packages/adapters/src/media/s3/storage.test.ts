import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import { isOf, openOn, xml } from '../../../../../tests/harness/servers/bucket.ts'
import { sharedS3, startS3 } from '../../../../../tests/harness/servers/s3.ts'
import { mediaStorageSuite } from '../../../../../tests/suites/media-storage.ts'
import { readConfig } from '../../config/config.ts'

/** Half megabytes, so many, and then an error when there is one. */
async function* halfMegabytes(count: number, error?: Error) {
  for (let i = 0; i < count; i++) yield HALF_MEGABYTE
  if (error) throw error
}

const HALF_MEGABYTE = Buffer.alloc(500_000, 'x')

mediaStorageSuite(t, async (t) => openOn(t, await sharedS3()))

t.test('a bucket holds music by its id, uploads under staged/, artwork under its prefix', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3, { S3_ARTS_PREFIX: '/pictures/artists/' }, 'layout')
  for (const key of ['day/a.mp3', '.staged/day/a.mp3', 'jingles/night/a.mp3', 'arts/a.jpg', 'arts/b.jpg'])
    await media.put(key, Buffer.from(key))
  t.same(
    s3.requests.filter((request) => request.startsWith('PUT')).map((request) => request.split(/[ ?]/)[1]),
    [
      '/layout/day/a.mp3',
      '/layout/staged/day/a.mp3',
      '/layout/jingles/night/a.mp3',
      '/layout/pictures/artists/a.jpg',
      '/layout/pictures/artists/b.jpg',
    ],
  )
  s3.pageSize = 1
  t.same(await media.list('arts'), ['arts/a.jpg', 'arts/b.jpg'], 'a listing goes on over all its pages')
  t.same(await media.list('.staged/day'), ['.staged/day/a.mp3'])
})

t.test('a link works without the API, for as long as it is needed, whatever the name', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3)
  t.equal(media.linkOrigin, s3.url)
  for (const key of ['day/100% + you & me #1?.mp3', 'night/Океан Ельзи - Обійми.mp3', 'arts/björk=@;.jpg']) {
    await media.put(key, Buffer.from('0123456789'))
    const { url, ttlS } = (await media.link(key))!
    t.equal(ttlS, 900)
    const whole = await fetch(url)
    t.same([whole.status, await whole.text()], [200, '0123456789'])
    t.equal(whole.headers.get('content-type'), key.endsWith('.jpg') ? 'image/jpeg' : 'audio/mpeg')
    const part = await fetch(url, { headers: { range: 'bytes=3-5' } })
    t.same([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 3-5/10', '345'])
  }
  t.equal((await media.link('day/long.mp3', { lastsS: 3600.5 }))?.ttlS, 3661)
  t.equal(
    (await media.link('day/long.mp3', { lastsS: 1e9 }))?.ttlS,
    604_800,
    'no signature is good for longer',
  )

  const named = {
    S3_PUBLIC_ENDPOINT: 'https://files.example',
    S3_FORCE_PATH_STYLE: 'false',
    S3_PRESIGN_TTL_S: '60',
  }
  const seen = await openOn(t, s3, named, 'seen')
  t.equal(seen.linkOrigin, 'https://seen.files.example')
  const link = (await seen.link('day/a b.mp3'))!
  t.match(link.url, /^https:\/\/seen\.files\.example\/day\/a%20b\.mp3\?.*X-Amz-Expires=60&/)
})

t.test('a link forces the type of the answer, whatever type somebody else gave the file', async (t) => {
  const s3 = await startS3(t)
  const { config } = readConfig({ JWT_SECRET: 'only here', ...(await s3.env('foreign')) })
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = config.bucket!
  const credentials = { accessKeyId, secretAccessKey }
  const other = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  t.teardown(() => other.destroy())
  const media = await openOn(t, s3, {}, 'foreign')
  for (const [Key, type] of Object.entries({
    'day/page.mp3': 'audio/mpeg',
    'jingles/day/page.html': 'application/octet-stream',
  })) {
    await other.send(
      new PutObjectCommand({ Bucket: bucket, Key, Body: '<script>', ContentType: 'text/html' }),
    )
    const answer = await fetch((await media.link(Key))!.url)
    t.same([await answer.text(), answer.headers.get('content-type')], ['<script>', type])
  }
})

t.test('a large file goes up in parts, and need not be fetched to be read here', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3)
  await media.put('day/large.mp3', Readable.from(halfMegabytes(25)))
  const parts = s3.requests.filter((request) => /^PUT .*large\.mp3\?partNumber=/.test(request))
  t.equal(parts.length, 3)
  t.equal((await media.stat('day/large.mp3'))?.size, 25 * HALF_MEGABYTE.length)
  const requests = s3.requests.length
  t.equal(readFileSync(await media.source('day/large.mp3')).length, 25 * HALF_MEGABYTE.length)
  t.match(s3.requests.slice(requests), [/^HEAD /], 'only whether it is still the same is asked')
})

t.test('nothing is sent of a large file that breaks off', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3)
  await t.rejects(media.put('day/broken.mp3', halfMegabytes(15, new Error('gone'))), { message: 'gone' })
  t.notOk(s3.requests.some((request) => request.includes('broken')))
  t.same(await media.list('day'), [])
})

t.test('the parts of a large file are taken back when the store refuses one', async (t) => {
  const s3 = await startS3(t)
  const media = await openOn(t, s3)
  s3.fault = (request, answer) => {
    if (!isOf('PUT', 'partNumber=2')(request)) return false
    request.resume()
    xml(answer, 403, '<Error><Code>AccessDenied</Code></Error>')
    return true
  }
  await t.rejects(media.put('day/refused.mp3', halfMegabytes(15)), { code: 'STORAGE_WRITE_FAILED' })
  t.ok(s3.requests.some((request) => /^DELETE .*refused\.mp3\?.*uploadId=/.test(request)))
  t.same(await media.list('day'), [])
})

t.test(
  'what others left half sent is taken back after a day; a store that cannot say so is left alone',
  async (t) => {
    const s3 = await startS3(t)
    const media = await openOn(t, s3, {}, 'swept')
    await media.sweep('day')
    const upload = (name: string, agoMs: number) =>
      `<Upload><Key>day/${name}</Key><UploadId>of ${name}</UploadId>` +
      `<Initiated>${new Date(Date.now() - agoMs).toISOString()}</Initiated></Upload>`
    const pages = [upload('old.mp3', 100_000_000), upload('young.mp3', 1_000_000) + upload('older.mp3', 1e9)]
    const aborted: string[] = []
    s3.fault = (request, answer) => {
      const { searchParams } = new URL(request.url!, s3.url)
      if (request.method === 'DELETE') {
        aborted.push(searchParams.get('uploadId')!)
        answer.writeHead(204).end()
      } else {
        const page = Number(searchParams.get('key-marker') ?? 0)
        const more = `<IsTruncated>${page === 0}</IsTruncated><NextKeyMarker>1</NextKeyMarker>`
        xml(answer, 200, `<ListMultipartUploadsResult>${more}${pages[page]}</ListMultipartUploadsResult>`)
      }
      return true
    }
    await media.sweep('day')
    t.same(aborted, ['of old.mp3', 'of older.mp3'])
  },
)

t.test(
  'a copy asks the store that nothing is there, and copes with one that does not know the question',
  async (t) => {
    const s3 = await startS3(t)
    const media = await openOn(t, s3)
    await media.put('day/a.mp3', Buffer.from('a'))
    let conditions = 0
    let refused = 0
    s3.fault = (request, answer) => {
      if (!isOf('PUT', 'night/')(request)) return false
      if (request.headers['if-none-match'] === undefined) return false
      conditions++
      if (refused > 0) return false
      refused++
      xml(answer, 501, '<Error><Code>NotImplemented</Code></Error>')
      return true
    }
    t.equal(await media.copy('day/a.mp3', 'night/a.mp3'), true)
    t.equal(await media.copy('day/a.mp3', 'night/b.mp3'), true)
    t.equal(conditions, 1, 'it is not asked again')

    const other = await openOn(t, s3)
    await other.put('day/a.mp3', Buffer.from('a'))
    let lost = 0
    s3.fault = (request, answer) => {
      if (!isOf('PUT', 'night/')(request) || lost++ > 0) return false
      // Done, but the answer never comes.
      const { end } = answer
      answer.end = (() => {
        answer.end = end
        request.socket.destroy()
        return answer
      }) as typeof answer.end
      return false
    }
    t.equal(
      await other.copy('day/a.mp3', 'night/a.mp3'),
      true,
      'a copy whose answer was lost is known as its own',
    )
    t.ok(lost > 1)
  },
)
