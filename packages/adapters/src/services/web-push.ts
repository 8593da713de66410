import { createECDH } from 'node:crypto'
import type { DataStore, Device, PushKeysRecord, PushServices } from '@solstice/station'
import webPush from 'web-push'
import { fetchBounded } from './bounded-fetch.ts'

const LIMITS = { timeMs: 10_000, maxBytes: 4_096 }
const CURVE = 'prime256v1'
const LOOPBACK = ['localhost', '127.0.0.1']
/** Statuses with which the same message may be taken later. */
const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500
const GONE = [404, 410]

export interface WebPushConfig {
  /** null = made once and kept with the station's records. */
  vapidKeys: { publicKey: string; privateKey: string } | null
  /** Contact for push services, a `mailto:` or `https:` address. */
  vapidSubject: string
  /** Hosts that messages may be sent to, including their subdomains. */
  pushServiceHosts: readonly string[]
}

/** The push services of browsers. Addresses come from strangers, so only those of known hosts are used. */
export function openPushServices(config: WebPushConfig, data: Pick<DataStore, 'pushKeys'>): PushServices {
  const { vapidSubject: subject, pushServiceHosts } = config
  let known: Promise<Pick<PushKeysRecord, 'publicKey' | 'privateKey'>> | null = null
  const keys = () => {
    known ??= Promise.resolve(config.vapidKeys ?? stationKeys(data))
    known.catch(() => {
      known = null
    })
    return known
  }

  return {
    publicKey: async () => (await keys()).publicKey,

    accepts: ({ endpoint, p256dh }) => isPushService(endpoint, pushServiceHosts) && isPoint(p256dh),

    async send(device, { text, topic, lifeS }) {
      const { endpoint, p256dh, auth } = device
      // The list may have become shorter since.
      if (!isPushService(endpoint, pushServiceHosts)) return 'refused'
      const details = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, text, {
        vapidDetails: { subject, ...(await keys()) },
        TTL: lifeS,
        urgency: 'high',
        topic,
      })
      const { 'Content-Length': _, ...headers } = details.headers
      const request = { method: 'POST', headers: stringsOf(headers), body: details.body }
      const answer = await fetchBounded('the push service', endpoint, request, LIMITS)
      await answer.discard()
      if (answer.status >= 200 && answer.status < 300) return 'sent'
      if (GONE.includes(answer.status)) return 'gone'
      if (isTemporary(answer.status)) throw new Error(`the push service answered ${answer.status}`)
      return 'refused'
    },
  }
}

/** True for an https address of one of the hosts or their subdomains; a loopback host may be named for tests. */
export function isPushService(endpoint: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, hostname, port, username, password } = new URL(endpoint)
  if (username || password) return false
  if (LOOPBACK.includes(hostname)) return hosts.includes(hostname)
  const isKnown = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
  return protocol === 'https:' && port === '' && isKnown
}

/** True for a key that belongs to a device, and not just has its length. */
function isPoint(p256dh: Device['p256dh']): boolean {
  try {
    const pair = createECDH(CURVE)
    pair.generateKeys()
    pair.computeSecret(p256dh, 'base64url')
    return true
  } catch {
    return false
  }
}

/** Of several processes that make the first keys at once, the first to store them wins. */
async function stationKeys({ pushKeys }: Pick<DataStore, 'pushKeys'>): Promise<PushKeysRecord> {
  const stored = await pushKeys.get('station')
  if (stored) return stored
  const made = { id: 'station', ...webPush.generateVAPIDKeys() } as const
  return (await pushKeys.insert(made)) ?? (await pushKeys.get('station'))!
}

const stringsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
