import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { failureBody } from '@solstice/contracts'
import { sleep, storeDelivery } from '@solstice/station'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { openAuditSpool } from '../../apps/api/src/background/audit-spool.ts'
import { inForm } from '../harness/long-form.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { freePort, start } from '../harness/processes/processes.ts'
import { MB, putEverythingOn, smallDisk, withDisks } from '../harness/processes/small-disk.ts'
import { openApp } from '../harness/stations/app.ts'
import { prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'
import { track } from '../suites/records.ts'

const FULL_FOR_MS = inForm({ short: 12_000, long: 90_000 })

await withDisks(t, import.meta.filename, () => {
  t.test('files: a full disk is reported, loses nothing, and work resumes with new room', async (t) => {
    const disk = await smallDisk(t, 8 * MB)
    const station = await openApp(t, {
      ...SUPER_ADMIN,
      DATA_PROVIDER: 'json',
      MEDIA_STORAGE: 'local',
      DATA_DIR: join(disk.folder, 'data'),
      MEDIA_DIR: join(disk.folder, 'media'),
      METRICS_TOKEN: 'operator',
    })
    const { app, ports } = station
    const { data, media, announcer, spools } = ports
    await station.addTrack('day/a.mp3', new Uint8Array(1000))
    const { ask } = await asAdmin(station)
    const offset = (seconds: number) =>
      ask('POST /api/lyrics/offset', { title: 'a', artist: 'Somebody', offset: seconds })
    const upload = () =>
      ask('POST /api/admin/upload-song-file?mode=day', Buffer.alloc(1000), {
        'content-type': 'audio/mpeg',
        'x-file-name': 'b.mp3',
      })
    t.equal((await offset(1)).status, 200)

    disk.fill()
    const full = (retryAfterSecs?: number) =>
      failureBody('DATA_UNAVAILABLE', { ...(retryAfterSecs && { retryAfterSecs }), reason: 'disk_full' })
    const refused = await offset(2)
    t.same([refused.status, refused.body], [503, full(5)])
    t.match(refused.body.message, { uk: /місце/, en: /full/ })
    t.equal((await data.offsets.find())[0]?.offset, 1, 'nothing was changed')
    const unread = await upload()
    t.same([unread.status, unread.body], [503, full()], 'refused before the body')
    await t.rejects(media.put('day/c.mp3', Buffer.alloc(100_000)), { code: 'ENOSPC' })
    await t.rejects(station.ports.data.tracks.put(track('day/c.mp3')), {
      code: 'DATA_UNAVAILABLE',
      details: { reason: 'disk_full' },
    })
    const payment = { kind: 'failed', eventId: '1', donationId: 'none', reference: 'r' } as const
    const deliver = () =>
      storeDelivery(
        { data, spool: spools.deliveries },
        { provider: 'checkout_provider_1', payment, nowMs: 1 },
      )
    await t.rejects(deliver(), 'a delivery is not said to be kept')
    const late = openAuditSpool({
      data,
      announcer,
      spool: spools.auditEntries,
      log: pino({ level: 'silent' }),
    })
    await late.add({ adminId: 'super', adminLogin: 'a', operationType: 'late', createdAt: 1, data: {} })
    const report = await app.inject({ url: '/metrics', headers: { authorization: 'Bearer operator' } })
    t.match(report.body, /solstice_refusals_total\{code="DATA_UNAVAILABLE",reason="disk_full"\} 2\n/)
    t.match(report.body, /solstice_disk_free_bytes\{folder="data"\} 0\n/)

    disk.free()
    t.equal((await offset(2)).status, 200)
    t.equal((await upload()).body.error.reason, 'not_mp3', 'the body is read again')
    await media.put('day/c.mp3', Buffer.alloc(100_000))
    await deliver()
    await late.close()
    t.match(await data.audit.find({ operationType: 'late' }), [{ createdAt: 1 }])
    t.same(
      (await readdir(join(disk.folder, 'data'))).filter((name) => name.endsWith('.tmp')),
      [],
    )
  })

  t.test(
    'Redis on a full disk: a change is refused with the reason, and succeeds when there is room',
    async (t) => {
      const disk = await smallDisk(t, 4 * MB)
      const port = await freePort()
      const redis = start(t, 'redis-server', ['redis.conf', '--port', String(port), '--dir', disk.folder])
      await redis.printed(/Ready to accept connections/)
      const station = await openApp(t, { ...SUPER_ADMIN, REDIS_URL: `redis://127.0.0.1:${port}` })
      await station.addTrack('day/a.mp3')
      const { ask } = await asAdmin(station)
      disk.fill()
      const client = new Redis(port, { maxRetriesPerRequest: null })
      t.teardown(() => client.disconnect())
      const isRefused = () =>
        client.set('x', Buffer.alloc(10_000)).then(
          () => false,
          (error) => /MISCONF/.test(error),
        )
      await until('Redis refuses writes', isRefused)
      const edit = () =>
        ask('POST /api/admin/song-editor/save', {
          songId: 'day/a.mp3',
          metadataChanged: true,
          metadata: { title: 'b', artist: 'c', album: '', year: 2000 },
        })
      const refused = await edit()
      t.match(refused, { status: 503, body: { error: { code: 'DATA_UNAVAILABLE', reason: 'disk_full' } } })
      disk.free()
      await until('Redis takes writes', async () => !(await isRefused()))
      t.match(
        await edit(),
        { status: 503, body: { error: { code: 'JOBS_UNAVAILABLE' } } },
        'taken, with nobody there to do it',
      )
    },
  )

  t.test('a station whose disk stays full logs each error once', async (t) => {
    const disk = await smallDisk(t, 16 * MB)
    putEverythingOn(t, disk)
    const tones = [
      { name: 'One', hz: 440, seconds: 5 },
      { name: 'Two', hz: 660, seconds: 6 },
      { name: 'Three', hz: 880, seconds: 7 },
    ]
    const station = await prepareStation(t, tones, { DATA_PROVIDER: 'json', MEDIA_STORAGE: 'local' })
    const [{ process: api, url }, worker, jobs] = await Promise.all([
      station.startApi(),
      station.startWorker(),
      station.startJobs(),
    ])
    disk.fill()
    const filledAtMs = performance.now()
    let refusals = 0
    while (performance.now() - filledAtMs < FULL_FOR_MS) {
      const login = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const answer = await fetch(`${url}/api/admin/login`, { ...login, body: '{"login":"a","password":"b"}' })
      if (answer.status >= 500) refusals++
      await sleep(50)
    }
    const minutes = Math.ceil((performance.now() - filledAtMs) / 60_000)
    t.comment(`${refusals} refusals`)
    for (const [name, { output }] of Object.entries({ api, worker, jobs })) {
      const lines = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
      const errors = lines.filter(({ level, err }) => level >= 40 && err)
      const times = new Map<string, number>()
      for (const { msg, err } of errors) {
        const key = `${msg}: ${err.code ?? err.message.replace(/\d+/g, '')}`
        times.set(key, (times.get(key) ?? 0) + 1)
      }
      t.comment(`${name}: ${lines.length} lines, ${errors.length} of errors`, Object.fromEntries(times))
      t.same(
        [...times].filter(([, count]) => count > 1 + minutes),
        [],
        `${name}: an error that repeats is told once, then once a minute`,
      )
      t.ok(errors.length < 30, `${name}: ${errors.length} lines of errors`)
    }
    disk.free()
    await until('the station is well again', async () => (await fetch(`${url}/readyz/stream`)).ok)
  })
})
