import type { Config } from '@solstice/adapters'
import { donations, type FailureCode, type Route } from '@solstice/contracts'
import { orderAirsAtMs } from '@solstice/playout'
import {
  type Audit,
  type DataStore,
  dateNow,
  dateOf,
  donationCurrencies,
  donationHistory,
  Failure,
  findOwnDonation,
  type OrderMoment,
  type PaymentProvider,
  type Payments,
  placeOrder,
  previewPrice,
  priceTrack,
  readDonationSettings,
  readLedger,
  saveDonationSettings,
  toUnits,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { modeOnAir } from '../air/mode.ts'
import type { Tokens } from '../auth/tokens.ts'
import { type Call, type Handler, type ImplementOptions, implement } from '../http/implement.ts'
import { addressOf, type Origins } from '../limits/client-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { AirMirror } from '../stream/mirror.ts'

export interface DonationDeps {
  config: Config
  data: DataStore
  clock: WallClock
  mirror: AirMirror
  tokens: Tokens
  origins: Origins
  payments: Payments
  audit: Audit
  limits: Pick<RequestLimits, 'orders'>
}

const MAX_PAGE = 200

/** Paid songs: prices, orders and what became of them; for admins, settings and history. */
export function donationRoutes(app: FastifyInstance, deps: DonationDeps): void {
  const { config, data, clock, mirror, tokens, origins, audit } = deps
  const { active } = deps.payments
  const { radioHostsMode, donationRetentionDays } = config

  /** Serves a route with the provider that orders go to; what nobody foresaw is refused with the route's own code. */
  const serve = <const R extends Route>(
    route: R,
    unforeseen: FailureCode,
    handler: (call: Call<R>, provider: PaymentProvider) => ReturnType<Handler<R>>,
    options?: ImplementOptions,
  ) => {
    const answer: Handler<R> = async (call) => {
      // The gate has let nobody in without one.
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

  /** The listener behind an address. */
  const uidOf = ({ raw }: FastifyRequest) => tokens.uidOf(addressOf(raw, config.trustProxyHops))

  const momentNow = (): OrderMoment => {
    const nowMs = clock.nowMs()
    const air = mirror.at(nowMs)
    return { nowMs, mode: modeOnAir({ config, clock, mirror }), air, radioHostsMode }
  }

  serve(donations.getDonationTiers, 'DONATIONS_TIERS_FAILED', async ({ query }, provider) => {
    const { settings, tiers, chattingBlocked } = await priceTrack(
      { data, provider },
      momentNow(),
      query.songId,
    )
    const { currency, pricingMode, tiersEnabled } = settings
    const prices = tiers.map(({ tier, amountMinor }) => ({ tier, price: toUnits(amountMinor) }))
    return { currency, pricingMode, tiersEnabled, tiers: prices, flowType: provider.flow, chattingBlocked }
  })

  serve(
    donations.createDonation,
    'DONATIONS_CREATE_FAILED',
    async ({ body, request }, provider) => {
      const { origin } = request.headers
      const page =
        origin && origins.isAllowedOrigin(origin, request.raw) ? origin : origins.ownOrigin(request.raw)
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
      const { flow: flowType, pageUrl, matchCode, expiresAt } = placed
      return {
        donationId,
        flowType,
        pageUrl,
        matchCode,
        amount: toUnits(amountMinor),
        currency,
        expiresAt: dateOf(clock, expiresAt),
      }
    },
    { limit: (request, reply) => deps.limits.orders(uidOf(request), reply) },
  )

  serve(donations.getDonationStatus, 'DONATIONS_STATUS_FAILED', async ({ params, request }) => {
    const donation = await findOwnDonation(data, params.id, uidOf(request))
    const { status, tier, matchCode, expiresAt, airedAt } = donation
    const { air, nowMs } = momentNow()
    const isWaiting = status === 'paid' && airedAt === null && air !== null
    const expectedMs = isWaiting ? orderAirsAtMs(air, donation.id, nowMs) : null
    const airsAt = status === 'paid' ? (airedAt ?? expectedMs) : null
    const date = (atMs: number | null) => (atMs === null ? null : dateOf(clock, atMs))
    return { status, tier, matchCode, expiresAt: date(expiresAt), airsAt: date(airsAt) }
  })

  serve(donations.getDonationLedger, 'DONATIONS_HISTORY_FAILED', async ({ params }) => {
    const entries = await readLedger(data, params.id)
    if (entries.length === 0) throw new Failure('NOT_FOUND')
    return { entries: entries.map(({ event, atMs, note }) => ({ event, at: atMs, note })) }
  })

  serve(donations.getDonationSettings, 'DONATIONS_SETTINGS_LOAD_FAILED', async (_, provider) => {
    const { id, displayName, maxAmountMinor } = provider
    return {
      settings: await readDonationSettings(data, provider),
      radioHostsMode,
      provider: { id, displayName, supportedCurrencies: Object.keys(maxAmountMinor) },
      historyCurrencies: await donationCurrencies(data),
      donationRetentionDays,
    }
  })

  serve(donations.saveDonationSettings, 'DONATIONS_SETTINGS_SAVE_FAILED', ({ caller, body }, provider) =>
    saveDonationSettings({ data, audit, provider }, caller, body),
  )

  serve(donations.getDonationHistory, 'DONATIONS_HISTORY_FAILED', async ({ query }) => {
    const { window, offset, limit: wanted } = query
    const limit = Math.min(wanted, MAX_PAGE)
    const retentionDays = donationRetentionDays
    const page = { window, offset, limit, retentionDays, nowMs: dateNow(clock) }
    return { ...(await donationHistory(data, page)), offset, limit }
  })

  serve(donations.previewDonationPrice, 'DONATIONS_SETTINGS_LOAD_FAILED', async ({ query }, provider) => ({
    basePrice: await previewPrice(data, provider, query.durationSeconds),
  }))
}
