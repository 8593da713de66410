import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { dateIn, dayAfter, momentsAt } from '../../../listener/sheets/history/moments.ts'
import { useKeys } from '../../data/keys.ts'
import { useUrlState } from '../../data/location.ts'
import { useAdmin, usePanel } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { zoneTime } from '../../shell/time.ts'
import { Icon } from '../../ui/icon.tsx'
import { List } from '../../ui/state/list.tsx'
import { useWatchTexts } from '../texts.ts'
import { CutDrawer } from './cut-drawer.tsx'
import { type Day, hoursOf, lineAt, linesOf, momentOf } from './day.ts'
import { Hours } from './hours.tsx'
import { Lines } from './lines.tsx'
import { DayPlayer } from './player.tsx'
import { Shows } from './shows.tsx'
import { useDayPlayer } from './use-day-player.ts'

const PATH = '/api/admin/aircheck'
const LOOK_MS = 30_000

/** The broadcast as it went out: what was on, and its sound. */
export function Aircheck() {
  const t = useWatchTexts()
  const { config } = useAdmin()
  const { queries } = usePanel()
  const today = dateIn(Date.now(), config.timeZone)
  const [date, setDate] = useUrlState('date', today)
  const [time, setTime] = useUrlState('time')
  const field = useRef<HTMLInputElement>(null)
  const day = useQuery(`GET ${PATH}/:date`, { params: { date } })
  const isToday = date === today
  useEffect(() => {
    if (!isToday) return
    const timer = setInterval(() => queries.invalidate(`${PATH}/`), LOOK_MS)
    return () => clearInterval(timer)
  }, [isToday, queries])
  useKeys(t.tabs.aircheck, [{ key: '/', label: t.keyTime, run: () => field.current?.focus() }])
  return (
    <>
      <div class="aircheck-tools">
        <DayChoice date={date} today={today} onDate={(date) => setDate(date, { replace: true })} />
        <label class="aircheck-field">
          <span class="aircheck-label">{t.at}</span>
          <input
            ref={field}
            type="time"
            step={1}
            value={time}
            onInput={({ currentTarget }) => setTime(currentTarget.value, { replace: true })}
          />
        </label>
      </div>
      <List
        state={day}
        rows={12}
        isEmpty={({ heard }) => heard.length === 0}
        empty={
          <p>{day.is === 'ready' && day.data.keptDays > 0 ? t.dayEmpty(day.data.keptDays) : t.airOff}</p>
        }
      >
        {(day) => (
          <RecordedDay
            key={day.from}
            day={day}
            time={time}
            onTime={(time) => setTime(time, { replace: true })}
          />
        )}
      </List>
    </>
  )
}

function DayChoice(props: { date: string; today: string; onDate: (date: string) => void }) {
  const { date, today, onDate } = props
  const t = useWatchTexts()
  const isLast = date >= today
  return (
    <div class="aircheck-days">
      <button type="button" class="tool" aria-label={t.dayBefore} onClick={() => onDate(dayAfter(date, -1))}>
        <span class="aircheck-back">
          <Icon name="forward" size={20} />
        </span>
      </button>
      <label class="aircheck-field">
        <span class="unseen">{t.day}</span>
        <input
          type="date"
          max={today}
          value={date}
          onInput={({ currentTarget }) => currentTarget.value && onDate(currentTarget.value)}
        />
      </label>
      <button
        type="button"
        class="tool"
        aria-label={t.dayAfter}
        aria-disabled={isLast}
        onClick={() => !isLast && onDate(dayAfter(date, 1))}
      >
        <Icon name="forward" size={20} />
      </button>
    </div>
  )
}

/** @param time at which something is looked for; '' = nothing is. */
function RecordedDay(props: { day: Day; time: string; onTime: (time: string) => void }) {
  const { day, time, onTime } = props
  const t = useWatchTexts()
  const { timeZone } = day
  const [cut, setCut] = useState<{ fromMs: number; toMs: number } | null>(null)
  const lines = useMemo(() => linesOf(day, Date.now()), [day])
  const hours = useMemo(() => hoursOf(day, lines), [day, lines])
  const player = useDayPlayer(day)
  const soughtMs = momentOf(time, (minute) => momentsAt(day, minute))
  const sought = soughtMs === null ? undefined : lineAt(lines, soughtMs)
  const placeMs = soughtMs ?? lines.at(-1)!.atMs
  const hour = hours.findLast(({ fromMs }) => fromMs <= placeMs) ?? hours[0]!
  return (
    <>
      <Hours
        hours={hours}
        chosen={hour}
        timeZone={timeZone}
        onChoose={({ fromMs }) => onTime(zoneTime(fromMs, timeZone))}
      />
      <Shows shows={day.shows} timeZone={timeZone} />
      <p class="aircheck-found" role="status">
        {soughtMs !== null && !sought && t.nothingAt}
      </p>
      <Lines
        {...{ lines, hour, sought, player, timeZone }}
        soughtMs={soughtMs}
        onCut={(line) => setCut({ fromMs: line.atMs, toMs: line.untilMs })}
      />
      <DayPlayer
        {...{ player, lines, timeZone }}
        onCut={(fromMs) => setCut({ fromMs, toMs: lineAt(lines, fromMs)?.untilMs ?? fromMs + 60_000 })}
      />
      {cut && <CutDrawer day={day} piece={cut} onClose={() => setCut(null)} />}
    </>
  )
}
