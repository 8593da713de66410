import type { ClipFamily } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { failureText } from '../data/client.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { Icon } from '../ui/icon.tsx'
import { Waveform } from '../ui/state/waveform.tsx'
import { tenth } from '../ui/tenth.ts'
import type { ClipUpload } from './clip-uploads.ts'
import { families } from './family.ts'
import { cutMp3 } from './mp3-cut.ts'
import { readShape, type SoundShape } from './sound-shape.ts'
import { useClipUploads, useSoundsTexts } from './sounds-context.ts'

/** Clips on their way to the station. */
export function NewClips({ family }: { family: ClipFamily }) {
  const all = useStore(useClipUploads().items)
  // Finished ones stand in the list of clips.
  const items = all.filter((item) => item.family === family && item.stage.is !== 'done')
  if (!items.length) return null
  return (
    <ul class="new-clips">
      {items.map((item) => (
        <NewClip key={item.id} item={item} />
      ))}
    </ul>
  )
}

function NewClip({ item }: { item: ClipUpload }) {
  const t = useSoundsTexts()
  const { locale } = useAdmin()
  const uploads = useClipUploads()
  const { stage, name } = item
  const percent = stage.is === 'uploading' ? ` ${Math.round(stage.part * 100)} %` : ''
  return (
    <li data-stage={stage.is}>
      <span class="clip-name">
        <b>{name}</b>
        <span role="status">
          {stage.is === 'failed' ? failureText(stage.error, locale) : t.stages[stage.is] + percent}
        </span>
      </span>
      {stage.is === 'failed' && (
        <button type="button" class="text-button" onClick={() => uploads.retry(item.id)}>
          {t.again}
        </button>
      )}
      <button type="button" class="tool" aria-label={t.dismiss(name)} onClick={() => uploads.drop(item.id)}>
        <Icon name="close" size={16} />
      </button>
      {(stage.is === 'long' || stage.is === 'trim') && <CutForm item={item} durationS={stage.durationS} />}
    </li>
  )
}

const STEP_S = 0.05

/** Chooses the part of a sound that is sent instead of the whole. */
function CutForm({ item, durationS }: { item: ClipUpload; durationS: number }) {
  const t = useSoundsTexts()
  const { locale } = useAdmin()
  const uploads = useClipUploads()
  const toasts = useToasts()
  const most = families[item.family].maxSeconds ?? durationS
  const [fromS, setFrom] = useState(0)
  const [toS, setTo] = useState(Math.min(most, durationS))
  const [shape, setShape] = useState<SoundShape | null>(null)
  useEffect(() => {
    void readShape(item.bytes).then(setShape)
  }, [item.bytes])
  const move = (nextFrom: number, nextTo: number) => {
    setFrom(nextFrom)
    setTo(nextTo)
  }
  const cut = async () => {
    const part = cutMp3(new Uint8Array(await item.bytes.arrayBuffer()), fromS, toS)
    if (part) uploads.replace(item.id, new Blob([part], { type: 'audio/mpeg' }))
    else toasts.show({ is: 'failed', text: t.cutFailed })
  }
  const range = (label: string, value: number, onValue: (next: number) => void) => (
    <label>
      <span>{label}</span>
      <input
        type="range"
        min={0}
        max={durationS}
        step={STEP_S}
        value={value}
        style={{ '--level': value / durationS }}
        aria-valuetext={t.seconds(value.toFixed(2))}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
      <output>{tenth(value, locale)}</output>
    </label>
  )
  return (
    <form
      class="cut-form"
      aria-label={t.cutOf(item.name)}
      onSubmit={(event) => {
        event.preventDefault()
        void cut()
      }}
    >
      <Waveform
        label={t.wave(item.name)}
        peaks={shape?.peaks ?? []}
        durationS={durationS}
        positionS={0}
        height={48}
        markers={[
          { atS: fromS, label: t.from },
          { atS: toS, label: t.to },
        ]}
      />
      {range(t.from, fromS, (next) => move(next, Math.max(next + STEP_S, Math.min(toS, next + most))))}
      {range(t.to, toS, (next) => move(Math.min(next - STEP_S, Math.max(fromS, next - most)), next))}
      <button type="submit" class="button">
        {t.cut(tenth(toS - fromS, locale))}
      </button>
      {item.stage.is === 'trim' && (
        <button type="button" class="text-button" onClick={() => uploads.replace(item.id, item.bytes)}>
          {t.sendWhole}
        </button>
      )}
    </form>
  )
}
