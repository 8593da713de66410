import type { Locale } from '@solstice/contracts'
import { useEffect, useRef } from 'preact/hooks'
import { formatDuration, formatMoney, trackLine } from '../../../listener/format.ts'
import { useAdmin } from '../../data/panel.ts'
import { zoneTime } from '../../shell/time.ts'
import { Icon } from '../../ui/icon.tsx'
import { Badge } from '../../ui/state/badge.tsx'
import { useWatchTexts, type WatchTexts } from '../texts.ts'
import type { Day, Hour, Line } from './day.ts'
import type { DayPlayer } from './use-day-player.ts'

type Order = NonNullable<Day['heard'][number]['order']>

interface Props {
  lines: readonly Line[]
  hour: Hour
  /** What was looked for. */
  sought: Line | undefined
  soughtMs: number | null
  player: DayPlayer
  timeZone: string
  onCut: (line: Line) => void
}

/** What was heard within an hour, and the holes in it. */
export function Lines({ lines, hour, sought, soughtMs, player, timeZone, onCut }: Props) {
  const t = useWatchTexts()
  const shown = lines.filter(({ atMs, untilMs }) => atMs < hour.untilMs && untilMs > hour.fromMs)
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (soughtMs !== null)
      list.current?.querySelector('[data-sought=true]')?.scrollIntoView({ block: 'nearest' })
  }, [soughtMs])
  if (shown.length === 0) return <p class="state">{t.hourEmpty}</p>
  return (
    <ol class="aircheck-lines" aria-label={t.heardIn} ref={list}>
      {shown.map((line) => (
        <LineRow
          key={`${line.atMs} ${line.is}`}
          {...{ line, player, timeZone, onCut }}
          // Within what is looked for, playing begins at the very moment.
          playMs={line === sought && soughtMs !== null ? soughtMs : line.atMs}
          isSought={line === sought}
        />
      ))}
    </ol>
  )
}

/** What a line is called. */
export function nameOf(line: Line, t: WatchTexts): string {
  if (line.is === 'hole') return t.holes[line.cause]
  if (line.is === 'track') return trackLine(line)
  return line.title ? `${t.kinds[line.is]}: ${line.title}` : t.kinds[line.is]
}

/** The amount paid for a track, or the word for a request. */
function orderText(
  { type, amount, currency }: Order,
  { orders }: Pick<WatchTexts, 'orders'>,
  locale: Locale,
): string {
  if (amount === undefined || currency === undefined) return orders[type]
  return `${orders[type]}, ${formatMoney(amount, currency, locale)}`
}

function LineRow(
  props: Pick<Props, 'player' | 'timeZone' | 'onCut'> & { line: Line; playMs: number; isSought: boolean },
) {
  const { line, playMs, isSought, player, timeZone, onCut } = props
  const t = useWatchTexts()
  const { locale } = useAdmin()
  const isHeard =
    player.is !== 'off' && line.is !== 'hole' && line.atMs <= player.atMs && player.atMs < line.untilMs
  const isPlaying = isHeard && player.is === 'playing'
  const name = nameOf(line, t)
  const time = zoneTime(line.atMs, timeZone)
  return (
    <li class="aircheck-line" data-is={line.is} data-sought={isSought} data-heard={isHeard}>
      {line.is === 'hole' ? (
        <span />
      ) : (
        <button
          type="button"
          class="tool"
          aria-label={isPlaying ? t.pause : `${t.playFrom(zoneTime(playMs, timeZone))}: ${name}`}
          onClick={() => (isHeard ? player.toggle() : player.playFrom(playMs))}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} size={18} />
        </button>
      )}
      <time dateTime={new Date(line.atMs).toISOString()}>{time}</time>
      <span class="aircheck-what">
        <span class={line.is === 'track' ? '' : 'soft'}>{name}</span>
        {line.is !== 'hole' && line.order && (
          <Badge tone={line.order.type === 'donated' ? 'light' : 'plain'}>
            {orderText(line.order, t, locale)}
          </Badge>
        )}
        {line.is !== 'hole' && line.speakers.length > 0 && (
          <span class="aircheck-who">
            <Icon name="microphone" size={14} /> {line.speakers.join(', ')}
          </span>
        )}
      </span>
      <span class="aircheck-length soft">{formatDuration((line.untilMs - line.atMs) / 1000)}</span>
      {line.is === 'hole' ? (
        <span />
      ) : (
        <button type="button" class="text-button" aria-label={t.cutOf(name)} onClick={() => onCut(line)}>
          {t.cut}
        </button>
      )}
    </li>
  )
}
