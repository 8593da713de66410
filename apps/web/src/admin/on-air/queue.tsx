import type { QueueItem } from '@solstice/contracts'
import { trackLine } from '../../listener/format.ts'
import { isChatting } from '../../radio/timeline.ts'
import { Icon } from '../../ui/icons.tsx'
import { useAdmin, useAir, useCooldown, useStation } from '../data/panel.ts'
import { zoneTime } from '../shell/time.ts'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { ProgressRing } from '../ui/state/progress-ring.tsx'
import { expectedTimes } from './expected-times.ts'
import { useOnAirTexts } from './on-air-context.ts'
import { useQueue } from './use-queue.ts'

/** What plays, and the next twenty with the times at which they are expected. */
export function Queue() {
  const queue = useQueue()
  const air = useAir()
  const station = useStation()
  const { config } = useAdmin()
  const t = useOnAirTexts()
  const isPaused = air !== null && (air.isPreparing || isChatting(air))
  return (
    <>
      <Playing />
      <List state={queue} rows={10} isEmpty={({ items }) => items.length === 0} empty={<p>{t.queueEmpty}</p>}>
        {({ items, total }) => {
          const times = air && !isPaused ? expectedTimes(air, items, station.stationNowMs()) : []
          return (
            <>
              <ol class="queue" aria-label={t.queue}>
                {items.map((item, i) => {
                  const atMs = times[i]
                  const time = atMs === undefined ? '' : zoneTime(atMs, config.timeZone).slice(0, 5)
                  return <Row key={`${item.id} ${i}`} item={item} position={i + 1} time={time} />
                })}
              </ol>
              {total > items.length && <p class="queue-total">{t.queueOf(items.length, total)}</p>}
            </>
          )
        }}
      </List>
    </>
  )
}

function Playing() {
  const air = useAir()
  const t = useOnAirTexts()
  if (!air) return null
  const isSong = !air.isPreparing && !isChatting(air)
  const title = air.isPreparing ? t.preparing : isSong ? air.title : t.chatting
  return (
    <div class="playing">
      <span class="playing-label">{t.onAir}</span>
      <p class="playing-song">
        <b>{title}</b>
        {isSong && (
          <span>
            {[air.artist, air.album, air.year].filter(Boolean).join(' · ')} <Order item={air} />
          </span>
        )}
      </p>
    </div>
  )
}

function Row({ item, position, time }: { item: QueueItem; position: number; time: string }) {
  const { may } = useAdmin()
  const t = useOnAirTexts()
  return (
    <li class="queue-row">
      <span class="queue-time" title={time ? t.around : undefined}>
        {time || position}
      </span>
      <span class="queue-song">
        <b>{item.title}</b>
        <span>{item.artist}</span>
      </span>
      <span class="queue-marks">
        <Order item={item} />
        {position === 1 && (
          <span class="queue-lock" title={t.locked}>
            <Icon name="lock" size={16} />
            <span class="unseen">{t.locked}</span>
          </span>
        )}
      </span>
      {may({ allOf: ['queue_manage'] }) && <Remove position={position} song={trackLine(item)} />}
    </li>
  )
}

function Order({ item }: { item: Pick<QueueItem, 'orderType' | 'tier'> }) {
  const t = useOnAirTexts()
  if (!item.orderType) return null
  const isPaid = item.orderType === 'donated'
  return (
    <Badge tone={isPaid ? 'light' : 'plain'}>
      {isPaid ? (item.tier ? t.paidTier(item.tier) : t.paid) : t.requested}
    </Badge>
  )
}

function Remove({ position, song }: { position: number; song: string }) {
  const station = useStation()
  const t = useOnAirTexts()
  const { secsLeft, part } = useCooldown('remove')
  const isWaiting = secsLeft > 0
  return (
    <button
      type="button"
      class="tool queue-remove"
      aria-disabled={isWaiting}
      aria-label={t.removeSong(song)}
      title={isWaiting ? t.waitRemove(secsLeft) : t.remove}
      onClick={() => !isWaiting && station.send('admin_remove_song', position)}
    >
      {isWaiting ? (
        <ProgressRing part={part} size={28}>
          {secsLeft}
        </ProgressRing>
      ) : (
        <Icon name="trash" size={18} />
      )}
    </button>
  )
}
