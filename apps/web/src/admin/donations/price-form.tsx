import { useState } from 'preact/hooks'
import { useCommand } from '../data/commands.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { Field } from '../ui/fields/field.tsx'
import { List } from '../ui/state/list.tsx'
import { useDonationTexts } from './donations-context.ts'
import { PricePreview } from './price-preview.tsx'
import { draftOf, type PriceDraft, readCeiling, readPrice, settingsOf } from './prices.ts'

const SETTINGS = '/api/admin/donations/settings'
type Stored = ReplyOf<`GET ${typeof SETTINGS}`>

/** The prices of a track, and what a paid one may interrupt. */
export function Prices() {
  const settings = useQuery(`GET ${SETTINGS}`)
  return (
    <List state={settings} rows={5}>
      {(stored) => <PriceForm stored={stored} />}
    </List>
  )
}

function PriceForm({ stored }: { stored: Stored }) {
  const { settings: saved, provider, donationRetentionDays } = stored
  const t = useDonationTexts()
  /** Only what is changed here, so that other fields follow another admin who saves. */
  const [changes, setChanges] = useState<Partial<PriceDraft>>({})
  const [clampedTo, setClampedTo] = useState<number | null>(null)
  const draft = { ...draftOf(saved), ...changes }
  const settings = settingsOf(draft, saved)
  const isChanged = JSON.stringify(settings) !== JSON.stringify(settingsOf(draftOf(saved), saved))
  const change = (some: Partial<PriceDraft>) => {
    setChanges({ ...changes, ...some })
    setClampedTo(null)
  }
  const { run, isBusy } = useCommand(`POST ${SETTINGS}`, {
    success: t.saved,
    outdates: ['/api/admin/donations'],
  })
  const save = async () => {
    if (!settings || !isChanged) return
    const reply = await run({ body: settings })
    if (!reply) return
    setChanges({})
    setClampedTo(reply.clamped ? reply.settings.tierCeiling : null)
  }
  return (
    <form
      class="prices"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <p class="hint">{provider ? t.service(provider.displayName) : t.noService}</p>
      <PriceFields stored={stored} draft={draft} change={change} />
      <p class="price-clamped" role="status">
        {clampedTo !== null && t.clamped(clampedTo, provider?.displayName ?? '')}
      </p>
      <PricePreview settings={settings ?? saved} isSaved={!isChanged} />
      <div class="prices-actions">
        <button type="submit" class="button primary" aria-disabled={isBusy || !settings || !isChanged}>
          {t.save}
        </button>
        {isChanged && (
          <button type="button" class="text-button" onClick={() => setChanges({})}>
            {t.discard}
          </button>
        )}
      </div>
      <p class="hint">{t.keptDays(donationRetentionDays)}</p>
    </form>
  )
}

function PriceFields(props: {
  stored: Stored
  draft: PriceDraft
  change: (some: Partial<PriceDraft>) => void
}) {
  const { stored, draft, change } = props
  const t = useDonationTexts()
  const isFixed = draft.pricingMode === 'fixed'
  const currencies = stored.provider?.supportedCurrencies ?? [draft.currency]
  const price = isFixed ? draft.fixedPrice : draft.pricePerSecond
  return (
    <>
      <fieldset class="choices price-mode">
        <legend>{t.mode}</legend>
        {(['fixed', 'calculated'] as const).map((mode) => (
          <label key={mode}>
            <input
              type="radio"
              name="pricing-mode"
              checked={draft.pricingMode === mode}
              onChange={() => change({ pricingMode: mode })}
            />
            {t[mode]}
          </label>
        ))}
      </fieldset>
      <div class="price-line">
        <Field
          label={isFixed ? t.fixedPrice : t.pricePerSecond}
          type="number"
          min="0"
          step="any"
          value={price}
          onValue={(typed) => change(isFixed ? { fixedPrice: typed } : { pricePerSecond: typed })}
          error={readPrice(price) === null ? t.badPrice : null}
        />
        <div class="field">
          <label for="donation-currency">{t.currency}</label>
          <select
            id="donation-currency"
            value={draft.currency}
            onChange={(event) => change({ currency: event.currentTarget.value })}
          >
            {currencies.map((currency) => (
              <option key={currency} value={currency}>
                {currency}
              </option>
            ))}
          </select>
        </div>
      </div>
      <div class="price-line">
        <Switch
          label={t.tiersOn}
          isOn={draft.tiersEnabled}
          onChange={(tiersEnabled) => change({ tiersEnabled })}
        />
        {draft.tiersEnabled && (
          <Field
            label={t.ceiling}
            type="number"
            min={2}
            max={10}
            value={draft.tierCeiling}
            onValue={(tierCeiling) => change({ tierCeiling })}
            error={readCeiling(draft.tierCeiling) === null ? t.badCeiling : null}
          />
        )}
      </div>
      {stored.radioHostsMode && (
        <Switch
          label={t.block}
          isOn={draft.blockDonationsWhileChatting}
          onChange={(blockDonationsWhileChatting) => change({ blockDonationsWhileChatting })}
        />
      )}
    </>
  )
}

function Switch(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { label, isOn, onChange } = props
  return (
    <label class="switch">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  )
}
