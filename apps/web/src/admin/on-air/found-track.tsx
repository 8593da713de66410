import type { QueueItem } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { trackLine } from '../../listener/format.ts'
import { useAdmin, useCooldown, useStation } from '../data/panel.ts'
import { Icon } from '../ui/icon.tsx'
import { useOnAirTexts } from './on-air-context.ts'
import type { Dropping } from './queue/use-dropping.ts'

export type Track = { id: string; title: string; artist: string }

/** Shown beside each other on a phone, too. */
const MOST_PLACES = 12

/** A track that was found, and the ways into the queue. */
export function FoundTrack(props: {
  track: Track
  items: readonly QueueItem[]
  /** Positions at which it may be put, 1 = next. */
  places: readonly number[]
  dropping: Dropping
}) {
  const { track, items, places, dropping } = props
  const station = useStation()
  const t = useOnAirTexts()
  const { secsLeft } = useCooldown('add')
  const [isOpen, setOpen] = useState<'places' | 'tiers' | null>(null)
  const line = trackLine(track)
  const wait = secsLeft > 0 ? t.waitAdd(secsLeft) : undefined
  const add = (more: { orderType: 'lastinline' | 'donated'; tier?: number; position?: number }) => {
    setOpen(null)
    if (secsLeft === 0) station.send('admin_add_song', { id: track.id, ...more })
  }
  const toggle = (what: 'places' | 'tiers') => !wait && setOpen(isOpen === what ? null : what)
  const put = (position: number) => add({ orderType: 'lastinline', position })
  return (
    <li>
      <button
        type="button"
        class="tool found-handle"
        aria-label={t.dragSong(line)}
        aria-disabled={wait !== undefined}
        aria-expanded={isOpen === 'places'}
        title={wait ?? t.dragHint}
        onPointerDown={(event) => !wait && dropping.press(event, line, places, put)}
        onClick={({ detail }) => {
          // The click of a key has no number.
          if (detail === 0 || !dropping.wasDrag()) toggle('places')
        }}
      >
        <Icon name="grip" size={20} />
      </button>
      <span class="queue-song">
        <b>{track.title}</b>
        <span>{track.artist}</span>
      </span>
      <button
        type="button"
        class="button"
        aria-label={t.addSong(line)}
        aria-disabled={wait !== undefined}
        title={wait}
        onClick={() => add({ orderType: 'lastinline' })}
      >
        {wait ? `${secsLeft} s` : t.asRequest}
      </button>
      <AsPaid
        song={line}
        wait={wait}
        isOpen={isOpen === 'tiers'}
        onToggle={() => toggle('tiers')}
        onAdd={(tier) => add({ orderType: 'donated', ...(tier && { tier }) })}
      />
      {isOpen === 'places' && <Places song={line} places={places} items={items} onPut={put} />}
    </li>
  )
}

/** The places that the rules permit, for a keyboard and a finger. */
function Places(props: {
  song: string
  places: readonly number[]
  items: readonly QueueItem[]
  onPut: (place: number) => void
}) {
  const { song, places, items, onPut } = props
  const t = useOnAirTexts()
  const isLast = (place: number) => items[place - 1]?.orderType == null
  const labelOf = (place: number) =>
    place === 1
      ? t.placeNext
      : isLast(place)
        ? t.placeLast(place)
        : t.placeBefore(place, items[place - 1]!.title)
  if (!places.length) return <p class="air-tiers">{t.noPlace}</p>
  return (
    <fieldset class="air-tiers" aria-label={t.placesOf(song)}>
      <span aria-hidden="true">{t.places}</span>
      {places.slice(0, MOST_PLACES).map((place) => (
        <button
          key={place}
          type="button"
          class={place === 1 ? 'text-button' : 'tool'}
          aria-label={labelOf(place)}
          title={labelOf(place)}
          onClick={() => onPut(place)}
        >
          {place === 1 ? t.placeNext : place}
        </button>
      ))}
    </fieldset>
  )
}

/** Queues a track as a paid one; where the station has tiers, the tier is asked for. */
function AsPaid(props: {
  song: string
  wait: string | undefined
  isOpen: boolean
  onToggle: () => void
  onAdd: (tier: number | null) => void
}) {
  const { song, wait, isOpen, onToggle, onAdd } = props
  const { config } = useAdmin()
  const t = useOnAirTexts()
  const { tiersEnabled = false, tierCeiling = 0 } = config.donationInfo ?? {}
  return (
    <>
      <button
        type="button"
        class="text-button"
        aria-label={t.addAsDonation(song)}
        aria-disabled={wait !== undefined}
        aria-expanded={tiersEnabled ? isOpen : undefined}
        title={wait}
        onClick={() => (tiersEnabled ? onToggle() : onAdd(null))}
      >
        {t.asDonation}
      </button>
      {isOpen && (
        <fieldset class="air-tiers" aria-label={t.tierOf(song)}>
          <span aria-hidden="true">{t.tier}</span>
          {Array.from({ length: tierCeiling }, (_, i) => i + 1).map((tier) => (
            <button
              key={tier}
              type="button"
              class="tool"
              aria-label={`${t.tier} ${tier}`}
              onClick={() => onAdd(tier)}
            >
              {tier}
            </button>
          ))}
        </fieldset>
      )}
    </>
  )
}
