import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { machineClock } from '../harness/processes/machine-clock.ts'
import { startRedis } from '../harness/processes/processes.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'
import { openApp } from '../harness/stations/app.ts'
import { startAir, startJobs } from '../harness/stations/workers.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
/** Far more than a loaded machine needs between two readings of a clock, and far less than the steps of the clock. */
const NEAR_MS = 60_000
const QUOTA = 5
const songs = Array.from({ length: 14 }, (_, i) => `day/${i}.mp3`)
const FROM = { 'x-forwarded-for': '10.0.0.1' }

for (const byMs of [8 * HOUR_MS, -8 * HOUR_MS])
  t.test(`guest code, open order and quota outlast a clock set by ${byMs / HOUR_MS} h`, async (t) => {
    const wall = await machineClock(t)
    const [redis, services] = await Promise.all([startRedis(t, wall.env), openPaymentServices(t)])
    const station = await openApp(t, {
      ...SUPER_ADMIN,
      ...services.env,
      REDIS_URL: redis.url,
      DONATIONS_PROVIDER: 'donatello',
      DONATION_MATCH_EXPIRY_MIN: '20',
      STREAM_MODE: 'true',
      MEDIA_STORAGE: 'local',
      RADIO_HOSTS_MODE: 'true',
      NIGHT_MODE: 'false',
      TRUST_PROXY_HOPS: '1',
      DELETE_QUOTA_PER_DAY: String(QUOTA),
      TIME_ZONE: 'UTC',
      // Twelve hours away, so that the day of the quota stays the same.
      LOG_PURGE_HOUR: String((new Date(wall.nowMs()).getUTCHours() + 12) % 24),
    })
    const { app, ports } = station
    const tone = join(station.folder, 'tone.mp3')
    await makeTone(tone, { hz: 440, seconds: 300, isMono: true })
    const bytes = await readFile(tone)
    for (const id of songs) await station.addTrack(id, bytes, { duration: 300, artist: id })
    const air = await startAir(t, ports)
    await startJobs(t, ports)
    const free = songs.filter(
      (id) => !air.state.playlist.entries.slice(0, 2).some(({ track }) => track.id === id),
    )

    const moderator = openSocket(t, await app.listen({ port: 0, host: '127.0.0.1' }))
    await moderator.first('radio_hosts_online')
    moderator.socket.emit('admin_active', (await asAdmin(station, ['radio_moderator'])).token)
    await moderator.first('admin_confirmed')
    type Code = { code: string; expiresAt: number }
    const { code } = (await moderator.ask('moderator_generate_guest_code', { ttlHours: 2 })) as Code
    const codeLeftMs = async () => {
      const now = (await moderator.ask('moderator_get_guest_code')) as Code
      t.equal(now.code, code)
      return now.expiresAt - wall.nowMs()
    }

    const made = await app.inject({
      method: 'POST',
      url: '/api/public/donations/create',
      headers: FROM,
      payload: { songId: free[0] },
    })
    const url = `/api/public/donations/${made.json().donationId}/status`
    const orderLeftMs = async () => {
      const { status, expiresAt } = (await app.inject({ url, headers: FROM })).json()
      t.equal(status, 'pending')
      return expiresAt - wall.nowMs()
    }

    const helper = await asAdmin(station, ['editor_meta'])
    const remove = (songIds: string[]) => helper.ask('POST /api/admin/song-editor/batch-delete', { songIds })
    t.equal((await remove(free.slice(1, 4))).status, 200)

    const askedAtMs = performance.now()
    const passed = () => performance.now() - askedAtMs
    const before = { code: await codeLeftMs(), order: await orderLeftMs() }
    t.ok(Math.abs(before.code - 2 * HOUR_MS) < NEAR_MS, 'the code lives for two hours')
    t.ok(Math.abs(before.order - HOUR_MS / 3) < NEAR_MS, 'the order for twenty minutes')
    wall.step(byMs)
    await until('the step is noticed', () => Math.abs(ports.clock.aheadMs() + byMs) < NEAR_MS)
    t.ok(Math.abs((await codeLeftMs()) + passed() - before.code) < NEAR_MS, 'the code lives on')
    t.ok(Math.abs((await orderLeftMs()) + passed() - before.order) < NEAR_MS, 'the order can be paid on')
    t.match(
      await remove(free.slice(4, 7)),
      { status: 429, body: { remaining: QUOTA - 3 } },
      'three are counted',
    )
    t.equal((await remove(free.slice(4, 6))).status, 200, 'and the rest of the quota is left')
  })
