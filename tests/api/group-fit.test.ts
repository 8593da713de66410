import { initialState } from '@solstice/playout'
import { trackRef } from '@solstice/station'
import t from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openApp } from '../harness/stations/app.ts'

const MINUTE_MS = 60_000

t.test('whether a song group fits is known before it is queued', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { ports, addTrack } = station
  const { ask } = await asAdmin(station, [])
  const fit = () => ask('GET /api/admin/song-groups/fit')
  const song = await addTrack('day/song.mp3', null, { duration: 600 })
  await addTrack('day/long.mp3', null, { duration: 1300 })
  await addTrack('day/unknown.mp3', null, { duration: null })
  await addTrack('night/owl.mp3', null, { duration: 60 })
  const groups = {
    short: ['day/song.mp3', 'day/unknown.mp3'],
    long: ['day/song.mp3', 'day/long.mp3'],
    gone: ['day/gone.mp3'],
    owls: ['night/owl.mp3'],
  }
  for (const [id, songs] of Object.entries(groups))
    await ports.data.groups.insert({
      ...{ id, name: id, nameKey: id, songs, createdAt: 0, revision: 0 },
      mode: id === 'owls' ? 'night' : 'day',
    })
  t.match(await fit(), { status: 503, body: { error: { code: 'AIR_UNAVAILABLE' } } })

  const nowMs = ports.clock.nowMs()
  const entry = { entryId: 'e', track: trackRef(song), orderType: null, tier: null }
  const playing = {
    mode: 'day',
    onAir: { phase: 'track', entry, startedAtMs: nowMs },
    playlist: { entries: [entry], index: 0, repeats: false },
  } as const
  const playlist = { ...playing.playlist, entries: [entry] }
  const changes = [{ atMs: nowMs + 40 * MINUTE_MS + 30_000, mode: 'night' as const }]
  await putOnAir(station, { ...playing, playlist, nightMode: true, schedule: { natural: 'day', changes } })
  t.match(await fit(), {
    status: 200,
    body: {
      minutesLeft: 40,
      groups: [
        { id: 'short', seconds: 780, reason: null },
        { id: 'long', seconds: 1900, reason: 'no_time' },
        { id: 'gone', seconds: 0, reason: 'empty' },
        { id: 'owls', seconds: 60, reason: 'wrong_mode' },
      ],
    },
  })

  const { limits } = initialState(1, 'clock', { natural: 'day', changes: [] }, 0)
  await putOnAir(station, {
    ...{ ...playing, playlist, nightMode: false, lastGroupInsertMs: nowMs },
    limits: { ...limits, groupInsertCooldownMs: 10 * MINUTE_MS },
  })
  const { body } = await fit()
  t.equal(body.minutesLeft, null, 'without a night')
  t.equal(body.groups[0].reason, 'cooldown')
})
