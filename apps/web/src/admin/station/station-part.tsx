import './portraits.css'
import './station.css'
import { PartTabs } from '../ui/part-tabs.tsx'
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
  return (
    <div class="station-part">
      <h1 class="unseen">{t.title}</h1>
      <PartTabs label={t.title} tabs={tabs} titles={t.tabs} />
    </div>
  )
}
