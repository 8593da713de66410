import { type ClipFamily, clipFamilyNames } from '@solstice/contracts'
import { clipFamilies, clipMedia, reconcileClips } from '@solstice/station'
import t from 'tap'
import { openStation, tone } from '../../../../../tests/harness/people/clips.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { UPLOADS_PER_ACCOUNT } from '../../limits/upload-limit.ts'

useStores('sql+cloud')

const oneOf = { jingles: 'jingle', phrases: 'phrase', 'background-music': 'track' } as const

t.test('the three families work alike', async (t) => {
  const { ports, token, ask, upload, app } = await openStation(t)
  const mp3 = await tone(t, 2)
  for (const family of clipFamilyNames) {
    t.test(family, async (t) => {
      const one = oneOf[family]
      const name = 'Позивні & "day" #1.mp3'
      const clean = 'Позивні & _day_ #1.mp3'
      t.same((await ask('POST', `${family}/upload-check-duplicate`, { filename: name })).body, {
        ok: true,
        exists: false,
      })
      const first = await upload(family, name, mp3)
      t.match(first, {
        status: 200,
        body: {
          ok: true,
          [one]: { id: String, filename: clean, mode: 'day', used: true, createdAt: Number },
        },
      })
      const { id, duration } = (first.body as unknown as Record<string, { id: string; duration: number }>)[
        one
      ]!
      t.ok(Math.abs(duration - 2) < 0.1, 'its measured length')
      t.ok(await ports.media.stat(`${clipFamilies[family].folder}/day/${clean}`))

      t.test('a name is unique across modes, ignoring case', async (t) => {
        const taken = { ok: true, exists: true }
        t.same(
          (await ask('POST', `${family}/upload-check-duplicate`, { filename: name.toUpperCase() })).body,
          taken,
        )
        t.match(await upload(family, name.toUpperCase(), mp3, '?mode=night'), {
          status: 409,
          body: { error: { code: 'FILENAME_EXISTS' } },
        })
        t.match(await ask('POST', `${family}/upload-check-duplicate`, {}), {
          status: 400,
          type: /^application\/json/,
          body: { ok: false },
        })
      })

      t.test('lists by mode and part of the name, newest first', async (t) => {
        t.equal((await upload(family, 'night call.mp3', mp3, '?mode=night')).status, 200)
        const list = async (query: string) => {
          const { body } = await ask('GET', `${family}?${query}`)
          const { items, total } = body as unknown as { items: { filename: string }[]; total: number }
          return { names: items.map(({ filename }) => filename), total }
        }
        t.same(await list(''), { names: ['night call.mp3', clean], total: 2 })
        t.same(await list('mode=night'), { names: ['night call.mp3'], total: 1 })
        t.same(await list('mode=whatever&search=%D0%9F%D0%9E%D0%97%D0%98'), { names: [clean], total: 1 })
        t.same(await list('limit=1&offset=1'), { names: [clean], total: 2 })
        t.equal((await ask('GET', `${family}?limit=1000`)).status, 200, 'a large page is cut')
        t.equal((await ask('GET', `${family}?offset=-1`)).status, 400)
      })

      t.test('counts the clips that may go on air', async (t) => {
        const { minRequired } = clipFamilies[family]
        const counts = { ok: true, day: 1, night: 1, dayUsable: 1, nightUsable: 1, minRequired }
        t.same((await ask('GET', `${family}/counts`)).body, counts)
        t.match(await ask('POST', `${family}/${id}/used`, {}), {
          status: 200,
          body: { ok: true, [one]: { id, used: false } },
        })
        t.same((await ask('GET', `${family}/counts`)).body, { ...counts, dayUsable: 0 })
        t.match(await ask('POST', `${family}/${id}/used`, { used: true }), {
          body: { [one]: { used: true } },
        })
        t.match(await ask('POST', `${family}/nothing/used`, { used: true }), { status: 404 })
      })

      t.test('a link plays this file for ten minutes, and no other', async (t) => {
        const { body } = await ask('GET', `${family}/${id}/audio`)
        // From a bucket it comes without us.
        if (ports.config.bucket) return
        const link = new URL((body as unknown as { url: string }).url)
        const fetchFile = (url: URL) =>
          app.inject({ url: url.pathname + url.search, headers: { range: 'bytes=0-9' } })
        const part = await fetchFile(link)
        t.equal(part.statusCode, 206)
        t.same(part.rawPayload, mp3.subarray(0, 10))
        t.match(part.headers, { 'content-type': 'audio/mpeg', 'content-range': `bytes 0-9/${mp3.length}` })

        const other = new URL(link)
        other.searchParams.set('filename', 'night call.mp3')
        other.searchParams.set('mode', 'night')
        t.equal((await fetchFile(other)).statusCode, 401, 'of another file')
        other.searchParams.set('adminToken', token)
        t.equal((await fetchFile(other)).statusCode, 206, 'a full token opens all')
        for (const [filename, status] of [
          ['../day/x.mp3', 400],
          ['..', 400],
          ['a\\b.mp3', 400],
          ['absent.mp3', 404],
        ] as const) {
          other.searchParams.set('filename', filename)
          t.equal((await fetchFile(other)).statusCode, status, filename)
        }
        t.equal((await ask('GET', `${family}/nothing/audio`)).status, 404)
      })

      t.test('moves and deletes several clips and reports the result of each', async (t) => {
        const moved = await ask('POST', `${family}/batch-move`, {
          ids: [id, 'gone', id],
          targetMode: 'night',
        })
        t.same(moved.body, {
          ok: true,
          results: [
            { id, ok: true },
            { id: 'gone', ok: false, error: 'not_found' },
          ],
        })
        t.ok(await ports.media.stat(`${clipFamilies[family].folder}/night/${clean}`))
        t.notOk(await ports.media.stat(`${clipFamilies[family].folder}/day/${clean}`))
        const again = await ask('POST', `${family}/batch-move`, { ids: [id], targetMode: 'night' })
        t.same(again.body, { ok: true, results: [{ id, ok: true }] }, 'already there')

        const deleted = await ask('POST', `${family}/batch-delete`, { ids: [id, 'gone'] })
        t.same(deleted.body, {
          ok: true,
          results: [
            { id, ok: true },
            { id: 'gone', ok: false, error: 'not_found' },
          ],
        })
        t.notOk(await ports.media.stat(`${clipFamilies[family].folder}/night/${clean}`))
        for (const [path, body] of [
          ['batch-delete', { ids: [] }],
          ['batch-move', { ids: [], targetMode: 'day' }],
          ['batch-move', { ids: ['x'], targetMode: 'noon' }],
          ['batch-move', { ids: ['x'] }],
        ] as const) {
          t.match(await ask('POST', `${family}/${path}`, body), {
            status: 400,
            body: { error: { code: 'BAD_REQUEST' } },
          })
        }
        const audited = (await ports.data.audit.find()).map(({ operationType, data }) => ({
          operationType,
          ...data,
        }))
        const prefix = clipFamilies[family].audit
        t.match(
          audited.filter(({ operationType }) => operationType.startsWith(prefix)),
          [
            { operationType: `${prefix}_upload`, filename: clean, mode: 'day' },
            { operationType: `${prefix}_upload`, filename: 'night call.mp3', mode: 'night' },
            { operationType: `${prefix}_delete`, filename: clean, mode: 'night' },
          ],
        )
      })
    })
  }
})

t.test('a file that is no MP3 of the right length is refused and leaves nothing behind', async (t) => {
  const { ports, upload } = await openStation(t)
  const [short, long] = [await tone(t, 5.1), await tone(t, 6)]
  const left = async (family: ClipFamily) => [
    ...(await ports.media.list(`${clipFamilies[family].folder}/day`)),
    ...(await ports.media.list(`.staged/${clipFamilies[family].folder}/day`)),
    ...(await ports.data.clips.find({ family })),
  ]
  t.match(await upload('phrases', 'long.mp3', long), {
    status: 400,
    body: { error: { code: 'BAD_REQUEST', reason: 'too_long', en: /5 s/ } },
  })
  for (const family of clipFamilyNames) {
    t.match(await upload(family, 'text.mp3', Buffer.from('not a sound')), {
      status: 400,
      body: { error: { reason: 'not_mp3' } },
    })
    t.match(await upload(family, 'empty.mp3', Buffer.alloc(0)), {
      status: 400,
      body: { error: { reason: 'empty_body' } },
    })
    t.equal((await upload(family, 'x.mp3', short, '?mode=noon')).status, 400)
    t.match(await upload(family, 'x.mp3', short, '', 'image/png'), {
      status: 400,
      body: { error: { field: 'content-type', reason: 'not_mp3' } },
    })
    t.same(await left(family), [], family)
  }
  t.equal(
    (await upload('phrases', 'short.mp3', short)).status,
    200,
    'a little over five seconds is five seconds',
  )
  t.equal((await upload('jingles', 'long.mp3', long)).status, 200, 'jingles may be long')
})

t.test('of simultaneous uploads of one name exactly one succeeds, and its file stays', async (t) => {
  const { ports, upload } = await openStation(t)
  const mp3 = await tone(t, 1)
  const answers = await Promise.all(
    Array.from({ length: UPLOADS_PER_ACCOUNT }, (_, i) =>
      upload('jingles', i % 2 ? 'Same.mp3' : 'same.MP3', mp3, i % 3 ? '' : '?mode=night'),
    ),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
  const clips = await ports.data.clips.find()
  t.equal(clips.length, 1)
  const files = [...(await ports.media.list('jingles/day')), ...(await ports.media.list('jingles/night'))]
  t.same(files, [clipMedia(clips[0]!)])
})

t.test('clips placed on disk by hand are found at startup', async (t) => {
  const { ports } = await openStation(t)
  const log = { info() {}, warn() {} }
  const mp3 = await tone(t, 1)
  await ports.media.put('jingles/day/Hand made.mp3', mp3)
  await ports.media.put('jingles/night/hand MADE.mp3', mp3)
  await ports.media.put('background/night/Bed.mp3', mp3)
  await ports.media.put('phrases/day/notes.txt', mp3)
  const reconcile = (confirmTrackCleanup: boolean) => reconcileClips({ ...ports, confirmTrackCleanup, log })
  await reconcile(false)
  await reconcile(false)
  const found = async () =>
    (await ports.data.clips.find()).map(({ family, mode, used }) => ({ family, mode, used }))
  const bed = { family: 'background-music', mode: 'night', used: true }
  t.same(await found(), [{ family: 'jingles', mode: 'day', used: true }, bed], 'one of a name')

  await ports.media.delete('jingles/day/Hand made.mp3')
  await ports.media.delete('jingles/night/hand MADE.mp3')
  await reconcile(false)
  t.equal((await found()).length, 2, 'a record is not given up for a file that is away')
  await reconcile(true)
  t.same(await found(), [bed])
})

t.test('a move never overwrites a file at its destination', async (t) => {
  const { ports, ask, upload } = await openStation(t)
  const { body } = await upload('jingles', 'bell.mp3', await tone(t, 1))
  const { id } = (body as unknown as { jingle: { id: string } }).jingle
  await ports.media.put('jingles/night/bell.mp3', Buffer.from('of somebody else'))
  t.same((await ask('POST', 'jingles/batch-move', { ids: [id], targetMode: 'night' })).body, {
    ok: true,
    results: [{ id, ok: false, error: 'FILENAME_EXISTS' }],
  })
  t.match(await ports.data.clips.get(id), { mode: 'day' })
  t.ok(await ports.media.stat('jingles/day/bell.mp3'))
})
