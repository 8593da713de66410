import type { ClipFamily, Locale } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { useCommand } from '../data/commands.ts'
import { useAdmin } from '../data/panel.ts'
import { Icon } from '../ui/icon.tsx'
import { Waveform } from '../ui/state/waveform.tsx'
import type { Selection } from '../ui/table/selection.ts'
import { tenth } from '../ui/tenth.ts'
import type { Clip } from './family.ts'
import type { Preview } from './preview.ts'
import { useSoundsTexts } from './sounds-context.ts'
import type { SoundsTexts } from './texts.ts'

/** Longer sounds are drawn only once they are played: each is fetched whole. */
const DRAWN_AT_ONCE_S = 60

/** A clip that can be listened to, put on air and taken off. */
export function ClipRow(props: { family: ClipFamily; clip: Clip; preview: Preview; selection: Selection }) {
  const { family, clip, preview, selection } = props
  const t = useSoundsTexts()
  const { locale } = useAdmin()
  const playing = useStore(preview.playing)
  const shape = useStore(preview.shapes).get(clip.id)
  const row = useRef<HTMLLIElement>(null)
  const name = clip.filename.replace(/\.mp3$/i, '')
  const own = playing?.id === clip.id ? playing : null
  const isShort = clip.duration !== null && clip.duration <= DRAWN_AT_ONCE_S
  const draw = () => preview.draw(family, clip.id)
  useEffect(() => {
    if (!isShort || !row.current) return
    const observer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && draw())
    observer.observe(row.current)
    return () => observer.disconnect()
  }, [clip.id, isShort])
  const isPlaying = own !== null && !own.isPaused
  return (
    <li class="clip-row" ref={row} data-used={clip.used}>
      <label class="clip-choose">
        <input
          type="checkbox"
          aria-label={t.choose(name)}
          checked={selection.ids.has(clip.id)}
          onChange={() => selection.choose(clip.id, { more: true })}
        />
      </label>
      <button
        type="button"
        class="tool"
        aria-label={isPlaying ? t.pause(name) : t.play(name)}
        onClick={() => {
          draw()
          preview.toggle(family, clip.id)
        }}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} size={20} />
      </button>
      <span class="clip-name">
        <b>{name}</b>
        <span>
          <Icon name={clip.mode === 'day' ? 'sun' : 'moon'} size={14} />
          {t[clip.mode]}
          {clip.duration !== null && ` · ${lengthOf(clip.duration, t, locale)}`}
        </span>
      </span>
      <Waveform
        label={t.wave(name)}
        peaks={shape?.peaks ?? []}
        durationS={clip.duration ?? shape?.durationS ?? 0}
        positionS={own?.positionS ?? 0}
        height={36}
        onSeek={(toS) => preview.seek(family, clip.id, toS)}
      />
      <Used family={family} clip={clip} name={name} />
    </li>
  )
}

/** Seconds with a tenth for short sounds, minutes for others. */
const lengthOf = (seconds: number, t: SoundsTexts, locale: Locale): string =>
  seconds < 60 ? t.seconds(tenth(seconds, locale)) : formatDuration(seconds)

/** The switch that lets a clip go on air; it shows the new state at once, and the station's when that differs. */
function Used({ family, clip, name }: { family: ClipFamily; clip: Clip; name: string }) {
  const t = useSoundsTexts()
  const [wanted, setWanted] = useState<boolean | null>(null)
  const put = useCommand(`POST /api/admin/${family}/:id/used`, {
    success: '',
    outdates: [`/api/admin/${family}`],
  })
  useEffect(() => setWanted(null), [clip.used])
  const toggle = async (used: boolean) => {
    setWanted(used)
    if (!(await put.run({ params: { id: clip.id }, body: { used } }))) setWanted(null)
  }
  return (
    <label class="switch clip-used">
      <input
        type="checkbox"
        aria-label={t.used(name)}
        checked={wanted ?? clip.used}
        onChange={({ currentTarget }) => void toggle(currentTarget.checked)}
      />
      <span aria-hidden="true">{t.usedShort}</span>
    </label>
  )
}
