import type { FastifyInstance } from 'fastify'
import { type DonationAdminDeps, donationAdminRoutes } from './administration.ts'
import { type OrderDeps, orderRoutes } from './orders.ts'

/** Paid tracks: prices and orders for listeners; settings and history for admins. */
export function donationRoutes(app: FastifyInstance, deps: OrderDeps & DonationAdminDeps): void {
  orderRoutes(app, deps)
  donationAdminRoutes(app, deps)
}
