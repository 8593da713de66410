import { useUrlState } from '../data/location.ts'
import { useAdmin, usePanel } from '../data/panel.ts'
import { useModeratorTexts } from '../moderator/moderation.ts'
import { ModeratorPanel } from '../moderator/moderator-panel.tsx'
import { Tabs } from '../ui/fields/tabs.tsx'
import { Denied } from '../ui/layers/guarded.tsx'
import { HostPanel } from './host-panel.tsx'
import { studioTexts } from './texts.ts'

/** The studio of hosts, and the moderators' view of it. */
export function LivePart() {
  const { host, connection, microphone, locale } = usePanel()
  const { verdict, may } = useAdmin()
  const t = studioTexts[locale]
  const { title: moderation } = useModeratorTexts()
  // The first of the two that this account may use.
  const usual = may({ allOf: ['radio_host'] }) ? 'studio' : 'moderation'
  const [view, setView] = useUrlState('view', usual)
  const studio = { host, connection, microphone, locale, t }
  const tabs = [
    { id: 'studio', title: t.studio },
    { id: 'moderation', title: moderation },
  ]
  const chosen = view === 'moderation' ? view : 'studio'
  const right = verdict({ allOf: [chosen === 'studio' ? 'radio_host' : 'radio_moderator'] })
  return (
    <Tabs label={t.title} tabs={tabs} chosen={chosen} onChoose={(id) => setView(id, { replace: true })}>
      {right.is === 'denied' ? (
        <>
          <h1 class="unseen">{t.title}</h1>
          <Denied right={right} />
        </>
      ) : chosen === 'studio' ? (
        <HostPanel {...studio} />
      ) : (
        <ModeratorPanel {...studio} />
      )}
    </Tabs>
  )
}
