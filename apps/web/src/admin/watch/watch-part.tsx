import './aircheck.css'
import './watch.css'
import { PartTabs } from '../ui/part-tabs.tsx'
import { Aircheck } from './aircheck/aircheck.tsx'
import { Alarms } from './alarms.tsx'
import { useWatchTexts } from './texts.ts'
import { Webhooks } from './webhooks/webhooks.tsx'

const tabs = [
  { id: 'alarms', rule: { allOf: ['stats'] }, Content: Alarms },
  { id: 'aircheck', rule: { allOf: ['stats'] }, Content: Aircheck },
  { id: 'webhooks', rule: { super: true, capabilities: ['editSettings'] }, Content: Webhooks },
] as const

/** What the station hears of itself, what it remembers, and whom it tells. */
export function WatchPart() {
  const t = useWatchTexts()
  return (
    <div class="watch-part">
      <h1 class="unseen">{t.title}</h1>
      <PartTabs label={t.title} tabs={tabs} titles={t.tabs} />
    </div>
  )
}
