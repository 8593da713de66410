import type { Config } from '@solstice/adapters'
import { donations } from '@solstice/contracts'
import { orderAirsAtMs } from '@solstice/playout'
import {
  type DataStore,
  dateOf,
  findOwnDonation,
  type OrderMoment,
  orderIdOf,
  type Payments,
  placeOrder,
  priceTrack,
  toUnits,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { modeOnAir } from '../../air/mode.ts'
import type { Tokens } from '../../auth/tokens.ts'
import { addressOf, type Origins } from '../../limits/client-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'
import type { AirMirror } from '../../stream/mirror.ts'
import { withProvider } from './with-provider.ts'

export interface OrderDeps {
  config: Config
  data: DataStore
  clock: WallClock
  mirror: AirMirror
  tokens: Tokens
  origins: Origins
  payments: Payments
  limits: Pick<RequestLimits, 'orders'>
}

/** Prices of paid tracks, placing an order, and its status. */
export function orderRoutes(app: FastifyInstance, deps: OrderDeps): void {
  const { config, data, clock, mirror, tokens, origins, limits } = deps
  const serve = withProvider(app, deps.payments)
  const uidOf = ({ raw }: FastifyRequest) => tokens.uidOf(addressOf(raw, config.trustProxyHops))

  const momentNow = (): OrderMoment => {
    const nowMs = clock.nowMs()
    const mode = modeOnAir({ config, clock, mirror })
    return { nowMs, mode, air: mirror.at(nowMs), radioHostsMode: config.radioHostsMode }
  }

  serve(donations.getDonationTiers, 'DONATIONS_TIERS_FAILED', async ({ query }, provider) => {
    const priced = await priceTrack({ data, provider }, momentNow(), query.songId)
    const { currency, pricingMode, tiersEnabled } = priced.settings
    const { chattingBlocked } = priced
    const tiers = priced.tiers.map(({ tier, amountMinor }) => ({ tier, price: toUnits(amountMinor) }))
    return { currency, pricingMode, tiersEnabled, tiers, flowType: provider.flow, chattingBlocked }
  })

  serve(
    donations.createDonation,
    'DONATIONS_CREATE_FAILED',
    async ({ body, request }, provider) => {
      const { origin } = request.headers
      const isOurPage = origin && origins.isAllowedOrigin(origin, request.raw)
      const page = isOurPage ? origin : origins.ownOrigin(request.raw)
      const placed = await placeOrder(
        { data, provider, matchExpiryMin: config.donationMatchExpiryMin },
        momentNow(),
        {
          trackId: body.songId,
          tier: body.tier,
          uid: uidOf(request),
          returnUrl: (donationId) => `${page}?donation=${donationId}`,
        },
      )
      const { id: donationId, currency, amountMinor } = placed.donation
      if (placed.flow === 'checkout')
        return { donationId, flowType: placed.flow, redirectUrl: placed.redirectUrl }
      const { flow: flowType, pageUrl, matchCode } = placed
      const expiresAt = dateOf(clock, placed.expiresAt)
      return { donationId, flowType, pageUrl, matchCode, amount: toUnits(amountMinor), currency, expiresAt }
    },
    { limit: (request, reply) => limits.orders(uidOf(request), reply) },
  )

  serve(donations.getDonationStatus, 'DONATIONS_STATUS_FAILED', async ({ params, request }) => {
    const donation = await findOwnDonation(data, params.id, uidOf(request))
    const { status, tier, matchCode, expiresAt, airedAt } = donation
    const { air, nowMs } = momentNow()
    const isWaiting = status === 'paid' && airedAt === null && air !== null
    const expectedMs = isWaiting ? orderAirsAtMs(air, orderIdOf(donation), nowMs) : null
    const airsAt = status === 'paid' ? (airedAt ?? expectedMs) : null
    const date = (atMs: number | null) => (atMs === null ? null : dateOf(clock, atMs))
    return { status, tier, matchCode, expiresAt: date(expiresAt), airsAt: date(airsAt) }
  })
}
