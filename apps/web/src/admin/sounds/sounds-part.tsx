import './sounds.css'
import type { ClipFamily, Mode } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { hrefOf, navigate, useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { useDroppedFiles } from '../intake/use-dropped-files.ts'
import { FileDrop } from '../ui/fields/file-drop.tsx'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Icon } from '../ui/icon.tsx'
import { ClipList } from './clip-list.tsx'
import { families, familyNames } from './family.ts'
import { NewClips } from './new-clips.tsx'
import { useAddClips, useSoundsTexts } from './sounds-context.ts'

/** Jingles, phrases and background music, in tabs by what the station has. */
export function SoundsPart() {
  const t = useSoundsTexts()
  const { may } = useAdmin()
  const [view, setView] = useUrlState('kind', 'jingles')
  const there = familyNames.filter((name) => may({ capabilities: [families[name].capability] }))
  const family = there.find((name) => name === view) ?? there[0]
  if (!family) return <NoSounds />
  const tabs = there.map((id) => ({ id, title: t.families[id] }))
  return (
    <div class="sounds-part">
      <h1 class="unseen">{t.title}</h1>
      <Tabs label={t.title} tabs={tabs} chosen={family} onChoose={(id) => setView(id, { replace: true })}>
        <Family key={family} family={family} />
      </Tabs>
    </div>
  )
}

/** Why the station has no sounds, and what would give it some. */
function NoSounds() {
  const t = useSoundsTexts()
  const { streamMode } = useAdmin().config
  const toSetUp = hrefOf('station', { tab: 'set-up' })
  return (
    <div class="sounds-part">
      <h1>{t.title}</h1>
      <p>{t.noSounds}</p>
      <p class="hint">{streamMode ? t.needStorage : t.needStream}</p>
      <p>
        <a
          class="button"
          href={toSetUp}
          onClick={(event) => {
            event.preventDefault()
            navigate(toSetUp)
          }}
        >
          {t.toSetUp}
        </a>
      </p>
    </div>
  )
}

function Family({ family }: { family: ClipFamily }) {
  const t = useSoundsTexts()
  const [mode, setMode] = useState<Mode>('day')
  const [isTrimmed, setTrimmed] = useState(false)
  const add = useAddClips(family, mode, isTrimmed)
  useDroppedFiles(t.dropHere(t.families[family]), add)
  return (
    <div class="sounds-columns">
      <div class="sounds-side">
        <p class="hint">{t.about[family]}</p>
        <Meter family={family} />
        <FileDrop
          label={t.drop}
          hint={t.dropHint(families[family].maxBytes / 1024 / 1024)}
          accept="audio/mpeg,.mp3"
          multiple
          onFiles={add}
        />
        <fieldset class="choices">
          <legend>{t.newFor}</legend>
          {(['day', 'night'] as const).map((name) => (
            <label key={name}>
              <input type="radio" name="new-mode" checked={mode === name} onChange={() => setMode(name)} />
              {t[name]}
            </label>
          ))}
        </fieldset>
        <label class="switch">
          <input
            type="checkbox"
            checked={isTrimmed}
            onChange={({ currentTarget }) => setTrimmed(currentTarget.checked)}
          />
          {t.trimFirst}
        </label>
        <NewClips family={family} />
      </div>
      <ClipList family={family} />
    </div>
  )
}

/** How many of each programme may go on air, and how many the station needs to play any. */
function Meter({ family }: { family: ClipFamily }) {
  const t = useSoundsTexts()
  const counts = useQuery(`GET /api/admin/${family}/counts`)
  if (counts.is !== 'ready') return <div class="sounds-meter" aria-busy={counts.is === 'loading'} />
  const { dayUsable, nightUsable, minRequired } = counts.data
  const of = (mode: Mode, usable: number) => {
    const isFew = usable < minRequired
    return (
      <div class="sounds-mode" data-few={isFew}>
        <Icon name={mode === 'day' ? 'sun' : 'moon'} size={18} />
        <span>
          <b>{t[mode]}</b> {isFew ? t.onAirOf(usable, minRequired) : t.enough(usable)}
        </span>
        <span class="sounds-dots" aria-hidden="true">
          {Array.from({ length: minRequired }, (_, i) => (
            <i key={i} data-full={i < usable} />
          ))}
        </span>
        {isFew && <small>{t.few}</small>}
      </div>
    )
  }
  return (
    <div class="sounds-meter">
      {of('day', dayUsable)}
      {of('night', nightUsable)}
    </div>
  )
}
