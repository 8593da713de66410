import type { DonationRecord } from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import {
  kofiDonation,
  kofiPosts,
  type PaymentServices,
  type Posted,
} from '../../harness/servers/services/payment-services.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { until } from '../../harness/until.ts'

/** Always day, without a cooldown between listeners' songs. */
const ENV = {
  ...SUPER_ADMIN,
  DAY_START_HOUR: '6',
  NIGHT_START_HOUR: '6',
  TRUST_PROXY_HOPS: '1',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
}

export const KOFI = 'matching_provider_2'
const DONOR = '203.0.113.7'
export const WISH = 'day/wish.mp3'

export async function replica(
  t: Test,
  services: PaymentServices,
  provider: string,
  beside?: OpenApp,
  more: Record<string, string> = {},
  log = pino({ level: 'silent' }),
) {
  const env = { ...ENV, ...services.env, DONATIONS_PROVIDER: provider, ...more }
  const open = await openApp(t, env, log, beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (path: string, payload?: object, from = DONOR) => {
    const answer = await open.app.inject({
      method: payload ? 'POST' : 'GET',
      url: `/api/public/donations/${path}`,
      headers: { 'x-forwarded-for': from },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    ...open,
    url,
    ask,
    async order(songId = WISH, from = DONOR) {
      const { status, body } = await ask('create', { songId }, from)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as { donationId: string; matchCode: string; redirectUrl: string }
    },
    /** The reply to a service; over a real connection, because the body is read raw. */
    async deliver(posted: Posted, to: string = KOFI) {
      const { body, headers } = posted
      const answer = await fetch(`${url}/webhooks/donations/${to}`, { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as object }
    },
    async listen(from = DONOR) {
      const client = openSocket(t, url, { headers: { 'x-forwarded-for': from } })
      client.socket.emit('listener_init')
      await client.first('listener_uid')
      return client
    },
    /** Resolves with the order as soon as it matches. */
    async until(id: string, facts: { status?: string; queue?: string }) {
      let donation: DonationRecord
      await until(`an order is ${Object.values(facts)}`, async () => {
        donation = (await open.ports.data.donations.get(id))!
        const isLikeThis = Object.entries(facts).every(
          ([name, value]) => donation[name as 'status'] === value,
        )
        if (!isLikeThis && donation.queue === 'refused')
          throw new Error(`the order was refused: ${donation.refusedWhy}`)
        return isLikeThis
      })
      return donation!
    },
    events: async (donationId: string) =>
      (await open.ports.data.ledger.find({ donationId })).map(({ event }) => event),
  }
}

export const kofiPays = (code: string, amount = '1.00', message = `for ${code.toLowerCase()}, please!`) =>
  kofiPosts(kofiDonation({ message, amount, currency: 'USD', atMs: Date.now() }))
