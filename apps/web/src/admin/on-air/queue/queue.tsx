import type { RefObject } from 'preact'
import { useMemo } from 'preact/hooks'
import { isChatting } from '../../../radio/timeline.ts'
import { useKeys } from '../../data/keys.ts'
import { useAdmin, useAir, useStation } from '../../data/panel.ts'
import { zoneTime } from '../../shell/time.ts'
import { Denied } from '../../ui/layers/guarded.tsx'
import { List } from '../../ui/state/list.tsx'
import { useOnAirTexts } from '../on-air-context.ts'
import { expectedTimes } from './expected-times.ts'
import { NextJingle } from './next-jingle.tsx'
import { placesFor } from './places.ts'
import { Order, Row } from './queue-row.tsx'
import { useMoving } from './use-moving.ts'
import type { QueuePage, useQueue } from './use-queue.ts'

/**
 * The track on air, and the next twenty with the times at which they are expected.
 *
 * @param props.dropAt the position at which a track from the library would be put now.
 */
export function Queue(props: {
  queue: ReturnType<typeof useQueue>
  list: RefObject<HTMLOListElement | null>
  dropAt: number | null
}) {
  const { queue, list, dropAt } = props
  const t = useOnAirTexts()
  return (
    <>
      <Playing />
      <NextJingle />
      <List state={queue} rows={10} isEmpty={({ items }) => items.length === 0} empty={<p>{t.queueEmpty}</p>}>
        {(page) => <Rows page={page} list={list} dropAt={dropAt} />}
      </List>
    </>
  )
}

function Rows(props: { page: QueuePage; list: RefObject<HTMLOListElement | null>; dropAt: number | null }) {
  const { page, list, dropAt } = props
  const { items, total } = page
  const air = useAir()
  const station = useStation()
  const { config, verdict } = useAdmin()
  const t = useOnAirTexts()
  const right = verdict({ allOf: ['queue_manage'] })
  const canChange = right.is === 'open'
  const isPaused = air !== null && (air.isPreparing || isChatting(air))
  const times = air && !isPaused ? expectedTimes(air, items, station.stationNowMs()) : []
  const airId = air?.track ?? null
  const left = air ? air.totalTracks - 1 - air.currentIndex : 0
  const places = useMemo(
    () => items.map((_, i) => (canChange ? placesFor({ items, airId, left }, i + 1) : [])),
    [items, airId, left, canChange],
  )
  const moving = useMoving({ list, items, placesOf: (position) => places[position - 1] ?? [] })
  const canMove = places.some(({ length }) => length > 0)
  useKeys(t.queue, canMove ? [{ key: 'Alt ↑ ↓', label: t.keyMove, run: () => {} }] : [])
  const { move } = moving
  return (
    <>
      <ol
        class="queue"
        ref={list}
        aria-label={t.queue}
        data-changeable={canChange}
        data-moving={move?.is}
        data-drop={dropAt !== null && dropAt > items.length ? 'end' : undefined}
        onKeyDown={moving.keyDown}
        onKeyUp={moving.keyUp}
        onFocusOut={moving.focusOut}
      >
        {items.map((item, i) => {
          const atMs = times[i]
          const nth = items.slice(0, i).filter(({ id }) => id === item.id).length
          return (
            <Row
              key={item.entryId ?? `${item.id} ${nth}`}
              item={item}
              position={i + 1}
              time={atMs === undefined ? '' : zoneTime(atMs, config.timeZone).slice(0, 5)}
              canMove={places[i]!.length > 0}
              isPlace={move !== null && (places[move.from - 1]?.includes(i + 1) ?? false)}
              isDropPlace={dropAt === i + 1}
              moving={moving}
            />
          )
        })}
      </ol>
      <p class="unseen" aria-live="assertive">
        {moving.said}
      </p>
      {total > items.length && <p class="queue-total">{t.queueOf(items.length, total)}</p>}
      {right.is === 'denied' && <Denied right={right} />}
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
