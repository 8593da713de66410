import { SpeakerMeter } from '../../live/speakers/speaker-meter.tsx'
import { TimeLeft } from '../../live/speakers/time-left.tsx'
import { Confirm } from '../confirm.tsx'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

/** Everybody on air, how loud they are and how long guests may stay, and the guests who were invited. */
export function PeoplePanel() {
  const { host, state, connection, t } = useStudio()
  const { speakers } = host
  const ownId = connection.id()
  return (
    <PanelSection title={t.people}>
      <ul class="rows" data-levels="true">
        {state.people.map(({ id, login, role, muted }) => (
          <li key={id}>
            <span class="row-name">{login}</span>
            <span class="row-about">
              {id === ownId ? t.you : t.roles[role]}
              {muted && ` · ${t.muted}`}
            </span>
            <TimeLeft {...{ speakers, id, connection }} text={t.timeLeft} />
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
            <SpeakerMeter {...{ speakers, id }} label={t.levelOf(login)} />
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
