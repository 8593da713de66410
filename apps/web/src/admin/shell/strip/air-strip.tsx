import { formatDuration, trackLine } from '../../../listener/format.ts'
import { isChatting } from '../../../radio/timeline.ts'
import { useStore } from '../../../ui/store.ts'
import { useNow } from '../../../ui/use-now.ts'
import { hrefOf, navigate } from '../../data/location.ts'
import { usePaletteItems } from '../../data/palette.ts'
import { useAdmin, useAir, useCooldown, useDenial, usePanel, useStation, useTexts } from '../../data/panel.ts'
import { adminTexts } from '../../texts.ts'
import { HoldButton } from '../../ui/fields/hold-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProgressRing } from '../../ui/state/progress-ring.tsx'
import { usePeaks } from '../../ui/state/use-peaks.ts'
import { Waveform } from '../../ui/state/waveform.tsx'
import { usePhone } from '../../ui/table/use-phone.ts'
import { secondsIn, zoneTime } from '../time.ts'
import { Cover } from './cover.tsx'
import { ModeButton } from './mode-switch.tsx'

/** The track on air, always in view. */
export function AirStrip({ onPalette }: { onPalette: () => void }) {
  const t = useTexts()
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
  return (
    <header class="strip">
      <NowPlaying />
      <Skip />
      <OwnMicrophone />
      <Next />
      <Listeners />
      <ModeButton />
      <Clock />
      <button type="button" class="strip-search" onClick={onPalette}>
        <Icon name="search" size={18} />
        <span class="unseen">{t.palette}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
    </header>
  )
}

/** The track or chat on air, and how far it is. */
function NowPlaying() {
  const air = useAir()
  const connection = useStation()
  const { locale } = useAdmin()
  const t = useTexts()
  useNow(air?.duration ? 250 : null)
  const names = adminTexts[locale]
  if (!air) return <p class="strip-air">{names.connecting}</p>
  const isSong = !air.isPreparing && !isChatting(air)
  const title = air.isPreparing ? names.preparing : isSong ? air.title : names.chatting
  const atS = secondsIn(air, connection.stationNowMs())
  const part = air.duration > 0 ? atS / air.duration : 0
  return (
    <div class="strip-air">
      <Cover id={isSong ? (air.cover?.id ?? null) : null} artist={isSong ? air.artist : ''} mode={air.mode} />
      <div class="strip-song">
        <p class="strip-now" aria-live="polite">
          <span class="unseen">{t.nowPlaying}: </span>
          <b>{title}</b>
          {isSong && <span class="strip-artist"> {air.artist}</span>}
        </p>
        {air.duration > 0 && (
          <span
            class="strip-progress"
            role="progressbar"
            aria-label={t.nowPlaying}
            aria-valuemax={Math.round(air.duration)}
            aria-valuenow={Math.round(atS)}
            aria-valuetext={`−${formatDuration(air.duration - atS)}`}
            style={{ '--part': part }}
          >
            <Shape songId={isSong ? air.track : null} durationS={air.duration} positionS={atS} />
          </span>
        )}
      </div>
      {air.duration > 0 && (
        <span class="strip-left" role="timer" aria-live="off">
          −{formatDuration(Math.max(0, air.duration - atS))}
        </span>
      )}
    </div>
  )
}

/** The waveform of the track, where there is room for it. */
function Shape(props: { songId: string | null; durationS: number; positionS: number }) {
  const peaks = usePeaks(props.songId)
  if (usePhone() || !peaks.length) return null
  return <Waveform {...props} peaks={peaks} height={22} />
}

/** Held for 0.6 s; the ring is what is left of the cooldown. */
function Skip() {
  const { verdict } = useAdmin()
  const connection = useStation()
  const air = useAir()
  const t = useTexts()
  const { secsLeft, part } = useCooldown('skip')
  const right = verdict({ allOf: ['queue_manage'] })
  const denialOf = useDenial()
  const isAllowed = right.is === 'open'
  const isOff = secsLeft > 0 || !air || air.isPreparing || isChatting(air)
  const skip = () => connection.send('admin_skip_song')
  const words = `skip next ${t.skip}`
  usePaletteItems(
    isAllowed && !isOff ? [{ id: 'skip', title: t.skip, about: t.paletteDo, words, run: skip }] : [],
  )
  if (right.is === 'denied') {
    const why = `${t.skip}. ${denialOf(right)}`
    return (
      <button type="button" class="tool strip-skip" aria-disabled="true" aria-label={why} title={why}>
        <Icon name="skip" size={20} />
      </button>
    )
  }
  return (
    <HoldButton
      class="tool strip-skip"
      label={secsLeft > 0 ? t.skipIn(secsLeft) : t.skip}
      disabled={isOff}
      onHeld={skip}
    >
      <ProgressRing part={part} size={38}>
        {secsLeft > 0 ? secsLeft : <Icon name="skip" size={20} />}
      </ProgressRing>
    </HoldButton>
  )
}

/** The way back to the studio for a host who is on air and looks at something else. */
function OwnMicrophone() {
  const { host } = usePanel()
  const { phase } = useStore(host.state)
  const isMicOn = useStore(host.isMicOn)
  const t = useTexts()
  if (phase !== 'live') return null
  const href = hrefOf('live')
  const go = (event: Event) => {
    event.preventDefault()
    navigate(href)
  }
  return (
    <a class="strip-live" href={href} title={t.toStudio} onClick={go}>
      <Icon name={isMicOn ? 'microphone' : 'microphoneOff'} size={20} />
      <span>{t.live}</span>
    </a>
  )
}

function Next() {
  const next = useAir()?.playlist[0]
  const jingle = useStore(usePanel().log.nextJingle)
  const t = useTexts()
  if (jingle)
    return (
      <p class="strip-next">
        <span>{t.nextJingle}</span>
        <span>{jingle.filename.replace(/\.[^.]+$/, '')}</span>
      </p>
    )
  return (
    <p class="strip-next">
      {next && (
        <>
          <span>{t.next}</span>
          <span>{trackLine(next)}</span>
        </>
      )}
    </p>
  )
}

/** So that one listener more or less is no landslide. */
const LEAST_SCALE = 5

/** How many listen, and how that went in the last minute. */
function Listeners() {
  const { log } = usePanel()
  const t = useTexts()
  const samples = useStore(log.listeners)
  const now = samples.at(-1) ?? 0
  const most = Math.max(LEAST_SCALE, ...samples)
  const points = samples.map(
    (count, i) => `${(i / Math.max(1, samples.length - 1)) * 56},${18 - (count / most) * 16}`,
  )
  return (
    <p class="strip-listeners" title={t.listenersNow(now)}>
      <svg aria-hidden="true" width="56" height="20" viewBox="0 0 56 20">
        <polyline points={points.join(' ')} />
      </svg>
      <b aria-hidden="true">{now}</b>
      <span class="unseen">{t.listenersNow(now)}</span>
    </p>
  )
}

/** The time of day where the station is. */
function Clock() {
  const connection = useStation()
  const { config } = useAdmin()
  const t = useTexts()
  useNow(1000)
  const [hours, minutes, seconds] = zoneTime(connection.stationNowMs(), config.timeZone).split(':')
  return (
    <p class="strip-clock" title={`${t.stationTime} · ${config.timeZone}`}>
      <span class="unseen">{t.stationTime}: </span>
      {hours}:{minutes}
      <small aria-hidden="true">:{seconds}</small>
    </p>
  )
}
