import './sheet.css'
import type { HistoryItem, Reply } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { get } from '../../../api.ts'
import { isChatting } from '../../../radio/timeline.ts'
import { Icon } from '../../../ui/icons.tsx'
import { pathOf } from '../../../ui/language/language.ts'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useStore } from '../../../ui/store.ts'
import { TrackLine } from '../../covers/track-line.tsx'
import { trackLine } from '../../format.ts'
import { Heart } from '../../kept/heart.tsx'
import { saveText } from '../../kept/save-text.ts'
import { ShareButton } from '../../kept/share-button.tsx'
import { useRadio } from '../../radio-context.ts'
import { type SheetTexts, useSheetTexts } from '../texts.ts'
import { useAnswer } from '../use-answer.ts'
import { dateIn, dayAfter, minutesAhead, momentsAt, textOfDay, timeIn, tracksAt } from './moments.ts'

interface Props {
  date: string | null
  time: string | null
  onTrack: (track: string, at: { date: string; time: string | null }) => void
  onClose: () => void
}

type Day = Reply<typeof import('@solstice/contracts').listening.getHistoryOfDay>
type PlayedTrack = Pick<HistoryItem, 'trackId' | 'title' | 'artist' | 'playedAt'> & { isNow?: boolean }

/** What was on: the tracks of a day, and the one that was on at a time. */
export function HistorySheet({ date: firstDate, time: firstTime, onTrack, onClose }: Props) {
  const { radio, locale, t } = useRadio()
  const h = useSheetTexts().history
  const timeZone = useStore(radio.config)?.timeZone ?? 'UTC'
  const today = dateIn(radio.connection.stationNowMs(), timeZone)
  const [date, setDate] = useState(firstDate ?? today)
  const [time, setTime] = useState(firstTime ?? '')
  const [answer, again] = useAnswer(date, () => get('/api/history/:date', { date }))
  const title = time ? `${h.title}, ${date} ${time}` : `${h.title}, ${date}`
  const place = { is: 'history', date, time: time || null } as const
  return (
    <Sheet class="side history" label={h.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={h.title} close={t.close} />
        <DayFields {...{ date, time, today, onDate: setDate, onTime: setTime }} />
        <p class="nothing">{zoneText(h, timeZone, radio.connection.stationNowMs())}</p>
        {answer.is === 'loading' && (
          <p class="nothing" role="status">
            {h.loading}
          </p>
        )}
        {answer.is === 'failed' && (
          <>
            <p role="alert">{h.failed}</p>
            <button type="button" class="button" onClick={again}>
              {h.again}
            </button>
          </>
        )}
        {answer.is === 'there' && (
          <TracksOfDay
            day={answer.value}
            date={date}
            time={time}
            onTrack={(track) => onTrack(track, { date, time: time || null })}
          />
        )}
        <ShareButton
          label={time ? h.shareMoment : h.share}
          title={title}
          path={pathOf({ page: 'player', locale, place })}
        />
      </div>
    </Sheet>
  )
}

interface FieldsProps {
  date: string
  time: string
  today: string
  onDate: (date: string) => void
  onTime: (time: string) => void
}

function DayFields({ date, time, today, onDate, onTime }: FieldsProps) {
  const h = useSheetTexts().history
  return (
    <div class="history-day">
      <label>
        {h.day}
        <input
          type="date"
          max={today}
          value={date}
          onChange={(event) => event.currentTarget.value && onDate(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        class="tool before"
        aria-label={h.dayBefore}
        onClick={() => onDate(dayAfter(date, -1))}
      >
        <Icon name="forward" />
      </button>
      <button
        type="button"
        class="tool"
        aria-label={h.dayAfter}
        aria-disabled={date >= today}
        onClick={() => date < today && onDate(dayAfter(date, 1))}
      >
        <Icon name="forward" />
      </button>
      <label>
        {h.time}
        <input type="time" value={time} onInput={(event) => onTime(event.currentTarget.value.slice(0, 5))} />
      </label>
    </div>
  )
}

interface TracksProps {
  day: Day
  date: string
  time: string
  onTrack: (track: string) => void
}

function TracksOfDay({ day, date, time, onTrack }: TracksProps) {
  const { radio } = useRadio()
  const { history: h, kept } = useSheetTexts()
  const list = useRef<HTMLOListElement>(null)
  const heard = useStore(radio.heard)
  const current: PlayedTrack[] = []
  if (heard && !heard.state.isPreparing && !isChatting(heard.state) && heard.state.track) {
    const { track: trackId, title, artist } = heard.state
    const playedAt = heard.startedAtMs
    const isToday = playedAt >= day.from && playedAt < day.until
    if (isToday) current.push({ trackId, title, artist, playedAt, isNow: true })
  }
  const tracks: PlayedTrack[] = [...day.entries, ...current]
  const isFuture = (atMs: number) => atMs > radio.connection.stationNowMs()
  const moments = time ? momentsAt(day, time).filter((atMs) => !isFuture(atMs)) : []
  const on = tracksAt(tracks, moments)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
  }, [time, day])
  const status = () => {
    if (!tracks.length) return day.until <= day.keptSince ? h.notKept : h.none
    return time && !on.size ? h.noneAt(time) : ''
  }
  return (
    <>
      <p class="nothing" role="status">
        {time && on.size
          ? [...on].map((track) => `${trackLine(track)}: ${h.onAt(time)}`).join('; ')
          : status()}
      </p>
      <ol class="tracks history-list" ref={list}>
        {tracks.map((track) => (
          <li key={track.playedAt} aria-current={on.has(track) ? 'true' : undefined}>
            <time dateTime={new Date(track.playedAt).toISOString()}>
              {timeIn(track.playedAt, day.timeZone)}
            </time>
            <button
              type="button"
              class="song-link"
              aria-haspopup="dialog"
              onClick={() => onTrack(track.trackId)}
            >
              <TrackLine id={track.trackId} track={track} />
            </button>
            {track.isNow && <span class="badge">{h.now}</span>}
            <Heart track={{ id: track.trackId, title: track.title, artist: track.artist }} />
          </li>
        ))}
      </ol>
      {tracks.length > 0 && (
        <button
          type="button"
          class="button share"
          onClick={() => saveText(`${date}.txt`, textOfDay(tracks, day.timeZone, `${h.title}, ${date}`))}
        >
          <Icon name="download" size={18} />
          {kept.save}
        </button>
      )}
    </>
  )
}

/** The zone of the times, and how far the listener's own clock is from it. */
function zoneText(h: SheetTexts['history'], timeZone: string, nowMs: number): string {
  const ahead = minutesAhead(nowMs, timeZone)
  const by = h.hours(Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60)
  return [h.zone(timeZone), ahead > 0 ? h.ahead(by) : ahead < 0 ? h.behind(by) : ''].filter(Boolean).join(' ')
}
