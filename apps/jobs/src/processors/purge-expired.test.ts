import { mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DonationRecord } from '@solstice/station'
import t from 'tap'
import { openApp } from '../../../../tests/harness/stations/app.ts'
import { purgeExpired } from './purge-expired.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Distance from a limit, longer than the test takes. */
const MARGIN_MS = 10 * 60 * 1000

t.test(
  'each kind of memory is purged at its own limit: what is inside stays, what is outside goes',
  async (t) => {
    const { ports, folder } = await openApp(t, {
      MEDIA_STORAGE: 'local',
      LOG_RETENTION_DAYS: '7',
      DONATION_RETENTION_DAYS: '365',
    })
    const { data, media, clock } = ports
    const nowMs = Math.floor(clock.nowMs())
    const around = (days: number) => ({
      inside: nowMs - days * DAY_MS + MARGIN_MS,
      outside: nowMs - days * DAY_MS - MARGIN_MS,
    })
    const donation = (id: string, createdAt: number): DonationRecord => ({
      ...{ id, claimKey: id, createdAt, paidAt: createdAt, expiresAt: null, airedAt: createdAt },
      ...{ songId: 'day/a.mp3', songTitle: 'a', songArtist: 'b', amountMinor: 1, currency: 'UAH' },
      ...{ provider: 'checkout_provider_1', tier: null, uid: 'u', matchCode: null, reference: id },
      ...{ status: 'paid', queue: 'aired', refusedWhy: null },
    })
    for (const [name, atMs] of Object.entries(around(7))) {
      const played = { trackId: name, title: name, artist: '', album: '', mode: 'day' as const }
      await data.history.insert({ ...played, playedAt: atMs })
      const done = { adminId: 'super', adminLogin: 'a', operationType: name, data: {} }
      await data.audit.insert({ ...done, createdAt: atMs })
    }
    for (const [name, atMs] of Object.entries({ ...around(365), young: around(7).outside })) {
      await data.donations.insert(donation(name, atMs))
      await data.ledger.insert({ donationId: name, event: 'claimed', onceKey: name, atMs, note: '' })
    }
    const copies: Record<string, string> = {}
    for (const [name, atMs] of Object.entries(around(1))) {
      await media.put(`.staged/day/${name}.mp3`, Buffer.from('x'))
      copies[name] = await mkdtemp(join(tmpdir(), 'solstice-edit-'))
      for (const path of [join(folder, `media/.staged/day/${name}.mp3`), copies[name]])
        await utimes(path, atMs / 1000, atMs / 1000)
    }
    t.teardown(() =>
      Promise.all(Object.values(copies).map((path) => rm(path, { recursive: true, force: true }))),
    )

    await purgeExpired(ports)
    t.same(
      (await data.history.find()).map(({ trackId }) => trackId),
      ['inside'],
    )
    t.same(
      (await data.audit.find()).map(({ operationType }) => operationType),
      ['inside'],
    )
    t.same(
      (await data.donations.find()).map(({ id }) => id),
      ['inside', 'young'],
    )
    t.same(
      (await data.ledger.find()).map(({ donationId }) => donationId),
      ['inside', 'young'],
    )
    t.same(await media.list('.staged/day'), ['.staged/day/inside.mp3'])
    t.ok(await stat(copies.inside!))
    await t.rejects(stat(copies.outside!), { code: 'ENOENT' })
  },
)
