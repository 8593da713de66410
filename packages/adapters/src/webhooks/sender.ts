import type { LookupAddress } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { timeLimit, type WebhookAnswer, type WebhookSender } from '@solstice/station'
import { Webhook } from 'standardwebhooks'
import { publicAddresses } from '../video/egress-proxy.ts'

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

/** @param localHosts hosts that may be reached by http, wherever they are. */
export function openWebhookSender(localHosts: readonly string[]): WebhookSender {
  const isLocal = ({ hostname }: URL) => localHosts.includes(hostname)
  return {
    async accepts(text) {
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      if (url.username || url.password || url.hash) return false
      if (isLocal(url)) return ['http:', 'https:'].includes(url.protocol)
      if (url.protocol !== 'https:' || url.port !== '') return false
      return publicAddresses(url.hostname).then(
        () => true,
        () => false,
      )
    },

    async send(text, { id, body, secret }) {
      const url = new URL(text)
      const nowS = Math.floor(Date.now() / 1000)
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Solstice',
        'webhook-id': id,
        'webhook-timestamp': String(nowS),
        'webhook-signature': new Webhook(secret).sign(id, new Date(nowS * 1000), body),
      }
      try {
        // The list of local hosts may have become shorter since, and what a name stands for may have changed.
        const addresses = isLocal(url) ? null : await addressesOf(url)
        return await post(url, { headers, body, addresses })
      } catch (error) {
        return { status: null, error: reasonOf(error) }
      }
    },
  }
}

async function addressesOf({ protocol, port, hostname }: URL): Promise<LookupAddress[]> {
  if (protocol !== 'https:' || port !== '') throw new Error('not a public https address')
  return publicAddresses(hostname)
}

/** Posts once, to the addresses that were checked; follows no redirect and reads no more of the answer than is needed to end it. */
function post(
  url: URL,
  { headers, body, addresses }: { headers: object; body: string; addresses: LookupAddress[] | null },
): Promise<WebhookAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      headers: { ...headers },
      agent: false,
      signal: timeLimit(TIMEOUT_MS),
      ...(addresses && { lookup: lookupIn(addresses) }),
    })
    request.once('error', reject)
    request.once('response', (response) => {
      const answer = { status: response.statusCode ?? null, error: null }
      let bytes = 0
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes > MAX_ANSWER_BYTES) response.destroy()
      })
      response.once('error', () => resolve(answer))
      response.once('close', () => resolve(answer))
    })
    request.end(body)
  })
}

/** Connects to the addresses that were checked, whatever the name stands for by then. */
const lookupIn =
  (addresses: LookupAddress[]): LookupFunction =>
  (_name, { all }, found) => {
    const [first] = addresses
    if (all) found(null, addresses)
    else found(null, first!.address, first!.family)
  }

/** A word for the reason: messages of errors may hold addresses. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'ABORT_ERR') return 'timeout'
  return code ?? 'not_public'
}
