import { type AirLease, heardIn, recordedBetween, type SoundMarker, storedParts } from '@solstice/station'
import t, { type Test } from 'tap'
import { handMadeAir } from '../harness/air/hand-made-air.ts'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { mediaSettings } from '../harness/servers/s3.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { until } from '../harness/until.ts'

const PART_FRAMES = 38
const DAY_MS = 86_400_000

/** A station without a worker, whose frames and states are made by hand. */
async function openStation(t: Test) {
  const station = await openApp(t)
  const { bus, clock, config, media } = station.ports
  const air = handMadeAir(128, clock.nowMs() - 60_000)
  air.jump({ frame: PART_FRAMES * 1_000 })
  const lease: AirLease = await bus.acquireLease(new AbortController().signal)
  return {
    station,
    media,
    /** Two chunks: a part. @param marker what is heard from its first frame on. */
    async broadcast(marker: (frame: number) => SoundMarker, names?: string[]) {
      for (let i = 0; i < 2; i++) {
        const chunk = air.chunk(PART_FRAMES / 2)
        const { frame } = chunk
        const speakers = names && (names.length > 0 ? [{ frame, names }] : [])
        await lease.publish({ ...chunk, markers: [marker(frame)], ...(speakers && { speakers }) })
      }
    },
    release: () => lease.release(),
    record: async () =>
      start(
        t,
        'node',
        [await programOf('tests/suites/air-recorder.ts')],
        {
          ...{ JWT_SECRET: config.jwtSecret, REDIS_URL: config.redis as string, LYRICS_API_URL: '' },
          ...{ DATA_DIR: config.dataDir, MEDIA_DIR: config.mediaDir, PART_FRAMES: String(PART_FRAMES) },
          // What is older is deleted.
          AIRCHECK_DAYS: '1',
          ...(await dataSettings(station.folder, {})),
          ...(await mediaSettings(station.folder, {})),
        },
        'ipc',
      ),
    async recorded(parts: number) {
      await until('all of it is recorded', async () => (await storedParts(media)).length === parts)
      return (await recordedBetween(media, Date.now() - DAY_MS, Date.now() + DAY_MS)).heard
    },
  }
}

const marker = (title: string, order?: SoundMarker['order']) => (frame: number) => ({
  ...{ frame, entryId: title, trackId: title, title, artist: 'Hilda', positionMs: 0, durationMs: null },
  ...(order && { order }),
})
/** A track of an order that an admin had queued again. */
const PAID = { type: 'donated', id: 'order-1~1' } as const

/** A host with an open microphone, and a paid track on air. */
function onAirWith(station: OpenApp, name: string, title: string) {
  const host = { uid: 'host', socketId: 's', replica: 'r', address: '192.0.2.7', role: 'host' } as const
  const present = { ...host, adminId: 'x', name, isMicOn: true, gain: 2, isMuted: false }
  const track = { id: title, title, artist: 'Hilda', album: '', year: null, durationMs: null }
  const entry = { entryId: title, track, orderType: PAID.type, orderId: PAID.id, tier: null }
  return putOnAir(station, {
    live: {
      participants: [{ ...present, sinceMs: 1, endsAtMs: null }],
      ...{ requests: [], approvals: [], guestCooldowns: [], ends: [], code: null, codeFailures: [] },
    },
    playlist: { index: 0, entries: [entry] } as never,
  })
}

t.test('what a killed recorder missed is described as it was, not as the air is now', async (t) => {
  const { station, broadcast, record, recorded, release, media } = await openStation(t)
  await station.ports.data.donations.put(
    pendingDonation('order-1', { amountMinor: 75_50, status: 'paid', requeues: 1 }),
  )
  const first = await record()
  await broadcast(marker('Tide'), [])
  await recorded(1)
  await first.end('SIGKILL')
  await broadcast(marker('Paid', PAID), [])
  await broadcast(marker('Paid', PAID), ['ada'])
  await broadcast(marker('Foam'), ['ada', 'lin'])
  await broadcast(marker('Foam'), [])
  await release()
  // Somebody else is on air by now.
  await onAirWith(station, 'eve', 'Foam')
  await record()
  const order = { ...PAID, amount: 75.5, currency: 'UAH' }
  t.match(await recorded(5), [
    { title: 'Tide', speakers: [], order: null },
    { title: 'Paid', speakers: [], order },
    { title: 'Paid', speakers: ['ada'], order },
    { title: 'Foam', speakers: ['ada', 'lin'], order: null },
    { title: 'Foam', speakers: [], order: null },
  ])
  const texts = await Promise.all((await storedParts(media)).map((part) => heardIn(media, part)))
  t.notMatch(JSON.stringify(texts), /192\.0\.2\.7|eve/)
})

t.test('frames of a version that did not say who speaks are described by the state of the air', async (t) => {
  const { station, broadcast, record, recorded, release } = await openStation(t)
  await broadcast(marker('Tide'))
  await release()
  await onAirWith(station, 'ada', 'Tide')
  await record()
  t.match(await recorded(1), [{ title: 'Tide', speakers: ['ada'], order: PAID }])
})
