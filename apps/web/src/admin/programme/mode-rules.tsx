import type { Mode } from '@solstice/contracts'
import { useId } from 'preact/hooks'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useAdmin } from '../data/panel.ts'
import { AlgorithmDrawing } from './algorithm-drawing.tsx'
import { GroupsBoard } from './board/groups-board.tsx'
import { NumberField, Switch } from './controls.tsx'
import { useDraft } from './draft/use-draft.ts'
import { algorithms, changesOf, fieldsOf, type ModeFields } from './mode-fields.ts'
import { Section, useRight } from './section.tsx'
import { lengthText, useProgrammeTexts } from './texts.ts'

const RIGHT = 'settings_algorithm'
const MINUTE = 60
/** The station refuses programme settings while a mode on the air has less music, in seconds. */
const LEAST_MUSIC = 3_600

/** How the playlists of a mode are made. */
export function ModeRules({ mode }: { mode: Mode }) {
  const t = useProgrammeTexts()
  const { settings, bounds, unassigned, artistSongs, isCounting, set } = useDraft()
  const { canEdit } = useRight(RIGHT)
  const fields = fieldsOf(mode, settings.generation, bounds)
  const change = (changes: Parameters<typeof changesOf>[1]) => set('generation', changesOf(mode, changes))
  const { minGroupCount = 0, maxPossibleDuration = 0 } = fields.status.groupSections
  return (
    <>
      {fields.total < LEAST_MUSIC && <p class="rules-warning">{t.tooShort}</p>}
      <Section title={t.how} right={RIGHT}>
        <Algorithms fields={fields} onChoose={(algorithm) => change({ algorithm })} />
        {fields.algorithm === 'sections' && (
          <NumberField
            label={t.perSection}
            value={fields.perSection}
            {...fields.sectionSizes}
            onValue={(perSection) => change({ perSection })}
          />
        )}
      </Section>
      <Section title={t.length} right={RIGHT}>
        <Lengths fields={fields} onChange={change} />
      </Section>
      <Section title={t.board} right={RIGHT}>
        <GroupsBoard
          defs={fields.groups}
          counts={fields.songCounts}
          unassigned={unassigned?.[mode] ?? null}
          artistSongs={artistSongs?.[mode] ?? null}
          isCounting={isCounting}
          canEdit={canEdit}
          onDefs={(groups) => change({ groups })}
        />
        {Object.keys(fields.groups).length > 0 && (
          <p class="hint" aria-live="polite">
            {isCounting ? t.counting : t.possible(minGroupCount, lengthText(maxPossibleDuration, t))}
          </p>
        )}
      </Section>
    </>
  )
}

/** The three ways, each with a drawing, and with the reason where it can't be used. */
function Algorithms(props: { fields: ModeFields; onChoose: (algorithm: ModeFields['algorithm']) => void }) {
  const { fields, onChoose } = props
  const t = useProgrammeTexts()
  const { locale } = useAdmin()
  const id = useId()
  return (
    <div class="algorithms" role="radiogroup" aria-label={t.how}>
      {algorithms.map((algorithm) => {
        const status = algorithm === 'simple' ? null : fields.status[algorithm]
        const isChosen = fields.algorithm === algorithm
        const reason = status?.reason ? localizedText(status.reason, locale) : ''
        return (
          <label key={algorithm} class="algorithm" data-chosen={isChosen} data-off={Boolean(reason)}>
            <span class="algorithm-name">
              <input
                type="radio"
                name={id}
                checked={isChosen}
                disabled={Boolean(reason) && !isChosen}
                aria-describedby={`${id}-${algorithm}`}
                onChange={() => onChoose(algorithm)}
              />
              <b>{t.algorithms[algorithm].name}</b>
            </span>
            <AlgorithmDrawing algorithm={algorithm} />
            <span id={`${id}-${algorithm}`} class="algorithm-about">
              {t.algorithms[algorithm].about}
              {reason && <strong> {reason}.</strong>}
            </span>
          </label>
        )
      })}
    </div>
  )
}

function Lengths(props: {
  fields: ModeFields
  onChange: (changes: Parameters<typeof changesOf>[1]) => void
}) {
  const { useAll, maxDuration, total, lengths } = props.fields
  const t = useProgrammeTexts()
  const minutes = { min: Math.ceil(lengths.min / MINUTE), max: Math.floor(lengths.max / MINUTE) }
  return (
    <>
      <Switch
        label={t.useAll(lengthText(total, t))}
        isOn={useAll}
        onChange={(useAll) => props.onChange({ useAll })}
      />
      {!useAll && (
        <NumberField
          label={t.minutes}
          value={Math.floor(maxDuration / MINUTE)}
          {...minutes}
          hint={t.fromMinutes(minutes.min, minutes.max)}
          onValue={(value) => props.onChange({ maxDuration: value * MINUTE })}
        />
      )}
    </>
  )
}
