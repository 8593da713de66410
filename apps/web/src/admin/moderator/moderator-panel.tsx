import '../host/host-panel.css'
import './moderator.css'
import { GuestCodePanel } from '../host/guest-code-panel.tsx'
import { Notice } from '../host/panel-section.tsx'
import { type Studio, StudioProvider } from '../host/studio-context.ts'
import { Bans } from './bans.tsx'
import { useModeratorTexts } from './moderation.ts'
import { Roster } from './roster.tsx'

/** People on air, people banned from it, and the code that invites. */
export function ModeratorPanel(studio: Studio) {
  const t = useModeratorTexts()
  return (
    <StudioProvider value={studio}>
      <div class="host moderation">
        <h1 class="unseen">{t.title}</h1>
        <Notice />
        <div class="parts">
          <Roster />
          <GuestCodePanel />
        </div>
        <div class="parts">
          <Bans />
        </div>
      </div>
    </StudioProvider>
  )
}
