import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './client-address.ts'
import type { RateLimit } from './turns.ts'

/** Limits requests by the uid of their address, which stands for it without revealing it. */
export function perAddress(
  { config, tokens }: { config: { trustProxyHops: number }; tokens: { uidOf(address: string): string } },
  limit: RateLimit,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return ({ raw }, reply) => limit(tokens.uidOf(addressOf(raw, config.trustProxyHops)), reply)
}
