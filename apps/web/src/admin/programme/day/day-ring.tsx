import type { Mode } from '@solstice/contracts'
import { useNow } from '../../../ui/use-now.ts'
import { useAdmin, useAir, useStation } from '../../data/panel.ts'
import { zoneTime } from '../../shell/time.ts'
import { Icon } from '../../ui/icon.tsx'
import { useDraft } from '../draft/use-draft.ts'
import { fieldsOf } from '../mode-fields.ts'
import { lengthText, useProgrammeTexts } from '../texts.ts'
import { arcOf, modeAt, pointAt, type Span, spansOf } from './ring.ts'

const RADIUS = 92
const LOOK_MS = 5_000
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The day as the sun goes, with what each mode plays. */
export function DayRing({ onMode }: { onMode: (mode: Mode) => void }) {
  const air = useAir()
  const station = useStation()
  const { config } = useAdmin()
  const t = useProgrammeTexts()
  useNow(LOOK_MS)
  const time = zoneTime(station.stationNowMs(), config.timeZone).slice(0, 5)
  const minute = minuteOf(time)
  const hours = air ?? { dayStartHour: 0, nightStartHour: 0 }
  const spans = spansOf({ ...hours, nightMode: config.nightMode })
  const natural = modeAt(spans, minute)
  const onAir = air?.mode ?? natural.mode
  const left = natural.leftMinutes
  const next = natural.mode === 'day' ? 'night' : 'day'
  const starts = spans.length > 1 ? spans.map(({ from }) => clock(from)) : null
  const pending = air?.pendingModeSwitch
  const pendingTime = pending?.executeAtMs ? zoneTime(pending.executeAtMs, config.timeZone).slice(0, 5) : null
  return (
    <div class="day">
      <figure class="ring-of-day">
        <svg
          viewBox="-130 -130 260 260"
          role="img"
          aria-label={starts ? t.dayRing(starts[0]!, starts[1]!, time) : t.dayOnly(time)}
        >
          <Ring
            spans={spans}
            minute={minute}
            onAir={onAir}
            pending={pendingTime ? minuteOf(pendingTime) : null}
          />
        </svg>
        <figcaption>
          <b>{time}</b>
          <span>{t.onAir[onAir]}</span>
          {left !== null && <span>{t.until[next](t.span(Math.floor(left / 60), left % 60))}</span>}
        </figcaption>
      </figure>
      <div class="day-modes">
        {(['day', 'night'] as const).map((mode) => {
          const span = spans.find((one) => one.mode === mode)
          return (
            <ModeSummary
              key={mode}
              mode={mode}
              span={span}
              isOnAir={mode === onAir}
              onOpen={() => onMode(mode)}
            />
          )
        })}
        <p class="hint">
          {air && onAir !== natural.mode && `${t.forced} `}
          {config.nightMode ? t.hoursNote : t.noNight}
        </p>
      </div>
    </div>
  )
}

function Ring(props: { spans: readonly Span[]; minute: number; onAir: Mode; pending: number | null }) {
  const { spans, minute, onAir, pending } = props
  const now = pointAt(minute, RADIUS)
  return (
    <>
      {spans.map((span) => (
        <path key={span.mode} class={`ring-${span.mode}`} d={arcOf(span, RADIUS)} />
      ))}
      {HOURS.map((hour) => {
        const [from, to] = [
          pointAt(hour * 60, RADIUS - 17),
          pointAt(hour * 60, RADIUS - (hour % 6 ? 20 : 24)),
        ]
        return <line key={hour} class="ring-hour" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      })}
      {spans.length > 1 &&
        spans.map(({ mode, from }) => {
          const [inner, outer, at] = [
            pointAt(from, RADIUS - 12),
            pointAt(from, RADIUS + 12),
            pointAt(from, RADIUS + 20),
          ]
          // Beside the ring a label begins or ends there; above and below it is centred.
          const side = Math.abs(at.x) < RADIUS / 3 ? 'middle' : at.x > 0 ? 'start' : 'end'
          return (
            <g key={mode}>
              <line class="ring-switch" x1={inner.x} y1={inner.y} x2={outer.x} y2={outer.y} />
              <text class="ring-label" x={at.x} y={at.y + 4} font-size="12" text-anchor={side}>
                {clock(from)}
              </text>
            </g>
          )
        })}
      {pending !== null && <Dot class="ring-pending" {...pointAt(pending, RADIUS)} r={6} />}
      <Dot class="ring-now-ground" {...now} r={17} />
      {onAir === 'day' ? (
        <Dot class="ring-now" {...now} r={12} />
      ) : (
        <path
          class="ring-now"
          transform={`translate(${now.x} ${now.y})`}
          d="M4 -11.3 A12 12 0 1 0 11.3 4 A9.5 9.5 0 0 1 4 -11.3"
        />
      )}
    </>
  )
}

const Dot = ({ x, y, r, class: name }: { x: number; y: number; r: number; class: string }) => (
  <circle class={name} cx={x} cy={y} r={r} />
)

function ModeSummary(props: { mode: Mode; span: Span | undefined; isOnAir: boolean; onOpen: () => void }) {
  const { mode, span, isOnAir, onOpen } = props
  const t = useProgrammeTexts()
  const { settings, bounds } = useDraft()
  const rules = fieldsOf(mode, settings.generation, bounds)
  const list = rules.useAll ? t.allSongs : t.listOf(lengthText(Math.min(rules.maxDuration, rules.total), t))
  return (
    <button type="button" class="mode-summary" data-on-air={isOnAir} onClick={onOpen}>
      <Icon name={mode === 'day' ? 'sun' : 'moon'} />
      <span>
        <b>{t[mode]}</b>
        {span && (
          <span class="mode-hours">
            {clock(span.from)}–{clock(span.to)}
          </span>
        )}
      </span>
      <span class="mode-about">
        {t.library(lengthText(rules.total, t))} · {t.algorithms[rules.algorithm].name.toLowerCase()} · {list}
      </span>
    </button>
  )
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
