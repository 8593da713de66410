import type { Config } from '@solstice/adapters'
import { donations } from '@solstice/contracts'
import {
  type Audit,
  type DataStore,
  dateNow,
  donationCurrencies,
  donationHistory,
  Failure,
  type Payments,
  previewPrice,
  readDonationSettings,
  readLedger,
  saveDonationSettings,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { withProvider } from './with-provider.ts'

export interface DonationAdminDeps {
  config: Pick<Config, 'radioHostsMode' | 'donationRetentionDays'>
  data: DataStore
  clock: WallClock
  payments: Payments
  audit: Audit
}

const MAX_PAGE = 200

/** The settings of donations, their history and ledger, for admins. */
export function donationAdminRoutes(app: FastifyInstance, deps: DonationAdminDeps): void {
  const { data, clock, audit } = deps
  const { radioHostsMode, donationRetentionDays } = deps.config
  const serve = withProvider(app, deps.payments)

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
    const { window, status, offset, limit: wanted } = query
    const limit = Math.min(wanted, MAX_PAGE)
    const page = {
      window,
      status,
      offset,
      limit,
      retentionDays: donationRetentionDays,
      nowMs: dateNow(clock),
    }
    return { ...(await donationHistory(data, page)), offset, limit }
  })

  serve(donations.previewDonationPrice, 'DONATIONS_SETTINGS_LOAD_FAILED', async ({ query }, provider) => ({
    basePrice: await previewPrice(data, provider, query.durationSeconds),
  }))
}
