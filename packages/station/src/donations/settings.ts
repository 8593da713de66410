import type { DonationSettings, Track } from '@solstice/contracts'
import { ASSUMED_DURATION_MS } from '@solstice/playout'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { toUnits } from '../core/units.ts'
import type { Actor } from '../ports/accounts.ts'
import type { DataStore, SettingsRecord } from '../ports/data/data-store.ts'
import type { PaymentProvider } from '../ports/payments.ts'
import { describeChanges, isSame } from '../settings/changes.ts'
import { writeSection } from '../settings/settings.ts'
import { basePriceMinor, chargeableCeiling, TIER_CEILING } from './pricing.ts'

export const defaultDonationSettings: DonationSettings = {
  currency: '',
  pricingMode: 'fixed',
  fixedPrice: 1,
  pricePerSecond: 0.02,
  tiersEnabled: false,
  tierCeiling: 5,
  blockDonationsWhileChatting: false,
}

type Flag = 'tiersEnabled' | 'blockDonationsWhileChatting'
/** Settings as an admin sends them; omitted ones stay as they are. Flags and the mode may be anything. */
export type DonationSettingsDraft = Partial<
  Omit<DonationSettings, Flag | 'pricingMode'> & Record<Flag | 'pricingMode', unknown>
>

const MAX_PRICE = 1_000_000
/** Optimistic-lock retries before giving up. */
const ATTEMPTS = 50

/** The stored settings; a currency that the provider does not take counts as the first one that it does. */
export async function readDonationSettings(
  data: Pick<DataStore, 'settings'>,
  provider: PaymentProvider,
): Promise<DonationSettings> {
  return settingsOf(await storedSettings(data), provider)
}

/**
 * Saves the sent settings, as far as they can be read. With tiers, lowers a ceiling at which the dearest track would cost
 * more than the provider takes: `clamped`.
 *
 * @throws Failure BAD_REQUEST for a currency that the provider does not take, or a price beyond all bounds
 */
export async function saveDonationSettings(
  deps: { data: Pick<DataStore, 'settings' | 'tracks'>; audit: Audit; provider: PaymentProvider },
  actor: Actor,
  sent: DonationSettingsDraft,
): Promise<{ settings: DonationSettings; clamped: boolean }> {
  const { data, audit, provider } = deps
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const replaces = await storedSettings(data)
    const before = settingsOf(replaces, provider)
    const wanted = mergeDraft(before, sent, provider)
    const settings = { ...wanted, tierCeiling: await ceilingOf(data, wanted, provider) }
    const clamped = settings.tierCeiling < wanted.tierCeiling
    if (isSame(before, settings)) return { settings, clamped }
    if (!(await writeSection(data, { section: 'donations', after: settings, replaces }))) continue
    const changes = describeChanges('donations', before, settings)
    await audit.record(actor, 'settings_save', { sections: ['donations'] }, { changes })
    return { settings, clamped }
  }
  throw new Error('donation settings not saved: too many concurrent changes')
}

/** The price of the first tier, in units of the currency. @param durationS by default the length of the longest track. */
export async function previewPrice(
  data: Pick<DataStore, 'settings' | 'tracks'>,
  provider: PaymentProvider,
  durationS: number | undefined,
): Promise<number> {
  const settings = await readDonationSettings(data, provider)
  return toUnits(basePriceMinor(settings, durationS ?? (await longestTrackS(data))))
}

/** The most per transaction, in hundredths; an unknown currency has no limit. */
export function maxAmountMinor(provider: PaymentProvider, currency: string): number {
  return provider.maxAmountMinor[currency] ?? Number.POSITIVE_INFINITY
}

async function storedSettings(data: Pick<DataStore, 'settings'>) {
  return (await data.settings.get('donations')) as Readonly<SettingsRecord<'donations'>> | null
}

function settingsOf(
  record: Readonly<SettingsRecord<'donations'>> | null,
  provider: PaymentProvider,
): DonationSettings {
  const stored = { ...defaultDonationSettings, ...record?.value }
  const [usual = ''] = Object.keys(provider.maxAmountMinor)
  return { ...stored, currency: isTaken(provider, stored.currency) ? stored.currency : usual }
}

function isTaken({ maxAmountMinor }: PaymentProvider, currency: string): boolean {
  return Object.hasOwn(maxAmountMinor, currency)
}

function mergeDraft(
  before: DonationSettings,
  sent: DonationSettingsDraft,
  provider: PaymentProvider,
): DonationSettings {
  const read = <F extends keyof DonationSettings>(
    field: F,
    readAs: (sent: NonNullable<DonationSettingsDraft[F]>, before: DonationSettings[F]) => DonationSettings[F],
  ) => (sent[field] === undefined ? before[field] : readAs(sent[field]!, before[field]))
  const readPrice = (field: 'fixedPrice' | 'pricePerSecond') =>
    read(field, (price, before) => {
      if (price <= 0) return before
      if (price > MAX_PRICE)
        throw new Failure('BAD_REQUEST', { field, reason: 'out_of_range', min: 0, max: MAX_PRICE })
      return price
    })
  return {
    currency: read('currency', (sent) => {
      const currency = sent.trim().toUpperCase()
      if (!isTaken(provider, currency))
        throw new Failure('BAD_REQUEST', { field: 'currency', reason: 'currency_unsupported' })
      return currency
    }),
    pricingMode: read('pricingMode', (sent) => (sent === 'calculated' ? 'calculated' : 'fixed')),
    fixedPrice: readPrice('fixedPrice'),
    pricePerSecond: readPrice('pricePerSecond'),
    tiersEnabled: read('tiersEnabled', booleanIn),
    tierCeiling: read('tierCeiling', (sent) =>
      Math.min(TIER_CEILING.max, Math.max(TIER_CEILING.min, Math.round(sent))),
    ),
    blockDonationsWhileChatting: read('blockDonationsWhileChatting', booleanIn),
  }
}

function booleanIn(sent: unknown): boolean {
  return sent !== 'false' && sent !== '0' && Boolean(sent)
}

async function ceilingOf(
  data: Pick<DataStore, 'tracks'>,
  settings: DonationSettings,
  provider: PaymentProvider,
): Promise<number> {
  if (!settings.tiersEnabled) return settings.tierCeiling
  return chargeableCeiling(settings, await longestTrackS(data), maxAmountMinor(provider, settings.currency))
}

/** Seconds; null for a library without tracks. */
async function longestTrackS(data: Pick<DataStore, 'tracks'>): Promise<number | null> {
  return longest(await data.tracks.find())
}

const longest = memoizeLast((tracks: readonly Readonly<Track>[]): number | null =>
  tracks.reduce<number | null>(
    (most, { duration }) => Math.max(most ?? 0, duration ?? ASSUMED_DURATION_MS / 1000),
    null,
  ),
)
