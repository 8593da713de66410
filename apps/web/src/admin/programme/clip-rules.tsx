import type { Mode, Settings } from '@solstice/contracts'
import { useId } from 'preact/hooks'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { List } from '../ui/state/list.tsx'
import { Choices, NumberField, Switch } from './controls.tsx'
import { useDraft } from './draft/use-draft.ts'
import { Section } from './section.tsx'
import { useProgrammeTexts } from './texts.ts'

const RIGHT = 'settings_algorithm'
const FREQUENCIES = [1, 2, 3, 4, 5]
type Family = 'jingles' | 'phrases'

/** Settings of jingles and phrases. */
export function ClipRules() {
  const t = useProgrammeTexts()
  const { capabilities } = useAdmin().config
  if (!capabilities.jingles && !capabilities.phrases) return <p class="hint">{t.streamOnly}</p>
  return (
    <div class="rules-pair">
      {capabilities.jingles && <Jingles />}
      {capabilities.phrases && <Phrases />}
    </div>
  )
}

function useGeneration() {
  const { settings, set } = useDraft()
  const change = (fields: Partial<Settings['generation']>) => set('generation', fields)
  return [settings.generation, change] as const
}

function Jingles() {
  const t = useProgrammeTexts()
  const [generation, change] = useGeneration()
  const { JINGLES_ENABLED, JINGLES_RANDOM, JINGLES_FREQUENCY } = generation
  return (
    <Section title={t.jingles} right={RIGHT}>
      <BetweenTracks
        every={JINGLES_ENABLED && !JINGLES_RANDOM ? JINGLES_FREQUENCY : null}
        isOn={JINGLES_ENABLED}
      />
      <Switch
        label={t.jinglesOn}
        isOn={JINGLES_ENABLED}
        onChange={(isOn) => change({ JINGLES_ENABLED: isOn })}
      />
      <Counts family="jingles" isOn={JINGLES_ENABLED} />
      <Choices
        label={t.jinglesEvery}
        options={[
          ...FREQUENCIES.map((value) => ({ value, label: String(value) })),
          { value: 0, label: t.jinglesRandom },
        ]}
        chosen={JINGLES_RANDOM ? 0 : JINGLES_FREQUENCY}
        isDisabled={!JINGLES_ENABLED}
        onChoose={(every) =>
          change(every ? { JINGLES_RANDOM: false, JINGLES_FREQUENCY: every } : { JINGLES_RANDOM: true })
        }
      />
    </Section>
  )
}

/** Tracks as bars, jingles as dots between them. */
function BetweenTracks({ every, isOn }: { every: number | null; isOn: boolean }) {
  const irregular = [1, 4]
  const hasJingle = (i: number) => isOn && (every ? (i + 1) % every === 0 : irregular.includes(i))
  return (
    <svg class="drawing drawing-wide" viewBox="0 0 280 28" aria-hidden="true">
      {Array.from({ length: 6 }, (_, i) => (
        <g key={i}>
          <rect class="drawing-song" x={2 + i * 46} y={8.5} width={34} height={11} />
          {hasJingle(i) && <circle class="drawing-a" cx={2 + i * 46 + 40} cy={14} r={4.5} />}
        </g>
      ))}
    </svg>
  )
}

function Phrases() {
  const t = useProgrammeTexts()
  const { config } = useAdmin()
  const { bounds } = useDraft()
  const [generation, change] = useGeneration()
  const { PHRASES_ENABLED, PHRASES_RANDOM, PHRASES_DEFAULT_TIME, PHRASES_TIME_SECONDS } = generation
  const seconds = PHRASES_DEFAULT_TIME ? 15 : PHRASES_TIME_SECONDS
  return (
    <Section title={t.phrases} right={RIGHT}>
      <OverTheEnd seconds={PHRASES_ENABLED ? seconds : null} />
      <Switch
        label={t.phrasesOn}
        isOn={PHRASES_ENABLED}
        onChange={(isOn) => change({ PHRASES_ENABLED: isOn })}
      />
      <Counts family="phrases" isOn={PHRASES_ENABLED} />
      <Switch
        label={t.phrasesRandom}
        isOn={PHRASES_RANDOM}
        isDisabled={!PHRASES_ENABLED}
        onChange={(isOn) => change({ PHRASES_RANDOM: isOn })}
      />
      {!PHRASES_RANDOM && (
        <>
          <PhraseChoice mode="day" />
          {config.nightMode && <PhraseChoice mode="night" />}
        </>
      )}
      <Switch
        label={t.phraseDefault}
        isOn={PHRASES_DEFAULT_TIME}
        isDisabled={!PHRASES_ENABLED}
        onChange={(isOn) => change({ PHRASES_DEFAULT_TIME: isOn })}
      />
      {!PHRASES_DEFAULT_TIME && (
        <NumberField
          label={t.phraseTime}
          value={PHRASES_TIME_SECONDS}
          {...bounds.PHRASES_TIME_SECONDS}
          disabled={!PHRASES_ENABLED}
          onValue={(value) => change({ PHRASES_TIME_SECONDS: value })}
        />
      )}
    </Section>
  )
}

/** The last forty seconds of a track, and where the phrase begins. */
function OverTheEnd({ seconds }: { seconds: number | null }) {
  const x = 270 - (seconds ?? 0) * 6.5
  return (
    <svg class="drawing drawing-wide" viewBox="0 0 280 28" aria-hidden="true">
      <rect class="drawing-song" x={2} y={8.5} width={268} height={11} />
      {seconds !== null && (
        <rect class="drawing-phrase" x={x} y={5} width={Math.min(26, 270 - x)} height={18} />
      )}
    </svg>
  )
}

const countsOf = {
  jingles: 'GET /api/admin/jingles/counts',
  phrases: 'GET /api/admin/phrases/counts',
} as const

function Counts({ family, isOn }: { family: Family; isOn: boolean }) {
  const t = useProgrammeTexts()
  const { nightMode } = useAdmin().config
  const counts = useQuery(countsOf[family])
  return (
    <List state={counts} rows={1}>
      {({ dayUsable, nightUsable, minRequired }) => {
        const isFew = dayUsable < minRequired || (nightMode && nightUsable < minRequired)
        return (
          <p class="hint">
            {nightMode ? t.usable(dayUsable, nightUsable, minRequired) : t.usableDay(dayUsable, minRequired)}
            {isOn && isFew && <strong> {t.tooFew}</strong>}
          </p>
        )
      }}
    </List>
  )
}

function PhraseChoice({ mode }: { mode: Mode }) {
  const t = useProgrammeTexts()
  const right = useAdmin().verdict({ allOf: ['jingles_uploader'] })
  const [generation, change] = useGeneration()
  const id = useId()
  const mayList = right.is === 'open'
  const phrases = useQuery(mayList ? 'GET /api/admin/phrases' : null, { query: { mode, limit: 100 } })
  const field = mode === 'day' ? 'PHRASES_DAY_ID' : 'PHRASES_NIGHT_ID'
  if (right.is === 'denied') return <Denied right={right} />
  return (
    <div class="field">
      <label for={id}>{t.phraseOf[mode]}</label>
      <select
        id={id}
        value={generation[field]}
        disabled={!generation.PHRASES_ENABLED}
        onChange={({ currentTarget }) => change({ [field]: currentTarget.value })}
      >
        <option value="">{t.noPhrase}</option>
        {phrases.is === 'ready' &&
          phrases.data.items
            .filter((clip) => clip.used || clip.id === generation[field])
            .map((clip) => (
              <option key={clip.id} value={clip.id}>
                {clip.filename.replace(/\.mp3$/i, '')}
              </option>
            ))}
      </select>
    </div>
  )
}
