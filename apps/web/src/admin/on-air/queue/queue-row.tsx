import type { ClientPayload, QueueItem } from '@solstice/contracts'
import { trackLine } from '../../../listener/format.ts'
import { useAdmin, useCooldown, useStation } from '../../data/panel.ts'
import { Icon } from '../../ui/icon.tsx'
import { Badge } from '../../ui/state/badge.tsx'
import { ProgressRing } from '../../ui/state/progress-ring.tsx'
import { useOnAirTexts } from '../on-air-context.ts'
import { yieldPx } from './places.ts'
import type { Moving } from './use-moving.ts'

interface Props {
  item: QueueItem
  /** 1 = next. */
  position: number
  time: string
  canMove: boolean
  /** The row that is on its way may be put here. */
  isPlace: boolean
  /** A track from the library would be put before it. */
  isDropPlace: boolean
  moving: Moving
}

export function Row({ item, position, time, canMove, isPlace, isDropPlace, moving }: Props) {
  const { may } = useAdmin()
  const t = useOnAirTexts()
  const { move } = moving
  const isHeld = move?.from === position
  const px = !move ? 0 : isHeld ? move.byPx : yieldPx(move.heightsPx, move, position)
  return (
    <li
      class="queue-row"
      data-held={isHeld}
      data-drop={isDropPlace}
      data-place={isHeld || isPlace}
      style={{ transform: px ? `translateY(${px}px)` : undefined }}
    >
      <span class="queue-time" title={time ? t.around : undefined}>
        {time || position}
      </span>
      <span class="queue-song">
        <b>{item.title}</b>
        <span>{item.artist}</span>
      </span>
      <span class="queue-marks">
        <Order item={item} />
        {isHeld && (
          <span class="queue-place">
            <Badge tone="light">{t.place(move.to)}</Badge>
          </span>
        )}
        {position === 1 && (
          <span class="queue-lock" title={t.locked}>
            <Icon name="lock" size={16} />
            <span class="unseen">{t.locked}</span>
          </span>
        )}
      </span>
      {move?.is === 'picked' && isPlace ? (
        <PutHere position={position} moving={moving} />
      ) : (
        canMove && <Handle position={position} song={trackLine(item)} moving={moving} />
      )}
      {may({ allOf: ['queue_manage'] }) && (
        <Remove which={item.entryId ? { entryId: item.entryId } : position} song={trackLine(item)} />
      )}
    </li>
  )
}

export function Order({ item }: { item: Pick<QueueItem, 'orderType' | 'tier'> }) {
  const t = useOnAirTexts()
  if (!item.orderType) return null
  const isPaid = item.orderType === 'donated'
  return (
    <Badge tone={isPaid ? 'light' : 'plain'}>
      {isPaid ? (item.tier ? t.paidTier(item.tier) : t.paid) : t.requested}
    </Badge>
  )
}

/** The handle by which a row is dragged, or picked up with a click. */
function Handle({ position, song, moving }: { position: number; song: string; moving: Moving }) {
  const t = useOnAirTexts()
  const { secsLeft } = useCooldown('remove')
  const isWaiting = secsLeft > 0
  return (
    <button
      type="button"
      class="tool queue-handle"
      aria-disabled={isWaiting}
      aria-label={t.moveSong(song)}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      aria-pressed={moving.move?.is === 'picked' && moving.move.from === position}
      title={isWaiting ? t.waitMove(secsLeft) : t.moveHint}
      onPointerDown={(event) => moving.press(event, position)}
      onClick={(event) => moving.toggle(event, position)}
    >
      {isWaiting ? <Waiting /> : <Icon name="grip" size={20} />}
    </button>
  )
}

function PutHere({ position, moving }: { position: number; moving: Moving }) {
  const t = useOnAirTexts()
  const label = t.moveHere(position)
  const isAbove = position < (moving.move?.from ?? 0)
  return (
    <button
      type="button"
      class="tool queue-here"
      aria-label={label}
      title={label}
      onClick={() => moving.dropAt(position)}
    >
      <Icon name={isAbove ? 'up' : 'down'} size={18} />
    </button>
  )
}

function Remove({ which, song }: { which: ClientPayload<'admin_remove_song'>; song: string }) {
  const station = useStation()
  const t = useOnAirTexts()
  const { secsLeft } = useCooldown('remove')
  const isWaiting = secsLeft > 0
  return (
    <button
      type="button"
      class="tool queue-remove"
      aria-disabled={isWaiting}
      aria-label={t.removeSong(song)}
      title={isWaiting ? t.waitRemove(secsLeft) : t.remove}
      onClick={() => !isWaiting && station.send('admin_remove_song', which)}
    >
      {isWaiting ? <Waiting /> : <Icon name="trash" size={18} />}
    </button>
  )
}

/** The rest of the cooldown that moving and removing share. */
function Waiting() {
  const { secsLeft, part } = useCooldown('remove')
  return (
    <ProgressRing part={part} size={28}>
      {secsLeft}
    </ProgressRing>
  )
}
