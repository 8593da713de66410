import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClipFamily, clipFamilyNames } from '@solstice/contracts'
import { clipFamilies, clipMedia, defaultSettings, reconcileClips, usableClips } from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { startJobs } from '../../../../../tests/harness/stations/workers.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { createAdminTokens } from '../../auth/admin-tokens.ts'

useStores('sql+cloud')

const ON = {
  STREAM_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  ADMIN_LOGIN: 'admin',
  ADMIN_PASS: 'Correct horse 1',
}
const oneOf = { jingles: 'jingle', phrases: 'phrase', 'background-music': 'track' } as const

/** A station with jobs, and a way to ask it as the super admin. */
async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ...ON, ...env })
  await startJobs(t, station.ports)
  const adminTokens = createAdminTokens(station.app.jwt, station.ports.config.jwtSecret, station.ports.clock)
  const token = adminTokens.issue({
    adminId: 'super',
    login: 'admin',
    role: 'super_admin',
    privileges: [],
    authorized: true,
  })
  const authorization = `Bearer ${token}`
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const headers = { authorization }
    const answer = await station.app.inject({
      method,
      url: `/api/admin/${path}`,
      headers,
      ...(body && { payload: body }),
    })
    const type = answer.headers['content-type']
    return {
      status: answer.statusCode,
      type,
      body: answer.json() as Record<string, never> & { error: object },
    }
  }
  const upload = async (family: string, name: string, bytes: Buffer, query = '', type = 'audio/mpeg') => {
    const headers = { authorization, 'content-type': type, 'x-file-name': encodeURIComponent(name) }
    const answer = await station.app.inject({
      method: 'POST',
      url: `/api/admin/${family}/upload${query}`,
      headers,
      payload: bytes,
    })
    return { status: answer.statusCode, body: answer.json() as Record<string, never> }
  }
  return { ...station, adminTokens, token, ask, upload }
}

async function tone(t: Test, seconds: number): Promise<Buffer> {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds, title: 'x', artist: 'y' })
  return readFile(path)
}

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
    Array.from({ length: 6 }, (_, i) =>
      upload('jingles', i % 2 ? 'Same.mp3' : 'same.MP3', mp3, i % 3 ? '' : '?mode=night'),
    ),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  const clips = await ports.data.clips.find()
  t.equal(clips.length, 1)
  const files = [...(await ports.media.list('jingles/day')), ...(await ports.media.list('jingles/night'))]
  t.same(files, [clipMedia(clips[0]!)])
})

t.test('clips on air follow their use, the settings and the mode; the worker is told', async (t) => {
  const { ports, ask, upload } = await openStation(t)
  const { data, config, redis } = ports
  const mp3 = await tone(t, 1)
  const told = async () =>
    (await redis.xrange('solstice:commands', '-', '+')).filter((entry) => /clips-changed/.test(`${entry}`))
      .length
  const idOf = ({ body }: Awaited<ReturnType<typeof upload>>) =>
    Object.values(body as Record<string, { id?: string }>).find((value) => value?.id)!.id!
  const bell = idOf(await upload('jingles', 'bell.mp3', mp3))
  const gong = idOf(await upload('jingles', 'gong.mp3', mp3, '?mode=night'))
  const hello = idOf(await upload('phrases', 'hello.mp3', mp3))
  const again = idOf(await upload('phrases', 'again.mp3', mp3))
  const bed = idOf(await upload('background-music', 'bed.mp3', mp3))
  await until('the air is told of each', async () => (await told()) >= 5)

  const { generation } = defaultSettings
  let revision = 0
  const set = async (changed: Partial<typeof generation>) => {
    const record = {
      section: 'generation' as const,
      value: { ...generation, ...changed },
      revision: ++revision,
    }
    await (revision === 1
      ? data.settings.insert(record)
      : data.settings.update({ section: 'generation' }, record))
  }
  const onAir = async (station = config) => {
    const { jingles, phrases } = await usableClips(data, station)
    const ids = (usable: typeof jingles.usable) =>
      [usable.day, usable.night].map((of) => of.map(({ id }) => id))
    return { jingles: ids(jingles.usable), phrases: ids(phrases.usable).map((of) => of.toSorted()) }
  }
  const none = { jingles: [[], []], phrases: [[], []] }
  t.same(await onAir(), none, 'both are off at first')
  await set({ JINGLES_ENABLED: true, JINGLES_FREQUENCY: 4, PHRASES_ENABLED: true })
  const all = { jingles: [[bell], [gong]], phrases: [[hello, again].toSorted(), []] }
  t.same(await onAir(), all)
  t.match(await usableClips(data, config), {
    jingles: {
      required: 3,
      frequency: 4,
      usable: { day: [{ media: 'jingles/day/bell.mp3', durationMs: Number }] },
    },
    phrases: { offsetMs: 15_000 },
  })
  t.same(await onAir({ ...config, streamMode: false }), none)
  const expected = { usable: { day: [{ id: bed, media: 'background/day/bed.mp3' }], night: [] } }
  t.match((await usableClips(data, config)).background, { ...expected, chosenBy: 'random' })
  t.same((await usableClips(data, { ...config, radioHostsMode: false })).background.usable.day, [])
  const radioHosts = { ...defaultSettings.radioHosts, backgroundMusicMode: 'hostChoice' as const }
  await data.settings.insert({ section: 'radioHosts', value: radioHosts, revision: 1 })
  t.match((await usableClips(data, config)).background, { ...expected, chosenBy: 'hosts' })
  await ask('POST', `phrases/${again}/used`, { used: false })
  t.same((await onAir()).phrases, [[hello], []], 'what is not used never goes on air')
  const named = { PHRASES_ENABLED: true, PHRASES_RANDOM: false, PHRASES_DEFAULT_TIME: false }
  await set({ ...named, PHRASES_DAY_ID: hello, PHRASES_NIGHT_ID: hello, PHRASES_TIME_SECONDS: 99 })
  t.same((await onAir()).phrases, [[hello], []], 'nor in the other mode')
  t.equal((await usableClips(data, config)).phrases.offsetMs, 30_000)
  await set({ ...named, PHRASES_DAY_ID: again, JINGLES_RANDOM: true })
  t.same(await onAir(), none)
  t.equal((await usableClips(data, config)).jingles.frequency, 'random')
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

t.test('video links: replies of a station without video import', async (t) => {
  const { ask, ports } = await openStation(t, { VIDEODOWN_PATH: '/nowhere/tool' })
  t.match(await ask('GET', 'videodown-status'), {
    status: 200,
    body: { ok: true, available: false, videodownAvailable: false, ffmpegAvailable: true },
  })
  for (const [url, status] of [
    ['https://www.youtube.com/watch?v=abc', 503],
    ['https://youtu.be/abc', 503],
    [undefined, 400],
    ['', 400],
    ['http://youtube.com/watch?v=abc', 400],
    ['https://evilyoutube.com/watch?v=abc', 400],
    ['https://youtube.com.evil.example/', 400],
    ['https://youtube.com:8443/watch?v=abc', 400],
    ['https://user@youtube.com/watch?v=abc', 400],
    ['file:///etc/passwd', 400],
    ['https://169.254.169.254/youtube.com', 400],
  ] as const) {
    for (const path of ['upload-song-url', 'video-track-info']) {
      t.equal((await ask('POST', path, { url })).status, status, `${path} ${url}`)
    }
  }
  const playlist = { url: 'https://www.youtube.com/playlist?list=abc' }
  t.match(await ask('POST', 'upload-song-url', playlist), {
    status: 400,
    body: { error: { reason: 'link_playlist' } },
  })
  t.equal((await ask('POST', 'video-track-info', playlist)).status, 503)

  for (const cookies of [undefined, '  ', 'example.com\tTRUE\t/\tTRUE\t0\ta\tb']) {
    t.equal((await ask('POST', 'video-cookies', { cookies })).status, 400)
  }
  const cookies = '.youtube.com\tTRUE\t/\tTRUE\t0\ta\tsecret'
  t.same((await ask('POST', 'video-cookies', { cookies })).body, { ok: true })
  const { stdout } = await promisify(execFile)('redis-cli', [
    '-u',
    ports.config.redisUrl,
    'ttl',
    'solstice:video-cookies',
  ])
  t.ok(Number(stdout) > 86_000 && Number(stdout) <= 86_400, 'kept for a day')
})
