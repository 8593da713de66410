import type { DonationSettings } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { formatDuration, formatMoney } from '../../listener/format.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { useDonationTexts } from './donations-context.ts'
import { tierPrices } from './prices.ts'

const USUAL_S = 180
const SHORTEST_S = 60
const LONGEST_S = 600

/**
 * The price of a track per tier with these settings, before they are saved as well.
 *
 * @param isSaved the station has the same: then it is asked about its longest track.
 */
export function PricePreview({ settings, isSaved }: { settings: DonationSettings; isSaved: boolean }) {
  const t = useDonationTexts()
  const { locale } = useAdmin()
  const [lengthS, setLengthS] = useState(USUAL_S)
  const isFixed = settings.pricingMode === 'fixed'
  const longest = useQuery(isSaved && !isFixed ? 'GET /api/admin/donations/price-preview' : null)
  const prices = tierPrices(settings, lengthS)
  const money = (amount: number) => formatMoney(amount, settings.currency, locale)
  return (
    <section class="price-preview" aria-labelledby="price-preview">
      <h3 id="price-preview">{t.preview}</h3>
      {!isFixed && (
        <label class="price-length">
          <span>{t.length}</span>
          <input
            type="range"
            min={SHORTEST_S}
            max={LONGEST_S}
            step={15}
            value={lengthS}
            style={{ '--level': (lengthS - SHORTEST_S) / (LONGEST_S - SHORTEST_S) }}
            aria-valuetext={formatDuration(lengthS)}
            onInput={(event) => setLengthS(Number(event.currentTarget.value))}
          />
          <b>{formatDuration(lengthS)}</b>
        </label>
      )}
      <ol aria-live="polite">
        {prices.map((price, i) => (
          <li key={i} style={{ '--part': (i + 1) / prices.length }}>
            <span>{prices.length > 1 ? t.tier(i + 1) : t.onePrice}</span>
            <b>{money(price)}</b>
          </li>
        ))}
      </ol>
      {longest.is === 'ready' && isSaved && !isFixed && (
        <p class="hint">{t.longest(money(longest.data.basePrice))}</p>
      )}
    </section>
  )
}
