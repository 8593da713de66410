import { xorWithToken } from '@solstice/contracts'
import type { MediaLink } from '@solstice/station'
import type { FastifyReply } from 'fastify'
import type { ListenerCaller } from '../../auth/callers.ts'

/** Sends bytes XORed with the listener's art token, as the contract has it for pictures and lyrics. */
export function sendWrapped(
  reply: FastifyReply,
  bytes: Uint8Array,
  { artToken }: ListenerCaller,
): FastifyReply {
  return reply
    .type('application/octet-stream')
    .header('cache-control', 'no-store')
    .send(Buffer.from(xorWithToken(bytes, artToken)))
}

/** A signed link as the body of a reply that caches must not keep. */
export function linkReply(reply: FastifyReply, { url, ttlS }: MediaLink): { url: string; ttl: number } {
  reply.header('cache-control', 'no-store')
  return { url, ttl: ttlS }
}
