import type { Alarm } from '@solstice/contracts'
import { useEffect } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { parsedUrl } from '../../ui/parsed-url.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Icon } from '../ui/icon.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { List } from '../ui/state/list.tsx'
import { Pages } from '../ui/state/pages.tsx'
import { momentText } from './moments.ts'
import type { Sound } from './sound.ts'
import { lengthText, useWatchTexts } from './texts.ts'
import { useSound } from './use-sound.ts'

const PATH = '/api/admin/alarms'
const PAGE = 30
const LOOK_MS = 10_000

/** What the monitor heard to be wrong on air. */
export function Alarms() {
  const t = useWatchTexts()
  const { queries } = usePanel()
  const [page, setPage] = useUrlState('page', '1')
  const offset = (Math.max(1, Math.floor(Number(page)) || 1) - 1) * PAGE
  const alarms = useQuery(`GET ${PATH}`, { query: { limit: PAGE, offset } })
  const sound = useSound()
  useEffect(() => {
    const timer = setInterval(() => queries.invalidate(PATH), LOOK_MS)
    return () => clearInterval(timer)
  }, [queries])
  return (
    <List state={alarms} isEmpty={({ total }) => total === 0} empty={<p>{t.alarmsEmpty}</p>}>
      {({ alarms, total }) => {
        const open = alarms.filter(({ endedAt }) => endedAt === null).length
        return (
          <>
            {offset === 0 && (
              <p class="alarms-now" data-open={open > 0} role="status">
                <Icon name={open > 0 ? 'warning' : 'check'} size={20} />
                {t.open(open)}
              </p>
            )}
            <ol class="alarms" aria-label={t.tabs.alarms}>
              {alarms.map((alarm) => (
                <AlarmRow key={alarm.id} alarm={alarm} sound={sound} />
              ))}
            </ol>
            <Pages
              {...{ offset, total, page: PAGE, shown: alarms.length }}
              onTurn={(offset) => setPage(String(offset / PAGE + 1))}
            />
          </>
        )
      }}
    </List>
  )
}

function AlarmRow({ alarm, sound }: { alarm: Alarm; sound: Sound }) {
  const t = useWatchTexts()
  const { config, locale } = useAdmin()
  const { cause, source, beganAt, endedAt, evidence } = alarm
  const nowMs = useNow(endedAt === null ? 1_000 : null)
  const length = lengthText((endedAt ?? Math.max(nowMs, beganAt)) - beganAt, t)
  return (
    <li class="alarm" data-open={endedAt === null}>
      <span class="alarm-what">
        <b>{t.causes[cause]}</b>
        <span class="soft">{t.causeHints[cause]}</span>
      </span>
      <span class="alarm-where">{source === 'station' ? t.ofStation : hostOf(source)}</span>
      <span class="alarm-when">
        <time dateTime={new Date(beganAt).toISOString()}>{momentText(beganAt, locale, config.timeZone)}</time>
        {endedAt === null ? (
          <Badge tone="warning">
            {t.goingOn} · {length}
          </Badge>
        ) : (
          <span class="soft">{t.lasted(length)}</span>
        )}
      </span>
      <span class="alarm-evidence">{evidence}</span>
      {alarm.hasEvidence && <Evidence alarm={alarm} sound={sound} />}
    </li>
  )
}

/** Plays what the monitor heard when the alarm began. */
function Evidence({ alarm, sound }: { alarm: Alarm; sound: Sound }) {
  const t = useWatchTexts()
  const state = useStore(sound.state)
  const id = String(alarm.id)
  const own = state.is !== 'off' && state.id === id ? state : null
  const isPlaying = own?.is === 'playing'
  return (
    <span class="alarm-sound">
      <button
        type="button"
        class="button"
        aria-label={`${t.evidence}: ${t.causes[alarm.cause]}`}
        aria-pressed={isPlaying}
        onClick={() => sound.toggle(id, apiUrl(`${PATH}/evidence`, { alarmId: id }))}
      >
        <span class="alarm-play">
          <Icon name={isPlaying ? 'pause' : 'play'} size={16} /> {t.evidence}
        </span>
      </button>
      {own?.is === 'failed' && <span role="alert">{t.playFailed}</span>}
    </span>
  )
}

const hostOf = (source: string) => parsedUrl(source)?.host ?? source
