import { useState } from 'preact/hooks'
import { formatDuration } from '../../listener/format.ts'
import { type Store, useStore } from '../../ui/store.ts'
import { useCommand } from '../data/commands.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { Field } from '../ui/fields/field.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { Waveform } from '../ui/state/waveform.tsx'
import { tenth } from '../ui/tenth.ts'
import { formatTime, readTime } from './lyrics/text/lrc.ts'
import { usePlayer } from './player.ts'
import { usePeaks } from './use-peaks.ts'
import { useTrack, useTrackTexts } from './use-track.ts'

const RULE = { allOf: ['editor_meta'], capabilities: ['editTrackMetadata'] } as const
const PATH = '/api/admin/song-editor/cue-points'
type CuePoints = ReplyOf<'GET /api/admin/song-editor/cue-points'>

/** How loud a track is, and which part of it the stream plays. */
export function SoundTab() {
  const { id, duration, lufs } = useTrack()
  const t = useTrackTexts()
  const { locale } = useAdmin()
  const cues = useQuery('GET /api/admin/song-editor/cue-points', { query: { songId: id } })
  return (
    <>
      <dl class="track-facts">
        <dt>{t.length}</dt>
        <dd>{duration === null ? t.unknown : formatDuration(duration)}</dd>
        <dt>{t.loudness}</dt>
        <dd>{lufs === null ? t.notMeasured : `${tenth(lufs, locale)} LUFS`}</dd>
      </dl>
      <List state={cues} rows={3}>
        {(known) => <Cues key={`${known.cueIn} ${known.cueOut}`} known={known} />}
      </List>
    </>
  )
}

const cueNames = ['cueIn', 'cueOut'] as const

function Cues({ known }: { known: CuePoints }) {
  const track = useTrack()
  const t = useTrackTexts()
  const toasts = useToasts()
  const player = usePlayer(track)
  const positionS = useStore(player.positionS)
  const isPlaying = useStore(player.state).is === 'playing'
  const peaks = usePeaks(track.id)
  const written = (seconds: number | null) => (seconds === null ? '' : formatTime(seconds))
  const [edited, setEdited] = useState({ cueIn: written(known.cueIn), cueOut: written(known.cueOut) })
  const { run, isBusy } = useCommand('POST /api/admin/song-editor/cue-points', { outdates: [PATH] })
  const read = (text: string) => (text.trim() === '' ? null : readTime(text))
  const save = () => {
    if (isWrong(edited.cueIn) || isWrong(edited.cueOut))
      return void toasts.show({ is: 'failed', text: t.fixFirst })
    const cueIn = read(edited.cueIn)
    const cueOut = read(edited.cueOut)
    if (edited.cueIn === written(known.cueIn) && edited.cueOut === written(known.cueOut))
      return void toasts.show({ is: 'note', text: t.unchanged })
    void run({ body: { songId: track.id, cueIn, cueOut } })
  }
  const durationS = known.duration ?? track.duration ?? 0
  const { heard, measured } = known
  const marks = [
    { atS: heard.cueIn, label: t.cueIn },
    ...(heard.cueOut === null ? [] : [{ atS: heard.cueOut, label: t.cueOut }]),
  ]
  return (
    <>
      <Waveform
        peaks={peaks.is === 'ready' ? peaks.peaks : []}
        durationS={durationS}
        positionS={positionS}
        markers={marks}
        label={t.waveform}
        height={72}
        stepS={0.1}
        onSeek={player.seek}
      />
      <div class="track-row">
        <button type="button" class="button" onClick={player.toggle}>
          {isPlaying ? t.pause : t.listen}
        </button>
        <output>{formatTime(positionS)}</output>
        <p class="hint">
          {t.heard(formatTime(heard.cueIn), heard.cueOut === null ? t.toEnd : formatTime(heard.cueOut))}
        </p>
      </div>
      <Guarded rule={RULE}>
        <div class="track-tags">
          {cueNames.map((name) => (
            <CueField
              key={name}
              name={name}
              value={edited[name]}
              measured={measured?.[name] ?? null}
              playheadS={player.positionS}
              onValue={(value) => setEdited({ ...edited, [name]: value })}
            />
          ))}
        </div>
        <button type="button" class="button" aria-disabled={isBusy} onClick={save}>
          {t.saveCues}
        </button>
      </Guarded>
    </>
  )
}

/** One cue point as a time; empty = as measured. */
function CueField(props: {
  name: (typeof cueNames)[number]
  value: string
  measured: number | null
  playheadS: Store<number>
  onValue: (value: string) => void
}) {
  const { name, value, measured, playheadS, onValue } = props
  const t = useTrackTexts()
  return (
    <div>
      <Field
        label={t[name]}
        value={value}
        placeholder={measured === null ? t.asMeasured : formatTime(measured)}
        hint={t.cueHint}
        error={isWrong(value) ? t.badTime : null}
        maxLength={10}
        onValue={onValue}
      />
      <button type="button" class="text-button" onClick={() => onValue(formatTime(playheadS.value))}>
        {t.atPlayhead[name]}
      </button>
    </div>
  )
}

const isWrong = (text: string) => text.trim() !== '' && readTime(text) === null
