import { useUrlState } from '../data/location.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { useModeratorTexts } from '../moderator/moderation.ts'
import { ModeratorPanel } from '../moderator/moderator-panel.tsx'
import { Tabs } from '../ui/fields/tabs.tsx'
import { HostPanel } from './host-panel.tsx'
import { studioTexts } from './texts.ts'

/** The studio of hosts, and the moderators' view of it: one of them, or both as tabs. */
export function LivePart() {
  const { host, connection, microphone, locale } = usePanel()
  const { may } = useAdmin()
  const t = studioTexts[locale]
  const { title: moderation } = useModeratorTexts()
  const [view, setView] = useUrlState('view', 'studio')
  const studio = { host, connection, microphone, locale, t }
  if (!may({ allOf: ['radio_moderator'] })) return <HostPanel {...studio} />
  if (!may({ allOf: ['radio_host'] })) return <ModeratorPanel {...studio} />
  const tabs = [
    { id: 'studio', title: t.studio },
    { id: 'moderation', title: moderation },
  ]
  const chosen = view === 'moderation' ? view : 'studio'
  return (
    <Tabs label={t.title} tabs={tabs} chosen={chosen} onChoose={(id) => setView(id, { replace: true })}>
      {chosen === 'studio' ? <HostPanel {...studio} /> : <ModeratorPanel {...studio} />}
    </Tabs>
  )
}
