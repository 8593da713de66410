import type { FailureCode, Route } from '@solstice/contracts'
import { Failure, type PaymentProvider, type Payments } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { type Call, type Handler, type ImplementOptions, implement } from '../../http/implement.ts'

/** Serves a route with the active payment provider. Unforeseen errors are refused with the route's own code. */
export type ServeWithProvider = <const R extends Route>(
  route: R,
  unforeseen: FailureCode,
  handler: (call: Call<R>, provider: PaymentProvider) => ReturnType<Handler<R>>,
  options?: ImplementOptions,
) => void

export function withProvider(app: FastifyInstance, { active }: Payments): ServeWithProvider {
  return <const R extends Route>(
    route: R,
    unforeseen: FailureCode,
    handler: (call: Call<R>, provider: PaymentProvider) => ReturnType<Handler<R>>,
    options?: ImplementOptions,
  ) => {
    const answer: Handler<R> = async (call) => {
      // Never thrown: the gate refuses these routes without an active provider.
      if (!active) throw new Failure('FEATURE_UNAVAILABLE', { capability: 'donations' })
      try {
        return await handler(call, active)
      } catch (error) {
        if (error instanceof Failure) throw error
        throw new Failure(unforeseen, {}, { cause: error })
      }
    }
    implement(app, route, answer, options)
  }
}
