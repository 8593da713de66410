import type { FastifyRequest } from 'fastify'

/** True when the caller already has the reply with this entity tag, as its `If-None-Match` says. */
export function isUnchanged({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some((tag) => opaque(tag) === opaque(etag))
}
