import './aircheck.css'
import './watch.css'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
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
  const { verdict } = useAdmin()
  const [chosen, choose] = useUrlState('tab', 'alarms')
  const shown = tabs.filter(({ rule }) => verdict(rule).is !== 'hidden')
  const tab = shown.find(({ id }) => id === chosen) ?? shown[0]!
  const isOpen = verdict(tab.rule).is === 'open'
  return (
    <div class="watch-part">
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
