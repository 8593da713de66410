import { donations } from '@solstice/contracts'
import { Failure, type PaymentProviderId, type Payments, type StationClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { DeliverySpool } from '../../background/delivery-spool.ts'
import { implement } from '../../http/implement.ts'

/** Deliveries of payment services. The answer does not reveal to strangers whether one was accepted. */
export function webhookRoutes(
  app: FastifyInstance,
  deps: { payments: Pick<Payments, 'configured'>; clock: StationClock; deliveries: DeliverySpool },
): void {
  const { payments, clock, deliveries } = deps

  implement(app, donations.receiveDelivery, async ({ params, body, request, reply }) => {
    const provider = payments.configured.get(params.provider as PaymentProviderId)
    if (!provider?.readDelivery) throw new Failure('NOT_FOUND')
    const rawBody = await readAll(body)
    const payment =
      rawBody && provider.readDelivery({ rawBody, headers: request.headers, nowMs: clock.nowMs() })
    if (!payment) {
      request.log.info({ provider: provider.id }, 'delivery rejected')
      return { ok: true as const }
    }
    try {
      await deliveries.keep(provider.id, payment)
    } catch (error) {
      request.log.error(
        { err: error, provider: provider.id },
        'delivery could not be stored; the service has to repeat it',
      )
      reply.hijack()
      request.raw.socket.destroy()
      return reply
    }
    return { ok: true as const }
  })
}

/** null when the body is too large, too slow or cut off. */
async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of body) pieces.push(piece)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
  return Buffer.concat(pieces)
}
