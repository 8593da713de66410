import { Confirm } from '../confirm.tsx'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

/** Everybody on air, and the guests who were invited. */
export function PeoplePanel() {
  const { host, state, connection, t } = useStudio()
  const ownId = connection.id()
  return (
    <PanelSection title={t.people}>
      <ul class="rows">
        {state.people.map(({ id, login, role, muted }) => (
          <li key={id}>
            <span class="row-name">{login}</span>
            <span class="row-about">
              {id === ownId ? t.you : t.roles[role]}
              {muted && ` · ${t.muted}`}
            </span>
            {role !== 'host' && (
              <span class="row-actions">
                <button
                  type="button"
                  class="plain"
                  aria-label={`${muted ? t.unmute : t.mute}: ${login}`}
                  onClick={() => host.muteGuest(id, !muted)}
                >
                  {muted ? t.unmute : t.mute}
                </button>
                <Confirm
                  label={t.kick}
                  about={login}
                  sure={t.kickSure}
                  yes={t.kickYes}
                  no={t.no}
                  onYes={() => host.kickGuest(id)}
                />
              </span>
            )}
          </li>
        ))}
        {state.pending.map(({ id, nickname }) => (
          <li key={id}>
            <span class="row-name">{nickname}</span>
            <span class="row-about">{t.pending}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  )
}
