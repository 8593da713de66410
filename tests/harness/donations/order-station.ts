import type { DonationSettings } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { trackRef } from '@solstice/station'
import type { Test } from 'tap'
import { putOnAir } from '../air/put-on-air.ts'
import { asAdmin, SUPER_ADMIN } from '../people/admin.ts'
import { openPaymentServices } from '../servers/services/payment-services.ts'
import { type OpenApp, openApp } from '../stations/app.ts'

export const PAGE = 'https://page.example'

/** A station whose orders go to the named service; with `beside`, the second replica of another one. */
export async function openDonations(
  t: Test,
  services: { env: Record<string, string> },
  provider: string,
  beside?: OpenApp,
  hops = '1',
) {
  const env = {
    ...SUPER_ADMIN,
    ...services.env,
    DONATIONS_PROVIDER: provider,
    DONATION_MATCH_EXPIRY_MIN: '20',
    STREAM_MODE: 'true',
    RADIO_HOSTS_MODE: 'true',
    TRUST_PROXY_HOPS: hops,
    CLIENT_ORIGIN: PAGE,
  }
  const station = await openApp(t, env, undefined, beside)
  const ask = async (request: string, from: string, payload?: object, origin?: string) => {
    const [method, path] = request.split(' ') as ['GET' | 'POST', string]
    const headers = { 'x-forwarded-for': from, ...(origin !== undefined && { origin }) }
    const url = `/api/public/donations/${path}`
    const answer = await station.app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  let listeners = 0
  return {
    ...station,
    ask,
    /** Orders as a new listener, unless given an address. */
    order: (payload: object, from = `10.0.0.${++listeners}`, origin?: string) =>
      ask('POST create', from, payload, origin),
    tiers: (songId: string) => ask(`GET tiers?songId=${encodeURIComponent(songId)}`, '10.9.9.9'),
    saveSettings: async (draft: Partial<DonationSettings>) => {
      const { ask } = await asAdmin(station)
      const answer = await ask('POST /api/admin/donations/settings', draft)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
  }
}

/** A station on air that is paid through a page; each test starts without orders, with settings by default. */
export async function openOrderStation(t: Test) {
  const services = await openPaymentServices(t)
  const station = await openDonations(t, services, 'donatello')
  const { ports, addTrack } = station
  const { data } = ports
  const [song, current, next] = [
    await addTrack('day/song.mp3', null, { duration: 200, artist: 'Hilda', title: 'Morning Tide' }),
    await addTrack('day/current.mp3', null, { duration: 250 }),
    await addTrack('day/next.mp3', null),
  ]
  const night = await addTrack('night/owl.mp3', null)
  const entry = (track: typeof song, entryId: string) => {
    return { entryId, track: { ...trackRef(track), durationMs: 3_600_000 }, orderType: null, tier: null }
  }
  const onAir = (facts: Partial<PlayoutState> = {}) =>
    putOnAir(station, {
      mode: 'day',
      onAir: { phase: 'track', entry: entry(current, 'e1'), startedAtMs: ports.clock.nowMs() },
      playlist: { entries: [entry(current, 'e1'), entry(next, 'e2')], index: 0, repeats: false },
      ...facts,
    })
  t.beforeEach(async () => {
    await Promise.all([data.settings.delete({}), data.donations.delete({}), data.audit.delete({}), onAir()])
  })
  return { services, station, song, current, next, night, entry, onAir }
}
