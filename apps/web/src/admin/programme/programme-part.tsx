import './ring-of-day.css'
import './programme.css'
import { useEffect } from 'preact/hooks'
import { useKeys } from '../data/keys.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { List } from '../ui/state/list.tsx'
import { ClipRules } from './clip-rules.tsx'
import { DayRing } from './day/day-ring.tsx'
import { DraftProvider, type SettingsNow, useDraft, useSettingsDraft } from './draft/use-draft.ts'
import { Extras } from './extras.tsx'
import { Forecast } from './forecast/forecast.tsx'
import { ModeRules } from './mode-rules.tsx'
import { TrackGroups } from './song-groups/song-groups.tsx'
import { useProgrammeTexts } from './texts.ts'

const views = ['day', 'night', 'clips', 'blocks', 'extras'] as const

/** The programme: the day, how tracks follow each other, what comes between them, and groups of tracks. */
export function ProgrammePart() {
  const t = useProgrammeTexts()
  const settings = useQuery('GET /api/admin/settings')
  return (
    <div class="programme">
      <h1 class="unseen">{t.title}</h1>
      <List state={settings} rows={10}>
        {(saved) => <Programme saved={saved} />}
      </List>
    </div>
  )
}

function Programme({ saved }: { saved: SettingsNow }) {
  const t = useProgrammeTexts()
  const draft = useSettingsDraft(saved)
  const [view, setView] = useUrlState('view', 'day')
  const chosen = views.find((one) => one === view) ?? 'day'
  const isForecast = chosen === 'day' || chosen === 'night' || chosen === 'clips'
  const choose = (id: string) => setView(id, { replace: true })
  const next = () => choose(views[(views.indexOf(chosen) + 1) % views.length]!)
  useKeys(t.title, [{ key: 't', label: t.keyTabs, run: next }])
  return (
    <DraftProvider value={draft}>
      <DayRing onMode={choose} />
      <Tabs
        label={t.title}
        tabs={views.map((id) => ({ id, title: t.tabs[id] }))}
        chosen={chosen}
        onChoose={choose}
      >
        <div class="programme-view" data-forecast={isForecast}>
          <div class="programme-fields">
            {chosen === 'day' || chosen === 'night' ? (
              <ModeRules key={chosen} mode={chosen} />
            ) : chosen === 'clips' ? (
              <ClipRules />
            ) : chosen === 'blocks' ? (
              <TrackGroups groups={saved.songGroups} secsLeft={saved.insertCooldownSecsLeft} />
            ) : (
              <Extras />
            )}
          </div>
          {isForecast && <Forecast saved={saved} />}
        </div>
      </Tabs>
      <SaveBar />
    </DraftProvider>
  )
}

/** At the bottom while something is unsaved: what, and what to do with it. Ctrl S saves. */
function SaveBar() {
  const t = useProgrammeTexts()
  const { locale } = useAdmin()
  const { changed, save, discard, isBusy } = useDraft()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.code !== 'KeyS' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      void save()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  })
  const what = new Intl.ListFormat(locale).format(changed.map((section) => t.sections[section]))
  return (
    <div class="save-bar" role="status" data-shown={changed.length > 0}>
      {changed.length > 0 && (
        <>
          <p>
            <b>{t.unsaved}:</b> {what}
          </p>
          <button type="button" class="text-button" onClick={discard}>
            {t.discard}
          </button>
          <button
            type="button"
            class="button primary"
            title={`${t.keySave} · Ctrl S`}
            aria-disabled={isBusy}
            onClick={() => void save()}
          >
            {isBusy ? t.saving : t.save}
          </button>
        </>
      )}
    </div>
  )
}
