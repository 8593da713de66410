import './portraits.css'
import './station.css'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { Artwork } from './artwork/artwork.tsx'
import { Branding } from './branding.tsx'
import { Helpers } from './helpers/helpers.tsx'
import { Jobs } from './jobs.tsx'
import { Links } from './links.tsx'
import { SetUp } from './set-up.tsx'
import { useStationTexts } from './texts.ts'

const tabs = [
  { id: 'branding', rule: { allOf: ['settings_branding'] }, Content: Branding },
  { id: 'artwork', rule: { allOf: ['artist_arts'], capabilities: ['artistArts'] }, Content: Artwork },
  { id: 'helpers', rule: { super: true, capabilities: ['helperAdmins'] }, Content: Helpers },
  { id: 'jobs', rule: { super: true }, Content: Jobs },
  { id: 'links', rule: {}, Content: Links },
  { id: 'set-up', rule: {}, Content: SetUp },
] as const

/** How the station looks, who helps, and how it works inside. */
export function StationPart() {
  const t = useStationTexts()
  const { verdict } = useAdmin()
  const [chosen, choose] = useUrlState('tab', 'branding')
  const shown = tabs.filter(({ rule }) => verdict(rule).is !== 'hidden')
  const tab = shown.find(({ id }) => id === chosen) ?? shown[0]!
  const isOpen = verdict(tab.rule).is === 'open'
  return (
    <div class="station-part">
      <h1 class="unseen">{t.title}</h1>
      <Tabs
        label={t.title}
        tabs={shown.map(({ id }) => ({ id, title: t.tabs[id] }))}
        chosen={tab.id}
        onChoose={(id) => choose(id)}
      >
        <Guarded rule={tab.rule}>{isOpen && <tab.Content key={tab.id} />}</Guarded>
      </Tabs>
    </div>
  )
}
