import type { FastifyInstance } from 'fastify'
import { type DonationAdminDeps, donationAdminRoutes } from './administration.ts'
import { type OrderDeps, orderRoutes } from './orders.ts'
import { type UnqueuedDeps, unqueuedRoutes } from './unqueued.ts'

/** Paid tracks: prices and orders for listeners; settings, history and decisions for admins. */
export function donationRoutes(
  app: FastifyInstance,
  deps: OrderDeps & DonationAdminDeps & UnqueuedDeps,
): void {
  orderRoutes(app, deps)
  donationAdminRoutes(app, deps)
  unqueuedRoutes(app, deps)
}
